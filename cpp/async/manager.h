// Background saves and loads of one checkpoint object. Thread-safe.
//
// A save is admitted (gets a place among the live tasks), staged (its bytes are copied, or borrowed) and queued. A worker writes
// it, with checksums from another thread, and commits it by the same code that commits foreground saves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "async/stager.h"
#include "async/task.h"
#include "async/tasks.h"
#include "async/thread_group.h"
#include "async/workers.h"
#include "base/os/thread.h"
#include "state/manager/checkpoint.h"

namespace ckpt::async {

struct AsyncOptions {
  std::int32_t workers = 1;
  std::int64_t capacity = 10;
  std::int64_t history = 100;
  std::int64_t staging_bytes = std::int64_t{1} << 30;
  std::int64_t prepare_bytes = 0;
  std::int64_t bytes_per_second = 0;  // 0: unlimited
  std::int64_t drain_timeout_ns = 30'000'000'000;
  std::int32_t staging_threads = 0;  // 0: the processors available to this process, at most 4
  std::int32_t nice = 0;
  std::shared_ptr<TaskListener> listener = {};
  MakeBlock make_block = {};  // allocates staging memory; empty: the system's
};

enum class CloseMode { drain, cancel, drain_unreported };

// Arguments of a save or a load, read inside the call: see state::ReadSave.
struct SaveArguments {
  const state::State* state = nullptr;
  state::SaveOptions options = {};
  TaskOptions task = {};
};
using ReadSave = std::function<SaveArguments()>;
struct LoadArguments {
  std::shared_ptr<state::State> state = {};
  state::LoadOptions options = {};
  TaskOptions task = {};
};
using ReadLoad = std::function<LoadArguments()>;

class AsyncManager : public std::enable_shared_from_this<AsyncManager> {
 public:
  AsyncManager(std::shared_ptr<state::Checkpoint> checkpoint, const AsyncOptions& options);
  // Ends the threads. Closes an open manager by draining for drain_timeout_ns. Reports each failure that no caller has seen to
  // the log, or else to standard error, and to the next save of the storage. In a forked child only frees memory.
  ~AsyncManager();
  AsyncManager(const AsyncManager&) = delete;
  AsyncManager& operator=(const AsyncManager&) = delete;
  // Closes and releases; inside a callback the manager's threads do both when they are done.
  static void release(std::shared_ptr<AsyncManager> manager) noexcept;

  // Returns the task's id. Errors: those of Checkpoint::checked; queue_full, closed, forked; invalid_state inside a callback; the
  // oldest failure that no caller has seen.
  std::int64_t save(const ReadSave& read);
  std::int64_t save(const state::State& state, const state::SaveOptions& options, TaskOptions task) {
    return save([&] { return SaveArguments{&state, options, std::move(task)}; });
  }
  std::int64_t load(const ReadLoad& read);
  std::int64_t load(std::shared_ptr<state::State> state, const state::LoadOptions& options, TaskOptions task) {
    return load([&] { return LoadArguments{std::move(state), options, std::move(task)}; });
  }

  // Returns true if the task ends as cancelled because of this call. Error(not_found), as all below.
  bool cancel(std::int64_t id);
  // id 0: all tasks that are live now. Fails with Error(timeout).
  void wait_staged(std::int64_t id, std::int64_t timeout_ns);
  // is_seen: the caller receives the result, so that a failure needs no other report.
  TaskResult wait(std::int64_t id, std::int64_t timeout_ns, bool is_seen = true);
  void wait_all(std::int64_t timeout_ns);
  // Returns the result of a completed task of that kind; otherwise Error(invalid_state).
  TaskResult completed(std::int64_t id, TaskKind kind) const;
  void end_step(std::int64_t step);

  TaskInfo info(std::int64_t id) const;
  std::vector<std::int64_t> live_ids() const;
  std::vector<std::int64_t> ended_ids() const;
  AsyncStats stats() const;

  // Throws the oldest failure that no caller has seen; each further call throws the next one. Error(timeout) if draining exceeds
  // timeout_ns. With drain_unreported a thrown failure does not count as reported, so the destructor reports it, too.
  void close(CloseMode mode, std::int64_t timeout_ns);

  // For tests: entries in the queue, tasks in the table.
  std::int64_t queue_entries() const { return tasks_.queue_entries(); }
  std::int64_t known_tasks() const { return tasks_.table().size(); }

 private:
  std::int64_t save_of_many(const ReadSave& read);
  void start_threads();
  template <class Serve>
  void serve(Serve&& serve);
  bool is_inside_callback() const noexcept;
  void refuse_fork() const;
  void refuse_callback() const;
  void require_open();
  TensorSource marked(TensorSource source) const;
  static TensorSource of_whole_tensors(TensorSource source);
  std::shared_ptr<Task> require_task(std::int64_t id) const;
  std::vector<std::shared_ptr<Task>> wanted(std::int64_t id) const;
  void detach_threads();
  // How to report tasks that were cancelled because draining exceeded its timeout.
  enum class WhenLate { report_to_caller, abandon };
  bool end(CloseMode mode, std::int64_t timeout_ns, WhenLate when_late);
  void report_unreceived();

  const std::shared_ptr<state::Checkpoint> checkpoint_;
  const AsyncOptions options_;
  const std::uint64_t generation_ = base::fork_generation();
  Tasks tasks_;
  Stager stager_;
  Workers workers_;
  ThreadGroup threads_;
};

}  // namespace ckpt::async
