// The planners "chain" and "tapes": the points of a frontier as schedules, and the fastest whose reserved bytes fit a budget.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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

// chain: V of docs/reference/plan.md; tapes: U, and the local search behind it. Longer chains: V on a grid, under either.
enum class ChainPlanner { chain, tapes };

// What planning may take.
struct PlanningLimits {
  std::int64_t work = INT64_MAX;  // as Minimum counts it; see work_of
  std::int64_t table_bytes = 300'000'000;
};

// What a common core of 2020 does in so many seconds. Limits of time are counted in work, so that a plan depends on no clock.
std::int64_t work_of(double seconds);

// What the planner finds for a budget.
struct ChainSearch {
  std::shared_ptr<const Schedule> schedule;  // nullptr when none fits
  std::int64_t budgeted_bytes = 0;           // of it
  std::int64_t smallest_bytes = 0;           // where none fits: the smallest budget that works
  std::string left_out;
  std::int64_t work = 0;
};

// False for long chains, which are planned on a grid, by whichever of both planners.
bool is_planned_exactly(const ChainProfile& profile);

// Nothing when planning would go beyond the limits. Error(unsupported) for a chain that is too long for the planner.
std::optional<ChainSearch> search_chain(const ChainProfile& profile, ChainPlanner planner, std::int64_t budget_bytes,
                                        const PlanningLimits& limits);

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
