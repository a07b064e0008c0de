// What the manager's threads do, and how tasks end.
#include <algorithm>
#include <new>
#include <utility>

#include "async/manager.h"
#include "base/clock.h"
#include "base/entered.h"
#include "base/error.h"

namespace ckpt::async {
namespace {

using base::cat;
using base::LogLevel;
using base::Status;

double seconds_since(std::int64_t begin_ns) { return static_cast<double>(base::monotonic_ns() - begin_ns) * 1e-9; }

// Whatever was thrown, as an error to keep.
base::Error error_of_current_exception() {
  try {
    throw;
  } catch (const base::Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {Status::out_of_memory, "out of memory"};
  } catch (const std::exception& error) {
    return {Status::internal, error.what()};
  } catch (...) {
    return {Status::internal, "an exception of unknown type"};
  }
}

TaskResult result_of(const base::Error& error) {
  TaskResult result;
  result.status = error.status();
  result.error = error.message();
  return result;
}

TaskResult cancelled_result() { return result_of({Status::cancelled, "cancelled"}); }

}  // namespace

// ---- Staging ----

void AsyncManager::enqueue(const Task& task) {
  queue_.push({task.id, task.sequence, task.options.priority, task.options.gate_step >= 0});
}

void AsyncManager::tell_staged(Task& task, double stall_seconds, Telling when) {
  if (!task.set_staged(stall_seconds)) return;
  stall_ns_.fetch_add(static_cast<std::int64_t>(stall_seconds * 1e9));
  last_stall_seconds_.store(stall_seconds);
  tell(task, when);
}

// True when all bytes are copied. A task that ended meanwhile is left alone; one whose copying failed has ended when this returns,
// or will by its worker.
bool AsyncManager::stage(const std::shared_ptr<Task>& task, Staging& staging, base::ThreadPool* pool, bool enqueue_first) {
  try {
    staging.plan();
    if (!staging.reserve([this] { open_all_gates(); })) return false;
    // Waves need the writer at work. Else it begins afterwards: beside the copying it would lengthen the stall by more than it
    // gains.
    const bool early = enqueue_first || !staging.repeatable();
    if (early) enqueue(*task);
    if (staging.copy(pool)) {
      if (!early) {
        tell_staged(*task, seconds_since(task->queued_at_ns), Telling::now);
        enqueue(*task);
      }
      return early;
    }
    staging.throw_error();
  } catch (...) {
    fail_task(*task, error_of_current_exception());
  }
  return false;
}

void AsyncManager::stage_now(const std::shared_ptr<Task>& task) {
  const auto staging = task->staging();
  if (staging == nullptr) return;  // somebody cancelled it already
  if (stage(task, *staging, &pool_, false)) tell_staged(*task, seconds_since(task->queued_at_ns), Telling::now);
}

void AsyncManager::serve_staging() {
  {
    const base::Entered entered(this);
    base::be_nice(options_.nice);
    for (;;) {
      std::shared_ptr<Task> task;
      staging_asked_.wait(
          [&] {
            const std::lock_guard lock(to_stage_mutex_);
            if (!to_stage_.empty()) {
              task = std::move(to_stage_.front());
              to_stage_.pop_front();
            }
            return task != nullptr || may_leave() || (closing_.load() && drain_deadline_ns_.load() >= 0);
          },
          -1);
      if (task != nullptr) {
        const auto staging = task->staging();
        if (staging != nullptr && stage(task, *staging, nullptr, true))
          tell_staged(*task, task->stall_seconds.load(), Telling::now);
      } else if (may_leave()) {
        break;
      } else {
        // Nobody else watches the time of a manager that was released inside a callback.
        const std::int64_t left = std::max<std::int64_t>(0, drain_deadline_ns_.exchange(-1) - base::monotonic_ns());
        if (!places_.wait([this] { return live_.load() == 0; }, left)) cancel_all();
      }
    }
  }
  leave();
}

// ---- Workers ----

// The last thread of a manager that nobody holds frees it: no other one may touch it from here on.
void AsyncManager::leave() noexcept {
  std::shared_ptr<AsyncManager> last;
  {
    const std::lock_guard lock(end_mutex_);
    if (--threads_left_ > 0) return;
    last = std::move(keep_alive_);
    all_left_.store(true);
  }
  left_.wake_all();
}

void AsyncManager::serve_tasks(std::size_t worker) {
  {
    const base::Entered entered(this);
    base::be_nice(options_.nice);
    say(LogLevel::info, "worker ", worker, " started");
    for (;;) {
      const std::int64_t id = queue_.pop([this] { return may_leave(); });
      if (id == 0) break;
      const auto task = table_.find(id);
      if (task == nullptr || !task->start()) continue;
      run_task(*task, *lanes_[worker]);
      task->wait(-1);  // another thread may still be telling of it: the next one's end is told after its end
    }
    say(LogLevel::info, "worker ", worker, " stopped");
  }
  leave();
}

void AsyncManager::run_task(Task& task, HashLane& lane) {
  say(LogLevel::info, task.name(), " processing");
  const storage::FaultHandler* const handler = checkpoint_->fault_handler().get();
  const auto retries = [&, before = handler == nullptr ? 0 : handler->retries()] {
    return handler == nullptr ? 0 : handler->retries() - before;
  };
  try {
    TaskResult result = task.kind == TaskKind::save ? run_save(task, lane) : run_load(task);
    result.retries += retries();
    finish(task, Phase::committing, Phase::completed, std::move(result));
  } catch (...) {
    TaskResult result = result_of(error_of_current_exception());
    result.retries = retries();
    if (finish(task, Phase::cancelling, Phase::cancelled, cancelled_result())) return;
    TaskResult again = result;
    if (!finish(task, Phase::running, Phase::failed, std::move(result))) {
      finish(task, Phase::committing, Phase::failed, TaskResult(again));
      finish(task, Phase::cancelling, Phase::cancelled, cancelled_result());
    }
  }
}

// From here on nobody can cancel it.
void AsyncManager::pass_commit_point(Task& task) {
  if (!task.move(Phase::running, Phase::committing)) base::fail(Status::cancelled, "cancelled");
}

// The checkpoint is locked while it is written: what happens meanwhile is told later.
TaskResult AsyncManager::run_save(Task& task, HashLane& lane) {
  const auto staging = task.staging();
  if (staging == nullptr) base::fail(Status::cancelled, "cancelled");
  staging->plan();
  StagedSource::Events events;
  events.written = [&](std::int64_t bytes) {
    written_bytes_.fetch_add(bytes);
    // More than all when a file was written anew.
    const std::int64_t done = std::min(task.total_bytes, task.done_bytes.load() + bytes);
    task.done_bytes.store(done);
    task.post(Task::Event::progress);
    tell(task, Telling::later);
  };
  events.commit_point = [&] {
    // All was read, so it is copied; whoever copied may still be about to say so, and staged comes before the end.
    if (staging->mode() != StagingMode::borrow) task.wait_staged_or_stop();
    pass_commit_point(task);
    if (staging->mode() == StagingMode::borrow) tell_staged(task, task.stall_seconds.load(), Telling::later);
  };
  events.acknowledged = [&] { task.durable_at_ns.store(base::monotonic_ns()); };
  StagedSource source(*staging, lane, limit_, task.stop, std::move(events));
  const state::SaveResult saved = checkpoint_->save_gathered(staging->whole(), task.save, source);
  task.done_bytes.store(task.total_bytes);  // files that were linked, too
  TaskResult result;
  result.bytes = saved.bytes;
  result.retries = saved.rewritten;
  result.name = saved.name;
  result.saved = saved;
  return result;
}

TaskResult AsyncManager::run_load(Task& task) {
  state::LoadOptions options = task.load;
  options.stop = task.stop;
  options.before_filling = [&] {
    if (task.phase() != Phase::committing) pass_commit_point(task);
  };
  const state::LoadResult loaded = checkpoint_->load(*task.target, options);
  TaskResult result;
  result.step = loaded.step;
  result.bytes = loaded.bytes;
  result.name = loaded.name;
  result.loaded = loaded;
  return result;
}

// ---- Ends ----

bool AsyncManager::cancel_task(Task& task, Telling when) {
  if (!task.admitted) return false;  // is being refused, and has no place to give back
  if (finish(task, Phase::queued, Phase::cancelled, cancelled_result(), when)) return true;
  if (!task.move(Phase::running, Phase::cancelling)) return false;
  task.ask_to_stop();
  if (const auto staging = task.staging(); staging != nullptr) staging->stop();
  return true;
}

void AsyncManager::fail_task(Task& task, const base::Error& error) { finish(task, Phase::queued, Phase::failed, result_of(error)); }

// Ends a task, gives its place back and tells everybody; false when it is not, or no longer, in phase from.
bool AsyncManager::finish(Task& task, Phase from, Phase to, TaskResult&& result, Telling when) {
  const base::Entered entered(this);  // what goes with the task may be the user's
  const Status status = result.status;
  std::string message = result.error;
  if (!task.end(from, to, std::move(result))) return false;
  if (to == Phase::failed) {
    failures_.add(task.sequence, task.id, {status, cat(task.name(), " failed: ", message)});
    if (task.is_seen.load()) failures_.forget(task.id);  // asked for it in this moment
  }
  task.target.reset();
  counts_[static_cast<int>(task.state())].fetch_add(1);
  say_ended(task);
  live_.fetch_sub(1);
  places_.wake_all();
  wake_who_may_leave();
  task.post(Task::Event::ended);
  tell(task, when);
  return true;
}

void AsyncManager::wake_who_may_leave() noexcept {
  if (!closing_.load()) return;
  queue_.wake();
  staging_asked_.wake_all();
  telling_asked_.wake_all();
}

void AsyncManager::say_ended(const Task& task) const {
  const TaskResult& result = task.result();
  switch (result.state) {
    case TaskState::completed:
      say(LogLevel::info, task.name(), " completed: ", result.bytes, " bytes in ", base::quoted(result.name));
      return;
    case TaskState::failed: say(LogLevel::error, task.name(), " failed: ", result.error); return;
    case TaskState::rejected: say(LogLevel::warning, task.name(), " rejected: ", result.error); return;
    default: say(LogLevel::info, task.name(), " cancelled");
  }
}

// ---- Telling ----

// Now: on this thread, unless another one is telling of this task, which then goes on with what is new. Later: where this thread
// may hold a lock, or is inside a callback, another one sees to it.
void AsyncManager::tell(Task& task, Telling when) {
  if (when == Telling::later && hand_over(task)) return;
  if (!task.begin_telling()) return;
  const base::Entered entered(this);
  while (const auto event = task.next()) {
    if (options_.listener != nullptr) tell_of(task, *event, *options_.listener);
    if (task.options.listener != nullptr) tell_of(task, *event, *task.options.listener);
    if (*event == Task::Event::ended) note_told(task);
  }
}

// False when there is no memory for it.
bool AsyncManager::hand_over(Task& task) noexcept {
  if (task.is_handed_over.exchange(true)) return true;
  try {
    const std::lock_guard lock(to_tell_mutex_);
    to_tell_.push_back(task.shared_from_this());
  } catch (const std::bad_alloc&) {
    task.is_handed_over.store(false);
    return false;
  }
  telling_asked_.wake_all();
  return true;
}

void AsyncManager::serve_telling() {
  {
    const base::Entered entered(this);
    base::be_nice(options_.nice);
    for (;;) {
      std::shared_ptr<Task> task;
      telling_asked_.wait(
          [&] {
            // Asked first, as in a queue. Who ends counts as live before it counts as told.
            const bool is_over = may_leave() && untold_.load() == 0;
            const std::lock_guard lock(to_tell_mutex_);
            if (!to_tell_.empty()) {
              task = std::move(to_tell_.front());
              to_tell_.pop_front();
            }
            return task != nullptr || is_over;
          },
          -1);
      if (task == nullptr) break;
      task->is_handed_over.store(false);
      tell(*task, Telling::now);
    }
  }
  leave();
}

void AsyncManager::tell_of(Task& task, Task::Event event, TaskListener& listener) const {
  switch (event) {
    case Task::Event::staged: listener.staged(task.id, task.stall_seconds.load()); return;
    case Task::Event::progress: listener.progress(task.id, task.done_bytes.load(), task.total_bytes); return;
    case Task::Event::ended: listener.ended(task.result());
  }
}

void AsyncManager::note_told(Task& task) {
  task.options.listener.reset();
  table_.note_end(task);
  task.set_told();
  untold_.fetch_sub(1);
  wake_who_may_leave();
}

}  // namespace ckpt::async
