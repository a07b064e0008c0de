#include "state/ranks/turns.h"

#include <chrono>

namespace ckpt::state {

std::int64_t Turns::draw() {
  const std::lock_guard lock(mutex_);
  live_.insert(next_);
  return next_++;
}

bool Turns::wait_for(std::int64_t number, const std::atomic<bool>* stop) {
  // Who stops a save does not know of this place: it is looked at now and then.
  constexpr std::chrono::milliseconds look{20};
  std::unique_lock lock(mutex_);
  while (*live_.begin() != number) {
    if (stop != nullptr && stop->load()) return false;
    changed_.wait_for(lock, look);
  }
  return true;
}

void Turns::end(std::int64_t number) {
  const std::lock_guard lock(mutex_);
  live_.erase(number);
  changed_.notify_all();
}

}  // namespace ckpt::state
