// Arithmetic that stays within the range of doubles: callers may pass any finite number, and no decision or stored value may be
// infinite or NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace ckpt::adaptive {

constexpr double max_seconds = std::numeric_limits<double>::max();
constexpr double min_above_zero = std::numeric_limits<double>::min();

// Saturates sums and products of times at the largest finite number.
inline double bounded(double seconds) { return std::min(seconds, max_seconds); }

// Clamps a rate in failures per second so that its reciprocal is also a finite number above 0.
inline double bounded_rate(double rate) { return std::clamp(rate, min_above_zero, 1 / min_above_zero); }

// Computes sqrt(a b), also if the product overflows or underflows.
inline double root_of_product(double a, double b) {
  const double product = a * b;
  return std::isnormal(product) ? std::sqrt(product) : bounded(std::sqrt(a) * std::sqrt(b));
}

}  // namespace ckpt::adaptive
