// The learning rate of each optimizer step, by its number.
#pragma once

#include <cstdint>

namespace ckpt::engine {

struct LearningRateSchedule {
  enum class Kind : std::int32_t { constant, linear, cosine };
  Kind kind = Kind::constant;
  double peak_rate = 1e-3;
  double last_rate = 0;
  std::int64_t warm_up_steps = 0;
  std::int64_t steps = 0;
};

// Fails with Error(invalid_argument) for a schedule with a value out of its range.
double learning_rate_at(const LearningRateSchedule& schedule, std::int64_t step);

}  // namespace ckpt::engine
