// Gives one writer the right to change a storage, through the storage's lock. If the lock does not exclude a second writer,
// Ownership detects that writer by its commits: checkpoints that this writer has neither found nor written, with a commit sequence
// not below its first one. Synchronized.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "state/found.h"
#include "storage/storage.h"

namespace ckpt::state {

class Ownership {
 public:
  // Error(busy) names the holder of the lock.
  explicit Ownership(storage::Storage& storage);

  // Sets the checkpoints that existed when the writer opened, and the sequence of its first commit.
  void note_found(const std::vector<Found>& all, std::int64_t first_sequence);
  void note_own(const std::string& attempt);
  // Error(busy), permanently, once a second writer may be active. The message contains the evidence.
  void require_held();
  bool is_exclusive() const noexcept { return lock_->is_exclusive(); }
  // Returns whether this writer may remove a checkpoint: it found or wrote it, or the lock excludes a second writer.
  bool may_remove(const std::string& attempt);

 private:
  void look_for_others();

  storage::Storage& storage_;
  const std::unique_ptr<storage::Lock> lock_;
  std::mutex mutex_;  // not held by a forked child, which saves nothing
  std::int64_t first_sequence_ = 1;
  std::set<std::string> known_;  // existing checkpoints found or written by this writer
  std::string problem_;          // "" until a second writer is detected
};

}  // namespace ckpt::state
