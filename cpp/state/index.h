// The index of a folder of safetensors files, "model.safetensors.index.json".
// Source: Hugging Face transformers, "Sharded checkpoints".
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ckpt::state {

constexpr std::string_view index_name = "model.safetensors.index.json";

// File -> the tensors that the index says it has. Every file's name is safe to be appended to the folder's. Error(corrupt).
std::map<std::string, std::set<std::string>> parse_index(std::string_view text);

}  // namespace ckpt::state
