// Traces of failures, and runs on them: fixed intervals, controllers, the clairvoyant policy.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "adaptive/simulation.h"
#include "expect_error.h"

namespace ckpt::adaptive {
namespace {

using base::Status;

// ---- Traces ----

TEST(AdaptiveTrace, ReadsNumbersAndNamesTheInvalidLine) {
  EXPECT_EQ(parse_trace("# gaps\n10\n\n 2.5e3 \r\n0"), (Trace{10, 2500, 0}));
  EXPECT_ERROR(parse_trace("1\n\n-3\n"), Status::invalid_argument, "line 3: '-3'");
  EXPECT_ERROR(parse_trace("1\nnan\n"), Status::invalid_argument, "line 2: 'nan'");
  EXPECT_ERROR(parse_trace("1;2\n"), Status::invalid_argument, "line 1");
  EXPECT_ERROR(parse_trace("# nothing\n"), Status::invalid_argument, "expected at least one line with a number");
  EXPECT_ERROR(parse_law("normal:3"), Status::invalid_argument, "'normal:3'");
  EXPECT_ERROR(parse_law("exponential:-3"), Status::invalid_argument, "MTBF is '-3'");
  EXPECT_ERROR(parse_law("weibull:0.01:3"), Status::invalid_argument, "SHAPE is 0.01");
}

TEST(AdaptiveTrace, DrawsTheMeanOfItsLawAlsoOfManyNodes) {
  for (const char* text : {"exponential:1000", "weibull:0.7:1000"}) {
    const Trace one = draw_trace(parse_law(text), 1, 20000, 5, 0);
    EXPECT_NEAR(std::accumulate(one.begin(), one.end(), 0.0) / 20000, 1000, 40) << text;
    const Trace hundred = draw_trace(parse_law(text), 100, 20000, 5, 0);
    EXPECT_NEAR(std::accumulate(hundred.begin(), hundred.end(), 0.0) / 20000, 10, 1) << text;
  }
  EXPECT_ERROR(draw_trace(parse_law("exponential:1e308"), 1, 200, 1, 0), Status::out_of_range, "200 failures span more seconds");
  EXPECT_EQ(draw_trace({1, 100}, 3, 50, 9, 1), draw_trace({1, 100}, 3, 50, 9, 1));
  EXPECT_NE(draw_trace({1, 100}, 3, 50, 9, 1), draw_trace({1, 100}, 3, 50, 9, 2));
}

// ---- The simulator ----

TEST(AdaptiveSimulation, FixedRunsByHand) {
  Machine machine;
  machine.cost = 10;
  machine.restart = 50;
  machine.poll = 10;
  // 100 s of work and 10 s of saving: two periods fit into 225 s; 40 s are less than a restart; then 50 + 110 fit exactly.
  EXPECT_EQ(run_fixed(100, machine, {225, 40, 160}), (Progress{200, 200, 300}));
  EXPECT_EQ(run_clairvoyant(machine, {225, 40, 160}), (Progress{215, 215, 315}));
  // Every second save is remote; every failure needs a remote save.
  machine.remote_every = 2;
  machine.local_cost = 1;
  machine.remote_share = 1;
  EXPECT_EQ(run_fixed(100, machine, {350, 60}), (Progress{200, 200}));
  machine.remote_share = 0;
  EXPECT_EQ(run_fixed(100, machine, {350, 60}), (Progress{300, 300}));
}

TEST(AdaptiveSimulation, AControllerWithAFixedIntervalIsAFixedRun) {
  Machine machine;
  const Trace trace = draw_trace({0.7, 5000}, 1, 300, 2, 0);
  for (const double interval : {30.0, 100.0, 605.0, 3000.0}) {
    ControllerOptions options;
    options.policy = Policy::fixed;
    options.interval_seconds = interval;
    const Progress by_controller = run_controller(options, machine, trace);
    const Progress by_hand = run_fixed(interval, machine, trace);
    ASSERT_EQ(by_controller.size(), by_hand.size());
    for (std::size_t i = 0; i < by_hand.size(); ++i) ASSERT_NEAR(by_controller[i], by_hand[i], 1e-3) << interval;
  }
}

TEST(AdaptiveSimulation, TheClairvoyantIsBestAndBestFixedBeatsDaly) {
  SimulationOptions options;
  options.law = "weibull:0.7:20000";
  options.failures = 150;
  options.replicas = 2;
  options.nodes = 4;
  const SimulationResult result = simulate(options);
  const double bound = result.clairvoyant.work.back();
  ASSERT_EQ(result.policies.size(), 7U);
  for (const PolicyResult& policy : result.policies) EXPECT_LT(policy.work.back(), bound) << policy.name;
  EXPECT_GE(result.best_fixed.work.back(), result.daly.work.back());
  const nlohmann::json figures = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(figures.at("policies").at(0).at("policy"), "auto");
  ASSERT_EQ(figures.at("policies").size(), 10U);  // Daly's, the best fixed one and the bound are last
  EXPECT_EQ(figures.at("policies").back().at("policy"), result.clairvoyant.name);
  const auto& curves = figures.at("extra_wall_curves");
  ASSERT_EQ(curves.size(), 7U);
  EXPECT_EQ(curves.at(0).at("policy"), "auto");
  EXPECT_EQ(curves.at(0).at("points").front().at(0), 1);
  // The curves end with the values of the table.
  EXPECT_EQ(curves.at(0).at("points").back(), nlohmann::json({150, figures.at("policies").at(0).at("extra_wall")}));
  ASSERT_EQ(figures.at("fixed_intervals").size(), result.fixed.size());
  EXPECT_EQ(figures.at("fixed_intervals").at(0), nlohmann::json({result.fixed[0].first, result.fixed[0].second}));
  std::int64_t gaps = 0;
  double to = figures.at("failure_gaps").front().at(0).get<double>();
  for (const auto& bin : figures.at("failure_gaps")) {
    EXPECT_EQ(bin.at(0), to);  // no gap between the bins
    to = bin.at(1).get<double>();
    gaps += bin.at(2).get<std::int64_t>();
  }
  EXPECT_EQ(gaps, 150 * 2);
}

TEST(AdaptiveSimulation, EveryGapIsInItsBin) {
  const std::vector<Trace> traces = {{0, 1e-9, 1, 5, 9.99}, {10, 11, 1000, 100000}};
  const std::vector<GapBin> bins = gap_histogram(traces);
  EXPECT_EQ(bins.front().from, 0);
  EXPECT_GT(bins.back().to, 100000);
  for (const GapBin& bin : bins) {
    std::int64_t count = 0;
    for (const Trace& trace : traces)
      count += std::count_if(trace.begin(), trace.end(), [&](double gap) { return gap >= bin.from && gap < bin.to; });
    EXPECT_EQ(bin.count, count) << bin.from << " .. " << bin.to;
  }
  EXPECT_EQ(gap_histogram({{7, 7, 7}}).size(), 1U);
  EXPECT_EQ(gap_histogram({{7, 7, 7}}).front().count, 3);
}

TEST(AdaptiveSimulation, RefusesInvalidSimulations) {
  SimulationOptions options;
  EXPECT_ERROR(simulate(options), Status::invalid_argument, "trace and law are empty");
  options.law = "exponential:1000";
  options.policies = "auto,best";
  EXPECT_ERROR(simulate(options), Status::invalid_argument, "'best'");
  options.policies = "fixed";
  EXPECT_ERROR(simulate(options), Status::invalid_argument, "fixed:SECONDS");
  options.policies = "auto";
  options.machine.cost = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(simulate(options), Status::invalid_argument, "cost_seconds is nan");
  options.machine.cost = 30;
  options.nodes = 0;
  EXPECT_ERROR(simulate(options), Status::invalid_argument, "nodes is 0");
  options.nodes = 1;
  options.machine.poll = 1e-9;
  EXPECT_ERROR(simulate(options), Status::out_of_range, "poll_seconds is 1e-09");
  options.failures = options.replicas = 100'000;
  EXPECT_ERROR(simulate(options), Status::invalid_argument, "failures is 100000 in each of");
}

}  // namespace
}  // namespace ckpt::adaptive
