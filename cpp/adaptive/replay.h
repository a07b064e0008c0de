// What a checkpoint interval would have cost on a gap that is over: failures are seen whatever the interval was.
#pragma once

#include <algorithm>
#include <cmath>

namespace ckpt::adaptive {

// Saves of one gap that are replayed one by one. The rest is taken as periodic, in a few steps that each go nearly to the end: so a
// call is always short.
constexpr int saves_one_by_one = 4096;
constexpr int steps_to_the_end = 64;

// Seconds lost to saves and to work done again. interval(age): work until the next save, asked at the age (seconds since the last
// failure) at which work goes on. begin: the age at which work began after the restart. cost: of a save; one that the failure hits
// does not count. Asks for a bounded number of intervals, whatever the numbers are; the result may be infinite.
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
