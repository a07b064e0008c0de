#include "state/ranks/block_copy.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ckpt::state {
namespace {

// Avoids overflow for counts of up to 64 bits.
std::int64_t first_byte(std::int64_t element, std::int64_t bits) { return element / 8 * bits + element % 8 * bits / 8; }
std::int64_t end_byte(std::int64_t element, std::int64_t bits) { return element / 8 * bits + (element % 8 * bits + 7) / 8; }
std::int64_t element_at(std::int64_t byte, std::int64_t bits) { return byte / bits * 8 + byte % bits * 8 / bits; }

// For types of less than a byte, the run has the same bit alignment in both boxes: each row begins on a byte.
void copy_run(const BlockCopy& copy, const Run& run, std::int64_t at, std::span<const std::byte> bytes) {
  const std::int64_t bits = tensor::dtype_bits(copy.dtype);
  const std::int64_t origin = first_byte(run.from, bits);
  const std::int64_t begin = std::max(at, origin);
  const std::int64_t end = std::min(at + std::ssize(bytes), end_byte(run.from + run.elements, bits));
  if (begin >= end) return;
  std::memcpy(copy.data + first_byte(run.to, bits) + (begin - origin), bytes.data() + (begin - at),
              static_cast<std::size_t>(end - begin));
}

std::int64_t convert_run(const BlockCopy& copy, const Run& run, std::int64_t at, std::span<const std::byte> bytes) {
  const std::byte* const from = bytes.data() + (first_byte(run.from, tensor::dtype_bits(copy.dtype)) - at);
  std::byte* const to = copy.data == nullptr ? nullptr : copy.data + first_byte(run.to, tensor::dtype_bits(copy.to_dtype));
  const auto count = static_cast<std::size_t>(run.elements);
  const std::size_t converted = copy.convert(from, to, count);
  return converted == count ? -1 : run.from + static_cast<std::int64_t>(converted);
}

}  // namespace

std::int64_t bytes_of(const Box& box, tensor::Dtype dtype) { return first_byte(box.elements(), tensor::dtype_bits(dtype)); }

std::int64_t copy_elements(const BlockCopy& copy, std::int64_t at, std::span<const std::byte> bytes) {
  if ((copy.convert == nullptr && copy.data == nullptr) || bytes.empty()) return -1;
  const std::int64_t bits = tensor::dtype_bits(copy.dtype);
  const std::int64_t end = std::min(copy.from.elements(), element_at(at + std::ssize(bytes) - 1, bits) + 1);
  std::int64_t misfit = -1;
  for_each_run(copy.from, copy.to, element_at(at, bits), end, [&](const Run& run) {
    if (copy.convert == nullptr) return copy_run(copy, run, at, bytes);
    if (misfit < 0) misfit = convert_run(copy, run, at, bytes);
  });
  return misfit;
}

std::pair<std::int64_t, std::int64_t> bytes_between(const Box& from, const Box& to, tensor::Dtype dtype) {
  const auto shared = intersection(from, to);
  if (!shared) return {0, 0};
  Lengths last = shared->offsets;
  for (std::size_t i = 0; i < last.size(); ++i) last[i] += shared->lengths[i] - 1;
  const std::int64_t bits = tensor::dtype_bits(dtype);
  return {first_byte(position_in(from, shared->offsets), bits), end_byte(position_in(from, last) + 1, bits)};
}

bool is_on_bytes(tensor::Dtype dtype, const Box& box, const Lengths& shape) {
  const std::int64_t bits = tensor::dtype_bits(dtype);
  if (bits % 8 == 0) return true;
  std::int64_t axis_bits = bits;  // bits per step along the axis
  std::size_t axis = shape.size();
  while (axis > 0 && box.lengths[axis - 1] == shape[axis - 1]) axis_bits *= shape[--axis];
  if (axis == 0) return axis_bits % 8 == 0;
  --axis;
  return box.offsets[axis] * axis_bits % 8 == 0 && box.lengths[axis] * axis_bits % 8 == 0 && shape[axis] * axis_bits % 8 == 0;
}

}  // namespace ckpt::state
