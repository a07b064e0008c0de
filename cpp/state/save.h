// Executes one save: a new attempt, its files, and the manifest that commits them.
#pragma once

#include <cstdint>
#include <string>

#include "state/manifest.h"
#include "state/protocol.h"
#include "state/save_options.h"
#include "state/save_source.h"
#include "state/state.h"

namespace ckpt::state {

// Returns the manifest without groups and line.
Manifest manifest_of(const State& state, const SaveOptions& options, std::int64_t commit_sequence);

// Returns when the checkpoint is durable. After an error its files are removed as far as possible, and older checkpoints are
// unchanged. Error(no_space) before anything is created if the storage reports too few free bytes. latest: the checkpoint from
// which files of rarely changing groups may be linked; "": none.
SaveResult write_checkpoint(Protocol& protocol, const State& state, const SaveOptions& options, const std::string& latest,
                            SaveSource& source);

}  // namespace ckpt::state
