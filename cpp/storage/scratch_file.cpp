#include "storage/scratch_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "storage/os_error.h"

namespace ckpt::storage {
namespace {

// Returns the first available path for the file, and the alignment that it requires.
WritePath direct_path(int descriptor, WritePath first, DirectAlignment& alignment) {
  if (first == WritePath::buffered) return first;
  const auto wanted = make_direct(descriptor);
  if (!wanted) return WritePath::buffered;
  if (scratch_alignment % static_cast<std::int64_t>(wanted->offset) != 0) {
    make_buffered(descriptor);
    return WritePath::buffered;
  }
  alignment = *wanted;
  return first;
}

std::size_t rounded_up(std::size_t bytes, std::size_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

ScratchFile::ScratchFile(Descriptor descriptor, std::string shown, std::int64_t bytes, WritePath first, Limits limits)
    : descriptor_(std::move(descriptor)),
      shown_(std::move(shown)),
      path_(direct_path(descriptor_.get(), first, alignment_)),
      writes_(*this, Direction::write, path_ == WritePath::ring, std::move(limits.writes)),
      reads_(*this, Direction::read, path_ == WritePath::ring, std::move(limits.reads)) {
  const auto length = static_cast<off_t>(rounded_up(static_cast<std::size_t>(bytes), scratch_alignment));
  if (uninterrupted([&] { return ::ftruncate(descriptor_.get(), length); }) != 0)
    fail_os(errno, base::cat("give ", length, " bytes to"), shown_);
}

void ScratchFile::write(std::int64_t offset, std::span<const std::byte> bytes, const std::atomic<bool>& stop) {
  // The write direction only reads this memory.
  writes_.copy(offset, {const_cast<std::byte*>(bytes.data()), bytes.size()}, stop);
}

void ScratchFile::read(std::int64_t offset, std::span<std::byte> bytes, const std::atomic<bool>& stop) {
  reads_.copy(offset, bytes, stop);
}

// ---- Lane ----

ScratchFile::Lane::Lane(const ScratchFile& file, Direction direction, bool has_ring, std::shared_ptr<RateLimit> limit)
    : file_(file), direction_(direction), ring_(has_ring ? Ring::make(max_pieces) : nullptr), limit_(std::move(limit)) {}

ScratchFile::Lane::~Lane() {
  // The ring belongs to the parent process.
  if (ring_ != nullptr && generation_ != base::fork_generation()) static_cast<void>(ring_.release());
}

void ScratchFile::Lane::copy(std::int64_t offset, std::span<std::byte> bytes, const std::atomic<bool>& stop) {
  try {
    while (!bytes.empty()) {
      Piece& piece = free_piece();
      piece.offset = offset;
      piece.bytes = bytes.first(std::min(bytes.size(), piece_bytes));
      require_running(&stop);
      if (limit_ != nullptr) limit_->take(std::ssize(piece.bytes), &stop);
      start(piece);
      offset += std::ssize(piece.bytes);
      bytes = bytes.subspan(piece.bytes.size());
    }
    while (std::ranges::find(pieces_, true, &Piece::in_flight) != pieces_.end()) wait_for_one();
  } catch (...) {
    wait_for_all();
    throw;
  }
}

ScratchFile::Lane::Piece& ScratchFile::Lane::free_piece() {
  reap_completions();
  for (;;) {
    const auto found = std::ranges::find(pieces_, false, &Piece::in_flight);
    if (found != pieces_.end()) return *found;
    wait_for_one();
  }
}

// Returns memory for a piece in whole blocks, for caller memory that does not meet the file's alignment.
std::span<std::byte> ScratchFile::Lane::own_memory(const Piece& piece) {
  if (memory_ == nullptr) memory_ = base::map_pages(max_pieces * piece_bytes);
  const auto number = static_cast<std::size_t>(&piece - pieces_.data());
  return {memory_.get() + number * piece_bytes, rounded_up(piece.bytes.size(), file_.alignment_.offset)};
}

void ScratchFile::Lane::start(Piece& piece) {
  const bool suits = piece.bytes.size() % file_.alignment_.offset == 0 &&
                     reinterpret_cast<std::uintptr_t>(piece.bytes.data()) % file_.alignment_.memory == 0;
  piece.copied = suits ? piece.bytes : own_memory(piece);
  if (!suits && direction_ == Direction::write) {
    const auto after = std::ranges::copy(piece.bytes, piece.copied.begin()).out;
    std::fill(after, piece.copied.end(), std::byte{});
  }
  const auto tag = static_cast<std::uint64_t>(&piece - pieces_.data());
  const int descriptor = file_.descriptor_.get();
  if (ring_ != nullptr) {
    piece.in_flight = direction_ == Direction::write ? ring_->start_write(descriptor, piece.offset, piece.copied, tag)
                                                     : ring_->start_read(descriptor, piece.offset, piece.copied, tag);
  }
  if (piece.in_flight) return;
  copy_synchronously(piece);
  finish(piece);
}

// Copies synchronously; its errors are reported to the caller.
void ScratchFile::Lane::copy_synchronously(const Piece& piece) const {
  const int descriptor = file_.descriptor_.get();
  std::size_t done = piece.copied.size();
  const auto attempt = [&] {
    return direction_ == Direction::write ? try_write_all(descriptor, piece.offset, piece.copied)
                                          : try_read_all(descriptor, piece.offset, piece.copied, done);
  };
  int code = attempt();
  // The file rejects its own reported alignment, or its end is within a block.
  if (code == EINVAL && is_direct() && make_buffered(descriptor)) code = attempt();
  if (code != 0) fail_os(code, direction_ == Direction::write ? "write" : "read", file_.shown_);
  if (done < piece.bytes.size()) {
    base::fail(base::Status::io, "cannot read ", base::quote(file_.shown_), ": expected ", piece.bytes.size(), " bytes at ",
               piece.offset, ", found ", done);
  }
}

void ScratchFile::Lane::finish(Piece& piece) {
  if (direction_ == Direction::read && piece.copied.data() != piece.bytes.data())
    std::ranges::copy(piece.copied.first(piece.bytes.size()), piece.bytes.begin());
}

// Pieces that the system did not copy completely are copied synchronously.
void ScratchFile::Lane::reap_completions() {
  if (ring_ == nullptr) return;
  while (const auto end = ring_->take()) {
    Piece& piece = pieces_[end->tag];
    piece.in_flight = false;
    if (end->result < 0 || static_cast<std::size_t>(end->result) != piece.copied.size()) copy_synchronously(piece);
    finish(piece);
  }
}

void ScratchFile::Lane::wait_for_one() {
  if (!ring_->wait()) sleep_ns(1'000'000);  // the system refuses to wait; the completion arrives nevertheless
  reap_completions();
}

void ScratchFile::Lane::wait_for_all() noexcept {
  while (std::ranges::find(pieces_, true, &Piece::in_flight) != pieces_.end()) {
    while (const auto end = ring_->take()) pieces_[end->tag].in_flight = false;
    if (std::ranges::find(pieces_, true, &Piece::in_flight) == pieces_.end()) return;
    if (!ring_->wait()) sleep_ns(1'000'000);
  }
}

}  // namespace ckpt::storage
