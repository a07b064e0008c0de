// Which checkpoints a storage holds, in the order in which a load tries them; and how they are put aside and removed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "state/checkpoint_files.h"
#include "state/found.h"
#include "state/manifest.h"
#include "storage/storage.h"

namespace ckpt::state {

class KnownManifests;

// Returns every directory "step-...", in the order in which a load tries them: those of the current line, then abandoned ones. A
// writer may change the storage meanwhile: if the result has no complete checkpoint of the line outside bad, there was none at one
// moment of this call.
// known: manifests on disk that need not be read again; those that are read are added. May be nullptr.
std::vector<Found> scan(storage::Storage& storage, const std::set<std::string>& bad = {}, const Wanted& wanted = {},
                        KnownManifests* known = nullptr);

// Checks the text of a manifest, and that the files are there with their sizes. Error(corrupt). scanned: its manifest is taken when
// it is of the same text; it gets the path of the commit record, and what is damaged in that one.
Manifest checked_manifest(storage::Storage& storage, const std::string& directory, const std::string& text, Found& scanned);

// The same with the text that is there. Error(not_found) without a manifest.
Manifest read_manifest(storage::Storage& storage, const std::string& directory);

// Runs body(directory, manifest) for the checkpoint of that name; for "" the newest that has a manifest, chosen anew when a writer
// removes it meanwhile. Error(not_found) when there is none; damage is noted. Returns what is damaged in its commit record although
// the checkpoint is usable, and "" otherwise.
std::string read_one(storage::Storage& storage, const std::string& name,
                     const std::function<void(const std::string& directory, Manifest& manifest)>& body);

// "there is no checkpoint", or none that is usable and what is wrong with the newest.
[[noreturn]] void fail_none(storage::Storage& storage, const std::vector<Found>& all, std::optional<std::int64_t> step = {});

// Renames a directory without a manifest to "torn-..." and warns, with the reason. One that holds a manifest keeps its name,
// whatever else is known of it; so does one that cannot be listed or renamed.
void set_aside(storage::Storage& storage, const std::string& directory, const std::string& reason);

// Earlier versions renamed damaged checkpoints, too, and what they took for damaged: warns of each "torn-..." that holds a
// manifest.
void warn_of_those_aside(storage::Storage& storage) noexcept;

// Removes a checkpoint, its manifest first: whatever is left of it is no checkpoint. Goes on after an error; false when something
// stayed.
bool remove_checkpoint(storage::Storage& storage, const std::string& directory) noexcept;
// The same for one that scan has found; on an object store its commit record goes first.
bool remove_found(storage::Storage& storage, const Found& found) noexcept;

}  // namespace ckpt::state
