// A lock for critical sections of a few nanoseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "base/error.h"
#include "base/os/fork.h"
#include "base/wait_point.h"

namespace ckpt::memory {

// Exponential back-off is what makes it fast under contention: while one thread waits out its pauses, the other runs many sections
// from its own cache. A holder that lost its processor is waited for by giving the processor away. In a forked child whose parent
// had another thread in a section, locking is Error(forked): what the lock guards was half changed.
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
  // Chosen by throughput, fairness and tail of two threads that do nothing but events (the table is in docs/reference/memory.md): a
  // shorter first wait returns the line too early, a longer last one starves the threads that wait.
  static constexpr int first_pauses = 128;
  static constexpr int most_pauses = 256;

  [[gnu::noinline]] void wait(std::uint32_t before, std::uint32_t own) {
    // The exchange has put this process's mark in the place of the other's: whoever sees that says so, and the lock is never open
    // again.
    if (before != own) abandoned_.store(true, std::memory_order_relaxed);
    int pauses = first_pauses;
    do {
      for (int i = 0; i < pauses; ++i) base::spin_pause();
      if (abandoned_.load(std::memory_order_relaxed)) {
        base::fail(base::Status::forked, "a thread of the parent process was changing this tracker at the fork");
      }
      if (pauses < most_pauses) {
        pauses *= 2;
      } else {
        std::this_thread::yield();
      }
    } while (holder_.load(std::memory_order_relaxed) != 0 || holder_.exchange(own, std::memory_order_acquire) != 0);
  }

  std::atomic<std::uint32_t> holder_{0};  // its process's mark; 0: open
  std::atomic<bool> abandoned_{false};
};

}  // namespace ckpt::memory
