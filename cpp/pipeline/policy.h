// Which micro-batches' activations stay from the forward part of a step to the backward part.
#pragma once

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
    memory_based = 4,  // as many as fit the threshold, the oldest go first; the first and the last always
    strategy = 5,      // what the strategy says yes to
    automatic = 6,     // one of the first four, picked when a step begins, by the tracker's pressure
  };

  Kind kind = Kind::store_all;
  std::int64_t interval = 1;  // 0 means all, like 1
  std::int64_t threshold_bytes = default_threshold_bytes;
  strategy::StrategyPtr strategy = nullptr;  // for Kind::strategy
};

// Error(invalid_argument) names the field that is wrong.
void check(const Policy& policy);
// "store-all", "selective(2)", "memory-based(1000)", ...
std::string to_text(const Policy& policy);

// What automatic picks under a pressure, which is live bytes over the bytes there are: below 0.5 store-all, below 0.7 selective
// (every second at least), below 0.9 memory-based, else recompute-all. Interval and threshold are the automatic policy's.
Policy policy_for_pressure(const Policy& automatic, double pressure);
// The tracker's live bytes over its limit; without a limit over the memory that this process may really use.
double pressure_of(const memory::Tracker& tracker);

}  // namespace ckpt::pipeline
