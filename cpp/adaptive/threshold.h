// The threshold rule: checkpoint after a task that took a large enough share of the longest one seen, while there are slots left;
// the share moves by what recoveries saved and checkpoints cost. Not synchronised.
//
// Its weaknesses: it knows neither the time since the last checkpoint nor the failure rate, its steps depend on the unit of time
// (benefit / (benefit + 1)), one outlier stays the longest task for ever, and slots for a lifetime run out.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ckpt::adaptive {

// Throws Error(invalid_argument) unless seconds is finite and not negative.
void require_seconds(std::string_view argument, double seconds);

struct ThresholdOptions {
  double threshold = 0.35;     // 0.05 .. 1
  double learning_rate = 0.1;  // above 0, at most 1
  std::int64_t budget = 3;     // checkpoints of a run
};

class Threshold {
 public:
  static constexpr std::size_t longest_name = 95;  // bytes
  static constexpr std::int64_t history_capacity = 256;

  struct Task {
    std::array<char, longest_name + 1> name{};
    double duration_seconds = 0;
    bool checkpointed = false;
    bool failed = false;
  };

  explicit Threshold(const ThresholdOptions& options = {});

  // A task is done. name: UTF-8, not blank, at most longest_name bytes.
  void observe_task(std::string_view name, double seconds);
  // A task failed after this long: it is remembered, and never the longest, for it is not known how long it takes.
  void observe_failure(std::string_view name, double seconds);
  // A true answer consumes a slot. cost: what the task took, in the unit of observe_task.
  bool should_checkpoint(std::string_view name, double cost);
  // The same answer, consuming nothing.
  bool wants(double cost) const;
  // A checkpoint was made of the last task observed.
  void consume();
  void mark_failed();
  // Moves the threshold by -sign(b) rate |b| / (|b| + 1) for the benefit b = saved - overhead, within 0.05 .. 1.
  void adjust_policy(double saved_seconds, double overhead_seconds);
  // All slots are free again; the rest stays.
  void begin_run() { used_ = 0; }

  const ThresholdOptions& options() const { return options_; }
  double threshold() const { return threshold_; }
  double longest_seconds() const { return longest_; }
  std::int64_t used() const { return used_; }
  std::int64_t history_size() const { return history_size_; }
  // 0 is the oldest of the tasks that are remembered.
  const Task& history(std::int64_t index) const { return history_[slot(index)]; }
  // All of them, the oldest first.
  std::vector<Task> all_tasks() const;

  // A former state; the options are this object's own.
  void restore(double threshold, double longest, std::int64_t used) noexcept;
  void remember(const Task& task) noexcept;

 private:
  std::size_t slot(std::int64_t index) const { return static_cast<std::size_t>((history_begin_ + index) % history_capacity); }

  ThresholdOptions options_;
  double threshold_;
  double longest_ = 0;
  std::int64_t used_ = 0;
  std::int64_t history_begin_ = 0;
  std::int64_t history_size_ = 0;
  std::array<Task, history_capacity> history_{};
};

}  // namespace ckpt::adaptive
