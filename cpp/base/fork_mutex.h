// A mutex for objects that a forked child goes on using: a lock that a thread of the parent held at the fork, and that nobody will
// ever let go of in the child, is an error there and not a wait.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/error.h"
#include "base/os/thread.h"

namespace ckpt::base {

// For short critical sections, which call nobody. As std::mutex, but lock() throws Error(forked).
class ForkMutex {
 public:
  void lock() {
    const std::uint32_t mine = mark();
    for (;;) {
      std::uint32_t holder = 0;
      if (word_.compare_exchange_strong(holder, mine, std::memory_order_acquire, std::memory_order_relaxed)) return;
      if (holder != mine) fail(Status::forked, "a thread of the parent process was inside this object when the process was forked");
      word_.wait(holder, std::memory_order_relaxed);
    }
  }
  void unlock() noexcept {
    word_.store(0, std::memory_order_release);
    word_.notify_one();
  }

 private:
  // Not 0, and another number in a child than in its parent.
  static std::uint32_t mark() noexcept { return static_cast<std::uint32_t>(fork_generation()) * 2 + 1; }

  std::atomic<std::uint32_t> word_{0};  // the holder's mark, 0: nobody's
};

}  // namespace ckpt::base
