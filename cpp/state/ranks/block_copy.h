// Copies or converts elements of one block of a tensor to another block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "state/box.h"
#include "state/convert.h"
#include "tensor/dtype.h"

namespace ckpt::state {

struct BlockCopy {
  const Box& from;
  tensor::Dtype dtype{};
  const Box& to;
  std::byte* data = nullptr;  // of the block to; nullptr: only checks whether the elements can be converted
  tensor::Dtype to_dtype{};
  Converter convert = nullptr;
};

// bytes: the bytes of from, starting at byte at. Only dtypes of less than a byte can have partial elements in them. Returns the
// position in from of the first element that cannot be converted; -1 if there is none.
std::int64_t copy_elements(const BlockCopy& copy, std::int64_t at, std::span<const std::byte> bytes);

std::int64_t bytes_of(const Box& box, tensor::Dtype dtype);
// Returns the range [begin, end) of from's bytes that contains its intersection with to; both are 0 if that is empty.
std::pair<std::int64_t, std::int64_t> bytes_between(const Box& from, const Box& to, tensor::Dtype dtype);

// Returns false if a row of the box begins or ends within a byte.
bool is_on_bytes(tensor::Dtype dtype, const Box& box, const Lengths& shape);

}  // namespace ckpt::state
