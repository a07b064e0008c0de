// An offset in one arena for every buffer of a program, so that buffers that live at the same time do not overlap.
//
// The problem is NP-hard (dynamic storage allocation); several greedy orders are tried and the smallest arena is taken. Schedules
// with many buffers are placed in the order of time alone, which needs memory for what is live only.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/program.h"

namespace ckpt::plan {

constexpr std::int64_t placement_alignment = 64;

// What a buffer takes in an arena: rounded up to the alignment. Error(out_of_range) when that passes INT64_MAX.
std::int64_t placed_bytes(std::int64_t bytes);

struct Placement {
  std::vector<std::int64_t> offsets;  // by BufferId; -1 for empty buffers and for those of other tiers
  std::int64_t arena_bytes = 0;
  std::int64_t peak_bytes = 0;  // live bytes of tier 0 at the fullest moment
};

// Error(out_of_range) when the arena passes INT64_MAX.
Placement place(const Program& program);

// arena_bytes of place(make_program(schedule, profile)), for schedules of any length: streams them.
// Error(invalid_schedule) when the schedule does not fit the profile.
std::int64_t arena_bytes(const Schedule& schedule, const ChainProfile& profile);

// What a budget binds: arena_bytes, or live bytes where memory comes from an allocator of the profile's own. Live ones may be more
// than the arena, which knows nothing of a backward's own peak: then they are bound in any case.
std::int64_t budgeted_bytes(const Schedule& schedule, const ChainProfile& profile);

// What tier 1 .. tiers-1 must have: each of its slots is as long as the longest item that it ever holds.
std::int64_t tier_bytes(const Schedule& schedule, const ChainProfile& profile, std::int32_t tier);

}  // namespace ckpt::plan
