// Step time by memory: the costs of each planner's schedules, with the chosen schedule marked.
#pragma once

#include <string>

#include "report/markup.h"

namespace ckpt::cli::report {

// One large plot of the chosen planner, and a small one for each other planner. Uses /frontiers, /chosen, /budget_bytes.
std::string frontier_pictures(const Figures& figures);

}  // namespace ckpt::cli::report
