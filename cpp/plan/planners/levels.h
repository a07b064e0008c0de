// The reversal of like steps with the least time where states can be kept in memory and in slower tiers.
// Herrmann, Pallez, "H-Revolve: a framework for adjoint computation on synchronous hierarchical platforms", ACM TOMS 46(2), 2020.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "plan/schedule.h"

namespace ckpt::plan {

// A place for states: memory is level 0, tier k is level k. Nothing is taken for reading and writing memory.
struct Level {
  std::int64_t slots = 0;  // 0: no limit (not for memory)
  double write_seconds = 0;
  double read_seconds = 0;
};

struct StepSeconds {
  double forward = 0;   // of an unrecorded forward
  double reversal = 0;  // of a recorded forward and the backward behind it
};

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// The least seconds for every number of steps and of free slots, and the decisions that lead there.
class LevelTables {
 public:
  // levels: memory first. Error(out_of_range) when it would take too long, or when the seconds pass all numbers.
  LevelTables(std::int64_t steps, const StepSeconds& step, std::span<const Level> levels);

  double seconds() const { return seconds_; }

  // Decisions about a chain of steps whose first state is at hand. free: slots of the level, of which the state would take one;
  // no_limit where it has none.
  // True when the state is worth being written to the level (>= 1).
  bool is_stored(std::int32_t level, std::int64_t steps, std::int64_t free) const;
  // The state is on the level and has one of the free slots: steps to go forward from it, to where the next state is kept; 0 when
  // the levels below do without it.
  std::int64_t split(std::int32_t level, std::int64_t steps, std::int64_t free) const;

 private:
  struct Table {
    Level level;
    std::vector<double> below;  // least seconds by steps, with the levels below alone
    // The same with the first state on the level, by its free slots, that of the state among them: 1, 2, ... No limit: one.
    std::vector<std::vector<double>> stored;
  };

  const Table& table(std::int32_t level) const { return tables_[static_cast<std::size_t>(level) - 1]; }
  std::vector<double> next_stored(const Table& table) const;
  static double stored(const Table& table, std::int64_t steps, std::int64_t free);
  // Least seconds with the first state at hand.
  static double at_hand(const Table& table, std::int64_t steps, std::int64_t free);

  std::int64_t steps_;
  StepSeconds step_;
  std::vector<Table> tables_;  // of the levels from 1 on
  double seconds_ = 0;
};

// slots: of memory and of the tiers 1, 2, ...; 0 for a tier: as many as it holds. Error(invalid_argument) when the chain's layers
// are not alike.
std::shared_ptr<const Schedule> make_levels(const ChainProfile& profile, std::span<const std::int64_t> slots);

}  // namespace ckpt::plan
