// The agreement of the ranks before a save: the tensors, which ranks have identical blocks, and which rank writes what.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "state/hash.h"
#include "state/ranks/collective.h"
#include "state/ranks/listing.h"
#include "state/state.h"

namespace ckpt::state {

// This rank's non-empty blocks of sharded tensors, in an order that depends only on the blocks.
struct OwnBlocks {
  struct Block {
    std::string_view group;
    const ShardedTensor* of = nullptr;
    const ShardedTensor::Block* block = nullptr;
  };
  std::vector<Block> blocks;
  std::int64_t bytes = 0;
  Digest digest;  // digest of their boxes
};
// The state must outlive the result and must not change.
OwnBlocks own_blocks(const State& state);

// Also valid for the next save if nothing in it changes.
struct Agreement {
  Listing listing;
  std::vector<std::int64_t> own_bytes;  // by rank: bytes of sharded tensors to write
  // By rank: the first rank with the same blocks of all sharded tensors, or the rank itself. Ranks with the same blocks share the
  // work of writing each block once.
  std::vector<std::int64_t> alike;
  Digest digest;  // of the members above

  bool has_identical_blocks() const;
};

// Collective: exchanges each rank's blocks of sharded tensors. mine: the error of this rank; the first error is thrown on all.
Agreement agree_on_blocks(Collective& collective, Listing listing, const OwnBlocks& own, const std::optional<base::Error>& mine);

// Returns what one rank writes: its share of the replicated tensors and of its blocks. Keeps the values. own: its blocks; ignored
// if no other rank has the same.
std::shared_ptr<const State> assign_shares(const State& whole, const OwnBlocks& own, const Agreement& agreement, std::int64_t rank);

// Collective: Error(invalid_argument) on all ranks unless each replicated tensor has the same bytes on all of them, and each block
// on all ranks that have it. The message names a tensor and ranks.
void compare_replicas(Collective& collective, const State& state, const OwnBlocks& own, const Agreement& agreement);

}  // namespace ckpt::state
