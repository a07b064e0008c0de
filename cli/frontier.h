// What the schedules of one planner cost, from the least memory to the most.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "planner.h"

namespace ckpt::cli {

// One schedule's cost as JSON: planner, schedule, live_bytes, reserved_bytes, step_seconds, forwards, recomputed_forwards, and what
// goes through slower tiers: stored_bytes, loaded_bytes, wait_seconds.
nlohmann::json cost_json(const std::string& planner, const Schedule& schedule, const Profile& profile);

// {"planner": name, "points": [...]}: the whole frontier of a planner that has one, else a schedule for each value that it takes
// (for some of them, where there are many) less those that others are better than. No points where the planner does not apply to
// the chain, and where its schedules are those of other planners.
nlohmann::json frontier_json(const PlannerForm& planner, const Profile& profile);

// Of a cost, as a reader knows the planner: "chain", "auto: periodic(4)", "revolve:6".
std::string planner_label(const nlohmann::json& cost);

// Whether a point of figures.frontiers is figures.chosen.
bool is_chosen(const nlohmann::json& point, const nlohmann::json& frontier, const nlohmann::json& figures);

}  // namespace ckpt::cli
