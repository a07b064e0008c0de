// A storage that is implemented by a table of C callbacks.
#pragma once

#include <memory>
#include <string>

#include <ckpt/storage.h>

#include "guard.h"
#include "storage/storage.h"

namespace ckpt::capi {

// Error(invalid_argument) when a function is missing. user is kept as long as the storage, its files and its locks.
std::shared_ptr<storage::Storage> make_custom_storage(std::string name, const ckpt_storage_callbacks& callbacks,
                                                      std::shared_ptr<UserData> user);

}  // namespace ckpt::capi
