#include "adaptive/forecast.h"

#include <algorithm>
#include <cmath>

#include "adaptive/bounds.h"
#include "adaptive/intervals.h"
#include "adaptive/replay.h"

namespace ckpt::adaptive {
namespace {

// The weight of an expert's prior, in failures, after the first failure. With few failures, one more or less changes the estimate
// most. The extra wall time of a cold start on exponential failures is nearly the same for 2 .. 3 (docs/explanation/benchmarks.md).
constexpr double expert_weight = 2.5;
// Ages below this are not informative to a controller that has seen no failure.
constexpr double uninformative_seconds = 3600;

constexpr double keep_of(double memory) { return 1 - 1 / memory; }

// An unknown machine is considered stationary until it proves otherwise.
constexpr double stationary = 0.9;
constexpr double other = (1 - stationary) / 7;
constexpr Hedge::Weights first_weights = {stationary, other, other, other, other, other, other, other};

}  // namespace

Forecast::Forecast(double keep, bool weighs_experts)
    : posterior_(1, keep),
      weibull_(1, GapWindow::capacity),
      rates_{GammaRate(expert_weight), GammaRate(expert_weight, keep_of(128)), GammaRate(expert_weight, keep_of(32)),
             GammaRate(expert_weight, keep_of(8))},
      weibulls_{WeibullRate(expert_weight, GapWindow::capacity), WeibullRate(expert_weight, 64)},
      ages_{AgeBuckets(expert_weight, 1), AgeBuckets(expert_weight, keep_of(128))},
      hedge_(first_weights),
      weighs_experts_(weighs_experts) {}

void Forecast::add(const Gap& gap, double cost, double begin) {
  if (gap.failed && cost > 0 && weighs_experts_) {
    Hedge::Weights losses{};
    for (std::size_t i = 0; i < losses.size(); ++i) {
      losses[i] = replay_loss([&](double age) { return expert_interval(i, cost, age); }, cost, begin, gap.seconds);
    }
    // Extreme times may overflow; nothing can be learned from them.
    if (std::ranges::all_of(losses, [](double loss) { return std::isfinite(loss); })) {
      hedge_.learn(losses, young_interval(cost, prior_mtbf_seconds));
    }
  }
  window_.add(gap);
  posterior_.add(gap);
  weibull_.add(gap, window_);
  for (GammaRate& rate : rates_) rate.add(gap);
  for (WeibullRate& rate : weibulls_) rate.add(gap, window_);
  for (AgeBuckets& ages : ages_) ages.add(gap);
  if (gap.failed) ++failures_;
  if (failures_ == 0) untroubled_seconds_ = bounded(untroubled_seconds_ + gap.seconds);
}

double Forecast::expert_hazard(std::size_t expert, double age) const {
  // 1 / (1 h + t) keeps the time of all saves of a run without failures below sqrt(2 C (T + 1 h)).
  if (failures_ == 0) {
    return bounded_rate(1 / bounded(prior_mtbf_seconds + untroubled_seconds_ + std::max(0.0, age - uninformative_seconds)));
  }
  if (expert < 4) return rates_[expert].hazard(age);
  return expert < 6 ? weibulls_[expert - 4].hazard(age) : ages_[expert - 6].hazard(age);
}

double Forecast::expert_interval(std::size_t expert, double cost, double age) const {
  // Hazards change during the interval: the value in its middle is used.
  const double first = daly_interval(cost, 1 / expert_hazard(expert, age));
  return daly_interval(cost, 1 / expert_hazard(expert, bounded(age + first / 2)));
}

double Forecast::hazard(Policy policy, double age) const {
  if (policy == Policy::weibull) return weibull_.hazard(age);
  if (policy != Policy::automatic) return posterior_.hazard(age);
  double mean = 0;
  for (std::size_t i = 0; i < Hedge::experts; ++i) mean += weights()[i] * expert_hazard(i, age);
  return mean;
}

double Forecast::interval(Policy policy, double cost, double age) const {
  if (cost <= 0) return 0;  // saving without cost is best done all the time
  switch (policy) {
    case Policy::expected_value: return expected_value_interval(cost, 1 / posterior_.hazard(age));
    case Policy::weibull: return young_interval(cost, 1 / weibull_.hazard(age));
    case Policy::automatic: break;
    default: return daly_interval(cost, 1 / posterior_.hazard(age));
  }
  // The cost of an interval is convex in its logarithm: the mean of logarithms costs at most as much as the experts do on
  // average.
  double mean = 0;
  for (std::size_t i = 0; i < Hedge::experts; ++i) {
    mean += weights()[i] * std::log(std::max(expert_interval(i, cost, age), min_above_zero));
  }
  return bounded(std::exp(mean));
}

Forecast::Parts Forecast::parts() {
  return {posterior_, weibull_, rates_, weibulls_, ages_, window_, hedge_, failures_, untroubled_seconds_};
}

}  // namespace ckpt::adaptive
