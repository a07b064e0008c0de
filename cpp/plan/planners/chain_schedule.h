// Converts the decisions of a least-time table to the actions of a schedule.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/action.h"
#include "plan/planners/chain_table.h"

namespace ckpt::plan {

// Returns the actions of the table's fastest step with at most live_bytes live; empty if none exists.
std::vector<Action> chain_actions(const ChainCosts& costs, const ChainTable& table, std::int64_t live_bytes);

}  // namespace ckpt::plan
