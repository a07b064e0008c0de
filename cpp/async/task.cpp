#include "async/task.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/clock.h"

namespace ckpt::async {

base::Error current_error_copy() noexcept {
  const base::CurrentError error = base::current_error();
  try {
    return {error.status, error.message};
  } catch (const std::bad_alloc&) {
    return {error.status, "no memory"};  // short enough to need no allocation
  }
}

TaskResult result_of(const base::Error& error, std::int64_t retries) noexcept {
  TaskResult result;
  result.status = error.status();
  try {
    result.error = error.message();
  } catch (const std::bad_alloc&) {
    result.error = "no memory";
  }
  result.retries = retries;
  return result;
}

bool Task::start() noexcept {
  {
    const std::lock_guard lock(mutex_);  // end() reads the phase, returns a load's state and ends the task in one step
    if (!move(Phase::queued, Phase::running)) return false;
  }
  started_at_ns.store(base::monotonic_ns());
  started_utc_ns.store(base::utc_ns());
  return true;
}

bool Task::end(Phase from, Phase to, TaskResult&& result) {
  std::shared_ptr<Staging> staging;  // freed outside the lock, like everything that belongs to the caller's function
  std::shared_ptr<AgreedSave> agreed;
  std::shared_ptr<state::AcceptedSave> accepted;
  decltype(load.rename) rename;
  {
    const std::lock_guard lock(mutex_);
    if (phase() != from) return false;
    if (from == Phase::queued) loan.reset();
    if (!move(from, to)) return false;
    staging = std::exchange(staging_, nullptr);
    agreed = std::exchange(agreed_, nullptr);
    accepted = std::exchange(save.accepted, nullptr);
    rename = std::exchange(load.rename, nullptr);
    const std::int64_t now = base::monotonic_ns();
    const std::int64_t started = started_at_ns.load();
    result_ = std::move(result);
    result_.id = id;
    result_.kind = kind;
    if (kind == TaskKind::save) {
      result_.step = save.step;
      result_.metric_ignored = save.metric_ignored;
    }
    if (accepted != nullptr) {
      result_.generation = accepted->generation();
      result_.rolled_back = accepted->rolled_back();
    } else if (agreed != nullptr) {
      result_.generation = agreed->save.generation;
      result_.rolled_back = agreed->save.rolled_back;
      result_.metric_ignored = agreed->save.options.metric_ignored;
    }
    result_.state = state();
    result_.duration_ns = started > 0 ? now - started : 0;
    result_.stall_ns = stall_ns.load();
    const std::int64_t durable = durable_at_ns.load();
    if (to == Phase::completed) result_.durable_ns = (durable > 0 ? durable : now) - queued_at_ns;
    ended_at_ns.store(now);
    ended_utc_ns.store(base::utc_ns());
  }
  if (staging != nullptr) staging->stop();
  changed_.wake_all();
  return true;
}

const TaskResult& Task::result() const noexcept {
  const std::lock_guard lock(mutex_);  // end() changes the phase first
  return result_;
}

void Task::add_event(Event event) noexcept {
  const auto end = events_.begin() + event_count_;
  if (std::find(events_.begin(), end, event) == end) events_[event_count_++] = event;
}

void Task::post(Event event) noexcept {
  const std::lock_guard lock(mutex_);
  add_event(event);
}

bool Task::begin_notifying() noexcept {
  const std::lock_guard lock(mutex_);
  return event_count_ > 0 && !awaits_copy() && !std::exchange(is_notifying_, true);
}

std::optional<Task::Event> Task::next() noexcept {
  const std::lock_guard lock(mutex_);
  is_notifying_ = event_count_ > 0 && !awaits_copy();
  if (!is_notifying_) return std::nullopt;
  const Event event = events_.front();
  std::shift_left(events_.begin(), events_.begin() + event_count_--, 1);
  return event;
}

bool Task::begin_copy() noexcept {
  const std::lock_guard lock(mutex_);  // of end(): a waiter that sees the end also sees a copy that began before it
  if (has_ended()) return false;
  is_copying_.store(true);
  return true;
}

void Task::end_copy() noexcept {
  {
    const std::lock_guard lock(mutex_);
    is_copying_.store(false);
  }
  changed_.wake_all();
}

bool Task::wait_staged(std::int64_t timeout_ns) {
  return changed_.wait([&] { return is_staged.load() || has_released(); }, timeout_ns);
}

void Task::wait_staged_or_stop() {
  changed_.wait([&] { return is_staged.load() || stop->load(); }, -1);
}

void Task::ask_to_stop() {
  stop->store(true);
  changed_.wake_all();
}

bool Task::wait(std::int64_t timeout_ns) {
  return changed_.wait([&] { return notified_.load(); }, timeout_ns);
}

bool Task::set_staged(std::int64_t stall) noexcept {
  {
    // Under the lock of end(), so that it is either staged, and reported as such, before it ends, or not at all.
    const std::lock_guard lock(mutex_);
    if (has_ended()) return false;
    stall_ns.store(stall);
    is_staged.store(true);
    add_event(Event::staged);
  }
  changed_.wake_all();
  return true;
}

void Task::set_notified() noexcept {
  notified_.store(true);
  changed_.wake_all();
}

std::shared_ptr<Staging> Task::staging() const {
  const std::lock_guard lock(mutex_);
  return staging_;
}

void Task::set_staging(std::shared_ptr<Staging> staging) {
  const std::lock_guard lock(mutex_);
  staging_ = std::move(staging);
}

void Task::set_accepted(std::shared_ptr<state::AcceptedSave> accepted) {
  const std::lock_guard lock(mutex_);
  if (!has_ended()) std::swap(save.accepted, accepted);
}

std::shared_ptr<AgreedSave> Task::agreed() const {
  const std::lock_guard lock(mutex_);
  return agreed_;
}

void Task::set_agreed(std::shared_ptr<AgreedSave> agreed) {
  const std::lock_guard lock(mutex_);
  agreed_ = std::move(agreed);
}

TaskState Task::state() const noexcept {
  switch (phase()) {
    case Phase::queued: return TaskState::queued;
    case Phase::running:
    case Phase::cancelling:
    case Phase::committing: return TaskState::running;
    case Phase::completed: return TaskState::completed;
    case Phase::failed: return TaskState::failed;
    case Phase::cancelled: return TaskState::cancelled;
    case Phase::rejected: return TaskState::rejected;
  }
  return TaskState::failed;
}

TaskInfo Task::info() const {
  return {id,
          kind,
          state(),
          is_staged.load(),
          kind == TaskKind::save ? save.step : -1,
          done_bytes.load(),
          total_bytes.load(),
          queued_at_ns,
          started_at_ns.load(),
          ended_at_ns.load(),
          queued_utc_ns,
          started_utc_ns.load(),
          ended_utc_ns.load()};
}

std::string Task::name() const {
  return kind == TaskKind::save ? base::cat("task ", id, " (save of step ", save.step, ')') : base::cat("task ", id, " (load)");
}

std::int64_t Task::left_bytes() const noexcept {
  return has_ended() || kind != TaskKind::save ? 0 : std::max<std::int64_t>(0, total_bytes.load() - done_bytes.load());
}

}  // namespace ckpt::async
