// The hazard rate by age without a parametric formula: failures and exposed time, counted in buckets of doubling width.
#pragma once

#include <array>

#include "adaptive/gamma_rate.h"

namespace ckpt::adaptive {

class AgeBuckets {
 public:
  static constexpr int count = 22;  // [0, 32 s), [32, 64), ..., [2^25 s, infinity)

  // Before it has any data, each bucket counts as one failure at the overall rate. weight, keep: as in GammaRate.
  AgeBuckets(double weight, double keep) : keep_(keep), overall_(weight, keep) {}

  double hazard(double age) const;
  void add(const Gap& gap);

  const std::array<double, count>& failures() const { return failures_; }
  const std::array<double, count>& exposed_seconds() const { return exposed_; }
  const GammaRate& overall() const { return overall_; }
  void restore(const std::array<double, count>& failures, const std::array<double, count>& exposed, const GammaRate& overall);

 private:
  double keep_;
  GammaRate overall_;
  std::array<double, count> failures_{};
  std::array<double, count> exposed_{};
};

}  // namespace ckpt::adaptive
