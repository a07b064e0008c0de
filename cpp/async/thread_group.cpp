#include "async/thread_group.h"

#include <utility>

namespace ckpt::async {

void ThreadGroup::start(std::string name, std::function<void()> body) {
  threads_.reserve(threads_.size() + 1);
  {
    const std::lock_guard lock(mutex_);
    ++left_;
  }
  try {
    threads_.push_back(std::make_unique<base::Thread>(std::move(name), [this, body = std::move(body)] {
      body();
      leave();
    }));
  } catch (...) {
    const std::lock_guard lock(mutex_);
    --left_;
    throw;
  }
}

// The last thread of an object without owners destroys it: no other thread may access it afterwards.
void ThreadGroup::leave() noexcept {
  std::shared_ptr<void> last;
  {
    const std::lock_guard lock(mutex_);
    if (--left_ > 0) return;
    last = std::move(keep_alive_);
    all_left_.store(true);
  }
  changed_.wake_all();
}

bool ThreadGroup::is_serving() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::serving;
}

bool ThreadGroup::decide(State state, std::shared_ptr<void> keep_alive) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::serving) return false;
  state_ = state;
  if (left_ > 0) keep_alive_ = std::move(keep_alive);
  return true;
}

bool ThreadGroup::join() {
  if (!decide(State::joined, nullptr)) {
    changed_.wait([this] { return all_left_.load(); }, -1);
    return false;
  }
  for (const auto& thread : threads_) thread->join();
  return true;
}

bool ThreadGroup::detach(std::shared_ptr<void> keep_alive) {
  if (!decide(State::detached, std::move(keep_alive))) return false;
  for (const auto& thread : threads_) thread->detach();
  return true;
}

}  // namespace ckpt::async
