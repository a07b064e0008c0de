// Blocks that all ranks need, or of which each needs rows that lie far apart: each digest chunk is read by one rank, which sends it
// to all. What a rank holds of it at one time is bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "state/manifest.h"
#include "state/ranks/collective.h"

namespace ckpt::state {

class Exchange {
 public:
  // [begin, end) of a block's bytes.
  struct Piece {
    std::uint32_t tensor = 0;
    std::int64_t number = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  using Read = std::function<void(std::span<const Piece> pieces, std::span<std::byte> into)>;
  using Take = std::function<void(const Piece& piece, std::span<const std::byte> bytes)>;

  explicit Exchange(std::int64_t bytes_of_chunk) : bytes_of_chunk_(bytes_of_chunk) {}

  // One block of a tensor, whose part and number are those of the checkpoint's. All ranks add the same, in any order.
  void add(std::int64_t part, std::uint32_t tensor, std::int64_t number, std::int64_t bytes);
  struct Sizes {
    // Most that one rank sends at once, or a chunk: what stays in a processor's cache on its way.
    std::int64_t batch_bytes = std::int64_t{4} << 20;
    std::int64_t share_bytes = std::int64_t{1} << 20;  // fewer ranks read when there is less for each
  };
  // After the last add: decides which rank reads which pieces.
  void share_out(std::int64_t rank, std::int64_t ranks, const Sizes& sizes);
  std::int64_t bytes() const noexcept { return total_; }

  // Collective. Calls read for the pieces that this rank reads, into consecutive bytes, and take on all ranks for every piece.
  // Stores their exception in failure; the exchange then ends on all ranks when this rank sends next. A rank with an earlier
  // failure also takes part.
  void run(Collective& collective, std::exception_ptr& failure, const Read& read, const Take& take);
  // Error(io) when other bytes came to this rank than another one had sent; it did not take them.
  void require_intact() const;

 private:
  // Few bytes: there may be one of each tensor on each of ten thousand ranks.
  struct Block {
    std::int32_t part = 0;
    std::uint32_t tensor = 0;
    std::int64_t number = 0;
    std::int64_t begin = 0;  // in the bytes of all; until they are shared out, its own bytes
  };
  struct Place {
    std::size_t block = 0;
    std::int64_t at = 0;  // in the block
    friend bool operator==(const Place&, const Place&) = default;
    friend bool operator<(const Place& a, const Place& b) { return a.block != b.block ? a.block < b.block : a.at < b.at; }
  };
  struct Batch {
    std::vector<Piece> pieces;
    std::size_t bytes = 0;
    Place end;
  };

  std::int64_t bytes_of(std::size_t block) const;
  Place first_chunk_behind(std::int64_t byte) const;
  Batch next_batch(std::size_t owner) const;
  void read_own(const Batch& batch, std::exception_ptr& failure, const Read& read);

  const std::int64_t bytes_of_chunk_;
  std::vector<Block> blocks_;
  std::int64_t total_ = 0;
  std::int64_t batch_bytes_ = 0;
  std::int64_t rank_ = 0;
  std::vector<Place> next_;  // by owner
  std::vector<Place> ends_;
  std::int64_t garbled_ = -1;   // the rank whose bytes came as others
  std::vector<std::byte> own_;  // a status, a batch, and its checksum
  std::vector<std::byte> others_;
};

}  // namespace ckpt::state
