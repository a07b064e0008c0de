// Searches a stage's plans: the fastest whole step with reserved bytes within a budget.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/stage_schedule.h"
#include "plan/verifier.h"

namespace ckpt::pipeline {

// The stage to plan for.
struct StageTask {
  const Layout& layout;
  std::int32_t stage = 0;
  const plan::ChainProfile& profile;     // of all chunks: joined_profile
  const std::vector<ChunkPlan>& chunks;  // each with store-all
  const std::vector<Decision>& decisions;
};

struct StagePlan {
  std::vector<ChunkPlan> chunks;
  plan::PlanReport report;  // of the whole step, all micro-batches
  std::int64_t reserved_bytes = 0;
};

// Error(over_budget) names the smallest sufficient budget.
StagePlan plan_stage(const StageTask& task, std::int64_t budget_bytes);

}  // namespace ckpt::pipeline
