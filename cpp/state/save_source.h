// The source of the bytes of a save, and its cancellation.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/progress.h"
#include "state/manifest.h"
#include "state/state.h"
#include "state/tensor_writer.h"
#include "storage/storage.h"

namespace ckpt::state {

// This one takes the bytes from the tensors, and nothing stops it.
class SaveSource {
 public:
  virtual ~SaveSource() = default;
  // What the file of a group will have.
  virtual std::int64_t file_bytes(const StateGroup& group);
  // Writes a group of the state that is being saved to an empty file; again when its sync failed.
  virtual WrittenFile write(storage::File& file, const std::string& file_name, const StateGroup& group);
  // True when the group's tensors have the bytes that were recorded earlier.
  virtual bool holds_same(const GroupRecord& recorded, const StateGroup& group);
  // All files are written; what comes next commits. May throw Error(cancelled): the save leaves nothing behind then.
  virtual void commit_point() {}
  // The checkpoint is durable.
  virtual void acknowledged() {}
  // Error(cancelled) at the next chunk once it is true; may be nullptr.
  std::shared_ptr<const std::atomic<bool>> stop;
  // Told of the tensors' bytes that are written or linked, all of them before the commit; may be nullptr.
  base::Progress* progress = nullptr;
};

}  // namespace ckpt::state
