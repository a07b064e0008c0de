// The index of a folder of safetensors files, "model.safetensors.index.json".
// Source: Hugging Face transformers, "Sharded checkpoints".
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ckpt::state {

constexpr std::string_view index_name = "model.safetensors.index.json";

// Returns for each file the tensors that the index assigns to it. File names are checked to be plain. Error(corrupt).
std::map<std::string, std::set<std::string>> parse_index(std::string_view text);

}  // namespace ckpt::state
