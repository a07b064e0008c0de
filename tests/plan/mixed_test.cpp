// Mixed: states and recordings in slots. Its numbers against an exhaustive search, its schedules by following them.
#include "plan/planners/mixed.h"

#include <gtest/gtest.h>

#include <bit>

#include "adjoint.h"
#include "base/error.h"

namespace ckpt::plan::test {
namespace {

constexpr std::uint32_t recording_is_all = deterministic;

// Every way to reverse the steps: forward with or without recording, keep and drop states and recordings, reverse.
double searched_forwards(std::int64_t steps, std::int64_t slots) {
  using Place = std::array<std::int64_t, 4>;  // kept states and kept recordings as bits, current state (-1: none), end
  const auto count = [](std::int64_t bits) { return std::popcount(static_cast<std::uint64_t>(bits)); };
  const auto moves = [&](const Place& place) {
    const auto [states, recordings, hand, end] = place;
    const bool room = count(states) + count(recordings) < slots;
    std::vector<std::pair<Place, double>> all;
    if (hand >= 0 && hand < end - 1) {
      all.push_back({{states, recordings, hand + 1, end}, 1});
      if (room) all.push_back({{states, recordings | (1 << hand), hand + 1, end}, 1});
    }
    if (hand == end - 1) all.push_back({{states, recordings, -1, end - 1}, 1});
    if ((recordings >> (end - 1) & 1) != 0) all.push_back({{states, recordings & ~(1 << (end - 1)), hand, end - 1}, 0});
    if (hand >= 0 && room) all.push_back({{states | (1 << hand), recordings, hand, end}, 0});
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::int64_t bit = 1 << step;
      if ((states & bit) != 0) all.push_back({{states, recordings, step, end}, 0});
      if ((states & bit) != 0) all.push_back({{states & ~bit, recordings, hand, end}, 0});
      if ((recordings & bit) != 0) all.push_back({{states, recordings & ~bit, hand, end}, 0});
    }
    return all;
  };
  return min_cost(Place{0, 0, 0, steps}, moves, [](const Place& place) { return place[3] == 0; });
}

TEST(Mixed, IsOptimal) {
  for (std::int64_t steps = 1; steps <= 7; ++steps) {
    for (std::int64_t slots = 1; slots <= 4; ++slots) {
      EXPECT_EQ(static_cast<double>(MixedTables(steps, slots).forwards()), searched_forwards(steps, slots))
          << steps << " steps, " << slots << " slots";
    }
  }
}

TEST(Mixed, SchedulesHaveThePromisedForwardsAndSlots) {
  for (std::int64_t steps = 1; steps <= 200; ++steps) {
    for (std::int64_t slots = 1; slots <= 20; ++slots) {
      const AdjointCode code = run(make_mixed(time_steps(steps, recording_is_all), slots), recording_is_all);
      ASSERT_EQ(code.wrong, "") << steps << " steps, " << slots << " slots";
      // A recorded step only runs with its recording.
      EXPECT_EQ(code.forwards + code.recorded, MixedTables(steps, slots).forwards()) << steps << " steps, " << slots << " slots";
      EXPECT_EQ(code.recorded, steps);
      // The items in slots, the current state, the next one, and the recording of the last step.
      EXPECT_EQ(code.max_held, std::min(steps - 1, slots) + 3) << steps << " steps, " << slots << " slots";
    }
  }
}

TEST(Mixed, OneSlotHasAClosedForm) {
  for (std::int64_t steps = 2; steps <= 100; ++steps) EXPECT_EQ(MixedTables(steps, 1).forwards(), steps * (steps + 1) / 2 - 1);
}

TEST(Mixed, RefusesLayersThatReadMoreThanTheirRecording) {
  EXPECT_THROW(make_mixed(time_steps(5, needs_input | deterministic), 2), base::Error);
  EXPECT_THROW(make_mixed(time_steps(5, needs_output | deterministic), 2), base::Error);
  EXPECT_THROW(make_mixed(time_steps(5, recording_is_all), 0), base::Error);
  EXPECT_THROW(make_mixed(time_steps(1'000'000'000, recording_is_all), 3), base::Error);
}

}  // namespace
}  // namespace ckpt::plan::test
