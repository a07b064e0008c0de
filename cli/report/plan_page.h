// The page of a plan: the chosen schedule, what every planner makes of every budget, the step over time, the layers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "plan.h"
#include "plans.h"

namespace ckpt::cli::report {

// result: what --json says, with the schedule that was chosen. plan: that schedule.
std::string plan_page(const nlohmann::json& result, const PlanOptions& options, const Plan& plan);

}  // namespace ckpt::cli::report
