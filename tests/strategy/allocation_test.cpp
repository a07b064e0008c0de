// No decision about a known layer allocates: every form of operator new is counted here.
#include <cstdlib>
#include <new>

#include "ask.h"
#include "strategy/factory.h"

namespace {
thread_local long allocations = 0;

void* counted(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  ++allocations;
  const auto step = static_cast<std::size_t>(alignment);
  if (void* const memory = std::aligned_alloc(step, (bytes + step - 1) / step * step)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

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
  pass();  // smart learns the layers
  const long before = allocations;
  for (int i = 0; i < 3; ++i) pass();
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(strategy->counters().asked, 400);
}

INSTANTIATE_TEST_SUITE_P(Strategy, Allocation,
                         testing::Values("interval:3", "selective:model.layers.3.attention.output,*.7.*,!*.8.*", "size:4,!*2*",
                                         "memory-aware", "smart:!*3", "any(smart,not(interval:8))",
                                         "first(*.1.*=all(size:1),#50..=interval:2,size:3)"));

TEST(Allocation, IsCounted) {
  const long before = allocations;
  const auto strategy = make_interval(1);
  EXPECT_GT(allocations, before);
}

TEST(Allocation, MemoryAwareWithATrackerAdjustsWithout) {
  const auto clock = std::make_shared<base::ManualClock>(0);
  MemoryAware strategy({0.8, std::make_shared<memory::Tracker>(), 1000, clock});
  const Activation activation(std::int64_t{1});
  strategy.should_checkpoint("x", activation, 0);
  clock->advance(10'000'000'000);
  const long before = allocations;
  strategy.should_checkpoint("x", activation, 0);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(strategy.interval(), 3);
}

}  // namespace
}  // namespace ckpt::strategy
