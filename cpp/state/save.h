// One save: a new directory, its files, and the manifest that commits them.
#pragma once

#include <cstdint>
#include <string>

#include "state/manifest.h"
#include "state/state.h"
#include "storage/storage.h"

namespace ckpt::state {

struct SaveOptions {
  std::int64_t step = 0;
  std::uint64_t seed = 0;
  std::string metadata = "null";     // JSON
  std::string environment = "null";  // JSON
};

struct SaveResult {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  std::int64_t files = 0;  // the manifest not counted
  std::int64_t bytes = 0;  // of the files
};

// Returns when the checkpoint is durable. When it throws, what it wrote was removed as far as that went; older checkpoints are as
// before.
SaveResult write_checkpoint(storage::Storage& storage, const State& state, const SaveOptions& options,
                            std::int64_t commit_sequence);

}  // namespace ckpt::state
