// Reverses identical steps with the fewest forwards, including recorded ones, where a slot holds either a state or the tape of
// one step. Maddison, "Step-based checkpointing with high-level algorithmic differentiation", Journal of Computational Science
// 82, 2024.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/schedule.h"

namespace ckpt::plan {

// E(steps, slots) for every number of steps and of free slots, and the corresponding decisions.
class MixedTables {
 public:
  // Fails with Error(out_of_range) if it would take too long.
  MixedTables(std::int64_t steps, std::int64_t slots);

  std::int64_t forwards() const { return static_cast<std::int64_t>(fewest(steps_, slots())); }

  // How to begin steps (at least 2) with an available first state: 0 to record the first and keep its tape, otherwise the steps
  // to go forward from the state, which is kept.
  std::int64_t split(std::int64_t steps, std::int64_t free) const;

 private:
  std::int64_t slots() const { return static_cast<std::int64_t>(fewest_.size()) - 1; }
  double fewest(std::int64_t steps, std::int64_t free) const {
    return fewest_[static_cast<std::size_t>(free)][static_cast<std::size_t>(steps)];
  }

  std::int64_t steps_;
  std::vector<std::vector<double>> fewest_;  // by free slots and steps: integers, infinity where impossible
};

// slots: at least 1. Fails with Error(invalid_argument) if a layer's backward reads more than its tape.
std::shared_ptr<const Schedule> make_mixed(const ChainProfile& profile, std::int64_t slots);

}  // namespace ckpt::plan
