#include "engine/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace ckpt::engine {

using base::require;
using RateKind = LearningRateSchedule::Kind;

double learning_rate_at(const LearningRateSchedule& schedule, std::int64_t step) {
  const auto& [kind, peak, last, warm_up, steps] = schedule;
  require(kind == RateKind::constant || kind == RateKind::linear || kind == RateKind::cosine, "kind is ",
          static_cast<std::int32_t>(kind), "; expected 0 .. 2");
  require(std::isfinite(peak) && peak >= 0, "peak_rate is ", peak, "; expected a finite number of at least 0");
  require(warm_up >= 0, "warm_up_steps is ", warm_up, "; expected at least 0");
  require(step >= 0, "step is ", step, "; expected at least 0");
  if (kind != RateKind::constant) {
    require(last >= 0 && last <= peak, "last_rate is ", last, "; expected 0 .. peak_rate ", peak);
    require(steps >= warm_up, "step_count is ", steps, "; expected at least warm_up_steps ", warm_up);
  }
  if (step < warm_up) return peak * ((static_cast<double>(step) + 1) / (static_cast<double>(warm_up) + 1));
  if (kind == RateKind::constant) return peak;
  if (step >= steps) return last;
  const double done = static_cast<double>(step - warm_up) / static_cast<double>(steps - warm_up);
  const double share = kind == RateKind::linear ? 1 - done : (1 + std::cos(std::numbers::pi * done)) / 2;
  return last + (peak - last) * share;
}

}  // namespace ckpt::engine
