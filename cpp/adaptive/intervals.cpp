#include "adaptive/intervals.h"

#include <algorithm>
#include <cmath>

namespace ckpt::adaptive {

double young_interval(double cost, double mtbf) { return std::sqrt(2 * cost * mtbf); }

double daly_interval(double cost, double mtbf) {
  if (cost >= 2 * mtbf) return mtbf;
  const double ratio = cost / (2 * mtbf);
  return std::sqrt(2 * cost * mtbf) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - cost;
}

double expected_value_interval(double cost, double mtbf) {
  // In units of the MTBF: f(w) = expm1(w) w - c rises and is convex, and its root is below sqrt(c) because expm1(w) >= w. Newton's
  // steps from the right of the root of a rising convex function never overshoot. For c so large that expm1 overflows the logarithm
  // bounds the root.
  const double c = cost / mtbf;
  double w = std::min(std::sqrt(c), std::log1p(c) + 1);
  for (int i = 0; i < 60; ++i) {
    const double e = std::expm1(w);
    const double step = (e * w - c) / ((e + 1) * w + e);
    if (!(step > w * 1e-15)) break;
    w -= step;
  }
  return w * mtbf;
}

double weibull_hazard(double shape, double scale, double age) { return shape / scale * std::pow(age / scale, shape - 1); }

}  // namespace ckpt::adaptive
