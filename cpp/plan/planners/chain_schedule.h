// From the decisions of a table of least times to the actions of a schedule.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/action.h"
#include "plan/planners/chain_table.h"

namespace ckpt::plan {

// The actions of the fastest step of the table whose live bytes never pass live_bytes; empty when there is none.
std::vector<Action> chain_actions(const ChainCosts& costs, const ChainTable& table, std::int64_t live_bytes);

}  // namespace ckpt::plan
