// All tasks of one manager from admission to end: which live, who takes them next, how they ended, who was notified. Synchronised.
//
// Threads that are at work for the manager, or inside one of its callbacks, have entered this object (base::Entered).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "async/mailbox.h"
#include "async/notifier.h"
#include "async/queue.h"
#include "async/table.h"
#include "async/task.h"
#include "base/log.h"
#include "base/wait_point.h"

namespace ckpt::async {

// Writes text() to the log. Called without a lock, on threads that have entered the Tasks. Drops the message if memory is short,
// also within text().
template <class Text>
void say_text(base::LogLevel level, const Text& text) noexcept {
  if (!base::is_logged(level)) return;
  try {
    base::write_log(level, "async", text());
  } catch (const std::bad_alloc&) {
  }
}
template <class... Pieces>
void say(base::LogLevel level, const Pieces&... pieces) noexcept {
  say_text(level, [&] { return base::cat(pieces...); });
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

// How many tasks ended how, and what staging and writing took.
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

  // A place and an id, as the task's options say for when there is no place. Error(queue_full), Error(closed).
  void admit(const std::shared_ptr<Task>& task);
  // What admit would throw now, once it has waited as the task says, without a place being taken.
  void require_place(const std::shared_ptr<Task>& task);
  // A worker may take it when its gate is open.
  void hand_over(const Task& task) { queue_.hand_over(task.place, task.id); }
  // For a worker: the next task, which has been started; nullptr when there will be none.
  std::shared_ptr<Task> take();
  void note_staged(Task& task, std::int64_t stall_ns, When when);
  // More bytes than before.
  void note_written(Task& task, std::int64_t bytes);
  void note_read(Task& task, std::int64_t done_bytes, std::int64_t total_bytes);
  // Ends a task, releases its place and notifies all; false when it is not, or no longer, in phase from.
  bool finish(Task& task, Task::Phase from, Task::Phase to, TaskResult&& result, When when = When::now);
  void fail(Task& task, const base::Error& error);
  // True when the task ends cancelled because of this.
  bool cancel(Task& task, When when);
  void cancel_all();

  // ---- Gates ----

  void open_gate(Task& task);
  void open_all_gates();
  void end_step(std::int64_t step);

  // ---- Closing ----

  // Nothing is admitted from now on. True for the first to say so.
  bool stop_admitting() noexcept { return !closing_.exchange(true); }
  // All gates are open as well, and whoever waits looks again.
  void close();
  bool is_closing() const noexcept { return closing_.load(); }
  // Closing, and no task lives: a thread has nothing more to do.
  bool is_over() const noexcept { return closing_.load() && queue_.live() == 0; }
  // False when tasks live after that time.
  bool wait_for_ends(std::int64_t timeout_ns);
  // The thread that stages cancels, once, what lives at this moment, for a manager that no caller will close.
  void set_deadline(std::int64_t at_ns) noexcept { deadline_ns_.store(at_ns); }
  // Cancels the live tasks of a manager without references, so that no caller receives their results, and counts them.
  void abandon_all();
  // The number of tasks that abandon_all has cancelled.
  std::int64_t abandoned() const noexcept { return abandoned_.load(); }

  // ---- For the threads that stage and that notify ----

  void stage_later(std::shared_ptr<Task> task) { to_stage_.push(std::move(task)); }
  // The next one that waits to be staged; nullptr when there will be none.
  std::shared_ptr<Task> next_to_stage();
  void serve_notifications();

  // ---- Look ----

  const TaskTable& table() const noexcept { return table_; }
  Failures& failures() noexcept { return failures_; }
  const Failures& failures() const noexcept { return failures_; }
  std::int64_t live() const noexcept { return queue_.live(); }
  AsyncStats stats() const;  // staging_bytes is not known here
  std::int64_t queue_entries() const { return queue_.size(); }

 private:
  bool add_failure(const Task& task, const TaskResult& result) noexcept;
  // Visits the live tasks, the oldest first, without allocating a list of them.
  template <class Visit>
  void for_each_live(const Visit& visit) {
    for (auto task = table_.live_after(0); task != nullptr; task = table_.live_after(task->id)) visit(*task);
  }
  bool try_admit(Task& task);
  bool wait_for_place(Task& task);
  bool drop_oldest();
  [[noreturn]] void reject(const std::shared_ptr<Task>& task);
  TaskQueue::Standing standing_of(std::int64_t id) const;
  void note_notified(Task& task);
  void wake_all() noexcept;

  TaskTable table_;
  TaskQueue queue_;
  Mailbox to_stage_;
  Notifier notifier_;
  Failures failures_;
  Counters counters_;

  std::atomic<bool> closing_{false};
  std::atomic<std::int64_t> deadline_ns_{-1};        // -1: none
  std::atomic<std::int64_t> untold_{0};              // admitted tasks whose listeners do not know of their end yet
  std::atomic<std::int64_t> waiting_for_places_{0};  // callers, without a limit: all gates are open meanwhile
  std::atomic<bool> gates_are_open_{false};          // for ever
  std::atomic<std::int64_t> ended_step_{-1};
  std::atomic<std::int64_t> abandoned_{0};
  base::WaitPoint places_;  // a task ended
};

}  // namespace ckpt::async
