// Steps of the system's clock while a writer runs. Ages of checkpoints come from that clock, which people and daemons set: a clock
// that is set ahead makes every checkpoint look old. The time since the boot tells a step from time that has passed.
#pragma once

#include <cstdint>

#include "base/fork_mutex.h"

namespace ckpt::state {

// Checkpoints whose time of saving lies before before_utc_ns are younger by by_ns than the clock shows. by_ns 0: none.
struct ClockStep {
  std::int64_t before_utc_ns = 0;
  std::int64_t by_ns = 0;
};

// The present time for ages.
struct AgeTime {
  std::int64_t utc_ns = 0;  // by the system's clock
  ClockStep step = {};
};

constexpr std::int64_t clock_tolerance_ns = 60'000'000'000;  // less is how clocks of different machines differ

// Synchronised.
class ClockWatch {
 public:
  ClockWatch(std::int64_t utc_ns, std::int64_t elapsed_ns) : begin_utc_ns_(utc_ns), begin_elapsed_ns_(elapsed_ns) {}

  // The steps since the begin. elapsed_ns: of a clock that is never set.
  ClockStep look(std::int64_t utc_ns, std::int64_t elapsed_ns);

 private:
  const std::int64_t begin_utc_ns_;
  const std::int64_t begin_elapsed_ns_;
  base::ForkMutex mutex_;
  ClockStep step_;
};

}  // namespace ckpt::state
