// Revolve: its numbers against the recurrence and an exhaustive search, its schedules by following them.
#include "plan/planners/revolve.h"

#include <gtest/gtest.h>

#include <bit>

#include "adjoint.h"
#include "base/error.h"
#include "plan/planners.h"

namespace ckpt::plan::test {
namespace {

std::int64_t forwards_of(std::int64_t steps, std::int64_t slots) {
  return Reach::of(steps, std::min(slots, steps)).forwards(steps);
}

// By definition: forward to the best split, the part after it with one slot less, then the part before it.
class Recurrence {
 public:
  std::int64_t forwards(std::int64_t steps, std::int64_t slots) {
    if (steps == 1) return 0;
    if (slots == 1) return steps * (steps - 1) / 2;
    std::int64_t& known = known_[{steps, slots}];
    if (known > 0) return known;
    std::int64_t min = steps * steps;
    for (std::int64_t j = 1; j < steps; ++j) min = std::min(min, j + forwards(j, slots) + forwards(steps - j, slots - 1));
    return known = min;
  }

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> known_;
};

// Every way to reverse the steps: forward, keep, drop, load a kept state, reverse.
double searched_forwards(std::int64_t steps, std::int64_t slots) {
  using Place = std::array<std::int64_t, 3>;  // kept states as bits, current state (-1: none), end
  const auto moves = [&](const Place& place) {
    const auto [kept, hand, end] = place;
    std::vector<std::pair<Place, double>> all;
    if (hand >= 0 && hand < end - 1) all.push_back({{kept, hand + 1, end}, 1});
    if (hand == end - 1) all.push_back({{kept, -1, end - 1}, 0});
    if (hand >= 0 && std::popcount(static_cast<std::uint64_t>(kept)) < slots) all.push_back({{kept | (1 << hand), hand, end}, 0});
    for (std::int64_t step = 0; step < steps; ++step) {
      if ((kept >> step & 1) == 0) continue;
      all.push_back({{kept, step, end}, 0});
      all.push_back({{kept & ~(1 << step), hand, end}, 0});
    }
    return all;
  };
  return min_cost(Place{0, 0, steps}, moves, [](const Place& place) { return place[2] == 0; });
}

TEST(Revolve, NumbersFollowTheRecurrence) {
  Recurrence recurrence;
  for (std::int64_t steps = 1; steps <= 200; ++steps) {
    for (std::int64_t slots = 1; slots <= 20; ++slots) {
      EXPECT_EQ(forwards_of(steps, slots), recurrence.forwards(steps, slots)) << steps << " steps, " << slots << " slots";
    }
  }
}

TEST(Revolve, IsOptimal) {
  for (std::int64_t steps = 1; steps <= 8; ++steps) {
    for (std::int64_t slots = 1; slots <= 5; ++slots) {
      EXPECT_EQ(static_cast<double>(forwards_of(steps, slots)), searched_forwards(steps, slots))
          << steps << " steps, " << slots << " slots";
    }
  }
}

TEST(Revolve, SchedulesHaveThePromisedForwardsAndSlots) {
  for (std::int64_t steps = 1; steps <= 200; ++steps) {
    for (std::int64_t slots = 1; slots <= 20; ++slots) {
      const AdjointCode code = run(make_revolve(time_steps(steps), slots, false));
      ASSERT_EQ(code.wrong, "") << steps << " steps, " << slots << " slots";
      EXPECT_EQ(code.forwards, forwards_of(steps, slots)) << steps << " steps, " << slots << " slots";
      EXPECT_EQ(code.recorded, steps);
      // Kept states, the current one, and once the chain's output.
      EXPECT_EQ(code.max_states, std::min(steps, slots + 1) + 1) << steps << " steps, " << slots << " slots";
      EXPECT_EQ(code.largest_slot, std::min(steps - 1, slots));
    }
  }
}

TEST(Revolve, AFreeInitialStateIsOneSlotMore) {
  for (std::int64_t steps = 1; steps <= 50; ++steps) {
    EXPECT_EQ(actions_of(make_revolve(time_steps(steps), 3, true)), actions_of(make_revolve(time_steps(steps), 4, false)));
  }
}

TEST(Revolve, OutputsReadByBackwardExist) {
  const std::uint32_t flags = needs_output | deterministic;
  const AdjointCode code = run(make_revolve(time_steps(30, flags), 3, false), flags);
  EXPECT_EQ(code.wrong, "");
  EXPECT_EQ(code.forwards, forwards_of(30, 3));
}

TEST(Revolve, LargeNumbersOfSteps) {
  constexpr std::int64_t billion = 1'000'000'000;
  EXPECT_EQ(forwards_of(billion, 1), billion * (billion - 1) / 2);
  // beta(2, 44720) = 1,000,006,281 is the first sufficient one.
  EXPECT_EQ(Reach::of(billion, 2).repeats, 44720);
  EXPECT_EQ(Reach::of(billion, 100).repeats, 6);
  EXPECT_THROW(make_revolve(time_steps(std::int64_t{1} << 40), 1, false), base::Error);
  EXPECT_NO_THROW(make_revolve(time_steps(std::int64_t{1} << 40), 2, false));
  EXPECT_THROW(make_revolve(time_steps(std::int64_t{1} << 56), 1 << 28, false), base::Error);
  EXPECT_THROW(make_revolve(time_steps(std::int64_t{1} << 58), 2, false), base::Error);  // without delay
}

}  // namespace
}  // namespace ckpt::plan::test
