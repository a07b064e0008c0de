#include "async/stager.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/os/cpu.h"

namespace ckpt::async {
namespace {

constexpr std::int64_t large_save_bytes = std::int64_t{8} << 20;

std::int64_t ns_since(std::int64_t begin_at_ns) { return base::monotonic_ns() - begin_at_ns; }

}  // namespace

Stager::Stager(Tasks& tasks, std::int64_t staging_bytes, std::int64_t prepare_bytes, std::int32_t threads, MakeBlock make)
    : tasks_(tasks),
      arena_(std::make_shared<Arena>(staging_bytes, std::move(make))),
      pool_(threads > 0 ? threads : std::min(4, base::available_threads())) {
  arena_->prepare(prepare_bytes);
}

void Stager::prepare(Task& task, state::State whole, TensorSource source) const {
  auto staging = std::make_shared<Staging>(std::move(whole), task.options.mode, std::move(source), arena_);
  task.total_bytes = staging->bytes();
  task.set_staging(std::move(staging));
}

void Stager::stage(const std::shared_ptr<Task>& task) {
  switch (task->options.mode) {
    case StagingMode::copy:
      // A cancelled task has no staging.
      if (const auto staging = task->staging(); staging != nullptr) copy(*task, *staging, &pool_, false);
      return;
    case StagingMode::borrow:
      task->stall_ns.store(ns_since(task->queued_at_ns));
      tasks_.publish(*task);
      return;
    case StagingMode::deferred: {
      task->stall_ns.store(ns_since(task->queued_at_ns));
      tasks_.stage_later(task);
    }
  }
}

// Skips a task that ended meanwhile. If copying fails, the task has ended when this returns, or its worker ends it.
void Stager::copy(Task& task, Staging& staging, base::ThreadPool* pool, bool publish_first) {
  try {
    staging.plan();
    if (!staging.reserve([this] { tasks_.open_all_gates(); })) return;
    // Copying in waves needs an active writer. A large state is written while the rest is copied, because the disk takes longer
    // than the memory.
    const bool is_early = publish_first || !staging.repeatable() || staging.bytes() >= large_save_bytes;
    if (is_early) tasks_.publish(task);
    if (!task.begin_copy()) return;
    const bool is_copied = staging.copy(pool);
    tasks_.note_copied(task);
    if (!is_copied) return staging.throw_error();
    const bool is_deferred = staging.mode() == StagingMode::deferred;  // its caller has long returned
    tasks_.note_staged(task, is_deferred ? task.stall_ns.load() : ns_since(task.queued_at_ns), When::now);
    if (!is_early) tasks_.publish(task);
  } catch (...) {
    tasks_.fail(task, current_error_copy());
  }
}

void Stager::serve() {
  while (const auto task = tasks_.next_to_stage()) {
    if (const auto staging = task->staging(); staging != nullptr) copy(*task, *staging, nullptr, true);
  }
}

}  // namespace ckpt::async
