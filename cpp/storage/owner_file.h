// Lock files that record their owner, for file systems without locks. Each writer creates a file with a unique name, and then looks
// for those of other writers. If two writers open at the same time, at least one finds the other's file and withdraws. Files are
// never created or removed under a name that another writer could have taken in the meantime. So the file that is removed is the
// one that was examined.
#pragma once

#include <memory>
#include <string>

#include "storage/held_file.h"
#include "storage/storage.h"

namespace ckpt::storage {

// Takes the lock and removes files of ended owners, including those that were not yet renamed to an owner file. Error(busy) names
// another owner that may still be active.
std::unique_ptr<Lock> take_owner_file(const LockPlace& place);
// The same check for writers with another kind of lock. Creates and removes no files.
void require_no_owner_file(const LockPlace& place);

}  // namespace ckpt::storage
