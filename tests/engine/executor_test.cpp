// The executor's contract: every schedule gives the bits of store-all, and needs the bytes predicted by the verifier.
#include "engine/executor.h"

#include <gtest/gtest.h>

#include "models.h"
#include "plan/planners.h"
#include "plan/planners/auto_planner.h"
#include "plan/planners/chain_planner.h"
#include "plan/planners/revolve.h"

namespace ckpt::engine::test {
namespace {

struct Result {
  double loss = 0;
  std::vector<std::byte> gradients;
};

Result run_once(const Model& model, const plan::Schedule& schedule, int thread_count) {
  const auto executor = executor_for(model, schedule, thread_count);
  Result result;
  result.loss = executor->run(step_of(model));
  result.gradients = gradients_of(*model.chain);
  return result;
}

TEST(Executor, EveryScheduleAndThreadCountGivesTheSameBits) {
  const Model model = byte_model(Dtype::f32, 72, 96, 4, 0.2);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const Result store_all = run_once(model, *plan::make_store_all(profile), 1);
  EXPECT_TRUE(std::isfinite(store_all.loss));
  for (const auto& schedule : schedules_of(profile)) {
    for (const int thread_count : {1, 2, 3, 5}) {
      const Result result = run_once(model, *schedule, thread_count);
      EXPECT_EQ(result.loss, store_all.loss) << schedule->name() << ", " << thread_count << " threads";
      EXPECT_TRUE(result.gradients == store_all.gradients) << schedule->name() << ", " << thread_count << " threads";
    }
  }
}

// Dropout's second option keeps no mask: a schedule with it must give the same bits, too.
TEST(Executor, EveryOptionGivesTheSameBits) {
  const Model model = byte_model(Dtype::f32, 40, 32, 2, 0.5);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const auto store_all = plan::make_store_all(profile);
  const Result expected = run_once(model, *store_all, 2);

  plan::Cursor cursor(store_all);
  std::vector<plan::Action> actions;
  do {
    plan::Action action = cursor.next();
    const bool runs = action.kind == plan::Kind::forward_tape || action.kind == plan::Kind::backward;
    if (runs && profile.layer(action.first).options.size() == 2) action.option = 1;
    actions.push_back(action);
  } while (actions.back().kind != plan::Kind::end);
  const auto regenerate = plan::make_list(profile.layers(), actions);
  const Result result = run_once(model, *regenerate, 2);
  EXPECT_EQ(result.loss, expected.loss);
  EXPECT_TRUE(result.gradients == expected.gradients);
  EXPECT_LT(plan::verify(*regenerate, profile).peak_bytes[0], plan::verify(*store_all, profile).peak_bytes[0]);
}

TEST(Executor, LiveBytesEqualTheVerifiers) {
  const Model model = byte_model(Dtype::f32, 24, 32, 4, 0.1);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  for (const auto& schedule : schedules_of(profile)) {
    const auto tracker = std::make_shared<memory::Tracker>();
    const auto executor = executor_for(model, *schedule, 2, tracker);
    executor->run(step_of(model));
    const plan::PlanReport report = plan::verify(*schedule, profile);
    const ExecutorStats& stats = executor->stats();
    EXPECT_EQ(stats.peak_live_bytes, report.peak_bytes[0]) << schedule->name();
    EXPECT_EQ(tracker->stats().peak_bytes, report.peak_bytes[0]) << schedule->name();
    EXPECT_EQ(tracker->stats().current_bytes, 0) << schedule->name();
    EXPECT_EQ(stats.live_bytes, 0) << schedule->name();
    EXPECT_EQ(stats.forwards, report.forwards) << schedule->name();
    EXPECT_EQ(stats.recomputed_forwards, report.recomputed_forwards) << schedule->name();
    EXPECT_EQ(stats.reserved_bytes, plan::place(plan::make_program(*schedule, profile)).arena_bytes) << schedule->name();
  }
}

TEST(Executor, TransfersToASlowerTierGiveTheSameBits) {
  const Model model = byte_model(Dtype::f32, 16, 32, 1, 0.1);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const Result expected = run_once(model, *plan::make_store_all(profile), 1);
  // The input of the head (layer 4) moves to tier 1 as soon as it exists, and is loaded before it is needed.
  const auto store_all = plan::make_store_all(profile);
  plan::Cursor cursor(store_all);
  std::vector<plan::Action> actions;
  do {
    const plan::Action action = cursor.next();
    if (action.kind == plan::Kind::backward && action.first == 4) {
      actions.push_back(
          {.kind = plan::Kind::load_begin, .first = 4, .item = plan::Item::input, .tier = 1, .slot = 0, .transfer = 2});
      actions.push_back({.kind = plan::Kind::await, .transfer = 2});
      actions.push_back({.kind = plan::Kind::drop, .tier = 1, .slot = 0});
    }
    actions.push_back(action);
    if (action.kind == plan::Kind::forward_tape && action.first == 4) {
      actions.push_back(
          {.kind = plan::Kind::store_begin, .first = 4, .item = plan::Item::input, .tier = 1, .slot = 0, .transfer = 1});
      actions.push_back(plan::drop_input(4));
      actions.push_back({.kind = plan::Kind::await, .transfer = 1});
    }
  } while (actions.back().kind != plan::Kind::end);
  const Result result = run_once(model, *plan::make_list(profile.layers(), actions), 2);
  EXPECT_EQ(result.loss, expected.loss);
  EXPECT_TRUE(result.gradients == expected.gradients);
}

// Recomputes every layer from x_0, in place if possible, and records it alone, under this option or the highest that it has.
std::vector<plan::Action> by_record_and_advance(const plan::ChainProfile& profile, std::int32_t max_option) {
  const std::int64_t n = profile.layers();
  std::vector<plan::Action> actions;
  const auto option_of = [&](std::int64_t layer) {
    return std::min(max_option, static_cast<std::int32_t>(profile.layer(layer).options.size()) - 1);
  };
  // Computes INPUT(to); of the inputs only INPUT(0) is kept.
  const auto reach = [&](std::int64_t to) {
    std::int64_t at = 0;
    while (at < to) {
      const bool advances = at > 0 && profile.layer(at).has(plan::in_place);
      actions.push_back(advances ? plan::advance(at, at + 1) : plan::forward(at, at + 1));
      if (!advances && at > 0) actions.push_back(plan::drop_input(at));
      ++at;
    }
  };
  for (std::int64_t layer = n; layer-- > 0;) {
    reach(layer);
    plan::Action run = layer == n - 1 ? plan::forward_tape(layer) : plan::record(layer);
    run.option = option_of(layer);
    actions.push_back(run);
    if (layer == n - 1) {
      actions.push_back(plan::turn());
      actions.push_back(plan::drop_input(n));
    }
    plan::Action backward = plan::backward(layer);
    backward.option = run.option;
    actions.push_back(backward);
    actions.push_back(plan::drop_input(layer));
  }
  actions.push_back(plan::end());
  return actions;
}

TEST(Executor, RecordAndAdvanceGiveTheSameBitsAndTheVerifiersBytes) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Model model = byte_model(dtype, 72, 96, 3, 0.3);
    const plan::ChainProfile profile = model.chain->profile(model.input);
    const Result expected = run_once(model, *plan::make_store_all(profile), 1);
    for (const std::int32_t option : {0, 1}) {
      const auto schedule = plan::make_list(profile.layers(), by_record_and_advance(profile, option));
      const auto executor = executor_for(model, *schedule, 2);
      EXPECT_EQ(executor->run(step_of(model)), expected.loss);
      EXPECT_TRUE(gradients_of(*model.chain) == expected.gradients) << "dropout's option " << option;
      const plan::PlanReport report = plan::verify(*schedule, profile);
      EXPECT_EQ(executor->stats().peak_live_bytes, report.peak_bytes[0]);
      EXPECT_EQ(executor->stats().forwards, report.forwards);
      EXPECT_LT(report.peak_bytes[0], plan::verify(*plan::make_recompute_all(profile), profile).peak_bytes[0]);
    }
  }
}

TEST(Executor, RecordOfBlocksGivesTheSameBitsAndTheVerifiersBytes) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Model model = transformer(dtype, 3, 20, 16, 4, 2, 0.2);
    const plan::ChainProfile profile = model.chain->profile(model.input);
    const Result expected = run_once(model, *plan::make_store_all(profile), 1);
    for (const std::int32_t option : {0, 1, 2, 3}) {
      const auto schedule = plan::make_list(profile.layers(), by_record_and_advance(profile, option));
      const auto executor = executor_for(model, *schedule, 2);
      EXPECT_EQ(executor->run(step_of(model)), expected.loss) << "option " << option;
      EXPECT_TRUE(gradients_of(*model.chain) == expected.gradients) << "option " << option;
      EXPECT_EQ(executor->stats().peak_live_bytes, plan::verify(*schedule, profile).peak_bytes[0]) << "option " << option;
    }
  }
}

// A layer that writes outside of its output, tape and gradient would overwrite another buffer: the check finds none.
TEST(Executor, BlocksWriteOnlyTheirBuffers) {
  const Model model = transformer(Dtype::f32, 3, 20, 16, 4, 2, 0.2);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const Result expected = run_once(model, *plan::make_store_all(profile), 1);
  for (const std::int32_t option : {0, 1, 2, 3}) {
    const auto schedule = plan::make_list(profile.layers(), by_record_and_advance(profile, option));
    ExecutorChecks checks;
    checks.recompute = RecomputeCheck::bitwise;
    checks.writes = true;
    Executor executor(model.chain, *schedule, model.input, 0, threads(2), std::make_shared<memory::Tracker>(), nullptr, checks);
    EXPECT_EQ(executor.run(step_of(model)), expected.loss) << "option " << option;
    EXPECT_TRUE(gradients_of(*model.chain) == expected.gradients) << "option " << option;
  }
}

TEST(Executor, RevolveGivesTheSameBitsAndTheVerifiersBytes) {
  const Model model = byte_model(Dtype::f32, 24, 32, 3, 0.3);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const Result expected = run_once(model, *plan::make_store_all(profile), 1);
  for (std::int64_t slots = 1; slots <= profile.layers() + 1; ++slots) {
    const auto schedule = plan::make_revolve(profile, slots, false);
    const auto executor = executor_for(model, *schedule, 2);
    EXPECT_EQ(executor->run(step_of(model)), expected.loss);
    EXPECT_TRUE(gradients_of(*model.chain) == expected.gradients) << slots << " slots";
    EXPECT_EQ(executor->stats().peak_live_bytes, plan::verify(*schedule, profile).peak_bytes[0]);
  }
}

// The profile has bytes but no seconds: the planners then count forwards.
TEST(Executor, SchedulesForABudgetGiveTheSameBitsAndTheVerifiersBytes) {
  const Model model = byte_model(Dtype::f32, 24, 32, 3, 0.3);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const Result expected = run_once(model, *plan::make_store_all(profile), 1);
  for (const auto planner : {plan::ChainPlanner::chain, plan::ChainPlanner::tapes}) {
    const auto points = plan::frontier_points(profile, planner == plan::ChainPlanner::chain ? "chain" : "tapes", 1000).points;
    ASSERT_GT(points.size(), 3U);
    EXPECT_EQ(points.back().recomputed_forwards, 0);
    EXPECT_GT(points.front().recomputed_forwards, points.back().recomputed_forwards);
    for (const plan::FrontierPoint& point : points) {
      const auto schedule = plan::make_chain_for_budget(profile, planner, point.reserved_bytes);
      const auto executor = executor_for(model, *schedule, 2);
      EXPECT_EQ(executor->run(step_of(model)), expected.loss) << schedule->name();
      EXPECT_TRUE(gradients_of(*model.chain) == expected.gradients) << schedule->name();
      const plan::PlanReport report = plan::verify(*schedule, profile);
      EXPECT_EQ(executor->stats().peak_live_bytes, report.peak_bytes[0]) << schedule->name();
      EXPECT_LE(executor->stats().reserved_bytes, point.reserved_bytes) << schedule->name();
      EXPECT_LE(report.recomputed_forwards, point.recomputed_forwards) << schedule->name();
    }
  }
}

TEST(Executor, RefusesToAdvanceALayerThatCannotRunInPlace) {
  const Model model = byte_model(Dtype::f32, 8, 16, 1, 0);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  std::vector<plan::Action> actions = by_record_and_advance(profile, 0);
  // Layer 1 is linear: its input is dropped after it in the first pass.
  ASSERT_EQ(actions[1], plan::forward(1, 2));
  actions[1] = plan::advance(1, 2);
  actions.erase(actions.begin() + 2);
  const auto schedule = plan::make_list(profile.layers(), actions);
  EXPECT_NO_THROW(plan::verify(*schedule, profile));
  try {
    executor_for(model, *schedule);
    FAIL() << "nothing was refused";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.status(), base::Status::invalid_schedule);
    EXPECT_EQ(error.message(), "schedule advances layer 1 (block0.linear) in place; expected the flag in_place");
  }
}

TEST(Executor, StepsAndSeedsKeyDropout) {
  const Model model = byte_model(Dtype::f32, 16, 32, 2, 0.5);
  const auto schedule = plan::make_store_all(model.chain->profile(model.input));
  const auto executor = executor_for(model, *schedule);
  const double first = executor->run(step_of(model, 1));
  EXPECT_NE(executor->run(step_of(model, 2)), first);
  EXPECT_EQ(executor->run(step_of(model, 1)), first);
  Step other = step_of(model, 1);
  other.seed = 43;
  EXPECT_NE(executor->run(other), first);
  other = step_of(model, 1);
  other.first_sample = 16;
  EXPECT_NE(executor->run(other), first);
}

TEST(Executor, AccumulateAddsGradients) {
  const Model model = byte_model(Dtype::f64, 8, 16, 1, 0);
  const auto schedule = plan::make_store_all(model.chain->profile(model.input));
  const auto executor = executor_for(model, *schedule);
  executor->run(step_of(model));
  const double once = model.chain->parameters()[1].gradient->data_as<double>()[5];
  Step again = step_of(model);
  again.accumulate = true;
  executor->run(again);
  EXPECT_DOUBLE_EQ(model.chain->parameters()[1].gradient->data_as<double>()[5], 2 * once);
}

TEST(Executor, ABudgetLimitsReservedBytes) {
  const Model model = byte_model(Dtype::f32, 32, 64, 6, 0.1);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const auto store_all = plan::make_store_all(profile);
  const std::int64_t all = executor_for(model, *store_all)->stats().reserved_bytes;
  const std::int64_t budget = all * 45 / 100;
  EXPECT_THROW(Executor(model.chain, *store_all, model.input, budget, threads(1), std::make_shared<memory::Tracker>()),
               base::Error);
  const auto schedule = plan::make_auto(profile, budget, {});
  const Executor executor(model.chain, *schedule, model.input, budget, threads(1), std::make_shared<memory::Tracker>());
  EXPECT_LE(executor.stats().reserved_bytes, budget);
}

TEST(Executor, RefusesMismatchedData) {
  const Model model = byte_model(Dtype::f32, 8, 16, 1, 0);
  const auto schedule = plan::make_store_all(model.chain->profile(model.input));
  const auto executor = executor_for(model, *schedule);
  Step step = step_of(model);
  step.targets = nullptr;
  EXPECT_THROW(executor->run(step), base::Error);
  step = step_of(model);
  step.input = model.targets.get();
  EXPECT_THROW(executor->run(step), base::Error);
  step = step_of(model);
  step.step = -1;
  EXPECT_THROW(executor->run(step), base::Error);
  step = step_of(model);
  step.input_gradient = model.tokens.get();
  EXPECT_THROW(executor->run(step), base::Error);
}

TEST(Executor, ABadTokenOrTargetFailsTheStepAndTheNextOneSucceeds) {
  const Model model = byte_model(Dtype::f32, 8, 16, 1, 0.1);
  const auto tracker = std::make_shared<memory::Tracker>();
  const auto schedule = plan::make_store_all(model.chain->profile(model.input));
  const auto executor = executor_for(model, *schedule, 2, tracker);
  const double loss = executor->run(step_of(model));
  const auto bad_tokens = Tensor::create(Dtype::u8, model.input.shape);
  std::memset(bad_tokens->data(), 200, static_cast<std::size_t>(bad_tokens->bytes()));
  Step step = step_of(model);
  step.input = bad_tokens.get();
  try {
    executor->run(step);
    ADD_FAILURE() << "token 200 was accepted";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.status(), base::Status::out_of_range);
    EXPECT_EQ(error.message(), "layer 'embedding': token 0 is 200; expected 0 .. 63");
  }
  const auto bad_targets = Tensor::create(Dtype::i32, {8});
  for (int i = 0; i < 8; ++i) bad_targets->data_as<std::int32_t>()[i] = -1;
  step = step_of(model);
  step.targets = bad_targets.get();
  EXPECT_THROW(executor->run(step), base::Error);
  EXPECT_EQ(executor->stats().live_bytes, 0);
  EXPECT_EQ(tracker->stats().current_bytes, 0);
  EXPECT_EQ(executor->run(step_of(model)), loss);
}

TEST(Executor, AChainIsFrozenAndItsNamesAreUnique) {
  const Model model = byte_model(Dtype::f32, 8, 16, 1, 0.1);
  EXPECT_THROW(model.chain->add(make_relu("loss")), base::Error);
  const auto schedule = plan::make_store_all(model.chain->profile(model.input));
  const auto executor = executor_for(model, *schedule);
  EXPECT_THROW(model.chain->add(make_relu("late")), base::Error);
}

}  // namespace
}  // namespace ckpt::engine::test
