// Reads the manifests of checkpoints that a protocol lists.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "state/checkpoint_files.h"
#include "state/found.h"
#include "state/manifest.h"
#include "state/protocol.h"

namespace ckpt::state {

// Checks the text of a manifest, and that the files exist with their sizes. Error(corrupt). scanned: its parsed manifest is used if
// it has the same text; receives the path of the commit record and its damage.
Manifest checked_manifest(Protocol& protocol, const std::string& directory, const std::string& text, Found& scanned);

// Reads and checks the manifest. Error(not_found) if it is missing.
Manifest read_manifest(Protocol& protocol, const std::string& directory);

// Runs body(directory, manifest) for the checkpoint with that name; for "" the newest one with a manifest, selected again if a
// writer removes it during the call. Error(not_found) if none exists. Returns the damage of its commit record if the checkpoint is
// usable, and
// "" otherwise.
std::string read_one(Protocol& protocol, const std::string& name,
                     const std::function<void(const std::string& directory, Manifest& manifest)>& body);

// Fails because no checkpoint exists, or because none is usable; the message then contains the problem of the newest one.
[[noreturn]] void fail_none(Protocol& protocol, const std::vector<Found>& all, std::optional<std::int64_t> step = {});

}  // namespace ckpt::state
