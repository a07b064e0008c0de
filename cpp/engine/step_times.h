// How long a program's layers take in its steps: for each layer, option and kind of run the mean within a step, and the median of
// that over the last steps. So times the numbers of runs they add up to what the layers of a step took.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "plan/profile.h"
#include "plan/program.h"

namespace ckpt::engine {

class StepTimes {
 public:
  static constexpr std::int64_t most_steps = 32;  // of which the median is taken

  // program must outlive it. Takes all memory now.
  explicit StepTimes(const plan::Program& program);

  void begin_step() noexcept;
  void add(const plan::Operation& operation, std::int64_t duration_ns) noexcept;
  // Of a step that ended well: others are forgotten.
  void end_step() noexcept;
  void forget() noexcept { steps_ = 0; }

  std::int64_t steps() const noexcept { return steps_; }
  // Sets the seconds of what ran.
  void write_to(plan::ChainProfile& profile) const;

 private:
  // Runs of one kind of a layer under one option.
  struct Runs {
    const plan::Operation* example = nullptr;
    std::int64_t step_ns = 0;  // in this step, of so many
    std::int64_t step_runs = 0;
    std::array<float, most_steps> seconds{};  // mean of a run, by step, around and around
  };

  const std::vector<plan::Operation>& operations_;
  std::vector<Runs> runs_;
  std::vector<std::int32_t> runs_of_;  // by operation; none: no run of a layer
  std::int64_t steps_ = 0;
};

}  // namespace ckpt::engine
