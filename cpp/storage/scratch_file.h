// A scratch in a file: past the page cache and several pieces at a time where the system can.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/os/memory.h"
#include "base/os/thread.h"
#include "storage/descriptor.h"
#include "storage/rate_limit.h"
#include "storage/ring.h"
#include "storage/storage.h"
#include "storage/stream_file.h"

namespace ckpt::storage {

class ScratchFile final : public Scratch {
 public:
  struct Limits {
    std::shared_ptr<RateLimit> writes;  // nullptr: none
    std::shared_ptr<RateLimit> reads;   // nullptr: none
  };
  // descriptor: a new file, open for writing and reading; made so many bytes long, without room for them yet. first: the path to
  // begin with; those that the file or the system cannot have are passed over.
  ScratchFile(Descriptor descriptor, std::string shown, std::int64_t bytes, WritePath first, Limits limits);

  void write(std::int64_t offset, std::span<const std::byte> bytes, const std::atomic<bool>& stop) override;
  void read(std::int64_t offset, std::span<std::byte> bytes, const std::atomic<bool>& stop) override;

 private:
  enum class Direction : std::uint8_t { write, read };

  // One direction of copies. One thread at a time.
  class Lane {
   public:
    Lane(const ScratchFile& file, Direction direction, bool has_ring, std::shared_ptr<RateLimit> limit);
    ~Lane();
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    void copy(std::int64_t offset, std::span<std::byte> bytes, const std::atomic<bool>& stop);

   private:
    static constexpr std::size_t piece_bytes = std::size_t{1} << 20;
    static constexpr unsigned most_pieces = 4;  // a power of 2

    struct Piece {
      std::int64_t offset = 0;
      std::span<std::byte> bytes;   // the caller's
      std::span<std::byte> copied;  // what the system reads or writes: those, or whole blocks of memory of this lane
      bool under_way = false;
    };

    bool is_direct() const { return file_.alignment_.offset > 1; }
    Piece& free_piece();
    void start(Piece& piece);
    void copy_now(const Piece& piece) const;
    void take_ends();
    void wait_for_one();
    void finish(Piece& piece);
    void wait_for_all() noexcept;
    std::span<std::byte> own_memory(const Piece& piece);

    const ScratchFile& file_;
    Direction direction_;
    std::unique_ptr<Ring> ring_;
    std::shared_ptr<RateLimit> limit_;
    base::Pages memory_;  // a piece each; nullptr before it is needed
    std::array<Piece, most_pieces> pieces_;
    std::uint64_t generation_ = base::fork_generation();
  };

  Descriptor descriptor_;
  std::string shown_;
  DirectAlignment alignment_;  // 1 and 1 where copies go through the page cache
  WritePath path_;
  Lane writes_;
  Lane reads_;
};

}  // namespace ckpt::storage
