// A step in the steady state asks the system for no memory: every way to ask is counted here.
#include <gtest/gtest.h>

#include "heap_requests.h"
#include "models.h"

namespace ckpt::engine::test {
namespace {

TEST(SteadyState, AStepAllocatesNothing) {
  const Model model = byte_model(Dtype::f32, 64, 64, 4, 0.1);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  for (const auto& schedule : {plan::make_store_all(profile), plan::make_periodic(profile, 4), plan::make_recompute_all(profile)}) {
    const auto executor = executor_for(model, *schedule, 2);
    for (int i = 0; i < 3; ++i) executor->run(step_of(model, i));
    const std::int64_t before = heap_requests;
    for (int i = 3; i < 13; ++i) executor->run(step_of(model, i));
    EXPECT_EQ(heap_requests, before) << schedule->name();
  }
}

}  // namespace
}  // namespace ckpt::engine::test
