// Estimates failure rates, and derives the work between two checkpoints, for each policy with an interval.
#pragma once

#include <array>
#include <cstdint>

#include "adaptive/age_buckets.h"
#include "adaptive/gamma_rate.h"
#include "adaptive/hedge.h"
#include "adaptive/weibull.h"

namespace ckpt::adaptive {

enum class Policy : std::int32_t { automatic = 0, threshold, expected_value, young, daly, bayes, weibull, fixed };

// Learns from gaps. Fixed size regardless of their number.
class Forecast {
 public:
  // The experts of the automatic policy, in the order of weights().
  static constexpr std::array<const char*, Hedge::experts> expert_names = {"bayes",         "bayes, last 128",   "bayes, last 32",
                                                                           "bayes, last 8", "weibull, last 512", "weibull, last 64",
                                                                           "age",           "age, last 128"};

  // keep: of the bayes policy, see GammaRate.
  // weighs_experts: replay gaps to learn the experts' weights; needed only by the automatic policy.
  explicit Forecast(double keep = 1, bool weighs_experts = true);

  // Records the end of a gap. cost: of a save now; begin: the age at which work began in it. Only failures show which expert was
  // right.
  void add(const Gap& gap, double cost, double begin);

  // Returns failures per second at this age, as the policy estimates it. Not for threshold and policies with a given MTBF.
  double hazard(Policy policy, double age) const;
  // Returns the work until the next checkpoint, at this age.
  double interval(Policy policy, double cost, double age) const;

  const Hedge::Weights& weights() const { return hedge_.weights(); }
  std::int64_t failures() const { return failures_; }

  // All state, for the JSON form.
  struct Parts;
  Parts parts();

 private:
  double expert_hazard(std::size_t expert, double age) const;
  double expert_interval(std::size_t expert, double cost, double age) const;

  GammaRate posterior_;  // of the policies bayes and expected-value
  WeibullRate weibull_;  // of the policy weibull
  std::array<GammaRate, 4> rates_;
  std::array<WeibullRate, 2> weibulls_;
  std::array<AgeBuckets, 2> ages_;
  GapWindow window_;
  Hedge hedge_;
  bool weighs_experts_;
  std::int64_t failures_ = 0;
  double untroubled_seconds_ = 0;  // before the first failure, in runs that ended without one
};

struct Forecast::Parts {
  GammaRate& posterior;
  WeibullRate& weibull;
  std::array<GammaRate, 4>& rates;
  std::array<WeibullRate, 2>& weibulls;
  std::array<AgeBuckets, 2>& ages;
  GapWindow& window;
  Hedge& hedge;
  std::int64_t& failures;
  double& untroubled_seconds;
};

}  // namespace ckpt::adaptive
