// Distributes the writing of tensors that several ranks have (all ranks, or those with the same blocks). Each of these ranks
// computes the same result independently.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "state/box.h"
#include "tensor/dtype.h"

namespace ckpt::state {

struct Splittable {
  tensor::Dtype dtype{};
  const Lengths* shape = nullptr;
};

// Rows of a tensor, counted over its first `axes` dimensions together.
struct RowShare {
  std::size_t tensor = 0;  // by number
  std::size_t axes = 0;    // 0: the whole tensor
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Returns the share of one rank. own_bytes: bytes that each rank writes in addition. Small tensors stay whole and together; large
// ones are cut so that all ranks write about the same number of bytes.
std::vector<RowShare> share_of(std::span<const Splittable> tensors, std::span<const std::int64_t> own_bytes, std::int64_t rank);

}  // namespace ckpt::state
