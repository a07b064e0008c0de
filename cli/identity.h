// What a training run is: what a run that goes on with its checkpoints must share with it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <ckpt/ckpt.hpp>

#include "data.h"
#include "model.h"
#include "train.h"

namespace ckpt::cli {

// The key of a checkpoint's value that has it.
constexpr const char* identity_key = "training";

nlohmann::json identity_of(const TrainOptions& options, const TextData& data);

// That of the newest checkpoint with a manifest; null when there is none, or none of `ckpt train`. Reads no tensors.
nlohmann::json newest_identity(const CheckpointManager& checkpoint);

// Throws std::runtime_error that names what differs, the model first.
void require_same_run(const nlohmann::json& saved, const nlohmann::json& now);

// Throws std::runtime_error for a checkpoint of another model than a transformer.
ModelOptions transformer_of(const nlohmann::json& saved);

}  // namespace ckpt::cli
