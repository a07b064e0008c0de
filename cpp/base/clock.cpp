#include "base/clock.h"

#include <chrono>
#include <limits>

#include "base/error.h"

namespace ckpt::base {
namespace {

class MonotonicClock final : public Clock {
 public:
  std::int64_t now_ns() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
};

}  // namespace

const std::shared_ptr<const Clock>& monotonic_clock() {
  // Never destroyed: threads of the host program may read the time during static destruction.
  static const auto* const clock = new std::shared_ptr<const Clock>(std::make_shared<MonotonicClock>());
  return *clock;
}
namespace {
// Initialized at load: a child forked during a lazy first call would wait forever for that call to complete.
[[maybe_unused]] const auto& clock_initialized_at_load = monotonic_clock();
}  // namespace

std::int64_t utc_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

ManualClock::ManualClock(std::int64_t start_ns) : now_ns_(start_ns) {
  require(start_ns >= 0, "start_ns is ", start_ns, "; expected at least 0");
}

void ManualClock::advance(std::int64_t ns) {
  require(ns >= 0, "duration_ns is ", ns, "; expected at least 0");
  std::int64_t now = now_ns_.load(std::memory_order_relaxed);
  do {
    if (now > std::numeric_limits<std::int64_t>::max() - ns) {
      fail(Status::out_of_range, "duration_ns is ", ns, "; added to the clock's ", now, " ns it exceeds INT64_MAX");
    }
  } while (!now_ns_.compare_exchange_weak(now, now + ns, std::memory_order_acq_rel));
}

}  // namespace ckpt::base
