// The tensors behind a path of the command line.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <ckpt/ckpt.hpp>

#include "foreign.h"

namespace ckpt::cli {

// Key of these versions in a checkpoint's values and in the __metadata__ of a safetensors file.
constexpr const char* versions_key = "_metadata";

// path: a directory of checkpoints (the newest complete one), one checkpoint, a safetensors, .npz or .pt file, or a folder with an
// index. What has checksums is read and verified whole.
Reader open_reader(const std::string& path);

// A reader, and the versions of PyTorch modules that its checkpoint stores in the value "_metadata": a tree's text by group.
struct Opened {
  Reader reader;
  std::map<std::string, std::string> versions;
};

// Opens a path as open_reader does.
Opened open_with_versions(const std::string& path);

// path: a safetensors, .npz or .pt file, or a folder with an index.
Reader open_file(const std::string& path);

// Whether path is a file that has to be read whole by its ending: NumPy's .npz, PyTorch's .pt or .pth.
bool is_foreign(const std::string& path);

// Every tensor of such a file, and its metadata. Throws when it contains none.
Foreign read_foreign(const std::string& path);

// Metadata as the JSON object that a safetensors file has; "" without any.
std::string metadata_json(const std::map<std::string, std::string>& metadata);

// Mapped where that can be: then no more than a page at a time is in memory.
Tensor tensor_at(Reader& reader, std::int64_t index);

}  // namespace ckpt::cli
