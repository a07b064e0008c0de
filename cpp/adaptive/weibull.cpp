#include "adaptive/weibull.h"

#include <algorithm>
#include <cmath>

#include "adaptive/intervals.h"

namespace ckpt::adaptive {
namespace {

constexpr double smallest_gap = 1;
constexpr double smallest_shape = 0.2;
constexpr double largest_shape = 5;
// Hazard rates with shapes below 1 are infinite at age 0.
constexpr double smallest_age = 30;

}  // namespace

void GapWindow::add(const Gap& gap) {
  const double value = std::max(gap.seconds, smallest_gap);
  seconds_[(begin_ + size_) % capacity] = gap.failed ? value : -value;
  if (size_ < capacity) {
    ++size_;
  } else {
    begin_ = (begin_ + 1) % capacity;
  }
}

Gap GapWindow::at(std::size_t index) const {
  const double value = seconds_[(begin_ + index) % capacity];
  return {std::abs(value), value > 0};
}

std::optional<Weibull> fit_weibull(std::span<const Gap> gaps, double first_shape) {
  // Gaps in units of the longest one, so that powers cannot overflow.
  double longest = smallest_gap;
  for (const Gap& gap : gaps) longest = std::max(longest, gap.seconds);
  double failures = 0;
  double log_sum = 0;
  double smallest_log = 0;
  double largest_log = -1e300;
  for (const Gap& gap : gaps) {
    if (!gap.failed) continue;
    const double log_gap = std::log(std::max(gap.seconds, smallest_gap) / longest);
    failures += 1;
    log_sum += log_gap;
    smallest_log = std::min(smallest_log, log_gap);
    largest_log = std::max(largest_log, log_gap);
  }
  if (failures < 2 || !(smallest_log < largest_log)) return std::nullopt;

  double shape = std::clamp(first_shape, smallest_shape, largest_shape);
  double powers = 0;
  for (int i = 0; i < 50; ++i) {
    powers = 0;
    double first = 0;
    double second = 0;
    for (const Gap& gap : gaps) {
      const double log_gap = std::log(std::max(gap.seconds, smallest_gap) / longest);
      const double power = std::exp(shape * log_gap);
      powers += power;
      first += power * log_gap;
      second += power * log_gap * log_gap;
    }
    const double mean = first / powers;
    const double slope = -failures / (shape * shape) - failures * (second / powers - mean * mean);
    const double newton = shape - (failures / shape + log_sum - failures * mean) / slope;
    const double next = std::clamp(newton, std::max(smallest_shape, shape / 2), std::min(largest_shape, shape * 2));
    const bool done = std::abs(next - shape) < 1e-10 * shape;
    shape = next;
    if (done) break;
  }
  return Weibull{shape, bounded(longest * std::pow(powers / failures, 1 / shape))};
}

double WeibullRate::hazard(double age) const {
  return fitted_ ? weibull_hazard(fitted_->shape, fitted_->scale, std::max(age, smallest_age)) : before_.hazard(age);
}

void WeibullRate::add(const Gap& gap, const GapWindow& window) {
  before_.add(gap);
  if (!gap.failed) return;
  std::array<Gap, GapWindow::capacity> recent;
  const std::size_t size = std::min(gaps_, window.size());
  int failures = 0;
  for (std::size_t i = 0; i < size; ++i) {
    recent[i] = window.at(window.size() - size + i);
    failures += recent[i].failed ? 1 : 0;
  }
  if (failures < enough_failures) return;
  if (const auto fit = fit_weibull({recent.data(), size}, fitted_ ? fitted_->shape : 1)) fitted_ = fit;
}

void WeibullRate::restore(const GammaRate& before, std::optional<Weibull> fitted) {
  before_ = before;
  fitted_ = fitted;
}

}  // namespace ckpt::adaptive
