// What the examples and the conformance runner do not use of plan.hpp and engine.hpp.
#include <ckpt/ckpt.hpp>

#include <gtest/gtest.h>

#include <optional>

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

TEST(EngineHpp, AFollowerSaysWhatChanged) {
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

TEST(EngineHpp, ItemsGoThroughTheStorageOfATier) {
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

TEST(EngineHpp, PlannersAreListed) { EXPECT_NE(ckpt::known_planners().find("budget:BYTES - "), std::string::npos); }

}  // namespace
