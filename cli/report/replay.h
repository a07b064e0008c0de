// One step under a schedule, replayed on the figures of its profile: what runs when, and what memory holds meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli::report {

// What bytes are for.
enum class Use : std::uint8_t {
  kept,        // made by a layer's first forward, received from a neighbour stage, or copied back from a slower tier
  recomputed,  // made by running a layer again
  gradient,
  working,  // workspace of the layer that runs, and saved states of random numbers
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
    Bytes bytes;  // while it runs
  };
  // From when to when memory holds something that a layer made.
  struct Life {
    std::int64_t layer;
    Use use;
    double begin;
    double end;
  };

  std::vector<Operation> operations;
  std::vector<Life> lives;
  std::vector<std::int64_t> forwards;  // of each layer, micro-batches together
  std::int64_t peak_bytes = 0;         // of memory; equals the verifier's
  double seconds = 0;
  bool timed = true;  // false: the profile has no seconds, and every operation counts as one
};

// A stage's schedule is one of a pipeline.
Replay replay(const Schedule& schedule, const Profile& profile, bool stage);

}  // namespace ckpt::cli::report
