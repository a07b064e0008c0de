// What the examples and the conformance runner do not use of plan.hpp and engine.hpp.
#include <ckpt/ckpt.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace {

TEST(EngineHpp, ASharedScheduleIsTheSame) {
  ckpt::Chain chain;
  chain.add(ckpt::Layer::relu("relu"));
  const ckpt::Profile profile = chain.profile(ckpt::tensor_spec(CKPT_DTYPE_F32, {2, 2}));
  std::optional<ckpt::Schedule> first(ckpt::Schedule::store_all(profile));
  const ckpt::Schedule second = first->share();
  EXPECT_EQ(second.handle(), first->handle());
  first.reset();
  EXPECT_EQ(second.layers(), 1);
  ckpt::Cursor cursor(second);
  EXPECT_EQ(ckpt::action_name(cursor.next_many(1).at(0).kind), "FORWARD_TAPE");
}

TEST(EngineHpp, ABlasWithoutFunctionsIsRefused) {
  try {
    ckpt::set_blas(CKPT_BLAS_INIT);
    FAIL() << "it was taken";
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), CKPT_E_INVALID_ARGUMENT);
  }
}

}  // namespace
