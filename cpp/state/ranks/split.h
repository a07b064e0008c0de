// Which rank writes what of the tensors that every rank has whole. Each rank comes to the same answer by itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "state/ranks/listing.h"

namespace ckpt::state {

// Rows of a tensor, counted over its first axes dimensions together.
struct RowShare {
  std::size_t tensor = 0;  // by number in the listing
  std::size_t axes = 0;    // 0: the whole tensor
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// What one rank writes; own_bytes: what each rank writes besides. Small tensors stay whole and together, large ones are cut so that
// all ranks write about as much.
std::vector<RowShare> share_of(const Listing& listing, std::span<const std::int64_t> own_bytes, std::int64_t rank);

}  // namespace ckpt::state
