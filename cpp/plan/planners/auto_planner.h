// The planner "auto": the best of the planners that apply to a chain, within limits on planning time and memory.
#pragma once

#include <cstdint>
#include <memory>

#include "plan/schedule.h"

namespace ckpt::plan {

struct AutoLimits {
  double seconds = 2;  // of one core, measured as counted work
  std::int64_t table_bytes = 300'000'000;
};

// Returns the fastest schedule with reserved bytes within the budget. left_out() describes what was not considered.
// Error(over_budget) names the smallest sufficient budget.
std::shared_ptr<const Schedule> make_auto(const ChainProfile& profile, std::int64_t budget_bytes, const AutoLimits& limits);

}  // namespace ckpt::plan
