// The tables of `ckpt plan`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ckpt::cli {

// figures: as --json prints them. frontier_of: the planner whose frontier is printed, too; "": none.
void print_plan(const nlohmann::json& figures, const std::string& frontier_of);

}  // namespace ckpt::cli
