#include <gtest/gtest.h>

#include "base/error.h"
#include "chains.h"

namespace ckpt::plan::test {
namespace {

TEST(Schedules, StoreAllRecordsOnceAndDropsUnreadItems) {
  ChainProfile profile = uniform_chain(2);
  const std::vector<Action> expected = {forward_tape(0), forward_tape(1), turn(),        drop_input(2), backward(1),
                                        drop_input(1),   backward(0),     drop_input(0), end()};
  EXPECT_EQ(actions_of(make_store_all(profile)), expected);
}

TEST(Schedules, ALayerThatReadsItsOutputKeepsIt) {
  const ChainProfile profile = uniform_chain(2, needs_output | deterministic);
  const std::vector<Action> expected = {forward_tape(0), drop_input(0), forward_tape(1), turn(), backward(1),
                                        drop_input(2),   backward(0),   drop_input(1),   end()};
  EXPECT_EQ(actions_of(make_store_all(profile)), expected);
}

TEST(Schedules, PeriodicRecomputesAllButTheLastSegment) {
  const ChainProfile profile = uniform_chain(5);
  const std::vector<Action> expected = {forward(0, 2), forward_tape(2), forward_tape(3), forward_tape(4), turn(),
                                        drop_input(5), backward(4),     drop_input(4),   backward(3),     drop_input(3),
                                        backward(2),   drop_input(2),   forward_tape(0), forward_tape(1), drop_input(2),
                                        backward(1),   drop_input(1),   backward(0),     drop_input(0),   end()};
  EXPECT_EQ(actions_of(make_periodic(profile, 2)), expected);
  const PlanReport report = verify(*make_periodic(profile, 2), profile);
  EXPECT_EQ(report.recomputed_forwards, 2);
  EXPECT_EQ(report.forwards, 7);
  EXPECT_DOUBLE_EQ(report.step_seconds, 7 * 1.0 + 5 * 2.0);
}

TEST(Schedules, RecomputeAllKeepsTheInputOnly) {
  const ChainProfile profile = uniform_chain(6);
  const PlanReport report = verify(*make_recompute_all(profile), profile);
  EXPECT_EQ(report.recomputed_forwards, 6 * 5 / 2);
  // x_0, x_i, x_{i+1}, and at the peak the tape and both gradients.
  EXPECT_EQ(report.peak_bytes[0], 10 + 10 + 3 + 10 + 10);
}

TEST(Schedules, OneSegmentIsStoreAll) {
  const ChainProfile profile = uniform_chain(7);
  EXPECT_EQ(actions_of(make_periodic(profile, 1)), actions_of(make_store_all(profile)));
}

TEST(Schedules, EveryScheduleOfRandomChainsIsValid) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const ChainProfile profile = random_chain(random, 1 + static_cast<std::int64_t>(random() % 12));
    const PlanReport store_all = verify(*make_store_all(profile), profile);
    EXPECT_EQ(store_all.recomputed_forwards, 0);
    EXPECT_EQ(store_all.forwards, profile.layers());
    for (const auto& schedule : schedules_of(profile)) {
      const PlanReport report = verify(*schedule, profile);  // throws if a rule is broken
      EXPECT_EQ(report.forwards, profile.layers() + report.recomputed_forwards) << schedule->name();
      EXPECT_GE(report.step_seconds, store_all.step_seconds - 1e-12) << schedule->name();
    }
  }
}

TEST(Schedules, FromStrategyFreezesItsAnswers) {
  const ChainProfile profile = uniform_chain(6);
  const auto boundary = strategy::make_interval(2);
  const std::int64_t begins[] = {0, 2, 4};
  EXPECT_EQ(actions_of(make_from_strategy(profile, boundary)), actions_of(make_segments(profile, begins)));
  EXPECT_EQ(boundary->counters().asked_layers, 6);

  // "interval:1" as boundaries equals every layer recomputed.
  const auto every = strategy::make_interval(1);
  const auto recompute = strategy::make_interval(1);
  recompute->set_chosen(strategy::Chosen::recompute);
  EXPECT_EQ(actions_of(make_from_strategy(profile, every)), actions_of(make_from_strategy(profile, recompute)));
}

TEST(Schedules, OpenEndedEqualsTheKnownNumberOfSteps) {
  for (const std::uint32_t flags :
       {needs_input | deterministic, needs_output | deterministic, needs_input | needs_output | deterministic}) {
    const ChainProfile profile = uniform_chain(7, flags);
    Cursor cursor(make_open_ended(0, flags));
    std::vector<Action> actions;
    for (int i = 0; i < 3; ++i) actions.push_back(cursor.next());
    cursor.finalize(7);
    while (actions.back().kind != Kind::end) actions.push_back(cursor.next());
    EXPECT_EQ(actions, actions_of(make_store_all(profile)));
    for (const std::int64_t period : {1, 2, 3, 7, 9}) {
      const PlanReport report = verify(*make_open_ended(period, flags), profile);
      EXPECT_EQ(report.recomputed_forwards, 7) << "period " << period;
    }
  }
}

TEST(Schedules, RefuseInvalidArguments) {
  const ChainProfile profile = uniform_chain(4);
  EXPECT_THROW(make_periodic(profile, 0), base::Error);
  EXPECT_THROW(make_periodic(profile, 5), base::Error);
  const std::int64_t descending[] = {0, 3, 2};
  EXPECT_THROW(make_segments(profile, descending), base::Error);
  const std::int64_t late[] = {1};
  EXPECT_THROW(make_segments(profile, late), base::Error);
  EXPECT_THROW(make_store_all(ChainProfile(1)), base::Error);
  EXPECT_THROW(make_open_ended(-1, 0), base::Error);
  EXPECT_THROW(make_open_ended(1, 64), base::Error);
}

TEST(Budget, TakesTheFastestThatFits) {
  const ChainProfile profile = uniform_chain(16);
  EXPECT_EQ(make_auto(profile, 1 << 20, {})->name(), "store-all");
  const std::int64_t store_all = place(make_program(*make_store_all(profile), profile)).arena_bytes;
  const auto half = make_auto(profile, store_all / 2, {});
  EXPECT_NE(half->name(), "store-all");
  EXPECT_LE(place(make_program(*half, profile)).arena_bytes, store_all / 2);
}

TEST(Budget, NamesTheSmallestSufficientBudget) {
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    const ChainProfile profile = random_chain(random, 8);
    std::string message;
    try {
      make_auto(profile, 1, {});
    } catch (const base::Error& error) {
      EXPECT_EQ(error.status(), base::Status::over_budget);
      message = error.message();
    }
    const std::string marker = "for this chain is ";
    ASSERT_NE(message.find(marker), std::string::npos) << message;
    const std::int64_t smallest = std::stoll(message.substr(message.find(marker) + marker.size()));
    EXPECT_NO_THROW(make_auto(profile, smallest, {}));
    EXPECT_THROW(make_auto(profile, smallest - 1, {}), base::Error);
  }
}

}  // namespace
}  // namespace ckpt::plan::test
