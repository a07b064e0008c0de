// Finds, sets aside and removes checkpoints in the directories of a file system.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "state/found.h"
#include "storage/storage.h"

namespace ckpt::state {

class KnownManifests;

// Implements Protocol::list. known: manifests that need not be read again; manifests that are read are added. May be nullptr.
std::vector<Found> scan_directories(storage::Storage& storage, const std::set<std::string>& bad = {},
                                    KnownManifests* known = nullptr);

// Renames a directory without a manifest to "torn-..." and logs a warning with the reason. A directory with a manifest keeps its
// name in any case; so does one that cannot be listed or renamed.
void set_aside(storage::Storage& storage, const std::string& directory, const std::string& reason);

// Warns about each "torn-..." that contains a manifest: earlier versions also renamed checkpoints that were, or seemed, damaged.
void warn_of_those_aside(storage::Storage& storage) noexcept;

// Removes a checkpoint, its manifest first, so that no load finds a partial checkpoint. Continues after an error; returns false if
// files remain. first: receives the first error; nullptr: not wanted.
bool remove_checkpoint(storage::Storage& storage, const std::string& directory,
                       std::optional<base::Error>* first = nullptr) noexcept;

// Removes each "torn-..." of the saved step or a lower one, except those that contain a manifest. Logs failures.
void remove_torn(storage::Storage& storage, std::int64_t saved_step);

}  // namespace ckpt::state
