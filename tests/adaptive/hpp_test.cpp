// The C++17 API of the adaptive part.
#include <gtest/gtest.h>
#include <ckpt/adaptive.hpp>

#include <string>

namespace {

TEST(AdaptiveHpp, ControllerDecidesAndSurvivesJson) {
  ckpt::Controller controller;
  EXPECT_GE(controller.now(), 0);
  controller.begin_run(0);
  controller.observe_task("step", 10);
  EXPECT_TRUE(controller.should_checkpoint(600).checkpoint);
  controller.begin(600);
  controller.commit(630, 30, 30);
  controller.record_failure(4000);
  controller.record_recovery(4300, 600, 30);
  EXPECT_EQ(controller.info().failures, 1);
  EXPECT_EQ(controller.list_tasks().at(0).name, "step");

  ckpt::Controller other;
  other.restore(controller.json());
  EXPECT_EQ(other.json(), controller.json());
  const double due = controller.should_checkpoint(4300).due_seconds;
  EXPECT_EQ(other.should_checkpoint(4300).due_seconds, due);
  EXPECT_EQ(other.decide_all(ckpt::Coordinator(), 4300, std::chrono::seconds(1)).due_seconds, due);
  other.begin(4400);
  other.abort(4401);
  other.notify_preemption(4402, 60);
  EXPECT_EQ(other.should_checkpoint(4402).reason, ckpt::Reason::preemption);
  other.record_clean_exit(4403);
  other.resume(5000);
  EXPECT_EQ(other.info().failures, 1);
  EXPECT_THROW(other.commit(5000, 1, 1), ckpt::Error);
}

TEST(AdaptiveHpp, ASaveInTheBackgroundCommitsByItself) {
  ckpt::CheckpointManager checkpoint(ckpt::Storage::memory());
  ckpt::AsyncManager async(checkpoint);
  ckpt::State state;
  ckpt::Controller controller;
  controller.begin_run(100);
  ckpt::SaveOptions options;
  options.step = 7;
  int ended_count = 0;
  ckpt::CheckpointTaskFunctions functions;
  functions.callbacks.ended = [&](const ckpt::CheckpointTaskResult& result) { ended_count += succeeded(result) ? 1 : 0; };
  const std::int64_t id = controller.save_async(700, async, state, options, {}, std::move(functions));
  const ckpt::CheckpointTaskResult result = async.wait(id);
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(ended_count, 1);
  EXPECT_EQ(controller.info().saves, 1);
  EXPECT_EQ(controller.info().save_in_flight, false);
  EXPECT_DOUBLE_EQ(controller.info().cost_seconds, std::chrono::duration<double>(result.stall).count());
  EXPECT_DOUBLE_EQ(controller.info().durable_seconds, std::chrono::duration<double>(result.durable).count());
  EXPECT_EQ(controller.info().last_seen_seconds, 700);  // times come from the caller only
  // The checkpoint contains the controller's state at the start of the save.
  ckpt::State loaded;
  checkpoint.load(loaded);
  ckpt::Controller other;
  other.restore(loaded.json(ckpt::State::controller_key));
  EXPECT_EQ(other.info().running, true);
  // A save that cannot start is aborted.
  async.close();
  EXPECT_THROW(controller.save_async(800, async, state, options), ckpt::Error);
  EXPECT_EQ(controller.info().save_in_flight, false);
  EXPECT_EQ(controller.info().saves, 1);
}

TEST(AdaptiveHpp, ThresholdAndFormulas) {
  ckpt::Threshold rule;
  rule.observe_task("a", 10);
  EXPECT_TRUE(rule.should_checkpoint("a", 10));
  EXPECT_FALSE(rule.should_checkpoint("b", 1));
  rule.adjust_policy(0, 2);
  EXPECT_NEAR(rule.info().threshold, 0.417, 5e-4);
  EXPECT_EQ(rule.list_tasks().at(0).checkpointed, true);
  rule.begin_run();
  EXPECT_EQ(rule.info().used, 0);
  rule.observe_failure("b", 99);
  EXPECT_EQ(rule.list_tasks().at(1).failed, true);
  EXPECT_EQ(rule.info().longest_seconds, 10);

  EXPECT_NEAR(ckpt::daly_interval(300, 86400) / 60, 116.7, 0.05);
  EXPECT_DOUBLE_EQ(ckpt::young_interval(50, 10000), 1000);
  EXPECT_DOUBLE_EQ(ckpt::weibull_interval(50, 1, 10000, 7), 1000);
  EXPECT_LT(ckpt::expected_value_interval(50, 10000), 1000);
  EXPECT_GT(ckpt::fit_weibull({10, 20, 30, 45}).shape, 1);
  EXPECT_THROW(ckpt::fit_weibull({10, 20}, {1}), ckpt::Error);
}

TEST(AdaptiveHpp, Simulation) {
  ckpt::SimulationOptions options;
  options.law = "exponential:20000";
  options.policies = "auto,bayes:0.9";
  options.failures = 12;
  options.replicas = 2;
  options.nodes = 2;
  options.remote_every = 4;
  options.local_cost_seconds = 3;
  options.remote_share = 0.25;
  const ckpt::Simulation simulation(options);
  EXPECT_NE(simulation.json().find("\"policy\": \"bayes:0.9\""), std::string::npos);
  EXPECT_NE(simulation.json().find("\"mtbf_seconds\": 10000"), std::string::npos);
  // The same failures give the same figures.
  EXPECT_EQ(ckpt::Simulation(options).json(), simulation.json());
}

}  // namespace
