// Generated from include/ckpt by tools/api: do not edit.
// async.hpp - the values of async.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_ASYNC_HPP
#define CKPT_VALUES_ASYNC_HPP

#include <ckpt/async.h>
#include <ckpt/values/value.hpp>
#include <ckpt/values/base.hpp>

namespace ckpt {

// Where a task is, or how it ended. A task goes from QUEUED to RUNNING to one of the others, or from QUEUED to an end at once;
// an end never changes.
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

// What a task does.
enum class CheckpointTaskKind : std::int32_t {
  // saves a state
  save = CKPT_CHECKPOINT_TASK_KIND_SAVE,
  // loads a state
  load = CKPT_CHECKPOINT_TASK_KIND_LOAD,
};

// What becomes of the tasks of a manager that is closed.
enum class CloseMode : std::int32_t {
  // queued tasks are completed first
  drain = CKPT_CLOSE_MODE_DRAIN,
  // what is queued or not yet committed is cancelled
  cancel = CKPT_CLOSE_MODE_CANCEL,
  // queued tasks are completed first; a failure that the call returns does not count as reported, so the release of the
  // manager reports it, too. For the end of a scope that cannot raise an error
  drain_unreported = CKPT_CLOSE_MODE_DRAIN_UNREPORTED,
};

// How the bytes of a save are taken.
enum class StagingMode : std::int32_t {
  // the tensors of a save are copied, by several threads, before the call returns: it returns staged
  copy = CKPT_STAGING_MODE_COPY,
  // the tensors of a save are never copied as a whole: no caller may write to them until the save is staged, which is shortly
  // before it ends. When one does and it is seen, the save fails with Status::invalid_state; in no case does a checkpoint hold
  // bytes that its checksums do not
  borrow = CKPT_STAGING_MODE_BORROW,
  // the tensors of a save are copied in the background: no caller may write to them until the save is staged, which is soon
  deferred = CKPT_STAGING_MODE_DEFERRED,
};

// What happens to a task when the queue is full.
enum class WhenFull : std::int32_t {
  // fail with Status::queue_full at once
  refuse = CKPT_WHEN_FULL_REFUSE,
  // wait for a place until the time-out has passed, then fail with Status::queue_full; waiting for ever opens all gates
  wait = CKPT_WHEN_FULL_WAIT,
  // the oldest task that no worker has begun makes place and ends CheckpointTaskState::rejected; Status::queue_full when there
  // is none
  drop_oldest = CKPT_WHEN_FULL_DROP_OLDEST,
};

// Which tasks begin first.
enum class Priority : std::int32_t {
  // begins after all tasks of a higher priority
  low = CKPT_PRIORITY_LOW,
  // begins after tasks of high priority and before tasks of low priority
  normal = CKPT_PRIORITY_NORMAL,
  // begins before all tasks of a lower priority
  high = CKPT_PRIORITY_HIGH,
};

// A list of tasks.
enum class CheckpointTaskList : std::int32_t {
  // the tasks that have not ended, the oldest first
  live = CKPT_CHECKPOINT_TASK_LIST_LIVE,
  // the tasks that have ended, as far as the history goes, in the order in which they ended
  ended = CKPT_CHECKPOINT_TASK_LIST_ENDED,
};

// How a background task ended.
struct CheckpointTaskResult {
  // how the task ended: CheckpointTaskState::completed, CheckpointTaskState::failed, CheckpointTaskState::cancelled or
  // CheckpointTaskState::rejected
  CheckpointTaskState state = CheckpointTaskState::queued;
  // Status::ok when completed, Status::cancelled when cancelled, Status::queue_full when rejected, else why it failed
  Status status = Status::ok;
  // kind of task: CheckpointTaskKind::save or CheckpointTaskKind::load
  CheckpointTaskKind kind = CheckpointTaskKind::save;
  // id of the task
  std::int64_t id = 0;
  // number of the step: of a save, however it ended; of what a load loaded, 0 unless completed
  std::int64_t step = 0;
  // bytes of the files that are durable, or that were loaded; 0 unless completed
  std::int64_t bytes = 0;
  // operations that the checkpoint's fault handler let try again, and files that were written anew
  std::int64_t retries = 0;
  // time from the moment at which a worker began the task to its end; 0 when none began
  std::chrono::nanoseconds duration = std::chrono::nanoseconds(0);
  // time for which the call that made the task kept its caller: admission and staging
  std::chrono::nanoseconds stall = std::chrono::nanoseconds(0);
  // time from the call that made the task to the moment at which it was durable (loaded); 0 unless completed
  std::chrono::nanoseconds durable = std::chrono::nanoseconds(0);
  // name of the checkpoint: its directory in the storage; empty unless completed
  std::string name = {};
  // why the task did not complete: one line of UTF-8, cut off at a character; empty when completed
  std::string error = {};
  // generation of a save's line, which grows with each roll-back; 0 in a storage that never had one, and when rejected
  std::int64_t generation = 0;
  // true when the generation began with this save, which was accepted although its step is not after the newest one, else
  // false
  bool rolled_back = false;
  // true when the metric of a save was not finite, so that the checkpoint has none, else false
  bool metric_ignored = false;
  // number of failures of earlier background tasks of the storage that no caller has received (see SaveResult); of a save that
  // completed, else 0
  std::int64_t unreported_failures = 0;
  // status of the oldest of the unreported failures; Status::ok when there are none
  Status unreported_status = Status::ok;
  // the oldest of the unreported failures: one line of UTF-8, cut off at a character; empty when there are none
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

// How a manager of background tasks is made.
struct AsyncManagerOptions {
  // threads that write and load, 1 .. 16; default 1. Each has another one for checksums. Saves of one checkpoint wait for one
  // another, so more than 1 helps only loads
  std::int32_t workers = 1;
  // tasks that have not ended, at most; 1 .. 65536; default 10
  std::int64_t capacity = 10;
  // tasks that have ended and can still be asked for, 1 .. 1048576; default 100
  std::int64_t history = 100;
  // bytes of memory for copies, at most; at least 65536; default 1 GiB. Allocated when it is first needed, then kept. A state
  // that is larger is copied in waves: the save returns when the last wave was copied
  std::int64_t staging_bytes = 1073741824;
  // bytes of the memory for copies that are allocated and touched at once, so that the first saves are as fast as the later
  // ones; 0 .. staging_bytes
  std::int64_t prepare_bytes = 0;
  // limit on what is written, in bytes per second; 0: none
  std::int64_t bytes_per_second = 0;
  // time for which the release of the manager lets tasks go on; -1: for ever; default 30 s
  std::chrono::nanoseconds drain_timeout = std::chrono::nanoseconds(30000000000);
  // threads that copy, the calling one included, 1 .. 1024; 0 (the default): what this process may use, at most 4
  std::int32_t staging_threads = 0;
  // niceness of the manager's threads, above that of the process: 0 .. 19, where 19 is the least favourable
  std::int32_t nice = 0;
  // counts the memory for copies, as allocations of the layer "checkpoint staging" that last as long as the manager; kept
  // alive; nullptr: no tracker counts it
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

// How one background task is run.
struct CheckpointTaskOptions {
  // how the bytes of a save are taken: StagingMode::copy, StagingMode::borrow or StagingMode::deferred; loads have none;
  // default StagingMode::copy
  StagingMode mode = StagingMode::copy;
  // what happens when the queue is full: WhenFull::refuse, WhenFull::wait (the default) or WhenFull::drop_oldest
  WhenFull when_full = WhenFull::wait;
  // one of Priority: tasks of a higher one begin first, of equal ones the older; default Priority::normal
  Priority priority = Priority::normal;
  // how long WhenFull::wait waits for a place; -1: for ever; default 60 s
  std::chrono::nanoseconds timeout = std::chrono::nanoseconds(60000000000);
  // no worker begins before AsyncManager::end_step was called with this step or a later one. Waiting for the task, closing, a
  // save that needs its memory, or a call that waits for a place for ever opens the gate. A task at a closed gate holds no
  // worker up: others begin before it; std::nullopt: the task waits for no step
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

// What is known of one background task.
struct CheckpointTaskInfo {
  // kind of task: CheckpointTaskKind::save or CheckpointTaskKind::load
  CheckpointTaskKind kind = CheckpointTaskKind::save;
  // where the task is: CheckpointTaskState::queued, CheckpointTaskState::running or the way in which it ended
  CheckpointTaskState state = CheckpointTaskState::queued;
  // true when the tensors of a save may be written, else false
  bool staged = false;
  // id of the task
  std::int64_t id = 0;
  // number of the step to be saved; 0 for a load
  std::int64_t step = 0;
  // bytes written, or by a load read, so far
  std::int64_t done_bytes = 0;
  // bytes of the tensors and headers to be written, or read; 0 until a load knows them
  std::int64_t total_bytes = 0;
  // when it was queued, in nanoseconds on the system's monotonic clock
  std::chrono::nanoseconds queued_at = std::chrono::nanoseconds(0);
  // when a worker began it, in nanoseconds on the system's monotonic clock; 0 when none has begun
  std::chrono::nanoseconds started_at = std::chrono::nanoseconds(0);
  // when it ended, in nanoseconds on the system's monotonic clock; 0 when it has not ended
  std::chrono::nanoseconds ended_at = std::chrono::nanoseconds(0);
  // when it was queued, in UTC by the system's clock, to be shown; that clock may be set at any time, so take differences on
  // the monotonic clock
  std::chrono::system_clock::time_point queued_utc = {};
  // when a worker began it, in UTC by the system's clock, to be shown; 0 when none has begun
  std::chrono::system_clock::time_point started_utc = {};
  // when it ended, in UTC by the system's clock, to be shown; 0 when it has not ended
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

// What a manager of background tasks did and holds.
struct AsyncManagerStats {
  // number of tasks that have not ended
  std::int64_t live_tasks = 0;
  // number of tasks that a worker has begun and that have not ended
  std::int64_t running_tasks = 0;
  // number of tasks that completed since the manager was made
  std::int64_t completed_tasks = 0;
  // number of tasks that failed since the manager was made
  std::int64_t failed_tasks = 0;
  // number of tasks that were cancelled since the manager was made
  std::int64_t cancelled_tasks = 0;
  // number of tasks that were rejected since the manager was made
  std::int64_t rejected_tasks = 0;
  // bytes of saves that have not ended and are not written yet
  std::int64_t in_flight_bytes = 0;
  // bytes written by all tasks
  std::int64_t written_bytes = 0;
  // bytes of memory that was allocated for copies
  std::int64_t staging_bytes = 0;
  // time for which callers were kept, in all
  std::chrono::nanoseconds stall = std::chrono::nanoseconds(0);
  // time for which the save that was staged last kept its caller
  std::chrono::nanoseconds last_stall = std::chrono::nanoseconds(0);
  // number of tasks that failed and that no caller has seen or been notified of
  std::int64_t unreported_failures = 0;
  // status of the oldest of the unreported failures; Status::ok when there are none
  Status unreported_status = Status::ok;
  // the oldest of the unreported failures: one line of UTF-8, cut off at a character; empty when there are none
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
