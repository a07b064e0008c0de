// The handles of the storage part, for the other files of the C API.
#pragma once

#include <memory>

#include <ckpt/storage.h>

#include "handle.h"
#include "storage/retry.h"
#include "storage/storage.h"

struct ckpt_storage : ckpt::capi::Handle<ckpt::capi::Kind::storage> {
  std::shared_ptr<ckpt::storage::Storage> object;
};

struct ckpt_fault_handler : ckpt::capi::Handle<ckpt::capi::Kind::fault_handler> {
  std::shared_ptr<ckpt::storage::FaultHandler> object;
};
