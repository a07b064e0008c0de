#include "state/ranks/save_order.h"

#include <chrono>

namespace ckpt::state {

std::int64_t SaveOrder::draw() {
  const std::lock_guard lock(mutex_);
  live_.insert(next_);
  return next_++;
}

bool SaveOrder::wait_for(std::int64_t number, const std::atomic<bool>* stop) {
  // The thread that cancels a save does not notify this one, so stop is polled.
  constexpr std::chrono::milliseconds look{20};
  std::unique_lock lock(mutex_);
  while (*live_.begin() != number) {
    if (stop != nullptr && stop->load()) return false;
    changed_.wait_for(lock, look);
  }
  return true;
}

void SaveOrder::end(std::int64_t number) {
  const std::lock_guard lock(mutex_);
  live_.erase(number);
  changed_.notify_all();
}

}  // namespace ckpt::state
