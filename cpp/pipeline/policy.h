// Selects the micro-batches that keep their activations from the forward part of a step to the backward part.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "memory/tracker.h"
#include "strategy/strategy.h"

namespace ckpt::pipeline {

constexpr std::int64_t default_threshold_bytes = std::int64_t{1} << 30;

struct Policy {
  // Numbers are those of CKPT_ACTIVATION_*.
  enum class Kind : std::int32_t {
    store_all = 1,
    recompute_all = 2,
    selective = 3,     // every interval-th, the first and the last
    memory_based = 4,  // as many as fit the threshold, dropping the oldest first; the first and the last always
    strategy = 5,      // those that the strategy selects
    automatic = 6,     // one of the first four, selected by pressure at the beginning of a step, within the rest of the limit
  };

  Kind kind = Kind::store_all;
  std::int64_t interval = 1;  // 0 means all, like 1
  std::int64_t threshold_bytes = default_threshold_bytes;
  strategy::StrategyPtr strategy = nullptr;  // for Kind::strategy
  std::int64_t memory_limit_bytes = 0;       // automatic: compared with resident memory; 0: the memory available to the process
  // Set by automatic: threshold_bytes then limits every kind, including the first and the last, and memory-based considers every
  // interval-th like selective. So higher pressure never keeps more.
  bool is_picked = false;
};

// Error(invalid_argument) names the invalid field.
void check(const Policy& policy);
// "store-all", "selective(2)", "memory-based(1000)", ...
std::string to_text(const Policy& policy);

// The share of memory in use: by a tracker with a limit, otherwise by the process.
struct Pressure {
  bool of_tracker = false;
  std::int64_t used_bytes = 0;
  std::int64_t total_bytes = 1;

  double share() const { return static_cast<double>(used_bytes) / static_cast<double>(total_bytes); }
  std::int64_t left_bytes() const { return std::max<std::int64_t>(0, total_bytes - used_bytes); }
};
// "0.62: 620 of 1000 bytes resident"
std::string to_text(const Pressure& pressure);

// Selects by pressure: below 0.5 store-all, below 0.7 selective (every second at least), below 0.9 memory-based, else
// recompute-all. The threshold of each is an equal share, for one of `stages` stages, of the rest of the limit; that of
// memory-based is at most the automatic policy's.
Policy policy_for_pressure(const Policy& automatic, const Pressure& pressure, std::int64_t stages);

// Returns the tracker's live bytes over its limit; for a tracker without one, the process's resident bytes less own_bytes, over
// total_bytes. own_bytes: resident bytes that the calling pipeline may release.
Pressure pressure_of(const memory::Tracker& tracker, std::int64_t total_bytes, std::int64_t own_bytes);

}  // namespace ckpt::pipeline
