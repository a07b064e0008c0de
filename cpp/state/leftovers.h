// Directories whose removal failed half-way: no checkpoints any more, but their files still take room. Later saves of the same
// writer try again; the next writer that opens the storage removes them in its own way.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "storage/storage.h"

namespace ckpt::state {

// Synchronised.
class Leftovers {
 public:
  void note(const std::string& directory) noexcept;
  // Removes an attempt of an object store; false when something stayed.
  using Remove = std::function<bool(const std::string& directory)>;

  // Tries each again, except one that holds a checkpoint after all. remove: empty where there are directories. For the one writer
  // of a storage.
  void retry(storage::Storage& storage, const Remove& remove) noexcept;

 private:
  std::mutex mutex_;
  std::set<std::string> names_;
};

}  // namespace ckpt::state
