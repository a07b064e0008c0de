// Fits a Weibull distribution to the last gaps by maximum likelihood, including censored ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "adaptive/gamma_rate.h"

namespace ckpt::adaptive {

// The last gaps, oldest first; bounded.
class GapWindow {
 public:
  static constexpr std::size_t capacity = 512;

  void add(const Gap& gap);
  std::size_t size() const { return size_; }
  // index: 0 is the oldest stored gap.
  Gap at(std::size_t index) const;

 private:
  std::array<double, capacity> seconds_{};  // negative: censored
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

struct Weibull {
  double shape = 1;
  double scale = prior_mtbf_seconds;
};

// Solves r/k + sum over failures of ln x - r sum(x^k ln x) / sum(x^k) = 0 for k, with r failures; sums without "failures" are
// over all gaps; the scale is (sum(x^k) / r)^(1/k). Gaps below a second count as one second. The shape is clamped to [0.2, 5].
// Source: Cohen, "Maximum likelihood estimation in the Weibull distribution based on complete and on censored samples",
// Technometrics 7(4), 1965. Returns nothing for less than two failures, or if all failures have the same length.
std::optional<Weibull> fit_weibull(std::span<const Gap> gaps, double first_shape = 1);

// Fits the last `gaps` of a window after each failure; uses a Gamma posterior until enough failures were seen.
class WeibullRate {
 public:
  static constexpr int enough_failures = 8;

  WeibullRate(double weight, std::size_t gaps) : gaps_(gaps), before_(weight, 1) {}

  double hazard(double age) const;
  // Call after gap was added to window.
  void add(const Gap& gap, const GapWindow& window);

  const GammaRate& before() const { return before_; }
  std::optional<Weibull> fitted() const { return fitted_; }
  void restore(const GammaRate& before, std::optional<Weibull> fitted);

 private:
  std::size_t gaps_;
  GammaRate before_;
  std::optional<Weibull> fitted_;
};

}  // namespace ckpt::adaptive
