#include "async/manager.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/entered.h"
#include "base/error.h"
#include "base/log.h"
#include "base/os/cpu.h"

namespace ckpt::async {
namespace {

using base::cat;
using base::LogLevel;
using base::Status;

constexpr std::int64_t most_capacity = 65536;
constexpr std::int64_t longest_history = 1 << 20;

AsyncOptions checked(const AsyncOptions& options) {
  base::require(options.workers >= 1 && options.workers <= 16, "workers is ", options.workers, "; 1 .. 16");
  base::require(options.capacity >= 1 && options.capacity <= most_capacity, "capacity is ", options.capacity, "; 1 .. ",
                most_capacity);
  base::require(options.history >= 1 && options.history <= longest_history, "history is ", options.history, "; 1 .. ",
                longest_history);
  base::require(options.prepare_bytes >= 0 && options.prepare_bytes <= options.staging_bytes, "prepare_bytes is ",
                options.prepare_bytes, "; 0 .. staging_bytes (", options.staging_bytes, ")");
  base::require(options.bytes_per_second >= 0, "bytes_per_second is ", options.bytes_per_second, "; at least 0 (no limit)");
  base::require(options.drain_timeout_ns >= -1, "drain_timeout_ns is ", options.drain_timeout_ns, "; at least -1");
  base::require(options.staging_threads >= 0 && options.staging_threads <= 1024, "staging_threads is ", options.staging_threads,
                "; 0 .. 1024");
  base::require(options.nice >= 0 && options.nice <= 19, "nice is ", options.nice, "; 0 .. 19");
  return options;
}

std::int32_t staging_threads(const AsyncOptions& options) {
  return options.staging_threads > 0 ? options.staging_threads : std::min(4, base::available_threads());
}

void check_task(const TaskOptions& task) {
  base::require(task.timeout_ns >= -1, "task.timeout_ns is ", task.timeout_ns, "; at least -1");
  base::require(task.gate_step >= -1, "task.gate_step is ", task.gate_step, "; at least -1 (no gate)");
  base::require(!task.source || task.mode != StagingMode::borrow,
                "task.source is given with BORROW, which reads the memory itself");
}

// What is left of a time-out that began at begin_ns.
std::int64_t left_of(std::int64_t timeout_ns, std::int64_t begin_ns) {
  return timeout_ns <= 0 ? timeout_ns : std::max<std::int64_t>(0, timeout_ns - (base::monotonic_ns() - begin_ns));
}

}  // namespace

// ---- Life ----

AsyncManager::AsyncManager(std::shared_ptr<state::Checkpoint> checkpoint, const AsyncOptions& options)
    : checkpoint_(std::move(checkpoint)),
      options_(checked(options)),
      arena_(std::make_shared<Arena>(options.staging_bytes)),
      pool_(staging_threads(options)),
      table_(options.history),
      queue_(options.capacity, [this](std::int64_t id) { return fate_of(id); }) {
  if (options.bytes_per_second > 0) {
    constexpr std::int64_t burst_bytes = std::int64_t{4} << 20;
    limit_ = std::make_shared<storage::RateLimit>(options.bytes_per_second, burst_bytes, nullptr, storage::Sleep());
  }
  arena_->prepare(options.prepare_bytes);
  const auto workers = static_cast<std::size_t>(options.workers);
  threads_.reserve(workers + 2);
  threads_left_ = options.workers + 2;
  try {
    for (std::size_t i = 0; i < workers; ++i) lanes_.push_back(std::make_unique<HashLane>(options.nice));
    threads_.push_back(std::make_unique<base::Thread>("ckpt-stage", [this] { serve_staging(); }));
    threads_.push_back(std::make_unique<base::Thread>("ckpt-tell", [this] { serve_telling(); }));
    for (std::size_t i = 0; i < workers; ++i) {
      threads_.push_back(std::make_unique<base::Thread>(cat("ckpt-save-", i), [this, i] { serve_tasks(i); }));
    }
  } catch (...) {
    begin_close();
    join_threads();
    throw;
  }
  say(LogLevel::info, "created: at most ", options.capacity, " tasks, workers: ", options.workers);
}

AsyncManager::~AsyncManager() {
  if (generation_ != base::fork_generation()) return;
  if (threads_are_ == Threads::serving) end(CloseMode::drain, options_.drain_timeout_ns);
  try {
    while (const auto failure = failures_.take()) say(LogLevel::error, "no caller has seen this failure: ", failure->message());
  } catch (const std::bad_alloc&) {
    // What there is no memory for is lost, as in say().
  }
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the reference that is let go
void AsyncManager::release(std::shared_ptr<AsyncManager> manager) noexcept {
  AsyncManager& it = *manager;
  if (it.generation_ != base::fork_generation()) return;
  if (base::Entered::is_inside(&it)) {
    it.detach_threads();
  } else if (!it.end(CloseMode::drain, it.options_.drain_timeout_ns)) {
    it.say(LogLevel::warning, "not all tasks ended within ", it.options_.drain_timeout_ns, " ns; the others were cancelled");
  }
}

// Stops what comes; whoever waits looks again.
void AsyncManager::begin_close() {
  closing_.store(true);
  places_.wake_all();
  staging_asked_.wake_all();
  telling_asked_.wake_all();
  queue_.look_again();
}

void AsyncManager::join_threads() {
  for (const auto& thread : threads_) thread->join();
}

// True for the one who decides what becomes of the threads.
bool AsyncManager::try_leave(Threads how) {
  const std::lock_guard lock(end_mutex_);
  if (threads_are_ != Threads::serving) return false;
  threads_are_ = how;
  // The caller's reference is one of those that go; the last thread to leave drops this one.
  if (how == Threads::detached && threads_left_ > 0) keep_alive_ = weak_from_this().lock();
  return true;
}

void AsyncManager::detach_threads() {
  // Else somebody is closing, who waits for the threads.
  if (!try_leave(Threads::detached)) return;
  if (options_.drain_timeout_ns >= 0) {
    const std::int64_t now = base::monotonic_ns();
    drain_deadline_ns_.store(options_.drain_timeout_ns > INT64_MAX - now ? INT64_MAX : now + options_.drain_timeout_ns);
  }
  say(LogLevel::info, "shutting down without waiting: ", live_.load(), " tasks have not ended");
  for (const auto& thread : threads_) thread->detach();
  begin_close();
}

// Returns when the threads have gone and all callbacks have returned, whoever sees to it. False when draining took longer.
bool AsyncManager::end(CloseMode mode, std::int64_t timeout_ns) {
  const base::Entered entered(this);  // what is cancelled or logged may call back
  if (!closing_.exchange(true)) say(LogLevel::info, "shutting down: ", live_.load(), " tasks have not ended");
  if (mode == CloseMode::cancel) cancel_all();  // before the gates open, behind which a worker would begin what is to be cancelled
  begin_close();
  bool in_time = true;
  if (mode == CloseMode::drain) in_time = places_.wait([this] { return live_.load() == 0; }, timeout_ns);
  if (live_.load() > 0) cancel_all();
  const bool is_first = try_leave(Threads::joined);
  if (is_first) {
    join_threads();
  } else {
    left_.wait([this] { return all_left_.load(); }, -1);
  }
  if (is_first) say(LogLevel::info, "shut down");
  return in_time;
}

void AsyncManager::close(CloseMode mode, std::int64_t timeout_ns) {
  refuse_fork();
  refuse_callback();
  base::require(timeout_ns >= -1, "timeout_ns is ", timeout_ns, "; at least -1");
  const bool in_time = end(mode, timeout_ns);
  const std::string late = in_time ? "" : cat("not all tasks ended within ", timeout_ns, " ns; the others were cancelled");
  if (const auto failure = failures_.take()) {
    throw in_time ? *failure : base::Error(failure->status(), cat(failure->message(), "; ", late));
  }
  if (!in_time) throw base::Error(Status::timeout, late);
}

void AsyncManager::cancel_all() {
  for (const auto& task : table_.live()) cancel_task(*task, Telling::now);
}

// ---- What a call needs ----

void AsyncManager::refuse_fork() const {
  if (generation_ != base::fork_generation()) base::fail(Status::forked, "async was made before this process was forked");
}

void AsyncManager::refuse_callback() const {
  if (base::Entered::is_inside(this))
    base::fail(Status::invalid_state, "async is used inside one of its callbacks in a way that would wait");
}

void AsyncManager::require_open() {
  refuse_fork();
  refuse_callback();
  if (const auto failure = failures_.take()) throw base::Error(*failure);
  if (closing_.load()) base::fail(Status::closed, "async is closed");
}

std::shared_ptr<Task> AsyncManager::require_task(std::int64_t id) const {
  refuse_fork();
  auto task = table_.find(id);
  if (task == nullptr) base::fail(Status::not_found, "id is ", id, "; no task has it, or not any more");
  return task;
}

std::vector<std::shared_ptr<Task>> AsyncManager::wanted(std::int64_t id) const {
  if (id != 0) return {require_task(id)};
  refuse_fork();
  return table_.live();
}

// ---- Admission ----

// Wakes nobody: it is also asked under the lock of places_.
bool AsyncManager::try_admit() {
  std::int64_t live = live_.load();
  do {
    if (live >= options_.capacity) return false;
  } while (!live_.compare_exchange_weak(live, live + 1));
  if (!closing_.load()) return true;
  // The threads may be gone: they leave when closing_ is true and nothing lives.
  live_.fetch_sub(1);
  return false;
}

bool AsyncManager::drop_oldest() {
  for (const auto& task : table_.live()) {
    TaskResult result;
    result.status = Status::queue_full;
    result.error = "dropped for a newer task";
    if (task->admitted && task->phase() == Phase::queued && finish(*task, Phase::queued, Phase::rejected, std::move(result)))
      return true;
  }
  return false;
}

void AsyncManager::reject(const std::shared_ptr<Task>& task) {
  TaskResult result;
  result.status = Status::queue_full;
  result.error = cat("the queue is full: ", options_.capacity, " tasks have not ended");
  const std::string message = result.error;
  task->options.listener.reset();  // its call fails: it is the caller's
  table_.add(task);
  if (task->end(Phase::queued, Phase::rejected, std::move(result))) {
    counts_[static_cast<int>(TaskState::rejected)].fetch_add(1);
    say(LogLevel::warning, task->name(), " rejected: ", message);
    table_.note_end(*task);
    task->set_told();
  }
  base::fail(Status::queue_full, message);
}

// Without a time limit: those who hold the places may be waiting at gates that this caller would open next.
bool AsyncManager::wait_for_place(std::int64_t timeout_ns) {
  const int opens_gates = timeout_ns < 0 ? 1 : 0;
  waiting_for_places_.fetch_add(opens_gates);
  if (opens_gates > 0) queue_.look_again();
  bool admitted = false;
  places_.wait([&] { return (admitted = try_admit()) || closing_.load(); }, timeout_ns);
  waiting_for_places_.fetch_sub(opens_gates);
  return admitted;
}

TaskQueue::Fate AsyncManager::fate_of(std::int64_t id) const {
  return table_.look(id, [this](const Task* task) {
    if (task == nullptr || task->phase() != Phase::queued) return TaskQueue::Fate::dead;
    const bool is_open = task->gate_open.load() || ended_step_.load() >= task->options.gate_step ||
                         waiting_for_places_.load() > 0 || closing_.load();
    return is_open ? TaskQueue::Fate::ready : TaskQueue::Fate::held;
  });
}

void AsyncManager::admit(const std::shared_ptr<Task>& task) {
  bool admitted = try_admit();
  switch (task->options.when_full) {
    case WhenFull::refuse: break;
    case WhenFull::wait:
      if (!admitted) admitted = wait_for_place(task->options.timeout_ns);
      break;
    case WhenFull::drop_oldest:
      while (!admitted && drop_oldest()) admitted = try_admit();
  }
  if (!admitted && closing_.load()) {
    begin_close();  // for a moment something lived: whoever waits for that to end looks again
    base::fail(Status::closed, "async was closed meanwhile");
  }
  if (!admitted) reject(task);
  task->admitted = true;
  untold_.fetch_add(1);
  table_.add(task);
  say(LogLevel::info, task->name(), " queued");
}

// ---- Tasks ----

// The threads of the pool are not marked themselves. A worker may be writing this very save, with the checkpoint locked, and wait
// for the bytes: what would wait for the checkpoint is refused, too.
TensorSource AsyncManager::marked(TensorSource source) const {
  if (!source) return source;
  return [this, source = std::move(source)](const std::string& group, const state::StateTensor& item, std::int64_t offset,
                                            std::span<std::byte> out) {
    const base::Entered manager(this);
    const base::Entered checkpoint(checkpoint_.get());
    source(group, item, offset, out);
  };
}

std::int64_t AsyncManager::save(const state::State& state, const state::SaveOptions& options, TaskOptions given) {
  const std::int64_t begin = base::monotonic_ns();
  refuse_fork();
  refuse_callback();
  check_task(given);
  state::SaveOptions wanted_options = checkpoint_->checked(options);
  require_open();
  const base::Entered entered(this);  // what this calls until it returns
  TensorSource source = marked(std::exchange(given.source, {}));
  const auto task = std::make_shared<Task>(TaskKind::save, std::move(given), begin);
  task->save = std::move(wanted_options);
  auto staging = std::make_shared<Staging>(state.gathered(), task->options.mode, std::move(source), arena_);
  task->total_bytes = staging->bytes();
  task->set_staging(std::move(staging));
  admit(task);
  const std::int64_t id = task->id;
  switch (task->options.mode) {
    case StagingMode::copy: stage_now(task); break;
    case StagingMode::borrow:
      task->stall_seconds.store(static_cast<double>(base::monotonic_ns() - begin) * 1e-9);
      enqueue(*task);
      break;
    case StagingMode::deferred: {
      task->stall_seconds.store(static_cast<double>(base::monotonic_ns() - begin) * 1e-9);
      {
        const std::lock_guard lock(to_stage_mutex_);
        to_stage_.push_back(task);
      }
      staging_asked_.wake_all();
    }
  }
  return id;
}

std::int64_t AsyncManager::load(std::shared_ptr<state::State> state, const state::LoadOptions& options, TaskOptions given) {
  const std::int64_t begin = base::monotonic_ns();
  refuse_fork();
  refuse_callback();
  check_task(given);
  require_open();
  const base::Entered entered(this);
  const auto task = std::make_shared<Task>(TaskKind::load, std::move(given), begin);
  task->load = options;
  task->target = std::move(state);
  admit(task);
  task->stall_seconds.store(static_cast<double>(base::monotonic_ns() - begin) * 1e-9);
  const std::int64_t id = task->id;
  enqueue(*task);
  return id;
}

bool AsyncManager::cancel(std::int64_t id) {
  return cancel_task(*require_task(id), base::Entered::is_inside(this) ? Telling::later : Telling::now);
}

void AsyncManager::open_gate(Task& task) {
  if (task.options.gate_step < 0) return;
  task.gate_open.store(true);
  queue_.look_again();
}

void AsyncManager::open_all_gates() {
  for (const auto& task : table_.live()) open_gate(*task);
}

void AsyncManager::wait_staged(std::int64_t id, std::int64_t timeout_ns) {
  base::require(timeout_ns >= -1, "timeout_ns is ", timeout_ns, "; at least -1");
  const std::int64_t begin = base::monotonic_ns();
  for (const auto& task : wanted(id)) {
    if (task->kind == TaskKind::load) continue;
    if (timeout_ns != 0 && !task->is_staged.load()) {
      if (!task->has_ended()) refuse_callback();
      open_gate(*task);
    }
    if (!task->wait_staged(left_of(timeout_ns, begin))) {
      base::fail(Status::timeout, "task ", task->id, " was not staged within ", timeout_ns, " ns");
    }
  }
}

TaskResult AsyncManager::wait(std::int64_t id, std::int64_t timeout_ns, bool is_seen) {
  base::require(timeout_ns >= -1, "timeout_ns is ", timeout_ns, "; at least -1");
  const auto task = require_task(id);
  if (timeout_ns != 0 && !task->has_ended()) {
    refuse_callback();
    open_gate(*task);
  }
  // Inside the task's own callback it has ended and its waiters are not told yet.
  if (!(task->has_ended() && base::Entered::is_inside(this)) && !task->wait(timeout_ns)) {
    base::fail(Status::timeout, "task ", id, " did not end within ", timeout_ns, " ns");
  }
  if (is_seen) {
    task->is_seen.store(true);
    failures_.forget(id);
  }
  return task->result();
}

void AsyncManager::wait_all(std::int64_t timeout_ns) {
  base::require(timeout_ns >= -1, "timeout_ns is ", timeout_ns, "; at least -1");
  const std::int64_t begin = base::monotonic_ns();
  refuse_fork();
  // A callback waits for nothing that has ended: it may be what tells of it.
  const auto tasks = base::Entered::is_inside(this) ? table_.live() : table_.untold();
  if (!tasks.empty() && timeout_ns != 0) refuse_callback();
  if (timeout_ns != 0) {
    for (const auto& task : tasks) open_gate(*task);
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
    base::fail(Status::invalid_state, "task ", id, " is no ", kind == TaskKind::save ? "save" : "load", " that has completed");
  }
  return task->result();
}

void AsyncManager::end_step(std::int64_t step) {
  refuse_fork();
  base::require(step >= 0, "step is ", step, "; at least 0");
  std::int64_t known = ended_step_.load();
  while (known < step && !ended_step_.compare_exchange_weak(known, step)) {
  }
  queue_.look_again();
}

// ---- Look ----

TaskInfo AsyncManager::info(std::int64_t id) const { return require_task(id)->info(); }

std::vector<std::int64_t> AsyncManager::live_ids() const {
  refuse_fork();
  std::vector<std::int64_t> ids;
  for (const auto& task : table_.live()) ids.push_back(task->id);
  return ids;
}

std::vector<std::int64_t> AsyncManager::ended_ids() const {
  refuse_fork();
  std::vector<std::int64_t> ids;
  for (const auto& task : table_.ended()) ids.push_back(task->id);
  return ids;
}

AsyncStats AsyncManager::stats() const {
  refuse_fork();
  AsyncStats out;
  const auto count = [this](TaskState state) { return counts_[static_cast<int>(state)].load(); };
  for (const auto& task : table_.live()) {
    out.running += task->state() == TaskState::running ? 1 : 0;
    out.in_flight_bytes += task->left_bytes();
  }
  out.live = live_.load();
  out.completed = count(TaskState::completed);
  out.failed = count(TaskState::failed);
  out.cancelled = count(TaskState::cancelled);
  out.rejected = count(TaskState::rejected);
  out.written_bytes = written_bytes_.load();
  out.staging_bytes = arena_->allocated_bytes();
  out.stall_seconds = static_cast<double>(stall_ns_.load()) * 1e-9;
  out.last_stall_seconds = last_stall_seconds_.load();
  return out;
}

}  // namespace ckpt::async
