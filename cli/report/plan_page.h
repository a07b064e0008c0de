// The page of a plan: the chosen schedule, the costs of all planners at all budgets, the step over time, the layers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "plan.h"
#include "plans.h"

namespace ckpt::cli::report {

// result: the --json document, with a chosen schedule. plan: that schedule.
std::string plan_page(const nlohmann::json& result, const PlanOptions& options, const Plan& plan);

}  // namespace ckpt::cli::report
