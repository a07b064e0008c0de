// The handles of the engine part, for the other files of the C API.
#pragma once

#include <ckpt/engine.h>

#include "engine/executor.h"
#include "engine/optimizer.h"
#include "guard.h"
#include "handle.h"

struct ckpt_layer : ckpt::capi::Handle<ckpt::capi::Kind::layer> {
  std::shared_ptr<ckpt::engine::Layer> object;
  std::atomic<bool> in_chain{false};
};

struct ckpt_chain : ckpt::capi::Handle<ckpt::capi::Kind::chain> {
  std::shared_ptr<ckpt::engine::Chain> object;
};

struct ckpt_schedule_executor : ckpt::capi::Handle<ckpt::capi::Kind::executor> {
  std::shared_ptr<ckpt::engine::Executor> object;
};

struct ckpt_optimizer : ckpt::capi::Handle<ckpt::capi::Kind::optimizer> {
  std::unique_ptr<ckpt::engine::Optimizer> object;
};

namespace ckpt::capi {

// Returns the chain, kept alive while it is used: a layer's callback may release the handle. Error(invalid_state) inside an
// operation on it.
std::shared_ptr<engine::Chain> chain_argument(const ckpt_chain* chain);

// step must not be NULL; its tensors may be.
engine::Step step_argument(const ckpt_step* step);

// Validates the check options of an executor or a pipeline; the latter have no check_finite.
engine::ExecutorChecks checks_argument(ckpt_recompute_check recompute_check, ckpt_bool check_writes, ckpt_bool check_finite);

}  // namespace ckpt::capi
