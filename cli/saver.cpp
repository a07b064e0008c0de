#include "saver.h"

#include <utility>

namespace ckpt::cli {

CheckpointTaskOptions blocking_queue_options() {
  CheckpointTaskOptions task;
  task.when_full = WhenFull::wait;
  task.timeout = forever;
  return task;
}

Saver::Saver(CheckpointManager& checkpoint, bool async) : checkpoint_(checkpoint) {
  if (!async) return;
  CheckpointTaskCallbacks callbacks;
  callbacks.ended = [this](const CheckpointTaskResult& result) {
    if (succeeded(result)) add(seconds_of(result.stall), seconds_of(result.durable));
  };
  async_.emplace(checkpoint, AsyncManagerOptions(), std::move(callbacks));
}

void Saver::save(const State& state, const SaveOptions& options) {
  if (async_) {
    async_->save(state, options, blocking_queue_options());
    return;
  }
  const std::chrono::nanoseconds begin = Clock::monotonic();
  checkpoint_.save(state, options);
  const double seconds = seconds_of(Clock::monotonic() - begin);
  add(seconds, seconds);
}

void Saver::wait() {
  if (async_) async_->wait_all();
}

void Saver::finish() {
  if (async_) async_->close();
}

void Saver::add(double stall_seconds, double durable_seconds) {
  const std::lock_guard lock(mutex_);
  ++figures_.saves;
  figures_.stall_seconds += stall_seconds;
  figures_.durable_seconds += durable_seconds;
}

Saver::Figures Saver::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

}  // namespace ckpt::cli
