// Scopes and the limit, on one thread.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "expect_error.h"
#include "memory/tracker.h"

namespace ckpt::memory {
namespace {

using base::Status;

TEST(MemoryScope, ReportsPeakNetAndTotalSinceItsPush) {
  Tracker tracker;
  const AllocationId old = tracker.allocate("x", 100);
  const ScopeId scope = tracker.push_scope("forward");
  const AllocationId a = tracker.allocate("x", 50);
  tracker.free(a);
  tracker.free(old);
  tracker.allocate("x", 20);
  const ScopeStats stats = tracker.scope_stats(scope);
  EXPECT_EQ(stats.name, "forward");
  EXPECT_EQ(stats.depth, 0);
  EXPECT_EQ(stats.start_bytes, 100);
  EXPECT_EQ(stats.peak_bytes, 150);
  EXPECT_EQ(stats.net_bytes, -80);
  EXPECT_EQ(stats.total_allocated_bytes, 70);
  const ScopeStats popped = tracker.pop_scope(scope);
  EXPECT_EQ(popped.peak_bytes, 150);
  EXPECT_EQ(popped.net_bytes, -80);
}

TEST(MemoryScope, PeakStartsAtTheLiveBytes) {
  Tracker tracker;
  tracker.free(tracker.allocate("x", 1000));
  tracker.allocate("x", 10);
  const ScopeId scope = tracker.push_scope("s");
  EXPECT_EQ(tracker.scope_stats(scope).peak_bytes, 10);
  tracker.free_layer("x");
  EXPECT_EQ(tracker.pop_scope(scope).peak_bytes, 10);
}

TEST(MemoryScope, AnInnerPeakCountsForEnclosingScopes) {
  Tracker tracker;
  const ScopeId outer = tracker.push_scope("outer");
  tracker.free(tracker.allocate("x", 30));
  const ScopeId middle = tracker.push_scope("middle");
  const ScopeId inner = tracker.push_scope("inner");
  tracker.free(tracker.allocate("x", 70));
  // While they are open, and after they are popped.
  EXPECT_EQ(tracker.scope_stats(outer).peak_bytes, 70);
  EXPECT_EQ(tracker.scope_stats(middle).peak_bytes, 70);
  EXPECT_EQ(tracker.pop_scope(inner).peak_bytes, 70);
  EXPECT_EQ(tracker.pop_scope(middle).peak_bytes, 70);
  const ScopeId second = tracker.push_scope("second");
  tracker.free(tracker.allocate("x", 5));
  EXPECT_EQ(tracker.pop_scope(second).peak_bytes, 5);
  const ScopeStats stats = tracker.pop_scope(outer);
  EXPECT_EQ(stats.peak_bytes, 70);
  EXPECT_EQ(stats.total_allocated_bytes, 105);
}

TEST(MemoryScope, ThePeakBeforeAnInnerScopeIsKept) {
  Tracker tracker;
  const ScopeId outer = tracker.push_scope("outer");
  tracker.free(tracker.allocate("x", 90));
  const ScopeId inner = tracker.push_scope("inner");
  tracker.free(tracker.allocate("x", 5));
  EXPECT_EQ(tracker.scope_stats(outer).peak_bytes, 90);
  tracker.pop_scope(inner);
  EXPECT_EQ(tracker.pop_scope(outer).peak_bytes, 90);
}

TEST(MemoryScope, PoppingOutOfOrderIsRefused) {
  Tracker tracker;
  const ScopeId outer = tracker.push_scope("outer");
  const ScopeId inner = tracker.push_scope("inner");
  EXPECT_ERROR(tracker.pop_scope(outer), Status::invalid_state, "'inner'");
  tracker.pop_scope(inner);
  EXPECT_ERROR(tracker.pop_scope(inner), Status::not_found, "unknown or closed scope");
  EXPECT_ERROR(tracker.scope_stats(inner), Status::not_found, "unknown or closed scope");
  tracker.pop_scope(outer);
  EXPECT_ERROR(tracker.pop_scope(0), Status::not_found, "scope is 0");
  EXPECT_ERROR(tracker.push_scope(" "), Status::invalid_argument, "name is blank");
}

TEST(MemoryScope, AResetDoesNotTouchOpenScopes) {
  Tracker tracker;
  tracker.allocate("x", 10);
  const ScopeId scope = tracker.push_scope("s");
  tracker.free(tracker.allocate("x", 100));
  tracker.reset_stats();
  tracker.allocate("x", 7);
  const ScopeStats stats = tracker.pop_scope(scope);
  EXPECT_EQ(stats.total_allocated_bytes, 107);
  EXPECT_EQ(stats.peak_bytes, 110);
  EXPECT_EQ(stats.net_bytes, 7);
}

TEST(MemoryScope, TotalSaturatesAtInt64Max) {
  Tracker tracker;
  const ScopeId scope = tracker.push_scope("s");
  for (int i = 0; i < 2; ++i) {
    tracker.free(tracker.allocate("x", INT64_MAX));
    tracker.reset_stats();
  }
  EXPECT_EQ(tracker.pop_scope(scope).total_allocated_bytes, INT64_MAX);
}

TEST(MemoryScope, SnapshotListsOpenScopesOutermostFirst) {
  Tracker tracker;
  tracker.push_scope("epoch");
  tracker.push_scope("step");
  const Snapshot snapshot = tracker.snapshot();
  ASSERT_EQ(snapshot.scopes.size(), 2U);
  EXPECT_EQ(snapshot.scopes[0].name, "epoch");
  EXPECT_EQ(snapshot.scopes[1].name, "step");
  EXPECT_EQ(snapshot.scopes[1].depth, 1);
}

class MemoryLimit : public ::testing::Test {
 protected:
  MemoryLimit() {
    tracker.events().subscribe(bit(EventKind::limit_exceeded), [this](const Event& event) { exceeded.push_back(event); });
  }
  Tracker tracker;
  std::vector<Event> exceeded;
};

TEST_F(MemoryLimit, NoneIsTheDefaultAndItCanBeReadBackAndCleared) {
  EXPECT_EQ(tracker.limit().bytes, 0);
  tracker.set_limit(100, 20);
  EXPECT_EQ(tracker.limit().bytes, 100);
  EXPECT_EQ(tracker.limit().hysteresis_bytes, 20);
  tracker.clear_limit();
  EXPECT_EQ(tracker.limit().bytes, 0);
  tracker.allocate("x", 1000);
  EXPECT_TRUE(exceeded.empty());
}

TEST_F(MemoryLimit, BadLimitsAreRefusedAndChangeNothing) {
  tracker.set_limit(100, 20);
  EXPECT_ERROR(tracker.set_limit(0), Status::invalid_argument, "limit_bytes is 0");
  EXPECT_ERROR(tracker.set_limit(-1), Status::invalid_argument, "limit_bytes is -1");
  EXPECT_ERROR(tracker.set_limit(10, -1), Status::invalid_argument, "hysteresis_bytes is -1");
  EXPECT_ERROR(tracker.set_limit(10, 10), Status::invalid_argument, "hysteresis_bytes is 10");
  EXPECT_EQ(tracker.limit().bytes, 100);
}

TEST_F(MemoryLimit, FiresOnTheUpwardCrossingOnly) {
  tracker.set_limit(100);
  tracker.allocate("x", 100);
  EXPECT_TRUE(exceeded.empty());  // at the limit, not above it
  const AllocationId a = tracker.allocate("y", 1);
  ASSERT_EQ(exceeded.size(), 1U);
  EXPECT_EQ(exceeded[0].current_bytes, 101);
  EXPECT_EQ(exceeded[0].limit_bytes, 100);
  EXPECT_EQ(exceeded[0].bytes, 1);
  EXPECT_EQ(exceeded[0].allocation, a);
  EXPECT_STREQ(exceeded[0].layer_name, "y");
  tracker.allocate("y", 50);
  EXPECT_EQ(exceeded.size(), 1U);
}

TEST_F(MemoryLimit, ReArmsOnlyBelowTheLimitLessTheHysteresis) {
  tracker.set_limit(100, 20);
  tracker.allocate("base", 60);
  tracker.allocate("x", 50);
  EXPECT_EQ(exceeded.size(), 1U);
  tracker.free_layer("x");  // 60 < 80
  tracker.allocate("x", 50);
  EXPECT_EQ(exceeded.size(), 2U);
  const AllocationId some = tracker.allocate("x", 20);
  tracker.free(some);  // 110
  tracker.free_layer("x");
  tracker.allocate("y", 20);                            // 80
  const AllocationId more = tracker.allocate("x", 40);  // 120
  EXPECT_EQ(exceeded.size(), 3U);
  tracker.free(more);  // 80 is not below 80
  tracker.allocate("x", 40);
  EXPECT_EQ(exceeded.size(), 3U);
}

TEST_F(MemoryLimit, ALimitBelowTheLiveBytesFiresAtOnce) {
  tracker.allocate("x", 100);
  tracker.set_limit(100);
  EXPECT_TRUE(exceeded.empty());
  tracker.set_limit(99);
  ASSERT_EQ(exceeded.size(), 1U);
  EXPECT_EQ(exceeded[0].layer_id, no_layer);
  EXPECT_STREQ(exceeded[0].layer_name, "");
  EXPECT_EQ(exceeded[0].allocation, 0U);
  EXPECT_EQ(exceeded[0].current_bytes, 100);
  EXPECT_EQ(exceeded[0].limit_bytes, 99);
  EXPECT_EQ(exceeded[0].sequence, 2U);
  tracker.allocate("x", 1);
  EXPECT_EQ(exceeded.size(), 1U);
}

TEST_F(MemoryLimit, CrossingIsKnownEvenWhileEventsAreOff) {
  tracker.set_limit(100);
  tracker.events().enable(false);
  tracker.allocate("x", 101);
  tracker.events().enable(true);
  tracker.allocate("x", 1);
  EXPECT_TRUE(exceeded.empty());  // it was crossed earlier
}

TEST_F(MemoryLimit, ReserveRefusesBytesThatDoNotFit) {
  tracker.set_limit(100);
  const AllocationId a = tracker.try_reserve("x", 60);
  EXPECT_NE(a, 0U);
  EXPECT_EQ(tracker.try_reserve("x", 41), 0U);
  EXPECT_EQ(tracker.try_reserve("new", 41), 0U);
  EXPECT_EQ(tracker.stats().layer_count, 1);
  EXPECT_NE(tracker.try_reserve("x", 40), 0U);
  const Stats stats = tracker.stats();
  EXPECT_EQ(stats.current_bytes, 100);
  EXPECT_EQ(stats.peak_bytes, 100);
  EXPECT_EQ(stats.total_allocated_bytes, 100);
  EXPECT_EQ(stats.refused, 2);
  EXPECT_TRUE(exceeded.empty());
  tracker.allocate("x", 1000);  // recording continues above the limit
  EXPECT_EQ(tracker.try_reserve(0, 1), 0U);
  tracker.clear_limit();
  EXPECT_NE(tracker.try_reserve(0, 1), 0U);
}

}  // namespace
}  // namespace ckpt::memory
