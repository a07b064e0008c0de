// `ckpt train` in stages: the pipeline that the options ask for.
#pragma once

#include <string>

#include <ckpt/ckpt.hpp>

#include "train.h"

namespace ckpt::cli {

// True when the options need a pipeline: several stages or micro-batches, a timeline, or a choice of activations.
bool wants_stages(const TrainOptions& options);

// What --activations and --memory-limit say. Throws std::invalid_argument that says what is understood.
ActivationPolicy activation_policy(const TrainOptions& options);

// As --activations takes it.
std::string policy_text(const ActivationPolicy& policy);

// threads are shared out among the stages. A budget in bytes too; one in percent is a share of what each stage reserves when it
// stores everything. *stage_budget_bytes receives what each stage may reserve, 0 when there is no budget.
Pipeline make_pipeline(const Chain& chain, const TensorSpec& input, const TrainOptions& options, std::int32_t threads,
                       const MemoryTracker& tracker, std::int64_t* stage_budget_bytes);

}  // namespace ckpt::cli
