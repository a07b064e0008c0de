// One array as NumPy's .npy stores it: magic, version, a header that is a Python dictionary, the elements.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

struct NpyHeader {
  ckpt_dtype dtype = 0;
  bool swapped = false;       // big-endian elements
  bool column_major = false;  // "fortran_order"
  std::vector<std::int64_t> shape;
  std::size_t data_start = 0;  // behind the header
};

// The header at the beginning of an array's bytes. Throws std::invalid_argument that says what is wrong or not supported.
NpyHeader parse_npy(std::string_view bytes);

// The header of a tensor's array, version 1.0 or, for very many dimensions, 2.0. Throws for dtypes that NumPy does not have.
std::string npy_header(ckpt_dtype dtype, const std::vector<std::int64_t>& shape);

// The elements of an array, row-major in this machine's byte order. bytes: the whole array.
Tensor tensor_of_npy(const NpyHeader& header, std::string_view bytes);

}  // namespace ckpt::cli
