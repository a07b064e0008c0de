#include "plan/planners/stage_planner.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "plan/planners/chain_planner.h"
#include "plan/planners/chain_schedule.h"

namespace ckpt::plan {
namespace {

constexpr std::int64_t max_stage_layers = 128;
constexpr double max_stage_seconds = 2;
// Peaks of one micro-batch that are tried, and again around the best of them.
constexpr std::int64_t tried_peaks = 16;

}  // namespace

StagePlanner::StagePlanner(const ChainProfile& piece) {
  if (piece.layers() > max_stage_layers) return;
  costs_ = std::make_unique<ChainCosts>(piece);
  frontier_.emplace(*costs_, FrontierLimits{.work = work_of(max_stage_seconds)});
  if (applies()) min_peak_ = frontier_->step().steps().front().bytes;
}

// The others may keep less if the peak of one rises: tries a grid of peaks, then a finer one around the best.
std::shared_ptr<const Schedule> StagePlanner::within(std::int64_t bytes, std::int32_t in_flight, bool output_stays) {
  const std::int64_t layers = costs_->layers();
  const std::int64_t turn = costs_->input_bytes(layers);
  const std::int64_t gone = output_stays ? 0 : turn - costs_->needed_output_bytes(layers - 1);
  const auto allow = [&](std::int64_t peak) {
    if (in_flight > 1) frontier_->require_at_turn(peak - (bytes - peak) / (in_flight - 1) - gone);
  };
  std::int64_t low = bytes / in_flight;  // each may keep everything that it needs there
  std::int64_t high = bytes;
  std::int64_t best = bytes;
  double min = never;
  for (std::int64_t step = std::max<std::int64_t>((high - low) / tried_peaks, 1);; step = std::max<std::int64_t>(step / 8, 1)) {
    for (std::int64_t peak = low; peak <= high; peak += step) {
      allow(peak);
      if (time_at(peak) >= min) continue;
      min = time_at(peak);
      best = peak;
    }
    if (step <= std::max<std::int64_t>(bytes / 100, 1)) break;
    low = std::max(best - step, low);
    high = std::min(best + step, high);
  }
  if (min == never) return nullptr;
  allow(best);
  const std::vector<Action> actions = chain_actions(*costs_, *frontier_, best);
  return make_stage_list(base::cat("chain(", best, ")"), layers, actions, {});
}

}  // namespace ckpt::plan
