// The planners "chain" and "tapes" within a budget.
#pragma once

#include <gtest/gtest.h>

#include "base/error.h"
#include "chains.h"
#include "plan/planners/chain_planner.h"

namespace ckpt::plan::test {

// Returns the seconds of the planner's schedule within the budget; -1 and the smallest budget that works if there is none.
inline double seconds_within(const ChainProfile& profile, ChainPlanner planner, std::int64_t budget, std::int64_t* smallest) {
  try {
    const auto schedule = make_chain_for_budget(profile, planner, budget);
    EXPECT_LE(arena_bytes(*schedule, profile), budget) << schedule->name();
    return verify(*schedule, profile).step_seconds;
  } catch (const base::Error& error) {
    EXPECT_EQ(error.status(), base::Status::over_budget) << error.message();
    const std::string marker = "for this chain is ";
    *smallest = std::stoll(error.message().substr(error.message().find(marker) + marker.size()));
    EXPECT_GT(*smallest, budget);
    return -1;
  }
}

}  // namespace ckpt::plan::test
