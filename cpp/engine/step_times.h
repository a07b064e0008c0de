// Measures a program's layers during its steps: for each layer, option and kind of run, the mean within a step, and the median of
// these means over the last steps. Times multiplied by the numbers of runs therefore add up to the time of a step's layers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "plan/profile.h"
#include "plan/program.h"

namespace ckpt::engine {

class StepTimes {
 public:
  static constexpr std::int64_t max_steps = 32;  // the window of the median

  // program must outlive it. Allocates all memory now.
  explicit StepTimes(const plan::Program& program);

  void begin_step() noexcept;
  void add(const plan::Operation& operation, std::int64_t duration_ns) noexcept;
  // Records a completed step; failed ones are discarded.
  void end_step() noexcept;
  void reset() noexcept { steps_ = 0; }

  std::int64_t steps() const noexcept { return steps_; }
  // Sets the seconds of everything that ran.
  void write_to(plan::ChainProfile& profile) const;

 private:
  // Runs of one kind, layer and option.
  struct Runs {
    const plan::Operation* example = nullptr;
    std::int64_t step_ns = 0;  // total of this step
    std::int64_t step_runs = 0;
    std::array<float, max_steps> seconds{};  // mean time of a run, by step; a ring buffer
  };

  const std::vector<plan::Operation>& operations_;
  std::vector<Runs> runs_;
  std::vector<std::int32_t> runs_of_;  // by operation; none: not a layer's run
  std::int64_t steps_ = 0;
};

}  // namespace ckpt::engine
