// The formulas, the threshold rule with every worked number of its reference, the failure models, the hedge, traces and fixed runs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "adaptive/age_buckets.h"
#include "adaptive/forecast.h"
#include "adaptive/intervals.h"
#include "adaptive/replay.h"
#include "adaptive/simulation.h"
#include "adaptive/threshold.h"
#include "expect_error.h"

namespace ckpt::adaptive {
namespace {

using base::Status;

// ---- Formulas ----

TEST(AdaptiveIntervals, GoldenValues) {
  EXPECT_NEAR(daly_interval(300, 24 * 3600) / 60, 116.7, 0.05);
  EXPECT_NEAR(daly_interval(300, 6 * 3600) / 60, 56.7, 0.05);
  EXPECT_NEAR(daly_interval(300, 15 * 60) / 60, 9.1, 0.05);
  EXPECT_DOUBLE_EQ(daly_interval(2000, 1000), 1000);
  EXPECT_DOUBLE_EQ(daly_interval(5000, 1000), 1000);
  EXPECT_DOUBLE_EQ(young_interval(50, 10000), 1000);
  // A shape of 1 is the exponential law.
  EXPECT_DOUBLE_EQ(young_interval(50, 1 / weibull_hazard(1, 10000, 77)), 1000);
  EXPECT_DOUBLE_EQ(weibull_hazard(2, 100, 50), 2.0 / 100 * 0.5);
}

TEST(AdaptiveIntervals, ExpectedValueSolvesItsEquation) {
  for (const double cost : {1e-6, 1.0, 300.0, 1e5, 1e9}) {
    const double mtbf = 3600;
    const double work = expected_value_interval(cost, mtbf);
    const double survives = std::exp(-work / mtbf);
    EXPECT_NEAR((1 - survives) * work, survives * cost, 1e-9 * (1 - survives) * work) << cost;
  }
}

// ---- The threshold rule ----

double adjusted(double saved, double overhead) {
  Threshold rule;
  rule.adjust_policy(saved, overhead);
  return rule.threshold();
}

TEST(AdaptiveThreshold, WorkedAdjustmentsOfTheReference) {
  EXPECT_NEAR(adjusted(14, 1), 0.257, 5e-4);   // benefit 13, delta -0.093
  EXPECT_NEAR(adjusted(15, 1), 0.257, 5e-4);   // benefit 14, delta -0.093
  EXPECT_NEAR(adjusted(30, 2), 0.253, 5e-4);   // benefit 28, delta -0.097
  EXPECT_NEAR(adjusted(0, 2), 0.417, 5e-4);    // benefit -2, delta +0.067
  EXPECT_NEAR(adjusted(1.5, 1), 0.317, 5e-4);  // benefit 0.5, delta -0.033
  EXPECT_NEAR(adjusted(300, 5), 0.250, 5e-4);  // scenario A: benefit 295, delta -0.0997
  EXPECT_NEAR(0.35 - adjusted(300, 5), 0.0997, 5e-5);
  EXPECT_NEAR(adjusted(0, 1000), 0.450, 5e-4);  // scenario B: benefit -1000, delta +0.0999
  EXPECT_NEAR(adjusted(0, 1000) - 0.35, 0.0999, 5e-5);
  EXPECT_DOUBLE_EQ(adjusted(0, 0), 0.35);
  // The dampening function b / (b + 1).
  EXPECT_NEAR((0.35 - adjusted(0.1, 0)) / 0.1, 0.091, 5e-4);
  EXPECT_NEAR((0.35 - adjusted(1, 0)) / 0.1, 0.500, 5e-4);
  EXPECT_NEAR((0.35 - adjusted(10, 0)) / 0.1, 0.909, 5e-4);
  EXPECT_NEAR((0.35 - adjusted(100, 0)) / 0.1, 0.990, 5e-4);
}

TEST(AdaptiveThreshold, TheReferencesRunOfTenEpochs) {
  Threshold rule;
  rule.observe_task("train_epoch_0", 15.3);
  EXPECT_TRUE(rule.should_checkpoint("train_epoch_0", 15.3));
  EXPECT_EQ(rule.used(), 1);
  rule.observe_task("train_epoch_1", 14.8);
  EXPECT_DOUBLE_EQ(rule.longest_seconds(), 15.3);
  EXPECT_NEAR(14.8 / rule.longest_seconds(), 0.967, 5e-4);
  EXPECT_TRUE(rule.should_checkpoint("train_epoch_1", 14.8));
  EXPECT_EQ(rule.used(), 2);
  rule.adjust_policy(15.0, 1.0);
  EXPECT_NEAR(rule.threshold(), 0.257, 5e-4);
  rule.observe_task("train_epoch_3", 14.5);
  EXPECT_NEAR(14.5 / rule.longest_seconds(), 0.948, 5e-4);
  EXPECT_TRUE(rule.should_checkpoint("train_epoch_3", 14.5));
  EXPECT_EQ(rule.used(), 3);
  rule.observe_task("train_epoch_4", 14.9);
  EXPECT_FALSE(rule.should_checkpoint("train_epoch_4", 14.9));  // no slot left
  EXPECT_EQ(rule.used(), 3);
  EXPECT_STREQ(rule.history(0).name.data(), "train_epoch_0");
  EXPECT_TRUE(rule.history(2).checkpointed);
  EXPECT_FALSE(rule.history(3).checkpointed);
  rule.begin_run();
  EXPECT_EQ(rule.used(), 0);
  EXPECT_DOUBLE_EQ(rule.longest_seconds(), 15.3);
  EXPECT_NEAR(rule.threshold(), 0.257, 5e-4);
  EXPECT_TRUE(rule.should_checkpoint("train_epoch_4", 14.9));
}

TEST(AdaptiveThreshold, ScenarioAConsumesEverySlotOnEqualTasks) {
  Threshold rule;
  for (int task = 0; task < 3; ++task) {
    rule.observe_task("task", 300);
    EXPECT_TRUE(rule.should_checkpoint("task", 300));
  }
  EXPECT_FALSE(rule.should_checkpoint("task", 300));
}

TEST(AdaptiveThreshold, ScenarioBNeedsABudgetWithoutEnd) {
  Threshold rule({0.35, 0.1, std::numeric_limits<std::int64_t>::max()});
  for (int task = 0; task < 1000; ++task) {
    rule.observe_task("task", 2);
    EXPECT_TRUE(rule.should_checkpoint("task", 2));
  }
  rule.adjust_policy(0, 1000);
  EXPECT_NEAR(rule.threshold(), 0.450, 5e-4);
}

TEST(AdaptiveThreshold, ScenarioCAndItsLaterRun) {
  const std::pair<const char*, double> tasks[] = {{"A", 5}, {"B", 10}, {"C", 100}, {"D", 8}, {"E", 95}};
  const bool first[] = {true, true, true, false, false};
  const bool later[] = {false, false, true, false, true};
  Threshold rule;
  for (int i = 0; i < 5; ++i) {
    rule.observe_task(tasks[i].first, tasks[i].second);
    EXPECT_EQ(rule.should_checkpoint(tasks[i].first, tasks[i].second), first[i]) << tasks[i].first;
  }
  rule.adjust_policy(1, 0);  // delta -0.05: the threshold is 0.30
  EXPECT_NEAR(rule.threshold(), 0.30, 1e-12);
  rule.begin_run();
  for (int i = 0; i < 5; ++i) {
    rule.observe_task(tasks[i].first, tasks[i].second);
    EXPECT_EQ(rule.should_checkpoint(tasks[i].first, tasks[i].second), later[i]) << tasks[i].first;
  }
  EXPECT_EQ(rule.used(), 2);
}

TEST(AdaptiveThreshold, StaysInBoundsWhateverItIsTold) {
  Threshold rule({0.35, 1, 3});
  for (std::uint64_t i = 0; i < 2000; ++i) {
    rule.adjust_policy(1e6 * uniform(1, 0, 0, i), 1e6 * uniform(1, 0, 1, i));
    ASSERT_GE(rule.threshold(), 0.05);
    ASSERT_LE(rule.threshold(), 1);
  }
}

TEST(AdaptiveThreshold, RemembersTheLastTasksOnly) {
  Threshold rule;
  for (int i = 0; i < 300; ++i) rule.observe_task(base::cat("task ", i), i);
  EXPECT_EQ(rule.history_size(), 256);
  EXPECT_STREQ(rule.history(0).name.data(), "task 44");
  EXPECT_STREQ(rule.history(255).name.data(), "task 299");
  EXPECT_DOUBLE_EQ(rule.longest_seconds(), 299);
}

TEST(AdaptiveThreshold, RefusesAndStaysAsItWas) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(Threshold({0.01, 0.1, 3}), Status::invalid_argument, "threshold is 0.01");
  EXPECT_ERROR(Threshold({0.35, 0, 3}), Status::invalid_argument, "learning_rate is 0");
  EXPECT_ERROR(Threshold({0.35, 1.5, 3}), Status::invalid_argument, "learning_rate is 1.5");
  EXPECT_ERROR(Threshold({0.35, nan, 3}), Status::invalid_argument, "learning_rate is nan");
  EXPECT_ERROR(Threshold({0.35, 0.1, -1}), Status::invalid_argument, "budget is -1");
  Threshold rule;
  EXPECT_ERROR(rule.observe_task("a", -1), Status::invalid_argument, "seconds is -1");
  EXPECT_ERROR(rule.observe_task("a", nan), Status::invalid_argument, "seconds is nan");
  EXPECT_ERROR(rule.observe_task(" ", 1), Status::invalid_argument, "name");
  EXPECT_ERROR(rule.observe_task(std::string(96, 'n'), 1), Status::invalid_argument, "name has 96 bytes");
  EXPECT_ERROR(rule.should_checkpoint("a", nan), Status::invalid_argument, "cost_seconds is nan");
  EXPECT_ERROR(rule.adjust_policy(nan, 1), Status::invalid_argument, "saved_seconds is nan");
  EXPECT_ERROR(rule.adjust_policy(1, -1), Status::invalid_argument, "checkpoint_seconds is -1");
  EXPECT_EQ(rule.history_size(), 0);
  EXPECT_DOUBLE_EQ(rule.threshold(), 0.35);
}

// ---- Failure models ----

TEST(AdaptiveModels, GammaPosterior) {
  GammaRate rate;
  EXPECT_DOUBLE_EQ(rate.hazard(0), 1.0 / 3600);
  EXPECT_DOUBLE_EQ(rate.hazard(3600), 1.0 / 7200);  // the current age is censored time
  rate.add({1000, true});
  rate.add({500, false});
  EXPECT_DOUBLE_EQ(rate.hazard(100), 2.0 / (3600 + 1000 + 500 + 100));
  GammaRate forgetful(1, 0.5);
  forgetful.add({1000, true});
  EXPECT_DOUBLE_EQ(forgetful.hazard(0), 1.5 / 2800);
}

TEST(AdaptiveModels, WeibullFindsTheLawItsGapsWereDrawnFrom) {
  for (const double shape : {0.5, 0.7, 1.0, 2.0}) {
    const Trace trace = draw_trace({shape, 10000}, 1, 4000, 3, 0);
    std::vector<Gap> gaps;
    for (const double seconds : trace) gaps.push_back({seconds, true});
    const auto fit = fit_weibull(gaps);
    ASSERT_TRUE(fit.has_value());
    EXPECT_NEAR(fit->shape, shape, 0.05 * shape);
    EXPECT_NEAR(fit->scale * std::tgamma(1 + 1 / shape), 10000, 1000);
    // Cutting every gap at 8000 s censors the longer ones and must not move the fit.
    for (Gap& gap : gaps) gap = gap.seconds > 8000 ? Gap{8000, false} : gap;
    const auto cut = fit_weibull(gaps);
    ASSERT_TRUE(cut.has_value());
    EXPECT_NEAR(cut->shape, shape, 0.07 * shape);
    EXPECT_NEAR(cut->scale, fit->scale, 0.07 * fit->scale);
  }
  EXPECT_FALSE(fit_weibull(std::vector<Gap>{{5, true}}).has_value());
  EXPECT_FALSE(fit_weibull(std::vector<Gap>{{5, true}, {5, true}}).has_value());
}

TEST(AdaptiveModels, WeibullScoreIsZeroAtTheFit) {
  const std::vector<Gap> gaps = {{100, true}, {250, true}, {40, true}, {900, false}, {330, true}};
  const auto fit = fit_weibull(gaps);
  ASSERT_TRUE(fit.has_value());
  const auto likelihood = [&](double shape, double scale) {
    double sum = 0;
    for (const Gap& gap : gaps) {
      sum -= std::pow(gap.seconds / scale, shape);
      if (gap.failed) sum += std::log(weibull_hazard(shape, scale, gap.seconds));
    }
    return sum;
  };
  const double best = likelihood(fit->shape, fit->scale);
  for (const double factor : {0.98, 1.02}) {
    EXPECT_GT(best, likelihood(fit->shape * factor, fit->scale));
    EXPECT_GT(best, likelihood(fit->shape, fit->scale * factor));
  }
}

TEST(AdaptiveModels, WindowKeepsTheLastGaps) {
  GapWindow window;
  for (int i = 1; i <= 600; ++i) window.add({static_cast<double>(i), i % 2 == 0});
  EXPECT_EQ(window.size(), GapWindow::capacity);
  EXPECT_DOUBLE_EQ(window.at(0).seconds, 89);
  EXPECT_FALSE(window.at(0).failed);
  EXPECT_DOUBLE_EQ(window.at(511).seconds, 600);
}

TEST(AdaptiveModels, BucketsCountFailuresPerExposedTime) {
  AgeBuckets ages(1, 1);
  for (int i = 0; i < 1000; ++i) ages.add({40, true});
  // All failures are at ages of 32 .. 64 s, where 8 s of each gap lie.
  EXPECT_NEAR(ages.hazard(50), 1000.0 / 8000, 0.01);
  EXPECT_LT(ages.hazard(10), 1e-4);
  EXPECT_GT(ages.hazard(1e9), 0);
}

TEST(AdaptiveModels, ReplayCountsSavesAndLostWork) {
  const auto every_100 = [](double) { return 100.0; };
  EXPECT_DOUBLE_EQ(replay_loss(every_100, 10, 0, 250), 20 + 30);   // two saves, 30 s of work lost
  EXPECT_DOUBLE_EQ(replay_loss(every_100, 10, 0, 215), 10 + 105);  // the second save was hit: 100 s of work and 5 s of saving
  EXPECT_DOUBLE_EQ(replay_loss(every_100, 10, 300, 250), 0);       // the restart was hit
  const double many = replay_loss(every_100, 10, 0, 110.0 * 1e7 + 30);
  EXPECT_NEAR(many, 10 * 1e7 + 30, 1);
}

// Whatever the numbers are; also where age + period is the gap to the last bit.
TEST(AdaptiveModels, ReplayEndsForAllNumbers) {
  int most = 0;
  for (const double gap : {5e-324, 1e-3, 1.0, 5e5, 3e9, 3e12, 7574776142299.443, 1e15, 1e100, 1e308, 1.7976931348623157e308}) {
    for (const double cost : {5e-324, 1e-308, 1e-3, 1.0, 1e15, 1e300, 1.7976931348623157e308}) {
      for (const double period : {0.0, 1e-308, 1e-3, 0.1, 3600.0, 1e200, std::numeric_limits<double>::infinity()}) {
        int asked = 0;
        const double loss = replay_loss(
            [&](double) {
              ++asked;
              return asked > 100'000 ? std::numeric_limits<double>::infinity() : period;
            },
            cost, 0, gap);
        EXPECT_GE(loss, 0) << gap << ", " << cost << ", " << period;
        most = std::max(most, asked);
      }
    }
  }
  EXPECT_LT(most, 15'000);
}

TEST(AdaptiveModels, HedgeFollowsTheBestAndComesBack) {
  Hedge::Weights even{};
  even.fill(1.0 / Hedge::experts);
  Hedge hedge(even);
  Hedge::Weights losses{};
  losses.fill(10);
  losses[3] = 0;
  for (int i = 0; i < 50; ++i) hedge.learn(losses, 10);
  EXPECT_GT(hedge.weights()[3], 0.9);
  losses.fill(10);
  losses[5] = 0;
  for (int i = 0; i < 50; ++i) hedge.learn(losses, 10);
  EXPECT_GT(hedge.weights()[5], 0.9);
  EXPECT_NEAR(std::accumulate(hedge.weights().begin(), hedge.weights().end(), 0.0), 1, 1e-12);
}

// ---- Traces ----

TEST(AdaptiveTrace, ReadsNumbersAndNamesTheLineThatIsNone) {
  EXPECT_EQ(parse_trace("# gaps\n10\n\n 2.5e3 \r\n0"), (Trace{10, 2500, 0}));
  EXPECT_ERROR(parse_trace("1\n\n-3\n"), Status::invalid_argument, "line 3: '-3'");
  EXPECT_ERROR(parse_trace("1\nnan\n"), Status::invalid_argument, "line 2: 'nan'");
  EXPECT_ERROR(parse_trace("1;2\n"), Status::invalid_argument, "line 1");
  EXPECT_ERROR(parse_trace("# nothing\n"), Status::invalid_argument, "no line with a number");
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
  EXPECT_EQ(draw_trace({1, 100}, 3, 50, 9, 1), draw_trace({1, 100}, 3, 50, 9, 1));
  EXPECT_NE(draw_trace({1, 100}, 3, 50, 9, 1), draw_trace({1, 100}, 3, 50, 9, 2));
}

// ---- The simulator ----

TEST(AdaptiveSimulation, FixedRunsByHand) {
  Machine machine;
  machine.cost = 10;
  machine.restart = 50;
  machine.poll = 10;
  // 100 s of work and 10 s of saving: two fit into 225 s; 40 s are less than a restart; then 50 + 110 fit exactly.
  EXPECT_EQ(run_fixed(100, machine, {225, 40, 160}), (Progress{200, 200, 300}));
  EXPECT_EQ(run_clairvoyant(machine, {225, 40, 160}), (Progress{215, 215, 315}));
  // Every second save is remote; every failure needs a remote one.
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

TEST(AdaptiveSimulation, NobodyBeatsTheClairvoyantAndBestFixedBeatsDaly) {
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
  ASSERT_EQ(figures.at("policies").size(), 10U);  // Daly's, the best fixed one and the bound stand last
  EXPECT_EQ(figures.at("policies").back().at("policy"), result.clairvoyant.name);
  const auto& curves = figures.at("extra_wall_curves");
  ASSERT_EQ(curves.size(), 7U);
  EXPECT_EQ(curves.at(0).at("policy"), "auto");
  EXPECT_EQ(curves.at(0).at("points").front().at(0), 1);
  // A curve ends where the table stands.
  EXPECT_EQ(curves.at(0).at("points").back(), nlohmann::json({150, figures.at("policies").at(0).at("extra_wall")}));
  ASSERT_EQ(figures.at("fixed_intervals").size(), result.fixed.size());
  EXPECT_EQ(figures.at("fixed_intervals").at(0), nlohmann::json({result.fixed[0].first, result.fixed[0].second}));
}

TEST(AdaptiveSimulation, RefusesWhatItCannotRun) {
  SimulationOptions options;
  EXPECT_ERROR(simulate(options), Status::invalid_argument, "neither a trace nor a law");
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
