// The planners "chain" and "tapes": the points of a frontier as schedules, and the fastest whose reserved bytes fit a budget.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "plan/planners/frontier.h"
#include "plan/schedule.h"

namespace ckpt::plan {

struct FrontierPoint {
  std::int64_t live_bytes = 0;  // peak
  std::int64_t reserved_bytes = 0;
  std::int64_t recomputed_forwards = 0;
  double step_seconds = 0;
  double recomputed_seconds = 0;
  double lost_seconds = 0;  // by which step_seconds may be above the best of the planner; 0: none
};

// chain: V of docs/plan.md; tapes: U, and the local search behind it. Longer chains: V on a grid, under either.
enum class ChainPlanner { chain, tapes };

// The fastest schedule of the planner's frontier whose reserved bytes fit. Error(over_budget) names the smallest budget that works.
std::shared_ptr<const Schedule> make_chain_for_budget(const ChainProfile& profile, ChainPlanner planner, std::int64_t budget_bytes);

struct FrontierPoints {
  std::vector<FrontierPoint> points;  // by rising live bytes and falling seconds
  std::int64_t count = 0;             // that there are
};

// The first `most` points of the planner's frontier; of a longer chain, some points of it. planner: "chain" or "tapes";
// Error(not_found).
FrontierPoints frontier_points(const ChainProfile& profile, std::string_view planner, std::int64_t most);

}  // namespace ckpt::plan
