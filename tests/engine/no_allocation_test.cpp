// A step in the steady state asks the system for no memory: every way to ask is counted here.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "models.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
  void* const memory = alignment == 0 ? std::malloc(size == 0 ? 1 : size)
                                      : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return counted(size, 0); }
void* operator new[](std::size_t size) { return counted(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) { return counted(size, static_cast<std::size_t>(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return counted(size, static_cast<std::size_t>(alignment)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size, 0); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace ckpt::engine::test {
namespace {

TEST(SteadyState, AStepAllocatesNothing) {
  const Model model = byte_model(Dtype::f32, 64, 64, 4, 0.1);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  for (const auto& schedule : {plan::make_store_all(profile), plan::make_periodic(profile, 4), plan::make_recompute_all(profile)}) {
    const auto executor = executor_for(model, *schedule, 2);
    for (int i = 0; i < 3; ++i) executor->run(step_of(model, i));
    allocations = 0;
    counting = true;
    for (int i = 3; i < 13; ++i) executor->run(step_of(model, i));
    counting = false;
    EXPECT_EQ(allocations.load(), 0) << schedule->name();
  }
}

}  // namespace
}  // namespace ckpt::engine::test
