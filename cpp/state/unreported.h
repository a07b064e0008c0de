// Stores failures of background tasks that no caller has received, until a later save to the same storage returns them.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "storage/storage.h"

namespace ckpt::state {

struct Unreported {
  std::int64_t failures = 0;
  base::Status status = base::Status::ok;  // of the oldest failure, like error
  std::string error = {};
};

// Adds failures to those of the storage. When too many storages have failures, drops those of the storage that was added first.
void leave_unreported(const storage::Storage& storage, const Unreported& failures);
// Removes and returns the failures left in this process for storages that reach the same files.
Unreported take_unreported(const storage::Storage& storage);

}  // namespace ckpt::state
