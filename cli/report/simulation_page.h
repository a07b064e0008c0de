// The page of a simulation: policies compared with Daly's interval, efficiency by interval, learning curves, and the failures.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "simulate.h"

namespace ckpt::cli::report {

// result: the document of Simulation::json().
std::string simulation_page(const nlohmann::json& result, const SimulateOptions& options);

}  // namespace ckpt::cli::report
