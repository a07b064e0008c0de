// States in memory and on slower tiers: the numbers against an exhaustive search, the schedules by following them.
#include "plan/planners/levels.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "adjoint.h"
#include "base/error.h"

namespace ckpt::plan::test {
namespace {

using Slots = std::vector<std::int64_t>;

// Every way to reverse the steps: forward, write the current state to a level, load one from there, drop one, reverse.
double searched_seconds(std::int64_t steps, const StepSeconds& step, const std::vector<Level>& levels) {
  using Place = std::array<std::int64_t, 6>;  // states of each level as bits, current state (-1: none), end
  const auto moves = [&](const Place& place) {
    const std::int64_t hand = place[4];
    const std::int64_t end = place[5];
    std::vector<std::pair<Place, double>> all;
    const auto add = [&](std::size_t changed, std::int64_t value, double seconds) {
      Place next = place;
      next[changed] = value;
      all.push_back({next, seconds});
    };
    if (hand >= 0 && hand < end - 1) add(4, hand + 1, step.forward);
    if (hand == end - 1) {
      Place next = place;
      for (std::size_t k = 0; k < levels.size(); ++k) next[k] &= ~(1 << hand);
      next[4] = -1;
      next[5] = end - 1;
      all.push_back({next, step.reversal});
    }
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const bool room = levels[k].slots == 0 || std::popcount(static_cast<std::uint64_t>(place[k])) < levels[k].slots;
      if (hand >= 0 && room) add(k, place[k] | (1 << hand), levels[k].write_seconds);
      for (std::int64_t i = 0; i < end; ++i) {
        if ((place[k] >> i & 1) == 0) continue;
        add(4, i, levels[k].read_seconds);
        add(k, place[k] & ~(1 << i), 0);
      }
    }
    return all;
  };
  return min_cost(Place{0, 0, 0, 0, 0, steps}, moves, [](const Place& place) { return place[5] == 0; });
}

// Returns steps with 10 bytes each, and tiers that take the given seconds.
ChainProfile steps_with_tiers(std::int64_t steps, const StepSeconds& step, const std::vector<Level>& levels) {
  LayerProfile layer;
  layer.name = "step";
  layer.output_bytes = 10;
  layer.options = {{.forward_seconds = step.forward, .backward_seconds = step.reversal - step.forward}};
  ChainProfile profile = ChainProfile::uniform(steps, layer);
  for (std::size_t k = 1; k < levels.size(); ++k) {
    const auto rate = [](double seconds) { return seconds == 0 ? 0 : 10 / seconds; };
    profile.set_tier(static_cast<std::int32_t>(k), {.write_bytes_per_second = rate(levels[k].write_seconds),
                                                    .read_bytes_per_second = rate(levels[k].read_seconds)});
  }
  return profile;
}

// Follows the schedule and compares its cost and its kept states with the promised ones.
void check(std::int64_t steps, const StepSeconds& step, const std::vector<Level>& levels) {
  Slots slots;
  std::string shown = std::to_string(steps) + " steps";
  for (const Level& level : levels) {
    slots.push_back(level.slots);
    shown += ", " + std::to_string(level.slots) + " slots (" + std::to_string(level.write_seconds) + ", " +
             std::to_string(level.read_seconds) + ")";
  }
  SCOPED_TRACE(shown);
  const AdjointCode code = run(make_levels(steps_with_tiers(steps, step, levels), slots));
  ASSERT_EQ(code.wrong, "");
  double seconds = static_cast<double>(code.forwards) * step.forward + static_cast<double>(code.recorded) * step.reversal;
  for (std::size_t k = 1; k < levels.size(); ++k) {
    seconds +=
        static_cast<double>(code.stores[k]) * levels[k].write_seconds + static_cast<double>(code.loads[k]) * levels[k].read_seconds;
    if (levels[k].slots > 0) {
      EXPECT_LE(code.max_stored[k], levels[k].slots);
    }
  }
  EXPECT_EQ(code.recorded, steps);
  EXPECT_LE(code.max_states, std::min(steps, levels[0].slots + 1) + 1);
  EXPECT_NEAR(seconds, LevelTables(steps, step, levels).seconds(), 1e-9 * seconds);
}

TEST(Levels, LevelsAreOptimalIfTiersAreOrderedBySpeed) {
  std::mt19937 random(17);
  const auto up_to = [&](int max) { return static_cast<double>(random() % static_cast<unsigned>(max + 1)); };
  for (int trial = 0; trial < 120; ++trial) {
    const std::int64_t steps = 1 + static_cast<std::int64_t>(random() % 7);
    const StepSeconds step{1 + up_to(3), 1 + up_to(4)};
    std::vector<Level> levels = {{1 + static_cast<std::int64_t>(random() % 3), 0, 0}};
    levels.push_back({static_cast<std::int64_t>(random() % 4), up_to(6) / 2, up_to(6) / 2});  // 0 slots: no limit
    EXPECT_NEAR(LevelTables(steps, step, levels).seconds(), searched_seconds(steps, step, levels), 1e-9)
        << steps << " steps of " << step.forward << ", " << step.reversal << "; " << levels[0].slots << " and " << levels[1].slots
        << " slots; " << levels[1].write_seconds << ", " << levels[1].read_seconds;
  }
}

TEST(Levels, ThreeLevelsAreOptimal) {
  std::mt19937 random(23);
  const auto up_to = [&](int max) { return static_cast<double>(random() % static_cast<unsigned>(max + 1)); };
  for (int trial = 0; trial < 40; ++trial) {
    const std::int64_t steps = 1 + static_cast<std::int64_t>(random() % 5);
    const StepSeconds step{1 + up_to(3), 1};
    const Level disk{static_cast<std::int64_t>(random() % 3), up_to(3) / 2, up_to(3) / 2};
    const Level far{static_cast<std::int64_t>(random() % 3), disk.write_seconds + up_to(3), disk.read_seconds + up_to(3)};
    const std::vector<Level> levels = {{1, 0, 0}, disk, far};
    EXPECT_NEAR(LevelTables(steps, step, levels).seconds(), searched_seconds(steps, step, levels), 1e-9) << "trial " << trial;
  }
}

TEST(Levels, SchedulesHaveThePromisedCostAndItems) {
  for (std::int64_t steps = 1; steps <= 60; ++steps) {
    for (std::int64_t memory = 1; memory <= 4; ++memory) {
      for (std::int64_t disk = 0; disk <= 5; ++disk) check(steps, {1, 3}, {{memory, 0, 0}, {disk, 2, 2}});
    }
  }
  for (const double seconds : {0.0, 0.5, 7.0, 1000.0}) {
    check(200, {1, 1}, {{5, 0, 0}, {10, seconds, seconds}});
    check(200, {1, 1}, {{2, 0, 0}, {0, seconds, 0}, {3, 2 * seconds, 1}});
    check(200, {1, 1}, {{2, 0, 0}, {2, seconds, 1}, {2, 2 * seconds, 2}, {0, 3 * seconds, 4}});
  }
}

TEST(Levels, AFreeDiskRunsEachStepForwardOnceMore) {
  // No state is cheaper to load than the previous step's: every state is on the disk.
  const AdjointCode code = run(make_levels(steps_with_tiers(30, {1, 1}, {{1, 0, 0}, {0, 0, 0}}), Slots{1, 0}));
  EXPECT_EQ(code.forwards, 29);
}

TEST(Levels, ChainsOfAnExecutorRunWithoutAdvance) {
  for (const std::int64_t steps : {1, 2, 7, 40}) {
    ChainProfile listed = uniform_chain(steps);
    ChainProfile uniform = time_steps(steps);
    for (ChainProfile* profile : {&listed, &uniform}) {
      profile->set_tier(1, {.write_bytes_per_second = 5, .read_bytes_per_second = 5});
    }
    const auto schedule = make_levels(listed, Slots{2, 3});
    const PlanReport report = verify(*schedule, listed);
    const PlanReport expected = verify(*make_levels(uniform, Slots{2, 3}), uniform);
    EXPECT_EQ(report.step_seconds, expected.step_seconds);
    EXPECT_EQ(report.peak_inputs, expected.peak_inputs);
    for (const Action& action : actions_of(schedule)) {
      EXPECT_NE(action.kind, Kind::advance);
      EXPECT_TRUE(action.kind != Kind::forward || action.slot == 0);
    }
  }
}

TEST(Levels, RefusesImpossibleTiers) {
  EXPECT_THROW(make_levels(time_steps(5), Slots{0, 3}), base::Error);
  EXPECT_THROW(make_levels(time_steps(1'000'000'000), Slots{3, 3}), base::Error);
  ChainProfile small = time_steps(50);
  small.set_tier(1, {.capacity_bytes = 45});  // four states
  EXPECT_THROW(make_levels(small, Slots{2, 5}), base::Error);
  EXPECT_NO_THROW(make_levels(small, Slots{2, 4}));
  EXPECT_EQ(run(make_levels(small, Slots{2, 0})).max_stored[1], 4);
  ChainProfile unlike = uniform_chain(3);
  LayerProfile another = unlike.layer(0);
  another.options[0].forward_seconds = 7;
  unlike.add_layer(another);
  EXPECT_NO_THROW(make_levels(unlike, Slots{2, 2}));
  another.output_bytes = 11;
  unlike.add_layer(another);
  EXPECT_THROW(make_levels(unlike, Slots{2, 2}), base::Error);
  LayerProfile endless = time_steps(1).layer(0);
  endless.options[0].forward_seconds = 1e308;
  EXPECT_THROW(make_levels(ChainProfile::uniform(50, endless), Slots{1, 1}), base::Error);
}

}  // namespace
}  // namespace ckpt::plan::test
