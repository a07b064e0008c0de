// One save: a new directory, its files, and the manifest that commits them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "state/manifest.h"
#include "state/state.h"
#include "storage/storage.h"

namespace ckpt::state {

struct SaveOptions {
  std::int64_t step = 0;
  std::uint64_t seed = 0;
  std::string metadata = "null";      // JSON
  std::string environment = "null";   // JSON
  std::string prefix = {};            // of the directory's name, see require_prefix
  std::optional<double> metric = {};  // finite
  bool incremental = true;            // unchanged files of groups that rarely change are linked
};

struct SaveResult {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  std::int64_t files = 0;   // the manifest not counted
  std::int64_t bytes = 0;   // of the files
  std::int64_t linked = 0;  // files of those that were not written because nothing in them had changed
};

// Returns when the checkpoint is durable. When it throws, what it wrote was removed as far as that went; older checkpoints are as
// before. latest: the checkpoint that files of rarely changing groups may be linked from; "": none.
SaveResult write_checkpoint(storage::Storage& storage, const State& state, const SaveOptions& options, std::int64_t commit_sequence,
                            const std::string& latest);

}  // namespace ckpt::state
