// The safetensors file format, version 0.8 (https://github.com/huggingface/safetensors):
//
//   u64 little-endian length of the header | header: a JSON object, padded with spaces | the tensors' bytes, without a hole
//
// The input is not trusted: sizes are bounded and multiplied with overflow checks, and nothing recurses on input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "storage/storage.h"
#include "tensor/dtype.h"

namespace ckpt::state {

// Fails because a file's contents are invalid.
[[noreturn]] inline void fail_corrupt(const std::string& message) { base::fail(base::Status::corrupt, message); }

constexpr std::int64_t largest_header_bytes = 100'000'000;
constexpr std::int64_t length_bytes = 8;
// Offset alignment of the data in written files; tensors follow in descending order of element size.
constexpr std::int64_t data_alignment = 64;

struct TensorEntry {
  std::string name;
  tensor::Dtype dtype{};
  std::vector<std::int64_t> shape;  // any number of dimensions
  std::int64_t offset = 0;          // from the start of the data
  std::int64_t bytes = 0;
};

using Metadata = std::vector<std::pair<std::string, std::string>>;

struct Header {
  Metadata metadata;                 // in the file's order
  std::vector<TensorEntry> tensors;  // in the data's order
  std::int64_t data_start = 0;       // from the start of the file
  std::int64_t data_bytes = 0;
};

// Returns the bytes of a tensor; Error(out_of_range) if a product exceeds INT64_MAX, Error(invalid_argument) if they are not whole
// bytes. Multiplies from left to right as other readers do: a zero does not excuse an overflow before it.
std::int64_t tensor_bytes(tensor::Dtype dtype, const std::vector<std::int64_t>& shape);

// Parses the JSON of a header that data_bytes bytes follow. Error(corrupt) names the tensor.
Header parse_header(std::string_view text, std::int64_t data_bytes);

// Reads the header of an open file.
Header read_header(storage::File& file);

// Returns a file's beginning (length, JSON, padding) for these tensors, of which only name, dtype and shape are set. Sorts them
// into the order of their data and sets offset and bytes. Error(out_of_range) if the header would be too long.
std::string make_header(std::vector<TensorEntry>& tensors, const Metadata& metadata);

}  // namespace ckpt::state
