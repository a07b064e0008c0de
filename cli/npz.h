// NumPy's .npz files: zip archives of arrays.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "tensor_files.h"

namespace ckpt::cli {

// Every array with its name (without ".npy"), in the file's order; compressed ones too. Throws std::runtime_error that names the
// array.
std::vector<std::pair<std::string, Tensor>> read_npz(const std::string& path);

// Writes tensors of a reader as arrays, uncompressed as numpy.savez does. One tensor at a time is in memory. The file gets its name
// when it is complete; what had that name is replaced.
void write_npz(const std::string& path, Reader& reader, const ChosenTensors& tensors, const Wrote& wrote);

}  // namespace ckpt::cli
