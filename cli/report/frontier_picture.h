// Time over memory: what each planner's schedules cost, and where the chosen one stands among them.
#pragma once

#include <string>

#include "report/markup.h"

namespace ckpt::cli::report {

// One large plot of the chosen planner before all others, and a small one for each of those. Of /frontiers, /chosen, /budget_bytes.
std::string frontier_pictures(const Figures& figures);

}  // namespace ckpt::cli::report
