// Provides the bytes of a save, and its cancellation.
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

// The default implementation reads the tensors and cannot be cancelled.
class SaveSource {
 public:
  virtual ~SaveSource() = default;
  // Returns the size of a group's file.
  virtual std::int64_t file_bytes(const StateGroup& group);
  // Writes a group of the state to an empty file; called again if the file's sync failed.
  virtual WrittenFile write(storage::File& file, const std::string& file_name, const StateGroup& group);
  // Returns whether the group's tensors have the recorded bytes.
  virtual bool holds_same(const GroupRecord& recorded, const StateGroup& group);
  // Called when all files are written, before the commit. May throw Error(cancelled); the save then removes its files.
  virtual void commit_point() {}
  // Called when the checkpoint is durable.
  virtual void acknowledged() {}
  // When true: Error(cancelled) at the next chunk. May be nullptr.
  std::shared_ptr<const std::atomic<bool>> stop;
  // Receives the tensor bytes that are written or linked, all before the commit; may be nullptr.
  base::Progress* progress = nullptr;
};

}  // namespace ckpt::state
