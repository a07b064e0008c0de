// Locks that prevent a second writer in a directory of the file system.
#pragma once

#include <memory>
#include <string_view>

#include "storage/held_file.h"
#include "storage/storage.h"

namespace ckpt::storage {

enum class LockKind {
  flock,  // flock(2) of the file
  fcntl,  // a record lock of the file
  file,   // a file that records its owner
  none,   // no lock
};

// Returns the kind with this name; "" is flock. The message of Error(invalid_argument) begins with argument.
LockKind lock_kind_of(std::string_view argument, std::string_view name);

// Takes the lock. Fails with Error(busy) if another writer has a lock of any kind, Error(unsupported) if the file system does not
// support this kind.
std::unique_ptr<Lock> take_lock(LockKind kind, const LockPlace& place);

}  // namespace ckpt::storage
