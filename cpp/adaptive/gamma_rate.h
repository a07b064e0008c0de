// The failure rate as a Gamma posterior: a Gamma(a, b) prior, n failures seen in T seconds make it Gamma(a + n, b + T).
#pragma once

#include "adaptive/bounds.h"

namespace ckpt::adaptive {

constexpr double prior_mtbf_seconds = 3600;  // pessimistic: of an unknown machine

// A piece of life: the time from one failure to the next one, or to an end without failure (censored).
struct Gap {
  double seconds = 0;
  bool failed = true;
};

// Forgetting multiplies failures and time (the prior's too) by `keep` at each failure, so that about 1/(1 - keep) failures count.
class GammaRate {
 public:
  // weight: failures that the prior is worth, in weight hours.
  explicit GammaRate(double weight = 1, double keep = 1);

  // Failures per second, the posterior mean; age is the current gap's, which is censored.
  double hazard(double age) const { return bounded_rate(failures_ / bounded(seconds_ + age)); }
  void add(const Gap& gap);

  double failures() const { return failures_; }  // the prior's included
  double seconds() const { return seconds_; }
  void restore(double failures, double seconds);

 private:
  double keep_;
  double failures_;
  double seconds_;
};

}  // namespace ckpt::adaptive
