// The log: levels, disabling, and replacing the sink while threads log.
#include "base/log.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"

namespace ckpt::base {
namespace {

class BaseLog : public testing::Test {
 protected:
  void TearDown() override { set_log(LogLevel::debug, {}); }
};

TEST_F(BaseLog, OnlyRequestedLevels) {
  std::vector<std::string> seen;
  write_log(LogLevel::error, "base", "no sink");
  set_log(LogLevel::warning, [&](LogLevel level, const char* component, const char* message) {
    seen.push_back(cat(static_cast<int>(level), " ", component, " ", message));
  });
  write_log(LogLevel::info, "base", "too quiet");
  write_log(LogLevel::warning, "state", "careful");
  write_log(LogLevel::error, "engine", "broken");
  set_log(LogLevel::debug, {});
  write_log(LogLevel::error, "base", "too late");
  EXPECT_EQ(seen, (std::vector<std::string>{"2 state careful", "3 engine broken"}));
}

TEST_F(BaseLog, ASinkMayLogButNotReplaceItself) {
  int calls = 0;
  Status status = Status::ok;
  set_log(LogLevel::debug, [&](LogLevel, const char*, const char*) {
    ++calls;
    write_log(LogLevel::error, "base", "from inside: dropped");
    try {
      set_log(LogLevel::debug, {});
    } catch (const Error& error) {
      status = error.status();
    }
  });
  write_log(LogLevel::info, "base", "hello");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(status, Status::invalid_state);
}

TEST_F(BaseLog, HeldMessagesAreDeliveredInOrderAfterTheOutermostHold) {
  std::vector<std::string> seen;
  std::mutex lock_of_the_library;
  set_log(LogLevel::info, [&](LogLevel, const char*, const char* message) {
    const std::lock_guard free_by_now(lock_of_the_library);
    seen.emplace_back(message);
  });
  {
    const HeldLog outer;
    const std::lock_guard lock(lock_of_the_library);
    write_log(LogLevel::info, "base", "one");
    {
      const HeldLog inner;
      write_log(LogLevel::debug, "base", "too quiet");
      write_log(LogLevel::info, "base", "two");
    }
    EXPECT_TRUE(seen.empty());
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "two"}));
}

TEST_F(BaseLog, AThrowingSinkIsIgnored) {
  set_log(LogLevel::debug, [](LogLevel, const char*, const char*) { throw 1; });
  EXPECT_NO_THROW(write_log(LogLevel::info, "base", "hello"));
  EXPECT_NO_THROW(write_log(LogLevel::info, "base", "again"));
}

TEST_F(BaseLog, NoSinkRunsAfterItWasReplaced) {
  constexpr std::size_t rounds = 200;
  std::array<std::atomic<bool>, rounds> replaced{};
  std::atomic<int> late{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> loggers;
  for (int i = 0; i < 3; ++i) {
    loggers.emplace_back([&] {
      while (!stop) write_log(LogLevel::info, "base", "hello");
    });
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    auto calls = std::make_unique<std::atomic<int>>(0);  // freed at once: a late call would touch freed memory
    set_log(LogLevel::debug, [&late, replaced = &replaced[round], counter = calls.get()](LogLevel, const char*, const char*) {
      if (*replaced) ++late;
      ++*counter;
    });
    if (round % 10 == 0) {
      while (*calls == 0) std::this_thread::yield();
    }
    set_log(LogLevel::debug, {});
    replaced[round] = true;
  }
  stop = true;
  for (auto& logger : loggers) logger.join();
  EXPECT_EQ(late, 0);
}

}  // namespace
}  // namespace ckpt::base
