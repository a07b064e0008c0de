// Elements of one block of a tensor to their places in another one, as they are or converted.
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
  std::byte* data = nullptr;  // of the block to; nullptr: only looks whether its elements can be converted
  tensor::Dtype to_dtype{};
  Converter convert = nullptr;
};

// bytes: those of from that begin at byte at; elements of which only a part is in them belong to dtypes of less than a byte.
// Returns the position in from of the first element that cannot be converted; -1 when there is none.
std::int64_t copy_elements(const BlockCopy& copy, std::int64_t at, std::span<const std::byte> bytes);

std::int64_t bytes_of(const Box& box, tensor::Dtype dtype);
// [begin, end) of from's bytes that holds what to has of it; both are 0 when that is nothing.
std::pair<std::int64_t, std::int64_t> bytes_between(const Box& from, const Box& to, tensor::Dtype dtype);

// True unless a row of the box begins or ends inside a byte.
bool is_on_bytes(tensor::Dtype dtype, const Box& box, const Lengths& shape);

}  // namespace ckpt::state
