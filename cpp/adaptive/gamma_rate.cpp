#include "adaptive/gamma_rate.h"

namespace ckpt::adaptive {

GammaRate::GammaRate(double weight, double keep) : keep_(keep), failures_(weight), seconds_(weight * prior_mtbf_seconds) {}

void GammaRate::add(const Gap& gap) {
  // A clean exit does not change the weight of past failures.
  if (gap.failed) {
    failures_ = failures_ * keep_ + 1;
    seconds_ = std::max(seconds_ * keep_, min_above_zero);
  }
  seconds_ = bounded(seconds_ + gap.seconds);
}

void GammaRate::restore(double failures, double seconds) {
  failures_ = failures;
  seconds_ = seconds;
}

}  // namespace ckpt::adaptive
