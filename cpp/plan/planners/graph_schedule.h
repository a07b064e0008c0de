// Converts between the profile of a graph, the costs of its search, and a schedule.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan/planners/graph_search.h"
#include "plan/profile.h"
#include "plan/schedule.h"

namespace ckpt::plan {

constexpr std::int64_t max_graph_layers = 16384;

// Returns the costs of a complete profile with at most max_graph_layers layers, each under its first option. Seconds become whole
// numbers; without seconds, each forward takes 1.
GraphCosts graph_costs(const ChainProfile& profile);

// Returns the schedule that runs these recomputations, and drops every value after its last read.
std::shared_ptr<const Schedule> graph_schedule(const GraphCosts& costs, const std::vector<Recomputation>& recomputations,
                                               std::string name);

// Returns the layers that a schedule of a chain runs again, with the stages at which they run.
std::vector<Recomputation> recomputations_of(const Schedule& schedule);

}  // namespace ckpt::plan
