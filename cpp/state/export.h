// Exports tensors for other programs: plain safetensors, without a manifest.
#pragma once

#include <string>
#include <string_view>

#include "state/safetensors.h"
#include "state/state.h"

namespace ckpt::state {

// Returns the entries of a JSON object with string values. Error(invalid_argument) for any other JSON.
Metadata metadata_from_json(std::string_view text);

// Writes one group under a temporary name, syncs it, and renames it durably to path. Replaces an existing regular file and
// preserves its mode. Follows links: replaces or creates their target and keeps the links. Error(invalid_argument) if path is
// anything else; Error(not_found) if the state lacks the group.
void write_safetensors(const std::string& path, const State& given, std::string_view group_name, const Metadata& metadata);

}  // namespace ckpt::state
