// Grids of longer chains: against the exact frontier, against plain loops, and against the verifier.
#include <gtest/gtest.h>

#include "../sanitized.h"
#include "base/error.h"
#include "budgets.h"
#include "chains.h"
#include "plain_grid.h"
#include "plan/planners.h"
#include "plan/planners/chain_schedule.h"
#include "plan/planners/frontier.h"
#include "plan/planners/grid.h"
#include "prime_chain.h"

namespace ckpt::plan::test {
namespace {

double seconds_of(const ChainProfile& profile, const ChainCosts& costs, const ChainTable& table, std::int64_t bytes) {
  const std::vector<Action> actions = chain_actions(costs, table, bytes);
  if (actions.empty()) return never;
  const PlanReport report = verify(*make_list(profile.layers(), actions), profile);
  EXPECT_LE(report.peak_bytes[0], bytes);
  return report.step_seconds;
}

// With as many units as bytes, the grid is exact.
TEST(Grid, EqualsTheFrontierIfUnitsAreBytes) {
  std::mt19937 random(31);
  std::int64_t budgets = 0;
  for (int round = 0; round < (sanitized ? 100 : 1000); ++round) {
    SCOPED_TRACE("chain " + std::to_string(round));
    const ChainProfile plain = prime_chain(random, 1 + round % 12, 3);
    const ChainProfile profile = round % 2 == 0 ? plain : framework_chain(random, plain);
    const ChainCosts costs(profile);
    const Frontier frontier(costs, {});
    const auto steps = frontier.step().steps();
    const std::int64_t max = steps.back().bytes + 40;
    const Grid grid(costs, {.live_bytes = max, .units = max});
    ASSERT_EQ(grid.unit_bytes(), 1);
    EXPECT_EQ(grid.min_live_bytes(), steps.front().bytes);
    EXPECT_EQ(seconds_of(profile, costs, grid, steps.front().bytes - 1), never);
    for (std::int64_t bytes = steps.front().bytes; bytes <= max; bytes += 1 + round % 7, ++budgets) {
      const double seconds = costs.seconds(frontier.step().at(bytes));
      EXPECT_NEAR(costs.seconds(grid.min_time(grid.root(), bytes - costs.input_bytes(0))), seconds, 1e-9 * seconds);
      EXPECT_EQ(seconds_of(profile, costs, grid, bytes), seconds) << "at " << bytes << " bytes";
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(budgets, 10000);
}

// The blocked implementation gives the same bits as the plain loops.
TEST(Grid, EqualsPlainLoops) {
  std::mt19937 random(32);
  for (int round = 0; round < (sanitized ? 12 : 60); ++round) {
    SCOPED_TRACE("chain " + std::to_string(round));
    const ChainProfile profile = prime_chain(random, 1 + 2 * round, 1 + round % 3, round % 2 == 0 ? deterministic : 0);
    const ChainCosts costs(profile);
    const Grid grid(costs, {.live_bytes = 300 + 30 * profile.layers(), .units = 1 + 17 * (round % 10)});
    const PlainGrid plain(grid.chain());
    std::vector<GridTable> tables;  // at every instruction level of this processor
    for (const GridSet set : {GridSet::plain, GridSet::avx2, GridSet::avx512}) {
      if (set <= best_grid_set()) tables.emplace_back(grid.chain(), set);
    }
    std::int64_t finite = 0;
    for (std::int64_t row = 0; row < grid.chain().rows(); ++row) {
      for (std::int64_t unit = 0; unit <= grid.chain().units; ++unit) {
        for (const GridTable& table : tables)
          ASSERT_EQ(table.at(row, unit), plain.at(row, unit))
              << "row " << row << ", unit " << unit << ", set " << &table - tables.data();
        finite += plain.at(row, unit) < no_seconds ? 1 : 0;
      }
    }
    EXPECT_GT(finite, 0);
  }
}

// A long chain keeps its budget, a larger budget gives a shorter step, and no simple schedule is shorter.
TEST(LongChain, IsPlannedWithinItsBudgets) {
  std::mt19937 random(33);
  for (const std::int64_t layers : {130, 200}) {
    if (sanitized && layers > 130) break;
    SCOPED_TRACE("layers: " + std::to_string(layers));
    const ChainProfile profile = larger_chain(random, layers, deterministic);
    std::int64_t smallest = 0;
    EXPECT_EQ(seconds_within(profile, ChainPlanner::chain, 1, &smallest), -1);
    std::int64_t again = 0;
    EXPECT_EQ(seconds_within(profile, ChainPlanner::chain, smallest - 1, &again), -1);
    EXPECT_EQ(again, smallest);
    const std::int64_t max = arena_bytes(*make_store_all(profile), profile);
    double before = never;
    for (std::int64_t budget = smallest; budget < 2 * max; budget += max / 7) {
      const double seconds = seconds_within(profile, ChainPlanner::chain, budget, &again);
      EXPECT_GT(seconds, 0);
      EXPECT_LE(seconds, before) << "budget " << budget;
      before = seconds;
      for (std::int64_t segments = 2; segments < layers; segments += segments / 4 + 1) {
        const auto periodic = make_periodic(profile, segments);
        if (arena_bytes(*periodic, profile) > budget) continue;
        EXPECT_LE(seconds, verify(*periodic, profile).step_seconds) << periodic->name();
      }
    }
    EXPECT_LE(before, verify(*make_store_all(profile), profile).step_seconds);
  }
}

TEST(LongChain, ReportsOmissionsOfTheGrid) {
  std::mt19937 random(34);
  const ChainProfile profile = larger_chain(random, 140, deterministic);
  const std::int64_t budget = arena_bytes(*make_store_all(profile), profile) / 4;
  const auto schedule = make_chain_for_budget(profile, ChainPlanner::tapes, budget);
  EXPECT_NE(schedule->left_out().find("a unit of a grid of 500 in "), std::string::npos) << schedule->left_out();
  EXPECT_EQ(schedule->left_out().find("groups"), std::string::npos);
}

TEST(LongChain, HasAFrontier) {
  std::mt19937 random(35);
  const ChainProfile profile = larger_chain(random, 140, deterministic);
  const FrontierPoints frontier = frontier_points(profile, "chain", 1000);
  ASSERT_EQ(frontier.count, std::ssize(frontier.points));
  EXPECT_GT(frontier.count, 15);
  for (std::size_t i = 1; i < frontier.points.size(); ++i) {
    EXPECT_GT(frontier.points[i].live_bytes, frontier.points[i - 1].live_bytes);
    EXPECT_LT(frontier.points[i].step_seconds, frontier.points[i - 1].step_seconds);
  }
  // With all memory, nothing is lost; with less, at most the recomputation.
  EXPECT_EQ(frontier.points.back().lost_seconds, 0);
  for (const FrontierPoint& point : frontier.points) EXPECT_GE(point.lost_seconds, 0);
  std::int64_t smallest = 0;
  EXPECT_EQ(seconds_within(profile, ChainPlanner::chain, 1, &smallest), -1);
  EXPECT_EQ(frontier.points.front().reserved_bytes, smallest);
  EXPECT_EQ(frontier_points(profile, "chain", 3).points.size(), 3U);
}

TEST(LongChain, IsPlannedByGroupsBeyondTheGrid) {
  if (sanitized) GTEST_SKIP() << "SKIP: a grid of 512 groups takes a minute under a sanitizer";
  std::mt19937 random(36);
  const ChainProfile profile = larger_chain(random, 700, deterministic);
  const auto periodic = make_periodic(profile, 26);
  const std::int64_t budget = arena_bytes(*periodic, profile);
  const auto schedule = make_chain_for_budget(profile, ChainPlanner::chain, budget);
  EXPECT_LE(arena_bytes(*schedule, profile), budget);
  EXPECT_LT(verify(*schedule, profile).step_seconds, verify(*periodic, profile).step_seconds);
  EXPECT_NE(schedule->left_out().find("700 layers in 512 groups of at most 2"), std::string::npos) << schedule->left_out();
}

TEST(LongChain, IsRefusedIfTooLong) {
  try {
    make_chain_for_budget(uniform_chain(4097), ChainPlanner::tapes, 1 << 20);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.status(), base::Status::unsupported);
    EXPECT_EQ(error.message(), "profile has 4097 layers; expected at most 4096");
  }
}

// Rows appear twice for layers with an input that is kept for the previous layer: the number of units decreases.
TEST(Grid, KeepsItsTableSmall) {
  const ChainProfile uniform = uniform_chain(20);
  const ChainCosts costs(uniform);
  EXPECT_EQ(Grid(costs, {.live_bytes = 1000}).chain().units, 500);
  const Grid small(costs, {.live_bytes = 1000, .table_bytes = 100'000});
  EXPECT_LE(GridTable::bytes(small.chain().rows(), small.chain().units), 100'000);
  EXPECT_GT(small.chain().units, 50);
  EXPECT_LE(GridTable::bytes(501 * 502 / 2, 500), 300'000'000);
}

}  // namespace
}  // namespace ckpt::plan::test
