// Planners by text, "periodic:4": each is one entry of the table in planners.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "plan/schedule.h"

namespace ckpt::plan {

// A whole number behind the planner's name.
struct PlannerParameter {
  enum class Unit { count, bytes };  // bytes: also with KiB, MiB, ...
  const char* name = nullptr;        // "segments"
  Unit unit = Unit::count;
  std::int64_t least = 0;
  std::int64_t most = 0;  // up_to_layers: as many as the chain has layers
};
constexpr std::int64_t up_to_layers = -1;

struct Planner {
  const char* name;                // "periodic"
  const char* makes;               // one line for people
  PlannerParameter parameters[4];  // those that have a name
  // values: of the parameters, in their order and within their ranges.
  std::shared_ptr<const Schedule> (*make)(const ChainProfile& profile, std::span<const std::int64_t> values);
};

// text: name, or name:value,value. Error(not_found) for an unknown name: the message lists the known ones.
std::shared_ptr<const Schedule> make_by_text(const ChainProfile& profile, std::string_view text);

// One planner a line: "periodic:SEGMENTS - what it makes; SEGMENTS: 1 .. layers".
std::string known_planners();

}  // namespace ckpt::plan
