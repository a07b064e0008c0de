// The planner of chains that are too long for an exact frontier: schedules from grids over the chain's layers or over groups of
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/planners/chain_costs.h"
#include "plan/planners/grid.h"
#include "plan/planners/layer_groups.h"
#include "plan/schedule.h"
#include "plan/verifier.h"

namespace ckpt::plan {

class LongChain {
 public:
  // Above this, adjacent layers are planned as groups.
  static constexpr std::int64_t max_grid_layers = 512;

  struct Plan {
    std::shared_ptr<const Schedule> schedule;
    PlanReport report;
    std::int64_t budgeted_bytes = 0;
    double lost_seconds = 0;  // upper bound of the step's excess over the shortest
    std::string left_out;
  };

  // The profile must outlive it. Fails with Error(invalid_schedule) if no schedule fits the chain, Error(unsupported) if the
  // chain is too long.
  LongChain(const ChainProfile& profile, std::string name, std::int64_t table_bytes = 300'000'000);

  // Returns the fastest plan found with reserved bytes within the budget.
  std::optional<Plan> within(std::int64_t budget_bytes);
  // Returns the plan with the fewest reserved bytes: within() succeeds from there on.
  const Plan& smallest();
  // Returns plans across the whole frontier, by increasing live bytes and decreasing seconds.
  std::vector<Plan> sample();

 private:
  std::int64_t span_of(std::int64_t live_bytes) const;
  const Grid& grid(std::int64_t span);
  std::vector<std::int64_t> points(std::int64_t span, std::int64_t max_bytes);
  Plan unplaced_plan_at(std::int64_t span, std::int64_t live_bytes);
  void place(Plan& plan) const;
  Plan plan_at(std::int64_t span, std::int64_t live_bytes);

  const ChainProfile& profile_;
  std::string name_;
  std::int64_t table_bytes_;
  ChainCosts layer_costs_;
  std::unique_ptr<LayerGroups> groups_;  // for a chain that is too long for a grid of its layers
  ChainCosts costs_;                     // of layers, or of groups
  std::int64_t max_bytes_;               // no schedule worth making needs more
  double min_seconds_;                   // no schedule takes less
  std::int64_t grid_span_ = 0;
  std::unique_ptr<Grid> grid_;  // one at a time because it is large
  std::int64_t min_live_bytes_ = 0;
  std::optional<Plan> smallest_;
};

}  // namespace ckpt::plan
