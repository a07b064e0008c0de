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
#include "plan/planners/long_chain.h"
#include "plan/verifier.h"

namespace ckpt::plan {
namespace {

using SchedulePtr = std::shared_ptr<const Schedule>;

const char* name_of(ChainPlanner planner) { return planner == ChainPlanner::chain ? "chain" : "tapes"; }

// The most layer runs that the local search counts: about a tenth of a second.
constexpr std::int64_t most_searched_runs = 20'000'000;
// Longer chains are planned on a grid.
constexpr std::int64_t most_exact_layers = 128;

// The points of a planner as schedules, from few bytes and long steps to many bytes and short steps.
class ChainPlan {
 public:
  ChainPlan(const ChainProfile& profile, ChainPlanner planner, const PlanningLimits& limits = {})
      : profile_(profile),
        planner_(planner),
        costs_(profile),
        frontier_(costs_, {.tapes = planner == ChainPlanner::tapes, .table_bytes = limits.table_bytes, .work = limits.work}) {
    if (!frontier_.complete()) return;
    const auto steps = frontier_.step().steps();
    if (steps.empty()) base::fail(base::Status::invalid_schedule, "profile: no schedule fits the chain");
    for (const Step& step : steps) points_.push_back({{}, step.bytes, step.time});
    if (planner == ChainPlanner::chain) return;
    for (RunList& point : points_) point = runs_of(costs_, chain_actions(costs_, frontier_, point.live_bytes));
    points_ = search_locally(costs_, points_, most_searched_runs);
  }

  // Returns false if the limits did not suffice: no other function may be called then.
  bool complete() const { return frontier_.complete(); }
  std::int64_t work() const { return frontier_.work(); }

  std::size_t points() const { return points_.size(); }
  // No point needs fewer bytes.
  std::int64_t least_bytes(std::size_t point) const { return points_[point].live_bytes; }
  double lost_seconds() const { return costs_.seconds(frontier_.most_lost_time()); }

  SchedulePtr schedule(std::size_t point) const {
    const std::vector<Action> actions = actions_at(points_[point]);
    const std::string name = base::cat(name_of(planner_), "(", points_[point].live_bytes, ")");
    return make_stage_list(name, profile_.layers(), actions, {});
  }

  std::int64_t reserved_bytes(const Schedule& schedule) const { return arena_bytes(schedule, profile_); }
  std::int64_t budgeted(const Schedule& schedule) const { return budgeted_bytes(schedule, profile_); }

  std::int64_t smallest_budget() const {
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t point = 0; point < points() && least_bytes(point) < smallest; ++point)
      smallest = std::min(smallest, budgeted(*schedule(point)));
    return smallest;
  }

  // Returns "" if the planner considered every schedule in its scope.
  std::string left_out() const {
    const double lost = lost_seconds();
    return lost > 0 ? base::cat("points beyond the table limit (at most ", lost, " s slower)") : std::string();
  }

 private:
  std::vector<Action> actions_at(const RunList& point) const {
    return point.runs.empty() ? chain_actions(costs_, frontier_, point.live_bytes) : actions_of(costs_, point);
  }

  const ChainProfile& profile_;
  ChainPlanner planner_;
  ChainCosts costs_;
  Frontier frontier_;
  std::vector<RunList> points_;  // without their runs if the frontier can reproduce them
};

constexpr double work_per_second = 1.5e8;

// On a grid the work is known beforehand.
std::int64_t work_of_grid(std::int64_t layers) {
  const std::int64_t stages = std::min(layers, LongChain::most_grid_layers);
  return 2 * stages * stages * stages;
}

ChainSearch search_long(const ChainProfile& profile, ChainPlanner planner, std::int64_t budget_bytes, std::int64_t table_bytes) {
  ChainSearch found;
  found.work = work_of_grid(profile.layers());
  LongChain chain(profile, name_of(planner), table_bytes);
  if (auto plan = chain.within(budget_bytes)) {
    found.budgeted_bytes = plan->budgeted_bytes;
    found.left_out = plan->left_out;
    found.schedule = with_left_out(*plan->schedule, plan->left_out);
  } else {
    found.smallest_bytes = chain.smallest().budgeted_bytes;
    found.left_out = chain.smallest().left_out;
  }
  return found;
}

std::optional<ChainSearch> search_exactly(const ChainProfile& profile, ChainPlanner planner, std::int64_t budget_bytes,
                                          const PlanningLimits& limits) {
  const ChainPlan plan(profile, planner, limits);
  if (!plan.complete()) return std::nullopt;
  ChainSearch found;
  found.work = plan.work();
  found.left_out = plan.left_out();
  for (std::size_t point = plan.points(); point-- > 0;) {
    if (plan.least_bytes(point) > budget_bytes) continue;
    SchedulePtr schedule = plan.schedule(point);
    found.budgeted_bytes = plan.budgeted(*schedule);
    if (found.budgeted_bytes > budget_bytes) continue;
    found.schedule = found.left_out.empty() ? std::move(schedule) : with_left_out(*schedule, found.left_out);
    return found;
  }
  found.smallest_bytes = plan.smallest_budget();
  return found;
}

}  // namespace

std::int64_t work_of(double seconds) {
  constexpr double most = 9e18;
  return static_cast<std::int64_t>(std::min(seconds * work_per_second, most));
}

bool is_planned_exactly(const ChainProfile& profile) { return profile.layers() <= most_exact_layers; }

std::optional<ChainSearch> search_chain(const ChainProfile& profile, ChainPlanner planner, std::int64_t budget_bytes,
                                        const PlanningLimits& limits) {
  if (!is_planned_exactly(profile)) {
    if (work_of_grid(profile.layers()) > limits.work) return std::nullopt;
    return search_long(profile, planner, budget_bytes, limits.table_bytes);
  }
  std::optional<ChainSearch> found = search_exactly(profile, planner, budget_bytes, limits);
  if (planner == ChainPlanner::chain || !found) return found;
  // At the same live bytes tapes is never slower, but its arenas may have larger gaps.
  std::optional<ChainSearch> persistent = search_exactly(profile, ChainPlanner::chain, budget_bytes, limits);
  if (!persistent) return found;
  found->work = persistent->work += found->work;
  found->smallest_bytes = std::min(found->smallest_bytes, persistent->smallest_bytes);
  const auto seconds = [&](const ChainSearch& search) { return verify(*search.schedule, profile).step_seconds; };
  const bool is_better = persistent->schedule != nullptr && (found->schedule == nullptr || seconds(*persistent) < seconds(*found));
  return is_better ? persistent : found;
}

SchedulePtr make_chain_for_budget(const ChainProfile& profile, ChainPlanner planner, std::int64_t budget_bytes) {
  const std::optional<ChainSearch> found = search_chain(profile, planner, budget_bytes, {});
  if (found->schedule == nullptr) {
    base::fail(base::Status::over_budget, "budget_bytes is ", budget_bytes, "; the smallest that works for this chain is ",
               found->smallest_bytes, found->left_out.empty() ? "" : "; left out: ", found->left_out);
  }
  base::write_log(base::LogLevel::info, "plan",
                  base::cat("schedule ", base::quote(found->schedule->name()), " for a budget of ", budget_bytes,
                            " bytes: ", profile.has(own_allocator) ? "takes " : "reserves ", found->budgeted_bytes,
                            found->left_out.empty() ? "" : "; left out: ", found->left_out));
  return found->schedule;
}

FrontierPoints frontier_points(const ChainProfile& profile, std::string_view planner, std::int64_t most) {
  for (const ChainPlanner each : {ChainPlanner::chain, ChainPlanner::tapes}) {
    if (planner != name_of(each)) continue;
    profile.require_complete();
    FrontierPoints result;
    const auto add = [&](const PlanReport& report, std::int64_t reserved_bytes, double lost_seconds) {
      result.points.push_back({.live_bytes = report.peak_bytes[0],
                               .reserved_bytes = reserved_bytes,
                               .recomputed_forwards = report.recomputed_forwards,
                               .step_seconds = report.step_seconds,
                               .recomputed_seconds = report.recomputed_seconds,
                               .lost_seconds = lost_seconds});
    };
    if (profile.layers() > most_exact_layers) {
      for (const LongChain::Plan& plan : LongChain(profile, name_of(each)).sample()) {
        if (result.count++ < most) add(plan.report, arena_bytes(*plan.schedule, profile), plan.lost_seconds);
      }
      return result;
    }
    const ChainPlan plan(profile, each);
    result.count = static_cast<std::int64_t>(plan.points());
    for (std::size_t point = 0; point < plan.points() && std::ssize(result.points) < most; ++point) {
      const SchedulePtr schedule = plan.schedule(point);
      add(verify(*schedule, profile), plan.reserved_bytes(*schedule), plan.lost_seconds());
    }
    return result;
  }
  base::fail(base::Status::not_found, "planner is ", base::quote(planner), "; expected one with a frontier: chain or tapes");
}

}  // namespace ckpt::plan
