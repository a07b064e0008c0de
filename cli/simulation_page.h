// The page of a simulation: a table and two charts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ckpt::cli {

// One HTML page that needs no other file. result: what Simulation::json() says.
std::string simulation_page(const nlohmann::json& result);

}  // namespace ckpt::cli
