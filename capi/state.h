// The handles of the state part, for the other files of the C API.
#pragma once

#include <memory>

#include <ckpt/state.h>

#include "handle.h"
#include "state/checkpoint.h"
#include "state/reader.h"
#include "state/state.h"

struct ckpt_state : ckpt::capi::Handle<ckpt::capi::Kind::state> {
  std::shared_ptr<ckpt::state::State> object;
};

struct ckpt_checkpoint : ckpt::capi::Handle<ckpt::capi::Kind::checkpoint> {
  std::shared_ptr<ckpt::state::Checkpoint> object;
};

struct ckpt_coordinator : ckpt::capi::Handle<ckpt::capi::Kind::coordinator> {
  std::shared_ptr<ckpt::state::Coordinator> object;
};

struct ckpt_reader : ckpt::capi::Handle<ckpt::capi::Kind::reader> {
  std::shared_ptr<ckpt::state::Reader> object;
};
