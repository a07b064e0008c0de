// A point where threads wait for a condition that other threads make true without taking a lock.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/os/thread.h"

namespace ckpt::base {

// Pauses a spinning thread briefly.
inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

// The waker makes the condition true (an atomic store) and calls wake_all(); the waiter's predicate reads that atomic. Waking
// costs a fence and one load if no thread is parked.
class WaitPoint {
 public:
  WaitPoint() {}
  // In a forked child the parent's threads still count as waiting: destroying the condition variable would wait for them.
  ~WaitPoint() {
    if (generation_ == fork_generation()) condition_.~condition_variable();
  }
  WaitPoint(const WaitPoint&) = delete;
  WaitPoint& operator=(const WaitPoint&) = delete;

  // Waits until ready() is true: spins briefly, then parks. timeout_ns -1 waits indefinitely, 0 only checks once. Returns
  // ready().
  template <class Ready>
  bool wait(Ready&& ready, std::int64_t timeout_ns, int spins = 200) {
    if (ready()) return true;
    if (timeout_ns == 0) return false;
    for (int i = 0; i < spins; ++i) {
      spin_pause();
      if (ready()) return true;
    }
    std::unique_lock lock(mutex_);
    parked_.fetch_add(1, std::memory_order_relaxed);
    // Pairs with the fence in wake_all: either the waker sees the parked thread, or this thread sees the condition.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    bool done = true;
    if (timeout_ns < 0) {
      condition_.wait(lock, ready);
    } else {
      // A timeout beyond a century is treated as a century; adding more to the clock would overflow.
      constexpr std::int64_t century_ns = INT64_C(100) * 365 * 24 * 3600 * 1000000000;
      done = condition_.wait_for(lock, std::chrono::nanoseconds(timeout_ns < century_ns ? timeout_ns : century_ns), ready);
    }
    parked_.fetch_sub(1, std::memory_order_relaxed);
    return done;
  }

  void wake_all() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (parked_.load(std::memory_order_relaxed) == 0) return;
    { const std::lock_guard lock(mutex_); }
    condition_.notify_all();
  }

 private:
  std::atomic<std::int32_t> parked_{0};
  std::uint64_t generation_ = fork_generation();
  std::mutex mutex_;
  union {
    std::condition_variable condition_{};
  };
};

}  // namespace ckpt::base
