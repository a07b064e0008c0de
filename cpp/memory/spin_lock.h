// A lock for critical sections of a few nanoseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "base/error.h"
#include "base/os/fork.h"
#include "base/wait_point.h"

namespace ckpt::memory {

// Exponential back-off makes it fast under contention: while one thread pauses, the other runs many sections from its own cache.
// If the holder was preempted, waiting threads yield the processor. In a forked child, if another thread of the parent was in a
// section at the fork, lock() fails with Error(forked): the protected state is half-modified.
class SpinLock {
 public:
  void lock() {
    const std::uint32_t own = base::process_mark();
    const std::uint32_t before = holder_.exchange(own, std::memory_order_acquire);
    if (before == 0) [[likely]]
      return;
    wait(before, own);
  }
  void unlock() noexcept { holder_.store(0, std::memory_order_release); }

 private:
  // Chosen by throughput, fairness and tail latency of two threads that only record events (the table is in
  // docs/explanation/benchmarks.md): a shorter first wait returns the cache line too early, a longer last one starves the waiting
  // threads.
  static constexpr int first_pauses = 128;
  static constexpr int max_pauses = 256;

  [[gnu::noinline]] void wait(std::uint32_t before, std::uint32_t own) {
    // The exchange replaced the parent process's mark with this process's. The thread that sees the old mark sets the flag, and
    // the lock stays closed permanently.
    if (before != own) abandoned_.store(true, std::memory_order_relaxed);
    int pauses = first_pauses;
    do {
      for (int i = 0; i < pauses; ++i) base::spin_pause();
      if (abandoned_.load(std::memory_order_relaxed)) {
        base::fail(base::Status::forked, "a thread of the parent process was changing this tracker at the fork");
      }
      if (pauses < max_pauses) {
        pauses *= 2;
      } else {
        std::this_thread::yield();
      }
    } while (holder_.load(std::memory_order_relaxed) != 0 || holder_.exchange(own, std::memory_order_acquire) != 0);
  }

  std::atomic<std::uint32_t> holder_{0};  // process mark of the holder; 0: unlocked
  std::atomic<bool> abandoned_{false};
};

}  // namespace ckpt::memory
