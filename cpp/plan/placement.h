// An offset in one arena for every buffer of a program, so that buffers that live at the same time do not overlap.
//
// The problem is NP-hard (dynamic storage allocation); several greedy orders are tried and the smallest arena is taken.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/program.h"

namespace ckpt::plan {

constexpr std::int64_t placement_alignment = 64;

struct Placement {
  std::vector<std::int64_t> offsets;  // by BufferId; -1 for empty buffers and for those of other tiers
  std::int64_t arena_bytes = 0;
};

Placement place(const Program& program);

}  // namespace ckpt::plan
