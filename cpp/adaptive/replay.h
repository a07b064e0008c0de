// What a checkpoint interval would have cost on a gap that is over: failures are seen whatever the interval was.
#pragma once

#include <algorithm>
#include <cmath>

namespace ckpt::adaptive {

// Seconds lost to saves and to work done again. interval(age): work until the next save, asked at the age (seconds since the last
// failure) at which work goes on. begin: the age at which work began after the restart. cost: of a save; one that the failure hits
// does not count. After many saves of one gap the rest is taken as periodic, so that a call is always short.
template <class Interval>
double replay_loss(const Interval& interval, double cost, double begin, double gap) {
  constexpr int most_saves = 4096;
  double age = begin;
  double loss = 0;
  for (int saves = 0; age < gap; ++saves) {
    const double period = std::max(interval(age), 1e-3) + cost;
    if (age + period > gap) return loss + (gap - age);
    double times = 1;
    if (saves >= most_saves) times = std::floor((gap - age) / period);
    loss += cost * times;
    age += period * times;
  }
  return loss;
}

}  // namespace ckpt::adaptive
