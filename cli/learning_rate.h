// The learning rate of each step of `ckpt train`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <ckpt/ckpt.hpp>

#include "train.h"

namespace ckpt::cli {

LearningRateSchedule learning_rates(const TrainOptions& options);

// Returns the settings that determine each step's rate. A decaying rate also depends on the number of steps, so that is included.
nlohmann::json learning_rate_json(const TrainOptions& options);

// Throws std::invalid_argument that names the conflicting options.
void check_learning_rates(const TrainOptions& options);

}  // namespace ckpt::cli
