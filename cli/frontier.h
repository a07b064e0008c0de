// The costs of one planner's schedules, from the least memory to the most.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "planner.h"

namespace ckpt::cli {

// Returns a schedule's cost as JSON: planner, schedule, live_bytes, reserved_bytes, step_seconds, forwards, recomputed_forwards,
// and the traffic of slower tiers: stored_bytes, loaded_bytes, wait_seconds.
nlohmann::json cost_json(const std::string& planner, const Schedule& schedule, const Profile& profile);

// Returns {"planner": name, "points": [...]}: the whole frontier if the planner provides one; otherwise a schedule for each value
// of its parameter (a sample of them if there are many), without dominated points. No points if the planner does not apply to the
// chain or returns schedules of other planners.
nlohmann::json frontier_json(const PlannerForm& planner, const Profile& profile);

// Returns the planner of a cost for display: "chain", "auto: periodic(4)", "revolve:6".
std::string planner_label(const nlohmann::json& cost);

// Returns whether a point of figures.frontiers is figures.chosen.
bool is_chosen(const nlohmann::json& point, const nlohmann::json& frontier, const nlohmann::json& figures);

}  // namespace ckpt::cli
