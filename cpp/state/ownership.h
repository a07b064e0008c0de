// The right of one writer to change a storage: the storage's lock. Where the storage keeps no second writer out, the commits in it
// are compared with this writer's: a checkpoint that this one has neither found nor made, with a commit sequence from this one's
// first on, was committed by another one. Synchronised.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "state/catalog.h"
#include "storage/storage.h"

namespace ckpt::state {

class Ownership {
 public:
  // Error(busy) names the holder of the lock.
  explicit Ownership(storage::Storage& storage);

  // The checkpoints that existed when the writer opened, and the sequence of its first commit.
  void note_found(const std::vector<Found>& all, std::int64_t first_sequence);
  void note_own(const std::string& attempt);
  // Error(busy), then permanently, when a second writer can be at work. The message names what shows it.
  void require_held();
  bool is_exclusive() const noexcept { return lock_->is_exclusive(); }
  // Whether this writer may remove a checkpoint: it has found or made it, or no second writer can have made it.
  bool may_remove(const std::string& attempt);

 private:
  void look_for_others();

  storage::Storage& storage_;
  const std::unique_ptr<storage::Lock> lock_;
  std::mutex mutex_;  // not held by a forked child, which saves nothing
  std::int64_t first_sequence_ = 1;
  std::set<std::string> known_;  // found or made by this writer, as long as they exist
  std::string problem_;          // "" while no second writer was seen
};

}  // namespace ckpt::state
