#include "async/table.h"

#include <algorithm>
#include <utility>

namespace ckpt::async {
namespace {

// An id is the slot's generation, which begins at 1, above its index.
constexpr int index_bits = 22;
constexpr std::int64_t index_mask = (std::int64_t{1} << index_bits) - 1;

}  // namespace

void TaskTable::add(const std::shared_ptr<Task>& task) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    free_.reserve(slots_.size() + 1);  // so that note_end cannot fail
    slots_.emplace_back();
    free_.push_back(slots_.size() - 1);
  }
  const std::size_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  ++slot.generation;
  task->id = slot.generation << index_bits | static_cast<std::int64_t>(index);
  task->sequence = next_sequence_++;
  slot.task = task;
}

void TaskTable::note_end(const Task& task) {
  std::shared_ptr<Task> evicted;  // goes after the lock: that may run a user's destroy function
  const std::lock_guard lock(mutex_);
  ended_.push_back(static_cast<std::size_t>(task.id & index_mask));
  if (static_cast<std::int64_t>(ended_.size()) <= history_) return;
  const std::size_t oldest = ended_.front();
  ended_.pop_front();
  evicted = std::exchange(slots_[oldest].task, nullptr);
  free_.push_back(oldest);
}

const TaskTable::Slot* TaskTable::slot_of(std::int64_t id) const {
  if (id <= 0) return nullptr;
  const auto index = static_cast<std::size_t>(id & index_mask);
  return index < slots_.size() && slots_[index].generation == id >> index_bits ? &slots_[index] : nullptr;
}

std::shared_ptr<Task> TaskTable::find(std::int64_t id) const {
  const std::lock_guard lock(mutex_);
  const Slot* const slot = slot_of(id);
  return slot == nullptr ? nullptr : slot->task;
}

template <class Wanted>
std::vector<std::shared_ptr<Task>> TaskTable::in_order(const Wanted& wanted) const {
  std::vector<std::shared_ptr<Task>> tasks;
  {
    const std::lock_guard lock(mutex_);
    for (const Slot& slot : slots_) {
      if (slot.task != nullptr && wanted(*slot.task)) tasks.push_back(slot.task);
    }
  }
  std::ranges::sort(tasks, {}, &Task::sequence);
  return tasks;
}

std::vector<std::shared_ptr<Task>> TaskTable::live() const {
  return in_order([](const Task& task) { return !task.has_ended(); });
}

std::vector<std::shared_ptr<Task>> TaskTable::untold() const {
  return in_order([](const Task& task) { return !task.was_told(); });
}

std::vector<std::shared_ptr<Task>> TaskTable::ended() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Task>> tasks;
  for (const std::size_t index : ended_) tasks.push_back(slots_[index].task);
  return tasks;
}

std::int64_t TaskTable::slots() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(slots_.size());
}

}  // namespace ckpt::async
