// The tensors behind a path of the command line.
#pragma once

#include <string>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

// path: a directory of checkpoints (the newest complete one), one checkpoint, a safetensors file, or a folder with an index. What
// has checksums is read and verified whole.
Reader open_reader(const std::string& path);

}  // namespace ckpt::cli
