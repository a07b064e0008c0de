// The planners "chain" and "tapes": converts the points of a frontier to schedules, and finds the fastest one within a budget of
// reserved bytes.
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
  double lost_seconds = 0;  // upper bound of step_seconds minus the planner's optimum; 0: exact
};

// chain: V of docs/reference/plan.md; tapes: U, then the local search. For longer chains both use V on a grid.
enum class ChainPlanner { chain, tapes };

// Limits on planning.
struct PlanningLimits {
  std::int64_t work = INT64_MAX;  // in the unit of Minimum; see work_of
  std::int64_t table_bytes = 300'000'000;
  std::int64_t live_bytes = INT64_MAX;  // points with a larger peak may be left out
};

// Returns the work that a common core of 2020 does in this many seconds. Time limits are counted in work, so that plans do not
// depend on a clock.
std::int64_t work_of(double seconds);

// The planner's result for a budget.
struct ChainSearch {
  std::shared_ptr<const Schedule> schedule;  // nullptr if none fits
  std::int64_t budgeted_bytes = 0;           // of schedule
  std::int64_t smallest_bytes = INT64_MAX;   // if none fits: the smallest sufficient budget
  std::string left_out;
  std::string beyond_work;     // the part of the planners that would have taken more work than allowed
  std::int64_t work_left = 0;  // of the limit; unfinished frontiers do not count
};

// For tapes, also considers the points of chain: their arenas may have smaller gaps. If the exact frontier of chain exceeds the
// work, or the chain is long, uses a grid; searches locally from its schedule for tapes. If the exact frontier of tapes exceeds the
// work, searches locally from the points of chain. Returns nothing if not even a grid is within
// the work. Fails with Error(unsupported) for a chain that is too long for a grid.
std::optional<ChainSearch> search_chain(const ChainProfile& profile, ChainPlanner planner, std::int64_t budget_bytes,
                                        const PlanningLimits& limits);

// Returns the fastest schedule of the planner's frontier with reserved bytes within the budget. Error(over_budget) names the
// smallest sufficient budget.
std::shared_ptr<const Schedule> make_chain_for_budget(const ChainProfile& profile, ChainPlanner planner, std::int64_t budget_bytes);

struct FrontierPoints {
  std::vector<FrontierPoint> points;  // by increasing live bytes and decreasing seconds
  std::int64_t count = 0;             // number of points that exist
};

// Returns the first `max` points of the planner's frontier; for a longer chain, a sample of them. planner: "chain" or "tapes";
// otherwise Error(not_found).
FrontierPoints chain_frontier_points(const ChainProfile& profile, std::string_view planner, std::int64_t max);

}  // namespace ckpt::plan
