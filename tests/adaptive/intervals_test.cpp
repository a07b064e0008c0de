// The formulas for the interval between two saves.
#include <gtest/gtest.h>

#include <cmath>

#include "adaptive/intervals.h"

namespace ckpt::adaptive {
namespace {

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

}  // namespace
}  // namespace ckpt::adaptive
