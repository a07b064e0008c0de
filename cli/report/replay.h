// Simulates one step under a schedule with the figures of its profile: when each operation runs, and the contents of memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli::report {

// Purpose of bytes in memory.
enum class Use : std::uint8_t {
  kept,        // produced by a layer's first forward, received from a neighbour stage, or copied back from a slower tier
  recomputed,  // produced by a recomputation
  gradient,
  working,  // workspace of the running layer, and saved random number states
};
constexpr std::size_t uses = 4;
using Bytes = std::array<std::int64_t, uses>;

struct Replay {
  enum class Work : std::uint8_t { forward, recompute, backward };
  struct Operation {
    Work work;
    std::int64_t layer;
    std::int32_t micro_batch;
    double begin;  // seconds
    double end;
    Bytes bytes;  // during the operation
  };
  // The interval during which an output of a layer is in memory.
  struct Life {
    std::int64_t layer;
    Use use;
    double begin;
    double end;
  };

  std::vector<Operation> operations;
  std::vector<Life> lives;
  std::vector<std::int64_t> forwards;             // per layer, sum over micro-batches
  std::vector<std::vector<std::int64_t>> inputs;  // per layer of a graph: the values that it reads; empty for a chain
  std::int64_t peak_bytes = 0;                    // equals the verifier's peak
  double seconds = 0;
  bool timed = true;  // false: the profile has no times, and every operation takes one unit
};

// stage: the schedule is that of a pipeline stage.
Replay replay(const Schedule& schedule, const Profile& profile, bool stage);

}  // namespace ckpt::cli::report
