#include "base/os/clocks.h"

#include <time.h>

namespace ckpt::base {
namespace {

std::int64_t now_of(clockid_t clock) noexcept {
  timespec now;  // clock_gettime fills it
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t coarse_now_ns() noexcept {
#ifdef CLOCK_MONOTONIC_COARSE
  return now_of(CLOCK_MONOTONIC_COARSE);
#else
  return now_of(CLOCK_MONOTONIC);
#endif
}

std::int64_t since_boot_ns() noexcept {
#ifdef CLOCK_BOOTTIME
  return now_of(CLOCK_BOOTTIME);
#else
  return now_of(CLOCK_MONOTONIC);
#endif
}

}  // namespace ckpt::base
