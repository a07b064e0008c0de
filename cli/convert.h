// `ckpt convert`: tensors from one kind of file to another.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::cli {

struct ConvertOptions {
  std::string group;  // of a checkpoint, the one to take; "": all, and when there are several their tensors are called "group.name"
  std::int64_t most_file_bytes = 0;  // of tensors in each file of a folder
  bool as_json = false;
};

// from: what open_reader takes. to: ends in .npz or .safetensors, a file that is replaced; or in "/", a folder that is made. Prints
// what was written.
void convert(const std::string& from, const std::string& to, const ConvertOptions& options);

}  // namespace ckpt::cli
