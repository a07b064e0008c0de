// The cost that a checkpoint interval would have had in a past gap: failures are observed whatever the interval was.
#pragma once

#include <algorithm>
#include <cmath>

namespace ckpt::adaptive {

// The number of saves in one gap that are replayed individually. The rest is treated as periodic, in a few steps that each cover
// most of the remainder, so that a call is always short.
constexpr int saves_one_by_one = 4096;
constexpr int steps_to_the_end = 64;

// Returns seconds lost to saves and repeated work. interval(age): work until the next save, at the age (seconds since the last
// failure) at which work continues. begin: the age at which work began after the restart. cost: of a save; a save interrupted by
// the failure does not count. Calls interval a bounded number of times, for any numbers; the result may be infinite.
template <class Interval>
double replay_loss(const Interval& interval, double cost, double begin, double gap) {
  double age = begin;
  double loss = 0;
  for (int saves = 0; age < gap && saves < saves_one_by_one + steps_to_the_end; ++saves) {
    const double period = std::max(interval(age), 1e-3) + cost;
    if (age + period > gap) return loss + (gap - age);
    double times = 1;
    if (saves >= saves_one_by_one) times = std::max(1.0, std::floor((gap - age) / period));
    loss += cost * times;
    age += period * times;
  }
  return loss + std::max(0.0, gap - age);
}

}  // namespace ckpt::adaptive
