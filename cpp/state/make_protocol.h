// Chooses the protocol for a storage.
#pragma once

#include <memory>

#include "state/protocol.h"
#include "storage/rate_limit.h"
#include "storage/storage.h"

namespace ckpt::state {

// sleep: waits between polls of an object store; empty: really sleeps.
std::unique_ptr<Protocol> make_protocol(std::shared_ptr<storage::Storage> storage, storage::Sleep sleep = {});

}  // namespace ckpt::state
