// The threshold rule: checkpoint after a task that took a large enough share of the longest task seen, while slots are left;
// recoveries and checkpoint costs adjust the share. Not thread-safe.
//
// Its weaknesses: it considers neither the time since the last checkpoint nor the failure rate, and its steps depend on the unit of
// time (benefit / (benefit + 1)). One outlier remains the longest task permanently, and slots for a lifetime run out.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ckpt::adaptive {

// Fails with Error(invalid_argument) unless seconds is finite and not negative.
void require_seconds(std::string_view argument, double seconds);

struct ThresholdOptions {
  double threshold = 0.35;     // 0.05 .. 1
  double learning_rate = 0.1;  // above 0, at most 1
  std::int64_t budget = 3;     // checkpoints per run
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

  // Records a completed task. name: UTF-8, not blank, at most longest_name bytes.
  void observe_task(std::string_view name, double seconds);
  // Records a task that failed after this time. It never counts as the longest, since its full duration is unknown.
  void observe_failure(std::string_view name, double seconds);
  // An answer of true consumes a slot. cost: the task's duration, in the unit of observe_task.
  bool should_checkpoint(std::string_view name, double cost);
  // Returns the same answer without consuming a slot.
  bool wants(double cost) const;
  // Records that a checkpoint of the last observed task was made.
  void consume();
  void mark_failed();
  // Moves the threshold by -sign(b) rate |b| / (|b| + 1) for the benefit b = saved - overhead, within 0.05 .. 1.
  void adjust_policy(double saved_seconds, double overhead_seconds);
  // Frees all slots; keeps everything else.
  void begin_run() { used_ = 0; }

  const ThresholdOptions& options() const { return options_; }
  double threshold() const { return threshold_; }
  double longest_seconds() const { return longest_; }
  std::int64_t used() const { return used_; }
  std::int64_t history_size() const { return history_size_; }
  // index 0 is the oldest stored task.
  const Task& history(std::int64_t index) const { return history_[slot(index)]; }
  // Returns all stored tasks, oldest first.
  std::vector<Task> all_tasks() const;

  // Restores a saved state; the options are kept.
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
