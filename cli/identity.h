// The identity of a training run: the settings that a resumed run must share with its checkpoints.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <ckpt/ckpt.hpp>

#include "data.h"
#include "model.h"
#include "train.h"

namespace ckpt::cli {

// Key of the checkpoint value that stores it.
constexpr const char* identity_key = "training";

nlohmann::json identity_of(const TrainOptions& options, const TextData& data);

// Returns the identity in the newest checkpoint with a manifest; null if there is none, or none by `ckpt train`. Reads no tensors.
nlohmann::json newest_identity(const CheckpointManager& checkpoint);

// Throws std::runtime_error that names the first difference; the model is compared first.
void require_same_run(const nlohmann::json& saved, const nlohmann::json& now);

// Throws std::runtime_error if the checkpoint's model is not a transformer.
ModelOptions transformer_of(const nlohmann::json& saved);

}  // namespace ckpt::cli
