// Least time as a function of bytes: infinite below its first step, then falling from step to step.
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

// No sum of bytes is larger; above them lie the ends of the functions.
constexpr std::int64_t largest_bytes = std::int64_t{1} << 60;

constexpr double never = std::numeric_limits<double>::infinity();

// Bytes rise and time falls, strictly, from step to step.
class StepFunction {
 public:
  StepFunction() = default;  // infinite everywhere
  explicit StepFunction(std::span<const Step> steps);
  static StepFunction constant(double time, std::int64_t from_bytes);

  std::span<const Step> steps() const { return std::span(steps_).first(size()); }
  std::size_t size() const { return steps_.empty() ? 0 : steps_.size() - 1; }
  bool is_never() const { return steps_.empty(); }
  double at(std::int64_t bytes) const;

 private:
  std::vector<Step> steps_;  // behind the last one stands a step that no bytes reach, so that a sweep needs no test for the end
};

// f(bytes - shift)
struct Shifted {
  const StepFunction* function = nullptr;
  std::int64_t shift = 0;
};

// The least of all that was added to it. Its buffers serve one function after another.
class Minimum {
 public:
  Minimum();
  void clear() { size_ = 0; }
  // time + a + b + c where bytes are at_least, infinite below. A function that is not given counts nothing.
  void add(std::int64_t at_least, double time, Shifted a = {}, Shifted b = {}, Shifted c = {});
  std::size_t size() const { return size_; }
  // Steps that were looked at since this was made: what it took, whatever the machine.
  std::int64_t work() const { return work_; }
  // Drops the steps that lose least until `most` are left; returns the time that is lost at most, whatever the bytes.
  double thin(std::size_t most);
  StepFunction function() const { return StepFunction(std::span(best_).first(size_)); }

 private:
  double best_at(std::int64_t bytes) const;

  std::vector<Step> best_;  // ends as StepFunction's
  std::size_t size_ = 0;
  std::vector<Step> merged_;
  StepFunction zero_;
  std::int64_t work_ = 0;
};

}  // namespace ckpt::plan
