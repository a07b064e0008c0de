// Chains for the tests of the plan part, and a schedule as a list of actions.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "plan/budget.h"
#include "plan/placement.h"
#include "plan/planners/auto_planner.h"
#include "plan/verifier.h"

namespace ckpt::plan::test {

// n equal layers: every x_i has 10 bytes, tapes 3, one second forward and two backward.
inline ChainProfile uniform_chain(std::int64_t n, std::uint32_t flags = needs_input | deterministic) {
  ChainProfile profile(10);
  for (std::int64_t i = 0; i < n; ++i) {
    LayerProfile layer;
    layer.name = "layer" + std::to_string(i);
    layer.flags = flags;
    layer.output_bytes = 10;
    layer.options = {{3, 0, 0, 1.0, 2.0}};
    profile.add_layer(layer);
  }
  return profile;
}

// Returns a chain with random sizes, flags, workspaces and ambient state.
inline ChainProfile random_chain(std::mt19937& random, std::int64_t n) {
  const auto up_to = [&](std::int64_t max) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(max + 1)); };
  ChainProfile profile(up_to(500));
  for (std::int64_t i = 0; i < n; ++i) {
    LayerProfile layer;
    layer.name = "layer" + std::to_string(i);
    layer.flags = deterministic | (up_to(1) != 0 ? needs_input : 0) | (up_to(2) == 0 ? needs_output : 0);
    if (i == 0 && up_to(1) != 0) layer.flags |= no_input_gradient;
    layer.output_bytes = up_to(500);
    layer.ambient_bytes = up_to(3) == 0 ? up_to(40) : 0;
    layer.options = {{up_to(700), up_to(100), up_to(100), 0.001 * static_cast<double>(up_to(9)), 0.002}};
    profile.add_layer(layer);
  }
  return profile;
}

inline std::vector<Action> actions_of(const std::shared_ptr<const Schedule>& schedule) {
  Cursor cursor(schedule);
  std::vector<Action> actions;
  do {
    actions.push_back(cursor.next());
  } while (actions.back().kind != Kind::end);
  return actions;
}

// Returns every schedule that needs only the profile.
inline std::vector<std::shared_ptr<const Schedule>> schedules_of(const ChainProfile& profile) {
  std::vector<std::shared_ptr<const Schedule>> all = {make_store_all(profile), make_recompute_all(profile)};
  for (std::int64_t segments = 1; segments <= profile.layers(); ++segments) all.push_back(make_periodic(profile, segments));
  for (std::int64_t interval = 1; interval <= 3; ++interval) {
    for (const strategy::Chosen chosen : {strategy::Chosen::boundary, strategy::Chosen::recompute}) {
      const auto choice = strategy::make_interval(interval);
      choice->set_chosen(chosen);
      all.push_back(make_from_strategy(profile, choice));
    }
  }
  return all;
}

}  // namespace ckpt::plan::test
