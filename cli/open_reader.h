// Opens the tensors at a path of the command line.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <ckpt/ckpt.hpp>

#include "foreign.h"

namespace ckpt::cli {

// Key of these versions in a checkpoint's values and in the __metadata__ of a safetensors file.
constexpr const char* versions_key = "_metadata";

// A reader, and the versions of PyTorch modules that its checkpoint stores in the value "_metadata": a tree's text by group.
struct Opened {
  Reader reader;
  std::map<std::string, std::string> versions;
};

// path: a directory of checkpoints (its newest complete one), one checkpoint, a safetensors, .npz or .pt file, or a folder with an
// index. Data with checksums is read and verified in full.
Opened open_reader(const std::string& path);

// path: a safetensors, .npz or .pt file, or a folder with an index.
Reader open_file(const std::string& path);

// Returns whether path is, by its ending, a file that must be read in full: NumPy's .npz, PyTorch's .pt or .pth.
bool is_foreign(const std::string& path);

// Reads all tensors of such a file, and its metadata. Throws if it contains no tensors.
Foreign read_foreign(const std::string& path);

// Returns metadata as the JSON object of a safetensors file; "" if it is empty.
std::string metadata_json(const std::map<std::string, std::string>& metadata);

// Returns the tensor, mapped where possible: then at most a page at a time is in memory.
Tensor tensor_at(Reader& reader, std::int64_t index);

}  // namespace ckpt::cli
