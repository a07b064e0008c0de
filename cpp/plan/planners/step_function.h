// Least time as a function of bytes: infinity below its first step, then decreasing from step to step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ckpt::plan {

// From these bytes on, this time.
struct Step {
  std::int64_t bytes = 0;
  double time = 0;
};

// No sum of bytes is larger; the sentinels of the functions lie above it.
constexpr std::int64_t largest_bytes = std::int64_t{1} << 60;

constexpr double never = std::numeric_limits<double>::infinity();

// From step to step, bytes strictly increase and time strictly decreases.
class StepFunction {
 public:
  StepFunction() = default;  // infinity everywhere
  explicit StepFunction(std::span<const Step> steps);
  static StepFunction constant(double time, std::int64_t from_bytes);

  std::span<const Step> steps() const { return std::span(steps_).first(size()); }
  std::size_t size() const { return steps_.empty() ? 0 : steps_.size() - 1; }
  bool is_never() const { return steps_.empty(); }
  double at(std::int64_t bytes) const;

 private:
  std::vector<Step> steps_;  // followed by a sentinel that no bytes reach, so that a sweep needs no end test
};

// f(bytes - shift)
struct Shifted {
  const StepFunction* function = nullptr;
  std::int64_t shift = 0;
};

// The minimum of all functions added to it. Its buffers are reused for the next function.
class Minimum {
 public:
  Minimum();
  void clear() { size_ = 0; }
  // Adds time + a + b + c where bytes are at_least, infinity below. Omitted functions count 0.
  void add(std::int64_t at_least, double time, Shifted a = {}, Shifted b = {}, Shifted c = {});
  std::size_t size() const { return size_; }
  // Steps examined since construction: a machine-independent measure of time.
  std::int64_t work() const { return work_; }
  // Drops the steps above `bytes`, except the first step.
  void clip(std::int64_t bytes);
  // Drops the steps that lose least until `max` are left; returns the largest loss of time at any bytes.
  double thin(std::size_t max);
  StepFunction function() const { return StepFunction(std::span(best_).first(size_)); }

 private:
  double best_at(std::int64_t bytes) const;

  std::vector<Step> best_;  // with a sentinel as in StepFunction
  std::size_t size_ = 0;
  std::vector<Step> merged_;
  StepFunction zero_;
  std::int64_t work_ = 0;
};

}  // namespace ckpt::plan
