#include "adaptive/age_buckets.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ckpt::adaptive {
namespace {

constexpr double first_width = 32;

std::size_t bucket_of(double age) {
  if (age < first_width) return 0;
  if (!(age < 1e18)) return AgeBuckets::count - 1;
  return static_cast<std::size_t>(std::min(AgeBuckets::count - 1, 1 + std::ilogb(age / first_width)));
}

}  // namespace

double AgeBuckets::hazard(double age) const {
  const std::size_t bucket = bucket_of(age);
  return bounded_rate((failures_[bucket] + 1) / bounded(exposed_[bucket] + 1 / overall_.hazard(age)));
}

void AgeBuckets::add(const Gap& gap) {
  double begin = 0;
  double end = first_width;
  for (int i = 0; i < count; ++i) {
    const auto bucket = static_cast<std::size_t>(i);
    if (i == count - 1) end = std::numeric_limits<double>::infinity();
    if (gap.failed) {
      failures_[bucket] *= keep_;
      exposed_[bucket] *= keep_;
    }
    if (gap.seconds > begin) exposed_[bucket] = bounded(exposed_[bucket] + std::min(gap.seconds, end) - begin);
    begin = end;
    end *= 2;
  }
  if (gap.failed) failures_[bucket_of(gap.seconds)] += 1;
  overall_.add(gap);
}

void AgeBuckets::restore(const std::array<double, count>& failures, const std::array<double, count>& exposed,
                         const GammaRate& overall) {
  failures_ = failures;
  exposed_ = exposed;
  overall_ = overall;
}

}  // namespace ckpt::adaptive
