// The fastest simple schedule whose arena fits a budget.
#pragma once

#include <cstdint>
#include <memory>

#include "plan/schedule.h"

namespace ckpt::plan {

// Of store-all, every periodic one and recompute-all: least seconds, then fewest recomputed forwards.
// Error(over_budget) when none fits; the message gives the smallest budget that works.
std::shared_ptr<const Schedule> make_for_budget(const ChainProfile& profile, std::int64_t budget_bytes);

}  // namespace ckpt::plan
