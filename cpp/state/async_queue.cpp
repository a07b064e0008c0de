#include "state/async_queue.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace ckpt::state {

TaskQueue::TaskQueue(std::int64_t most_live, std::function<bool(std::int64_t id)> is_alive) : is_alive_(std::move(is_alive)) {
  constexpr std::int64_t smallest = 64;  // so that sorting out is rare
  for (auto& lane : lanes_) lane = std::make_unique<Lane>(std::max(smallest, 2 * most_live));
}

void TaskQueue::push(std::int64_t id, std::int32_t priority) {
  Lane& lane = *lanes_[static_cast<std::size_t>(priority)];
  {
    const std::lock_guard lock(producers_);
    if (!lane.try_push(id)) {
      compact(lane);
      if (!lane.try_push(id)) base::fail(base::Status::internal, "the queue holds more living tasks than it has places for");
    }
  }
  entries_.wake_all();
}

void TaskQueue::compact(Lane& lane) {
  const std::lock_guard lock(consumers_);
  std::int64_t id = 0;
  for (std::int64_t left = lane.size(); left > 0 && lane.try_pop(id); --left) {
    if (is_alive_(id)) lane.try_push(id);  // has a place: its own
  }
}

std::int64_t TaskQueue::try_pop() {
  const std::lock_guard lock(consumers_);
  std::int64_t id = 0;
  for (auto lane = lanes_.rbegin(); lane != lanes_.rend(); ++lane) {
    if ((*lane)->try_pop(id)) return id;
  }
  return 0;
}

std::int64_t TaskQueue::pop(const std::function<bool()>& stop) {
  std::int64_t id = 0;
  entries_.wait(
      [&] {
        // Asked first: what was pushed before it became true is found after it.
        const bool stopped = stop();
        id = try_pop();
        return id != 0 || stopped;
      },
      -1);
  return id;
}

std::int64_t TaskQueue::size() const {
  std::int64_t size = 0;
  for (const auto& lane : lanes_) size += lane->size();
  return size;
}

}  // namespace ckpt::state
