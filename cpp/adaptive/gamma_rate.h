// The failure rate as a Gamma posterior: with a Gamma(a, b) prior, n failures in T seconds give Gamma(a + n, b + T).
#pragma once

#include "adaptive/bounds.h"

namespace ckpt::adaptive {

constexpr double prior_mtbf_seconds = 3600;  // pessimistic, for an unknown machine

// The time from one failure to the next one, or to an end without failure (censored).
struct Gap {
  double seconds = 0;
  bool failed = true;
};

// Discounting multiplies failures and time (including the prior's) by `keep` at each failure, so that about 1/(1 - keep) failures
// count.
class GammaRate {
 public:
  // weight: of the prior, in failures and hours.
  explicit GammaRate(double weight = 1, double keep = 1);

  // Failures per second, the posterior mean; age is that of the current gap, which is censored.
  double hazard(double age) const { return bounded_rate(failures_ / bounded(seconds_ + age)); }
  void add(const Gap& gap);

  double failures() const { return failures_; }  // including the prior's
  double seconds() const { return seconds_; }
  void restore(double failures, double seconds);

 private:
  double keep_;
  double failures_;
  double seconds_;
};

}  // namespace ckpt::adaptive
