#include "base/clock.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "base/error.h"

namespace ckpt::base {
namespace {

TEST(BaseClock, ManualIsConstantUntilAdvanced) {
  ManualClock clock(5);
  EXPECT_EQ(clock.now_ns(), 5);
  clock.advance(0);
  EXPECT_EQ(clock.now_ns(), 5);
  clock.advance(10);
  EXPECT_EQ(clock.now_ns(), 15);
}

TEST(BaseClock, ManualRefusesDecreaseAndOverflow) {
  EXPECT_THROW(ManualClock(-1), Error);
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  ManualClock clock(last - 1);
  EXPECT_THROW(clock.advance(-1), Error);
  try {
    clock.advance(2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::out_of_range);
  }
  EXPECT_EQ(clock.now_ns(), last - 1);
  clock.advance(1);
  EXPECT_EQ(clock.now_ns(), last);
}

TEST(BaseClock, MonotonicNeverDecreases) {
  std::int64_t former = monotonic_clock()->now_ns();
  for (int i = 0; i < 10000; ++i) {
    const std::int64_t now = monotonic_clock()->now_ns();
    ASSERT_GE(now, former);
    former = now;
  }
  EXPECT_EQ(monotonic_clock().get(), monotonic_clock().get());
}

}  // namespace
}  // namespace ckpt::base
