// The thread pool: every part runs once, the choice of the reported error, nested and concurrent runs.
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/os/cpu.h"

namespace ckpt::base {
namespace {

TEST(BaseThreadPool, RunsEveryPartOnce) {
  for (const std::int32_t threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const std::int64_t parts : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> times(static_cast<std::size_t>(parts));
      pool.run(parts, [&](std::int64_t part) { ++times[static_cast<std::size_t>(part)]; });
      for (const auto& each : times) ASSERT_EQ(each, 1);
    }
  }
}

TEST(BaseThreadPool, ManySmallRunsInARow) {
  ThreadPool pool(4);
  std::atomic<std::int64_t> sum{0};
  for (int i = 0; i < 5000; ++i) pool.run(4, [&](std::int64_t part) { sum += part; });
  EXPECT_EQ(sum, 5000 * 6);
}

TEST(BaseThreadPool, CountsAreChecked) {
  EXPECT_THROW(ThreadPool(-1), Error);
  EXPECT_THROW(ThreadPool(1025), Error);
  EXPECT_EQ(ThreadPool(0).threads(), available_threads());
  ThreadPool pool(2);
  EXPECT_THROW(pool.run(-1, [](std::int64_t) {}), Error);
}

TEST(BaseThreadPool, UsesItsThreads) {
  // Every thread of the pool holds its part until all have one: this returns only if there are that many threads.
  ThreadPool pool(3);
  std::atomic<int> inside{0};
  pool.run(3, [&](std::int64_t) {
    ++inside;
    while (inside < 3) std::this_thread::yield();
  });
  EXPECT_EQ(inside, 3);
}

TEST(BaseThreadPool, TheLowestThrowingPartIsReported) {
  ThreadPool pool(4);
  for (int round = 0; round < 200; ++round) {
    try {
      pool.run(64, [](std::int64_t part) {
        if (part == 9 || part == 11 || part == 40) throw Error(Status::callback, cat("part ", part));
      });
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      ASSERT_EQ(error.message(), "part 9");
    }
  }
  std::atomic<int> parts{0};
  pool.run(10, [&](std::int64_t) { ++parts; });
  EXPECT_EQ(parts, 10) << "the pool works on after an error";
}

TEST(BaseThreadPool, AnErrorSkipsPartsThatHaveNotBegun) {
  ThreadPool pool(2);
  std::atomic<std::int64_t> begun{0};
  EXPECT_THROW(pool.run(INT64_MAX,
                        [&](std::int64_t part) {
                          ++begun;
                          if (part < 0) std::terminate();
                          throw std::runtime_error("stop");
                        }),
               std::runtime_error);
  EXPECT_LE(begun, 2);
}

TEST(BaseThreadPool, NestedRunsWorkAlone) {
  ThreadPool pool(3);
  std::atomic<int> inner{0};
  pool.run(5, [&](std::int64_t) {
    const auto outer_thread = std::this_thread::get_id();
    pool.run(5, [&](std::int64_t) {
      if (std::this_thread::get_id() == outer_thread) ++inner;
    });
  });
  EXPECT_EQ(inner, 25);
}

TEST(BaseThreadPool, SeveralCallersAtOnce) {
  ThreadPool pool(3);
  std::atomic<int> parts{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int k = 0; k < 200; ++k) pool.run(6, [&](std::int64_t) { ++parts; });
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(parts, 4 * 200 * 6);
}

TEST(BaseThreadPool, WritesOfPartsAreVisibleAfterTheRun) {
  ThreadPool pool(4);
  std::vector<std::int64_t> squares(4096);
  pool.run(4096, [&](std::int64_t part) { squares[static_cast<std::size_t>(part)] = part * part; });
  for (std::int64_t i = 0; i < 4096; ++i) ASSERT_EQ(squares[static_cast<std::size_t>(i)], i * i);
}

TEST(BaseThreadPool, ManyPoolsAreCreatedAndDestroyed) {
  std::atomic<std::int64_t> ran{0};
  for (int i = 0; i < 50; ++i) {
    ThreadPool pool(4);
    if (i % 2 == 0) pool.run(3, [&](std::int64_t) { ++ran; });
  }
  EXPECT_EQ(ran, 25 * 3);
}

}  // namespace
}  // namespace ckpt::base
