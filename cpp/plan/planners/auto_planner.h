// The planner "auto": the best of the planners that apply to a chain, as far as planning may take time and memory.
#pragma once

#include <cstdint>
#include <memory>

#include "plan/schedule.h"

namespace ckpt::plan {

struct AutoLimits {
  double seconds = 2;  // of one core, counted in work
  std::int64_t table_bytes = 300'000'000;
};

// The fastest schedule whose reserved bytes fit. What was not looked at is in its left_out(). Error(over_budget) names the smallest
// budget that works.
std::shared_ptr<const Schedule> make_auto(const ChainProfile& profile, std::int64_t budget_bytes, const AutoLimits& limits);

}  // namespace ckpt::plan
