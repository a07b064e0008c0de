#include "plan/planners/chain_planner.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "plan/placement.h"
#include "plan/planners/chain_schedule.h"
#include "plan/planners/fewest_bytes.h"
#include "plan/planners/local_search.h"
#include "plan/planners/long_chain.h"
#include "plan/verifier.h"

namespace ckpt::plan {
namespace {

using SchedulePtr = std::shared_ptr<const Schedule>;

const char* name_of(ChainPlanner planner) { return planner == ChainPlanner::chain ? "chain" : "tapes"; }

// The most layer runs that the local search counts: about a tenth of a second.
constexpr std::int64_t max_searched_runs = 20'000'000;
// The points near a budget from which the local search starts, if it cannot start from all.
constexpr std::ptrdiff_t max_kept_points = 8;
// The search for the fewest bytes gives up when it has met this many contents of memory.
constexpr std::int64_t max_searched_contents = 200'000;
// Longer chains are planned on a grid.
constexpr std::int64_t max_exact_layers = 128;

SchedulePtr schedule_of(const ChainProfile& profile, ChainPlanner planner, std::int64_t live_bytes,
                        const std::vector<Action>& actions) {
  return make_stage_list(base::cat(name_of(planner), "(", live_bytes, ")"), profile.layers(), actions, {});
}

// The points of a planner as schedules, from few bytes and long steps to many bytes and short steps.
class ChainPlan {
 public:
  ChainPlan(const ChainProfile& profile, ChainPlanner planner, const PlanningLimits& limits = {})
      : profile_(profile),
        planner_(planner),
        costs_(profile),
        frontier_(costs_, {.tapes = planner == ChainPlanner::tapes,
                           .table_bytes = limits.table_bytes,
                           .work = limits.work,
                           .live_bytes = limits.live_bytes}) {
    if (!frontier_.complete()) return;
    const auto steps = frontier_.step().steps();
    if (steps.empty()) base::fail(base::Status::invalid_schedule, "profile: no schedule fits the chain");
    for (const Step& step : steps) points_.push_back({{}, step.bytes, step.time});
    if (planner == ChainPlanner::tapes) search_from_points(limits.live_bytes);
  }

  // Returns false if the limits did not suffice: no other function may be called then.
  bool complete() const { return frontier_.complete(); }
  std::int64_t work() const { return frontier_.work(); }

  // Adds the schedules that the local search finds from the points. They are points of tapes.
  void search_from_points(std::int64_t live_bytes) {
    planner_ = ChainPlanner::tapes;
    for (RunList& point : points_) point = runs_of(costs_, chain_actions(costs_, frontier_, point.live_bytes));
    if (std::optional<RunList> fewest = fewest_bytes(costs_, max_searched_contents)) points_.push_back(std::move(*fewest));
    points_ = search_locally(costs_, points_, max_searched_runs, live_bytes);
  }

  // Removes all points but the fastest within the bytes, so that a search from them does not spend its work on smaller ones. Keeps
  // the one with the fewest bytes.
  void keep_points_near(std::int64_t live_bytes) {
    const auto beyond = std::upper_bound(points_.begin() + 1, points_.end(), live_bytes,
                                         [](std::int64_t bytes, const RunList& point) { return bytes < point.live_bytes; });
    points_.erase(beyond, points_.end());
    if (std::ssize(points_) > max_kept_points) points_.erase(points_.begin() + 1, points_.end() - max_kept_points);
  }

  std::size_t points() const { return points_.size(); }
  // No point needs fewer bytes.
  std::int64_t min_bytes(std::size_t point) const { return points_[point].live_bytes; }
  double lost_seconds() const { return costs_.seconds(frontier_.max_lost_time()); }

  SchedulePtr schedule(std::size_t point) const {
    return schedule_of(profile_, planner_, points_[point].live_bytes, actions_at(points_[point]));
  }

  std::int64_t reserved_bytes(const Schedule& schedule) const { return arena_bytes(schedule, profile_); }
  std::int64_t budgeted(const Schedule& schedule) const { return budgeted_bytes(schedule, profile_); }

  std::int64_t smallest_budget() const {
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t point = 0; point < points() && min_bytes(point) < smallest; ++point)
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
  const std::int64_t stages = std::min(layers, LongChain::max_grid_layers);
  return 2 * stages * stages * stages;
}

// The work of the local search: a run takes no longer than a step of a function.
constexpr std::int64_t search_work = max_searched_runs;

// Searches both planners for one budget.
class BudgetSearch {
 public:
  BudgetSearch(const ChainProfile& profile, std::int64_t budget_bytes, const PlanningLimits& limits)
      : profile_(profile), budget_bytes_(budget_bytes), work_left_(limits.work), table_bytes_(limits.table_bytes) {}

  // Returns false if not even a grid is within the work.
  bool search(ChainPlanner planner) {
    const std::int64_t grid_work = work_of_grid(profile_.layers());
    const bool has_grid = grid_work <= work_left_;
    if (profile_.layers() <= max_exact_layers) {
      if (const auto chain = points_of(ChainPlanner::chain, has_grid ? grid_work : 0)) {
        consider(*chain);
        if (planner == ChainPlanner::tapes) search_tapes(*chain);
        return true;
      }
      found_.beyond_work =
          planner == ChainPlanner::tapes ? "the exact frontiers of chain and tapes" : "the exact frontier of chain";
    }
    if (!has_grid) return false;
    search_grid();
    work_left_ -= grid_work;
    const bool may_search = planner == ChainPlanner::tapes && profile_.layers() <= LongChain::max_grid_layers;
    if (may_search && found_.schedule != nullptr && work_left_ >= search_work) search_from_grid();
    return true;
  }

  ChainSearch take() {
    found_.work_left = work_left_;
    return std::move(found_);
  }

 private:
  struct Placed {
    SchedulePtr schedule;
    std::int64_t bytes = 0;
  };

  // Returns the points of the planner, all of them if a sixteenth of the work suffices: then budgets choose from the same points.
  // Otherwise those up to the budget, if one of them fits; otherwise all, among which is the smallest budget that works. Returns
  // nullptr if the work does not suffice.
  std::unique_ptr<ChainPlan> points_of(ChainPlanner planner, std::int64_t reserved_work) {
    constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
    const auto plan_up_to = [&](std::int64_t live_bytes, std::int64_t work) {
      return std::make_unique<ChainPlan>(profile_, planner, PlanningLimits{work, table_bytes_, live_bytes});
    };
    const std::int64_t work = work_left_ - reserved_work;
    std::unique_ptr<ChainPlan> plan = plan_up_to(all, work_left_ == all ? all : work / 16);
    if (!plan->complete()) {
      work_left_ -= plan->work();
      plan = plan_up_to(budget_bytes_, work_left_ - reserved_work);
      if (plan->complete() && !fastest_within_budget(*plan)) plan = plan_up_to(all, work_left_ - reserved_work);
    }
    if (!plan->complete()) return nullptr;
    work_left_ -= plan->work();
    return plan;
  }

  void search_tapes(ChainPlan& chain) {
    if (work_left_ < search_work) {
      found_.beyond_work = "tapes";
    } else if (const auto tapes = points_of(ChainPlanner::tapes, search_work)) {
      consider(*tapes);
    } else {
      found_.beyond_work = "tapes except a local search from the schedules of chain";
      work_left_ = std::max<std::int64_t>(0, work_left_ - search_work);
      chain.keep_points_near(budget_bytes_);
      chain.search_from_points(found_.schedule != nullptr ? budget_bytes_ : std::numeric_limits<std::int64_t>::max());
      consider(chain);
    }
  }

  void search_grid() {
    LongChain chain(profile_, name_of(ChainPlanner::chain), table_bytes_);
    const std::optional<LongChain::Plan> plan = chain.within(budget_bytes_);
    const LongChain::Plan& shown = plan ? *plan : chain.smallest();
    found_.left_out = shown.left_out;
    if (!plan) {
      found_.smallest_bytes = shown.budgeted_bytes;
      return;
    }
    found_.schedule = plan->schedule;
    found_.budgeted_bytes = plan->budgeted_bytes;
  }

  // Improves the schedule of the grid by the local search.
  void search_from_grid() {
    work_left_ -= search_work;
    const ChainCosts costs(profile_);
    std::vector<Action> actions;
    for (Cursor cursor = cursor_for(*found_.schedule, profile_); actions.empty() || actions.back().kind != Kind::end;)
      actions.push_back(cursor.next());
    const std::vector<RunList> lists = search_locally(costs, {runs_of(costs, actions)}, max_searched_runs, budget_bytes_);
    for (std::size_t i = lists.size(); i-- > 0;) {
      Placed placed{schedule_of(profile_, ChainPlanner::tapes, lists[i].live_bytes, actions_of(costs, lists[i]))};
      placed.bytes = budgeted_bytes(*placed.schedule, profile_);
      if (placed.bytes <= budget_bytes_) return offer(std::move(placed));
    }
  }

  void consider(const ChainPlan& plan) {
    found_.left_out = plan.left_out();
    std::optional<Placed> placed = fastest_within_budget(plan);
    if (!placed) {
      found_.smallest_bytes = std::min(found_.smallest_bytes, plan.smallest_budget());
      return;
    }
    offer(std::move(*placed));
  }

  // Takes the schedule if it is the fastest so far.
  void offer(Placed&& placed) {
    const auto cost = [this](const Schedule& schedule) {
      const PlanReport report = verify(schedule, profile_);
      return std::pair(report.step_seconds, report.recomputed_forwards);
    };
    if (found_.schedule != nullptr && cost(*found_.schedule) <= cost(*placed.schedule)) return;
    found_.schedule = std::move(placed.schedule);
    found_.budgeted_bytes = placed.bytes;
  }

  std::optional<Placed> fastest_within_budget(const ChainPlan& plan) const {
    for (std::size_t point = plan.points(); point-- > 0;) {
      if (plan.min_bytes(point) > budget_bytes_) continue;
      Placed placed{plan.schedule(point)};
      placed.bytes = plan.budgeted(*placed.schedule);
      if (placed.bytes <= budget_bytes_) return placed;
    }
    return std::nullopt;
  }

  const ChainProfile& profile_;
  const std::int64_t budget_bytes_;
  std::int64_t work_left_;
  const std::int64_t table_bytes_;
  ChainSearch found_;
};

}  // namespace

std::int64_t work_of(double seconds) {
  constexpr double max = 9e18;
  return static_cast<std::int64_t>(std::min(seconds * work_per_second, max));
}

std::optional<ChainSearch> search_chain(const ChainProfile& profile, ChainPlanner planner, std::int64_t budget_bytes,
                                        const PlanningLimits& limits) {
  BudgetSearch search(profile, budget_bytes, limits);
  if (!search.search(planner)) return std::nullopt;
  return search.take();
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
  return found->left_out.empty() ? found->schedule : with_left_out(*found->schedule, found->left_out);
}

FrontierPoints chain_frontier_points(const ChainProfile& profile, std::string_view planner, std::int64_t max) {
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
    if (profile.layers() > max_exact_layers) {
      for (const LongChain::Plan& plan : LongChain(profile, name_of(each)).sample()) {
        if (result.count++ < max) add(plan.report, arena_bytes(*plan.schedule, profile), plan.lost_seconds);
      }
      return result;
    }
    const ChainPlan plan(profile, each);
    result.count = static_cast<std::int64_t>(plan.points());
    for (std::size_t point = 0; point < plan.points() && std::ssize(result.points) < max; ++point) {
      const SchedulePtr schedule = plan.schedule(point);
      add(verify(*schedule, profile), plan.reserved_bytes(*schedule), plan.lost_seconds());
    }
    return result;
  }
  base::fail(base::Status::not_found, "planner is ", base::quote(planner), "; expected one with a frontier: chain, tapes or graph");
}

}  // namespace ckpt::plan
