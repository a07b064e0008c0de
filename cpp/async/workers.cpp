#include "async/workers.h"

#include <utility>

#include "async/source.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"

namespace ckpt::async {
namespace {

using base::LogLevel;
using base::Status;
using Phase = Task::Phase;

// From here on callers cannot cancel it.
void enter_commit_point(Task& task) {
  if (!task.move(Phase::running, Phase::committing)) base::fail(Status::cancelled, "cancelled");
}

// Receives progress reports of this thread's operations.
class ReportsTo {
 public:
  explicit ReportsTo(base::ProgressSink sink) { base::set_progress(std::move(sink)); }
  ~ReportsTo() { base::set_progress({}); }
  ReportsTo(const ReportsTo&) = delete;
  ReportsTo& operator=(const ReportsTo&) = delete;
};

}  // namespace

Workers::Workers(Tasks& tasks, std::shared_ptr<state::Checkpoint> checkpoint, std::int32_t count, std::int64_t bytes_per_second,
                 std::int32_t nice)
    : tasks_(tasks), checkpoint_(std::move(checkpoint)) {
  if (bytes_per_second > 0) {
    constexpr std::int64_t burst_bytes = std::int64_t{4} << 20;
    limit_ = std::make_shared<storage::RateLimit>(bytes_per_second, burst_bytes, nullptr, storage::Sleep());
  }
  for (std::int32_t i = 0; i < count; ++i) lanes_.push_back(std::make_unique<HashLane>(nice));
}

void Workers::serve(std::size_t worker) {
  log_message(LogLevel::info, "worker ", worker, " started");
  while (const auto task = tasks_.take()) {
    run(*task, *lanes_[worker]);
    task->wait(-1);  // another thread may still be notifying of it: the next task's end must be reported after this one's
  }
  log_message(LogLevel::info, "worker ", worker, " stopped");
}

void Workers::run(Task& task, HashLane& lane) {
  log_lazily(LogLevel::info, [&] { return base::cat(task.name(), " processing"); });
  const storage::FaultHandler* const handler = checkpoint_->fault_handler().get();
  const auto retries = [&, before = handler == nullptr ? 0 : handler->retries()] {
    return handler == nullptr ? 0 : handler->retries() - before;
  };
  try {
    TaskResult result = task.kind == TaskKind::save ? save(task, lane) : load(task);
    result.retries += retries();
    tasks_.finish(task, Phase::committing, Phase::completed, std::move(result));
  } catch (...) {
    const base::Error error = current_error_copy();
    const auto cancelled = [&] {
      return tasks_.finish(task, Phase::cancelling, Phase::cancelled, result_of({Status::cancelled, "cancelled"}, 0));
    };
    if (cancelled()) return;
    if (error.status() == Status::cancelled) {  // on another rank
      for (const Phase phase : {Phase::running, Phase::committing}) {
        if (tasks_.finish(task, phase, Phase::cancelled, result_of(error, retries()))) return;
      }
    }
    for (const Phase phase : {Phase::running, Phase::committing}) {
      if (tasks_.finish(task, phase, Phase::failed, result_of(error, retries()))) return;
    }
    cancelled();  // a caller requested it at the same moment
  }
}

// The checkpoint is locked during the write: events are reported later.
TaskResult Workers::save(Task& task, HashLane& lane) {
  const auto staging = task.staging();
  if (staging == nullptr) base::fail(Status::cancelled, "cancelled");
  staging->plan();
  StagedSource::Events events;
  events.written = [&](std::int64_t bytes) { tasks_.note_written(task, bytes); };
  events.commit_point = [&] {
    // All bytes were read, so they are copied; the copying thread may be about to post `staged`, which must precede the end.
    if (staging->mode() != StagingMode::borrow) task.wait_staged_or_stop();
    enter_commit_point(task);
    if (staging->mode() == StagingMode::borrow) tasks_.note_staged(task, task.stall_ns.load(), When::later);
  };
  events.acknowledged = [&] { task.durable_at_ns.store(base::monotonic_ns()); };
  StagedSource source(*staging, lane, limit_, task.stop, std::move(events));
  const auto agreed = task.agreed();
  if (agreed != nullptr) {
    agreed->is_begun = true;
    agreed->save.state = {staging, &staging->whole()};
  } else if (checkpoint_->is_of_many()) {
    base::fail(Status::cancelled, "cancelled");
  }
  const state::SaveResult saved = agreed != nullptr ? checkpoint_->save_agreed(agreed->save, source, true)
                                                    : checkpoint_->save_gathered(staging->whole(), task.save, source);
  task.done_bytes.store(task.total_bytes.load());  // includes linked files
  TaskResult result;
  result.bytes = saved.bytes;
  result.retries = saved.rewritten;
  result.name = saved.name;
  result.unreported_failures = saved.unreported_failures;
  result.unreported_status = saved.unreported_status;
  result.unreported_error = saved.unreported_error;
  result.saved = saved;
  return result;
}

// Returns the state before the task ends: a caller that sees the end may use it.
TaskResult Workers::load(Task& task) {
  const auto loan = std::exchange(task.loan, nullptr);
  state::LoadOptions options = std::move(task.load);
  options.stop = task.stop;
  options.before_filling = [&] {
    if (task.phase() != Phase::committing) enter_commit_point(task);
  };
  const ReportsTo progress(
      [&](std::int64_t done_bytes, std::int64_t total_bytes) { tasks_.note_read(task, done_bytes, total_bytes); });
  const state::LoadResult loaded = checkpoint_->load(*task.target, options, loan.get(), task.chosen.get());
  TaskResult result;
  result.step = loaded.step;
  result.bytes = loaded.bytes;
  result.name = loaded.name;
  result.loaded = loaded;
  return result;
}

}  // namespace ckpt::async
