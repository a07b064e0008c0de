// A schedule as plain arrays: every buffer with its place in the arena of its tier, and every operation in the order of issue.
//
// For callers that run schedules in their own memory. The engine's executor runs the program of program.h, with the same offsets.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/action.h"
#include "plan/profile.h"
#include "plan/schedule.h"

namespace ckpt::plan {

// Same layout as ckpt_program_buffer.
struct PlacedBuffer {
  std::int64_t bytes = 0;
  std::int64_t offset = -1;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t index = 0;
  Item item = Item::none;
  std::int32_t tier = 0;
  std::int32_t option = 0;
  std::int32_t micro_batch = 0;
  std::int32_t slot = 0;
  std::int32_t reserved = 0;
};

constexpr std::uint32_t operation_again = 1;
constexpr std::uint32_t operation_in_place = 2;

// Same layout as ckpt_program_operation.
struct PlacedOperation {
  Kind kind = Kind::forward;
  std::uint32_t flags = 0;
  std::int64_t layer = 0;
  std::int32_t option = 0;
  std::int32_t micro_batch = 0;
  std::int32_t stream = 0;
  std::int32_t reserved = 0;
  std::int64_t transfer = 0;
  std::int64_t input = -1;
  std::int64_t output = -1;
  std::int64_t tape = -1;
  std::int64_t workspace = -1;
  std::int64_t grad_output = -1;
  std::int64_t grad_input = -1;
  std::int64_t ambient = -1;
  std::int64_t present_ambient = -1;
  std::int64_t action = 0;
  std::int64_t reserved2[2] = {0, 0};
};

struct PlacedProgram {
  std::array<std::int64_t, tiers> arena_bytes{};
  std::vector<PlacedBuffer> buffers;
  std::vector<PlacedOperation> operations;
};

// Errors as make_program and place.
PlacedProgram make_placed_program(const Schedule& schedule, const ChainProfile& profile);

// Writes the format that docs/how-to/bring-your-own-framework.md describes.
std::string to_json(const PlacedProgram& program);

}  // namespace ckpt::plan
