// The threshold rule with every worked number of its reference.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

#include "adaptive/threshold.h"
#include "adaptive/trace.h"
#include "expect_error.h"

namespace ckpt::adaptive {
namespace {

using base::Status;

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

TEST(AdaptiveThreshold, ScenarioBNeedsAnUnlimitedBudget) {
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

TEST(AdaptiveThreshold, StaysInBoundsForAllInputs) {
  Threshold rule({0.35, 1, 3});
  for (std::uint64_t i = 0; i < 2000; ++i) {
    rule.adjust_policy(1e6 * uniform(1, 0, 0, i), 1e6 * uniform(1, 0, 1, i));
    ASSERT_GE(rule.threshold(), 0.05);
    ASSERT_LE(rule.threshold(), 1);
  }
}

TEST(AdaptiveThreshold, KeepsOnlyTheLastTasks) {
  Threshold rule;
  for (int i = 0; i < 300; ++i) rule.observe_task(base::cat("task ", i), i);
  EXPECT_EQ(rule.history_size(), 256);
  EXPECT_STREQ(rule.history(0).name.data(), "task 44");
  EXPECT_STREQ(rule.history(255).name.data(), "task 299");
  EXPECT_DOUBLE_EQ(rule.longest_seconds(), 299);
}

TEST(AdaptiveThreshold, RefusalsChangeNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(Threshold({0.01, 0.1, 3}), Status::invalid_argument, "threshold is 0.01");
  EXPECT_ERROR(Threshold({0.35, 0, 3}), Status::invalid_argument, "learning_rate is 0");
  EXPECT_ERROR(Threshold({0.35, 1.5, 3}), Status::invalid_argument, "learning_rate is 1.5");
  EXPECT_ERROR(Threshold({0.35, nan, 3}), Status::invalid_argument, "learning_rate is nan");
  EXPECT_ERROR(Threshold({0.35, 0.1, -1}), Status::invalid_argument, "budget is -1");
  Threshold rule;
  EXPECT_ERROR(rule.observe_task("a", -1), Status::invalid_argument, "duration_seconds is -1");
  EXPECT_ERROR(rule.observe_task("a", nan), Status::invalid_argument, "duration_seconds is nan");
  EXPECT_ERROR(rule.observe_task(" ", 1), Status::invalid_argument, "name");
  EXPECT_ERROR(rule.observe_task(std::string(96, 'n'), 1), Status::invalid_argument, "name has 96 bytes");
  EXPECT_ERROR(rule.should_checkpoint("a", nan), Status::invalid_argument, "cost_seconds is nan");
  EXPECT_ERROR(rule.adjust_policy(nan, 1), Status::invalid_argument, "saved_seconds is nan");
  EXPECT_ERROR(rule.adjust_policy(1, -1), Status::invalid_argument, "overhead_seconds is -1");
  EXPECT_EQ(rule.history_size(), 0);
  EXPECT_DOUBLE_EQ(rule.threshold(), 0.35);
}

}  // namespace
}  // namespace ckpt::adaptive
