#include "saver.h"

#include <utility>

namespace ckpt::cli {

Saver::Saver(Checkpoint& checkpoint, bool async) : checkpoint_(checkpoint) {
  if (!async) return;
  AsyncCallbacks callbacks;
  callbacks.ended = [this](const AsyncResult& result) {
    if (result.success()) add(result.stall_seconds, result.durable_seconds);
  };
  const ckpt_async_manager_options defaults = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  async_.emplace(checkpoint, defaults, std::move(callbacks));
}

void Saver::save(const State& state, const SaveOptions& options) {
  if (async_) {
    AsyncTaskOptions task;
    task.when_full = WhenFull::wait;
    async_->save(state, options, std::move(task));
    return;
  }
  const std::int64_t begin = Clock::monotonic_ns();
  checkpoint_.save(state, options);
  const double seconds = static_cast<double>(Clock::monotonic_ns() - begin) * 1e-9;
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
