// The checkpoints in the directories of a file system: finding, putting aside and removing them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "state/found.h"
#include "storage/storage.h"

namespace ckpt::state {

class KnownManifests;

// Implements Protocol::list. known: manifests that need not be read again; those that are read are added. May be nullptr.
std::vector<Found> scan_directories(storage::Storage& storage, const std::set<std::string>& bad = {},
                                    KnownManifests* known = nullptr);

// Renames a directory without a manifest to "torn-..." and warns, with the reason. One that holds a manifest keeps its name,
// whatever else is known of it; so does one that cannot be listed or renamed.
void set_aside(storage::Storage& storage, const std::string& directory, const std::string& reason);

// Warns of each "torn-..." that holds a manifest: earlier versions also renamed checkpoints that were, or seemed, damaged.
void warn_of_those_aside(storage::Storage& storage) noexcept;

// Removes a checkpoint, its manifest first, so that no load finds the rest. Continues after an error; returns false if something
// stayed.
bool remove_checkpoint(storage::Storage& storage, const std::string& directory) noexcept;

// Removes each "torn-..." of the saved step or a lower one, except those that hold a manifest. Failures are logged.
void remove_torn(storage::Storage& storage, std::int64_t saved_step);

}  // namespace ckpt::state
