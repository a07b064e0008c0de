// Computes the exact costs of a schedule on a chain before anything runs.
#pragma once

#include <array>
#include <cstdint>

#include "plan/schedule.h"

namespace ckpt::plan {

struct PlanReport {
  std::int64_t actions = 0;
  std::int64_t forwards = 0;
  std::int64_t recomputed_forwards = 0;
  double step_seconds = 0;
  double recomputed_seconds = 0;
  std::int64_t peak_action = 0;
  std::array<std::int64_t, tiers> peak_bytes{};
  double wait_seconds = 0;
  std::array<std::int64_t, tiers> peak_items{};
  std::array<std::int64_t, tiers> peak_inputs{};
  std::array<std::int64_t, tiers> stored_bytes{};
  std::array<std::int64_t, tiers> loaded_bytes{};
};

// Streams the schedule against the profile. Fails with Error(invalid_schedule) if it breaks a rule.
PlanReport verify(const Schedule& schedule, const ChainProfile& profile);

}  // namespace ckpt::plan
