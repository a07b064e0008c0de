// A head that is tied to an embedding of another stage: the same bits as in one stage.
#include <gtest/gtest.h>

#include <atomic>

#include "models.h"

namespace ckpt::pipeline::test {
namespace {

using engine::test::Passage;

// 8 layers, 9 with one between the blocks and the norm.
Model small_transformer(std::shared_ptr<engine::Layer> between = nullptr) {
  return engine::test::transformer(Dtype::f32, 8, 12, 16, 4, 2, 0.1, engine::test::Head::tied, std::move(between));
}

TEST(TiedStages, AnyNumberOfStagesAndAnyOrderGivesTheSameBits) {
  const Model model = small_transformer();
  for (const std::int32_t micro_batches : {1, 2, 4}) {
    const Result expected = one_stage(model, micro_batches);
    EXPECT_TRUE(std::isfinite(expected.loss));
    for (const std::int32_t stages : {2, 3, 4}) {
      for (const Order order : {Order::gpipe, Order::one_f_one_b}) {
        EXPECT_TRUE(run_once(model, options_of(order, stages, micro_batches)) == expected)
            << stages << " stages, " << micro_batches << " micro-batches, order " << static_cast<int>(order);
      }
    }
  }
  const Result expected = one_stage(model, 4);
  EXPECT_TRUE(run_once(model, options_of(Order::interleaved, 2, 4, 2)) == expected);
}

TEST(TiedStages, OneMicroBatchHasTheBitsOfAnExecutor) {
  const Model model = small_transformer();
  engine::Executor executor(model.chain, *plan::make_store_all(model.chain->profile(model.input)), model.input, 0,
                            std::make_shared<base::ThreadPool>(2), std::make_shared<memory::Tracker>());
  const double loss = executor.run(step_of(model));
  const std::vector<std::byte> gradients = gradients_of(*model.chain);
  const Result result = run_once(model, options_of(Order::one_f_one_b, 3, 1));
  EXPECT_EQ(result.loss, loss);
  EXPECT_TRUE(result.gradients == gradients);
}

TEST(TiedStages, EverySplitGivesTheSameBits) {
  const Model model = small_transformer();
  const Result expected = one_stage(model, 2);
  for (std::int64_t cut = 1; cut < model.chain->layers(); ++cut) {
    PipelineOptions options = options_of(Order::one_f_one_b, 2, 2);
    options.begins = {0, cut};
    EXPECT_TRUE(run_once(model, options) == expected) << "cut before layer " << cut;
  }
}

TEST(TiedStages, EveryPolicyGivesTheSameBits) {
  const Model model = small_transformer();
  const Result expected = one_stage(model, 4);
  for (const Policy& policy : {Policy{.kind = Policy::Kind::recompute_all}, Policy{.kind = Policy::Kind::selective, .interval = 2},
                               Policy{.kind = Policy::Kind::memory_based, .threshold_bytes = 9000}}) {
    PipelineOptions options = options_of(Order::one_f_one_b, 2, 4);
    options.policy = policy;
    EXPECT_TRUE(run_once(model, options) == expected) << to_text(policy);
    EXPECT_EQ(options.tracker->stats().current_bytes, 0) << to_text(policy);
  }
}

// Gradients accumulated over two steps are the same in any split, too.
TEST(TiedStages, AccumulatedGradientsHaveTheBitsOfOneStage) {
  const Model model = small_transformer();
  const auto accumulated = [&](std::int32_t stages) {
    const auto pipeline = make_pipeline(model, options_of(Order::one_f_one_b, stages, 4));
    run_step(model, *pipeline, step_of(model, 3));
    Step step = step_of(model, 4);
    step.accumulate = true;
    return run_step(model, *pipeline, step);
  };
  const Result expected = accumulated(1);
  EXPECT_FALSE(expected.gradients == one_stage(model, 4, 4).gradients);
  for (const std::int32_t stages : {2, 3}) EXPECT_TRUE(accumulated(stages) == expected) << stages << " stages";
}

// The head's partial gradient must not appear in the next step.
TEST(TiedStages, AStepThatFailsAfterTheHeadsBackwardHasNoEffect) {
  std::atomic<bool> fails{false};
  const Model model = small_transformer(std::make_shared<Passage>("fault", [&](const engine::RunContext& context, bool forward) {
    if (fails && !forward && context.micro_batch == 1) base::fail(base::Status::internal, "this backward fails");
  }));
  const Result expected = one_stage(model, 2);
  const auto pipeline = make_pipeline(model, options_of(Order::one_f_one_b, 2, 2));
  EXPECT_TRUE(run_step(model, *pipeline, step_of(model)) == expected);
  fails = true;
  EXPECT_EQ(error_of([&] { run_step(model, *pipeline, step_of(model)); }).status(), base::Status::internal);
  fails = false;
  EXPECT_TRUE(run_step(model, *pipeline, step_of(model)) == expected);
  fails = true;
  EXPECT_THROW(run_step(model, *pipeline, step_of(model)), base::Error);
  fails = false;
  model.chain->zero_gradients();
  Step step = step_of(model);
  step.accumulate = true;
  EXPECT_TRUE(run_step(model, *pipeline, step) == expected);
}

// A non-finite loss in one stage fails the step on all stages.
TEST(TiedStages, ALossThatIsNotFiniteEndsTheStep) {
  const Model model = small_transformer();
  const Result expected = one_stage(model, 2);
  const auto pipeline = make_pipeline(model, options_of(Order::gpipe, 2, 2));
  float& bias = engine::test::parameter_named(*model.chain, "norm.bias").value->data_as<float>()[3];
  const float before = bias;
  bias = INFINITY;
  EXPECT_EQ(error_of([&] { run_step(model, *pipeline, step_of(model)); }).status(), base::Status::out_of_range);
  bias = before;
  EXPECT_TRUE(run_step(model, *pipeline, step_of(model)) == expected);
}

}  // namespace
}  // namespace ckpt::pipeline::test
