#include "base/os/coarse_clock.h"

#include <time.h>

namespace ckpt::base {

std::int64_t coarse_now_ns() noexcept {
#ifdef CLOCK_MONOTONIC_COARSE
  constexpr clockid_t clock = CLOCK_MONOTONIC_COARSE;
#else
  constexpr clockid_t clock = CLOCK_MONOTONIC;
#endif
  timespec now;  // filled below, whatever happens
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

}  // namespace ckpt::base
