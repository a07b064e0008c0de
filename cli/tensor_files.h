// Writes a reader's tensors to safetensors files piece by piece, so that memory use is bounded by a piece.
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
// Strings by key: the __metadata__ of every file.
using FileMetadata = std::vector<std::pair<std::string, std::string>>;
// Called with the number of tensor bytes written since its last call.
using Wrote = std::function<void(std::int64_t)>;

// Writes one file. Creates or replaces path once the file is complete.
void write_file(const std::string& path, Reader& reader, const ChosenTensors& tensors, const FileMetadata& metadata,
                const Wrote& wrote);

// Writes files of at most max_bytes of tensors each (one larger tensor gets its own file), then model.safetensors.index.json.
// Creates the folder; throws if it exists and is not empty. Returns the number of tensor files.
std::int64_t write_folder(const std::string& folder, Reader& reader, const ChosenTensors& tensors, const FileMetadata& metadata,
                          std::int64_t max_bytes, const Wrote& wrote);

}  // namespace ckpt::cli
