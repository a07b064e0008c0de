// The handles of the base part, for the other files of the C API.
#pragma once

#include <memory>

#include <ckpt/base.h>

#include "base/clock.h"
#include "base/thread_pool.h"
#include "guard.h"
#include "handle.h"

struct ckpt_clock : ckpt::capi::Handle<ckpt::capi::Kind::clock> {
  std::shared_ptr<ckpt::base::Clock> object;
};

struct ckpt_worker_pool : ckpt::capi::Handle<ckpt::capi::Kind::thread_pool> {
  std::shared_ptr<ckpt::base::ThreadPool> object;
};

namespace ckpt::capi {

// Returns the clock of a handle; the monotonic clock for NULL.
inline std::shared_ptr<const base::Clock> clock_argument(const ckpt_clock* clock, const char* argument) {
  return clock == nullptr ? base::monotonic_clock() : checked(clock, argument)->object;
}

}  // namespace ckpt::capi
