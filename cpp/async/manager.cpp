#include "async/manager.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "base/entered.h"
#include "base/error.h"
#include "base/log.h"
#include "state/unreported.h"

namespace ckpt::async {
namespace {

using base::cat;
using base::LogLevel;
using base::Status;

constexpr std::int64_t max_capacity = 65536;
constexpr std::int64_t longest_history = 1 << 20;

AsyncOptions checked(const AsyncOptions& options) {
  base::require(options.workers >= 1 && options.workers <= 16, "workers is ", options.workers, "; expected 1 .. 16");
  base::require(options.capacity >= 1 && options.capacity <= max_capacity, "capacity is ", options.capacity, "; expected 1 .. ",
                max_capacity);
  base::require(options.history >= 1 && options.history <= longest_history, "history is ", options.history, "; expected 1 .. ",
                longest_history);
  base::require(options.prepare_bytes >= 0 && options.prepare_bytes <= options.staging_bytes, "prepare_bytes is ",
                options.prepare_bytes, "; expected 0 .. staging_bytes (", options.staging_bytes, ")");
  base::require(options.bytes_per_second >= 0, "bytes_per_second is ", options.bytes_per_second,
                "; expected at least 0 (no limit)");
  base::require(options.drain_timeout_ns >= -1, "drain_timeout_ns is ", options.drain_timeout_ns, "; expected at least -1");
  base::require(options.staging_threads >= 0 && options.staging_threads <= 1024, "staging_threads is ", options.staging_threads,
                "; expected 0 .. 1024");
  base::require(options.nice >= 0 && options.nice <= 19, "nice is ", options.nice, "; expected 0 .. 19");
  return options;
}

void check_task(const TaskOptions& task) {
  base::require(task.timeout_ns >= -1, "task.timeout_ns is ", task.timeout_ns, "; expected at least -1");
  base::require(task.gate_step >= -1, "task.gate_step is ", task.gate_step, "; expected at least -1 (no gate)");
  base::require(!task.source || task.mode != StagingMode::borrow,
                "task.source is set; expected none with BORROW, which reads the memory directly");
}

void check_task_of_many(const TaskOptions& task) {
  for (const auto& [is_given, what] : {std::pair(task.priority != 0, "priority"), std::pair(task.gate_step >= 0, "gate_step"),
                                       std::pair(task.when_full == WhenFull::drop_oldest, "when_full DROP_OLDEST")}) {
    if (is_given) {
      base::fail(Status::unsupported, "task.", what,
                 " is set; expected the default for a save of several ranks, which all use the same order");
    }
  }
}

// Returns the rest of a timeout that began at begin_at_ns.
std::int64_t left_of(std::int64_t timeout_ns, std::int64_t begin_at_ns) {
  return timeout_ns <= 0 ? timeout_ns : std::max<std::int64_t>(0, timeout_ns - (base::monotonic_ns() - begin_at_ns));
}

}  // namespace

// ---- Life ----

AsyncManager::AsyncManager(std::shared_ptr<state::Checkpoint> checkpoint, const AsyncOptions& options)
    : checkpoint_(std::move(checkpoint)),
      options_(checked(options)),
      tasks_(options.capacity, options.history, options.listener),
      stager_(tasks_, options.staging_bytes, options.prepare_bytes, options.staging_threads, options.make_block),
      workers_(tasks_, checkpoint_, options.workers, options.bytes_per_second, options.nice) {
  try {
    start_threads();
  } catch (...) {
    tasks_.close();
    threads_.join();
    throw;
  }
  log_message(LogLevel::info, "created: at most ", options.capacity, " tasks, workers: ", options.workers);
}

// Wraps a thread's function with its start and end.
template <class Serve>
void AsyncManager::serve(Serve&& serve) {
  const base::Entered entered(&tasks_);
  base::lower_priority(options_.nice);
  serve();
}

void AsyncManager::start_threads() {
  threads_.start("ckpt-stage", [this] { serve([this] { stager_.serve(); }); });
  threads_.start("ckpt-notify", [this] { serve([this] { tasks_.serve_notifications(); }); });
  for (std::size_t i = 0; i < workers_.count(); ++i) {
    threads_.start(cat("ckpt-save-", i), [this, i] { serve([this, i] { workers_.serve(i); }); });
  }
}

AsyncManager::~AsyncManager() {
  if (generation_ != base::fork_generation()) return;
  if (threads_.is_serving()) end(CloseMode::drain, options_.drain_timeout_ns, WhenLate::abandon);
  try {
    report_unreceived();
  } catch (const std::exception&) {
    // Messages without memory are dropped, as in log_message().
  }
}

// Runs after the release of the last reference, when no caller can receive the remaining failures.
void AsyncManager::report_unreceived() {
  std::vector<base::Error> left = tasks_.failures().take_all();
  // A drain timeout of 0 requests the cancellation, so it is not reported then.
  if (const std::int64_t count = tasks_.abandoned(); count > 0 && options_.drain_timeout_ns != 0) {
    left.emplace_back(Status::timeout, cat(count, count == 1 ? " task was" : " tasks were",
                                           " cancelled at the release: not ended within ", options_.drain_timeout_ns, " ns"));
  }
  if (left.empty()) return;
  std::vector<std::string> messages;
  messages.reserve(left.size());
  for (const base::Error& error : left) messages.push_back(error.message());
  try {
    state::leave_unreported(*checkpoint_->storage(),
                            {static_cast<std::int64_t>(left.size()), left.front().status(), left.front().message()});
  } catch (const std::exception&) {
    // The storage can no longer be identified, so no later save can return the failures.
  }
  base::report_unreceived("async", messages);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the reference to release
void AsyncManager::release(std::shared_ptr<AsyncManager> manager) noexcept {
  AsyncManager& it = *manager;
  if (it.generation_ != base::fork_generation()) return;
  if (it.is_inside_callback()) {
    it.detach_threads();
  } else {
    it.end(CloseMode::drain, it.options_.drain_timeout_ns, WhenLate::abandon);
  }
}

// Replaces the caller's reference: the threads hold one, and the last thread to leave drops it.
void AsyncManager::detach_threads() {
  if (!threads_.detach(weak_from_this().lock())) return;  // another call is closing and joins the threads
  if (options_.drain_timeout_ns >= 0) {
    const std::int64_t now = base::monotonic_ns();
    tasks_.set_deadline(options_.drain_timeout_ns > INT64_MAX - now ? INT64_MAX : now + options_.drain_timeout_ns);
  }
  log_message(LogLevel::info, "shutting down without waiting: ", tasks_.live(), " tasks have not ended");
  tasks_.close();
}

// Returns when the threads have ended and all callbacks have returned, whichever call ended them. Returns false if draining
// exceeded the timeout.
bool AsyncManager::end(CloseMode mode, std::int64_t timeout_ns, WhenLate when_late) {
  const base::Entered entered(&tasks_);  // cancelling and logging may call back
  if (tasks_.stop_admitting()) log_message(LogLevel::info, "shutting down: ", tasks_.live(), " tasks have not ended");
  // Before the gates open: a worker would otherwise start tasks that are to be cancelled.
  if (mode == CloseMode::cancel) tasks_.cancel_all();
  tasks_.close();
  const bool in_time = mode == CloseMode::cancel || tasks_.wait_for_ends(timeout_ns);
  if (!in_time && when_late == WhenLate::abandon) tasks_.abandon_all();
  if (tasks_.live() > 0) tasks_.cancel_all();
  if (threads_.join()) log_message(LogLevel::info, "shut down");
  return in_time;
}

void AsyncManager::close(CloseMode mode, std::int64_t timeout_ns) {
  refuse_fork();
  refuse_callback();
  base::require(timeout_ns >= -1, "timeout_ns is ", timeout_ns, "; expected at least -1");
  const bool is_reported = mode != CloseMode::drain_unreported;
  const bool in_time = end(mode, timeout_ns, is_reported ? WhenLate::report_to_caller : WhenLate::abandon);
  const std::string late = in_time ? "" : cat("not all tasks ended within ", timeout_ns, " ns; the others were cancelled");
  if (const auto failure = is_reported ? tasks_.failures().take() : tasks_.failures().oldest()) {
    throw in_time ? *failure : base::Error(failure->status(), cat(failure->message(), "; ", late));
  }
  if (!in_time) throw base::Error(Status::timeout, late);
}

// ---- Preconditions of calls ----

void AsyncManager::refuse_fork() const {
  if (generation_ != base::fork_generation()) base::fail(Status::forked, "manager was created before this process was forked");
}

bool AsyncManager::is_inside_callback() const noexcept { return base::Entered::is_inside(&tasks_); }

void AsyncManager::refuse_callback() const {
  if (is_inside_callback())
    base::fail(Status::invalid_state, "manager: this call would wait, which is not allowed inside one of its callbacks");
}

void AsyncManager::require_open() {
  refuse_fork();
  refuse_callback();
  if (const auto failure = tasks_.failures().take()) throw base::Error(*failure);
  if (tasks_.is_closing()) base::fail(Status::closed, "manager is closed");
}

std::shared_ptr<Task> AsyncManager::require_task(std::int64_t id) const {
  refuse_fork();
  auto task = tasks_.table().find(id);
  if (task == nullptr) base::fail(Status::not_found, "id is ", id, "; unknown task, or one that has left the history");
  return task;
}

std::vector<std::shared_ptr<Task>> AsyncManager::wanted(std::int64_t id) const {
  if (id != 0) return {require_task(id)};
  refuse_fork();
  return tasks_.table().not_notified();
}

// ---- Tasks ----

// The threads of the pool are not marked as entered. A worker may be writing this save with the checkpoint locked while it waits
// for the bytes, so calls that would wait for the checkpoint are refused too.
TensorSource AsyncManager::marked(TensorSource source) const {
  if (!source) return source;
  return [this, source = std::move(source)](const std::string& group, const state::StateTensor& item, std::int64_t offset,
                                            std::span<std::byte> out) {
    const base::Entered manager(&tasks_);
    const base::Entered checkpoint(checkpoint_.get());
    source(group, item, offset, out);
  };
}

// Reports errors in the caller's terms: one rank may write only part of a tensor.
TensorSource AsyncManager::of_whole_tensors(TensorSource source) {
  if (!source) return source;
  return [source = std::move(source)](const std::string& group, const state::StateTensor& item, std::int64_t offset,
                                      std::span<std::byte> out) {
    if (item.of.empty()) return source(group, item, offset, out);
    const auto& whole = item.view_of != nullptr ? item.view_of : item.tensor;
    const auto begin = static_cast<const std::byte*>(item.tensor->data()) - static_cast<const std::byte*>(whole->data());
    source(group, {item.of, whole}, begin + offset, out);
  };
}

// The ranks agree on the save in this call, on the calling thread. Rank 0 decides about the place in the queue; the others wait
// for its decision.
std::int64_t AsyncManager::save_of_many(const ReadSave& read) {
  const std::int64_t begin = base::monotonic_ns();
  const bool leads = checkpoint_->coordinator()->rank() == 0;
  TensorSource source;
  std::shared_ptr<Task> task;
  const auto read_here = [&] {
    SaveArguments given = read();
    check_task(given.task);
    check_task_of_many(given.task);
    require_open();
    if (!leads) {
      given.task.when_full = WhenFull::wait;
      given.task.timeout_ns = checkpoint_->timeout_ns();
    }
    source = of_whole_tensors(marked(std::exchange(given.task.source, {})));
    task = std::make_shared<Task>(TaskKind::save, std::move(given.task), begin);
    return state::SaveArguments{given.state, std::move(given.options)};
  };
  const auto agreed = std::make_shared<AgreedSave>(checkpoint_, checkpoint_->agree(read_here, [&] {
    const base::Entered entered(&tasks_);
    tasks_.require_place(task);
  }));
  const base::Entered entered(&tasks_);
  try {
    if (agreed->save.refusal) throw base::Error(*agreed->save.refusal);
    task->save = agreed->save.options;
    stager_.prepare(*task, *agreed->save.state, std::move(source));
    task->set_agreed(agreed);
    tasks_.admit(task);
  } catch (...) {
    const base::CurrentError error = base::current_error();
    agreed->is_begun = true;
    checkpoint_->abandon(agreed->save, base::Error(error.status, error.message));
    throw;
  }
  const std::int64_t id = task->id;
  stager_.stage(task);
  return id;
}

std::int64_t AsyncManager::save(const ReadSave& read) {
  const std::int64_t begin = base::monotonic_ns();
  refuse_fork();
  refuse_callback();
  if (checkpoint_->is_of_many()) return save_of_many(read);
  SaveArguments given = read();
  check_task(given.task);
  state::SaveOptions wanted_options = checkpoint_->checked(given.options);
  require_open();
  const base::Entered entered(&tasks_);  // marks everything called until return
  TensorSource source = marked(std::exchange(given.task.source, {}));
  const auto task = std::make_shared<Task>(TaskKind::save, std::move(given.task), begin);
  task->save = std::move(wanted_options);
  stager_.prepare(*task, given.state->gathered().assembled(), std::move(source));
  checkpoint_->look_at_line(task->save.step);
  tasks_.admit(task);
  try {
    task->set_accepted(checkpoint_->accept(task->save.step));
  } catch (...) {
    tasks_.cancel(*task, When::now);  // admit() has given it a place
    throw;
  }
  const std::int64_t id = task->id;
  stager_.stage(task);
  return id;
}

// With many ranks, the calling thread agrees on the checkpoint here, since no rank runs collectives while it reads.
std::int64_t AsyncManager::load(const ReadLoad& read) {
  const std::int64_t begin = base::monotonic_ns();
  refuse_fork();
  refuse_callback();
  LoadArguments given;
  const auto read_here = [&] {
    given = read();
    check_task(given.task);
    require_open();
  };
  std::shared_ptr<const state::Proposal> chosen;
  if (checkpoint_->is_of_many()) {
    chosen = std::make_shared<const state::Proposal>(checkpoint_->choose([&] {
      read_here();
      given.state->refuse_in_use();
      return state::LoadArguments{given.state.get(), given.options};
    }));
  } else {
    read_here();
    given.options = state::Checkpoint::checked(given.options);
  }
  const base::Entered entered(&tasks_);
  const auto task = std::make_shared<Task>(TaskKind::load, std::move(given.task), begin);
  task->load = std::move(given.options);
  task->chosen = std::move(chosen);
  task->loan = std::make_unique<state::StateLoan>(*given.state);
  task->target = std::move(given.state);
  tasks_.admit(task);
  task->stall_ns.store(base::monotonic_ns() - begin);
  const std::int64_t id = task->id;
  tasks_.publish(*task);
  return id;
}

bool AsyncManager::cancel(std::int64_t id) {
  if (checkpoint_->is_of_many() && checkpoint_->coordinator()->rank() != 0 && require_task(id)->kind == TaskKind::save)
    base::fail(Status::unsupported, "rank: expected rank 0 to cancel a save of several ranks");
  return tasks_.cancel(*require_task(id), is_inside_callback() ? When::later : When::now);
}

void AsyncManager::wait_staged(std::int64_t id, std::int64_t timeout_ns) {
  base::require(timeout_ns >= -1, "timeout_ns is ", timeout_ns, "; expected at least -1");
  const std::int64_t begin = base::monotonic_ns();
  for (const auto& task : wanted(id)) {
    if (task->kind == TaskKind::load) continue;
    if (timeout_ns != 0 && !task->is_staged.load()) {
      if (!task->has_released()) refuse_callback();
      tasks_.open_gate(*task);
    }
    if (!task->wait_staged(left_of(timeout_ns, begin))) {
      base::fail(Status::timeout, "task ", task->id, " was not staged within ", timeout_ns, " ns");
    }
  }
}

TaskResult AsyncManager::wait(std::int64_t id, std::int64_t timeout_ns, bool is_seen) {
  base::require(timeout_ns >= -1, "timeout_ns is ", timeout_ns, "; expected at least -1");
  const auto task = require_task(id);
  if (timeout_ns != 0 && !task->has_ended()) {
    refuse_callback();
    tasks_.open_gate(*task);
  }
  // Inside the task's own callback the task has ended, but its waiters are not notified yet.
  if (!(task->has_ended() && is_inside_callback()) && !task->wait(timeout_ns)) {
    base::fail(Status::timeout, "task ", id, " did not end within ", timeout_ns, " ns");
  }
  if (is_seen) {
    task->is_seen.store(true);
    tasks_.failures().remove(id);
  }
  return task->result();
}

void AsyncManager::wait_all(std::int64_t timeout_ns) {
  base::require(timeout_ns >= -1, "timeout_ns is ", timeout_ns, "; expected at least -1");
  const std::int64_t begin = base::monotonic_ns();
  refuse_fork();
  // Inside a callback, ended tasks are not waited for: this callback may be the notification of their end.
  const auto tasks = is_inside_callback() ? tasks_.table().live() : tasks_.table().not_notified();
  if (!tasks.empty() && timeout_ns != 0) refuse_callback();
  if (timeout_ns != 0) {
    for (const auto& task : tasks) tasks_.open_gate(*task);
  }
  for (const auto& task : tasks) {
    if (!task->wait(left_of(timeout_ns, begin))) {
      base::fail(Status::timeout, "task ", task->id, " did not end within ", timeout_ns, " ns");
    }
  }
}

TaskResult AsyncManager::completed(std::int64_t id, TaskKind kind) const {
  const auto task = require_task(id);
  if (task->kind != kind || task->state() != TaskState::completed) {
    base::fail(Status::invalid_state, "task ", id, ": expected a completed ", kind == TaskKind::save ? "save" : "load");
  }
  return task->result();
}

void AsyncManager::end_step(std::int64_t step) {
  refuse_fork();
  base::require(step >= 0, "step is ", step, "; expected at least 0");
  tasks_.end_step(step);
}

// ---- Queries ----

TaskInfo AsyncManager::info(std::int64_t id) const { return require_task(id)->info(); }

std::vector<std::int64_t> AsyncManager::live_ids() const {
  refuse_fork();
  std::vector<std::int64_t> ids;
  for (const auto& task : tasks_.table().live()) ids.push_back(task->id);
  return ids;
}

std::vector<std::int64_t> AsyncManager::ended_ids() const {
  refuse_fork();
  std::vector<std::int64_t> ids;
  for (const auto& task : tasks_.table().ended()) ids.push_back(task->id);
  return ids;
}

AsyncStats AsyncManager::stats() const {
  refuse_fork();
  AsyncStats stats = tasks_.stats();
  stats.staging_bytes = stager_.allocated_bytes();
  return stats;
}

}  // namespace ckpt::async
