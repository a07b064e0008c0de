// The threads of one object: joined by the call that ends it, or detached, in which case the last thread frees the object.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/os/thread.h"
#include "base/wait_point.h"

namespace ckpt::async {

class ThreadGroup {
 public:
  // Call before all functions below, from one thread. body: must not throw.
  void start(std::string name, std::function<void()> body);

  // True until the first call of join or detach.
  bool is_serving() const;
  // Returns when all bodies have returned. Returns true for the one call that joined the threads.
  bool join();
  // Returns false if the decision was already made. Otherwise the threads are not joined, and the last one releases keep_alive.
  bool detach(std::shared_ptr<void> keep_alive);

 private:
  enum class State : std::uint8_t { serving, joined, detached };
  // Returns true for the call that makes the decision.
  bool decide(State state, std::shared_ptr<void> keep_alive);
  void leave() noexcept;

  std::vector<std::unique_ptr<base::Thread>> threads_;
  mutable std::mutex mutex_;  // held only for the next three
  State state_ = State::serving;
  std::int64_t left_ = 0;  // threads with a body that has not returned
  std::shared_ptr<void> keep_alive_;
  std::atomic<bool> all_left_{false};
  base::WaitPoint changed_;
};

}  // namespace ckpt::async
