#include "pipeline/stage_search.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "plan/budget.h"
#include "plan/placement.h"
#include "plan/planners/stage_planner.h"

namespace ckpt::pipeline {
namespace {

// The most layer runs of a step for which plans beyond the simple ones are searched.
constexpr std::int64_t max_planned_runs = std::int64_t{1} << 18;
// Sizes to plan for are powers of this, whatever the budget, so that a larger budget never gets a slower plan.
constexpr double between_sizes = 1.03;
// A planner adds the bytes that the micro-batches keep and one's peak as if they always coincided. They may not, and the arena
// has gaps: sizes from above the budget to below it are tried until the whole step fits.
constexpr double max_above = 1.1;
constexpr double max_below = 0.7;

class Sizes {
 public:
  explicit Sizes(double bytes) : exponent_(static_cast<int>(std::floor(std::log(bytes) / std::log(between_sizes)))) {}
  std::int64_t bytes() const { return static_cast<std::int64_t>(std::pow(between_sizes, exponent_)); }
  void move(int by) { exponent_ += by; }

 private:
  int exponent_;
};

class StageSearch {
 public:
  explicit StageSearch(const StageTask& task) : task_(task) {
    for (const ChunkPlan& chunk : task.chunks) {
      longest_ = std::max(longest_, chunk.profile->layers());
      runs_ += chunk.profile->layers() * task.layout.micro_batches;
    }
    if (runs_ > max_planned_runs) return;
    std::int64_t all = 0;
    for (std::size_t c = 0; c < task.chunks.size(); ++c) {
      planners_.push_back(std::make_unique<plan::StagePlanner>(*task.chunks[c].profile));
      if (!planners_.back()->applies()) {
        planners_.clear();
        return;
      }
      held_.push_back(pipeline::in_flight(task.layout, piece(c)));
      weights_.push_back(static_cast<double>(held_bytes({task.chunks[c]}) * held_.back() + 1));
      all += held_bytes({task.chunks[c]}) * held_.back() + 1;
    }
    for (double& weight : weights_) weight /= static_cast<double>(all);
  }

  plan::SearchResult simple(std::int64_t budget_bytes) const {
    const plan::SearchSpace space{task_.profile, longest_, runs_,
                                  [&](const plan::SimplePlan& plan) { return step_by(chunks_by(plan)); }};
    return plan::find_cheapest(space, budget_bytes);
  }

  StagePlan simple_plan(const plan::Cheapest& found) const { return {chunks_by(found.plan), found.report, found.reserved_bytes}; }

  // Uses the stage planner: returns the fastest plan that fits. Nothing if none fits, or the planner does not apply to this
  // stage.
  std::optional<StagePlan> planned(std::int64_t budget_bytes) const {
    const auto budget = static_cast<double>(budget_bytes);
    const auto min = std::max<std::int64_t>(static_cast<std::int64_t>(budget * max_below), 1);
    for (Sizes size(budget * max_above); !planners_.empty() && size.bytes() >= min; size.move(-1)) {
      std::optional<StagePlan> plan = planned_for(size.bytes());
      if (plan && plan->reserved_bytes <= budget_bytes) return plan;
    }
    return std::nullopt;
  }

  // Returns the smallest budget for which planned() succeeds; bytes if there is none below.
  std::int64_t smallest_planned(std::int64_t bytes) const {
    if (planners_.empty()) return bytes;
    std::int64_t min = 1;
    for (const auto& planner : planners_) min = std::max(min, planner->min_peak());
    for (Sizes size(static_cast<double>(min)); static_cast<double>(size.bytes()) < max_above * static_cast<double>(bytes);
         size.move(1)) {
      const std::optional<StagePlan> plan = planned_for(size.bytes());
      if (!plan) continue;
      const auto met = static_cast<std::int64_t>(std::ceil(static_cast<double>(size.bytes()) / max_above));
      bytes = std::min(bytes, std::max(plan->reserved_bytes, met));
    }
    return bytes;
  }

 private:
  std::int32_t piece(std::size_t chunk) const { return static_cast<std::int32_t>(chunk) * task_.layout.stages + task_.stage; }

  std::optional<StagePlan> planned_for(std::int64_t bytes) const {
    std::vector<ChunkPlan> chunks = chunks_within(static_cast<double>(bytes));
    if (chunks.empty()) return std::nullopt;
    const auto schedule = step_by(chunks);
    const plan::PlanReport report = plan::verify(*schedule, task_.profile);
    return StagePlan{std::move(chunks), report, plan::arena_bytes(*schedule, task_.profile)};
  }

  std::vector<ChunkPlan> chunks_by(const plan::SimplePlan& simple) const {
    std::vector<ChunkPlan> plans;
    for (const ChunkPlan& chunk : task_.chunks) plans.push_back({chunk.profile, simple(*chunk.profile)});
    return plans;
  }

  // Plans each chunk within its share of what store-all keeps for the stage.
  std::vector<ChunkPlan> chunks_within(double bytes) const {
    std::vector<ChunkPlan> plans;
    for (std::size_t c = 0; c < planners_.size(); ++c) {
      const auto own = static_cast<std::int64_t>(bytes * weights_[c]);
      const bool is_last = piece(c) + 1 == task_.layout.pieces();
      auto schedule = planners_[c]->within(own, held_[c], is_last);
      if (schedule == nullptr) return {};
      plans.push_back({task_.chunks[c].profile, std::move(schedule)});
    }
    return plans;
  }

  std::shared_ptr<const plan::Schedule> step_by(const std::vector<ChunkPlan>& chunks) const {
    return make_stage_schedule(task_.layout, task_.stage, chunks, task_.decisions);
  }

  const StageTask& task_;
  std::int64_t longest_ = 0;  // layers of the longest chunk
  std::int64_t runs_ = 0;
  std::vector<std::unique_ptr<plan::StagePlanner>> planners_;  // by chunk; empty if they do not apply to this stage
  std::vector<std::int32_t> held_;                             // by chunk: micro-batches in flight
  std::vector<double> weights_;                                // by chunk, sum 1
};

}  // namespace

StagePlan plan_stage(const StageTask& task, std::int64_t budget_bytes) {
  const StageSearch search(task);
  plan::SearchResult simple = search.simple(budget_bytes);
  std::optional<StagePlan> planned;
  const bool nothing_runs_again = simple.cheapest && simple.too_large == 0 && simple.cheapest->report.recomputed_forwards == 0;
  if (!nothing_runs_again) planned = search.planned(budget_bytes);
  const auto cost = [](const plan::PlanReport& report) { return std::tie(report.step_seconds, report.recomputed_forwards); };
  if (simple.cheapest && !(planned && cost(planned->report) < cost(simple.cheapest->report)))
    return search.simple_plan(*simple.cheapest);
  if (planned) return std::move(*planned);

  if (simple.smallest_bytes > 0) simple.smallest_bytes = search.smallest_planned(simple.smallest_bytes);
  plan::fail_over_budget(simple, budget_bytes,
                         base::cat("stage ", task.stage, " with ", in_flight(task.layout, task.stage), " micro-batches in flight"));
}

}  // namespace ckpt::pipeline
