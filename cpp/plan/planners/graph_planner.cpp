#include "plan/planners/graph_planner.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "plan/placement.h"
#include "plan/planners/chain_planner.h"
#include "plan/planners/graph_schedule.h"
#include "plan/planners/graph_search.h"
#include "plan/verifier.h"

namespace ckpt::plan {
namespace {

using SchedulePtr = std::shared_ptr<const Schedule>;

// Up to this number of layers one search finds the plans for all budgets, whichever is asked for: time never rises with the budget,
// and the smallest sufficient budget is exact. A larger graph is searched for its budget only.
constexpr std::int64_t max_explored_layers = 40;
// Units of work: 200 layers take half a second.
constexpr std::int64_t searched_work = 20'000'000;
// Searches with a lower budget of live bytes, until the arena fits. Each has half the work of the one before.
constexpr std::int32_t max_searches = 6;

struct Candidate {
  SchedulePtr schedule;
  std::int64_t bytes = 0;  // that the budget limits
  PlanReport report;

  bool is_faster_than(const Candidate& other) const {
    return std::make_pair(report.step_seconds, report.forwards) < std::make_pair(other.report.step_seconds, other.report.forwards);
  }
};

class GraphPlanner {
 public:
  GraphPlanner(const ChainProfile& profile, std::int64_t budget_bytes)
      : profile_(profile), budget_bytes_(budget_bytes), costs_(graph_costs(profile)) {}

  SchedulePtr make() {
    consider(store_all());
    if (!best_) consider_searched();
    if (!profile_.is_graph() && !is_store_all()) consider_chain();
    if (!best_ || (smallest_bytes_ != unknown && budget_bytes_ < smallest_bytes_)) {
      base::fail(base::Status::over_budget, "budget_bytes is ", budget_bytes_, "; the smallest that works for this graph is ",
                 smallest_bytes_);
    }
    base::write_log(base::LogLevel::info, "plan",
                    base::cat("schedule ", base::quote(best_->schedule->name()), " for a budget of ", budget_bytes_,
                              " bytes: ", profile_.has(own_allocator) ? "takes " : "reserves ", best_->bytes));
    return best_->schedule;
  }

 private:
  static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();

  GraphPlan store_all() const { return {.recomputations = {}, .peak_bytes = 0, .time = 0}; }

  void consider_searched() {
    if (profile_.layers() <= max_explored_layers) {
      const GraphPlan smallest = consider_smallest(exploring_work(costs_) / 4);
      for (const GraphPlan& plan : explore_graph(costs_, smallest, exploring_work(costs_))) consider(plan);
      return;
    }
    std::int64_t live_bytes = budget_bytes_;
    for (std::int32_t searches = 0; searches < max_searches && !best_ && live_bytes > 0; ++searches) {
      const std::optional<GraphPlan> plan = search_graph(costs_, live_bytes, searched_work >> searches);
      if (!plan) break;
      live_bytes = std::min(live_bytes, plan->peak_bytes) - (consider(*plan) - budget_bytes_);
    }
    if (best_) return;
    const GraphPlan smallest = consider_smallest(searched_work);
    if (best_) consider(improve_graph(costs_, smallest.recomputations, budget_bytes_, searched_work / 2));
  }

  // Finds the smallest budget. Returns the plan with the fewest live bytes.
  GraphPlan consider_smallest(std::int64_t work) {
    const std::vector<GraphPlan> plans = smallest_graphs(costs_, work);
    for (auto plan = plans.rbegin(); plan != plans.rend() && plan->peak_bytes < smallest_bytes_; ++plan)
      smallest_bytes_ = std::min(smallest_bytes_, consider(*plan));
    return plans.back();
  }

  // The planner of chains finds a schedule quickly, which the search then improves.
  void consider_chain() {
    const std::optional<ChainSearch> found = search_chain(profile_, ChainPlanner::chain, budget_bytes_, {});
    if (!found) return;
    if (found->schedule == nullptr) {
      smallest_bytes_ = std::min(smallest_bytes_, found->smallest_bytes);
      return;
    }
    smallest_bytes_ = std::min(smallest_bytes_, consider(found->schedule));
    consider(improve_graph(costs_, recomputations_of(*found->schedule), budget_bytes_, searched_work / 2));
  }

  bool is_store_all() const { return best_ && best_->report.recomputed_forwards == 0; }

  // Returns the bytes that the budget limits.
  std::int64_t consider(const GraphPlan& plan) {
    return consider(graph_schedule(costs_, plan.recomputations, plan.recomputations.empty() ? "store-all" : "graph"));
  }

  std::int64_t consider(const SchedulePtr& schedule) {
    const std::int64_t bytes = budgeted_bytes(*schedule, profile_);
    if (bytes > budget_bytes_) return bytes;
    Candidate candidate{schedule, bytes, verify(*schedule, profile_)};
    if (!best_ || candidate.is_faster_than(*best_)) best_ = std::move(candidate);
    return bytes;
  }

  const ChainProfile& profile_;
  const std::int64_t budget_bytes_;
  const GraphCosts costs_;
  std::optional<Candidate> best_;
  std::int64_t smallest_bytes_ = unknown;  // smallest budget
};

}  // namespace

SchedulePtr make_graph_store_all(const ChainProfile& profile) { return graph_schedule(graph_costs(profile), {}, "store-all"); }

FrontierPoints graph_frontier_points(const ChainProfile& profile, std::int64_t max) {
  profile.require_summable();
  static_cast<void>(profile.longest_seconds());
  const GraphCosts costs = graph_costs(profile);
  FrontierPoints result;
  const GraphPlan smallest = smallest_graphs(costs, exploring_work(costs) / 4).back();
  for (const GraphPlan& plan : explore_graph(costs, smallest, exploring_work(costs))) {
    if (result.count++ >= max) continue;
    const SchedulePtr schedule = graph_schedule(costs, plan.recomputations, "graph");
    const PlanReport report = verify(*schedule, profile);
    result.points.push_back({.live_bytes = report.peak_bytes[0],
                             .reserved_bytes = arena_bytes(*schedule, profile),
                             .recomputed_forwards = report.recomputed_forwards,
                             .step_seconds = report.step_seconds,
                             .recomputed_seconds = report.recomputed_seconds,
                             .lost_seconds = 0});
  }
  return result;
}

SchedulePtr make_graph(const ChainProfile& profile, std::int64_t budget_bytes) {
  return GraphPlanner(profile, budget_bytes).make();
}

}  // namespace ckpt::plan
