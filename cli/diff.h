// ckpt diff: two checkpoints or files, tensor by tensor.
#pragma once

#include <string>

namespace ckpt::cli {

// Each path: a directory of checkpoints (its newest valid one), one checkpoint, a safetensors file, or a folder with an index.
// Prints the differences, with as_json as one document. Returns true if there are none: same names, dtypes, shapes and bytes.
bool diff(const std::string& a, const std::string& b, bool as_json);

}  // namespace ckpt::cli
