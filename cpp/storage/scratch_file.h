// Scratch space in a file: bypasses the page cache and copies several pieces concurrently where the system supports it.
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
    std::shared_ptr<RateLimit> writes;  // nullptr: unlimited
    std::shared_ptr<RateLimit> reads;   // nullptr: unlimited
  };
  // descriptor: a new file, open for writing and reading; extended to this many bytes without allocating blocks. first: the
  // preferred path; paths that the file or the system does not support are skipped.
  ScratchFile(Descriptor descriptor, std::string shown, std::int64_t bytes, WritePath first, Limits limits);

  void write(std::int64_t offset, std::span<const std::byte> bytes, const std::atomic<bool>& stop) override;
  void read(std::int64_t offset, std::span<std::byte> bytes, const std::atomic<bool>& stop) override;

 private:
  enum class Direction : std::uint8_t { write, read };

  // One direction of copies. Not thread-safe.
  class Lane {
   public:
    Lane(const ScratchFile& file, Direction direction, bool has_ring, std::shared_ptr<RateLimit> limit);
    ~Lane();
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    void copy(std::int64_t offset, std::span<std::byte> bytes, const std::atomic<bool>& stop);

   private:
    static constexpr std::size_t piece_bytes = std::size_t{1} << 20;
    static constexpr unsigned max_pieces = 4;  // a power of 2

    struct Piece {
      std::int64_t offset = 0;
      std::span<std::byte> bytes;   // the caller's memory
      std::span<std::byte> copied;  // memory of the system call: the caller's, or whole blocks of this lane's memory
      bool in_flight = false;
    };

    bool is_direct() const { return file_.alignment_.offset > 1; }
    Piece& free_piece();
    void start(Piece& piece);
    void copy_synchronously(const Piece& piece) const;
    void reap_completions();
    void wait_for_one();
    void finish(Piece& piece);
    void wait_for_all() noexcept;
    std::span<std::byte> own_memory(const Piece& piece);

    const ScratchFile& file_;
    Direction direction_;
    std::unique_ptr<Ring> ring_;
    std::shared_ptr<RateLimit> limit_;
    base::Pages memory_;  // one piece per slot; allocated on first use
    std::array<Piece, max_pieces> pieces_;
    std::uint64_t generation_ = base::fork_generation();
  };

  Descriptor descriptor_;
  std::string shown_;
  DirectAlignment alignment_;  // 1 and 1 if copies go through the page cache
  WritePath path_;
  Lane writes_;
  Lane reads_;
};

}  // namespace ckpt::storage
