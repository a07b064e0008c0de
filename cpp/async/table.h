// Which tasks there are, by id, in which order they ended, and which failures no caller has seen. Ids are 1, 2, 3, ...: none names
// two tasks. Synchronised.
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
  // history: how many that have ended stay.
  explicit TaskTable(std::int64_t history) : history_(history) {}

  // Gives the task its id.
  void add(const std::shared_ptr<Task>& task);
  // The task has ended and its listeners know: it is in the history, where the oldest may go, and whoever waits for it returns.
  // Allocates nothing.
  void note_notified(Task& task);
  // nullptr when there is none, or none any more.
  std::shared_ptr<Task> find(std::int64_t id) const;
  // Calls visit with the task or nullptr, under the lock: for who must not come to hold the last reference.
  template <class Visit>
  auto look(std::int64_t id, const Visit& visit) const {
    const std::lock_guard lock(mutex_);
    const Known* const known = known_of(id);
    return visit(static_cast<const Task*>(known == nullptr ? nullptr : known->task.get()));
  }
  // That have not ended, the oldest first; these and those whose listeners are still being notified of the end; and that have
  // ended, in the order in which they did.
  std::vector<std::shared_ptr<Task>> live() const;
  // Returns the live task with the lowest id above this one; nullptr when there is none. Allocates nothing.
  std::shared_ptr<Task> live_after(std::int64_t id) const;
  std::vector<std::shared_ptr<Task>> not_notified() const;
  std::vector<std::shared_ptr<Task>> ended() const;
  std::int64_t size() const;

 private:
  struct Known {
    std::shared_ptr<Task> task;
    std::int64_t ended_next = 0;  // the id of the one that ended after it
  };
  using ById = std::map<std::int64_t, Known>;
  // Under the lock.
  const Known* known_of(std::int64_t id) const;

  std::int64_t history_;
  mutable std::mutex mutex_;
  ById current_;
  ById ended_;
  std::int64_t first_ended_ = 0;  // ids
  std::int64_t last_ended_ = 0;
  std::int64_t last_id_ = 0;
};

// The tasks that failed and that no caller has seen fail: each is reported once, the oldest first.
class Failures {
 public:
  // id: of the task; the lower one is the older.
  bool add(std::int64_t id, base::Error error);  // false: it has one already
  // A caller has seen how this task ended.
  void forget(std::int64_t id);
  // Counts a failure that could not be stored for lack of memory: it is reported after the others, without its reason.
  void add_unnamed() noexcept;
  // The oldest one, which is reported now; its message says how many more there are.
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
