// The failure models, the replay of past gaps, and the hedge among policies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "adaptive/age_buckets.h"
#include "adaptive/forecast.h"
#include "adaptive/intervals.h"
#include "adaptive/replay.h"
#include "adaptive/trace.h"
#include "expect_error.h"

namespace ckpt::adaptive {
namespace {

TEST(AdaptiveModels, GammaPosterior) {
  GammaRate rate;
  EXPECT_DOUBLE_EQ(rate.hazard(0), 1.0 / 3600);
  EXPECT_DOUBLE_EQ(rate.hazard(3600), 1.0 / 7200);  // the current age counts as censored time
  rate.add({1000, true});
  rate.add({500, false});
  EXPECT_DOUBLE_EQ(rate.hazard(100), 2.0 / (3600 + 1000 + 500 + 100));
  GammaRate forgetful(1, 0.5);
  forgetful.add({1000, true});
  EXPECT_DOUBLE_EQ(forgetful.hazard(0), 1.5 / 2800);
}

TEST(AdaptiveModels, WeibullFitRecoversTheParameters) {
  for (const double shape : {0.5, 0.7, 1.0, 2.0}) {
    const Trace trace = draw_trace({shape, 10000}, 1, 4000, 3, 0);
    std::vector<Gap> gaps;
    for (const double seconds : trace) gaps.push_back({seconds, true});
    const auto fit = fit_weibull(gaps);
    ASSERT_TRUE(fit.has_value());
    EXPECT_NEAR(fit->shape, shape, 0.05 * shape);
    EXPECT_NEAR(fit->scale * std::tgamma(1 + 1 / shape), 10000, 1000);
    // Censoring every gap at 8000 s must not move the fit.
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
  // All failures happen at ages of 32 .. 64 s, and 8 s of each gap fall into that range.
  EXPECT_NEAR(ages.hazard(50), 1000.0 / 8000, 0.01);
  EXPECT_LT(ages.hazard(10), 1e-4);
  EXPECT_GT(ages.hazard(1e9), 0);
}

TEST(AdaptiveModels, ReplayCountsSavesAndLostWork) {
  const auto every_100 = [](double) { return 100.0; };
  EXPECT_DOUBLE_EQ(replay_loss(every_100, 10, 0, 250), 20 + 30);  // two saves, 30 s of work lost
  EXPECT_DOUBLE_EQ(replay_loss(every_100, 10, 0, 215),
                   10 + 105);  // failure during the second save: 100 s of work and 5 s of saving lost
  EXPECT_DOUBLE_EQ(replay_loss(every_100, 10, 300, 250), 0);  // failure during the restart
  const double many = replay_loss(every_100, 10, 0, 110.0 * 1e7 + 30);
  EXPECT_NEAR(many, 10 * 1e7 + 30, 1);
}

// For all numbers, also if age + period equals the gap to the last bit.
TEST(AdaptiveModels, ReplayEndsForAllNumbers) {
  int max = 0;
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
        max = std::max(max, asked);
      }
    }
  }
  EXPECT_LT(max, 15'000);
}

TEST(AdaptiveModels, HedgeFollowsTheBestPolicyAndRecovers) {
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

}  // namespace
}  // namespace ckpt::adaptive
