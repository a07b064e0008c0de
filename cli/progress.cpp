#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "text.h"

namespace ckpt::cli {
namespace {

constexpr std::chrono::milliseconds bar_interval{100};
constexpr std::chrono::milliseconds line_interval{2000};
constexpr int bar_width = 24;

std::string bar(double share) {
  const int full = static_cast<int>(share * bar_width);
  return "[" + std::string(static_cast<std::size_t>(full), '#') + std::string(static_cast<std::size_t>(bar_width - full), '.') +
         "]";
}

std::string saves_text(const Saver& saver) {
  std::string text;
  const std::int64_t saves = saver.figures().saves;
  if (saves > 0) text += "  checkpoints " + std::to_string(saves);
  if (const AsyncManager* const background = saver.background(); background != nullptr) {
    const AsyncManagerStats stats = background->stats();
    if (stats.live_tasks > 0)
      text += "  saving " + std::to_string(stats.live_tasks) + ", " + bytes_text(stats.in_flight_bytes) + " to go";
  }
  return text;
}

}  // namespace

Progress::Progress(std::int64_t first_step, std::int64_t steps, std::int64_t tokens_per_step, const MemoryTracker& tracker,
                   const Saver* saver, bool quiet)
    : first_step_(first_step),
      steps_(steps),
      tokens_per_step_(tokens_per_step),
      tracker_(tracker),
      saver_(saver),
      terminal_(isatty(STDERR_FILENO) != 0),
      begin_(Clock::monotonic()),
      step_(first_step) {
  if (!quiet) drawer_ = std::thread([this] { draw_until_stopped(); });
}

Progress::~Progress() {
  if (!drawer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stop_asked_.notify_all();
  drawer_.join();
  (void)std::fprintf(stderr, terminal_ ? "\r%s\n" : "%s\n", line().c_str());
}

void Progress::step_done(std::int64_t step, double loss) {
  loss_.store(loss, std::memory_order_relaxed);
  step_.store(step, std::memory_order_relaxed);
}

void Progress::draw_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!stop_asked_.wait_for(lock, terminal_ ? bar_interval : line_interval, [this] { return stop_; })) {
    (void)std::fprintf(stderr, terminal_ ? "\r%s" : "%s\n", line().c_str());
    (void)std::fflush(stderr);
  }
}

std::string Progress::line() {
  const std::int64_t step = step_.load(std::memory_order_relaxed);
  const double seconds = seconds_of(std::max(std::chrono::nanoseconds(1), Clock::monotonic() - begin_));
  const double tokens = static_cast<double>((step - first_step_) * tokens_per_step_) / seconds;
  const MemoryStats memory = tracker_.stats();
  std::string text;
  if (terminal_) text += bar(steps_ == 0 ? 1 : static_cast<double>(step) / static_cast<double>(steps_)) + " ";
  text += "step " + std::to_string(step) + "/" + std::to_string(steps_);
  if (step > first_step_) text += "  loss " + fixed_text(loss_.load(std::memory_order_relaxed), 4);
  text += "  " + fixed_text(tokens, 0) + " tokens/s  activations " + bytes_text(memory.current_bytes) + " now, " +
          bytes_text(memory.peak_bytes) + " peak";
  if (saver_ != nullptr) text += saves_text(*saver_);
  return text + (terminal_ ? "   " : "");
}

}  // namespace ckpt::cli
