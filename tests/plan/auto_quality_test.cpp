// The planner "auto" next to every other planner, for chains around the limits of the exact methods.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

#include <gtest/gtest.h>

#include "../sanitized.h"
#include "numbers.h"

namespace {

// Layers of unrelated sizes. A chain of n + 1 layers is that of n with one more. With several options, each further one records
// less and takes longer, as for a block that recomputes a part of itself.
ckpt::Profile chain_of(int layers, int options, std::uint64_t seed) {
  Numbers numbers(seed);
  ckpt::Profile profile(1000 + numbers.up_to(5000));
  for (int i = 0; i < layers; ++i) {
    ckpt::LayerProfile layer;
    layer.output_bytes = 1000 + numbers.up_to(9000);
    profile.add_layer("layer" + std::to_string(i), layer);
    const std::int64_t tape = 1000 + numbers.up_to(20000);
    const double forward = 0.001 * static_cast<double>(1 + numbers.up_to(100));
    const double backward = 0.001 * static_cast<double>(1 + numbers.up_to(200));
    for (int o = 0; o < options; ++o) {
      ckpt::OptionProfile option;
      option.tape_bytes = tape / (1 + o);
      option.forward_seconds = forward;
      option.backward_seconds = backward + 0.3 * o * forward;
      profile.add_option(option);
    }
  }
  return profile;
}

double seconds_of(const ckpt::Profile& profile, const ckpt::Schedule& schedule) { return schedule.verify(profile).step_seconds; }

std::optional<double> seconds_within(const ckpt::Profile& profile, const std::string& planner, std::int64_t budget) {
  try {
    const auto schedule = ckpt::Schedule::create(profile, planner);
    if (schedule.reserved_bytes(profile) > budget) return std::nullopt;
    return seconds_of(profile, schedule);
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::over_budget);
    return std::nullopt;
  }
}

struct Result {
  double ratio = 0;  // of the step's seconds to those of store-all
  std::string name;
  std::string left_out;
};

std::int64_t bytes_of_share(const ckpt::Profile& profile, double share) {
  return static_cast<std::int64_t>(share *
                                   static_cast<double>(ckpt::Schedule::create(profile, "store-all").reserved_bytes(profile)));
}

// limit: "" or ",SECONDS".
Result plan(const ckpt::Profile& profile, double share, const std::string& limit = "") {
  const auto all = ckpt::Schedule::create(profile, "store-all");
  const std::int64_t budget = bytes_of_share(profile, share);
  const auto schedule = ckpt::Schedule::create(profile, "auto:" + std::to_string(budget) + limit);
  EXPECT_LE(schedule.reserved_bytes(profile), budget);
  return {seconds_of(profile, schedule) / seconds_of(profile, all), schedule.name(), schedule.left_out()};
}

// Above about 100 layers the exact frontiers take longer than 2 s, above 128 they are not tried. Neither limit shows in the result.
TEST(AutoPlanner, HasNoCliffAtTheLimitsOfTheExactMethods) {
  std::vector<double> ratios;
  for (const int layers : sanitized ? std::vector{120} : std::vector{98, 110, 128, 129}) {
    const Result result = plan(chain_of(layers, 1, 7), 0.3);
    std::cout << layers << " layers at 30%: " << result.ratio << " of store-all; left out: " << result.left_out << "\n";
    ratios.push_back(result.ratio);
  }
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  EXPECT_LE(*most, *least * 1.02);
  EXPECT_LE(*most, 1.2);
}

TEST(AutoPlanner, IsNotSlowerThanAnyPlannerWithinItsLimits) {
  for (const int layers : sanitized ? std::vector{10, 24} : std::vector{10, 24, 100, 200}) {
    const ckpt::Profile profile = chain_of(layers, 1, 11);
    for (const double share : {0.12, 0.25, 0.6}) {
      if (layers > 45 && share != 0.25) continue;
      const std::int64_t budget = bytes_of_share(profile, share);
      std::vector<std::string> planners = {"store-all", "recompute-all", "sqrt", "periodic:2", "periodic:8"};
      if (layers <= 45 || layers > 128) planners.push_back("chain:" + std::to_string(budget));
      if (layers <= 24) planners.push_back("tapes:" + std::to_string(budget));
      const std::optional<double> seconds = seconds_within(profile, "auto:" + std::to_string(budget), budget);
      for (const std::string& planner : planners) {
        const std::optional<double> other = seconds_within(profile, planner, budget);
        if (!other) continue;
        ASSERT_TRUE(seconds) << layers << " layers, " << planner;
        EXPECT_LE(*seconds, *other * (1 + 1e-12)) << layers << " layers, " << budget << " bytes, " << planner;
      }
    }
  }
}

// One more layer never makes the step much longer, although the limit excludes tapes from some length on.
TEST(AutoPlanner, CostsGrowSmoothlyWithTheChain) {
  double before = 0;
  double largest = 0;
  std::set<std::string> excluded;
  for (int layers = 20; layers <= (sanitized ? 40 : 100); ++layers) {
    const Result result = plan(chain_of(layers, 1, 13), 0.15, ",0.02");
    if (before > 0) largest = std::max(largest, result.ratio / before - 1);
    before = result.ratio;
    excluded.insert(result.left_out.substr(0, 11));
  }
  std::cout << "one more layer: at most " << 100 * largest << "% longer\n";
  EXPECT_LE(largest, 0.03);
  EXPECT_GE(excluded.size(), sanitized ? 1U : 2U);
}

// The search for graphs finds more than the grid and the local search of chains, above all with a generous budget.
TEST(AutoPlanner, SearchesLongChainsAsGraphs) {
  for (const auto& [layers, at_most] : {std::pair(200, 1.062), std::pair(600, 1.072), std::pair(1000, 1.074)}) {
    if (sanitized && layers > 200) break;
    const Result result = plan(chain_of(layers, 1, 7), 0.6);
    std::cout << layers << " layers at 60%: " << result.ratio << " of store-all\n";
    EXPECT_LE(result.ratio, at_most);
  }
}

// Four options for each layer: much more work than one. The steps beyond the budget are not computed, so that the exact frontier of
// tapes for 24 layers is within the limit; 48 layers use a grid.
TEST(AutoPlanner, PlansLayersWithOptions) {
  for (const auto& [layers, share] : {std::pair(12, 0.3), std::pair(24, 0.2), std::pair(48, 0.08)}) {
    if (sanitized && layers > 12) break;
    const ckpt::Profile profile = chain_of(layers, 4, 7);
    const std::int64_t budget = bytes_of_share(profile, share);
    const Result result = plan(profile, share);
    std::cout << layers << " layers at " << 100 * share << "%: " << result.ratio << " of store-all; left out: " << result.left_out
              << "\n";
    const std::optional<double> chain = seconds_within(profile, "chain:" + std::to_string(budget), budget);
    ASSERT_TRUE(chain);
    EXPECT_LE(result.ratio * seconds_of(profile, ckpt::Schedule::create(profile, "store-all")), *chain * 1.005);
    if (layers <= 24) {
      EXPECT_EQ(result.left_out, "");
    }
  }
}

TEST(Plan, RefusesSumsOfSecondsThatOverflow) {
  for (const double seconds : {1e306, 1.7e308}) {
    ckpt::Profile profile(64);
    for (int i = 0; i < 100; ++i) {
      ckpt::LayerProfile layer;
      layer.output_bytes = 64;
      profile.add_layer("layer" + std::to_string(i), layer);
      ckpt::OptionProfile option;
      option.forward_seconds = seconds;
      profile.add_option(option);
    }
    for (const char* const planner : {"store-all", "recompute-all", "periodic:3", "sqrt", "auto:100000", "chain:100000",
                                      "tapes:100000", "revolve:3", "mixed:3", "two-level:2,2"}) {
      try {
        ckpt::Schedule::create(profile, planner);
        ADD_FAILURE() << planner << " accepted layers of " << seconds << " s";
      } catch (const ckpt::Error& error) {
        EXPECT_EQ(error.status(), ckpt::Status::out_of_range) << planner << ": " << error.what();
      }
    }
  }
}

}  // namespace
