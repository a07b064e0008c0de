#include "async/queue.h"

#include <algorithm>
#include <utility>

namespace ckpt::async {

TaskQueue::TaskQueue(std::int64_t capacity, std::function<Standing(std::int64_t id)> standing)
    : standing_(std::move(standing)), free_(capacity), handed_(capacity), handed_ids_(static_cast<std::size_t>(capacity)) {
  for (std::int32_t place = 0; place < capacity; ++place) free_.try_push(place);
  // Space for the entries that sort_out keeps, those present before it runs, and one round of take_over: adding entries then
  // never allocates, so none is lost when memory is short.
  const auto most = static_cast<std::size_t>(3 * capacity);
  ready_.reserve(most);
  held_.reserve(most);
}

// ---- For callers ----

std::int32_t TaskQueue::try_admit() {
  std::int64_t live = live_.load();
  do {
    if (live >= capacity()) return no_place;
  } while (!live_.compare_exchange_weak(live, live + 1));
  std::int32_t place = no_place;
  while (!free_.try_pop(place)) base::spin_pause();  // succeeds soon: places are released before the count decreases
  return place;
}

void TaskQueue::give_back(std::int32_t place) {
  free_.try_push(place);
  live_.fetch_sub(1);
}

// If two tasks had the same place, the later one, with the higher id, applies: the other one has ended.
void TaskQueue::hand_over(std::int32_t place, std::int64_t id) {
  std::atomic<std::int64_t>& handed_id = handed_ids_[static_cast<std::size_t>(place)];
  std::int64_t known = handed_id.load();
  do {
    if (known > id) return;
  } while (!handed_id.compare_exchange_weak(known, id));
  if (known == 0) handed_.try_push(place);  // otherwise the place is in the queue, or about to be pushed
  entries_.wake_all();
}

void TaskQueue::look_again() noexcept {
  gates_.fetch_add(1);
  entries_.wake_all();
}

// ---- For workers ----

bool TaskQueue::goes_later(const Entry& a, const Entry& b) noexcept {
  return a.priority != b.priority ? a.priority < b.priority : a.id > b.id;
}

TaskQueue::Fate TaskQueue::sort_in(std::int64_t id) {
  const Standing standing = standing_(id);
  if (standing.fate == Fate::ready) {
    ready_.push_back({id, standing.priority});
    std::ranges::push_heap(ready_, goes_later);
  }
  return standing.fate;
}

bool TaskQueue::look_at_held() {
  looked_ = gates_.load();  // before any gate is checked: a gate that opens meanwhile increments it again
  std::size_t kept = 0;
  for (const std::int64_t id : held_) {
    if (sort_in(id) == Fate::held) held_[kept++] = id;
  }
  const bool some_left = kept < held_.size();
  held_.resize(kept);
  return some_left;
}

bool TaskQueue::take_over() {
  if (ready_.size() + held_.size() > 2 * handed_ids_.size()) sort_out();
  bool some_ready = false;
  std::int32_t place = no_place;
  for (std::int64_t left = handed_.size(); left > 0 && handed_.try_pop(place); --left) {
    const std::int64_t id = handed_ids_[static_cast<std::size_t>(place)].exchange(0);
    const Fate fate = sort_in(id);
    if (fate == Fate::held) held_.push_back(id);
    if (fate == Fate::ready) some_ready = true;
  }
  return some_ready;
}

// Tasks are queried one after the other while gates open. A task found ready may have become so together with tasks queried
// before it and held. To keep their order by priority, all held ones are queried again until no further task is added.
void TaskQueue::put_in_order() {
  bool some_came = gates_.load() != looked_ && look_at_held();
  some_came |= take_over();
  while (some_came) {
    some_came = look_at_held();
    some_came |= take_over();
  }
}

// Keeps at most `capacity` entries, so that the work per entry does not grow.
void TaskQueue::sort_out() {
  const auto is_dead = [this](std::int64_t id) { return standing_(id).fate == Fate::dead; };
  std::erase_if(ready_, [&](const Entry& entry) { return is_dead(entry.id); });
  std::ranges::make_heap(ready_, goes_later);
  std::erase_if(held_, is_dead);
}

std::int64_t TaskQueue::try_pop() {
  const std::lock_guard lock(order_);
  put_in_order();
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
        // Checked first: everything handed over before it became true is then found.
        const bool stopped = stop();
        id = try_pop();
        return id != 0 || stopped;
      },
      -1);
  return id;
}

std::int64_t TaskQueue::size() const {
  const std::lock_guard lock(order_);
  return handed_.size() + static_cast<std::int64_t>(ready_.size() + held_.size());
}

}  // namespace ckpt::async
