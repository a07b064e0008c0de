// The one search for the cheapest simple schedule whose arena fits a budget: of a chain of its own, and of a pipeline's stage.
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
// Makes one simple schedule, store-all, a periodic one or recompute-all, of any chain: periodic takes no more segments than layers.
using SimplePlan = std::function<SchedulePtr(const ChainProfile& chain)>;

// What is searched.
struct SearchSpace {
  const ChainProfile& profile;     // that the whole step is measured against
  std::int64_t longest_piece = 0;  // layers of the longest chain that a simple plan is made for
  std::int64_t layer_runs = 0;     // forwards of a step that runs no layer again
  // The schedule of a whole step whose pieces run by the plan.
  std::function<SchedulePtr(const SimplePlan& plan)> step_by;
};

struct Cheapest {
  SimplePlan plan;
  SchedulePtr schedule;  // of the whole step
  PlanReport report;
  std::int64_t reserved_bytes = 0;  // or live ones where the budget binds these
};

struct SearchResult {
  std::optional<Cheapest> cheapest;  // nothing when none fits the budget
  std::int64_t too_large = 0;        // schedules that are cheaper, and over the budget
  std::int64_t smallest_bytes = 0;   // where none fits: the smallest budget that works; -1 when no schedule fits the chain at all
  std::string left_out;              // what was not looked at, and why, in one line; "" when nothing was
};

// Least seconds, then fewest recomputed forwards. What does not fit the chain, or would take too long to look at, is left out.
SearchResult find_cheapest(const SearchSpace& space, std::int64_t budget_bytes);

// Error(over_budget) of a search that found none; who: "this chain". Error(invalid_schedule) when no budget would do.
[[noreturn]] void fail_over_budget(const SearchResult& result, std::int64_t budget_bytes, const std::string& who);

}  // namespace ckpt::plan
