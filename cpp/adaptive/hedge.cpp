#include "adaptive/hedge.h"

#include <algorithm>
#include <cmath>

#include "adaptive/bounds.h"

namespace ckpt::adaptive {
namespace {

// In one round of a hundred, the best expert may change.
constexpr double fixed_share = 0.01;

}  // namespace

void Hedge::learn(const Weights& losses, double scale) {
  const double rate = std::log(static_cast<double>(experts)) / bounded(gap_ + scale);
  const double min = *std::min_element(losses.begin(), losses.end());
  double mean = 0;
  double total = 0;
  Weights next{};
  for (std::size_t i = 0; i < experts; ++i) {
    mean += weights_[i] * (losses[i] - min);
    next[i] = weights_[i] * std::exp(-rate * (losses[i] - min));
    total += next[i];
  }
  // The mean is never below the mix loss, except by rounding.
  gap_ = bounded(gap_ + std::max(0.0, bounded(mean) + std::log(total) / rate));
  for (std::size_t i = 0; i < experts; ++i) weights_[i] = (1 - fixed_share) * next[i] / total + fixed_share / experts;
}

void Hedge::restore(const Weights& weights, double mixability_gap) {
  weights_ = weights;
  gap_ = mixability_gap;
}

}  // namespace ckpt::adaptive
