// Directories whose removal failed half-way: no checkpoints any more, but their files still take room. Later saves of the same
// writer try again; the next writer that opens the storage removes them in its own way.
#pragma once

#include <mutex>
#include <set>
#include <string>

#include "storage/storage.h"

namespace ckpt::state {

class Committer;

// Synchronised.
class Leftovers {
 public:
  void note(const std::string& directory) noexcept;
  // Tries each again, except one that holds a checkpoint after all. committer: an object store's. For the one writer of a storage.
  void retry(storage::Storage& storage, Committer* committer) noexcept;

 private:
  std::mutex mutex_;
  std::set<std::string> names_;
};

}  // namespace ckpt::state
