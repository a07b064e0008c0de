// The schedules that a run goes by: of the one executor, or of each stage.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

struct Plan {
  std::shared_ptr<const Profile> profile;
  Schedule schedule;
  bool stage;  // of a pipeline
};

// Without any seconds in the profile, planners count forwards.
bool is_timed(const Profile& profile);

// Of each plan: what the verifier says of it, which names no time that was measured while training.
nlohmann::json plans_json(const std::vector<Plan>& plans);

// Every layer with its bytes, its seconds as profiled, and how often a step runs it forward (for each micro-batch).
nlohmann::json layers_json(const std::vector<Plan>& plans);

}  // namespace ckpt::cli
