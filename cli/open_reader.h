// The tensors behind a path of the command line.
#pragma once

#include <string>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

// path: a directory of checkpoints (the newest complete one), one checkpoint, a safetensors or .npz file, or a folder with an
// index. What has checksums is read and verified whole.
Reader open_reader(const std::string& path);

// path: a safetensors file, an .npz file, or a folder with an index.
Reader open_file(const std::string& path);

// Mapped where that can be: then no more than a page at a time is in memory.
Tensor tensor_at(Reader& reader, std::int64_t index);

}  // namespace ckpt::cli
