// The handle of trees, for the other files of the C API.
#pragma once

#include <memory>

#include <ckpt/tree.h>

#include "handle.h"
#include "state/tree.h"

struct ckpt_tree : ckpt::capi::Handle<ckpt::capi::Kind::tree> {
  std::shared_ptr<ckpt::state::Tree> object;
};
