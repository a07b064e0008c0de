#include "train_progress.h"

#include <algorithm>

#include "text.h"

namespace ckpt::cli {

TrainProgress::TrainProgress(std::int64_t first_step, std::int64_t steps, std::int64_t tokens_per_step,
                             const MemoryTracker& tracker, const Saver* saver, bool quiet)
    : first_step_(first_step),
      steps_(steps),
      tokens_per_step_(tokens_per_step),
      tracker_(tracker),
      saver_(saver),
      begin_(Clock::monotonic()),
      step_(first_step),
      progress_(quiet ? Progress::Kind::silent : Progress::Kind::lasting, [this] { return state(); }) {}

void TrainProgress::step_done(std::int64_t step, double loss) {
  loss_.store(loss, std::memory_order_relaxed);
  step_.store(step, std::memory_order_relaxed);
}

ProgressState TrainProgress::state() const {
  const std::int64_t step = step_.load(std::memory_order_relaxed);
  const double seconds = seconds_of(std::max(std::chrono::nanoseconds(1), Clock::monotonic() - begin_));
  const double tokens = static_cast<double>((step - first_step_) * tokens_per_step_) / seconds;
  const MemoryStats memory = tracker_.stats();
  ProgressState state;
  state.share = steps_ == 0 ? 1 : static_cast<double>(step) / static_cast<double>(steps_);
  state.details.push_back(cat("step ", step, "/", steps_));
  if (step > first_step_) state.details.push_back("loss " + fixed_text(loss_.load(std::memory_order_relaxed), 4));
  state.details.push_back(fixed_text(tokens, 0) + " tokens/s");
  state.details.push_back("activations " + bytes_text(memory.current_bytes) + " now, " + bytes_text(memory.peak_bytes) + " peak");
  if (saver_ == nullptr) return state;
  if (const std::int64_t saves = saver_->figures().saves; saves > 0) state.details.push_back(cat("checkpoints ", saves));
  if (const AsyncManager* const background = saver_->background(); background != nullptr) {
    const AsyncManagerStats stats = background->stats();
    if (stats.live_tasks > 0)
      state.details.push_back(cat("saving ", stats.live_tasks, ", ", bytes_text(stats.in_flight_bytes), " left"));
  }
  return state;
}

}  // namespace ckpt::cli
