#include "plan/planners/chain_planner.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "plan/placement.h"
#include "plan/planners/chain_schedule.h"
#include "plan/verifier.h"

namespace ckpt::plan {
namespace {

using SchedulePtr = std::shared_ptr<const Schedule>;

const char* name_of(ChainPlanner planner) { return planner == ChainPlanner::chain ? "chain" : "tapes"; }

// A frontier's points as schedules, from few bytes and long steps to many and short ones.
class ChainPlan {
 public:
  ChainPlan(const ChainProfile& profile, ChainPlanner planner)
      : profile_(profile), planner_(planner), costs_(profile), frontier_(costs_, {.tapes = planner == ChainPlanner::tapes}) {
    if (frontier_.step().is_never()) base::fail(base::Status::invalid_schedule, "this chain has no schedule that fits");
  }

  std::size_t points() const { return frontier_.step().size(); }
  std::int64_t live_bytes(std::size_t point) const { return frontier_.step().steps()[point].bytes; }

  SchedulePtr schedule(std::size_t point) const {
    const std::int64_t live = live_bytes(point);
    const std::vector<Action> actions = chain_actions(costs_, frontier_, live);
    return make_stage_list(base::cat(name_of(planner_), "(", live, ")"), costs_.layers(), actions, {});
  }

  std::int64_t reserved_bytes(const Schedule& schedule) const { return arena_bytes(schedule, profile_); }

  std::int64_t smallest_budget() const {
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    // An arena is never smaller than what lives in it.
    for (std::size_t point = 0; point < points() && live_bytes(point) < smallest; ++point)
      smallest = std::min(smallest, reserved_bytes(*schedule(point)));
    return smallest;
  }

  // "" for an exact frontier.
  std::string left_out() const {
    const double lost = frontier_.most_lost_seconds();
    return lost > 0 ? base::cat("points of the table, which would pass its limit: a step may take up to ", lost,
                                " s more than the best of this planner")
                    : std::string();
  }

 private:
  const ChainProfile& profile_;
  ChainPlanner planner_;
  ChainCosts costs_;
  Frontier frontier_;
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
    return plan.left_out().empty() ? schedule : with_left_out(*schedule, plan.left_out());
  }
  base::fail(base::Status::over_budget, "budget_bytes is ", budget_bytes, "; the smallest that works for this chain is ",
             plan.smallest_budget());
}

std::vector<FrontierPoint> frontier_points(const ChainProfile& profile, std::string_view planner) {
  for (const ChainPlanner each : {ChainPlanner::chain, ChainPlanner::tapes}) {
    if (planner != name_of(each)) continue;
    profile.require_complete();
    const ChainPlan plan(profile, each);
    std::vector<FrontierPoint> points;
    for (std::size_t point = 0; point < plan.points(); ++point) {
      const SchedulePtr schedule = plan.schedule(point);
      const PlanReport report = verify(*schedule, profile);
      points.push_back({.live_bytes = report.peak_bytes[0],
                        .reserved_bytes = plan.reserved_bytes(*schedule),
                        .recomputed_forwards = report.recomputed_forwards,
                        .step_seconds = report.step_seconds,
                        .recomputed_seconds = report.recomputed_seconds});
    }
    return points;
  }
  base::fail(base::Status::not_found, "planner is ", base::quoted(planner), "; one with a frontier is chain, or tapes");
}

}  // namespace ckpt::plan
