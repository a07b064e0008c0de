// The schedule of a stage's whole step: the plan of each of its chunks, laid out over all micro-batches in the stage's order, with
// what it receives and sends. The verifier, the placement and the executor take it like any other schedule.
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

// The piece of the chain that a chunk holds, and how one micro-batch runs through it.
struct ChunkPlan {
  std::shared_ptr<const plan::ChainProfile> profile;
  std::shared_ptr<const plan::Schedule> schedule;
};

// Cuts a layer range out of a profile.
plan::ChainProfile piece_profile(const plan::ChainProfile& whole, std::int64_t begin, std::int64_t end);
// The chunks' profiles behind one another, with one layer between two chunks that never runs: its output is what the next receives.
plan::ChainProfile joined_profile(const std::vector<ChunkPlan>& chunks);

// Which micro-batches' taped chunks stay from forward to backward, and who has to go for whom.
struct Decision {
  bool kept = true;
  std::vector<std::int64_t> dropped;
  friend bool operator==(const Decision&, const Decision&) = default;
};

// Bytes that one micro-batch of the stage holds after its forward part beside its inputs: what a policy is asked about.
std::int64_t held_bytes(const std::vector<ChunkPlan>& chunks);

// Asks the ledger about every micro-batch, in the stage's order. says(m): the answer of the policy's strategy.
std::vector<Decision> decide(const Layout& layout, std::int32_t stage, std::int64_t bytes, Ledger ledger,
                             const std::function<bool(std::int64_t micro_batch)>& says);

// decisions: by micro-batch. What is not kept runs forward again before its backward, from the input, which always stays.
std::shared_ptr<const plan::Schedule> make_stage_schedule(const Layout& layout, std::int32_t stage,
                                                          const std::vector<ChunkPlan>& chunks,
                                                          const std::vector<Decision>& decisions);

}  // namespace ckpt::pipeline
