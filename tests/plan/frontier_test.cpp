// The planners "chain" and "tapes": against published optima, an exhaustive search, and the verifier.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../sanitized.h"
#include "base/error.h"
#include "budgets.h"
#include "chains.h"
#include "exhaustive.h"
#include "plan/planners.h"
#include "plan/planners/chain_schedule.h"
#include "plan/planners/layer_groups.h"
#include "plan/planners/local_search.h"
#include "prime_chain.h"

namespace ckpt::plan::test {
namespace {

// Returns a chain of the reference data, where a stage's taped data includes its output and its backward reads both ends.
ChainProfile reference_chain(const nlohmann::json& chain) {
  ChainProfile profile(chain["a"][0].get<std::int64_t>());
  for (std::size_t i = 0; i < chain["L"].get<std::size_t>(); ++i) {
    LayerProfile layer;
    layer.name = "stage" + std::to_string(i + 1);
    layer.flags = needs_input | needs_output | deterministic;
    layer.output_bytes = chain["a"][i + 1].get<std::int64_t>();
    OptionProfile option;
    option.tape_bytes = chain["abar"][i + 1].get<std::int64_t>() - layer.output_bytes;
    option.forward_workspace_bytes = chain["fwd_tmp"][i].get<std::int64_t>();
    option.backward_workspace_bytes = chain["bwd_tmp"][i].get<std::int64_t>();
    option.forward_seconds = chain["fw"][i].get<double>();
    option.backward_seconds = chain["bw"][i].get<double>();
    layer.options = {option};
    profile.add_layer(layer);
  }
  return profile;
}

struct Frontiers {
  explicit Frontiers(const ChainProfile& profile) : costs(profile), chain(costs, {}), tapes(costs, {.tapes = true}) {}

  double chain_seconds(std::int64_t bytes) const { return costs.seconds(chain.step().at(bytes)); }
  double tapes_seconds(std::int64_t bytes) const { return costs.seconds(tapes.step().at(bytes)); }

  ChainCosts costs;
  Frontier chain;
  Frontier tapes;
};

// Checks that the frontier's figures of every point equal those of the verifier for its schedule. Returns the number of points.
std::size_t check_points(const ChainProfile& profile, const ChainCosts& costs, const Frontier& frontier) {
  for (const Step& point : frontier.step().steps()) {
    const auto actions = chain_actions(costs, frontier, point.bytes);
    const PlanReport report = verify(*make_list(profile.layers(), actions), profile);
    EXPECT_EQ(report.peak_bytes[0], point.bytes);  // with fewer bytes it would be a separate point
    EXPECT_EQ(report.step_seconds, costs.seconds(point.time)) << "at " << point.bytes << " bytes";
  }
  return frontier.step().size();
}

TEST(Frontier, HasThePublishedCosts) {
  const char* const shared = std::getenv("CKPT_SHARED");
  std::ifstream file(std::string(shared == nullptr ? "." : shared) + "/reference/rotor.json");
  if (!file) GTEST_SKIP() << "SKIP: the reference data (reference/rotor.json) is not on this machine";
  int persistent = 0;
  int exact = 0;
  const nlohmann::json reference = nlohmann::json::parse(file);
  for (const auto& chain : reference["chains"]) {
    SCOPED_TRACE(chain["name"].get<std::string>());
    const ChainProfile profile = reference_chain(chain);
    const Frontiers frontiers(profile);
    check_points(profile, frontiers.costs, frontiers.chain);
    check_points(profile, frontiers.costs, frontiers.tapes);
    for (const auto& row : chain["budgets"]) {
      const auto budget = row["budget"].get<std::int64_t>();
      const auto seconds_of = [&](const char* key) { return row[key].is_number() ? row[key].get<double>() : never; };
      EXPECT_EQ(frontiers.chain_seconds(budget), seconds_of("rotor_makespan")) << "budget " << budget;
      ++persistent;
      if (!row.contains("exact_nonpersistent")) continue;
      EXPECT_EQ(frontiers.tapes_seconds(budget), seconds_of("exact_nonpersistent")) << "budget " << budget;
      ++exact;
    }
  }
  EXPECT_GT(persistent, 50);
  EXPECT_GT(exact, 10);
}

TEST(Frontier, EqualsTheCostOfItsSchedulesOnRandomChains) {
  std::mt19937 random(17);
  std::size_t points = 0;
  for (int round = 0; round < 10000; ++round) {
    SCOPED_TRACE("chain " + std::to_string(round));
    const ChainProfile profile = prime_chain(random, 1 + round % 6);
    const Frontiers frontiers(profile);
    points += check_points(profile, frontiers.costs, frontiers.chain);
    points += check_points(profile, frontiers.costs, frontiers.tapes);
    // Never worse: tapes than chain, and chain than simple schedules.
    for (const Step& point : frontiers.chain.step().steps()) EXPECT_LE(frontiers.tapes.step().at(point.bytes), point.time);
    const auto is_beaten = [&](const std::shared_ptr<const Schedule>& simple) {
      try {
        const PlanReport report = verify(*simple, profile);
        EXPECT_LE(frontiers.chain_seconds(report.peak_bytes[0]), report.step_seconds) << simple->name();
      } catch (const base::Error& error) {
        EXPECT_EQ(error.status(), base::Status::invalid_schedule);  // recomputes a layer that is not deterministic
      }
    };
    is_beaten(make_store_all(profile));
    is_beaten(make_recompute_all(profile));
    for (std::int64_t segments = 1; segments <= profile.layers(); ++segments) is_beaten(make_periodic(profile, segments));
    if (HasFailure()) return;
  }
  std::cout << points << " points\n";
  EXPECT_GT(points, 100000U);
}

TEST(Frontier, EqualsTheCostOfItsSchedulesForFrameworks) {
  std::mt19937 random(27);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE("chain " + std::to_string(round));
    const ChainProfile profile = framework_chain(random, prime_chain(random, 1 + round % 6));
    const Frontiers frontiers(profile);
    check_points(profile, frontiers.costs, frontiers.chain);
    check_points(profile, frontiers.costs, frontiers.tapes);
    if (HasFailure()) return;
  }
}

TEST(Frontier, IsExactOnLongerChains) {
  std::mt19937 random(18);
  for (int round = 0; round < 20; ++round) {
    const ChainProfile profile = prime_chain(random, 8 + round, 3);
    const Frontiers frontiers(profile);
    check_points(profile, frontiers.costs, frontiers.chain);
    check_points(profile, frontiers.costs, frontiers.tapes);
  }
}

// Returns the result of the local search on the points of tapes.
std::vector<RunList> searched_rows(const Frontiers& frontiers, std::int64_t max_runs) {
  std::vector<RunList> rows;
  for (const Step& point : frontiers.tapes.step().steps())
    rows.push_back(runs_of(frontiers.costs, chain_actions(frontiers.costs, frontiers.tapes, point.bytes)));
  return search_locally(frontiers.costs, std::move(rows), max_runs);
}

TEST(LocalSearch, EqualsTheVerifier) {
  std::mt19937 random(26);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE("chain " + std::to_string(round));
    const ChainProfile plain = prime_chain(random, 1 + round % 9, 3);
    const ChainProfile profile = round % 2 == 0 ? plain : framework_chain(random, plain);
    const Frontiers frontiers(profile);
    for (const RunList& row : searched_rows(frontiers, 2'000'000)) {
      const PlanReport report = verify(*make_list(profile.layers(), actions_of(frontiers.costs, row)), profile);
      EXPECT_EQ(report.peak_bytes[0], row.live_bytes);
      EXPECT_EQ(report.step_seconds, frontiers.costs.seconds(row.time));
      EXPECT_LE(report.step_seconds, frontiers.tapes_seconds(row.live_bytes));
    }
    if (HasFailure()) return;
  }
}

// Returns the time of the fastest point within the bytes.
double time_within(const std::vector<RunList>& rows, std::int64_t bytes) {
  double time = never;
  for (const RunList& row : rows) time = row.live_bytes <= bytes ? std::min(time, row.time) : time;
  return time;
}

// A RECORD that creates its output, because the backward reads it, keeps its own time and workspace.
TEST(LocalSearch, NeverLosesAPointOfItsStart) {
  std::mt19937 random(31);
  int points = 0;
  for (int round = 0; round < (sanitized ? 100 : 1000); ++round) {
    SCOPED_TRACE("chain " + std::to_string(round));
    const ChainProfile plain = prime_chain(random, 1 + round % 6);
    const ChainProfile profile =
        round % 3 == 0 ? plain : recorded_chain(random, round % 3 == 1 ? plain : framework_chain(random, plain));
    const Frontiers frontiers(profile);
    const std::vector<RunList> rows = searched_rows(frontiers, 200'000);
    for (const Frontier* frontier : {&frontiers.chain, &frontiers.tapes}) {
      for (const Step& point : frontier->step().steps()) {
        EXPECT_LE(time_within(rows, point.bytes), point.time) << "at " << point.bytes << " bytes";
        ++points;
      }
    }
    for (const RunList& row : rows) {
      const PlanReport report = verify(*make_list(profile.layers(), actions_of(frontiers.costs, row)), profile);
      EXPECT_EQ(report.peak_bytes[0], row.live_bytes);
      EXPECT_EQ(report.step_seconds, frontiers.costs.seconds(row.time));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(points, sanitized ? 1000 : 10000);
}

// frameworks: chains with flags and backward_peak_bytes.
void compare_with_all_that_there_is(std::mt19937 random, int rounds, bool frameworks) {
  int budgets = 0;
  int chain_best = 0;
  int chain_best_of_class = 0;
  int tapes_best = 0;
  int searched_best = 0;
  double lost = 0;
  double searched_lost = 0;
  for (int round = 0; round < rounds; ++round) {
    const ChainProfile plain = prime_chain(random, 2 + round % 4);
    const ChainProfile profile = frameworks ? framework_chain(random, plain) : plain;
    const Frontiers frontiers(profile);
    ExhaustiveSearch search(profile);
    ExhaustiveSearch persistent(profile, true);
    const auto points = frontiers.tapes.step().steps();
    const std::vector<RunList> searched = searched_rows(frontiers, 50'000'000);
    const std::int64_t range = points.back().bytes - points.front().bytes + 1;
    for (int each = 0; each < 3; ++each) {
      const std::int64_t budget = points.front().bytes + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(range));
      const double min = search.min_seconds(budget);
      const double seconds = frontiers.tapes_seconds(budget);
      EXPECT_GE(seconds, min) << "chain " << round << ", budget " << budget;
      ++budgets;
      chain_best += frontiers.chain_seconds(budget) == min ? 1 : 0;
      const double persistent_min = persistent.min_seconds(budget);
      EXPECT_GE(frontiers.chain_seconds(budget), persistent_min) << "chain " << round << ", budget " << budget;
      chain_best_of_class += frontiers.chain_seconds(budget) == persistent_min ? 1 : 0;
      tapes_best += seconds == min ? 1 : 0;
      lost += seconds / min - 1;
      double found = never;
      for (const RunList& row : searched) {
        if (row.live_bytes <= budget) found = std::min(found, frontiers.costs.seconds(row.time));
      }
      EXPECT_GE(found, min);
      EXPECT_LE(found, seconds);
      searched_best += found == min ? 1 : 0;
      searched_lost += found / min - 1;
    }
  }
  const auto percent = [&](double part) { return 100 * part / budgets; };
  std::cout << budgets << " budgets: chain is optimal at " << percent(chain_best) << "%, in its class at "
            << percent(chain_best_of_class) << "%, tapes before its local search at " << percent(tapes_best) << "% (loses "
            << percent(lost) << "% on average), after the local search " << percent(searched_best) << "% ("
            << percent(searched_lost) << "%)\n";
  EXPECT_GE(chain_best_of_class, 0.96 * budgets);
  EXPECT_GE(searched_best, 0.99 * budgets);
  EXPECT_LE(searched_lost, 0.003 * budgets);
  EXPECT_GT(searched_best, tapes_best);
}

TEST(Frontier, TapesAreNearlyAlwaysOptimal) { compare_with_all_that_there_is(std::mt19937(19), 250, false); }
TEST(Frontier, TapesAreNearlyAlwaysOptimalForFrameworks) { compare_with_all_that_there_is(std::mt19937(28), 250, true); }

TEST(Frontier, ReportsTheLossOfASmallTable) {
  std::mt19937 random(20);
  const ChainProfile profile = prime_chain(random, 24);
  const ChainCosts costs(profile);
  for (const bool tapes : {false, true}) {
    const Frontier exact(costs, {.tapes = tapes});
    EXPECT_EQ(exact.max_lost_time(), 0);
    const Frontier small(costs, {.tapes = tapes, .table_bytes = 1});
    EXPECT_GT(small.max_lost_time(), 0);
    EXPECT_LT(small.stored_steps(), exact.stored_steps());
    EXPECT_EQ(small.step().steps().front().bytes, exact.step().steps().front().bytes);
    for (const Step& point : exact.step().steps()) {
      EXPECT_GE(small.step().at(point.bytes), point.time);
      EXPECT_LE(small.step().at(point.bytes), point.time + small.max_lost_time());
    }
    for (const Step& point : small.step().steps()) {
      const PlanReport report = verify(*make_list(profile.layers(), chain_actions(costs, small, point.bytes)), profile);
      EXPECT_LE(report.peak_bytes[0], point.bytes);
      EXPECT_LE(report.step_seconds, costs.seconds(point.time));
    }
  }
}

// 0.1 + 0.2 is not 0.3: equal layers must not get one point for each summation order of their seconds.
TEST(Frontier, EqualLayersHaveNoExtraPointsFromRounding) {
  const ChainProfile whole = uniform_chain(40);
  ChainProfile tenths(whole.bytes_of(0));
  for (std::int64_t i = 0; i < whole.layers(); ++i) {
    LayerProfile layer = whole.layer(i);
    layer.options[0].forward_seconds *= 0.1;
    layer.options[0].backward_seconds *= 0.1;
    tenths.add_layer(layer);
  }
  const Frontiers expected(whole);
  const Frontiers frontiers(tenths);
  ASSERT_EQ(frontiers.tapes.step().size(), expected.tapes.step().size());
  for (const Step& point : expected.tapes.step().steps())
    EXPECT_NEAR(frontiers.tapes_seconds(point.bytes), 0.1 * expected.tapes_seconds(point.bytes), 1e-9);
}

TEST(Frontier, CountsForwardsIfTheProfileHasNoSeconds) {
  ChainProfile untimed(10);
  for (std::int64_t i = 0; i < 12; ++i) {
    LayerProfile layer = uniform_chain(1).layer(0);
    layer.options[0].forward_seconds = layer.options[0].backward_seconds = 0;
    untimed.add_layer(layer);
  }
  const FrontierPoints untimed_points = frontier_points(untimed, "chain", 100);
  const FrontierPoints points = frontier_points(uniform_chain(12), "chain", 100);
  ASSERT_EQ(untimed_points.count, points.count);
  for (std::size_t i = 0; i < points.points.size(); ++i) {
    EXPECT_EQ(untimed_points.points[i].live_bytes, points.points[i].live_bytes);
    EXPECT_EQ(untimed_points.points[i].recomputed_forwards, points.points[i].recomputed_forwards);
    EXPECT_EQ(untimed_points.points[i].step_seconds, 0);
  }
}

// The smallest budget in the message of a planner that refuses this one.
std::int64_t smallest_after(const ChainProfile& profile, std::int64_t budget) {
  try {
    make_auto(profile, budget, {});
  } catch (const base::Error& error) {
    EXPECT_EQ(error.status(), base::Status::over_budget) << error.message();
    const std::string marker = "for this chain is ";
    return std::stoll(error.message().substr(error.message().find(marker) + marker.size()));
  }
  return -1;
}

// The fewest bytes are often those of schedules that record a layer before a higher layer's gradient grows, and drop its input.
TEST(AutoPlanner, NamesTheTrueMinimumOfAShortChain) {
  std::mt19937 random(32);
  int larger = 0;
  double worst = 0;
  const int rounds = sanitized ? 12 : 60;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("chain " + std::to_string(round));
    const ChainProfile plain = prime_chain(random, 1 + round % 6);
    ChainProfile profile = round % 2 == 0 ? plain : framework_chain(random, plain);
    profile.set_flags(profile.flags() | own_allocator);  // budgets limit live bytes, which the search computes
    const std::int64_t smallest = smallest_after(profile, 1);
    ASSERT_GT(smallest, 1);
    ExhaustiveSearch search(profile);
    std::int64_t least = smallest;
    while (search.min_seconds(least - 1) < never) --least;
    larger += smallest > least ? 1 : 0;
    worst = std::max(worst, static_cast<double>(smallest) / static_cast<double>(least) - 1);
    EXPECT_EQ(smallest_after(profile, smallest), -1);
    for (const std::int64_t budget : {smallest - 1, smallest / 2 + 1})
      EXPECT_EQ(smallest_after(profile, budget), smallest) << "budget " << budget;
  }
  std::cout << larger << " of " << rounds << " chains have a smaller budget than the one named, by up to " << 100 * worst << "%\n";
  EXPECT_EQ(larger, 0);
}

// The arena of a schedule of tapes may have larger gaps, so that a schedule of chain with fewer forwards fits.
TEST(ChainPlanner, CountsForwardsIfTheProfileHasNoSeconds) {
  std::mt19937 random(33);
  for (int round = 0; round < (sanitized ? 10 : 60); ++round) {
    const ChainProfile timed = larger_chain(random, 4 + round % 6, deterministic);
    ChainProfile untimed(timed.bytes_of(0));
    for (std::int64_t i = 0; i < timed.layers(); ++i) {
      LayerProfile layer = timed.layer(i);
      for (OptionProfile& option : layer.options) option.forward_seconds = option.backward_seconds = option.record_seconds = 0;
      untimed.add_layer(layer);
    }
    const std::int64_t all = arena_bytes(*make_store_all(untimed), untimed);
    for (const std::int64_t budget : {all / 2, 6 * all / 10, 7 * all / 10, 8 * all / 10}) {
      try {
        const auto by_chain = make_chain_for_budget(untimed, ChainPlanner::chain, budget);
        const std::int64_t bytes = arena_bytes(*by_chain, untimed);
        const PlanReport chain = verify(*by_chain, untimed);
        const PlanReport tapes = verify(*make_chain_for_budget(untimed, ChainPlanner::tapes, bytes), untimed);
        EXPECT_LE(tapes.recomputed_forwards, chain.recomputed_forwards) << "chain " << round << ", budget " << bytes;
      } catch (const base::Error& error) {
        EXPECT_EQ(error.status(), base::Status::over_budget) << error.message();
      }
    }
  }
}

TEST(ChainPlanner, NeverExceedsItsBudget) {
  std::mt19937 random(22);
  int fitting = 0;
  const int rounds = sanitized ? 300 : 10000;
  for (int round = 0; round < rounds; ++round) {
    const ChainProfile profile = larger_chain(random, 1 + round % 6);
    const std::int64_t budget = 640 + static_cast<std::int64_t>(random() % 12000);
    std::int64_t smallest = 0;
    fitting += seconds_within(profile, ChainPlanner::chain, budget, &smallest) > 0 ? 1 : 0;
    if (round % 10 == 0) seconds_within(profile, ChainPlanner::tapes, budget, &smallest);
    if (HasFailure()) return;
  }
  EXPECT_GT(fitting, rounds / 5);
}

// With its own allocator, a framework's budget limits live bytes.
TEST(ChainPlanner, NeverExceedsAFrameworksBudget) {
  std::mt19937 random(29);
  int fitting = 0;
  int beyond = 0;
  for (int round = 0; round < 500; ++round) {
    ChainProfile profile = framework_chain(random, larger_chain(random, 1 + round % 6));
    profile.set_flags(profile.flags() | own_allocator);
    const ChainCosts costs(profile);
    const Frontier frontier(costs, {});
    const auto steps = frontier.step().steps();
    const std::int64_t smallest = steps.front().bytes;
    const std::int64_t budget = smallest + static_cast<std::int64_t>(random() % 3000);
    for (const ChainPlanner planner : {ChainPlanner::chain, ChainPlanner::tapes}) {
      const auto schedule = make_chain_for_budget(profile, planner, budget);
      const PlanReport report = verify(*schedule, profile);
      EXPECT_LE(report.peak_bytes[0], budget);
      EXPECT_LE(report.step_seconds, costs.seconds(frontier.step().at(budget)));
      beyond += arena_bytes(*schedule, profile) > budget ? 1 : 0;
      ++fitting;
    }
    try {
      make_chain_for_budget(profile, ChainPlanner::chain, smallest - 1);
      ADD_FAILURE() << "there is a schedule with fewer live bytes than the fewest";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.message(),
                base::cat("budget_bytes is ", smallest - 1, "; the smallest that works for this chain is ", smallest));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(beyond, fitting / 10);
}

TEST(ChainPlanner, LargerBudgetsAreNeverSlower) {
  std::mt19937 random(23);
  for (int round = 0; round < (sanitized ? 1 : 4); ++round) {
    const ChainProfile profile = larger_chain(random, 6);
    for (const ChainPlanner planner : {ChainPlanner::chain, ChainPlanner::tapes}) {
      std::int64_t smallest = 0;
      EXPECT_EQ(seconds_within(profile, planner, 1, &smallest), -1);
      std::int64_t unused = 0;
      EXPECT_EQ(seconds_within(profile, planner, smallest - 1, &unused), -1);
      EXPECT_EQ(unused, smallest);
      double before = never;
      for (std::int64_t budget = smallest; budget < 8 * smallest; budget += smallest / 4) {
        const double seconds = seconds_within(profile, planner, budget, &unused);
        EXPECT_GT(seconds, 0) << "smallest is " << smallest << ", budget " << budget;
        EXPECT_LE(seconds, before);
        before = seconds;
      }
    }
  }
}

// The longest chains are planned by groups of layers: a group never needs less than its layers.
TEST(ChainPlanner, PlansGroupsWithinTheirBytes) {
  std::mt19937 random(24);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE("chain " + std::to_string(round));
    const ChainProfile plain = prime_chain(random, 2 + round % 30, 3);
    const ChainProfile profile = round % 2 == 0 ? plain : framework_chain(random, plain);
    const LayerGroups groups(profile, 1 + round % 7);
    EXPECT_LE(groups.profile().layers(), 1 + round % 7);
    const ChainCosts layers(profile);
    const ChainCosts costs(groups.profile());
    const Frontier frontier(costs, {.tapes = true});
    for (const Step& point : frontier.step().steps()) {
      const RunList runs{.runs = groups.layer_runs(runs_of(costs, chain_actions(costs, frontier, point.bytes)).runs)};
      const PlanReport report = verify(*make_list(profile.layers(), actions_of(layers, runs)), profile);
      EXPECT_LE(report.peak_bytes[0], point.bytes);
      EXPECT_EQ(report.step_seconds, costs.seconds(point.time));
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace ckpt::plan::test
