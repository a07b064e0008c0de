// A mutex for objects that own no threads. In a forked child such objects stay usable, unless a thread that exists only in the
// parent held the mutex at the fork: the object is then half-modified and the mutex will never be unlocked. lock() fails with
// Error(forked) in that case.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/os/thread.h"

namespace ckpt::base {

class ForkMutex {
 public:
  ForkMutex() = default;
  ForkMutex(const ForkMutex&) = delete;
  ForkMutex& operator=(const ForkMutex&) = delete;

  void lock() {
    if (known_.load(std::memory_order_acquire) != 4 * fork_generation()) [[unlikely]]
      look();
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }

 private:
  // The state of the check, plus four times the fork generation that it applies to.
  static constexpr std::uint64_t looking = 1;
  static constexpr std::uint64_t lost = 2;

  // The first thread that locks in a new process checks for all threads.
  void look() {
    const std::uint64_t now = 4 * fork_generation();
    for (std::uint64_t seen = known_.load(std::memory_order_acquire); seen != now;) {
      if (seen == (now | lost)) fail(Status::forked, "a thread of the parent process was using this object at the fork");
      if (seen == (now | looking)) {
        std::this_thread::yield();
        seen = known_.load(std::memory_order_acquire);
        continue;
      }
      if (!known_.compare_exchange_weak(seen, now | looking, std::memory_order_acq_rel)) continue;
      const bool free = mutex_.try_lock();
      if (free) mutex_.unlock();
      seen = free ? now : now | lost;
      known_.store(seen, std::memory_order_release);
    }
  }

  std::mutex mutex_;
  std::atomic<std::uint64_t> known_{4 * fork_generation()};
};

}  // namespace ckpt::base
