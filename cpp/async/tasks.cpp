#include "async/tasks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/entered.h"
#include "base/error.h"

namespace ckpt::async {
namespace {

using base::cat;
using base::LogLevel;
using base::Status;
using Phase = Task::Phase;

TaskResult result_of(Status status, std::string error) {
  TaskResult result;
  result.status = status;
  result.error = std::move(error);
  return result;
}

void say_ended(const Task& task) {
  const TaskResult& result = task.result();
  switch (result.state) {
    case TaskState::completed:
      log_lazily(LogLevel::info,
                 [&] { return cat(task.name(), " completed: ", result.bytes, " bytes in ", base::quote(result.name)); });
      return;
    case TaskState::failed: log_lazily(LogLevel::error, [&] { return cat(task.name(), " failed: ", result.error); }); return;
    case TaskState::rejected: log_lazily(LogLevel::warning, [&] { return cat(task.name(), " rejected: ", result.error); }); return;
    default: log_lazily(LogLevel::info, [&] { return cat(task.name(), " cancelled"); });
  }
}

}  // namespace

Tasks::Tasks(std::int64_t capacity, std::int64_t history, std::shared_ptr<TaskListener> listener)
    : table_(history),
      queue_(capacity, [this](std::int64_t id) { return standing_of(id); }),
      notifier_(std::move(listener), this, [this](Task& task) { note_notified(task); }) {}

// ---- Admission ----

// Wakes no thread: it is also called under the lock of places_.
bool Tasks::try_admit(Task& task) {
  const std::int32_t place = queue_.try_admit();
  if (place == TaskQueue::no_place) return false;
  if (closing_.load()) {
    queue_.release_place(place);  // the threads may have ended: they leave when closing_ is true and no task is live
    return false;
  }
  task.place = place;
  return true;
}

bool Tasks::drop_oldest() {
  return std::ranges::any_of(table_.live(), [this](const std::shared_ptr<Task>& task) {
    return task->place >= 0 && task->phase() == Phase::queued &&
           finish(*task, Phase::queued, Phase::rejected, result_of(Status::queue_full, "dropped for a newer task"));
  });
}

void Tasks::reject(const std::shared_ptr<Task>& task) {
  const std::string message = cat("queue is full: ", queue_.capacity(), " tasks have not ended");
  task->options.listener.reset();  // the call fails, so the listener stays the caller's
  table_.add(task);
  if (task->end(Phase::queued, Phase::rejected, result_of(Status::queue_full, message))) {
    counters_.note_end(TaskState::rejected);
    say_ended(*task);
    table_.note_notified(*task);
  }
  base::fail(Status::queue_full, message);
}

// Without a time limit: the tasks that hold the places may wait at gates that this caller would open next.
bool Tasks::wait_for_place(Task& task) {
  const int opens_gates = task.options.timeout_ns < 0 ? 1 : 0;
  waiting_for_places_.fetch_add(opens_gates);
  if (opens_gates > 0) queue_.recheck_gates();
  bool admitted = false;
  places_.wait([&] { return (admitted = try_admit(task)) || closing_.load(); }, task.options.timeout_ns);
  waiting_for_places_.fetch_sub(opens_gates);
  return admitted;
}

void Tasks::admit(const std::shared_ptr<Task>& task) {
  bool admitted = try_admit(*task);
  switch (task->options.when_full) {
    case WhenFull::refuse: break;
    case WhenFull::wait:
      if (!admitted) admitted = wait_for_place(*task);
      break;
    case WhenFull::drop_oldest:
      while (!admitted && drop_oldest()) admitted = try_admit(*task);
  }
  if (!admitted && closing_.load()) {
    wake_all();  // a task was live briefly: threads that wait for the end of all tasks check again
    base::fail(Status::closed, "manager was closed meanwhile");
  }
  if (!admitted) reject(task);
  unnotified_.fetch_add(1);
  table_.add(task);
  log_lazily(LogLevel::info, [&] { return cat(task->name(), " queued"); });
}

void Tasks::require_place(const std::shared_ptr<Task>& task) {
  const auto is_free = [this] { return queue_.live() < queue_.capacity() || closing_.load(); };
  if (task->options.when_full == WhenFull::wait) {
    places_.wait(is_free, task->options.timeout_ns);
  }
  if (!is_free()) reject(task);
}

// ---- Work ----

TaskQueue::EntryState Tasks::standing_of(std::int64_t id) const {
  return table_.look(id, [this](const Task* task) -> TaskQueue::EntryState {
    if (task == nullptr || task->phase() != Phase::queued) return {};
    const bool is_open = task->gate_open.load() || ended_step_.load() >= task->options.gate_step ||
                         waiting_for_places_.load() > 0 || gates_are_open_.load();
    return {is_open ? TaskQueue::Readiness::ready : TaskQueue::Readiness::blocked, task->options.priority};
  });
}

std::shared_ptr<Task> Tasks::take() {
  while (const std::int64_t id = queue_.pop([this] { return is_over(); })) {
    auto task = table_.find(id);
    if (task != nullptr && task->start()) return task;
  }
  return nullptr;
}

std::shared_ptr<Task> Tasks::next_to_stage() {
  for (;;) {
    auto task = to_stage_.take([this] { return is_over() || (closing_.load() && deadline_ns_.load() >= 0); });
    if (task != nullptr || is_over()) return task;
    const std::int64_t deadline = deadline_ns_.exchange(-1);
    if (deadline >= 0 && !wait_for_ends(std::max<std::int64_t>(0, deadline - base::monotonic_ns()))) abandon_all();
  }
}

void Tasks::note_copied(Task& task) {
  task.end_copy();
  notifier_.notify(task, When::now);  // of an end during the copy
}

void Tasks::note_staged(Task& task, std::int64_t stall_ns, When when) {
  if (!task.set_staged(stall_ns)) return;
  counters_.note_stall(stall_ns);
  notifier_.notify(task, when);
}

void Tasks::note_written(Task& task, std::int64_t bytes) {
  counters_.note_written(bytes);
  // May exceed the total if a file was written again.
  task.done_bytes.store(std::min(task.total_bytes.load(), task.done_bytes.load() + bytes));
  task.post(Task::Event::progress);
  notifier_.notify(task, When::later);  // the checkpoint is locked during the write
}

void Tasks::note_read(Task& task, std::int64_t done_bytes, std::int64_t total_bytes) {
  task.total_bytes.store(total_bytes);
  task.done_bytes.store(done_bytes);
  task.post(Task::Event::progress);
  notifier_.notify(task, When::later);  // inside the load
}

// ---- Ends ----

bool Tasks::add_failure(const Task& task, const TaskResult& result) noexcept {
  try {
    return failures_.add(task.id, {result.status, cat(task.name(), " failed: ", result.error)});
  } catch (const std::bad_alloc&) {
    failures_.add_unnamed();
    return false;
  }
}

bool Tasks::finish(Task& task, Phase from, Phase to, TaskResult&& result, When when) {
  const base::Entered entered(this);  // destroying parts of the task may run user code
  // Before the state changes: a caller that sees the failed state then finds the failure.
  const bool added = to == Phase::failed && add_failure(task, result);
  if (!task.end(from, to, std::move(result))) {
    if (added) failures_.remove(task.id);
    return false;
  }
  if (to == Phase::failed && task.is_seen.load()) failures_.remove(task.id);  // a caller requested the result at the same moment
  task.target.reset();
  counters_.note_end(task.state());
  say_ended(task);
  queue_.release_place(task.place);
  wake_all();
  task.post(Task::Event::ended);
  notifier_.notify(task, when);
  return true;
}

void Tasks::fail(Task& task, const base::Error& error) { finish(task, Phase::queued, Phase::failed, result_of(error)); }

bool Tasks::cancel(Task& task, When when) {
  if (task.place < 0) return false;  // it is being refused, and has no place to release
  if (finish(task, Phase::queued, Phase::cancelled, result_of(Status::cancelled, "cancelled"), when)) return true;
  if (!task.move(Phase::running, Phase::cancelling)) return false;
  task.ask_to_stop();
  if (const auto staging = task.staging(); staging != nullptr) staging->stop();
  return true;
}

void Tasks::cancel_all() {
  for_each_live([this](Task& task) { cancel(task, When::now); });
}

void Tasks::abandon_all() {
  for_each_live([this](Task& task) {
    if (cancel(task, When::now)) abandoned_.fetch_add(1);
  });
}

void Tasks::note_notified(Task& task) {
  task.options.listener.reset();
  table_.note_notified(task);
  unnotified_.fetch_sub(1);
  wake_all();
}

void Tasks::serve_notifications() {
  // An ending task counts as live until it counts as notified.
  notifier_.serve([this] { return is_over() && unnotified_.load() == 0; });
}

// ---- Gates ----

void Tasks::open_gate(Task& task) {
  if (task.options.gate_step < 0) return;
  task.gate_open.store(true);
  queue_.recheck_gates();
}

void Tasks::open_all_gates() {
  for_each_live([this](Task& task) { open_gate(task); });
}

void Tasks::end_step(std::int64_t step) {
  std::int64_t known = ended_step_.load();
  while (known < step && !ended_step_.compare_exchange_weak(known, step)) {
  }
  queue_.recheck_gates();
}

// ---- Closing ----

void Tasks::close() {
  closing_.store(true);
  gates_are_open_.store(true);
  queue_.recheck_gates();
  wake_all();
}

bool Tasks::wait_for_ends(std::int64_t timeout_ns) {
  return places_.wait([this] { return queue_.live() == 0; }, timeout_ns);
}

// Wakes callers that wait for a place, and threads that may leave.
void Tasks::wake_all() noexcept {
  places_.wake_all();
  if (!closing_.load()) return;
  queue_.wake();
  to_stage_.wake();
  notifier_.wake();
}

// ---- Queries ----

AsyncStats Tasks::stats() const {
  AsyncStats stats;
  counters_.fill(stats);
  for (const auto& task : table_.live()) {
    stats.running_tasks += task->state() == TaskState::running ? 1 : 0;
    stats.in_flight_bytes += task->left_bytes();
  }
  stats.live_tasks = queue_.live();
  state::Unreported left = failures_.left();
  stats.unreported_failures = left.failures;
  stats.unreported_status = left.status;
  stats.unreported_error = std::move(left.error);
  return stats;
}

void Counters::note_stall(std::int64_t stall_ns) noexcept {
  stall_ns_.fetch_add(stall_ns);
  last_stall_ns_.store(stall_ns);
}

void Counters::fill(AsyncStats& stats) const noexcept {
  const auto count = [this](TaskState state) { return ends_[static_cast<int>(state)].load(); };
  stats.completed_tasks = count(TaskState::completed);
  stats.failed_tasks = count(TaskState::failed);
  stats.cancelled_tasks = count(TaskState::cancelled);
  stats.rejected_tasks = count(TaskState::rejected);
  stats.written_bytes = written_bytes_.load();
  stats.stall_ns = stall_ns_.load();
  stats.last_stall_ns = last_stall_ns_.load();
}

}  // namespace ckpt::async
