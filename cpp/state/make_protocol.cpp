#include "state/make_protocol.h"

#include <utility>

#include "state/directory_protocol.h"
#include "state/object_protocol.h"

namespace ckpt::state {

std::unique_ptr<Protocol> make_protocol(std::shared_ptr<storage::Storage> storage, storage::Sleep sleep) {
  if (storage->is_objects()) return std::make_unique<ObjectProtocol>(std::move(storage), std::move(sleep));
  return std::make_unique<DirectoryProtocol>(std::move(storage));
}

}  // namespace ckpt::state
