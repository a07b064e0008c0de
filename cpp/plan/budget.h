// Finds the cheapest simple schedule with an arena within a budget, for a separate chain and for a pipeline's stage.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "plan/schedule.h"
#include "plan/verifier.h"

namespace ckpt::plan {

using SchedulePtr = std::shared_ptr<const Schedule>;
// Makes one simple schedule (store-all, a periodic one or recompute-all) of any chain; periodic uses at most as many segments as
// the chain has layers.
using SimplePlan = std::function<SchedulePtr(const ChainProfile& chain)>;

// The inputs of the search.
struct SearchSpace {
  const ChainProfile& profile;     // profile of the whole step
  std::int64_t longest_piece = 0;  // layers of the longest chain for which a simple plan is made
  std::int64_t layer_runs = 0;     // forwards of a step without recomputation
  // Returns the schedule of a whole step with the plan applied to its pieces.
  std::function<SchedulePtr(const SimplePlan& plan)> step_by;
};

struct Cheapest {
  SimplePlan plan;
  SchedulePtr schedule;  // of the whole step
  PlanReport report;
  std::int64_t reserved_bytes = 0;  // or live bytes, if the budget limits these
};

struct SearchResult {
  std::optional<Cheapest> cheapest;  // nothing if none fits the budget
  std::int64_t too_large = 0;        // number of cheaper schedules that exceed the budget
  std::int64_t smallest_bytes = 0;   // if none fits: the smallest sufficient budget; -1 if no schedule fits the chain at all
  std::string left_out;              // the schedules that were not examined, and why, in one line; "" if none
};

// Minimizes seconds, then recomputed forwards. Leaves out schedules that do not fit the chain or would take too long to examine.
SearchResult find_cheapest(const SearchSpace& space, std::int64_t budget_bytes);

// Throws Error(over_budget) for a search without a result, or Error(invalid_schedule) if no budget suffices. chain: its name in the
// message, "this chain".
[[noreturn]] void fail_over_budget(const SearchResult& result, std::int64_t budget_bytes, const std::string& chain);

}  // namespace ckpt::plan
