// What the manager's threads do, and how tasks end.
#include <algorithm>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/entered.h"
#include "base/error.h"
#include "state/async_manager.h"

namespace ckpt::state {
namespace {

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

void AsyncManager::enqueue(const Task& task) { queue_.push(task.id, task.options.priority + 1); }

void AsyncManager::tell_staged(Task& task, double stall_seconds) {
  const std::lock_guard lock(task.telling);
  if (task.has_ended()) return;
  task.set_staged(stall_seconds);
  stall_ns_.fetch_add(static_cast<std::int64_t>(stall_seconds * 1e9));
  last_stall_seconds_.store(stall_seconds);
  tell(task, [&](TaskListener& listener) { listener.staged(task.id, stall_seconds); });
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
        tell_staged(*task, seconds_since(task->queued_at_ns));
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
  if (stage(task, *staging, &pool_, false)) tell_staged(*task, seconds_since(task->queued_at_ns));
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
        if (staging != nullptr && stage(task, *staging, nullptr, true)) tell_staged(*task, task->stall_seconds.load());
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

// The last thread of a manager that nobody holds frees it.
void AsyncManager::leave() noexcept {
  if (threads_left_.fetch_sub(1) != 1) return;
  const std::shared_ptr<AsyncManager> last = std::move(keep_alive_);
}

void AsyncManager::serve_tasks(std::size_t worker) {
  {
    const base::Entered entered(this);
    base::be_nice(options_.nice);
    for (;;) {
      const std::int64_t id = queue_.pop([this] { return may_leave(); });
      if (id == 0) break;
      if (const auto task = table_.find(id); task != nullptr) run_task(*task, *lanes_[worker]);
    }
  }
  leave();
}

void AsyncManager::wait_for_gate(Task& task) {
  const std::int64_t step = task.options.gate_step;
  if (step < 0) return;
  gate_.wait(
      [&] { return task.phase() != Phase::queued || ended_step_.load() >= step || task.gate_open.load() || closing_.load(); }, -1);
}

void AsyncManager::run_task(Task& task, HashLane& lane) {
  wait_for_gate(task);
  if (!task.move(Phase::queued, Phase::running)) return;
  task.started_at_ns.store(base::monotonic_ns());
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
    tell(task, [&](TaskListener& listener) { listener.progress(task.id, done, task.total_bytes); });
  };
  events.commit_point = [&] {
    // All was read, so it is copied; whoever copied may still be about to say so, and staged comes before the end.
    if (staging->mode() != StagingMode::borrow) task.wait_staged_or_stop();
    pass_commit_point(task);
    if (staging->mode() == StagingMode::borrow) tell_staged(task, task.stall_seconds.load());
  };
  events.acknowledged = [&] { task.durable_at_ns.store(base::monotonic_ns()); };
  StagedSource source(*staging, lane, limit_, task.stop, std::move(events));
  const SaveResult saved = checkpoint_->save_gathered(staging->whole(), task.save, source);
  task.done_bytes.store(task.total_bytes);  // files that were linked, too
  TaskResult result;
  result.bytes = saved.bytes;
  result.retries = saved.rewritten;
  result.name = saved.name;
  result.saved = saved;
  return result;
}

TaskResult AsyncManager::run_load(Task& task) {
  LoadOptions options = task.load;
  options.stop = task.stop;
  options.before_filling = [&] {
    if (task.phase() != Phase::committing) pass_commit_point(task);
  };
  const LoadResult loaded = checkpoint_->load(*task.target, options);
  TaskResult result;
  result.step = loaded.step;
  result.bytes = loaded.bytes;
  result.name = loaded.name;
  result.loaded = loaded;
  return result;
}

// ---- Ends ----

bool AsyncManager::cancel_task(Task& task) {
  if (!task.admitted) return false;  // is being refused, and has no place to give back
  if (finish(task, Phase::queued, Phase::cancelled, cancelled_result())) return true;
  if (!task.move(Phase::running, Phase::cancelling)) return false;
  task.ask_to_stop();
  if (const auto staging = task.staging(); staging != nullptr) staging->stop();
  return true;
}

void AsyncManager::fail_task(Task& task, const base::Error& error) { finish(task, Phase::queued, Phase::failed, result_of(error)); }

// Ends a task, gives its place back and tells everybody; false when it is not, or no longer, in phase from.
bool AsyncManager::finish(Task& task, Phase from, Phase to, TaskResult&& result) {
  const Status status = result.status;
  const std::string message = result.error;
  if (!task.end(from, to, std::move(result))) return false;
  if (to == Phase::failed && task.kind == TaskKind::save) {
    const std::lock_guard lock(error_mutex_);
    unseen_error_.emplace(status, message);
    unseen_id_ = task.id;
  }
  task.target.reset();
  counts_[static_cast<int>(task.state())].fetch_add(1);
  live_.fetch_sub(1);
  places_.wake_all();
  if (task.options.gate_step >= 0) gate_.wake_all();
  const TaskResult ended = task.result();
  tell(task, [&](TaskListener& listener) { listener.ended(ended); });
  {
    const std::lock_guard lock(task.telling);
    task.options.listener.reset();
  }
  table_.note_end(task);
  task.set_told();
  if (closing_.load()) {
    queue_.wake();
    staging_asked_.wake_all();
  }
  return true;
}

void AsyncManager::tell(Task& task, const std::function<void(TaskListener&)>& what) {
  const std::lock_guard lock(task.telling);
  const base::Entered entered(this);
  if (options_.listener != nullptr) what(*options_.listener);
  // A callback of this task's own may end it, which lets go of its listener.
  if (const auto own = task.options.listener; own != nullptr) what(*own);
}

}  // namespace ckpt::state
