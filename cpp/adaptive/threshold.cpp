#include "adaptive/threshold.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace ckpt::adaptive {
namespace {

constexpr double smallest_threshold = 0.05;
constexpr double largest_threshold = 1;
// Replaces the longest task while there is none.
constexpr double smallest_longest = 1e-6;

void require_task_name(std::string_view name) {
  base::require_name("name", name);
  base::require(name.size() <= Threshold::longest_name, "name has ", name.size(), " bytes; expected at most ",
                Threshold::longest_name);
}

Threshold::Task observed(std::string_view name, double seconds) {
  require_task_name(name);
  require_seconds("duration_seconds", seconds);
  Threshold::Task task;
  std::copy(name.begin(), name.end(), task.name.begin());
  task.duration_seconds = seconds;
  return task;
}

}  // namespace

void require_seconds(std::string_view argument, double seconds) {
  base::require(std::isfinite(seconds) && seconds >= 0, argument, " is ", seconds,
                "; expected a finite number of seconds, at least 0");
}

Threshold::Threshold(const ThresholdOptions& options) : options_(options), threshold_(options.threshold) {
  base::require(options.threshold >= smallest_threshold && options.threshold <= largest_threshold, "threshold is ",
                options.threshold, "; expected ", smallest_threshold, " .. ", largest_threshold);
  base::require(options.learning_rate > 0 && options.learning_rate <= 1, "learning_rate is ", options.learning_rate,
                "; expected above 0, at most 1");
  base::require(options.budget >= 0, "budget is ", options.budget, "; expected at least 0");
}

void Threshold::observe_task(std::string_view name, double seconds) {
  remember(observed(name, seconds));
  longest_ = std::max(longest_, seconds);
}

void Threshold::observe_failure(std::string_view name, double seconds) {
  Task task = observed(name, seconds);
  task.failed = true;
  remember(task);
}

bool Threshold::wants(double cost) const {
  return used_ < options_.budget && cost / std::max(longest_, smallest_longest) >= threshold_;
}

bool Threshold::should_checkpoint(std::string_view name, double cost) {
  require_task_name(name);
  require_seconds("cost_seconds", cost);
  if (!wants(cost)) return false;
  ++used_;
  for (std::int64_t i = history_size_; i-- > 0;) {
    Task& task = history_[slot(i)];
    if (name == task.name.data() && !task.failed) {
      task.checkpointed = true;
      break;
    }
  }
  return true;
}

void Threshold::consume() {
  if (used_ < options_.budget) ++used_;
  if (history_size_ > 0) history_[slot(history_size_ - 1)].checkpointed = true;
}

std::vector<Threshold::Task> Threshold::all_tasks() const {
  std::vector<Task> all;
  all.reserve(static_cast<std::size_t>(history_size_));
  for (std::int64_t i = 0; i < history_size_; ++i) all.push_back(history(i));
  return all;
}

void Threshold::mark_failed() {
  if (history_size_ > 0) history_[slot(history_size_ - 1)].failed = true;
}

void Threshold::adjust_policy(double saved_seconds, double overhead_seconds) {
  require_seconds("saved_seconds", saved_seconds);
  require_seconds("overhead_seconds", overhead_seconds);
  const double benefit = saved_seconds - overhead_seconds;
  const double size = std::abs(benefit);
  const double step = options_.learning_rate * (size / (size + 1));
  threshold_ = std::clamp(threshold_ + (benefit > 0 ? -step : step), smallest_threshold, largest_threshold);
}

void Threshold::restore(double threshold, double longest, std::int64_t used) noexcept {
  threshold_ = threshold;
  longest_ = longest;
  used_ = used;
  history_begin_ = 0;
  history_size_ = 0;
}

void Threshold::remember(const Task& task) noexcept {
  if (history_size_ == history_capacity) {
    history_begin_ = (history_begin_ + 1) % history_capacity;
    --history_size_;
  }
  history_[slot(history_size_++)] = task;
}

}  // namespace ckpt::adaptive
