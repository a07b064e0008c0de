// Grids of longer chains: against the exact frontier, against plain loops, and against the verifier.
#include <gtest/gtest.h>

#include "base/error.h"
#include "chains.h"
#include "plain_grid.h"
#include "plan/planners/chain_planner.h"
#include "plan/planners/chain_schedule.h"
#include "plan/planners/frontier.h"
#include "plan/planners/grid.h"
#include "prime_chain.h"

namespace ckpt::plan::test {
namespace {

#ifdef CKPT_SANITIZED
constexpr bool grid_sanitized = true;
#else
constexpr bool grid_sanitized = false;
#endif

double seconds_of(const ChainProfile& profile, const ChainCosts& costs, const ChainTable& table, std::int64_t bytes) {
  const std::vector<Action> actions = chain_actions(costs, table, bytes);
  if (actions.empty()) return never;
  const PlanReport report = verify(*make_list(profile.layers(), actions), profile);
  EXPECT_LE(report.peak_bytes[0], bytes);
  return report.step_seconds;
}

// As many units as bytes: what the grid knows is exact.
TEST(Grid, IsTheFrontierWhereBytesAreUnits) {
  std::mt19937 random(31);
  std::int64_t budgets = 0;
  for (int round = 0; round < (grid_sanitized ? 100 : 1000); ++round) {
    SCOPED_TRACE("chain " + std::to_string(round));
    const ChainProfile profile = prime_chain(random, 1 + round % 12, 3);
    const ChainCosts costs(profile);
    const Frontier frontier(costs, {});
    const auto steps = frontier.step().steps();
    const std::int64_t most = steps.back().bytes + 40;
    const Grid grid(costs, {.live_bytes = most, .units = most});
    ASSERT_EQ(grid.unit_bytes(), 1);
    EXPECT_EQ(grid.least_live_bytes(), steps.front().bytes);
    EXPECT_EQ(seconds_of(profile, costs, grid, steps.front().bytes - 1), never);
    for (std::int64_t bytes = steps.front().bytes; bytes <= most; bytes += 1 + round % 7, ++budgets) {
      const double seconds = costs.seconds(frontier.step().at(bytes));
      EXPECT_NEAR(costs.seconds(grid.least_time(grid.root(), bytes - costs.input_bytes(0))), seconds, 1e-9 * seconds);
      EXPECT_EQ(seconds_of(profile, costs, grid, bytes), seconds) << "at " << bytes << " bytes";
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(budgets, 10000);
}

// The blocks do what the plain loops do, to the bit.
TEST(Grid, IsFilledAsByPlainLoops) {
  std::mt19937 random(32);
  for (int round = 0; round < (grid_sanitized ? 12 : 60); ++round) {
    SCOPED_TRACE("chain " + std::to_string(round));
    const ChainProfile profile = prime_chain(random, 1 + 2 * round, 1 + round % 3, round % 2 == 0 ? deterministic : 0);
    const ChainCosts costs(profile);
    const Grid grid(costs, {.live_bytes = 300 + 30 * profile.layers(), .units = 1 + 17 * (round % 10)});
    const PlainGrid plain(grid.chain());
    std::int64_t finite = 0;
    for (std::int64_t row = 0; row < grid.chain().rows(); ++row) {
      for (std::int64_t unit = 0; unit <= grid.chain().units; ++unit) {
        ASSERT_EQ(grid.table().at(row, unit), plain.at(row, unit)) << "row " << row << ", unit " << unit;
        finite += plain.at(row, unit) < no_seconds ? 1 : 0;
      }
    }
    EXPECT_GT(finite, 0);
  }
}

}  // namespace
}  // namespace ckpt::plan::test
