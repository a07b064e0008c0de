#include "adaptive/intervals.h"

#include <algorithm>
#include <cmath>

#include "adaptive/bounds.h"

namespace ckpt::adaptive {
namespace {

constexpr int max_steps = 60;  // of Newton's method, which needs about ten

double log_weibull_hazard(double shape, double scale, double age) {
  return std::log(shape) - std::log(scale) + (shape - 1) * (std::log(age) - std::log(scale));
}

// In units of the MTBF: f(w) = expm1(w) w - c is increasing and convex, and its root is below sqrt(c) because expm1(w) >= w.
// Newton's steps from the right of the root of an increasing convex function never overshoot. For large c the logarithm bounds
// the root.
double expected_value_root(double c) {
  double w = std::min(std::sqrt(c), std::log1p(c) + 1);
  for (int i = 0; i < max_steps; ++i) {
    const double e = std::expm1(w);
    const double step = (e * w - c) / ((e + 1) * w + e);
    if (!(step > w * 1e-15)) break;
    w -= step;
  }
  return w;
}

// The same where exp(w) would overflow, so that expm1 equals exp: f(w) = w + log(w) - log(c) is increasing and concave.
double expected_value_root_of_log(double log_c) {
  double w = log_c;
  for (int i = 0; i < max_steps; ++i) {
    const double step = (w + std::log(w) - log_c) / (1 + 1 / w);
    w -= step;
    if (!(std::abs(step) > w * 1e-15)) break;
  }
  return w;
}

}  // namespace

double young_interval(double cost, double mtbf) {
  const double product = 2 * cost * mtbf;
  return std::isnormal(product) ? std::sqrt(product) : bounded(std::sqrt(2.0) * root_of_product(cost, mtbf));
}

double daly_interval(double cost, double mtbf) {
  if (cost >= 2 * mtbf) return mtbf;
  const double ratio = cost / mtbf / 2;
  return std::max(0.0, bounded(young_interval(cost, mtbf) * (1 + std::sqrt(ratio) / 3 + ratio / 9)) - cost);
}

double expected_value_interval(double cost, double mtbf) {
  constexpr double small = 1e-32;  // below it the root is sqrt(c) to the last bit
  constexpr double large = 1e100;
  const double c = cost / mtbf;
  if (c < small) return root_of_product(cost, mtbf);
  if (c > large) return expected_value_root_of_log(std::log(cost) - std::log(mtbf)) * mtbf;
  return expected_value_root(c) * mtbf;
}

double weibull_hazard(double shape, double scale, double age) {
  const double hazard = shape / scale * std::pow(age / scale, shape - 1);
  return bounded_rate(std::isnormal(hazard) ? hazard : std::exp(log_weibull_hazard(shape, scale, age)));
}

double weibull_interval(double cost, double shape, double scale, double age) {
  const double hazard = shape / scale * std::pow(age / scale, shape - 1);
  if (std::isnormal(hazard) && std::isnormal(1 / hazard)) return young_interval(cost, 1 / hazard);
  return bounded(std::exp((std::log(2.0) + std::log(cost) - log_weibull_hazard(shape, scale, age)) / 2));
}

}  // namespace ckpt::adaptive
