// A mutex for objects that own no threads: in a forked child they work on, unless a thread that the child does not have was inside
// at that moment. What it left is neither the state before nor the one after, and no thread will ever unlock: Error(forked)
// instead.
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
  // What is known, beside four times the generation that it is known of.
  static constexpr std::uint64_t looking = 1;
  static constexpr std::uint64_t lost = 2;

  // The first thread that comes in a new process finds out for all.
  void look() {
    const std::uint64_t now = 4 * fork_generation();
    for (std::uint64_t seen = known_.load(std::memory_order_acquire); seen != now;) {
      if (seen == (now | lost)) fail(Status::forked, "a thread that stayed in the parent process was at work here when it forked");
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
