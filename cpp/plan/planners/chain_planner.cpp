#include "plan/planners/chain_planner.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "plan/placement.h"
#include "plan/planners/chain_schedule.h"
#include "plan/planners/layer_groups.h"
#include "plan/planners/local_search.h"
#include "plan/verifier.h"

namespace ckpt::plan {
namespace {

using SchedulePtr = std::shared_ptr<const Schedule>;

const char* name_of(ChainPlanner planner) { return planner == ChainPlanner::chain ? "chain" : "tapes"; }

// Runs of layers that the local search counts: about a tenth of a second.
constexpr std::int64_t most_searched_runs = 20'000'000;
// Longer chains are planned by groups of layers. Beyond the last of these, making their schedules alone would take minutes.
constexpr std::int64_t most_single_layers = 128;
constexpr std::int64_t most_groups = 64;
constexpr std::int64_t most_layers = 4096;
constexpr std::size_t most_points_of_groups = 64;

constexpr double work_per_second = 1.5e8;

[[noreturn]] void fail_too_long(const ChainProfile& profile) {
  base::fail(base::Status::unsupported, "the chain has ", profile.layers(), " layers; this planner takes up to ", most_layers);
}

// A planner's points as schedules, from few bytes and long steps to many and short ones.
class ChainPlan {
 public:
  ChainPlan(const ChainProfile& profile, ChainPlanner planner, const PlanningLimits& limits = {})
      : profile_(profile),
        planner_(planner),
        layer_costs_(within_limits(profile)),
        groups_(profile.layers() > most_single_layers ? std::make_unique<LayerGroups>(profile, most_groups) : nullptr),
        costs_(groups_ ? ChainCosts(groups_->profile()) : layer_costs_),
        frontier_(costs_, {.tapes = planner == ChainPlanner::tapes,
                           .table_bytes = limits.table_bytes,
                           .most_points = groups_ ? most_points_of_groups : SIZE_MAX,
                           .work = limits.work}) {
    if (!frontier_.complete()) return;
    const auto steps = frontier_.step().steps();
    if (steps.empty()) base::fail(base::Status::invalid_schedule, "this chain has no schedule that fits");
    for (const Step& step : steps) points_.push_back({{}, step.bytes, step.time});
    if (planner == ChainPlanner::chain || groups_) return;
    for (RunList& point : points_) point = runs_of(costs_, chain_actions(costs_, frontier_, point.live_bytes));
    points_ = search_locally(costs_, std::move(points_), most_searched_runs);
  }

  // False when the limits did not do: then there is nothing else to ask.
  bool complete() const { return frontier_.complete(); }
  std::int64_t work() const { return frontier_.work(); }

  std::size_t points() const { return points_.size(); }
  // No point reserves less.
  std::int64_t least_reserved_bytes(std::size_t point) const { return groups_ ? 0 : points_[point].live_bytes; }
  double lost_seconds() const { return costs_.seconds(frontier_.most_lost_time()); }

  SchedulePtr schedule(std::size_t point) const {
    const std::vector<Action> actions = actions_at(points_[point]);
    const std::string name = base::cat(name_of(planner_), "(", points_[point].live_bytes, ")");
    return make_stage_list(name, profile_.layers(), actions, {});
  }

  std::int64_t reserved_bytes(const Schedule& schedule) const { return arena_bytes(schedule, profile_); }

  std::int64_t smallest_budget() const {
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t point = 0; point < points() && least_reserved_bytes(point) < smallest; ++point)
      smallest = std::min(smallest, reserved_bytes(*schedule(point)));
    return smallest;
  }

  // "" when the planner looked at all that it knows.
  std::string left_out() const {
    std::string text;
    if (groups_)
      text = base::cat("what tells layers apart that run together: ", profile_.layers(), " layers in ", costs_.layers(),
                       " groups of at most ", groups_->longest());
    if (lost_seconds() > 0)
      text +=
          base::cat(text.empty() ? "" : "; ", "points beyond the limit of the tables, which cost at most ", lost_seconds(), " s");
    return text;
  }

 private:
  static const ChainProfile& within_limits(const ChainProfile& profile) {
    if (profile.layers() > most_layers) fail_too_long(profile);
    return profile;
  }

  std::vector<Action> actions_at(const RunList& point) const {
    if (!point.runs.empty()) return actions_of(costs_, point);
    std::vector<Action> actions = chain_actions(costs_, frontier_, point.live_bytes);
    if (!groups_) return actions;
    return actions_of(layer_costs_, {.runs = groups_->layer_runs(runs_of(costs_, actions).runs)});
  }

  const ChainProfile& profile_;
  ChainPlanner planner_;
  ChainCosts layer_costs_;
  std::unique_ptr<LayerGroups> groups_;  // of a long chain
  ChainCosts costs_;                     // of layers, or of groups
  Frontier frontier_;
  std::vector<RunList> points_;  // without their runs where the frontier knows them
};

}  // namespace

std::int64_t work_of(double seconds) {
  constexpr double most = 9e18;
  return static_cast<std::int64_t>(std::min(seconds * work_per_second, most));
}

std::optional<ChainSearch> search_chain(const ChainProfile& profile, ChainPlanner planner, std::int64_t budget_bytes,
                                        const PlanningLimits& limits) {
  if (profile.layers() > most_layers) return std::nullopt;
  const ChainPlan plan(profile, planner, limits);
  if (!plan.complete()) return std::nullopt;
  ChainSearch found;
  found.work = plan.work();
  found.left_out = plan.left_out();
  for (std::size_t point = plan.points(); point-- > 0;) {
    if (plan.least_reserved_bytes(point) > budget_bytes) continue;
    SchedulePtr schedule = plan.schedule(point);
    found.reserved_bytes = plan.reserved_bytes(*schedule);
    if (found.reserved_bytes > budget_bytes) continue;
    found.schedule = found.left_out.empty() ? std::move(schedule) : with_left_out(*schedule, found.left_out);
    return found;
  }
  found.smallest_bytes = plan.smallest_budget();
  return found;
}

SchedulePtr make_chain_for_budget(const ChainProfile& profile, ChainPlanner planner, std::int64_t budget_bytes) {
  if (profile.layers() > most_layers) fail_too_long(profile);
  const std::optional<ChainSearch> found = search_chain(profile, planner, budget_bytes, {});
  if (found->schedule == nullptr) {
    base::fail(base::Status::over_budget, "budget_bytes is ", budget_bytes, "; the smallest that works for this chain is ",
               found->smallest_bytes);
  }
  base::log(base::LogLevel::info, "plan",
            base::cat("schedule ", base::quoted(found->schedule->name()), " for a budget of ", budget_bytes, " bytes: reserves ",
                      found->reserved_bytes, found->left_out.empty() ? "" : "; left out: ", found->left_out));
  return found->schedule;
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
