// A bandwidth limit: a token bucket with a clock that tests can replace. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/fork_mutex.h"

namespace ckpt::storage {

using Sleep = std::function<void(std::int64_t ns)>;

// Suspends the thread.
void sleep_ns(std::int64_t ns);

class RateLimit {
 public:
  // bytes_per_second >= 1. burst_bytes pass without delay after a pause. clock nullptr: the system's; empty sleep: a real sleep.
  RateLimit(std::int64_t bytes_per_second, std::int64_t burst_bytes, std::shared_ptr<const base::Clock> clock, Sleep sleep);

  // Takes bytes from the bucket and returns when the resulting debt is paid. Fails with Error(cancelled) soon after *stop (which
  // may be nullptr) becomes true.
  void take(std::int64_t bytes, const std::atomic<bool>* stop);

 private:
  std::int64_t due_after(std::int64_t bytes);

  double ns_per_byte_;
  std::int64_t burst_ns_;
  std::shared_ptr<const base::Clock> clock_;
  Sleep sleep_;
  base::ForkMutex mutex_;
  std::int64_t paid_at_ns_;  // time at which the debt is paid
};

// Fails with Error(cancelled) if *stop is true; stop may be nullptr.
void require_running(const std::atomic<bool>* stop);

}  // namespace ckpt::storage
