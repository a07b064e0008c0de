#include "async/queue.h"

#include <algorithm>
#include <utility>

namespace ckpt::async {

TaskQueue::TaskQueue(std::int64_t capacity, std::function<EntryState(std::int64_t id)> state)
    : state_of_(std::move(state)), free_(capacity), published_(capacity), published_ids_(static_cast<std::size_t>(capacity)) {
  for (std::int32_t place = 0; place < capacity; ++place) free_.try_push(place);
  // Space for the entries that remove_ended keeps, those present before it runs, and one round of take_published: adding entries
  // then never allocates, so none is lost when memory is short.
  const auto max = static_cast<std::size_t>(3 * capacity);
  ready_.reserve(max);
  blocked_.reserve(max);
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

void TaskQueue::release_place(std::int32_t place) {
  free_.try_push(place);
  live_.fetch_sub(1);
}

// If two tasks had the same place, the later one, with the higher id, applies: the other one has ended.
void TaskQueue::publish(std::int32_t place, std::int64_t id) {
  std::atomic<std::int64_t>& published_id = published_ids_[static_cast<std::size_t>(place)];
  std::int64_t known = published_id.load();
  do {
    if (known > id) return;
  } while (!published_id.compare_exchange_weak(known, id));
  if (known == 0) published_.try_push(place);  // otherwise the place is in the queue, or about to be pushed
  entries_.wake_all();
}

void TaskQueue::recheck_gates() noexcept {
  gates_.fetch_add(1);
  entries_.wake_all();
}

// ---- For workers ----

bool TaskQueue::has_lower_priority(const Entry& a, const Entry& b) noexcept {
  return a.priority != b.priority ? a.priority < b.priority : a.id > b.id;
}

TaskQueue::Readiness TaskQueue::add_by_state(std::int64_t id) {
  const EntryState state = state_of_(id);
  if (state.readiness == Readiness::ready) {
    ready_.push_back({id, state.priority});
    std::ranges::push_heap(ready_, has_lower_priority);
  }
  return state.readiness;
}

bool TaskQueue::recheck_blocked() {
  checked_gates_ = gates_.load();  // before any gate is checked: a gate that opens meanwhile increments it again
  std::size_t kept = 0;
  for (const std::int64_t id : blocked_) {
    if (add_by_state(id) == Readiness::blocked) blocked_[kept++] = id;
  }
  const bool some_left = kept < blocked_.size();
  blocked_.resize(kept);
  return some_left;
}

bool TaskQueue::take_published() {
  if (ready_.size() + blocked_.size() > 2 * published_ids_.size()) remove_ended();
  bool some_ready = false;
  std::int32_t place = no_place;
  for (std::int64_t left = published_.size(); left > 0 && published_.try_pop(place); --left) {
    const std::int64_t id = published_ids_[static_cast<std::size_t>(place)].exchange(0);
    const Readiness readiness = add_by_state(id);
    if (readiness == Readiness::blocked) blocked_.push_back(id);
    if (readiness == Readiness::ready) some_ready = true;
  }
  return some_ready;
}

// Tasks are queried one after the other while gates open. A task found ready may have become so together with tasks queried
// before it and blocked. To keep their order by priority, all blocked ones are queried again until no further task is added.
void TaskQueue::update_order() {
  bool some_came = gates_.load() != checked_gates_ && recheck_blocked();
  some_came |= take_published();
  while (some_came) {
    some_came = recheck_blocked();
    some_came |= take_published();
  }
}

// Keeps at most `capacity` entries, so that the work per entry does not grow.
void TaskQueue::remove_ended() {
  const auto is_ended = [this](std::int64_t id) { return state_of_(id).readiness == Readiness::ended; };
  std::erase_if(ready_, [&](const Entry& entry) { return is_ended(entry.id); });
  std::ranges::make_heap(ready_, has_lower_priority);
  std::erase_if(blocked_, is_ended);
}

std::int64_t TaskQueue::try_pop() {
  const std::lock_guard lock(order_);
  update_order();
  if (ready_.empty()) return 0;
  std::ranges::pop_heap(ready_, has_lower_priority);
  const std::int64_t id = ready_.back().id;
  ready_.pop_back();
  return id;
}

std::int64_t TaskQueue::pop(const std::function<bool()>& stop) {
  std::int64_t id = 0;
  entries_.wait(
      [&] {
        // Checked first: everything published before it became true is then found.
        const bool stopped = stop();
        id = try_pop();
        return id != 0 || stopped;
      },
      -1);
  return id;
}

std::int64_t TaskQueue::size() const {
  const std::lock_guard lock(order_);
  return published_.size() + static_cast<std::int64_t>(ready_.size() + blocked_.size());
}

}  // namespace ckpt::async
