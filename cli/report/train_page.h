// The page of a training run: loss and memory over its steps, the schedule of a step, its stages, its layers, its configuration.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "plans.h"
#include "train.h"

namespace ckpt::cli::report {

// result: the --json document. data_name: name of the text. pipeline: nullptr without stages.
std::string train_page(const nlohmann::json& result, const TrainOptions& options, const std::string& data_name,
                       const std::vector<Plan>& plans, Pipeline* pipeline);

}  // namespace ckpt::cli::report
