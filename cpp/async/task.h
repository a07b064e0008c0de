// One background save or load: its arguments, state and result. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "async/staging.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/wait_point.h"
#include "state/manager/checkpoint.h"
#include "state/manager/load.h"
#include "state/save.h"

namespace ckpt::async {

enum class TaskKind : std::int32_t { save = 0, load = 1 };
enum class TaskState : std::int32_t { queued = 0, running = 1, completed = 2, failed = 3, cancelled = 4, rejected = 5 };

struct TaskResult {
  std::int64_t id = 0;
  TaskKind kind = TaskKind::save;
  TaskState state = TaskState::completed;
  base::Status status = base::Status::ok;
  std::string error = {};
  std::int64_t step = 0;
  std::int64_t bytes = 0;
  std::int64_t retries = 0;
  std::int64_t duration_ns = 0;
  std::int64_t stall_ns = 0;
  std::int64_t durable_ns = 0;
  std::string name = {};
  std::int64_t generation = 0;  // of a save
  bool rolled_back = false;     // the generation began with this save
  bool metric_ignored = false;  // the metric of a save was not finite
  // Failures of earlier tasks of the storage; set for a save that completed.
  std::int64_t unreported_failures = 0;
  base::Status unreported_status = base::Status::ok;
  std::string unreported_error = {};
  state::SaveResult saved = {};   // of a save that completed
  state::LoadResult loaded = {};  // of a load that completed
};

// Converts any exception to an error that can be stored.
base::Error current_error_copy() noexcept;
TaskResult result_of(const base::Error& error, std::int64_t retries = 0) noexcept;

// Receives notifications about tasks, as documented in async.h of the C API. Must not throw.
class TaskListener {
 public:
  virtual ~TaskListener() = default;
  virtual void staged(std::int64_t id, std::int64_t stall_ns) = 0;
  virtual void progress(std::int64_t id, std::int64_t done_bytes, std::int64_t total_bytes) = 0;
  virtual void ended(const TaskResult& result) = 0;
};

// A save of many ranks that was agreed on but not made yet. If it is destroyed before that, the other ranks are notified.
struct AgreedSave {
  AgreedSave(std::shared_ptr<state::Checkpoint> of, state::GroupSave&& agreed)
      : checkpoint(std::move(of)), save(std::move(agreed)) {}
  ~AgreedSave() {
    if (!is_begun) checkpoint->abandon(save, base::Error(base::Status::cancelled, "cancelled"));
  }
  AgreedSave(const AgreedSave&) = delete;
  AgreedSave& operator=(const AgreedSave&) = delete;

  const std::shared_ptr<state::Checkpoint> checkpoint;
  state::GroupSave save;
  bool is_begun = false;  // used by the thread that makes it
};

enum class WhenFull : std::int32_t { refuse = 0, wait = 1, drop_oldest = 2 };

struct TaskOptions {
  StagingMode mode = StagingMode::copy;
  WhenFull when_full = WhenFull::refuse;
  std::int32_t priority = 0;  // -1, 0, 1
  std::int64_t timeout_ns = -1;
  std::int64_t gate_step = -1;  // -1: none
  std::shared_ptr<TaskListener> listener = {};
  TensorSource source = {};
};

struct TaskInfo {
  std::int64_t id = 0;
  TaskKind kind = TaskKind::save;
  TaskState state = TaskState::queued;
  bool staged = false;
  std::int64_t step = 0;
  std::int64_t done_bytes = 0;
  std::int64_t total_bytes = 0;
  std::int64_t queued_at_ns = 0;
  std::int64_t started_at_ns = 0;
  std::int64_t ended_at_ns = 0;
  std::int64_t queued_utc_ns = 0;
  std::int64_t started_utc_ns = 0;
  std::int64_t ended_utc_ns = 0;
};

class Task : public std::enable_shared_from_this<Task> {
 public:
  // The current phase. Running has three sub-phases: cancelling can only end as cancelled, committing can no longer be cancelled.
  enum class Phase : std::uint8_t { queued, running, cancelling, committing, completed, failed, cancelled, rejected };
  // Kinds of notifications.
  enum class Event : std::uint8_t { staged, progress, ended };

  Task(TaskKind task_kind, TaskOptions task_options, std::int64_t begin_at_ns)
      : kind(task_kind), options(std::move(task_options)), queued_at_ns(begin_at_ns) {}

  Phase phase() const noexcept { return phase_.load(std::memory_order_acquire); }
  bool has_ended() const noexcept { return phase() >= Phase::completed; }
  // Changes the phase, unless the target ends the task; ends use end().
  bool move(Phase from, Phase to) noexcept { return phase_.compare_exchange_strong(from, to, std::memory_order_acq_rel); }
  // Starts the work on a queued task.
  bool start() noexcept;
  // Ends a task in phase `from`; returns false if it has left that phase. The caller that gets true notifies the others.
  bool end(Phase from, Phase to, TaskResult&& result);
  // Valid after the end, when it no longer changes.
  const TaskResult& result() const noexcept;

  // Events are stored in the task until a thread delivers them, one thread at a time and under no lock: call post(); the thread
  // that gets true from begin_notifying() delivers the events returned by next() until it returns nothing. A progress event
  // replaces undelivered earlier ones.
  void post(Event event) noexcept;
  bool begin_notifying() noexcept;
  std::optional<Event> next() noexcept;

  // Mark the copy of the caller's tensors by a thread. begin_copy() returns false if the task has ended: nothing is read then. A
  // task can end (cancelled, or failed by its worker) during the copy; its end is reported only after end_copy(), because callers
  // then change or free the tensors. The thread that calls end_copy() delivers the events.
  bool begin_copy() noexcept;
  void end_copy() noexcept;
  // Returns whether the task has ended and no thread copies its tensors.
  bool has_released() const noexcept { return has_ended() && !is_copying_.load(); }  // in this order: see begin_copy
  // Also returns true if the task ends unstaged.
  bool wait_staged(std::int64_t timeout_ns);
  // For the worker: waits until it is staged or asked to stop.
  void wait_staged_or_stop();
  void ask_to_stop();
  // Waits until its listeners were notified of its end.
  bool wait(std::int64_t timeout_ns);
  // Also posts the event. Returns false if the task has ended.
  bool set_staged(std::int64_t stall) noexcept;
  void set_notified() noexcept;
  bool was_notified() const noexcept { return notified_.load(); }

  std::shared_ptr<Staging> staging() const;
  void set_staging(std::shared_ptr<Staging> staging);
  // The accepted generation of a save, held for the task's lifetime.
  void set_accepted(std::shared_ptr<state::AcceptedSave> accepted);
  std::shared_ptr<AgreedSave> agreed() const;
  void set_agreed(std::shared_ptr<AgreedSave> agreed);

  TaskState state() const noexcept;
  TaskInfo info() const;
  std::string name() const;  // for messages: "task 4 (save of step 7)"
  std::int64_t left_bytes() const noexcept;

  const TaskKind kind;
  TaskOptions options;  // listener: used by the notifying thread, reset after the notification of the end
  const std::int64_t queued_at_ns;
  const std::int64_t queued_utc_ns = base::utc_ns();
  std::int64_t id = 0;      // assigned by the table; earlier tasks have lower ids
  std::int32_t place = -1;  // among the live tasks, -1: none; set before the table has the task
  state::SaveOptions save;
  state::LoadOptions load;
  std::shared_ptr<const state::Proposal> chosen;  // of a load of many ranks
  std::shared_ptr<state::State> target;           // of a load; accessed only by the thread that moves the task out of its phase
  std::unique_ptr<state::StateLoan> loan;         // of target; for the thread that moves the task out of phase queued
  std::atomic<std::int64_t> total_bytes{0};
  std::atomic<std::int64_t> done_bytes{0};
  std::atomic<std::int64_t> started_at_ns{0};
  std::atomic<std::int64_t> started_utc_ns{0};
  std::atomic<std::int64_t> ended_at_ns{0};
  std::atomic<std::int64_t> ended_utc_ns{0};
  std::atomic<std::int64_t> durable_at_ns{0};
  std::atomic<bool> gate_open{false};
  std::atomic<bool> is_staged{false};
  std::atomic<bool> is_seen{false};      // a caller has received its result
  std::atomic<bool> is_deferred{false};  // to the notifying thread
  std::atomic<std::int64_t> stall_ns{0};
  const std::shared_ptr<std::atomic<bool>> stop = std::make_shared<std::atomic<bool>>(false);

 private:
  void add_event(Event event) noexcept;  // call with mutex_ held
  bool awaits_copy() const noexcept { return has_ended() && is_copying_.load(); }

  std::atomic<Phase> phase_{Phase::queued};
  std::atomic<bool> notified_{false};
  mutable std::mutex mutex_;
  std::shared_ptr<Staging> staging_;
  std::shared_ptr<AgreedSave> agreed_;  // of many ranks
  TaskResult result_;
  std::array<Event, 3> events_{};  // undelivered events, each kind once
  std::size_t event_count_ = 0;
  std::atomic<bool> is_copying_{false};  // changed with mutex_ held
  bool is_notifying_ = false;            // a thread is delivering
  base::WaitPoint changed_;
};

}  // namespace ckpt::async
