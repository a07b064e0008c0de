// The C++17 API of the base part.
#include <gtest/gtest.h>
#include <ckpt/ckpt.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

TEST(BaseHpp, ErrorsCarryStatusAndText) {
  EXPECT_NO_THROW(ckpt::check(CKPT_OK));
  try {
    ckpt::Clock::manual(-1ns);
    FAIL();
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::invalid_argument);
    EXPECT_EQ(error.status_name(), "INVALID_ARGUMENT");
    EXPECT_EQ(ckpt::status_name(error.status()), "INVALID_ARGUMENT");
    EXPECT_NE(std::string(error.what()).find("start_ns is -1"), std::string::npos);
  }
}

TEST(BaseHpp, UnknownStatusesAreAccepted) {
  EXPECT_EQ(ckpt::status_name(ckpt::Status{-1000}), "UNKNOWN");
  EXPECT_EQ(ckpt::Error(ckpt::Status{-1000}, "later").status_name(), "UNKNOWN");
  EXPECT_EQ(static_cast<std::int32_t>(ckpt::Status::internal), CKPT_E_INTERNAL);
}

TEST(BaseHpp, VersionAndFeatures) {
  EXPECT_EQ(ckpt::version(), ckpt_version_string());
  EXPECT_EQ(ckpt::version_number(), ckpt_version());
  EXPECT_FALSE(ckpt::build_info().empty());
  EXPECT_TRUE(ckpt::has_feature("threads"));
  EXPECT_FALSE(ckpt::has_feature("teleport"));
  EXPECT_GE(ckpt::available_threads(), 1);
}

TEST(BaseHpp, TheLogSinkIsFreedWhenReplaced) {
  const auto token = std::make_shared<int>(0);
  ckpt::set_log(ckpt::LogLevel::debug, [token](ckpt::LogLevel, std::string_view, std::string_view) {});
  EXPECT_EQ(token.use_count(), 2);
  EXPECT_THROW(ckpt::set_log(ckpt::LogLevel{17}, [token](ckpt::LogLevel, std::string_view, std::string_view) {}), ckpt::Error);
  EXPECT_EQ(token.use_count(), 2);
  ckpt::set_log(ckpt::LogLevel::debug, {});
  EXPECT_EQ(token.use_count(), 1);
}

TEST(BaseHpp, ThreadHooksLiveAsLongAsTheObject) {
  std::atomic<int> starts{0};
  std::atomic<int> stops{0};
  {
    const ckpt::ThreadHooks hooks([&](std::string_view) { ++starts; },
                                  [&](std::string_view) {
                                    ++stops;
                                    throw std::runtime_error("ignored");
                                  });
    const ckpt::ThreadHooks only_start([&](std::string_view name) { starts += name.substr(0, 5) == "ckpt-" ? 1 : 100; }, {});
    ckpt::WorkerPool pool(3);
  }
  ckpt::WorkerPool unseen(3);
  EXPECT_EQ(starts, 4);
  EXPECT_EQ(stops, 2);
  EXPECT_THROW(ckpt::ThreadHooks({}, {}), ckpt::Error);
}

TEST(BaseHpp, StartedThreadsRunHooksAndJoinAutomatically) {
  std::vector<std::string> events;  // by one thread
  const auto token = std::make_shared<int>(0);
  {
    const ckpt::ThreadHooks hooks([&](std::string_view name) { events.push_back("starts " + std::string(name)); },
                                  [&](std::string_view) { events.emplace_back("stops"); });
    ckpt::start_thread("plug-in", [&events, token] { events.emplace_back("runs"); });
  }
  EXPECT_EQ(events, (std::vector<std::string>{"starts plug-in", "runs", "stops"}));
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_THROW(ckpt::start_thread(nullptr, [token] {}), ckpt::Error);
  EXPECT_EQ(token.use_count(), 1);
}

TEST(BaseHpp, Clocks) {
  auto manual = ckpt::Clock::manual(3ns);
  manual.advance(4ns);
  EXPECT_EQ(manual.now(), 7ns);
  ckpt::Clock moved = std::move(manual);
  EXPECT_EQ(moved.now(), 7ns);
  EXPECT_THROW(manual.now(), ckpt::Error);  // NOLINT(bugprone-use-after-move): it fails instead of using the system's clock
  EXPECT_THROW(manual.advance(1ns), ckpt::Error);

  std::chrono::nanoseconds time = 50ns;
  const auto token = std::make_shared<int>(0);
  {
    auto custom = ckpt::Clock::custom([&time, token] { return time; });
    EXPECT_EQ(custom.now(), 50ns);
    time = 51ns;
    EXPECT_EQ(custom.now(), 51ns);
    custom = std::move(moved);
    EXPECT_EQ(token.use_count(), 1);
    EXPECT_EQ(custom.now(), 7ns);
  }
  EXPECT_THROW(ckpt::Clock::custom({}), ckpt::Error);
  EXPECT_GT(ckpt::Clock::monotonic(), 0ns);
}

TEST(BaseHpp, ThreadPoolsRunCallables) {
  ckpt::WorkerPool pool(3);
  EXPECT_EQ(pool.thread_count(), 3);
  std::vector<std::int64_t> squares(100);
  pool.run(100, [&](std::int64_t part) { squares[static_cast<std::size_t>(part)] = part * part; });
  EXPECT_EQ(squares[99], 9801);
  const auto constant = [](std::int64_t) {};
  pool.run(3, constant);
}

TEST(BaseHpp, ExceptionsOfPartsArePropagated) {
  ckpt::WorkerPool pool(3);
  for (int round = 0; round < 20; ++round) {
    try {
      pool.run(50, [](std::int64_t part) {
        if (part >= 4) throw std::runtime_error("part " + std::to_string(part) + " is broken");
      });
      FAIL();
    } catch (const ckpt::Error& error) {
      ASSERT_EQ(error.status(), ckpt::Status::callback);
      ASSERT_STREQ(error.what(), "part 4: part 4 is broken");
    }
  }
  EXPECT_THROW(pool.run(2, [](std::int64_t) { throw 1; }), ckpt::Error);
}

}  // namespace
