// Copies strided elements to contiguous memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ckpt::cli {

// Copies the elements of a shape, in row-major order, to `to`. strides: of each dimension, in elements; not negative.
void copy_strided(const char* from, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                  std::size_t element_bytes, char* to);

}  // namespace ckpt::cli
