#include "storage/stream_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "storage/os_error.h"

namespace ckpt::storage {

using base::Status;

namespace {
constexpr std::size_t least_borrowed_bytes = std::size_t{512} << 10;  // fewer are better collected to a whole chunk
}  // namespace

StreamFile::StreamFile(Descriptor descriptor, std::string shown, const StreamOptions& options, WritePath first,
                       std::shared_ptr<RateLimit> limit)
    : descriptor_(std::move(descriptor)), shown_(std::move(shown)), stop_(options.stop), limit_(std::move(limit)), path_(first) {
  reserve_space(options.expected_bytes);
  if (path_ != WritePath::buffered && !make_direct()) path_ = WritePath::buffered;
  if (path_ == WritePath::ring && (ring_ = Ring::make(queue_depth)) == nullptr) path_ = WritePath::direct;
  if (path_ == WritePath::buffered) return;
  std::size_t count = copied_chunks;
  if (options.expected_bytes > 0) count = std::min(count, static_cast<std::size_t>(options.expected_bytes) / chunk_bytes + 1);
  make_chunks(path_ == WritePath::direct ? 1 : count);
}

StreamFile::~StreamFile() {
  if (ring_ == nullptr) return;
  if (generation_ != base::fork_generation()) {
    static_cast<void>(ring_.release());  // a forked child: the ring is the parent's
    return;
  }
  while (any(Stage::under_way)) {
    take_ends();
    if (any(Stage::under_way) && !ring_->wait()) {
      // The system may still read it: better lost than used again. What was borrowed may be, and this file has no sync to vouch for
      // it.
      static_cast<void>(memory_.release());
      return;
    }
  }
}

// A file whose blocks are there from the start is written in parallel, in few extents, and is refused at once when it cannot fit.
void StreamFile::reserve_space(std::int64_t bytes) {
  base::require(bytes >= 0, "expected_bytes is ", bytes, "; at least 0");
#if defined(__linux__)
  if (bytes == 0) return;
  const int result = uninterrupted([&] { return ::fallocate(descriptor_.get(), 0, 0, bytes); });
  // Others than these mean that the file system cannot do it; the writes will report their errors.
  if (result != 0 && status_of_errno(errno) == Status::no_space) fail_os(errno, "reserve space for", shown_);
#endif
}

bool StreamFile::make_direct() {
  const auto alignment = storage::make_direct(descriptor_.get());
  if (!alignment) return false;
  if (chunk_bytes % alignment->offset != 0) {
    make_buffered(descriptor_.get());
    return false;
  }
  offset_alignment_ = alignment->offset;
  memory_alignment_ = alignment->memory;
  return true;
}

// Whole pages from the system, so that they have every alignment that a device may ask for; large ones, which it pins faster.
void StreamFile::make_chunks(std::size_t count) {
  memory_ = base::map_pages(count * chunk_bytes);
  for (std::size_t i = 0; i < count; ++i) chunks_.push_back({{memory_.get() + i * chunk_bytes, chunk_bytes}});
  if (ring_ != nullptr) chunks_.resize(queue_depth);
  filling_ = &chunks_.front();
}

std::int64_t StreamFile::read(std::int64_t, std::span<std::byte>) {
  base::fail(Status::unsupported, base::quote(shown_), " is being written from front to back: it cannot be read");
}

void StreamFile::write(std::int64_t offset, std::span<const std::byte> bytes) { write_by(&StreamFile::accept, offset, bytes); }

void StreamFile::write_borrowed(std::int64_t offset, std::span<const std::byte> bytes) {
  write_by(&StreamFile::accept_borrowed, offset, bytes);
}

void StreamFile::write_by(Accept take, std::int64_t offset, std::span<const std::byte> bytes) {
  if (finished_) base::fail(Status::invalid_state, base::quote(shown_), " was synced: it takes no more bytes");
  // A call that threw has kept what it accepted: when it is repeated, it goes on behind that.
  const std::int64_t start = interrupted_at_ >= 0 ? interrupted_at_ : position_;
  base::require(offset == start, "offset is ", offset, "; the next byte of this file goes to ", start);
  const auto accepted = static_cast<std::size_t>(position_ - start);
  base::require(bytes.size() >= accepted, "the repeated write has ", bytes.size(), " bytes; fewer than before");
  interrupted_at_ = start;
  (this->*take)(bytes.subspan(accepted));
  interrupted_at_ = -1;
}

void StreamFile::accept(std::span<const std::byte> bytes) {
  if (filling_ == nullptr) return write_through(bytes);
  settle();
  while (!bytes.empty()) {
    Chunk& chunk = next_to_fill(true);
    if (chunk.used == 0) chunk.offset = position_;
    const std::size_t count = std::min(bytes.size(), chunk_bytes - chunk.used);
    std::memcpy(chunk.space.data() + chunk.used, bytes.data(), count);
    chunk.used += count;
    position_ += static_cast<std::int64_t>(count);
    bytes = bytes.subspan(count);
    if (chunk.used == chunk_bytes) pass_on(chunk);
  }
}

// Only what is before the first and behind the last whole block of the file is copied.
void StreamFile::accept_borrowed(std::span<const std::byte> bytes) {
  const std::size_t over = static_cast<std::size_t>(position_) % offset_alignment_;
  const std::size_t head = over == 0 ? 0 : offset_alignment_ - over;
  const bool is_aligned = (reinterpret_cast<std::uintptr_t>(bytes.data()) + head) % memory_alignment_ == 0;
  if (ring_ == nullptr || !is_aligned || bytes.size() < least_borrowed_bytes) return accept(bytes);
  accept(bytes.first(head));
  bytes = bytes.subspan(head);
  if (filling_->stage == Stage::filling && filling_->used > 0) pass_on(*filling_);
  while (bytes.size() >= offset_alignment_) {
    Chunk& chunk = next_to_fill(false);
    chunk.borrowed = bytes.first(std::min(bytes.size() / offset_alignment_ * offset_alignment_, chunk_bytes));
    chunk.used = chunk.borrowed.size();
    chunk.offset = position_;
    position_ += static_cast<std::int64_t>(chunk.used);
    bytes = bytes.subspan(chunk.used);
    pass_on(chunk);
  }
  accept(bytes);
}

void StreamFile::write_through(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), chunk_bytes));
    require_running(stop_.get());
    if (limit_ != nullptr) limit_->take(static_cast<std::int64_t>(piece.size()), stop_.get());
    write_all(descriptor_.get(), position_, piece, shown_);
    position_ += static_cast<std::int64_t>(piece.size());
    bytes = bytes.subspan(piece.size());
  }
}

// Hands a full chunk to the system.
void StreamFile::pass_on(Chunk& chunk) {
  chunk.stage = Stage::refused;  // until it is taken; settle() tries again
  require_running(stop_.get());
  if (limit_ != nullptr) limit_->take(static_cast<std::int64_t>(chunk.used), stop_.get());
  const auto tag = static_cast<std::uint64_t>(&chunk - chunks_.data());
  if (ring_ != nullptr && ring_->start_write(descriptor_.get(), chunk.offset, chunk.bytes(), tag)) {
    chunk.stage = Stage::under_way;
  } else {
    write_now(chunk);
  }
}

// The chunk that the next byte goes to; waits until there is one.
StreamFile::Chunk& StreamFile::next_to_fill(bool needs_space) {
  const auto fits = [&](const Chunk& chunk) { return chunk.stage == Stage::filling && !(needs_space && chunk.space.empty()); };
  if (fits(*filling_)) return *filling_;
  for (;;) {
    take_ends();
    settle();
    const auto found = std::ranges::find_if(chunks_, fits);
    if (found != chunks_.end()) return *(filling_ = &*found);
    wait_for_one();
  }
}

// Writes a chunk and waits for it; the chunk is free then.
void StreamFile::write_now(Chunk& chunk) {
  chunk.stage = Stage::refused;
  int code = try_write_all(descriptor_.get(), chunk.offset, chunk.bytes());
  if (code == EFAULT && !chunk.borrowed.empty()) {
    // Memory that the program can read and a device cannot, as drivers have it.
    const base::Pages copy = base::map_pages(chunk.used);
    std::ranges::copy(chunk.borrowed, copy.get());
    code = try_write_all(descriptor_.get(), chunk.offset, {copy.get(), chunk.used});
  }
  // The file does not stand by what it said of its alignment.
  if (code == EINVAL && make_buffered(descriptor_.get())) code = try_write_all(descriptor_.get(), chunk.offset, chunk.bytes());
  if (code != 0) fail_os(code, "write", shown_);
  chunk.clear();
}

// Notes what has ended since. A chunk that was not written, or not all of it, is written again by settle().
void StreamFile::take_ends() {
  if (ring_ == nullptr) return;
  while (const auto end = ring_->take()) {
    Chunk& chunk = chunks_[end->tag];
    const bool written = end->result >= 0 && static_cast<std::size_t>(end->result) == chunk.used;
    chunk.stage = Stage::refused;
    if (written) chunk.clear();
  }
}

bool StreamFile::any(Stage stage) const { return std::ranges::find(chunks_, stage, &Chunk::stage) != chunks_.end(); }

void StreamFile::wait_for_one() {
  if (ring_ == nullptr || !ring_->wait()) base::fail(Status::io, "cannot wait for writes to ", base::quote(shown_));
}

// Writes what the system refused in the queue once more, by the plain way, whose error is the one to report.
void StreamFile::settle() {
  for (Chunk& chunk : chunks_) {
    if (chunk.stage != Stage::refused) continue;
    require_running(stop_.get());
    write_now(chunk);
  }
}

// The last bytes fill no block: zeros go with them, and are cut off.
void StreamFile::write_tail() {
  if (filling_->stage == Stage::filling && filling_->used > 0) {
    Chunk& chunk = *filling_;
    require_running(stop_.get());
    if (limit_ != nullptr) limit_->take(static_cast<std::int64_t>(chunk.used), stop_.get());
    const std::size_t padded = (chunk.used + offset_alignment_ - 1) / offset_alignment_ * offset_alignment_;
    std::memset(chunk.space.data() + chunk.used, 0, padded - chunk.used);
    chunk.used = padded;
    write_now(chunk);
  }
}

void StreamFile::sync() {
  if (sync_failed_) base::fail(Status::io, "cannot sync ", base::quote(shown_), ": a sync of it has failed before");
  if (interrupted_at_ >= 0) base::fail(Status::invalid_state, "cannot sync ", base::quote(shown_), ": a write to it has failed");
  if (filling_ != nullptr && !finished_) {
    while (any(Stage::under_way)) {
      take_ends();
      if (any(Stage::under_way)) wait_for_one();
    }
    settle();
    write_tail();
  }
  struct stat status {};
  if (::fstat(descriptor_.get(), &status) != 0) fail_os(errno, "examine", shown_);
  if (status.st_size != position_ && uninterrupted([&] { return ::ftruncate(descriptor_.get(), position_); }) != 0) {
    fail_os(errno, "cut", shown_);
  }
  finished_ = true;
  if (uninterrupted([&] { return ::fsync(descriptor_.get()); }) == 0) return;
  sync_failed_ = true;
  fail_os(errno, "sync", shown_);
}

}  // namespace ckpt::storage
