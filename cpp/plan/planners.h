// Creates planners from strings such as "periodic:4": each is one entry of the table in planners.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "plan/schedule.h"

namespace ckpt::plan {

// given: name, or name:value,value. Fails with Error(not_found) for an unknown name: the message lists the known ones.
std::shared_ptr<const Schedule> make_by_text(const ChainProfile& profile, std::string_view given);

// Returns one planner per line: "periodic:SEGMENTS - description; SEGMENTS: 1 .. layers".
std::string known_planners();

}  // namespace ckpt::plan
