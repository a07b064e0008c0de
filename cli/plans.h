// The schedules of a run: that of the executor, or of each pipeline stage.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

struct Plan {
  std::shared_ptr<const Profile> profile;
  Schedule schedule;
  bool stage;                   // part of a pipeline
  double measured_seconds = 0;  // of a step; 0: no step has run
  double refined_seconds = 0;   // predicted by the verifier from the layer times measured in those steps
};

// Returns whether the profile has times. Without times planners count forwards.
bool is_timed(const Profile& profile);

// Returns for each plan the verifier's figures with the profile of the plan and, if steps ran, their measured times.
nlohmann::json plans_json(const std::vector<Plan>& plans);

// Returns every layer with its bytes, its profiled seconds, and its forward runs per step (for each micro-batch).
nlohmann::json layers_json(const std::vector<Plan>& plans);

}  // namespace ckpt::cli
