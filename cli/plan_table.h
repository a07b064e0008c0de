// The tables of `ckpt plan`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ckpt::cli {

// figures: the --json document. frontier_of: also print the frontier of this planner; "": none.
void print_plan(const nlohmann::json& figures, const std::string& frontier_of);

}  // namespace ckpt::cli
