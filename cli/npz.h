// NumPy's .npz files: zip archives of arrays.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

// Every array with its name (without ".npy"), in the file's order; compressed ones too. Throws std::runtime_error that names the
// array.
std::vector<std::pair<std::string, Tensor>> read_npz(const std::string& path);

// Writes tensors of a reader as arrays, uncompressed as numpy.savez does. names: index and name of each. One tensor at a time is in
// memory. The file gets its name when it is complete; what had that name is replaced. wrote: called with the bytes of tensors that
// were written since its last call.
void write_npz(const std::string& path, Reader& reader, const std::vector<std::pair<std::int64_t, std::string>>& names,
               const std::function<void(std::int64_t)>& wrote);

}  // namespace ckpt::cli
