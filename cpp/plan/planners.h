// Creates planners from strings such as "periodic:4": each is one entry of the table in planners.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "plan/planners/chain_planner.h"
#include "plan/schedule.h"

namespace ckpt::plan {

// given: name, or name:value,value. Fails with Error(not_found) for an unknown name: the message lists the known ones.
std::shared_ptr<const Schedule> make_by_text(const ChainProfile& profile, std::string_view given);

// Returns the first `max` points of a planner's frontier; for a longer chain or graph, a sample of them. planner: "chain", "tapes"
// or "graph"; otherwise Error(not_found).
FrontierPoints frontier_points(const ChainProfile& profile, std::string_view planner, std::int64_t max);

// Returns one planner per line: "periodic:SEGMENTS - description; SEGMENTS: 1 .. layers".
std::string known_planners();

}  // namespace ckpt::plan
