// The handles of the plan part, for the other files of the C API.
#pragma once

#include <ckpt/plan.h>

#include "guard.h"
#include "handle.h"
#include "plan/follower.h"
#include "plan/schedule.h"

struct ckpt_profile : ckpt::capi::Handle<ckpt::capi::Kind::profile> {
  std::shared_ptr<ckpt::plan::ChainProfile> object;
};

struct ckpt_schedule : ckpt::capi::Handle<ckpt::capi::Kind::schedule> {
  std::shared_ptr<const ckpt::plan::Schedule> object;
};

struct ckpt_follower : ckpt::capi::Handle<ckpt::capi::Kind::follower> {
  std::shared_ptr<ckpt::plan::Follower> object;
};

struct ckpt_cursor : ckpt::capi::Handle<ckpt::capi::Kind::cursor> {
  std::unique_ptr<ckpt::plan::Cursor> object;
};
