// Schedules of a graph: store-all, and the fastest one within a budget.
#pragma once

#include <cstdint>
#include <memory>

#include "plan/planners/chain_planner.h"
#include "plan/profile.h"
#include "plan/schedule.h"

namespace ckpt::plan {

std::shared_ptr<const Schedule> make_graph_store_all(const ChainProfile& profile);

// Fails with Error(over_budget) if nothing fits; the message gives the smallest sufficient budget. Also for a chain.
std::shared_ptr<const Schedule> make_graph(const ChainProfile& profile, std::int64_t budget_bytes);

// Returns the points of the schedules for all budgets, at most max of them. Above 40 layers a budget may find better schedules.
FrontierPoints graph_frontier_points(const ChainProfile& profile, std::int64_t max);

}  // namespace ckpt::plan
