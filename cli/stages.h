// `ckpt train` in stages: the pipeline that the options ask for, and the page that shows how it ran.
#pragma once

#include <string>

#include <ckpt/ckpt.hpp>

#include "train.h"

namespace ckpt::cli {

// True when the options need a pipeline: several stages or micro-batches, or a timeline.
bool wants_stages(const TrainOptions& options);

// What --activations and --memory-limit say. Throws std::invalid_argument that says what is understood.
ActivationPolicy activation_policy(const TrainOptions& options);

// As --activations takes it.
std::string policy_text(const ActivationPolicy& policy);

// threads are shared out among the stages. A budget in bytes too; one in percent is a share of what each stage reserves when it
// stores everything.
Pipeline make_pipeline(const Chain& chain, const TensorSpec& input, const TrainOptions& options, std::int32_t threads,
                       const MemoryTracker& tracker);

// A page that needs no other file: the timeline of the last step, a table of the stages, and the figures (JSON text).
std::string report_page(Pipeline& pipeline, const std::string& figures);

}  // namespace ckpt::cli
