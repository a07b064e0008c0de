#include "async/queue.h"

#include <algorithm>
#include <utility>

namespace ckpt::async {
namespace {

constexpr std::int64_t smallest_hand_over = 32;
constexpr std::int64_t largest_hand_over = 1024;

bool goes_later(const TaskQueue::Entry& a, const TaskQueue::Entry& b) {
  return a.priority != b.priority ? a.priority < b.priority : a.sequence > b.sequence;
}

}  // namespace

TaskQueue::TaskQueue(std::int64_t most_live, std::function<Fate(std::int64_t id)> fate)
    : fate_(std::move(fate)),
      handed_(std::clamp(most_live, smallest_hand_over, largest_hand_over)),
      sort_out_at_(static_cast<std::size_t>(handed_.capacity())) {
  // For all that live and the dead ones between two sortings: no entry is lost for want of memory.
  const auto most = static_cast<std::size_t>(2 * most_live + 2 * handed_.capacity());
  ready_.reserve(most);
  held_.reserve(most);
}

void TaskQueue::push(const Entry& entry) {
  while (!handed_.try_push(entry)) {
    const std::lock_guard lock(mutex_);
    take_over();
    if (ready_.size() + held_.size() >= sort_out_at_) sort_out();
  }
  entries_.wake_all();
}

void TaskQueue::look_again() noexcept {
  gates_.fetch_add(1);
  entries_.wake_all();
}

void TaskQueue::add_ready(const Entry& entry) {
  ready_.push_back(entry);
  std::ranges::push_heap(ready_, goes_later);
}

void TaskQueue::take_over() {
  Entry entry;
  for (std::int64_t left = handed_.size(); left > 0 && handed_.try_pop(entry); --left) {
    const Fate fate = entry.is_gated ? fate_(entry.id) : Fate::ready;
    if (fate == Fate::held) held_.push_back(entry);
    if (fate == Fate::ready) add_ready(entry);
  }
}

void TaskQueue::look_at_held() {
  // Read before anybody's gate is: one that opens meanwhile raises it again.
  const std::uint64_t gates = gates_.load();
  if (gates == looked_) return;
  looked_ = gates;
  std::size_t kept = 0;
  for (const Entry& entry : held_) {
    const Fate fate = fate_(entry.id);
    if (fate == Fate::held) held_[kept++] = entry;
    if (fate == Fate::ready) add_ready(entry);
  }
  held_.resize(kept);
}

void TaskQueue::sort_out() {
  const auto is_dead = [this](const Entry& entry) { return fate_(entry.id) == Fate::dead; };
  std::erase_if(ready_, is_dead);
  std::ranges::make_heap(ready_, goes_later);
  std::erase_if(held_, is_dead);
  // Doubling, so that the work per entry does not grow with the number of those that live.
  sort_out_at_ = std::max(static_cast<std::size_t>(handed_.capacity()), 2 * (ready_.size() + held_.size()));
}

std::int64_t TaskQueue::try_pop() {
  const std::lock_guard lock(mutex_);
  look_at_held();
  take_over();
  if (ready_.empty()) return 0;
  std::ranges::pop_heap(ready_, goes_later);
  const std::int64_t id = ready_.back().id;
  ready_.pop_back();
  return id;
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
  const std::lock_guard lock(mutex_);
  return handed_.size() + static_cast<std::int64_t>(ready_.size() + held_.size());
}

}  // namespace ckpt::async
