// The handles of the pipeline part, for the other files of the C API.
#pragma once

#include <cstddef>
#include <memory>

#include <ckpt/pipeline.h>

#include "guard.h"
#include "handle.h"
#include "pipeline/activation_manager.h"
#include "pipeline/pipeline.h"

struct ckpt_activation_manager : ckpt::capi::Handle<ckpt::capi::Kind::activation_manager> {
  std::shared_ptr<ckpt::pipeline::ActivationManager> object;
};

struct ckpt_pipeline : ckpt::capi::Handle<ckpt::capi::Kind::pipeline> {
  std::shared_ptr<ckpt::pipeline::Pipeline> object;
};

namespace ckpt::capi {

constexpr std::size_t first_policy_size = offsetof(ckpt_activation_policy, memory_limit_bytes);

// policy: NULL for the defaults.
pipeline::Policy policy_argument(const ckpt_activation_policy* policy);

}  // namespace ckpt::capi
