// Detects steps of the system's clock while a writer runs. Ages of checkpoints are measured by that clock, which users and daemons
// can set. A clock that is set ahead makes every checkpoint look old. The time since boot distinguishes a step from elapsed time.
#pragma once

#include <cstdint>

#include "base/fork_mutex.h"

namespace ckpt::state {

// Checkpoints saved before before_utc_ns are younger by by_ns than the clock shows. by_ns 0: no step.
struct ClockStep {
  std::int64_t before_utc_ns = 0;
  std::int64_t by_ns = 0;
};

// The time at which ages are measured.
struct AgeTime {
  std::int64_t utc_ns = 0;  // by the system's clock
  ClockStep step = {};
};

constexpr std::int64_t clock_tolerance_ns = 60'000'000'000;  // expected maximum difference between machines' clocks

// Synchronized.
class ClockWatch {
 public:
  ClockWatch(std::int64_t utc_ns, std::int64_t elapsed_ns) : begin_utc_ns_(utc_ns), begin_elapsed_ns_(elapsed_ns) {}

  // Returns the step since construction; several are combined. elapsed_ns: from a monotonic clock.
  ClockStep look(std::int64_t utc_ns, std::int64_t elapsed_ns);

 private:
  const std::int64_t begin_utc_ns_;
  const std::int64_t begin_elapsed_ns_;
  base::ForkMutex mutex_;
  ClockStep step_;
};

}  // namespace ckpt::state
