// Assigns an offset in one arena to every buffer of a program, so that buffers with overlapping lifetimes do not overlap in
// memory.
//
// The problem is NP-hard (dynamic storage allocation): several greedy orders are tried and the smallest arena is used. Schedules
// with many buffers are placed in time order only, which needs memory only for the live buffers.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/program.h"

namespace ckpt::plan {

constexpr std::int64_t placement_alignment = 64;

// Returns the size of a buffer in an arena: rounded up to the alignment. Error(out_of_range) if that exceeds INT64_MAX.
std::int64_t placed_bytes(std::int64_t bytes);

struct Placement {
  std::vector<std::int64_t> offsets;  // by BufferId; -1 for empty buffers and for those of other tiers
  std::int64_t arena_bytes = 0;
  std::int64_t peak_bytes = 0;  // maximum live bytes of tier 0
};

// Fails with Error(out_of_range) if the arena exceeds INT64_MAX.
Placement place(const Program& program);

// Returns arena_bytes of place(make_program(schedule, profile)), for schedules of any length: streams them. Fails with
// Error(invalid_schedule) if the schedule does not fit the profile.
std::int64_t arena_bytes(const Schedule& schedule, const ChainProfile& profile);

// Returns the bytes that a budget limits: arena_bytes, or live bytes if the profile's own allocator provides the memory. Live
// bytes may exceed the arena, which does not include a backward's own peak: the larger value applies in any case.
std::int64_t budgeted_bytes(const Schedule& schedule, const ChainProfile& profile);

// Returns the bytes to reserve in a tier: arena_bytes for tier 0; in higher ones, each slot is as long as the longest item that it
// ever holds.
std::int64_t reserved_bytes(const Schedule& schedule, const ChainProfile& profile, std::int32_t tier);

}  // namespace ckpt::plan
