// The schedule of a stage's whole step: the plan of each of its chunks, applied to all micro-batches in the stage's order, with
// sends and receives. The verifier, the placement and the executor treat it like any other schedule.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/ledger.h"
#include "pipeline/order.h"
#include "plan/schedule.h"

namespace ckpt::pipeline {

// The piece of the chain in a chunk, and how one micro-batch runs through it.
struct ChunkPlan {
  std::shared_ptr<const plan::ChainProfile> profile;
  std::shared_ptr<const plan::Schedule> schedule;
};

// Extracts a layer range from a profile.
plan::ChainProfile piece_profile(const plan::ChainProfile& whole, std::int64_t begin, std::int64_t end);
// Concatenates the chunks' profiles, separated by layers that never run: their output is what the next chunk receives.
plan::ChainProfile joined_profile(const std::vector<ChunkPlan>& chunks);

// Whether a micro-batch's tapes stay from forward to backward, and which others are evicted for it.
struct Decision {
  bool kept = true;
  std::vector<std::int64_t> dropped;
  friend bool operator==(const Decision&, const Decision&) = default;
};

// Returns the bytes that one micro-batch of the stage holds after its forward part in addition to its inputs: the size passed to
// policies.
std::int64_t held_bytes(const std::vector<ChunkPlan>& chunks);

// Queries the ledger for every micro-batch, in the stage's order. strategy_says(m): the answer of the policy's strategy.
std::vector<Decision> decide(const Layout& layout, std::int32_t stage, std::int64_t bytes, Ledger ledger,
                             const std::function<bool(std::int64_t micro_batch)>& strategy_keeps);

// decisions: by micro-batch. Micro-batches that are not kept run forward again before their backward, from the input, which
// always stays.
std::shared_ptr<const plan::Schedule> make_stage_schedule(const Layout& layout, std::int32_t stage,
                                                          const std::vector<ChunkPlan>& chunks,
                                                          const std::vector<Decision>& decisions);

}  // namespace ckpt::pipeline
