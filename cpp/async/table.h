// Where tasks live: slots with generations, so that an id names one task for ever and never another; and which tasks ended last.
// Synchronised.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "async/task.h"

namespace ckpt::async {

class TaskTable {
 public:
  // history: how many that have ended stay.
  explicit TaskTable(std::int64_t history) : history_(history) {}

  // Gives the task its id.
  void add(const std::shared_ptr<Task>& task);
  // The task has ended and everybody knows: from now on it is in the history, and the oldest there may go.
  void note_end(const Task& task);
  // nullptr when there is none, or none any more.
  std::shared_ptr<Task> find(std::int64_t id) const;
  // Calls visit with the task or nullptr, under the lock: for who must not come to hold the last reference.
  template <class Visit>
  auto look(std::int64_t id, const Visit& visit) const {
    const std::lock_guard lock(mutex_);
    const Slot* const slot = slot_of(id);
    return visit(static_cast<const Task*>(slot == nullptr ? nullptr : slot->task.get()));
  }
  // That have not ended, the oldest first; these and those whose listeners are still being told of the end; and that have ended, in
  // the order in which they did.
  std::vector<std::shared_ptr<Task>> live() const;
  std::vector<std::shared_ptr<Task>> untold() const;
  std::vector<std::shared_ptr<Task>> ended() const;
  std::int64_t slots() const;

 private:
  template <class Wanted>
  std::vector<std::shared_ptr<Task>> in_order(const Wanted& wanted) const;

  struct Slot {
    std::int64_t generation = 0;
    std::shared_ptr<Task> task;  // nullptr: free
  };
  // Under the lock; nullptr when the id is none, or its slot was given to another.
  const Slot* slot_of(std::int64_t id) const;

  std::int64_t history_;
  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;
  std::deque<std::size_t> ended_;
  std::int64_t next_sequence_ = 0;
};

}  // namespace ckpt::async
