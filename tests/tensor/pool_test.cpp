#include <cstring>
#include <thread>
#include <vector>

#include "expect_error.h"
#include "sanitizer_options.h"
#include "tensor/buffer_pool.h"
#include "tensor/tensor.h"

namespace ckpt::tensor {
namespace {

using base::Status;

TEST(TensorPool, ReusesTheSameSizeAndCounts) {
  const auto pool = BufferPool::create(nullptr, "test");
  void* first = nullptr;
  {
    const Buffer buffer = pool->take(100);
    first = buffer.data();
    EXPECT_EQ(pool->stats().live_bytes, 100);
    EXPECT_EQ(pool->stats().live_buffers, 1);
    EXPECT_EQ(pool->stats().reserved_bytes, 128);
  }
  EXPECT_EQ(pool->stats().live_bytes, 0);
  EXPECT_EQ(pool->stats().retained_bytes, 128);
  EXPECT_EQ(pool->stats().retained_buffers, 1);
  const Buffer again = pool->take(65);  // the same after rounding up to 64
  EXPECT_EQ(again.data(), first);
  std::memset(again.data(), 1, 65);
  const Buffer other = pool->take(129);
  EXPECT_NE(other.data(), first);
  const BufferPoolStats stats = pool->stats();
  EXPECT_EQ(stats.taken, 3);
  EXPECT_EQ(stats.reused, 1);
  EXPECT_EQ(stats.live_bytes, 65 + 129);
  EXPECT_EQ(stats.reserved_bytes, 128 + 192);
  EXPECT_EQ(stats.peak_reserved_bytes, 128 + 192);
  EXPECT_EQ(stats.retained_bytes, 0);
}

TEST(TensorPool, ALoopAllocatesInItsFirstRoundOnly) {
  const auto pool = BufferPool::create(nullptr, "test");
  for (int step = 0; step < 10; ++step) {
    std::vector<Buffer> buffers;
    for (const std::int64_t bytes : {1000, 2000, 1000, 64}) buffers.push_back(pool->take(bytes));
  }
  EXPECT_EQ(pool->stats().taken, 40);
  EXPECT_EQ(pool->stats().reused, 36);
  EXPECT_EQ(pool->stats().reserved_bytes, pool->stats().retained_bytes);
}

TEST(TensorPool, TheTrackerCountsEveryByte) {
  const auto tracker = std::make_shared<memory::Tracker>();
  auto pool = BufferPool::create(tracker, "activations");
  auto a = Tensor::create(Dtype::f32, Shape{25}, pool);
  auto b = Tensor::create(Dtype::f32, Shape{25}, pool);
  EXPECT_EQ(tracker->stats().current_bytes, 200);
  EXPECT_EQ(tracker->stats().live_allocations, 2);
  pool.reset();  // the tensors keep it alive
  a.reset();
  EXPECT_EQ(tracker->stats().current_bytes, 100);
  b.reset();
  EXPECT_EQ(tracker->stats().current_bytes, 0);
  EXPECT_EQ(tracker->stats().peak_bytes, 200);
  EXPECT_EQ(tracker->stats().total_freed_bytes, 200);
}

TEST(TensorPool, ATrackersHandlerMayUseThePool) {
  const auto tracker = std::make_shared<memory::Tracker>();
  const auto pool = BufferPool::create(tracker, "test");
  int calls = 0;
  tracker->events().subscribe(memory::all_event_kinds, [&](const memory::Event&) {
    ++calls;
    pool->trim();
    EXPECT_GE(pool->stats().reserved_bytes, 0);
  });
  { const Buffer buffer = pool->take(100); }
  EXPECT_EQ(calls, 3);  // allocated, new peak, freed
}

TEST(TensorPool, MemoryIsFreedEvenIfTheTrackerWasReset) {
  const auto tracker = std::make_shared<memory::Tracker>();
  const auto pool = BufferPool::create(tracker, "test");
  {
    const Buffer buffer = pool->take(100);
    tracker->free_layer("test");
  }
  EXPECT_EQ(pool->stats().live_bytes, 0);
  EXPECT_EQ(pool->stats().retained_bytes, 128);
}

TEST(TensorPool, AFailedTakeHasNoEffect) {
  const auto tracker = std::make_shared<memory::Tracker>();
  const auto pool = BufferPool::create(tracker, "test");
  expect_error(Status::invalid_argument, "bytes is -1", [&] { pool->take(-1); });
  expect_error(Status::out_of_memory, "bytes is", [&] { pool->take(std::int64_t{1} << 61); });
  EXPECT_EQ(tracker->stats().allocations, 0);
  // The system provides the memory, but the tracker refuses: its total would exceed INT64_MAX.
  const memory::LayerId layer = tracker->layer("elsewhere");
  tracker->free(tracker->allocate(layer, INT64_MAX - 10));
  expect_error(Status::out_of_range, "bytes is 100", [&] { pool->take(100); });
  EXPECT_EQ(pool->stats().reserved_bytes, 0);
  EXPECT_EQ(pool->stats().taken, 0);
  // The same with a retained buffer.
  { const Buffer small = pool->take(5); }
  expect_error(Status::out_of_range, "bytes is 50", [&] { pool->take(50); });
  EXPECT_EQ(pool->stats().retained_bytes, 64);
  EXPECT_EQ(pool->stats().reserved_bytes, 64);
  EXPECT_EQ(pool->stats().taken, 1);
  EXPECT_EQ(pool->stats().reused, 0);
}

TEST(TensorPool, KeepsTheNewestWithinItsLimit) {
  const auto pool = BufferPool::create(nullptr, "test", 256);
  { const Buffer too_large = pool->take(257); }
  EXPECT_EQ(pool->stats().reserved_bytes, 0);
  for (const std::int64_t bytes : {64, 128, 192}) {
    const Buffer buffer = pool->take(bytes);  // each is returned before the next is taken
  }
  // 64 and 128 fit; for 192, older ones are freed until 256 are left: 64 + 192 would fit, but the oldest is freed first.
  EXPECT_EQ(pool->stats().retained_bytes, 192);
  EXPECT_EQ(pool->stats().retained_buffers, 1);
  EXPECT_EQ(pool->stats().reserved_bytes, 192);
  { const Buffer newest = pool->take(192); }
  EXPECT_EQ(pool->stats().reused, 1);
  EXPECT_LE(pool->stats().retained_bytes, pool->retain_limit());
}

TEST(TensorPool, ALimitOfZeroKeepsNothing) {
  const auto pool = BufferPool::create(nullptr, "test", 0);
  { const Buffer buffer = pool->take(1); }
  EXPECT_EQ(pool->stats().reserved_bytes, 0);
  expect_error(Status::invalid_argument, "retain_limit is -1", [] { BufferPool::create(nullptr, "test", -1); });
  expect_error(Status::invalid_argument, "layer_name", [] { BufferPool::create(nullptr, " "); });
}

TEST(TensorPool, TrimFreesTheOldestFirst) {
  const auto pool = BufferPool::create(nullptr, "test");
  {
    Buffer a = pool->take(64);
    Buffer b = pool->take(128);
    Buffer c = pool->take(64);
    a = Buffer();  // oldest
    b = Buffer();
    c = Buffer();
  }
  EXPECT_EQ(pool->stats().retained_bytes, 256);
  pool->trim(200);
  EXPECT_EQ(pool->stats().retained_bytes, 192);
  EXPECT_EQ(pool->stats().retained_buffers, 2);
  pool->trim(100);
  EXPECT_EQ(pool->stats().retained_bytes, 64);
  expect_error(Status::invalid_argument, "keep_bytes is -1", [&] { pool->trim(-1); });
  const Buffer live = pool->take(1000);
  pool->trim();
  EXPECT_EQ(pool->stats().retained_bytes, 0);
  EXPECT_EQ(pool->stats().reserved_bytes, 1024);
  std::memset(live.data(), 1, 1000);
}

TEST(TensorPool, TheDefaultPoolIsBounded) {
  const auto& pool = default_buffer_pool();
  pool->trim();
  {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 9; ++i) buffers.push_back(pool->take((8 << 20) + i * 64));
  }
  EXPECT_LE(pool->stats().retained_bytes, default_pool_retain_bytes);
  EXPECT_GT(pool->stats().retained_bytes, default_pool_retain_bytes / 2);
  EXPECT_EQ(pool->stats().reserved_bytes, pool->stats().retained_bytes);
  pool->trim();
}

TEST(TensorPool, BuffersMove) {
  const auto pool = BufferPool::create(nullptr, "test");
  Buffer a = pool->take(64);
  Buffer b = pool->take(128);
  void* const data = b.data();
  a = std::move(b);
  EXPECT_EQ(a.data(), data);
  EXPECT_EQ(a.bytes(), 128);
  EXPECT_EQ(pool->stats().live_buffers, 1);
  EXPECT_EQ(pool->stats().retained_buffers, 1);
  Buffer c = std::move(a);
  EXPECT_EQ(c.data(), data);
  EXPECT_EQ(pool->stats().live_buffers, 1);
}

// Each thread fills its buffers with its number and checks them: no buffer is handed out twice.
void take_and_give_back(BufferPool& pool, unsigned char number) {
  std::vector<Buffer> mine;
  for (int round = 0; round < 300; ++round) {
    const std::int64_t bytes = 64 * (1 + (round * 7 + number) % 5);
    mine.push_back(pool.take(bytes));
    std::memset(mine.back().data(), number, static_cast<std::size_t>(bytes));
    if (round % 3 != 0) continue;
    const auto& oldest = mine.front();
    for (std::int64_t i = 0; i < oldest.bytes(); ++i) ASSERT_EQ(static_cast<unsigned char*>(oldest.data())[i], number);
    mine.erase(mine.begin());
    if (round % 50 == 0) pool.trim(512);
  }
}

TEST(TensorPool, ThreadsTakeAndGiveBack) {
  const auto tracker = std::make_shared<memory::Tracker>();
  const auto pool = BufferPool::create(tracker, "test", 4096);
  std::vector<std::thread> threads;
  for (unsigned char i = 1; i <= 4; ++i) threads.emplace_back([&pool, i] { take_and_give_back(*pool, i); });
  for (std::thread& thread : threads) thread.join();
  const BufferPoolStats stats = pool->stats();
  EXPECT_EQ(stats.taken, 1200);
  EXPECT_EQ(stats.live_buffers, 0);
  EXPECT_EQ(stats.live_bytes, 0);
  EXPECT_EQ(stats.reserved_bytes, stats.retained_bytes);
  EXPECT_LE(stats.retained_bytes, 4096);
  EXPECT_EQ(tracker->stats().current_bytes, 0);
  EXPECT_EQ(tracker->stats().allocations, 1200);
}

}  // namespace
}  // namespace ckpt::tensor
