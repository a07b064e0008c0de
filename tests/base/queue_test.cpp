// The queues: exact capacity, order, nothing lost or duplicated between threads, closing, timeouts.
#include "base/queue.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/error.h"

namespace ckpt::base {
namespace {

using Spsc = BlockingQueue<SpscQueue<std::uint64_t>, std::uint64_t>;
using Mpmc = BlockingQueue<MpmcQueue<std::uint64_t>, std::uint64_t>;

template <class Queue>
class BaseQueue : public testing::Test {};
using Kinds = testing::Types<Spsc, Mpmc>;
TYPED_TEST_SUITE(BaseQueue, Kinds);

TYPED_TEST(BaseQueue, CapacityIsExact) {
  for (const std::int64_t capacity : {1, 2, 3, 5, 64, 1000}) {
    TypeParam queue(capacity);
    EXPECT_EQ(queue.capacity(), capacity);
    for (int round = 0; round < 3; ++round) {
      for (std::int64_t i = 0; i < capacity; ++i) ASSERT_EQ(queue.push(static_cast<std::uint64_t>(i), 0), QueueResult::done);
      EXPECT_EQ(queue.push(7, 0), QueueResult::full);
      EXPECT_EQ(queue.size(), capacity);
      std::uint64_t value = 0;
      for (std::int64_t i = 0; i < capacity; ++i) {
        ASSERT_EQ(queue.pop(value, 0), QueueResult::done);
        ASSERT_EQ(value, static_cast<std::uint64_t>(i));
      }
      EXPECT_EQ(queue.pop(value, 0), QueueResult::empty);
      EXPECT_EQ(queue.size(), 0);
    }
  }
}

TYPED_TEST(BaseQueue, CapacityIsChecked) {
  for (const std::int64_t capacity : {INT64_C(0), INT64_C(-1), INT64_MIN, INT64_MAX, largest_queue_capacity + 1}) {
    EXPECT_THROW(TypeParam queue(capacity), Error) << capacity;
  }
}

TYPED_TEST(BaseQueue, TimeoutsExpire) {
  TypeParam queue(1);
  std::uint64_t value = 42;
  EXPECT_EQ(queue.pop(value, 2000000), QueueResult::empty);
  EXPECT_EQ(value, 42U);
  EXPECT_EQ(queue.push(1, 0), QueueResult::done);
  EXPECT_EQ(queue.push(2, 2000000), QueueResult::full);
  EXPECT_EQ(queue.size(), 1);
}

TYPED_TEST(BaseQueue, ClosingAllowsPopsButNoPushes) {
  TypeParam queue(4);
  queue.push(1, 0);
  queue.push(2, 0);
  queue.close();
  queue.close();
  EXPECT_EQ(queue.push(3, -1), QueueResult::closed);
  std::uint64_t value = 0;
  EXPECT_EQ(queue.pop(value, -1), QueueResult::done);
  EXPECT_EQ(value, 1U);
  EXPECT_EQ(queue.pop(value, -1), QueueResult::done);
  EXPECT_EQ(value, 2U);
  EXPECT_EQ(queue.pop(value, -1), QueueResult::closed);
}

TYPED_TEST(BaseQueue, ClosingWakesAWaitingPop) {
  TypeParam queue(1);
  std::atomic<bool> begun{false};
  QueueResult result = QueueResult::done;
  std::thread waiter([&] {
    std::uint64_t value = 0;
    begun = true;
    result = queue.pop(value, -1);
  });
  while (!begun) std::this_thread::yield();
  queue.close();
  waiter.join();
  EXPECT_EQ(result, QueueResult::closed);
}

TYPED_TEST(BaseQueue, ClosingWakesAWaitingPush) {
  TypeParam queue(1);
  queue.push(1, 0);
  std::atomic<bool> begun{false};
  QueueResult result = QueueResult::done;
  std::thread waiter([&] {
    begun = true;
    result = queue.push(2, -1);
  });
  while (!begun) std::this_thread::yield();
  queue.close();
  waiter.join();
  EXPECT_EQ(result, QueueResult::closed);
  EXPECT_EQ(queue.size(), 1);
}

TYPED_TEST(BaseQueue, OneToOneKeepsTheOrder) {
  constexpr std::uint64_t count = 50000;
  TypeParam queue(8);
  std::thread producer([&] {
    for (std::uint64_t i = 0; i < count; ++i) queue.push(i, -1);
    queue.close();
  });
  std::uint64_t value = 0;
  std::uint64_t expected = 0;
  bool in_order = true;
  while (queue.pop(value, -1) == QueueResult::done) in_order = in_order && value == expected++;
  producer.join();
  EXPECT_TRUE(in_order);
  EXPECT_EQ(expected, count);
}

// A push that succeeded before or during a close is always popped by a thread that pops until "closed".
TYPED_TEST(BaseQueue, ClosingConcurrentlyLosesNothing) {
  for (int round = 0; round < 300; ++round) {
    TypeParam queue(4);
    std::uint64_t pushed = 0;
    std::uint64_t popped = 0;
    std::thread producer([&] {
      while (queue.push(1, -1) == QueueResult::done) ++pushed;
    });
    std::thread consumer([&] {
      std::uint64_t value = 0;
      while (queue.pop(value, -1) == QueueResult::done) ++popped;
    });
    while (round % 3 != 0 && queue.size() == 0) std::this_thread::yield();
    queue.close();
    producer.join();
    consumer.join();
    ASSERT_EQ(pushed, popped);
  }
}

TEST(BaseQueueMpmc, FourProducersFourConsumersLoseNothing) {
  constexpr std::uint64_t producers = 4;
  constexpr std::uint64_t each = 20000;
  Mpmc queue(16);
  std::atomic<std::int64_t> largest{0};
  std::vector<std::thread> threads;
  std::array<std::vector<std::uint64_t>, 4> got;
  for (std::uint64_t p = 0; p < producers; ++p) {
    threads.emplace_back([&queue, p] {
      for (std::uint64_t i = 0; i < each; ++i) queue.push(p * each + i, -1);
    });
  }
  for (auto& mine : got) {
    threads.emplace_back([&] {
      std::uint64_t value = 0;
      while (queue.pop(value, -1) == QueueResult::done) {
        mine.push_back(value);
        const std::int64_t size = queue.size();
        if (size > largest) largest = size;
      }
    });
  }
  for (std::uint64_t p = 0; p < producers; ++p) threads[p].join();
  queue.close();
  for (std::uint64_t c = producers; c < threads.size(); ++c) threads[c].join();

  EXPECT_LE(largest.load(), 16);
  std::vector<int> seen(producers * each, 0);
  for (const auto& mine : got) {
    std::array<std::uint64_t, producers> next{};  // one consumer sees each producer's values in their order
    for (const std::uint64_t value : mine) {
      ++seen[value];
      const std::uint64_t p = value / each;
      ASSERT_GE(value % each + 1, next[p] + 1);
      next[p] = value % each + 1;
    }
  }
  for (const int times : seen) ASSERT_EQ(times, 1);
}

bool is_refused(void (*call)(Mpmc& queue), Mpmc& queue) {
  try {
    call(queue);
  } catch (const Error& error) {
    return error.status() == Status::forked;
  }
  return false;
}

// The child has a copy of locks that a waiting thread may hold.
TEST(BaseQueueFork, TheChildIsRefused) {
  Mpmc queue(2);
  std::thread waiter([&] {
    std::uint64_t value = 0;
    EXPECT_EQ(queue.pop(value, -1), QueueResult::closed);
  });
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::uint64_t value = 0;
    bool all = is_refused([](Mpmc& one) { one.push(1, -1); }, queue);
    all = all && is_refused(
                     [](Mpmc& one) {
                       std::uint64_t word = 0;
                       one.pop(word, -1);
                     },
                     queue);
    all = all && is_refused([](Mpmc& one) { one.close(); }, queue);
    Mpmc own(2);
    all = all && own.push(8, -1) == QueueResult::done && own.pop(value, -1) == QueueResult::done && value == 8;
    _exit(all ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  queue.close();
  waiter.join();
}

}  // namespace
}  // namespace ckpt::base
