// One array in NumPy's .npy format: magic, version, a header that is a Python dictionary, the elements.
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
  DType dtype{};
  bool swapped = false;       // big-endian elements
  bool column_major = false;  // "fortran_order"
  std::vector<std::int64_t> shape;
  std::size_t data_start = 0;  // offset of the elements, after the header
};

// The number of bytes that contain the header's length.
constexpr std::size_t npy_prefix_bytes = 12;

// Returns the header's size in bytes. prefix: the first npy_prefix_bytes of the array, or all of a shorter array. bytes: the
// array's total size. Throws std::invalid_argument that describes the error, also if the header is implausibly long.
std::size_t npy_header_bytes(std::string_view prefix, std::uint64_t bytes);

// Parses the header of an array of `bytes` in total, which must match the shape exactly. Throws std::invalid_argument that
// describes the invalid or unsupported part.
NpyHeader parse_npy(std::string_view header, std::uint64_t bytes);

// Returns the header of a tensor's array: version 1.0 or, for very many dimensions, 2.0. Throws for dtypes that NumPy lacks.
std::string npy_header(DType dtype, const std::vector<std::int64_t>& shape);

// Returns whether the file's element order is that of a tensor, apart from the byte order.
bool is_row_major(const NpyHeader& header);

// Converts a tensor's elements from the file's byte order to this machine's.
void to_native_order(const NpyHeader& header, Tensor& tensor);

// Copies the elements of an array in row-major order. data: the file's elements.
void copy_elements(const NpyHeader& header, std::string_view data, Tensor& tensor);

}  // namespace ckpt::cli
