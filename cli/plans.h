// The schedules that a run goes by: of the one executor, or of each stage.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

struct Plan {
  std::shared_ptr<const Profile> profile;
  Schedule schedule;
  bool stage;                   // of a pipeline
  double measured_seconds = 0;  // of a step that ran; 0: none has
  double refined_seconds = 0;   // what the verifier says with the seconds of layers in those steps
};

// Without any seconds in the profile, planners count forwards.
bool is_timed(const Profile& profile);

// Of each plan: what the verifier says of it with the profile that it was made for, and, where steps ran, what they took.
nlohmann::json plans_json(const std::vector<Plan>& plans);

// Every layer with its bytes, its seconds as profiled, and how often a step runs it forward (for each micro-batch).
nlohmann::json layers_json(const std::vector<Plan>& plans);

}  // namespace ckpt::cli
