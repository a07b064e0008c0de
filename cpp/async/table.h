// All tasks by id, the order in which they ended, and the failures that no caller has seen. Ids are 1, 2, 3, ... and never
// reused. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "async/task.h"
#include "base/error.h"
#include "state/unreported.h"

namespace ckpt::async {

class TaskTable {
 public:
  // history: number of ended tasks to keep.
  explicit TaskTable(std::int64_t history) : history_(history) {}

  // Assigns the task's id.
  void add(const std::shared_ptr<Task>& task);
  // Records that the task has ended and its listeners were notified: moves it to the history, which may drop the oldest, and
  // releases waiting threads. Allocates nothing.
  void note_notified(Task& task);
  // Returns nullptr if the id is unknown or no longer in the history.
  std::shared_ptr<Task> find(std::int64_t id) const;
  // Calls visit with the task or nullptr, under the lock: for callers that must not end up with the last reference.
  template <class Visit>
  auto look(std::int64_t id, const Visit& visit) const {
    const std::lock_guard lock(mutex_);
    const Known* const known = known_of(id);
    return visit(static_cast<const Task*>(known == nullptr ? nullptr : known->task.get()));
  }
  // Returns the tasks that have not ended, oldest first; those plus tasks with listeners still being notified of the end; and the
  // ended ones, in the order in which they ended.
  std::vector<std::shared_ptr<Task>> live() const;
  // Returns the live task with the lowest id above this one; nullptr if there is none. Allocates nothing.
  std::shared_ptr<Task> live_after(std::int64_t id) const;
  std::vector<std::shared_ptr<Task>> not_notified() const;
  std::vector<std::shared_ptr<Task>> ended() const;
  std::int64_t size() const;

 private:
  struct Known {
    std::shared_ptr<Task> task;
    std::int64_t ended_next = 0;  // the id of the task that ended after this one
  };
  using ById = std::map<std::int64_t, Known>;
  // Call with the lock held.
  const Known* known_of(std::int64_t id) const;

  std::int64_t history_;
  mutable std::mutex mutex_;
  ById current_;
  ById ended_;
  std::int64_t first_ended_ = 0;  // ids
  std::int64_t last_ended_ = 0;
  std::int64_t last_id_ = 0;
};

// The failed tasks that no caller has seen fail: each is reported once, oldest first.
class Failures {
 public:
  // id: of the task; the lower one is older.
  bool add(std::int64_t id, base::Error error);  // false: it already has one
  // Called when a caller has seen how this task ended.
  void remove(std::int64_t id);
  // Counts a failure that could not be stored for lack of memory: it is reported after the others, without its reason.
  void add_unnamed() noexcept;
  // Returns the oldest one and marks it as reported; its message contains the number of further ones.
  std::optional<base::Error> take();
  // Returns the same error without marking it as reported.
  std::optional<base::Error> oldest() const;
  // Returns all failures, the oldest first, and marks them as reported.
  std::vector<base::Error> take_all();
  // Returns the number of the remaining failures and the oldest one. Marks none as reported.
  state::Unreported left() const;

 private:
  // The caller holds mutex_.
  std::size_t count() const { return unseen_.size() + static_cast<std::size_t>(unnamed_); }
  std::optional<base::Error> first_of_all() const;

  mutable std::mutex mutex_;
  std::map<std::int64_t, base::Error> unseen_;  // by id
  std::int64_t unnamed_ = 0;
};

}  // namespace ckpt::async
