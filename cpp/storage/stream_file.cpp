// Design: O_DIRECT requires aligned offsets, lengths and memory, and completions arrive in any order, while callers write
// arbitrary pieces in sequence. Bytes are therefore collected in aligned chunks; a full chunk is submitted to io_uring, and
// filling continues in the next free one. The caller's own memory is written without a copy if it happens to be aligned
// (write_borrowed).
//
// Errors of asynchronous writes are not reported from their completions. A chunk that was not written completely is only marked
// as refused, and the next call writes it again synchronously: short writes and unsupported requests then succeed, and a
// permanent error (such as a full disk) is thrown from a call of the caller. A call that threw can be repeated with the same
// bytes: it continues after the bytes that were accepted.
//
// The page cache with one fsync at the end would be simpler. But it copies every byte once more, evicts the program's own cached
// data, and moves all write errors into fsync.

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
constexpr std::size_t min_borrowed_bytes = std::size_t{512} << 10;  // smaller writes are collected into a whole chunk instead
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
    static_cast<void>(ring_.release());  // in a forked child the ring belongs to the parent
    return;
  }
  while (any(Stage::in_flight)) {
    reap_completions();
    if (any(Stage::in_flight) && !ring_->wait()) {
      // The system may still read this memory, so it is leaked rather than reused. Borrowed memory may be reused by its owner,
      // but without a sync this file guarantees nothing.
      static_cast<void>(memory_.release());
      return;
    }
  }
}

// Preallocation allows parallel writes in few extents, and reports a full disk at once.
void StreamFile::reserve_space(std::int64_t bytes) {
  base::require(bytes >= 0, "expected_bytes is ", bytes, "; expected at least 0");
#if defined(__linux__)
  if (bytes == 0) return;
  const int result = uninterrupted([&] { return ::fallocate(descriptor_.get(), 0, 0, bytes); });
  // Other errors mean that the file system cannot preallocate; the writes will report their own errors.
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

// Whole pages meet any alignment that a device may require; huge pages are pinned faster.
void StreamFile::make_chunks(std::size_t count) {
  memory_ = base::map_pages(count * chunk_bytes);
  for (std::size_t i = 0; i < count; ++i) chunks_.push_back({{memory_.get() + i * chunk_bytes, chunk_bytes}});
  if (ring_ != nullptr) chunks_.resize(queue_depth);
  filling_ = &chunks_.front();
}

std::int64_t StreamFile::read(std::int64_t, std::span<std::byte>) {
  base::fail(Status::unsupported, base::quote(shown_), " is opened for sequential writing: it cannot be read");
}

void StreamFile::write(std::int64_t offset, std::span<const std::byte> bytes) { write_by(&StreamFile::accept, offset, bytes); }

void StreamFile::write_borrowed(std::int64_t offset, std::span<const std::byte> bytes) {
  write_by(&StreamFile::accept_borrowed, offset, bytes);
}

void StreamFile::write_by(Accept take, std::int64_t offset, std::span<const std::byte> bytes) {
  if (finished_) base::fail(Status::invalid_state, base::quote(shown_), " is already synced: expected no further writes");
  // A call that threw has kept the bytes that it accepted: a repeated call continues after them.
  const std::int64_t start = interrupted_at_ >= 0 ? interrupted_at_ : position_;
  base::require(offset == start, "offset is ", offset, "; expected the next offset of this file, ", start);
  const auto accepted = static_cast<std::size_t>(position_ - start);
  base::require(bytes.size() >= accepted, "repeated write has ", bytes.size(), " bytes; expected at least the ", accepted,
                " accepted before");
  interrupted_at_ = start;
  (this->*take)(bytes.subspan(accepted));
  interrupted_at_ = -1;
}

void StreamFile::accept(std::span<const std::byte> bytes) {
  if (filling_ == nullptr) return write_through(bytes);
  retry_refused();
  while (!bytes.empty()) {
    Chunk& chunk = next_to_fill(true);
    if (chunk.used == 0) chunk.offset = position_;
    const std::size_t count = std::min(bytes.size(), chunk_bytes - chunk.used);
    std::memcpy(chunk.space.data() + chunk.used, bytes.data(), count);
    chunk.used += count;
    position_ += static_cast<std::int64_t>(count);
    bytes = bytes.subspan(count);
    if (chunk.used == chunk_bytes) submit(chunk);
  }
}

// Copies only the parts before the first and after the last whole block of the file.
void StreamFile::accept_borrowed(std::span<const std::byte> bytes) {
  const std::size_t over = static_cast<std::size_t>(position_) % offset_alignment_;
  const std::size_t head = over == 0 ? 0 : offset_alignment_ - over;
  const bool is_aligned = (reinterpret_cast<std::uintptr_t>(bytes.data()) + head) % memory_alignment_ == 0;
  if (ring_ == nullptr || !is_aligned || bytes.size() < min_borrowed_bytes) return accept(bytes);
  accept(bytes.first(head));
  bytes = bytes.subspan(head);
  if (filling_->stage == Stage::filling && filling_->used > 0) submit(*filling_);
  while (bytes.size() >= offset_alignment_) {
    Chunk& chunk = next_to_fill(false);
    chunk.borrowed = bytes.first(std::min(bytes.size() / offset_alignment_ * offset_alignment_, chunk_bytes));
    chunk.used = chunk.borrowed.size();
    chunk.offset = position_;
    position_ += static_cast<std::int64_t>(chunk.used);
    bytes = bytes.subspan(chunk.used);
    submit(chunk);
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

// Submits a full chunk to the system.
void StreamFile::submit(Chunk& chunk) {
  chunk.stage = Stage::refused;  // until the system accepts it; otherwise settle() retries
  require_running(stop_.get());
  if (limit_ != nullptr) limit_->take(static_cast<std::int64_t>(chunk.used), stop_.get());
  const auto tag = static_cast<std::uint64_t>(&chunk - chunks_.data());
  if (ring_ != nullptr && ring_->start_write(descriptor_.get(), chunk.offset, chunk.bytes(), tag)) {
    chunk.stage = Stage::in_flight;
  } else {
    write_synchronously(chunk);
  }
}

// Returns the chunk for the next byte; waits until one is free.
StreamFile::Chunk& StreamFile::next_to_fill(bool needs_space) {
  const auto fits = [&](const Chunk& chunk) { return chunk.stage == Stage::filling && !(needs_space && chunk.space.empty()); };
  if (fits(*filling_)) return *filling_;
  for (;;) {
    reap_completions();
    retry_refused();
    const auto found = std::ranges::find_if(chunks_, fits);
    if (found != chunks_.end()) return *(filling_ = &*found);
    wait_for_one();
  }
}

// Writes a chunk synchronously and frees it.
void StreamFile::write_synchronously(Chunk& chunk) {
  chunk.stage = Stage::refused;
  int code = try_write_all(descriptor_.get(), chunk.offset, chunk.bytes());
  if (code == EFAULT && !chunk.borrowed.empty()) {
    // The program can read this memory but a device cannot, for example memory mapped by a driver.
    const base::Pages copy = base::map_pages(chunk.used);
    std::ranges::copy(chunk.borrowed, copy.get());
    code = try_write_all(descriptor_.get(), chunk.offset, {copy.get(), chunk.used});
  }
  // The file rejects its own reported alignment.
  if (code == EINVAL && make_buffered(descriptor_.get())) code = try_write_all(descriptor_.get(), chunk.offset, chunk.bytes());
  if (code != 0) fail_os(code, "write", shown_);
  chunk.clear();
}

// Processes completions. Chunks that were not written completely are written again by settle().
void StreamFile::reap_completions() {
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

// Writes refused chunks again synchronously; errors are reported to the caller.
void StreamFile::retry_refused() {
  for (Chunk& chunk : chunks_) {
    if (chunk.stage != Stage::refused) continue;
    require_running(stop_.get());
    write_synchronously(chunk);
  }
}

// The last bytes do not fill a block: they are padded with zeros, which sync() truncates.
void StreamFile::write_tail() {
  if (filling_->stage == Stage::filling && filling_->used > 0) {
    Chunk& chunk = *filling_;
    require_running(stop_.get());
    if (limit_ != nullptr) limit_->take(static_cast<std::int64_t>(chunk.used), stop_.get());
    const std::size_t padded = (chunk.used + offset_alignment_ - 1) / offset_alignment_ * offset_alignment_;
    std::memset(chunk.space.data() + chunk.used, 0, padded - chunk.used);
    chunk.used = padded;
    write_synchronously(chunk);
  }
}

void StreamFile::sync() {
  if (sync_failed_) base::fail(Status::io, "cannot sync ", base::quote(shown_), ": an earlier sync has failed");
  if (interrupted_at_ >= 0) base::fail(Status::invalid_state, "cannot sync ", base::quote(shown_), ": an earlier write has failed");
  if (filling_ != nullptr && !finished_) {
    while (any(Stage::in_flight)) {
      reap_completions();
      if (any(Stage::in_flight)) wait_for_one();
    }
    retry_refused();
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
