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

TEST(EngineHpp, PlannersAreListed) {
  EXPECT_NE(ckpt::known_planners().find("auto:BYTES[,SECONDS][,TABLE_BYTES] - "), std::string::npos);
}

}  // namespace
