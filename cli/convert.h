// `ckpt convert`: tensors from one kind of file to another.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::cli {

struct ConvertOptions {
  std::string group;                // group of a checkpoint; "": all, and with several groups tensors are named "group.name"
  std::int64_t max_file_bytes = 0;  // maximum tensor bytes per file of a folder
  bool as_json = false;
};

// from: as for open_reader. to: a file that ends in .npz or .safetensors and is replaced, or a folder that ends in "/" and is
// created. Prints what was written.
void convert(const std::string& from, const std::string& to, const ConvertOptions& options);

}  // namespace ckpt::cli
