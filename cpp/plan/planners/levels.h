// Reverses identical steps in the least time where states can be kept in memory and in slower tiers.
// Herrmann, Pallez, "H-Revolve: a framework for adjoint computation on synchronous hierarchical platforms", ACM TOMS 46(2), 2020.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "plan/schedule.h"

namespace ckpt::plan {

// A storage level: memory is level 0, tier k is level k. Reading and writing memory takes no time.
struct Level {
  std::int64_t slots = 0;  // 0: unlimited (not for memory)
  double write_seconds = 0;
  double read_seconds = 0;
};

struct StepSeconds {
  double forward = 0;   // of a forward without tape
  double reversal = 0;  // of a recorded forward and the backward after it
};

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// The least seconds for every number of steps and of free slots, and the corresponding decisions.
class LevelTables {
 public:
  // levels: memory first. Fails with Error(out_of_range) if it would take too long, or if the seconds exceed the range of a
  // double.
  LevelTables(std::int64_t steps, const StepSeconds& step, std::span<const Level> levels);

  double seconds() const { return seconds_; }

  // Decisions about a chain of steps with an available first state. free: slots of the level, one of which the state would take;
  // no_limit if it has no limit.
  // Returns true if the state is worth writing to the level (>= 1).
  bool is_stored(std::int32_t level, std::int64_t steps, std::int64_t free) const;
  // The state is stored on the level in one of the free slots. Returns the steps to go forward from it, to where the next state
  // is kept; 0 if the levels below continue without it.
  std::int64_t split(std::int32_t level, std::int64_t steps, std::int64_t free) const;

 private:
  struct Table {
    Level level;
    std::vector<double> below;  // least seconds by steps, using only the levels below
    // The same with the first state on the level, by its free slots including the state's own: 1, 2, ... Without a limit: one
    // entry.
    std::vector<std::vector<double>> stored;
  };

  const Table& table(std::int32_t level) const { return tables_[static_cast<std::size_t>(level) - 1]; }
  std::vector<double> next_stored(const Table& table) const;
  static double stored(const Table& table, std::int64_t steps, std::int64_t free);
  // Least seconds with the first state available.
  static double min_from_available(const Table& table, std::int64_t steps, std::int64_t free);

  std::int64_t steps_;
  StepSeconds step_;
  std::vector<Table> tables_;  // of the levels from 1 on
  double seconds_ = 0;
};

// slots: of memory and of the tiers 1, 2, ...; 0 for a tier: as many as it holds. Fails with Error(invalid_argument) if the
// chain's layers differ.
std::shared_ptr<const Schedule> make_levels(const ChainProfile& profile, std::span<const std::int64_t> slots);

}  // namespace ckpt::plan
