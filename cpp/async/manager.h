// Saves and loads of one checkpoint object in the background. Synchronised.
//
// A save is admitted (a place among the live tasks), staged (its bytes copied, or borrowed), queued, written by a worker with
// checksums made by another thread, and committed by the same code that commits a save in the foreground.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "async/arena.h"
#include "async/failures.h"
#include "async/queue.h"
#include "async/source.h"
#include "async/table.h"
#include "async/task.h"
#include "base/log.h"
#include "base/os/thread.h"
#include "base/thread_pool.h"
#include "base/wait_point.h"
#include "state/checkpoint.h"

namespace ckpt::async {

struct AsyncOptions {
  std::int32_t workers = 1;
  std::int64_t capacity = 10;
  std::int64_t history = 100;
  std::int64_t staging_bytes = std::int64_t{1} << 30;
  std::int64_t prepare_bytes = 0;
  std::int64_t bytes_per_second = 0;  // 0: no limit
  std::int64_t drain_timeout_ns = 30'000'000'000;
  std::int32_t staging_threads = 0;  // 0: what this process may use, at most 4
  std::int32_t nice = 0;
  std::shared_ptr<TaskListener> listener = {};
};

struct AsyncStats {
  std::int64_t live = 0;
  std::int64_t running = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::int64_t rejected = 0;
  std::int64_t in_flight_bytes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t staging_bytes = 0;
  double stall_seconds = 0;
  double last_stall_seconds = 0;
};

enum class CloseMode { drain, cancel };

class AsyncManager : public std::enable_shared_from_this<AsyncManager> {
 public:
  AsyncManager(std::shared_ptr<state::Checkpoint> checkpoint, const AsyncOptions& options);
  // Ends the threads; closed by draining for drain_timeout_ns if need be. Logs each failure that nobody has seen. In a forked child
  // only frees.
  ~AsyncManager();
  AsyncManager(const AsyncManager&) = delete;
  AsyncManager& operator=(const AsyncManager&) = delete;
  // Closes and lets go; inside a callback the manager's threads do both when they are done.
  static void release(std::shared_ptr<AsyncManager> manager) noexcept;

  // The task's id. Errors: those of Checkpoint::checked; queue_full, closed, forked; invalid_state inside a callback; the oldest
  // failure that no caller has seen.
  std::int64_t save(const state::State& state, const state::SaveOptions& options, TaskOptions given);
  std::int64_t load(std::shared_ptr<state::State> state, const state::LoadOptions& options, TaskOptions given);

  // True when the task ends cancelled because of this call. Error(not_found), as all below.
  bool cancel(std::int64_t id);
  // id 0: all that are live now. Error(timeout).
  void wait_staged(std::int64_t id, std::int64_t timeout_ns);
  // is_seen: the caller looks at the result, so that a failure needs no other report.
  TaskResult wait(std::int64_t id, std::int64_t timeout_ns, bool is_seen = true);
  void wait_all(std::int64_t timeout_ns);
  // The result of a task of that kind that has completed; else Error(invalid_state).
  TaskResult completed(std::int64_t id, TaskKind kind) const;
  void end_step(std::int64_t step);

  TaskInfo info(std::int64_t id) const;
  std::vector<std::int64_t> live_ids() const;
  std::vector<std::int64_t> ended_ids() const;
  AsyncStats stats() const;

  // The oldest failure that no caller has seen, each call the next one; Error(timeout) when draining took longer.
  void close(CloseMode mode, std::int64_t timeout_ns);

  // For tests: entries in the queue, slots of tasks.
  std::int64_t queue_entries() const { return queue_.size(); }
  std::int64_t task_slots() const { return table_.slots(); }

 private:
  using Phase = Task::Phase;
  enum class Threads : std::uint8_t { serving, joined, detached };
  enum class Telling : std::uint8_t { now, later };

  // manager.cpp: the caller's side.
  void refuse_fork() const;
  void refuse_callback() const;
  void require_open();
  void admit(const std::shared_ptr<Task>& task);
  bool try_admit();
  bool wait_for_place(std::int64_t timeout_ns);
  bool drop_oldest();
  void reject(const std::shared_ptr<Task>& task);
  TensorSource marked(TensorSource source) const;
  std::shared_ptr<Task> require_task(std::int64_t id) const;
  std::vector<std::shared_ptr<Task>> wanted(std::int64_t id) const;
  void open_gate(Task& task);
  void open_all_gates();
  TaskQueue::Fate fate_of(std::int64_t id) const;
  void begin_close();
  void cancel_all();
  void join_threads();
  void detach_threads();
  bool try_leave(Threads how);
  bool end(CloseMode mode, std::int64_t timeout_ns);

  // work.cpp: staging, writing, and ends.
  void stage_now(const std::shared_ptr<Task>& task);
  bool stage(const std::shared_ptr<Task>& task, Staging& staging, base::ThreadPool* pool, bool enqueue_first);
  void tell_staged(Task& task, double stall_seconds, Telling when);
  void enqueue(const Task& task);
  void serve_staging();
  void serve_tasks(std::size_t worker);
  void leave() noexcept;
  void run_task(Task& task, HashLane& lane);
  TaskResult run_save(Task& task, HashLane& lane);
  TaskResult run_load(Task& task);
  void pass_commit_point(Task& task);
  bool cancel_task(Task& task, Telling when);
  bool finish(Task& task, Phase from, Phase to, TaskResult&& result, Telling when = Telling::now);
  void fail_task(Task& task, const base::Error& error);
  void wake_who_may_leave() noexcept;
  void tell(Task& task, Telling when);
  bool hand_over(Task& task) noexcept;
  void serve_telling();
  void tell_of(Task& task, Task::Event event, TaskListener& listener) const;
  void note_told(Task& task);
  void say_ended(const Task& task) const;
  bool may_leave() const noexcept { return closing_.load() && live_.load() == 0; }

  // To the log. Called under no lock, by threads that are marked. A message for which there is no memory is lost.
  template <class... Pieces>
  void say(base::LogLevel level, const Pieces&... pieces) const noexcept {
    if (!base::is_logged(level)) return;
    try {
      base::log(level, "async", base::cat(pieces...));
    } catch (const std::bad_alloc&) {
    }
  }

  const std::shared_ptr<state::Checkpoint> checkpoint_;
  const AsyncOptions options_;
  const std::uint64_t generation_ = base::fork_generation();
  const std::shared_ptr<Arena> arena_;
  std::shared_ptr<storage::RateLimit> limit_;  // nullptr: none
  base::ThreadPool pool_;
  TaskTable table_;
  TaskQueue queue_;

  std::atomic<std::int64_t> live_{0};
  std::atomic<bool> closing_{false};
  base::WaitPoint places_;                           // live_ fell
  std::atomic<std::int64_t> waiting_for_places_{0};  // callers, without a limit: all gates are open meanwhile
  std::atomic<std::int64_t> ended_step_{-1};

  std::mutex to_stage_mutex_;
  std::deque<std::shared_ptr<Task>> to_stage_;
  base::WaitPoint staging_asked_;

  std::mutex to_tell_mutex_;
  std::deque<std::shared_ptr<Task>> to_tell_;
  base::WaitPoint telling_asked_;
  std::atomic<std::int64_t> untold_{0};  // admitted tasks whose listeners were not yet told of the end

  Failures failures_;

  std::atomic<std::int64_t> counts_[6] = {};  // of tasks that ended, by TaskState
  std::atomic<std::int64_t> written_bytes_{0};
  std::atomic<std::int64_t> stall_ns_{0};
  std::atomic<double> last_stall_seconds_{0};

  std::vector<std::unique_ptr<HashLane>> lanes_;
  std::vector<std::unique_ptr<base::Thread>> threads_;
  std::atomic<std::int64_t> drain_deadline_ns_{-1};  // after which the threads cancel what is left; -1: none
  std::mutex end_mutex_;                             // held for the next three alone
  Threads threads_are_ = Threads::serving;
  std::int64_t threads_left_ = 0;
  std::shared_ptr<AsyncManager> keep_alive_;  // released inside a callback: until the last thread leaves
  std::atomic<bool> all_left_{false};
  base::WaitPoint left_;
};

}  // namespace ckpt::async
