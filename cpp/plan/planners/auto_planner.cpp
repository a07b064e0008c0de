#include "plan/planners/auto_planner.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "plan/budget.h"
#include "plan/placement.h"
#include "plan/planners/chain_planner.h"
#include "plan/planners/graph_schedule.h"
#include "plan/planners/graph_search.h"
#include "plan/planners/revolve.h"
#include "plan/verifier.h"

namespace ckpt::plan {
namespace {

// Longer chains are not replayed; only Revolve is considered for them, because it needs no memory proportional to their length.
constexpr std::int64_t max_replayed_runs = std::int64_t{1} << 21;
// More slots would not be worth the replays needed to find how many fit.
constexpr std::int64_t max_auto_slots = std::int64_t{1} << 12;

// The search for graphs counts work in a unit that takes four times as long as that of the planners for chains.
constexpr std::int64_t chain_work_per_graph_work = 4;
// Half a second. With less than the minimum, results depend too much on chance.
constexpr std::int64_t max_graph_work = 16'000'000;
constexpr std::int64_t min_graph_work = 4'000'000;
constexpr std::int64_t max_searched_layers = 2048;

class AutoSearch {
 public:
  AutoSearch(const ChainProfile& profile, std::int64_t budget_bytes, const AutoLimits& limits)
      : profile_(profile), budget_bytes_(budget_bytes), limits_(limits) {
    consider_simple();
    if (nothing_better()) return;
    consider_revolve();
    consider_chain();
    if (!notes_.empty() && !notes_of_simple_.empty()) add_note(notes_of_simple_);
  }

  const SchedulePtr& best() const { return best_; }
  const PlanReport& report() const { return report_; }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t smallest_bytes() const { return smallest_; }
  const std::string& left_out() const { return notes_; }
  // The schedules that the simple search left out, unless left_out() includes them.
  std::string unfit() const { return notes_.empty() ? notes_of_simple_ : std::string(); }

 private:
  // Returns true if nothing is recomputed and no layer has an alternative option.
  bool nothing_better() const { return best_ != nullptr && report_.recomputed_forwards == 0 && has_one_option(); }

  bool has_one_option() const {
    for (std::int64_t i = 0; i < profile_.layers(); ++i) {
      if (profile_.layer(i).options.size() > 1) return false;
      if (profile_.is_uniform()) break;
    }
    return true;
  }

  void consider_simple() {
    if (profile_.layers() > max_replayed_runs)
      return add_note(base::cat("all planners except revolve, because the chain has more than ", max_replayed_runs, " layers"));
    const SearchSpace space{profile_, profile_.layers(), profile_.layers(), [&](const SimplePlan& plan) { return plan(profile_); }};
    SearchResult result = find_cheapest(space, budget_bytes_);
    notes_of_simple_ = std::move(result.left_out);
    if (result.cheapest) {
      take(std::move(result.cheapest->schedule), result.cheapest->report, result.cheapest->reserved_bytes);
    } else if (result.smallest_bytes >= 0) {
      smallest_ = std::min(smallest_, result.smallest_bytes);
    }
  }

  void consider_chain() {
    if (profile_.layers() > max_replayed_runs) return;
    const PlanningLimits limits{.work = work_of(limits_.seconds), .table_bytes = limits_.table_bytes};
    std::optional<ChainSearch> found;
    try {
      found = search_chain(profile_, ChainPlanner::tapes, budget_bytes_, limits);
    } catch (const base::Error& error) {
      if (error.status() != base::Status::out_of_range && error.status() != base::Status::unsupported) throw;
      return add_note(base::cat("chain: ", error.message()));
    }
    if (!found) {
      found.emplace();
      found->beyond_work = "chain and tapes";
    }
    if (!found->left_out.empty()) add_note(found->left_out);
    if (!found->beyond_work.empty()) {
      add_note(base::cat(found->beyond_work, ", because planning would take longer than ", limits_.seconds, " s"));
    }
    if (found->schedule != nullptr) {
      const PlanReport report = verify(*found->schedule, profile_);
      take(std::move(found->schedule), report, found->budgeted_bytes);
    } else {
      smallest_ = std::min(smallest_, found->smallest_bytes);
    }
    if (!found->beyond_work.empty() || !found->left_out.empty()) search_as_graph(found->work_left / chain_work_per_graph_work);
  }

  // Where the exact methods take too long, the search for graphs starts from store-all and from the best schedule.
  void search_as_graph(std::int64_t work_left) {
    if (best_ == nullptr || report_.recomputed_forwards == 0 || work_left < min_graph_work) return;
    if (profile_.is_uniform() || profile_.layers() > max_searched_layers || !has_one_option()) return;  // it plans first options
    const GraphCosts costs = graph_costs(profile_);
    const std::int64_t work_of_each = std::min(max_graph_work, work_left) / 2;
    std::int64_t live_bytes = budget_bytes_;
    const auto consider = [&](const GraphPlan& plan) {
      SchedulePtr schedule = graph_schedule(costs, plan.recomputations, "graph");
      const std::int64_t bytes = budgeted_bytes(*schedule, profile_);
      if (bytes > budget_bytes_) {
        live_bytes -= bytes - budget_bytes_;  // the arena has gaps
        return;
      }
      const PlanReport report = verify(*schedule, profile_);
      take(std::move(schedule), report, bytes);
    };
    if (const std::optional<GraphPlan> plan = search_graph(costs, live_bytes, work_of_each)) consider(*plan);
    consider(improve_graph(costs, recomputations_of(*best_), live_bytes, work_of_each));
  }

  // More slots mean fewer forwards: uses the most that fit.
  void consider_revolve() {
    if (!has_like_steps(profile_) || !profile_.layer(0).has(deterministic)) return;
    std::int64_t fits = 0;
    std::int64_t beyond = std::min(profile_.layers(), max_auto_slots) + 1;
    while (fits + 1 < beyond) {
      const std::int64_t slots = fits + (beyond - fits) / 2;
      const std::int64_t bytes = revolve_bytes(slots);
      if (slots == 1) smallest_ = std::min(smallest_, bytes);
      (bytes <= budget_bytes_ ? fits : beyond) = slots;
    }
    if (fits == 0) return;
    SchedulePtr schedule = make_revolve(profile_, fits, false);
    if (Reach::of(profile_.layers(), fits).forwards(profile_.layers()) > max_replayed_runs) {
      // Often no other schedule exists to compare with if the chain is too long to be replayed.
      if (best_ == nullptr) take(std::move(schedule), {}, revolve_bytes(fits));
      return;
    }
    const PlanReport report = verify(*schedule, profile_);
    const std::int64_t bytes = budgeted_bytes(*schedule, profile_);
    if (bytes <= budget_bytes_) take(std::move(schedule), report, bytes);
  }

  // For identical steps, bytes do not grow once the chain is longer than twice the slots.
  std::int64_t revolve_bytes(std::int64_t slots) const {
    const std::int64_t layers = std::min(profile_.layers(), 2 * slots + 8);
    ChainProfile part =
        profile_.is_uniform() ? ChainProfile::uniform(layers, profile_.layer(0)) : ChainProfile(profile_.bytes_of(0));
    if (!profile_.is_uniform()) {
      for (std::int64_t i = 0; i < layers; ++i) part.add_layer(profile_.layer(i));
    }
    part.set_flags(profile_.flags());
    return budgeted_bytes(*make_revolve(part, slots, false), part);
  }

  void take(SchedulePtr schedule, const PlanReport& report, std::int64_t bytes) {
    const auto cost = [](const PlanReport& each) { return std::tie(each.step_seconds, each.recomputed_forwards); };
    if (best_ != nullptr && cost(report_) <= cost(report)) return;
    best_ = std::move(schedule);
    report_ = report;
    bytes_ = bytes;
  }

  void add_note(const std::string& note) { notes_ += base::cat(notes_.empty() ? "" : "; ", note); }

  const ChainProfile& profile_;
  const std::int64_t budget_bytes_;
  const AutoLimits& limits_;
  SchedulePtr best_;
  PlanReport report_;
  std::int64_t bytes_ = 0;  // the bytes that the budget limits
  std::int64_t smallest_ = std::numeric_limits<std::int64_t>::max();
  std::string notes_;
  std::string notes_of_simple_;  // not reported if the planners for arbitrary schedules succeed
};

}  // namespace

std::shared_ptr<const Schedule> make_auto(const ChainProfile& profile, std::int64_t budget_bytes, const AutoLimits& limits) {
  const AutoSearch search(profile, budget_bytes, limits);
  const std::string note = search.left_out().empty() ? std::string() : base::cat("; left out: ", search.left_out());
  if (search.best() == nullptr) {
    base::fail(base::Status::over_budget, "budget_bytes is ", budget_bytes, "; the smallest that works for this chain is ",
               search.smallest_bytes(), note, search.unfit().empty() ? "" : "; ", search.unfit());
  }
  const PlanReport& report = search.report();
  base::write_log(
      base::LogLevel::info, "plan",
      base::cat("schedule ", base::quote(search.best()->name()), " for a budget of ", budget_bytes,
                " bytes: ", profile.has(own_allocator) ? "takes " : "reserves ", search.bytes(), ", live at most ",
                report.peak_bytes[0], ", ", report.step_seconds, " s, ", report.recomputed_forwards, " recomputed forwards", note));
  return search.left_out().empty() ? search.best() : with_left_out(*search.best(), search.left_out());
}

}  // namespace ckpt::plan
