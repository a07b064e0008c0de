// Failures of background tasks that no caller has received, until a later save of the same storage returns them.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "storage/storage.h"

namespace ckpt::state {

struct Unreported {
  std::int64_t failures = 0;
  base::Status status = base::Status::ok;  // of the oldest, as error
  std::string error = {};
};

// Adds failures to those of the storage. Those of the storages that were reported first are dropped when there are too many.
void leave_unreported(const storage::Storage& storage, const Unreported& failures);
// What was left in this process for objects that reach the same files; each is returned once.
Unreported take_unreported(const storage::Storage& storage);

}  // namespace ckpt::state
