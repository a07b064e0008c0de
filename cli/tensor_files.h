// Safetensors files made from a reader's tensors, which are copied piece by piece: however large they are, a piece is in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

// Tensors by index in their reader, each with its name in the file.
using ChosenTensors = std::vector<std::pair<std::int64_t, std::string>>;
// Texts by key: the __metadata__ of every file.
using FileMetadata = std::vector<std::pair<std::string, std::string>>;
// Called with the bytes of tensors that were written since its last call.
using Wrote = std::function<void(std::int64_t)>;

// One file. It gets its name when it is complete; what had that name is replaced.
void write_file(const std::string& path, Reader& reader, const ChosenTensors& tensors, const FileMetadata& metadata,
                const Wrote& wrote);

// Files of at most most_bytes of tensors each, unless one tensor is larger, and model.safetensors.index.json, which comes last. The
// folder is made; throws when something is in it. Returns how many files it has.
std::int64_t write_folder(const std::string& folder, Reader& reader, const ChosenTensors& tensors, const FileMetadata& metadata,
                          std::int64_t most_bytes, const Wrote& wrote);

}  // namespace ckpt::cli
