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

// Reads all arrays, also compressed ones, in the file's order. Names are without ".npy". Throws std::runtime_error that names the
// array.
std::vector<std::pair<std::string, Tensor>> read_npz(const std::string& path);

// Writes tensors of a reader as arrays, uncompressed as numpy.savez does, with one tensor at a time in memory. Creates or replaces
// path once the file is complete.
void write_npz(const std::string& path, Reader& reader, const ChosenTensors& tensors, const Wrote& wrote);

}  // namespace ckpt::cli
