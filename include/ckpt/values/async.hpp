// Generated from include/ckpt by tools/api: do not edit.
// async.hpp - the values of async.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_ASYNC_HPP
#define CKPT_VALUES_ASYNC_HPP

#include <ckpt/async.h>
#include <ckpt/values/value.hpp>
#include <ckpt/values/base.hpp>

namespace ckpt {

// The state of a task, or how it ended. A task changes from QUEUED to RUNNING to one of the final states, or from QUEUED
// directly to a final state; a final state never changes.
enum class CheckpointTaskState : std::int32_t {
  // admitted; being copied, or waiting for a worker or its gate
  queued = CKPT_CHECKPOINT_TASK_STATE_QUEUED,
  // a worker has begun
  running = CKPT_CHECKPOINT_TASK_STATE_RUNNING,
  // a save is durable; a load has filled the state
  completed = CKPT_CHECKPOINT_TASK_STATE_COMPLETED,
  // an error stopped it
  failed = CKPT_CHECKPOINT_TASK_STATE_FAILED,
  // stopped on request
  cancelled = CKPT_CHECKPOINT_TASK_STATE_CANCELLED,
  // refused because the queue was full, or dropped for a newer one
  rejected = CKPT_CHECKPOINT_TASK_STATE_REJECTED,
};

// The operation of a task.
enum class CheckpointTaskKind : std::int32_t {
  // saves a state
  save = CKPT_CHECKPOINT_TASK_KIND_SAVE,
  // loads a state
  load = CKPT_CHECKPOINT_TASK_KIND_LOAD,
};

// The treatment of unfinished tasks when a manager is closed.
enum class CloseMode : std::int32_t {
  // queued tasks are completed first
  drain = CKPT_CLOSE_MODE_DRAIN,
  // queued and uncommitted tasks are cancelled
  cancel = CKPT_CLOSE_MODE_CANCEL,
  // queued tasks are completed first; a failure that the call returns does not count as reported, so the release of the
  // manager reports it again. For the end of a scope that cannot raise an error
  drain_unreported = CKPT_CLOSE_MODE_DRAIN_UNREPORTED,
};

// How the bytes of a save are staged.
enum class StagingMode : std::int32_t {
  // the tensors of a save are copied, by several threads, before the call returns: the save is then staged
  copy = CKPT_STAGING_MODE_COPY,
  // the tensors of a save are never copied as a whole: no caller may write to them until the save is staged, shortly before it
  // ends. If a write is detected, the save fails with Status::invalid_state; in any case the checksums of a checkpoint match
  // its bytes
  borrow = CKPT_STAGING_MODE_BORROW,
  // the tensors of a save are copied in the background: no caller may write to them until the save is staged, after the copy
  deferred = CKPT_STAGING_MODE_DEFERRED,
};

// The treatment of a new task when the queue is full.
enum class WhenFull : std::int32_t {
  // fails with Status::queue_full at once
  refuse = CKPT_WHEN_FULL_REFUSE,
  // waits for a place until the time-out expires, then fails with Status::queue_full; waiting without a time-out opens all
  // gates
  wait = CKPT_WHEN_FULL_WAIT,
  // drops the oldest task that no worker has started, which ends CheckpointTaskState::rejected; fails with Status::queue_full
  // if there is none
  drop_oldest = CKPT_WHEN_FULL_DROP_OLDEST,
};

// The order in which tasks start.
enum class Priority : std::int32_t {
  // starts after all tasks of a higher priority
  low = CKPT_PRIORITY_LOW,
  // starts after tasks of high priority and before tasks of low priority
  normal = CKPT_PRIORITY_NORMAL,
  // starts before all tasks of a lower priority
  high = CKPT_PRIORITY_HIGH,
};

// A list of tasks.
enum class CheckpointTaskList : std::int32_t {
  // the tasks that have not ended, the oldest first
  live = CKPT_CHECKPOINT_TASK_LIST_LIVE,
  // the tasks that have ended and are in the history, in the order in which they ended
  ended = CKPT_CHECKPOINT_TASK_LIST_ENDED,
};

// How a background task ended.
struct CheckpointTaskResult {
  // final state of the task: CheckpointTaskState::completed, CheckpointTaskState::failed, CheckpointTaskState::cancelled or
  // CheckpointTaskState::rejected
  CheckpointTaskState state = CheckpointTaskState::queued;
  // Status::ok when completed, Status::cancelled when cancelled, Status::queue_full when rejected, else the error
  Status status = Status::ok;
  // kind of task: CheckpointTaskKind::save or CheckpointTaskKind::load
  CheckpointTaskKind kind = CheckpointTaskKind::save;
  // id of the task
  std::int64_t id = 0;
  // number of the step: of a save, in any final state; of the checkpoint that a load loaded, 0 unless completed
  std::int64_t step = 0;
  // bytes of the files that are durable, or that were loaded; 0 unless completed
  std::int64_t bytes = 0;
  // number of operations that the manager's fault handler retried, and of files that were written again
  std::int64_t retries = 0;
  // time from the start of the task by a worker to its end; 0 when none started it
  std::chrono::nanoseconds duration = std::chrono::nanoseconds(0);
  // time for which the call that created the task blocked its caller: admission and staging
  std::chrono::nanoseconds stall = std::chrono::nanoseconds(0);
  // time from the call that created the task until it was durable (loaded); 0 unless completed
  std::chrono::nanoseconds durable = std::chrono::nanoseconds(0);
  // name of the checkpoint: its directory in the storage; empty unless completed
  std::string name = {};
  // reason why the task did not complete: one line of UTF-8, truncated at a character boundary; empty when completed
  std::string error = {};
  // generation of a save's line, which increases with each roll-back; 0 in a storage without roll-backs, and when rejected
  std::int64_t generation = 0;
  // true when the generation began with this save, which was accepted although its step does not exceed the newest step, else
  // false
  bool rolled_back = false;
  // true when the metric of a save was not finite, so that the checkpoint has none, else false
  bool metric_ignored = false;
  // number of failures of earlier background tasks of the storage that no caller has received (see SaveResult); of a save that
  // completed, else 0
  std::int64_t unreported_failures = 0;
  // status of the oldest of the unreported failures; Status::ok when there are none
  Status unreported_status = Status::ok;
  // the oldest of the unreported failures: one line of UTF-8, truncated at a character boundary; empty when there are none
  std::string unreported_error = {};
};
namespace detail {
inline CheckpointTaskResult from_c(const ckpt_checkpoint_task_result& from) {
  CheckpointTaskResult to;
  take(to.state, from.state);
  take(to.status, from.status);
  take(to.kind, from.kind);
  take(to.id, from.id);
  take(to.step, from.step);
  take(to.bytes, from.bytes);
  take(to.retries, from.retries);
  take(to.duration, from.duration_ns);
  take(to.stall, from.stall_ns);
  take(to.durable, from.durable_ns);
  take(to.name, from.name);
  take(to.error, from.error);
  take(to.generation, from.generation);
  take(to.rolled_back, from.rolled_back);
  take(to.metric_ignored, from.metric_ignored);
  take(to.unreported_failures, from.unreported_failures);
  take(to.unreported_status, from.unreported_status);
  take(to.unreported_error, from.unreported_error);
  return to;
}
}  // namespace detail

// Options for creating a manager of background tasks.
struct AsyncManagerOptions {
  // number of worker threads that write and load, 1 .. 16; default 1. Each uses another thread for checksums. Saves of one
  // checkpoint manager wait for one another, so more than 1 speeds up only loads
  std::int32_t workers = 1;
  // maximum number of tasks that have not ended, 1 .. 65536; default 10
  std::int64_t capacity = 10;
  // number of ended tasks that can still be queried, 1 .. 1048576; default 100
  std::int64_t history = 100;
  // maximum bytes of memory for copies, >= 65536; default 1 GiB. Allocated on first use, then kept. A larger state is copied
  // in waves: the save returns when the last wave is copied
  std::int64_t staging_bytes = 1073741824;
  // bytes of memory for copies that are allocated and touched when the manager is created, so that the first saves are as fast
  // as later ones; 0 .. staging_bytes
  std::int64_t prepare_bytes = 0;
  // limit of the write rate, in bytes per second; 0: none
  std::int64_t bytes_per_second = 0;
  // time for which the release of the manager waits for tasks; -1: forever; default 30 s
  std::chrono::nanoseconds drain_timeout = std::chrono::nanoseconds(30000000000);
  // number of threads that copy, the calling one included, 1 .. 1024; 0 (the default): the threads that this process may use,
  // at most 4
  std::int32_t staging_threads = 0;
  // niceness of the manager's threads, above that of the process: 0 .. 19, where 19 is the least favourable
  std::int32_t nice = 0;
  // tracker that counts the memory for copies, as allocations of the layer "checkpoint staging" with the lifetime of the
  // manager; kept alive; nullptr: none
  detail::Borrowed<ckpt_memory_tracker> tracker = {};
};
namespace detail {
inline ckpt_async_manager_options to_c(const AsyncManagerOptions& from) {
  ckpt_async_manager_options to = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  put(from.workers, to.workers);
  put(from.capacity, to.capacity);
  put(from.history, to.history);
  put(from.staging_bytes, to.staging_bytes);
  put(from.prepare_bytes, to.prepare_bytes);
  put(from.bytes_per_second, to.bytes_per_second);
  put(from.drain_timeout, to.drain_timeout_ns);
  put(from.staging_threads, to.staging_threads);
  put(from.nice, to.nice);
  put(from.tracker, to.tracker);
  return to;
}
}  // namespace detail

// Options of one background task.
struct CheckpointTaskOptions {
  // how the bytes of a save are staged: StagingMode::copy, StagingMode::borrow or StagingMode::deferred; ignored by loads;
  // default StagingMode::copy
  StagingMode mode = StagingMode::copy;
  // what happens when the queue is full: WhenFull::refuse, WhenFull::wait (the default) or WhenFull::drop_oldest
  WhenFull when_full = WhenFull::wait;
  // one of Priority: tasks of higher priority start first, of equal priority the older ones; default Priority::normal
  Priority priority = Priority::normal;
  // how long WhenFull::wait waits for a place; -1: forever; default 60 s
  std::chrono::nanoseconds timeout = std::chrono::nanoseconds(60000000000);
  // the task starts only after AsyncManager::end_step was called with this step or a later one. Waiting for the task, closing,
  // a save that needs its memory, or a call that waits for a place without a time-out opens the gate. A task at a closed gate
  // does not block a worker: other tasks start before it; std::nullopt: the task waits for no step
  std::optional<std::int64_t> gate_step = std::nullopt;
};
namespace detail {
inline ckpt_checkpoint_task_options to_c(const CheckpointTaskOptions& from) {
  ckpt_checkpoint_task_options to = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  put(from.mode, to.mode);
  put(from.when_full, to.when_full);
  put(from.priority, to.priority);
  put(from.timeout, to.timeout_ns);
  put(from.gate_step, to.gate_step, to.has_gate_step);
  return to;
}
}  // namespace detail

// Information about one background task.
struct CheckpointTaskInfo {
  // kind of task: CheckpointTaskKind::save or CheckpointTaskKind::load
  CheckpointTaskKind kind = CheckpointTaskKind::save;
  // state of the task: CheckpointTaskState::queued, CheckpointTaskState::running or its final state
  CheckpointTaskState state = CheckpointTaskState::queued;
  // true when the tensors of a save may be written, else false
  bool staged = false;
  // id of the task
  std::int64_t id = 0;
  // number of the step to be saved; 0 for a load
  std::int64_t step = 0;
  // bytes written (by a load: read) so far
  std::int64_t done_bytes = 0;
  // total bytes of tensors and headers to be written or read; 0 until a load has determined it
  std::int64_t total_bytes = 0;
  // when it was queued, in nanoseconds on the system's monotonic clock
  std::chrono::nanoseconds queued_at = std::chrono::nanoseconds(0);
  // when a worker started it, in nanoseconds on the system's monotonic clock; 0 when none has
  std::chrono::nanoseconds started_at = std::chrono::nanoseconds(0);
  // when it ended, in nanoseconds on the system's monotonic clock; 0 when it has not ended
  std::chrono::nanoseconds ended_at = std::chrono::nanoseconds(0);
  // when it was queued, in UTC by the system's clock, for display; that clock may be set at any time, so compute differences
  // from the monotonic times
  std::chrono::system_clock::time_point queued_utc = {};
  // when a worker started it, in UTC by the system's clock, for display; 0 when none has
  std::chrono::system_clock::time_point started_utc = {};
  // when it ended, in UTC by the system's clock, for display; 0 when it has not ended
  std::chrono::system_clock::time_point ended_utc = {};
};
namespace detail {
inline CheckpointTaskInfo from_c(const ckpt_checkpoint_task_info& from) {
  CheckpointTaskInfo to;
  take(to.kind, from.kind);
  take(to.state, from.state);
  take(to.staged, from.staged);
  take(to.id, from.id);
  take(to.step, from.step);
  take(to.done_bytes, from.done_bytes);
  take(to.total_bytes, from.total_bytes);
  take(to.queued_at, from.queued_at_ns);
  take(to.started_at, from.started_at_ns);
  take(to.ended_at, from.ended_at_ns);
  take(to.queued_utc, from.queued_utc_ns);
  take(to.started_utc, from.started_utc_ns);
  take(to.ended_utc, from.ended_utc_ns);
  return to;
}
}  // namespace detail

// Counters and current state of a manager of background tasks.
struct AsyncManagerStats {
  // number of tasks that have not ended
  std::int64_t live_tasks = 0;
  // number of tasks that a worker has started and that have not ended
  std::int64_t running_tasks = 0;
  // number of tasks that completed since the manager was created
  std::int64_t completed_tasks = 0;
  // number of tasks that failed since the manager was created
  std::int64_t failed_tasks = 0;
  // number of tasks that were cancelled since the manager was created
  std::int64_t cancelled_tasks = 0;
  // number of tasks that were rejected since the manager was created
  std::int64_t rejected_tasks = 0;
  // bytes of saves that have not ended and are not written yet
  std::int64_t in_flight_bytes = 0;
  // bytes written by all tasks
  std::int64_t written_bytes = 0;
  // bytes of memory that was allocated for copies
  std::int64_t staging_bytes = 0;
  // time for which callers were blocked, in total
  std::chrono::nanoseconds stall = std::chrono::nanoseconds(0);
  // time for which the last staged save blocked its caller
  std::chrono::nanoseconds last_stall = std::chrono::nanoseconds(0);
  // number of failed tasks that no caller has seen and that were not reported
  std::int64_t unreported_failures = 0;
  // status of the oldest of the unreported failures; Status::ok when there are none
  Status unreported_status = Status::ok;
  // the oldest of the unreported failures: one line of UTF-8, truncated at a character boundary; empty when there are none
  std::string unreported_error = {};
};
namespace detail {
inline AsyncManagerStats from_c(const ckpt_async_manager_stats& from) {
  AsyncManagerStats to;
  take(to.live_tasks, from.live_tasks);
  take(to.running_tasks, from.running_tasks);
  take(to.completed_tasks, from.completed_tasks);
  take(to.failed_tasks, from.failed_tasks);
  take(to.cancelled_tasks, from.cancelled_tasks);
  take(to.rejected_tasks, from.rejected_tasks);
  take(to.in_flight_bytes, from.in_flight_bytes);
  take(to.written_bytes, from.written_bytes);
  take(to.staging_bytes, from.staging_bytes);
  take(to.stall, from.stall_ns);
  take(to.last_stall, from.last_stall_ns);
  take(to.unreported_failures, from.unreported_failures);
  take(to.unreported_status, from.unreported_status);
  take(to.unreported_error, from.unreported_error);
  return to;
}
}  // namespace detail

}  // namespace ckpt

#endif
