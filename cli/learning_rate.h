// The learning rate of each step of `ckpt train`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <ckpt/ckpt.hpp>

#include "train.h"

namespace ckpt::cli {

LearningRateSchedule learning_rates(const TrainOptions& options);

// By key: what decides the rate of a step. A rate that falls does so over the steps of the run, which are part of it.
nlohmann::json learning_rate_json(const TrainOptions& options);

// Throws std::invalid_argument that names the options for a schedule that cannot be.
void check_learning_rates(const TrainOptions& options);

}  // namespace ckpt::cli
