// All tasks of one manager from admission to end: live tasks, their order, their results, and notifications. Thread-safe.
//
// Threads that work for the manager, or run one of its callbacks, have entered this object (base::Entered).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "async/notifier.h"
#include "async/queue.h"
#include "async/table.h"
#include "async/task.h"
#include "async/task_fifo.h"
#include "base/log.h"
#include "base/wait_point.h"

namespace ckpt::async {

// Writes text() to the log. Called without a lock, on threads that have entered the Tasks. Drops the message if memory is short,
// also within text().
template <class Text>
void log_lazily(base::LogLevel level, const Text& text) noexcept {
  if (!base::is_logged(level)) return;
  try {
    base::write_log(level, "async", text());
  } catch (const std::bad_alloc&) {
  }
}
template <class... Pieces>
void log_message(base::LogLevel level, const Pieces&... pieces) noexcept {
  log_lazily(level, [&] { return base::cat(pieces...); });
}

struct AsyncStats {
  std::int64_t live_tasks = 0;
  std::int64_t running_tasks = 0;
  std::int64_t completed_tasks = 0;
  std::int64_t failed_tasks = 0;
  std::int64_t cancelled_tasks = 0;
  std::int64_t rejected_tasks = 0;
  std::int64_t in_flight_bytes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t staging_bytes = 0;
  std::int64_t stall_ns = 0;
  std::int64_t last_stall_ns = 0;
  std::int64_t unreported_failures = 0;
  base::Status unreported_status = base::Status::ok;
  std::string unreported_error = {};
};

// Numbers of tasks by result, and the times of staging and writing.
class Counters {
 public:
  void note_end(TaskState state) noexcept { ends_[static_cast<int>(state)].fetch_add(1); }
  void note_stall(std::int64_t stall_ns) noexcept;
  void note_written(std::int64_t bytes) noexcept { written_bytes_.fetch_add(bytes); }
  void fill(AsyncStats& stats) const noexcept;

 private:
  std::atomic<std::int64_t> ends_[6] = {};  // by TaskState
  std::atomic<std::int64_t> written_bytes_{0};
  std::atomic<std::int64_t> stall_ns_{0};
  std::atomic<std::int64_t> last_stall_ns_{0};
};

class Tasks {
 public:
  // listener: of all tasks, may be nullptr.
  Tasks(std::int64_t capacity, std::int64_t history, std::shared_ptr<TaskListener> listener);
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  // ---- From a task's begin to its end ----

  // Assigns a place and an id; the task's options determine what happens if no place is free. Error(queue_full), Error(closed).
  void admit(const std::shared_ptr<Task>& task);
  // Throws what admit would throw now, after waiting as the task specifies, without taking a place.
  void require_place(const std::shared_ptr<Task>& task);
  // A worker may take the task once its gate is open.
  void publish(const Task& task) { queue_.publish(task.place, task.id); }
  // For a worker: returns the next task, already started; nullptr if no more will follow.
  std::shared_ptr<Task> take();
  void note_copied(Task& task);
  void note_staged(Task& task, std::int64_t stall_ns, When when);
  // Adds to the written bytes.
  void note_written(Task& task, std::int64_t bytes);
  void note_read(Task& task, std::int64_t done_bytes, std::int64_t total_bytes);
  // Ends a task, releases its place and notifies everyone; returns false if it is not in phase `from`.
  bool finish(Task& task, Task::Phase from, Task::Phase to, TaskResult&& result, When when = When::now);
  void fail(Task& task, const base::Error& error);
  // Returns true if the task ends as cancelled because of this call.
  bool cancel(Task& task, When when);
  void cancel_all();

  // ---- Gates ----

  void open_gate(Task& task);
  void open_all_gates();
  void end_step(std::int64_t step);

  // ---- Closing ----

  // Admits no further tasks. Returns true for the first call.
  bool stop_admitting() noexcept { return !closing_.exchange(true); }
  // Also opens all gates, and wakes all waiting threads to check again.
  void close();
  bool is_closing() const noexcept { return closing_.load(); }
  // Closing, and no task is live: threads have nothing left to do.
  bool is_over() const noexcept { return closing_.load() && queue_.live() == 0; }
  // Returns false if tasks are still live after that time.
  bool wait_for_ends(std::int64_t timeout_ns);
  // At this time the staging thread cancels all live tasks once, for a manager that no caller will close.
  void set_deadline(std::int64_t at_ns) noexcept { deadline_ns_.store(at_ns); }
  // Cancels and counts the live tasks of a manager without references: no caller can receive their results.
  void abandon_all();
  // The number of tasks that abandon_all has cancelled.
  std::int64_t abandoned() const noexcept { return abandoned_.load(); }

  // ---- For the threads that stage and that notify ----

  void stage_later(std::shared_ptr<Task> task) { to_stage_.push(std::move(task)); }
  // Returns the next task to stage; nullptr if no more will follow.
  std::shared_ptr<Task> next_to_stage();
  void serve_notifications();

  // ---- Queries ----

  const TaskTable& table() const noexcept { return table_; }
  Failures& failures() noexcept { return failures_; }
  const Failures& failures() const noexcept { return failures_; }
  std::int64_t live() const noexcept { return queue_.live(); }
  AsyncStats stats() const;  // staging_bytes is not set here
  std::int64_t queue_entries() const { return queue_.size(); }

 private:
  bool add_failure(const Task& task, const TaskResult& result) noexcept;
  // Visits the live tasks, oldest first, without allocating a list of them.
  template <class Visit>
  void for_each_live(const Visit& visit) {
    for (auto task = table_.live_after(0); task != nullptr; task = table_.live_after(task->id)) visit(*task);
  }
  bool try_admit(Task& task);
  bool wait_for_place(Task& task);
  bool drop_oldest();
  [[noreturn]] void reject(const std::shared_ptr<Task>& task);
  TaskQueue::EntryState standing_of(std::int64_t id) const;
  void note_notified(Task& task);
  void wake_all() noexcept;

  TaskTable table_;
  TaskQueue queue_;
  TaskFifo to_stage_;
  Notifier notifier_;
  Failures failures_;
  Counters counters_;

  std::atomic<bool> closing_{false};
  std::atomic<std::int64_t> deadline_ns_{-1};        // -1: none
  std::atomic<std::int64_t> unnotified_{0};          // admitted tasks with listeners not notified of the end yet
  std::atomic<std::int64_t> waiting_for_places_{0};  // callers without a time limit: all gates are open meanwhile
  std::atomic<bool> gates_are_open_{false};          // permanently
  std::atomic<std::int64_t> ended_step_{-1};
  std::atomic<std::int64_t> abandoned_{0};
  base::WaitPoint places_;  // a task ended
};

}  // namespace ckpt::async
