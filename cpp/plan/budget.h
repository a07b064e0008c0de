// The fastest simple schedule whose arena fits a budget.
#pragma once

#include <cstdint>
#include <memory>

#include "plan/schedule.h"

namespace ckpt::plan {

// Of store-all, the periodic ones and recompute-all: least seconds, then fewest recomputed forwards. What was not looked at,
// because it does not fit this chain or would take too long, is in the schedule's left_out(). Error(over_budget) when none fits;
// the message gives the smallest budget that works, and what was left out.
std::shared_ptr<const Schedule> make_for_budget(const ChainProfile& profile, std::int64_t budget_bytes);

}  // namespace ckpt::plan
