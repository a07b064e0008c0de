// A lock for critical sections of a few nanoseconds.
#pragma once

#include <atomic>
#include <thread>

#include "base/wait_point.h"

namespace ckpt::memory {

// Exponential back-off is what makes it fast under contention: while one thread waits out its pauses, the other runs many sections
// from its own cache. A holder that lost its processor is waited for by giving the processor away.
class SpinLock {
 public:
  void lock() noexcept {
    if (!held_.exchange(true, std::memory_order_acquire)) [[likely]]
      return;
    wait();
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  // Chosen by throughput, fairness and tail of two threads that do nothing but events (the table is in docs/memory.md): a
  // shorter first wait gives the line back too early, a longer last one starves whoever waits.
  static constexpr int first_pauses = 128;
  static constexpr int most_pauses = 256;

  [[gnu::noinline]] void wait() noexcept {
    int pauses = first_pauses;
    do {
      for (int i = 0; i < pauses; ++i) base::spin_pause();
      if (pauses < most_pauses) {
        pauses *= 2;
      } else {
        std::this_thread::yield();
      }
    } while (held_.load(std::memory_order_relaxed) || held_.exchange(true, std::memory_order_acquire));
  }

  std::atomic<bool> held_{false};
};

}  // namespace ckpt::memory
