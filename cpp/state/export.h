// Tensors as a file for other programs: plain safetensors, without a manifest.
#pragma once

#include <string>
#include <string_view>

#include "state/safetensors.h"
#include "state/state.h"

namespace ckpt::state {

// The entries of a JSON object whose values are texts. Error(invalid_argument) for any other text.
Metadata metadata_from_json(std::string_view text);

// Writes one group under a temporary name, syncs it, and renames it durably to path. Replaces an existing regular file and keeps
// its mode. Follows links: replaces or creates their target and keeps the links. Error(invalid_argument) for any other existing
// path; Error(not_found) for a group that the state does not have.
void write_safetensors(const std::string& path, const State& given, std::string_view group_name, const Metadata& metadata);

}  // namespace ckpt::state
