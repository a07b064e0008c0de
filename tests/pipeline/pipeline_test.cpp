// Any number of stages with any schedule gives the bits of one stage with the same micro-batches.
#include "pipeline/pipeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "models.h"
#include "plan/verifier.h"
#include "strategy/custom.h"
#include "strategy/factory.h"

namespace ckpt::pipeline::test {
namespace {

using base::Status;

TEST(Pipeline, OneStageAndOneMicroBatchEqualAnExecutor) {
  const Model model = byte_model(16, 32, 2);
  const auto schedule = plan::make_store_all(model.chain->profile(model.input));
  engine::Executor executor(model.chain, *schedule, model.input, 0, std::make_shared<base::ThreadPool>(1),
                            std::make_shared<memory::Tracker>());
  const double loss = executor.run(step_of(model));
  const std::vector<std::byte> gradients = gradients_of(*model.chain);
  const Result result = run_once(model, options_of(Order::one_f_one_b, 1, 1));
  EXPECT_EQ(result.loss, loss);
  EXPECT_TRUE(result.gradients == gradients);
}

TEST(Pipeline, EveryNumberOfStagesAndEveryOrderGivesTheSameBits) {
  const Model model = byte_model(48, 32, 3);
  for (const std::int32_t micro_batches : {1, 2, 6, 8}) {
    const Result expected = one_stage(model, micro_batches);
    EXPECT_TRUE(std::isfinite(expected.loss));
    for (const std::int32_t stages : {1, 2, 3, 5}) {
      for (const Order order : {Order::gpipe, Order::one_f_one_b}) {
        EXPECT_TRUE(run_once(model, options_of(order, stages, micro_batches)) == expected)
            << stages << " stages, " << micro_batches << " micro-batches, order " << static_cast<int>(order);
      }
    }
  }
}

TEST(Pipeline, InterleavedGivesTheSameBits) {
  const Model model = byte_model(48, 32, 3);
  const Result expected = one_stage(model, 6);
  for (const std::int32_t stages : {1, 2, 3}) {
    for (const std::int32_t chunks : {1, 2, 4}) {
      EXPECT_TRUE(run_once(model, options_of(Order::interleaved, stages, 6, chunks)) == expected)
          << stages << " stages, " << chunks << " chunks";
    }
  }
}

TEST(Pipeline, EveryPolicyGivesTheSameBits) {
  const Model model = byte_model(48, 32, 2);
  const Result expected = one_stage(model, 8);
  std::vector<Policy> policies;
  policies.push_back({.kind = Policy::Kind::recompute_all});
  for (const std::int64_t interval : {0, 2, 3}) policies.push_back({.kind = Policy::Kind::selective, .interval = interval});
  for (const std::int64_t threshold : {0, 9000, 20000, 1 << 30})
    policies.push_back({.kind = Policy::Kind::memory_based, .threshold_bytes = threshold});
  policies.push_back({.kind = Policy::Kind::strategy, .strategy = strategy::make_interval(3)});
  policies.push_back({.kind = Policy::Kind::automatic});
  for (const Policy& policy : policies) {
    for (const auto& [order, chunks] : {std::pair{Order::gpipe, 1}, {Order::one_f_one_b, 1}, {Order::interleaved, 2}}) {
      PipelineOptions options = options_of(order, 2, 8, chunks);
      options.policy = policy;
      EXPECT_TRUE(run_once(model, options) == expected) << to_text(policy) << ", order " << static_cast<int>(order);
      EXPECT_EQ(options.tracker->stats().current_bytes, 0) << to_text(policy);
    }
  }
}

TEST(Pipeline, EveryPlanWithinTheStagesGivesTheSameBits) {
  const Model model = byte_model(24, 32, 3);
  const Result expected = one_stage(model, 4);
  for (const auto& [order, chunks] : {std::pair{Order::gpipe, 1}, {Order::one_f_one_b, 1}, {Order::interleaved, 2}}) {
    for (const std::int64_t interval : {1, 2, 3}) {
      for (const strategy::Chosen chosen : {strategy::Chosen::boundary, strategy::Chosen::recompute}) {
        PipelineOptions options = options_of(order, 2, 4, chunks);
        options.choice.strategy = strategy::make_interval(interval);
        options.choice.strategy->set_chosen(chosen);
        EXPECT_TRUE(run_once(model, options) == expected) << interval;
        options.policy.kind = Policy::Kind::recompute_all;
        EXPECT_TRUE(run_once(model, options) == expected) << interval << ", recompute-all";
      }
    }
  }
}

TEST(Pipeline, LiveBytesEqualTheVerifiersForTheWholeStage) {
  const Model model = byte_model(48, 32, 3);
  for (const auto& [order, chunks] : {std::pair{Order::gpipe, 1}, {Order::one_f_one_b, 1}, {Order::interleaved, 2}}) {
    for (const Policy::Kind kind : {Policy::Kind::store_all, Policy::Kind::recompute_all, Policy::Kind::memory_based}) {
      PipelineOptions options = options_of(order, 2, 8, chunks);
      options.policy = {.kind = kind, .threshold_bytes = 20000};
      const auto pipeline = make_pipeline(model, options);
      run_step(model, *pipeline, step_of(model));
      for (std::int32_t stage = 0; stage < 2; ++stage) {
        const plan::PlanReport report = plan::verify(*pipeline->schedule(stage), pipeline->profile(stage));
        const StageStats stats = pipeline->stats(stage);
        EXPECT_EQ(stats.executor.peak_live_bytes, report.peak_bytes[0]);
        EXPECT_EQ(stats.executor.forwards, report.forwards);
        EXPECT_EQ(stats.executor.recomputed_forwards, report.recomputed_forwards);
        EXPECT_EQ(stats.executor.live_bytes, 0);
      }
      EXPECT_EQ(options.tracker->stats().current_bytes, 0);
    }
  }
}

TEST(Pipeline, RecomputationUnder1F1BTakesAFractionOfGPipeStoreAll) {
  const Model model = byte_model(64, 64, 8);
  PipelineOptions all = options_of(Order::gpipe, 2, 8);
  const auto store_all = make_pipeline(model, all);
  run_step(model, *store_all, step_of(model));
  PipelineOptions less = options_of(Order::one_f_one_b, 2, 8);
  less.policy.kind = Policy::Kind::recompute_all;
  const auto recompute = make_pipeline(model, less);
  run_step(model, *recompute, step_of(model));
  EXPECT_LE(3 * less.tracker->stats().peak_bytes, all.tracker->stats().peak_bytes);
}

TEST(Pipeline, StepsSeedsAndSamplesKeyDropout) {
  const Model model = byte_model(16, 32, 2, 0.5);
  const auto pipeline = make_pipeline(model, options_of(Order::one_f_one_b, 2, 4));
  const Result first = run_step(model, *pipeline, step_of(model, 1));
  EXPECT_FALSE(run_step(model, *pipeline, step_of(model, 2)) == first);
  EXPECT_TRUE(run_step(model, *pipeline, step_of(model, 1)) == first);
  Step other = step_of(model, 1);
  other.first_sample = 4;
  EXPECT_NE(run_step(model, *pipeline, other).losses[0], first.losses[0]);
}

TEST(Pipeline, AccumulateAddsAndTheLossIsTheMean) {
  const Model model = byte_model(16, 32, 1, 0);
  const auto pipeline = make_pipeline(model, options_of(Order::one_f_one_b, 2, 4));
  const Result once = run_step(model, *pipeline, step_of(model));
  EXPECT_EQ(once.loss, (once.losses[0] + once.losses[1] + once.losses[2] + once.losses[3]) / 4);
  const float gradient = model.chain->parameters()[1].gradient->data_as<float>()[5];
  Step again = step_of(model);
  again.accumulate = true;
  run_step(model, *pipeline, again);
  EXPECT_FLOAT_EQ(model.chain->parameters()[1].gradient->data_as<float>()[5], 2 * gradient);
}

// Without dropout, splitting into micro-batches changes only the rounding.
TEST(Pipeline, GradientsAreThoseOfTheWholeBatch) {
  const Model model = byte_model(16, 32, 1, 0);
  const Result whole = one_stage(model, 1);
  std::vector<float> expected;
  for (const engine::Parameter& parameter : model.chain->parameters())
    expected.insert(expected.end(), parameter.gradient->data_as<float>(),
                    parameter.gradient->data_as<float>() + parameter.gradient->shape().elements());
  const Result cut = run_once(model, options_of(Order::one_f_one_b, 2, 4));
  EXPECT_NEAR(cut.loss, whole.loss, 1e-5);
  std::size_t i = 0;
  for (const engine::Parameter& parameter : model.chain->parameters()) {
    for (std::int64_t e = 0; e < parameter.gradient->shape().elements(); ++e, ++i)
      ASSERT_NEAR(parameter.gradient->data_as<float>()[e], expected[i], 1e-5);
  }
}

TEST(Pipeline, OutputsAndGradientsOfTheEndsAreSplitAndJoined) {
  ProbeModel model(5, [](const engine::RunContext&, bool) {});
  for (const auto& [order, chunks] : {std::pair{Order::gpipe, 1}, {Order::one_f_one_b, 1}, {Order::interleaved, 2}}) {
    const auto pipeline = Pipeline::create(model.chain, model.input, options_of(order, 2, 4, chunks));
    std::memset(model.output->data(), 0, 32);
    std::memset(model.input_gradient->data(), 0, 32);
    EXPECT_TRUE(std::isnan(pipeline->run(model.step(), -1, {})));
    EXPECT_EQ(std::memcmp(model.output->data(), model.data->data(), 32), 0);
    EXPECT_EQ(std::memcmp(model.input_gradient->data(), model.gradient->data(), 32), 0);
  }
}

TEST(Pipeline, EveryLayerSeesItsGlobalNumberAndItsSamples) {
  std::mutex mutex;
  std::vector<std::tuple<std::int64_t, std::int32_t, std::int64_t>> seen;
  ProbeModel model(6, [&](const engine::RunContext& context, bool forward) {
    const std::lock_guard lock(mutex);
    if (forward) seen.emplace_back(context.layer, context.micro_batch, context.first_sample);
  });
  for (const auto& [order, chunks] : {std::pair{Order::one_f_one_b, 1}, {Order::interleaved, 3}}) {
    seen.clear();
    Step step = model.step();
    step.first_sample = 100;
    Pipeline::create(model.chain, model.input, options_of(order, 2, 4, chunks))->run(step, -1, {});
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen.size(), 24U);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const auto layer = static_cast<std::int64_t>(i / 4);
      const auto micro_batch = static_cast<std::int32_t>(i % 4);
      EXPECT_EQ(seen[i], std::tuple(layer, micro_batch, std::int64_t{100 + 2 * micro_batch}));
    }
  }
}

// The two stages wait for each other inside their layers, so the step ends only if both compute at the same time.
TEST(Pipeline, StagesOverlap) {
  std::atomic<int> first_inside{0};
  std::atomic<int> second_inside{0};
  ProbeModel model(2, [&](const engine::RunContext& context, bool forward) {
    if (!forward) return;
    if (context.layer == 0 && context.micro_batch == 1) {
      first_inside = 1;
      while (second_inside == 0) std::this_thread::yield();
    }
    if (context.layer == 1 && context.micro_batch == 0) {
      second_inside = 1;
      while (first_inside == 0) std::this_thread::yield();
    }
  });
  const auto pipeline = Pipeline::create(model.chain, model.input, options_of(Order::one_f_one_b, 2, 4));
  pipeline->run(model.step(), -1, {});
  const Timeline timeline = pipeline->timeline();
  const auto find = [&](std::int32_t stage, std::int32_t micro_batch) {
    for (const Interval& each : timeline.intervals) {
      if (each.stage == stage && each.micro_batch == micro_batch && each.kind == Interval::Kind::forward) return each;
    }
    return Interval();
  };
  const Interval one = find(0, 1);
  const Interval other = find(1, 0);
  EXPECT_LT(std::max(one.begin_at_ns, other.begin_at_ns), std::min(one.end_at_ns, other.end_at_ns));
  EXPECT_LE(other.end_at_ns, timeline.step_ns);
  EXPECT_GE(timeline.bubble_fraction(), 0);
  EXPECT_LE(timeline.bubble_fraction(), 1);
}

TEST(Pipeline, ABudgetGivesEarlyAndLateStagesDifferentPlans) {
  const Model model = byte_model(32, 64, 12);
  PipelineOptions options = options_of(Order::one_f_one_b, 4, 8);
  options.begins = {0, 10, 20, 30};
  const auto free = make_pipeline(model, options);
  std::int64_t max = 0;
  std::int64_t min = INT64_MAX;
  for (std::int32_t stage = 0; stage < 4; ++stage) {
    max = std::max(max, plan::verify(*free->schedule(stage), free->profile(stage)).peak_bytes[0]);
    min = std::min(min, plan::verify(*free->schedule(stage), free->profile(stage)).peak_bytes[0]);
  }
  options.choice.budget_bytes = (max + min) / 2;
  const auto bound = make_pipeline(model, options);
  EXPECT_NE(bound->chunk_schedule(0, 0)->name(), "store-all");
  EXPECT_EQ(bound->chunk_schedule(3, 0)->name(), "store-all");
  for (std::int32_t stage = 0; stage < 4; ++stage)
    EXPECT_LE(bound->stats(stage).executor.reserved_bytes, options.choice.budget_bytes);
  const Result expected = run_step(model, *free, step_of(model));
  EXPECT_TRUE(run_step(model, *bound, step_of(model)) == expected);
  options.choice.budget_bytes = 100;
  const base::Error error = error_of([&] { make_pipeline(model, options); });
  EXPECT_EQ(error.status(), Status::over_budget);
  EXPECT_NE(error.message().find("the smallest that works for stage 0"), std::string::npos) << error.message();
}

TEST(Pipeline, CustomSchedules) {
  const Model model = byte_model(16, 32, 2);
  const Result expected = one_stage(model, 4);
  PipelineOptions options = options_of(Order::one_f_one_b, 2, 4);
  options.begins = {0, 4};
  const plan::ChainProfile whole = model.chain->profile({Dtype::u8, {4, 4}});
  options.choice.schedules = {plan::make_recompute_all(piece_profile(whole, 0, 4)),
                              plan::make_periodic(piece_profile(whole, 4, whole.layers()), 2)};
  EXPECT_TRUE(run_once(model, options) == expected);
  options.choice.schedules[1] = options.choice.schedules[0];
  EXPECT_EQ(error_of([&] { make_pipeline(model, options); }).status(), Status::invalid_argument);
}

TEST(Pipeline, ThePolicyMayChangeBetweenSteps) {
  const Model model = byte_model(16, 32, 2);
  const auto pipeline = make_pipeline(model, options_of(Order::gpipe, 2, 4));
  const Result expected = run_step(model, *pipeline, step_of(model));
  const std::int64_t before = pipeline->stats(0).executor.recomputed_forwards;
  pipeline->manager(0)->set_policy({.kind = Policy::Kind::recompute_all});
  EXPECT_TRUE(run_step(model, *pipeline, step_of(model)) == expected);
  EXPECT_EQ(before, 0);
  EXPECT_GT(pipeline->stats(0).executor.recomputed_forwards, 0);
  EXPECT_EQ(pipeline->stats(0).kept_micro_batches, 4);
  EXPECT_EQ(pipeline->stats(0).recomputed_micro_batches, 4);
}

// A log callback or a monitor may query at any moment: that must not make a step fail.
TEST(Pipeline, AStepWaitsForQueries) {
  const Model model = byte_model(16, 32, 1);
  const auto pipeline = make_pipeline(model, options_of(Order::gpipe, 2, 2));
  std::atomic<bool> ends{false};
  std::atomic<int> looks{0};
  const auto look = [&] {
    while (!ends.load()) {
      try {
        pipeline->stats(0);
        pipeline->timeline();
        ++looks;
      } catch (const base::Error& error) {
        EXPECT_EQ(error.status(), Status::busy);  // while a step runs
      }
    }
  };
  std::thread first(look);
  std::thread second(look);
  while (looks.load() < 2) std::this_thread::yield();
  for (int i = 0; i < 300; ++i) EXPECT_NO_THROW(run_step(model, *pipeline, step_of(model)));
  ends = true;
  first.join();
  second.join();
}

TEST(Pipeline, AStrategyGetsTheStageAndTheMicroBatch) {
  std::vector<std::string> asked;
  strategy::CustomHooks hooks;
  hooks.decide = [&](std::string_view name, const strategy::Activation&, std::int64_t index) {
    asked.push_back(base::cat(name, ":", index));
    return index % 2 == 0;
  };
  const Model model = byte_model(16, 32, 1);
  PipelineOptions options = options_of(Order::one_f_one_b, 2, 2);
  options.policy = {.kind = Policy::Kind::strategy, .strategy = std::make_shared<strategy::Custom>(hooks)};
  const auto pipeline = make_pipeline(model, options);
  asked.clear();
  run_step(model, *pipeline, step_of(model));
  EXPECT_EQ(asked, (std::vector<std::string>{"stage 0:0", "stage 0:1", "stage 1:0", "stage 1:1"}));
}

// The manager of a real stage recomputes exactly what it stored, including dropout.
TEST(Pipeline, TheManagersForwardEqualsTheStages) {
  const Model model = byte_model(16, 32, 2, 0.5);
  const auto pipeline = make_pipeline(model, options_of(Order::one_f_one_b, 2, 4));
  run_step(model, *pipeline, step_of(model));
  ActivationManager& manager = *pipeline->manager(0);
  manager.begin_step(4);
  const std::int64_t bytes = 4 * 4;
  std::vector<TensorPtr> inputs;
  for (std::int64_t m = 0; m < 4; ++m) {
    inputs.push_back(Tensor::borrow(model.tokens->data_as<std::byte>() + m * bytes, Dtype::u8, {4, 4}, {}));
    const TensorPtr activation = manager.recompute(inputs.back(), m);
    EXPECT_EQ(activation->bytes(), pipeline->profile(1).bytes_of(0));
    manager.store(m, *activation);
  }
  for (std::int64_t m = 0; m < 4; ++m) {
    const TensorPtr stored = manager.get_or_compute(inputs[static_cast<std::size_t>(m)], m);
    const TensorPtr again = manager.recompute(inputs[static_cast<std::size_t>(m)], m);
    EXPECT_EQ(std::memcmp(stored->data(), again->data(), static_cast<std::size_t>(again->bytes())), 0);
  }
  EXPECT_NE(std::memcmp(manager.get(0)->data(), manager.get(1)->data(), 64), 0);
  EXPECT_EQ(error_of([&] { pipeline->manager(1)->recompute(manager.get(0), 0); }).status(), Status::unsupported);
}

TEST(Pipeline, RefusesInvalidPipelines) {
  const Model model = byte_model(12, 32, 1);
  const auto message = [&](const PipelineOptions& options) { return error_of([&] { make_pipeline(model, options); }).message(); };
  EXPECT_EQ(message(options_of(Order::gpipe, 1, 0)), "micro_batches is 0; expected 1 .. 65536");
  EXPECT_EQ(message(options_of(Order::gpipe, 2, 5)), "micro_batches is 5; expected a divisor of the batch's 12 samples");
  EXPECT_EQ(message(options_of(Order::gpipe, 7, 2)), "stages times chunks is 7; expected at most the chain's 6 layers");
  EXPECT_EQ(message(options_of(Order::gpipe, 2, 2, 2)), "chunks is 2; expected 1, except for the interleaved schedule");
  EXPECT_EQ(message(options_of(Order::interleaved, 2, 3, 2)),
            "micro_batches is 3; expected a multiple of stages (2) for the interleaved schedule");
  PipelineOptions options = options_of(Order::gpipe, 2, 2);
  options.begins = {0, 6};
  EXPECT_EQ(message(options), "begins[1] is 6; expected more than 0 and less than 6");
  options.begins = {1, 2};
  EXPECT_EQ(message(options), "begins[0] is 1; expected 0, the first layer");
  const auto pipeline = make_pipeline(model, options_of(Order::gpipe, 2, 2));
  Step step = step_of(model);
  step.targets = nullptr;
  EXPECT_EQ(error_of([&] { pipeline->run(step, -1, {}); }).message(), "targets is NULL; expected targets for the loss layer");
  step = step_of(model);
  step.input = model.targets.get();
  EXPECT_EQ(error_of([&] { pipeline->run(step, -1, {}); }).status(), Status::invalid_argument);
  EXPECT_EQ(error_of([&] { pipeline->run(step_of(model), -2, {}); }).status(), Status::invalid_argument);
  EXPECT_EQ(error_of([&] { pipeline->stats(2); }).status(), Status::out_of_range);
  EXPECT_TRUE(run_step(model, *pipeline, step_of(model)) == one_stage(model, 2));
}

}  // namespace
}  // namespace ckpt::pipeline::test
