// No decision about a known layer allocates: every form of operator new is counted here.
#include "ask.h"
#include "heap_counts.h"
#include "strategy/factory.h"
#include "strategy/memory_aware.h"

namespace ckpt::strategy {
namespace {

class Allocation : public testing::TestWithParam<const char*> {};

TEST_P(Allocation, NoDecisionAllocates) {
  const auto strategy = from_text(GetParam());
  Names names;
  for (int i = 0; i < 100; ++i) names.push_back(base::cat("model.layers.", i, ".attention.output"));
  const auto pass = [&] {
    for (std::size_t i = 0; i < names.size(); ++i) {
      strategy->should_checkpoint(names[i], Activation(tensor::Dtype::f32, tensor::Shape{128, 8}), static_cast<std::int64_t>(i));
      strategy->observe_access(names[i]);
    }
  };
  pass();  // smart records the layers
  const std::int64_t before = heap_requests;
  for (int i = 0; i < 3; ++i) pass();
  EXPECT_EQ(heap_requests, before);
  EXPECT_EQ(strategy->counters().asked_layers, 400);
}

INSTANTIATE_TEST_SUITE_P(Strategy, Allocation,
                         testing::Values("interval:3", "selective:model.layers.3.attention.output,*.7.*,!*.8.*", "size:4,!*2*",
                                         "memory-aware", "smart:!*3", "any(smart,not(interval:8))",
                                         "first(*.1.*=all(size:1),#50..=interval:2,size:3)"));

TEST(Allocation, IsCounted) {
  const std::int64_t before = heap_requests;
  const auto strategy = make_interval(1);
  EXPECT_GT(heap_requests, before);
}

TEST(Allocation, MemoryAwareWithATrackerDoesNotAllocate) {
  const auto clock = std::make_shared<base::ManualClock>(0);
  MemoryAware strategy({0.8, std::make_shared<memory::Tracker>(), 1000, clock});
  const Activation activation(std::int64_t{1});
  strategy.should_checkpoint("x", activation, 0);
  clock->advance(10'000'000'000);
  const std::int64_t before = heap_requests;
  strategy.should_checkpoint("x", activation, 0);
  EXPECT_EQ(heap_requests, before);
  EXPECT_EQ(strategy.interval(), 3);
}

}  // namespace
}  // namespace ckpt::strategy
