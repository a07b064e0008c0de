#include "plan/planners/chain_planner.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "plan/placement.h"
#include "plan/planners/chain_schedule.h"
#include "plan/planners/local_search.h"
#include "plan/verifier.h"

namespace ckpt::plan {
namespace {

using SchedulePtr = std::shared_ptr<const Schedule>;

const char* name_of(ChainPlanner planner) { return planner == ChainPlanner::chain ? "chain" : "tapes"; }

// Runs of layers that the local search counts: about a quarter of a second.
constexpr std::int64_t most_searched_runs = 50'000'000;

// A planner's points as schedules, from few bytes and long steps to many and short ones.
class ChainPlan {
 public:
  ChainPlan(const ChainProfile& profile, ChainPlanner planner)
      : profile_(profile), planner_(planner), costs_(profile), frontier_(costs_, {.tapes = planner == ChainPlanner::tapes}) {
    const auto steps = frontier_.step().steps();
    if (steps.empty()) base::fail(base::Status::invalid_schedule, "this chain has no schedule that fits");
    if (planner == ChainPlanner::chain) {
      for (const Step& step : steps) points_.push_back({{}, step.bytes, step.seconds});
      return;
    }
    for (const Step& step : steps) points_.push_back(runs_of(costs_, chain_actions(costs_, frontier_, step.bytes)));
    points_ = search_locally(costs_, std::move(points_), most_searched_runs);
  }

  std::size_t points() const { return points_.size(); }
  std::int64_t live_bytes(std::size_t point) const { return points_[point].live_bytes; }
  double lost_seconds() const { return frontier_.most_lost_seconds(); }

  SchedulePtr schedule(std::size_t point) const {
    const RunList& runs = points_[point];
    const std::vector<Action> actions =
        runs.runs.empty() ? chain_actions(costs_, frontier_, runs.live_bytes) : actions_of(costs_, runs);
    return make_stage_list(base::cat(name_of(planner_), "(", runs.live_bytes, ")"), costs_.layers(), actions, {});
  }

  std::int64_t reserved_bytes(const Schedule& schedule) const { return arena_bytes(schedule, profile_); }

  std::int64_t smallest_budget() const {
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    // An arena is never smaller than what lives in it.
    for (std::size_t point = 0; point < points() && live_bytes(point) < smallest; ++point)
      smallest = std::min(smallest, reserved_bytes(*schedule(point)));
    return smallest;
  }

 private:
  const ChainProfile& profile_;
  ChainPlanner planner_;
  ChainCosts costs_;
  Frontier frontier_;
  std::vector<RunList> points_;  // of chain: without their runs, which its frontier knows
};

}  // namespace

SchedulePtr make_chain_for_budget(const ChainProfile& profile, ChainPlanner planner, std::int64_t budget_bytes) {
  const ChainPlan plan(profile, planner);
  for (std::size_t point = plan.points(); point-- > 0;) {
    if (plan.live_bytes(point) > budget_bytes) continue;
    const SchedulePtr schedule = plan.schedule(point);
    const std::int64_t reserved = plan.reserved_bytes(*schedule);
    if (reserved > budget_bytes) continue;
    base::log(base::LogLevel::info, "plan",
              base::cat("schedule ", base::quoted(schedule->name()), " for a budget of ", budget_bytes, " bytes: reserves ", reserved,
                        ", live at most ", plan.live_bytes(point)));
    if (plan.lost_seconds() == 0) return schedule;
    return with_left_out(*schedule, base::cat("points of tables that would have passed their limit: at most ", plan.lost_seconds(),
                                              " s are lost by it"));
  }
  base::fail(base::Status::over_budget, "budget_bytes is ", budget_bytes, "; the smallest that works for this chain is ",
             plan.smallest_budget());
}

FrontierPoints frontier_points(const ChainProfile& profile, std::string_view planner, std::int64_t most) {
  for (const ChainPlanner each : {ChainPlanner::chain, ChainPlanner::tapes}) {
    if (planner != name_of(each)) continue;
    profile.require_complete();
    const ChainPlan plan(profile, each);
    FrontierPoints result;
    result.count = static_cast<std::int64_t>(plan.points());
    for (std::size_t point = 0; point < plan.points() && std::ssize(result.points) < most; ++point) {
      const SchedulePtr schedule = plan.schedule(point);
      const PlanReport report = verify(*schedule, profile);
      result.points.push_back({.live_bytes = report.peak_bytes[0],
                               .reserved_bytes = plan.reserved_bytes(*schedule),
                               .recomputed_forwards = report.recomputed_forwards,
                               .step_seconds = report.step_seconds,
                               .recomputed_seconds = report.recomputed_seconds,
                               .lost_seconds = plan.lost_seconds()});
    }
    return result;
  }
  base::fail(base::Status::not_found, "planner is ", base::quoted(planner), "; one with a frontier is chain or tapes");
}

}  // namespace ckpt::plan
