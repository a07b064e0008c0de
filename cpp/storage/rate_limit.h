// A bandwidth limit: a token bucket over a clock that tests can hold in their hands. Synchronised.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/fork_mutex.h"

namespace ckpt::storage {

using Sleep = std::function<void(std::int64_t ns)>;

// Puts the thread to sleep.
void sleep_ns(std::int64_t ns);

class RateLimit {
 public:
  // bytes_per_second >= 1. burst_bytes may go at once after a pause. A clock that is nullptr is the system's; an empty sleep really
  // sleeps.
  RateLimit(std::int64_t bytes_per_second, std::int64_t burst_bytes, std::shared_ptr<const base::Clock> clock, Sleep sleep);

  // Takes bytes out of the bucket and returns when the debt that this leaves is paid. Error(cancelled) soon after *stop (which may
  // be nullptr) becomes true.
  void take(std::int64_t bytes, const std::atomic<bool>* stop);

 private:
  std::int64_t due_after(std::int64_t bytes);

  double ns_per_byte_;
  std::int64_t burst_ns_;
  std::shared_ptr<const base::Clock> clock_;
  Sleep sleep_;
  base::ForkMutex mutex_;
  std::int64_t paid_at_ns_;  // when all that was taken is paid for
};

// Error(cancelled) when *stop is true; stop may be nullptr.
void require_running(const std::atomic<bool>* stop);

}  // namespace ckpt::storage
