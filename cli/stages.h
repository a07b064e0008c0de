// Creates the pipeline of `ckpt train` from its options.
#pragma once

#include <string>

#include <ckpt/ckpt.hpp>

#include "train.h"

namespace ckpt::cli {

// Returns whether the options need a pipeline: several stages or micro-batches, a timeline, or an activation policy.
bool wants_stages(const TrainOptions& options);

// Parses --activations and --memory-limit. Throws std::invalid_argument that lists the valid values.
ActivationPolicy activation_policy(const TrainOptions& options);

// Returns the policy in the form of --activations.
std::string policy_text(const ActivationPolicy& policy);

// Divides threads and a budget in bytes among the stages; a budget in percent is relative to the memory that each stage reserves
// for storing everything. *stage_budget_bytes receives the budget of each stage, 0 without a budget.
Pipeline make_pipeline(const Chain& chain, const TensorSpec& input, const TrainOptions& options, std::int32_t threads,
                       const MemoryTracker& tracker, std::int64_t* stage_budget_bytes);

}  // namespace ckpt::cli
