// Storage in memory, for tests and for state that does not have to outlive the process. Everything in it is durable at once.
#pragma once

#include <memory>

#include "storage/storage.h"

namespace ckpt::storage {

std::shared_ptr<Storage> make_memory_storage();

}  // namespace ckpt::storage
