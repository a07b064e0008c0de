// The search for a stage's plans: the fastest whole step that reserves no more bytes than a budget.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/stage_schedule.h"
#include "plan/verifier.h"

namespace ckpt::pipeline {

// The stage that plans are searched for.
struct StageTask {
  const Layout& layout;
  std::int32_t stage = 0;
  const plan::ChainProfile& profile;     // of all chunks: joined_profile
  const std::vector<ChunkPlan>& chunks;  // each by store-all
  const std::vector<Decision>& decisions;
};

struct StagePlan {
  std::vector<ChunkPlan> chunks;
  plan::PlanReport report;  // of the whole step, all micro-batches
  std::int64_t reserved_bytes = 0;
};

// Error(over_budget) names the smallest budget that works.
StagePlan plan_stage(const StageTask& task, std::int64_t budget_bytes);

}  // namespace ckpt::pipeline
