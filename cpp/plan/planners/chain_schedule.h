// From a frontier's decisions to the actions of a schedule.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/action.h"
#include "plan/planners/frontier.h"

namespace ckpt::plan {

// The actions of the fastest step of the frontier whose live bytes never pass live_bytes; empty when there is none.
std::vector<Action> chain_actions(const ChainCosts& costs, const Frontier& frontier, std::int64_t live_bytes);

}  // namespace ckpt::plan
