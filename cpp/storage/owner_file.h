// Lock files that record their owner, for file systems that have no locks. Each writer makes one with a name of its own, and then
// looks for those of others: of two that open at the same time, at least one sees the other's and withdraws. No file is ever made
// or removed under a name that another writer could have taken meanwhile, so a lock that is broken is the one that was judged.
#pragma once

#include <memory>
#include <string>

#include "storage/held_file.h"
#include "storage/storage.h"

namespace ckpt::storage {

// Error(busy) names the owner of another file that may still be at work; files of ended owners are removed.
std::unique_ptr<Lock> take_owner_file(const LockPlace& place);
// The same for writers that have another lock: they make no file. Nothing is removed.
void require_no_owner_file(const LockPlace& place);

}  // namespace ckpt::storage
