// The page of a simulation: policies against Daly's interval, efficiency by interval, what policies learn, and the failures.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "simulate.h"

namespace ckpt::cli::report {

// result: what Simulation::json() says.
std::string simulation_page(const nlohmann::json& result, const SimulateOptions& options);

}  // namespace ckpt::cli::report
