// Functions of plan.hpp and engine.hpp that the examples and the conformance runner do not use.
#include <ckpt/ckpt.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

namespace {

TEST(EngineHpp, ASharedScheduleIsTheSame) {
  ckpt::Chain chain;
  chain.add(ckpt::Layer("relu", "relu"));
  const ckpt::Profile profile = chain.profile(ckpt::TensorSpec{ckpt::DType::f32, {2, 2}});
  std::optional<ckpt::Schedule> first(ckpt::Schedule::create(profile, "store-all"));
  const ckpt::Schedule second = first->share();
  EXPECT_EQ(second.handle(), first->handle());
  first.reset();
  EXPECT_EQ(second.layer_count(), 1);
  ckpt::Cursor cursor(second);
  EXPECT_EQ(ckpt::action_kind_name(cursor.next_many(1).at(0).kind), "FORWARD_TAPE");
}

TEST(EngineHpp, ABlasWithoutFunctionsIsRefused) {
  try {
    ckpt::set_blas(CKPT_BLAS_INIT);
    FAIL() << "it was taken";
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::invalid_argument);
  }
}

// Before any test that runs a layer with a BLAS.
TEST(EngineHpp, KernelsAreSetOnce) {
  const auto status_of = [](const std::string& name) {
    try {
      ckpt::set_blas_kernels(name);
    } catch (const ckpt::Error& error) {
      return error.status();
    }
    return ckpt::Status::ok;
  };
#if defined(__x86_64__)
  EXPECT_EQ(status_of("Skylake"), ckpt::Status::invalid_argument);
  EXPECT_EQ(status_of("best"), ckpt::Status::ok);
  EXPECT_EQ(ckpt::blas_info().find(';'), std::string::npos);
  EXPECT_EQ(status_of("best"), ckpt::Status::invalid_state);
#else
  EXPECT_EQ(status_of("best"), ckpt::Status::unsupported);
#endif
}

TEST(EngineHpp, AFollowerReportsChanges) {
  ckpt::Chain chain;
  for (const char* name : {"a", "b", "c"}) chain.add(ckpt::Layer(name, "relu"));
  const ckpt::TensorSpec input{ckpt::DType::f32, {2, 2}};
  ckpt::Follower follower(chain.profile(input), ckpt::Strategy::interval(2));
  bool changed = false;
  const ckpt::Schedule first = follower.next(&changed);
  EXPECT_TRUE(changed);
  const ckpt::Schedule second = follower.next(&changed);
  EXPECT_FALSE(changed);
  EXPECT_EQ(first.fingerprint(), second.fingerprint());
  EXPECT_EQ(follower.next().layer_count(), 3);
  ckpt::ScheduleExecutorOptions options;
  options.follower = follower;
  EXPECT_EQ(ckpt::ScheduleExecutor(chain, first, input, options).stats().live_bytes, 0);
}

// y = 2x, which records without an output.
class Double final : public ckpt::CustomLayer {
 public:
  explicit Double(int& records) : records_(records) {}
  ckpt::LayerFlag flags() const override { return ckpt::LayerFlag::deterministic; }
  ckpt::TensorSpec output(const ckpt::TensorSpec& input) override { return input; }
  void forward(const ckpt::LayerContext&, const void* input, void* output, void*, void*) override { twice(input, output); }
  bool has_record() const override { return true; }
  void record(const ckpt::LayerContext&, const void*, void*, void*) override { ++records_; }
  void backward(const ckpt::LayerContext&, const void*, const void*, const void*, const void* grad_output, void* grad_input,
                void*) override {
    twice(grad_output, grad_input);
  }

 private:
  static void twice(const void* from, void* to) {
    for (int i = 0; i < 4; ++i) static_cast<float*>(to)[i] = 2 * static_cast<const float*>(from)[i];
  }
  int& records_;
};

// The loss: minus the mean of the values at the targets; each sample is a part of the pool's run.
class Pick final : public ckpt::CustomLayer {
 public:
  explicit Pick(std::optional<ckpt::Tensor>& kept) : kept_(kept) {}
  ckpt::TensorSpec output(const ckpt::TensorSpec&) override { return {ckpt::DType::f32, {1}}; }
  void forward(const ckpt::LayerContext& context, const void* input, void* output, void*, void*) override {
    const ckpt::Tensor targets = ckpt::Tensor::share(context.targets);
    const std::int64_t samples = context.input.shape[0];
    std::vector<float> picked(static_cast<std::size_t>(samples));
    ckpt::WorkerPool::run(context.pool, samples, [&](std::int64_t sample) {
      const auto target = targets.data_as<std::int32_t>()[sample];
      picked[static_cast<std::size_t>(sample)] = static_cast<const float*>(input)[sample * context.input.shape[1] + target];
    });
    *static_cast<float*>(output) = -std::accumulate(picked.begin(), picked.end(), 0.0F) / static_cast<float>(samples);
    kept_ = targets.share();
  }
  void backward(const ckpt::LayerContext& context, const void*, const void*, const void*, const void* grad_output, void* grad_input,
                void*) override {
    const std::int64_t samples = context.input.shape[0];
    const auto* const targets = static_cast<const std::int32_t*>(ckpt_tensor_get_const_data(context.targets));
    auto* const to = static_cast<float*>(grad_input);
    std::fill_n(to, samples * context.input.shape[1], 0.0F);
    for (std::int64_t i = 0; i < samples; ++i) {
      to[i * context.input.shape[1] + targets[i]] = -*static_cast<const float*>(grad_output) / static_cast<float>(samples);
    }
  }

 private:
  std::optional<ckpt::Tensor>& kept_;
};

TEST(EngineHpp, ACustomLossReadsTargetsAndRunsParts) {
  std::optional<ckpt::Tensor> kept;
  {
    ckpt::Chain chain;
    chain.add(ckpt::Layer::custom("pick", std::make_unique<Pick>(kept)));
    ckpt::Tensor x(ckpt::DType::f32, {4, 2});
    ckpt::Tensor targets(ckpt::DType::i32, {4});
    ckpt::Tensor gradient(ckpt::DType::f32, {4, 2});
    for (int i = 0; i < 8; ++i) x.data_as<float>()[i] = static_cast<float>(i * i);
    for (int i = 0; i < 4; ++i) targets.data_as<std::int32_t>()[i] = i % 2;
    ckpt::Step step;
    step.input = x;
    step.targets = targets;
    step.input_gradient = gradient;
    const ckpt::TensorSpec spec{ckpt::DType::f32, {4, 2}};
    ckpt::ScheduleExecutor executor(chain, ckpt::Schedule::create(chain.profile(spec), "store-all"), spec);
    EXPECT_EQ(executor.run(step), -(0 + 9 + 16 + 49) / 4.0);
    const auto* const g = gradient.data_as<float>();
    EXPECT_EQ(std::vector<float>(g, g + 8), (std::vector<float>{-0.25F, 0, 0, -0.25F, -0.25F, 0, 0, -0.25F}));
  }
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->data_as<std::int32_t>()[3], 1);
}

TEST(EngineHpp, ProfilesAreMeasuredInTheChainRefinedAndWritten) {
  int records = 0;
  ckpt::Chain chain;
  chain.add(ckpt::Layer::custom("double", std::make_unique<Double>(records))).add(ckpt::Layer("relu", "relu"));
  ckpt::Tensor x(ckpt::DType::f32, {2, 2});
  x.fill(3);
  ckpt::Step step;
  step.input = x;
  step.output_gradient = x;
  const ckpt::Profile measured = chain.measured_profile(step, 2);
  EXPECT_GT(records, 0);
  EXPECT_TRUE(measured.option(0, 0).has_record);
  EXPECT_GT(measured.option(0, 0).forward_seconds, 0);
  ckpt::ScheduleExecutorOptions options;
  options.recompute_check = ckpt::RecomputeCheck::bitwise;
  options.check_writes = true;
  ckpt::ScheduleExecutor executor(chain, ckpt::Schedule::create(measured, "store-all"), {ckpt::DType::f32, {2, 2}}, options);
  executor.run(step);
  const ckpt::Profile refined = executor.refine(measured);
  EXPECT_EQ(refined.option(0, 0).record_seconds, measured.option(0, 0).record_seconds);  // not run by the schedule
  const ckpt::Profile again = ckpt::Profile::from_json(refined.json());
  EXPECT_EQ(again.json(), refined.json());
  EXPECT_EQ(again.layer_name(1), "relu");
  EXPECT_THROW(ckpt::Profile::from_json("{}"), ckpt::Error);
}

TEST(EngineHpp, ItemsMoveThroughTheStorageOfATier) {
  ckpt::Chain chain;
  ckpt::Profile profile(16);
  for (const char* name : {"a", "b", "c", "d"}) {
    chain.add(ckpt::Layer(name, "relu"));
    ckpt::LayerProfile layer;
    layer.output_bytes = 16;
    ckpt::OptionProfile option;
    option.forward_seconds = 1;
    profile.add_layer(name, layer).add_option(option);
  }
  const ckpt::TensorSpec spec{ckpt::DType::f32, {2, 2}};
  const ckpt::Storage memory = ckpt::Storage::memory();
  ckpt::ScheduleExecutorOptions options;
  options.tier1_storage = memory;
  ckpt::ScheduleExecutor executor(chain, ckpt::Schedule::create(profile, "two-level:1,2"), spec, options);
  ckpt::Tensor ones(spec.dtype, spec.shape);
  ones.fill(1);
  ckpt::Step step;
  step.input = ones;
  step.output_gradient = ones;
  executor.run(step);
  EXPECT_GE(executor.stats().stored_bytes[1], 16);
  EXPECT_GE(executor.stats().loaded_bytes[1], 16);
  EXPECT_GT(executor.stats().transfer_wait.count(), 0);
}

// y = x; stores whether the context reported an evaluation.
class EvaluationRecorder final : public ckpt::CustomLayer {
 public:
  explicit EvaluationRecorder(std::vector<bool>& evaluations) : evaluation_(evaluations) {}
  ckpt::TensorSpec output(const ckpt::TensorSpec& input) override { return input; }
  void forward(const ckpt::LayerContext& context, const void* input, void* output, void*, void*) override {
    evaluation_.push_back(context.evaluation);
    std::copy_n(static_cast<const float*>(input), 6 * 4 * 8, static_cast<float*>(output));
  }
  void backward(const ckpt::LayerContext&, const void*, const void*, const void*, const void* grad_output, void* grad_input,
                void*) override {
    std::copy_n(static_cast<const float*>(grad_output), 6 * 4 * 8, static_cast<float*>(grad_input));
  }

 private:
  std::vector<bool>& evaluation_;
};

TEST(EngineHpp, ATiedHeadLearnsAndIsEvaluated) {
  std::vector<bool> evaluations;
  const ckpt::WorkerPool pool(2);
  ckpt::Chain chain;
  const ckpt::Layer embedding("embedding", "token_embedding:16,4,8");
  chain.add(embedding)
      .add(ckpt::Layer("dropout", "dropout", 0.5))
      .add(ckpt::Layer::custom("told", std::make_unique<EvaluationRecorder>(evaluations)));
  chain.add(ckpt::Layer::tied_head("head", embedding)).add(ckpt::Layer("loss", "softmax_cross_entropy"));
  chain.initialize(3);
  chain.set_worker_pool(pool);
  EXPECT_EQ(chain.parameters().size(), 2U);  // the head adds none
  const ckpt::TensorSpec spec{ckpt::DType::u8, {6, 4}};
  ckpt::Tensor tokens(spec.dtype, spec.shape);
  for (int i = 0; i < 24; ++i) tokens.data_as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 5 % 16);
  ckpt::ScheduleExecutorOptions options;
  options.check_finite = true;
  ckpt::ScheduleExecutor executor(chain, ckpt::Schedule::create(chain.profile(spec), "store-all"), spec, options);
  ckpt::Step step;
  step.input = tokens;
  step.targets = tokens;
  auto optimizer = ckpt::Optimizer::sgd(chain, 1);
  const double first = executor.evaluate(step, 5);
  EXPECT_EQ(evaluations, std::vector<bool>{true});
  for (; step.step < 20; ++step.step) {
    executor.run(step);
    optimizer.step();
  }
  EXPECT_FALSE(evaluations.back());
  const double last = executor.evaluate(step, 5);
  EXPECT_LT(last, first);
  step.step = 3;
  EXPECT_EQ(executor.evaluate(step, 5), last);
  EXPECT_EQ(optimizer.learning_rate(), 1);
  optimizer.set_learning_rate(0);
  optimizer.step();
  EXPECT_GT(optimizer.step_and_zero(), 0);
  EXPECT_EQ(optimizer.step_and_zero(1), 0);  // the gradients are zero
  EXPECT_THROW(optimizer.step_and_zero(-1), ckpt::Error);
  EXPECT_EQ(executor.evaluate(step, 5), last);
  EXPECT_THROW(optimizer.set_learning_rate(-1), ckpt::Error);
  EXPECT_THROW(ckpt::Layer::tied_head("head", ckpt::Layer("relu", "relu")), ckpt::Error);
}

TEST(EngineHpp, RatesFollowAScheduleAndBiasesNeedNotDecay) {
  ckpt::LearningRateSchedule schedule;
  schedule.kind = ckpt::LearningRateKind::cosine;
  schedule.peak_rate = 1;
  schedule.last_rate = 0.25;
  schedule.warm_up_steps = 3;
  schedule.step_count = 11;
  EXPECT_EQ(ckpt::learning_rate_at(schedule, 0), 0.25);
  EXPECT_EQ(ckpt::learning_rate_at(schedule, 3), 1);
  EXPECT_NEAR(ckpt::learning_rate_at(schedule, 7), 0.625, 1e-12);
  EXPECT_EQ(ckpt::learning_rate_at(schedule, 11), 0.25);

  ckpt::Chain chain;
  chain.add(ckpt::Layer("linear", "linear", 2, 2));
  chain.initialize(1);
  auto parameters = chain.parameters();
  for (ckpt::Parameter& parameter : parameters) parameter.value.fill(1);
  ckpt::AdamWOptions options;
  options.decay_matrices_only = true;
  ckpt::Optimizer::adamw(chain, options).step();
  EXPECT_LT(parameters[0].value.data_as<float>()[0], 1);
  EXPECT_EQ(parameters[1].value.data_as<float>()[0], 1);
}

TEST(EngineHpp, PlannersAreListed) {
  EXPECT_NE(ckpt::known_planners().find("auto:BYTES[,SECONDS][,TABLE_BYTES] - "), std::string::npos);
}

}  // namespace
