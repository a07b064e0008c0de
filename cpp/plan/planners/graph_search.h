// The least time of a graph's step within a byte budget, by one local search over sets of recomputations.
//
// The search starts from store-all. While the step exceeds the budget, it frees an item at the fullest moment: the one that is
// cheapest to remake per byte. The inputs of the runs that remake it are kept or remade in turn. Then the search repeats: remove a
// few neighbouring recomputations, or add one that splits an interval; repair the budget in the same way; try to remove single
// recomputations. A longer step is accepted with a probability that falls, as in annealing.
//
// Work is counted, never timed, and random numbers have a fixed seed: equal inputs give equal results on every machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/planners/graph_timeline.h"

namespace ckpt::plan {

struct GraphPlan {
  std::vector<Recomputation> recomputations;  // in the order in which they run
  std::int64_t peak_bytes = 0;
  double time = 0;
};

// Returns nothing if the search finds no set of recomputations within the budget. work: in the unit of GraphTimeline. Times of
// operations are integers, and their sums are below 2^52.
std::optional<GraphPlan> search_graph(const GraphCosts& costs, std::int64_t budget_bytes, std::int64_t work);

// Returns the fastest plan within the budget that the search finds from these recomputations. If they exceed the budget, it is
// raised to what they need.
GraphPlan improve_graph(const GraphCosts& costs, const std::vector<Recomputation>& from, std::int64_t budget_bytes,
                        std::int64_t work);

// The work after which explore_graph() rarely finds more.
inline std::int64_t exploring_work(const GraphCosts& costs) {
  const std::int64_t size = costs.size();
  return std::min<std::int64_t>(std::max(1'000'000 * size, 150'000 * size * size), 48'000'000);
}

// Returns plans with fewer and fewer bytes; the last has the fewest that the search finds. Times have no effect: a profile that is
// measured again has the same smallest budget.
std::vector<GraphPlan> smallest_graphs(const GraphCosts& costs, std::int64_t work);

// Returns plans for all budgets from that of the smallest plan, by increasing bytes and decreasing time; the last is store-all. The
// search lowers the budget until it finds nothing, and then raises it again step by step.
std::vector<GraphPlan> explore_graph(const GraphCosts& costs, const GraphPlan& smallest, std::int64_t work);

}  // namespace ckpt::plan
