// Collective read of blocks that all ranks need, or of which each rank needs rows that are far apart.
//
// Reading them on every rank would multiply the traffic to the storage by the number of ranks. Instead each digest chunk is read
// and verified by one rank, which broadcasts it. Batches bound the memory per rank. The chunks are assigned by position in the
// parts, so that few ranks open each file.
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

  // Adds one block of a tensor, with its part and number in the checkpoint. All ranks add the same blocks, in any order.
  void add(std::int64_t part, std::uint32_t tensor, std::int64_t number, std::int64_t bytes);
  struct Sizes {
    // Maximum per broadcast, but at least a chunk; small enough to stay in the processor's cache.
    std::int64_t batch_bytes = std::int64_t{4} << 20;
    std::int64_t share_bytes = std::int64_t{1} << 20;  // minimum per rank: with less data fewer ranks read
  };
  // Call after the last add: assigns the pieces to the ranks that read them.
  void assign_shares(std::int64_t rank, std::int64_t ranks, const Sizes& sizes);
  std::int64_t bytes() const noexcept { return total_; }

  // Collective. Calls read for the pieces that this rank reads, into consecutive bytes, and take on all ranks for every piece.
  // Stores their exception in failure; the exchange then ends on all ranks when this rank sends next. A rank with an earlier
  // failure also takes part.
  void run(Collective& collective, std::exception_ptr& failure, const Read& read, const Take& take);
  // Error(io) if bytes from another rank arrived with a wrong checksum; they were not passed to take.
  void require_intact() const;

 private:
  // Compact: there can be one for each tensor on each of ten thousand ranks.
  struct Block {
    std::int32_t part = 0;
    std::uint32_t tensor = 0;
    std::int64_t number = 0;
    std::int64_t begin = 0;  // position among the bytes of all blocks; before the assignment, the block's size
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
  Place first_chunk_from(std::int64_t byte) const;
  Batch next_batch(std::size_t owner) const;
  void read_own(const Batch& batch, std::exception_ptr& failure, const Read& read);

  const std::int64_t bytes_of_chunk_;
  std::vector<Block> blocks_;
  std::int64_t total_ = 0;
  std::int64_t batch_bytes_ = 0;
  std::int64_t rank_ = 0;
  std::vector<Place> next_;  // by owner
  std::vector<Place> ends_;
  std::int64_t corrupted_from_ = -1;  // rank that sent a corrupted message; -1: none
  std::vector<std::byte> own_;        // send buffer: a status, a batch, and its checksum
  std::vector<std::byte> others_;
};

}  // namespace ckpt::state
