// The handle of the strategy part, for the other files of the C API.
#pragma once

#include <memory>

#include <ckpt/strategy.h>

#include "guard.h"
#include "handle.h"
#include "strategy/strategy.h"

struct ckpt_strategy : ckpt::capi::Handle<ckpt::capi::Kind::strategy> {
  std::shared_ptr<ckpt::strategy::Strategy> object;
};
