// A schedule compiled for one chain: every buffer's allocation and end, and the operations in between, in order.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/schedule.h"
#include "plan/walk.h"

namespace ckpt::plan {

struct Instruction {
  enum class Kind : std::uint8_t { allocate, free, run, become, await } kind = Kind::run;
  std::int64_t index = 0;  // of a buffer, of an operation (await: of the awaited copy), or of a change
};

// A buffer that is overwritten in place.
struct Change {
  BufferId buffer = no_buffer;
  BufferInfo before;
  BufferInfo now;
};

struct Program {
  std::vector<Instruction> instructions;
  std::vector<BufferInfo> buffers;  // by BufferId; as at their allocation
  std::vector<Change> changes;
  std::vector<Operation> operations;
};

constexpr std::int64_t largest_program_operations = std::int64_t{1} << 22;

// Fails with Error(invalid_schedule) if the schedule does not fit the profile, Error(out_of_range) above
// largest_program_operations.
Program make_program(const Schedule& schedule, const ChainProfile& profile);

// Replays the program's instructions to a sink, except transfers.
void replay(const Program& program, WalkSink& sink);

// Streams the schedule through a walk: memory is proportional to the live items and to what sink keeps.
void replay(const Schedule& schedule, const ChainProfile& profile, WalkSink& sink);

// Returns a cursor for a schedule on this profile: an open-ended one is finalized with the profile's length. Fails with
// Error(invalid_argument) if the schedule is for another number of layers.
Cursor cursor_for(const Schedule& schedule, const ChainProfile& profile);

}  // namespace ckpt::plan
