// The handles of the memory part, for the other files of the C API.
#pragma once

#include <memory>

#include <ckpt/memory.h>

#include "handle.h"
#include "memory/tracker.h"

struct ckpt_memory_tracker : ckpt::capi::Handle<ckpt::capi::Kind::memory_tracker> {
  std::shared_ptr<ckpt::memory::Tracker> object;
};
