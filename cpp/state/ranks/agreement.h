// What the ranks of a run know of one another when they save: which tensors there are, who has the same blocks, and what each
// writes.
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

// This rank's blocks of sharded tensors, but for those without elements, in an order that depends on nothing but the blocks.
struct OwnBlocks {
  struct Block {
    std::string_view group;
    const ShardedTensor* of = nullptr;
    const ShardedTensor::Block* block = nullptr;
  };
  std::vector<Block> blocks;
  std::int64_t bytes = 0;
  Digest digest;  // of where they lie
};
// The state must outlive it, and stay as it is.
OwnBlocks own_blocks(const State& state);

// Holds for the next save as long as nothing of it changes.
struct Agreement {
  Listing listing;
  std::vector<std::int64_t> own_bytes;  // by rank: what it writes of sharded tensors
  // By rank: the first one that has the same blocks of all sharded tensors; itself when it has none. Such ranks write each block
  // together, once.
  std::vector<std::int64_t> alike;
  Digest digest;  // of all that

  bool has_alike() const;
};

// Collective: what each rank has of sharded tensors. mine: what is wrong on this one; the first such error is thrown on all.
Agreement agree_on_blocks(Collective& collective, Listing listing, const OwnBlocks& own, const std::optional<base::Error>& mine);

// What one rank writes: its share of what all have, and of the blocks that it has. The values stay. own: its blocks; not looked at
// when no other rank has the same.
std::shared_ptr<const State> share_out(const State& whole, const OwnBlocks& own, const Agreement& agreement, std::int64_t rank);

// Collective: Error(invalid_argument) on all ranks unless each replicated tensor has the same bytes on all of them, and each block
// on all that have it: names a tensor and ranks.
void compare_replicas(Collective& collective, const State& state, const OwnBlocks& own, const Agreement& agreement);

}  // namespace ckpt::state
