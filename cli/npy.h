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
  DType dtype{};
  bool swapped = false;       // big-endian elements
  bool column_major = false;  // "fortran_order"
  std::vector<std::int64_t> shape;
  std::size_t data_start = 0;  // behind the header
};

// What must be there to know how long the header is.
constexpr std::size_t npy_prefix_bytes = 12;

// Bytes of the header of an array that begins with prefix (npy_prefix_bytes, or all of an array that is shorter), of `bytes` in
// all. Throws std::invalid_argument that says what is wrong, or that no header is so long.
std::size_t npy_header_bytes(std::string_view prefix, std::uint64_t bytes);

// The header of an array of `bytes` in all: they are exactly those of the shape. Throws std::invalid_argument that says what is
// wrong or not supported.
NpyHeader parse_npy(std::string_view header, std::uint64_t bytes);

// The header of a tensor's array, version 1.0 or, for very many dimensions, 2.0. Throws for dtypes that NumPy does not have.
std::string npy_header(DType dtype, const std::vector<std::int64_t>& shape);

// Whether the elements lie in the file as in a tensor but for their byte order.
bool is_row_major(const NpyHeader& header);

// Brings elements that are in a tensor, in the file's order, into this machine's byte order.
void to_native_order(const NpyHeader& header, Tensor& tensor);

// The elements of an array in row-major order; data: those of the file.
void copy_elements(const NpyHeader& header, std::string_view data, Tensor& tensor);

}  // namespace ckpt::cli
