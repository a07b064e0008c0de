#include "plan/planners/long_chain.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "plan/placement.h"
#include "plan/planners/chain_schedule.h"
#include "plan/planners/local_search.h"

namespace ckpt::plan {
namespace {

// Making schedules for more layers would alone take minutes.
constexpr std::int64_t max_layers = 4096;
// Points that are placed consecutively; after these some are skipped.
constexpr std::int64_t tried_points = 16;
// Points below the first that fits, among which the fastest is chosen.
constexpr std::int64_t compared_points = 8;
// Points of sample(), and the grids that they are taken from: each covers a quarter of the bytes of the one before.
constexpr std::int64_t sampled_points = 64;
constexpr std::int64_t sampled_spans = 4;

const ChainProfile& within_limits(const ChainProfile& profile) {
  if (profile.layers() > max_layers)
    base::fail(base::Status::unsupported, "profile has ", profile.layers(), " layers; expected at most ", max_layers);
  return profile;
}

// All layers record, under the options with the most bytes.
std::int64_t bytes_to_keep_all(const ChainCosts& costs) {
  std::int64_t kept = costs.input_bytes(0);
  std::int64_t beside = 0;
  for (std::int64_t i = 0; i < costs.layers(); ++i) {
    std::int64_t tape = 0;
    for (std::int32_t o = 0; o < costs.options(i); ++o) {
      const OptionCost& option = costs.option(i, o);
      tape = std::max(tape, option.tape_bytes);
      beside = std::max({beside, option.forward_workspace_bytes, costs.backward_bytes(i, o)});
    }
    kept += costs.input_bytes(i + 1) + tape + costs.layer(i).ambient_bytes;
  }
  return kept + beside + costs.input_bytes(costs.layers());
}

// Every layer records and runs backward under one option; if recording makes no output, it also runs forward.
double seconds_to_run_once(const ChainCosts& costs) {
  double time = 0;
  for (std::int64_t i = 0; i < costs.layers(); ++i) {
    double forward = never;
    double with_output = never;
    double without = never;
    for (std::int32_t o = 0; o < costs.options(i); ++o) {
      const OptionCost& option = costs.option(i, o);
      forward = std::min(forward, option.forward_time);
      with_output = std::min(with_output, option.forward_time + option.backward_time);
      without = std::min(without, (option.has_record ? option.record_time : option.forward_time) + option.backward_time);
    }
    time += std::min(with_output, forward + without);
  }
  return costs.seconds(time);
}

}  // namespace

LongChain::LongChain(const ChainProfile& profile, std::string name, std::int64_t table_bytes)
    : profile_(profile),
      name_(std::move(name)),
      table_bytes_(table_bytes),
      layer_costs_(within_limits(profile)),
      groups_(profile.layers() > max_grid_layers ? std::make_unique<LayerGroups>(profile, max_grid_layers) : nullptr),
      costs_(groups_ ? ChainCosts(groups_->profile()) : layer_costs_),
      max_bytes_(bytes_to_keep_all(costs_)),
      min_seconds_(seconds_to_run_once(layer_costs_)) {}

// Grids are made for few distinct byte limits, so that similar budgets choose among the same schedules.
std::int64_t LongChain::span_of(std::int64_t live_bytes) const {
  std::int64_t span = max_bytes_;
  auto next = static_cast<double>(span);
  while (next >= static_cast<double>(live_bytes)) {
    span = static_cast<std::int64_t>(std::ceil(next));
    next /= std::sqrt(std::sqrt(2.0));
  }
  return span;
}

const Grid& LongChain::grid(std::int64_t span) {
  if (grid_span_ != span) {
    grid_.reset();
    grid_ = std::make_unique<Grid>(costs_, GridLimits{.live_bytes = span, .table_bytes = table_bytes_});
    grid_span_ = span;
    min_live_bytes_ = grid_->min_live_bytes();
    if (min_live_bytes_ >= largest_bytes) base::fail(base::Status::invalid_schedule, "profile: no schedule fits the chain");
  }
  return *grid_;
}

// Returns the live bytes at which the grid has a shorter step than with fewer, and the grid's maximum, in decreasing order.
std::vector<std::int64_t> LongChain::points(std::int64_t span, std::int64_t max_bytes) {
  const Grid& table = grid(span);
  std::vector<std::int64_t> points;
  float before = no_seconds;
  for (std::int64_t unit = 0; unit <= table.chain().units; ++unit) {
    const auto bytes = costs_.input_bytes(0) + static_cast<std::int64_t>(static_cast<double>(unit) * table.unit_bytes());
    if (bytes > max_bytes) break;
    const float seconds = table.table().at(table.root_row(), unit);
    if (bytes < min_live_bytes_ || seconds >= before) continue;
    before = seconds;
    points.push_back(bytes);
  }
  if (max_bytes >= span) points.push_back(span);
  std::reverse(points.begin(), points.end());
  return points;
}

LongChain::Plan LongChain::unplaced_plan_at(std::int64_t span, std::int64_t live_bytes) {
  const Grid& table = grid(span);
  std::vector<Action> actions = chain_actions(costs_, table, live_bytes);
  if (groups_) actions = actions_of(layer_costs_, {.runs = groups_->layer_runs(runs_of(costs_, actions).runs)});
  Plan plan;
  plan.schedule = make_stage_list(base::cat(name_, "(", live_bytes, ")"), profile_.layers(), actions, {});
  plan.report = verify(*plan.schedule, profile_);
  plan.lost_seconds = std::max(plan.report.step_seconds - min_seconds_, 0.0);
  if (groups_) {
    plan.left_out = base::cat("differences between layers that run together (", profile_.layers(), " layers in ", costs_.layers(),
                              " groups of at most ", groups_->longest(), "); ");
  }
  plan.left_out += base::cat("differences of less than a unit of a grid of ", table.chain().units, " in ", span, " bytes (at most ",
                             plan.lost_seconds, " s slower)");
  return plan;
}

void LongChain::place(Plan& plan) const { plan.budgeted_bytes = budgeted_bytes(*plan.schedule, profile_); }

LongChain::Plan LongChain::plan_at(std::int64_t span, std::int64_t live_bytes) {
  Plan plan = unplaced_plan_at(span, live_bytes);
  place(plan);
  return plan;
}

std::optional<LongChain::Plan> LongChain::within(std::int64_t budget_bytes) {
  const std::int64_t span = span_of(budget_bytes);
  std::int64_t next = std::min(budget_bytes, span);
  std::int64_t too_large = 0;
  std::int64_t compared = 0;
  std::optional<Plan> best;
  for (const std::int64_t live_bytes : points(span, next)) {
    if (live_bytes > next) continue;
    // A grid cannot resolve which of adjacent points is the fastest.
    if (best && ++compared > compared_points) break;
    Plan plan = unplaced_plan_at(span, live_bytes);
    if (best && plan.report.step_seconds >= best->report.step_seconds) continue;
    place(plan);
    if (plan.budgeted_bytes <= budget_bytes) {
      best = std::move(plan);
    } else if (++too_large >= tried_points) {
      next = live_bytes - (plan.budgeted_bytes - budget_bytes) / 2;
    }
  }
  if (!best && smallest().budgeted_bytes <= budget_bytes) best = smallest();
  return best;
}

const LongChain::Plan& LongChain::smallest() {
  if (!smallest_) {
    grid(grid_span_ > 0 ? grid_span_ : max_bytes_);
    const std::int64_t span = span_of(min_live_bytes_);
    smallest_ = plan_at(span, min_live_bytes_);
    std::vector<std::int64_t> others = points(span, span);
    for (std::int64_t tried = 0; tried < tried_points && !others.empty() && others.back() < smallest_->budgeted_bytes;
         ++tried, others.pop_back()) {
      Plan plan = plan_at(span, others.back());
      if (plan.budgeted_bytes < smallest_->budgeted_bytes) smallest_ = std::move(plan);
    }
  }
  return *smallest_;
}

std::vector<LongChain::Plan> LongChain::sample() {
  std::vector<Plan> plans = {smallest()};
  std::int64_t span = max_bytes_;
  for (std::int64_t spans = 0; spans < sampled_spans && span > min_live_bytes_; ++spans, span /= 4) {
    const bool last = spans + 1 == sampled_spans || span / 4 <= min_live_bytes_;
    std::vector<std::int64_t> all = points(span, span);
    if (!last) std::erase_if(all, [&](std::int64_t bytes) { return bytes <= span / 4; });
    constexpr std::int64_t max = sampled_points / sampled_spans;
    const std::int64_t each = std::max<std::int64_t>((std::ssize(all) + max - 1) / max, 1);
    for (std::int64_t point = 0; point < std::ssize(all); point += each)
      plans.push_back(plan_at(span, all[static_cast<std::size_t>(point)]));
  }
  // Keeps the plans that no other dominates.
  std::stable_sort(plans.begin(), plans.end(), [](const Plan& a, const Plan& b) {
    return std::tie(a.report.peak_bytes[0], a.report.step_seconds) < std::tie(b.report.peak_bytes[0], b.report.step_seconds);
  });
  const auto cost = [](const Plan& plan) { return std::tie(plan.report.step_seconds, plan.report.recomputed_forwards); };
  std::vector<Plan> best;
  for (Plan& plan : plans) {
    if (best.empty() || cost(plan) < cost(best.back())) best.push_back(std::move(plan));
  }
  return best;
}

}  // namespace ckpt::plan
