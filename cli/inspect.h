// `ckpt inspect` and `ckpt verify`: what is in a checkpoint, and whether every byte of it is right.
#pragma once

#include <string>

namespace ckpt::cli {

// path: a safetensors file, one checkpoint's directory, or a directory of checkpoints (the newest is shown). Lists every
// tensor. Throws ckpt::Error when it is not valid.
void inspect(const std::string& path);

// path: one checkpoint's directory, or a directory of checkpoints, all of which are checked. Throws ckpt::Error at the first bad
// one; its message names the file and, where it is known, the tensor.
void verify(const std::string& path);

}  // namespace ckpt::cli
