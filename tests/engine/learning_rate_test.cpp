#include "engine/learning_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "models.h"

namespace ckpt::engine::test {
namespace {

using Kind = LearningRateSchedule::Kind;

LearningRateSchedule schedule_of(Kind kind, std::int64_t warm_up_steps = 4, std::int64_t steps = 104) {
  return {.kind = kind, .peak_rate = 0.5, .last_rate = 0.125, .warm_up_steps = warm_up_steps, .steps = steps};
}

TEST(LearningRate, GrowsInAStraightLineToItsPeak) {
  for (const Kind kind : {Kind::constant, Kind::linear, Kind::cosine}) {
    for (std::int64_t step = 0; step < 4; ++step)
      EXPECT_DOUBLE_EQ(learning_rate_at(schedule_of(kind), step), 0.5 * static_cast<double>(step + 1) / 5) << step;
    EXPECT_DOUBLE_EQ(learning_rate_at(schedule_of(kind), 4), 0.5);
  }
}

TEST(LearningRate, HasTheValuesOfItsFormula) {
  for (const std::int64_t step : {4, 5, 29, 54, 79, 103, 104, 1000}) {
    const double done = std::min(1.0, static_cast<double>(step - 4) / 100);
    EXPECT_EQ(learning_rate_at(schedule_of(Kind::constant), step), 0.5) << step;
    EXPECT_NEAR(learning_rate_at(schedule_of(Kind::linear), step), 0.5 - 0.375 * done, 1e-15) << step;
    EXPECT_NEAR(learning_rate_at(schedule_of(Kind::cosine), step), 0.125 + 0.375 * (1 + std::cos(std::acos(-1.0) * done)) / 2,
                1e-15)
        << step;
  }
  // Computed manually: half of the way, and a quarter.
  EXPECT_NEAR(learning_rate_at(schedule_of(Kind::cosine), 54), 0.3125, 1e-15);
  EXPECT_NEAR(learning_rate_at(schedule_of(Kind::cosine), 29), 0.125 + 0.375 * (2 + std::sqrt(2.0)) / 4, 1e-15);
  EXPECT_NEAR(learning_rate_at(schedule_of(Kind::linear), 29), 0.40625, 1e-15);
}

TEST(LearningRate, NeverGrowsAfterItsPeakAndStaysInRange) {
  for (const Kind kind : {Kind::linear, Kind::cosine}) {
    for (const std::int64_t warm_up_steps : {0, 1, 7, 300}) {
      const LearningRateSchedule schedule = schedule_of(kind, warm_up_steps, 300);
      double before = 0;
      for (std::int64_t step = 0; step < 310; ++step) {
        const double rate = learning_rate_at(schedule, step);
        EXPECT_GT(rate, 0) << step;
        EXPECT_LE(rate, 0.5) << step;
        if (step < warm_up_steps) {
          EXPECT_GT(rate, before) << step;
        } else {
          EXPECT_GE(rate, 0.125) << step;
          if (step > warm_up_steps) {
            EXPECT_LE(rate, before) << step;
          }
        }
        if (step >= 300) {
          EXPECT_EQ(rate, 0.125) << step;
        }
        before = rate;
      }
    }
  }
}

TEST(LearningRate, HasTheGivenEndValues) {
  for (const Kind kind : {Kind::linear, Kind::cosine}) {
    EXPECT_EQ(learning_rate_at(schedule_of(kind, 0, 0), 0), 0.125);  // there is no step before the end
    EXPECT_EQ(learning_rate_at(schedule_of(kind, 3, 3), 3), 0.125);
    EXPECT_DOUBLE_EQ(learning_rate_at(schedule_of(kind, 0, 1), 0), 0.5);
    EXPECT_EQ(learning_rate_at(schedule_of(kind, 0, 1), 1), 0.125);
    EXPECT_EQ(learning_rate_at(schedule_of(kind), INT64_MAX), 0.125);
    EXPECT_TRUE(std::isfinite(learning_rate_at(schedule_of(kind, INT64_MAX, INT64_MAX), INT64_MAX - 1)));
    EXPECT_DOUBLE_EQ(learning_rate_at(schedule_of(kind, 0, INT64_MAX), 1), 0.5);
    LearningRateSchedule flat = schedule_of(kind);
    flat.last_rate = flat.peak_rate;
    for (const std::int64_t step : {4, 50, 104}) EXPECT_EQ(learning_rate_at(flat, step), 0.5);
    LearningRateSchedule none = schedule_of(kind);
    none.peak_rate = none.last_rate = 0;
    for (const std::int64_t step : {0, 4, 50, 104}) EXPECT_EQ(learning_rate_at(none, step), 0);
  }
}

TEST(LearningRate, RefusesValuesOutOfRange) {
  const auto refused = [](LearningRateSchedule schedule, std::int64_t step, const std::string& text) {
    const base::Error error = thrown_by([&] { learning_rate_at(schedule, step); });
    EXPECT_EQ(error.status(), base::Status::invalid_argument) << text;
    EXPECT_TRUE(contains(error, text)) << error.message();
  };
  const auto with = [](Kind kind, auto change) {
    LearningRateSchedule schedule = schedule_of(kind);
    change(schedule);
    return schedule;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Kind kind : {Kind::constant, Kind::linear, Kind::cosine}) {
    for (const double peak : {-1.0, nan, HUGE_VAL})
      refused(with(kind, [&](auto& schedule) { schedule.peak_rate = peak; }), 1, "peak_rate");
    refused(with(kind, [](auto& schedule) { schedule.warm_up_steps = -1; }), 1, "warm_up_steps is -1");
    refused(schedule_of(kind), -1, "step is -1");
  }
  for (const Kind kind : {Kind::linear, Kind::cosine}) {
    for (const double last : {-0.1, 0.6, nan})
      refused(with(kind, [&](auto& schedule) { schedule.last_rate = last; }), 1, "last_rate");
    refused(with(kind, [](auto& schedule) { schedule.steps = 3; }), 1, "step_count is 3");
  }
  for (const std::int32_t kind : {-1, 3}) refused(schedule_of(static_cast<Kind>(kind)), 1, "kind is " + std::to_string(kind));
  // A constant schedule reads neither.
  const LearningRateSchedule constant = with(Kind::constant, [](auto& schedule) {
    schedule.last_rate = -7;
    schedule.steps = -7;
  });
  EXPECT_EQ(learning_rate_at(constant, 9), 0.5);
}

}  // namespace
}  // namespace ckpt::engine::test
