// Arithmetic that stays within the range of doubles: what callers may pass is any finite number, and nothing that is decided or
// written down may be infinite or NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace ckpt::adaptive {

constexpr double most_seconds = std::numeric_limits<double>::max();
constexpr double least_above_zero = std::numeric_limits<double>::min();

// Sums and products of times stop at the largest number.
inline double bounded(double seconds) { return std::min(seconds, most_seconds); }

// Failures per second: their reciprocal is a finite number above 0 too.
inline double bounded_rate(double rate) { return std::clamp(rate, least_above_zero, 1 / least_above_zero); }

// sqrt(a b), also where the product leaves the range in which its root lies.
inline double root_of_product(double a, double b) {
  const double product = a * b;
  return std::isnormal(product) ? std::sqrt(product) : bounded(std::sqrt(a) * std::sqrt(b));
}

}  // namespace ckpt::adaptive
