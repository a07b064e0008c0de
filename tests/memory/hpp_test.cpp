// The C++17 API of the memory part.
#include <gtest/gtest.h>
#include <ckpt/memory.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

TEST(MemoryHpp, RecordsAndReads) {
  ckpt::MemoryTracker tracker;
  const std::int32_t layer = tracker.add_layer("a");
  const ckpt::AllocationId id = tracker.record_allocation(layer, 10);
  tracker.record_allocation("b", 30);
  EXPECT_EQ(tracker.find_layer("b"), 1);
  EXPECT_EQ(tracker.find_layer("c"), std::nullopt);
  EXPECT_STREQ(tracker.layer_name(1), "b");
  EXPECT_EQ(tracker.stats().current_bytes, 40);
  EXPECT_EQ(tracker.layer_stats(1).largest_bytes, 30);
  EXPECT_EQ(tracker.layer_stats("b").largest_bytes, 30);
  EXPECT_DOUBLE_EQ(tracker.savings(80).fraction, 0.5);
  const ckpt::MemorySnapshot top = tracker.snapshot(ckpt::MemoryOrder::current, 1);
  ASSERT_EQ(top.layers.size(), 1U);
  EXPECT_EQ(top.layers[0].name, "b");
  EXPECT_EQ(top.totals.layer_count, 2);
  EXPECT_EQ(tracker.snapshot().layers.size(), 2U);
  EXPECT_EQ(tracker.list_allocations().at(0).allocation, id);
  tracker.record_deallocation(id);
  EXPECT_EQ(tracker.free_layer("b"), 1);
  try {
    tracker.free_layer(layer);
    FAIL();
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::not_found);
  }
  tracker.reset_stats();
  EXPECT_EQ(tracker.stats().total_allocated_bytes, 0);
}

TEST(MemoryHpp, ScopesCloseAutomaticallyInOrder) {
  ckpt::MemoryTracker tracker;
  ckpt::MemoryScope outer = tracker.push_scope("outer");
  {
    const ckpt::MemoryScope inner = tracker.push_scope("inner");
    tracker.record_deallocation(tracker.record_allocation("x", 50));
    EXPECT_EQ(inner.stats().depth, 1);
  }
  ckpt::MemoryScope moved = std::move(outer);
  EXPECT_EQ(moved.pop().peak_bytes, 50);
  EXPECT_THROW(moved.pop(), ckpt::Error);
}

TEST(MemoryHpp, LimitAndReservations) {
  ckpt::MemoryTracker tracker;
  EXPECT_FALSE(tracker.limit().has_value());
  tracker.set_limit(100, 5);
  EXPECT_EQ(tracker.limit()->hysteresis_bytes, 5);
  const std::optional<ckpt::AllocationId> reserved = tracker.try_reserve("x", 100);
  ASSERT_TRUE(reserved.has_value());
  EXPECT_FALSE(tracker.try_reserve("x", 1).has_value());
  tracker.record_deallocation(*reserved);  // the id is that of the reservation
  EXPECT_EQ(tracker.stats().current_bytes, 0);
  EXPECT_TRUE(tracker.try_reserve("x", 100).has_value());
  EXPECT_FALSE(tracker.try_reserve(0, 1).has_value());
  EXPECT_THROW(tracker.try_reserve(9, 1), ckpt::Error);
  tracker.clear_limit();
  tracker.record_deallocation(tracker.try_reserve(0, 1).value());
}

TEST(MemoryHpp, SubscriptionsEndAutomaticallyAndOutliveTheTracker) {
  std::vector<std::int64_t> peaks;
  ckpt::MemorySubscription queue;
  {
    ckpt::MemoryTracker tracker;
    queue = tracker.subscribe_queue(ckpt::MemoryEventKind::all, 2);
    {
      const auto subscription = tracker.subscribe(ckpt::MemoryEventKind::new_peak,
                                                  [&](const ckpt::MemoryEvent& event) { peaks.push_back(event.peak_bytes); });
      const auto failing =
          tracker.subscribe(ckpt::MemoryEventKind::allocated, [](const ckpt::MemoryEvent&) { throw std::runtime_error("no"); });
      tracker.record_allocation("x", 5);
    }
    tracker.record_allocation("x", 5);
    EXPECT_EQ(tracker.stats().handler_failures, 1);
    EXPECT_THROW(static_cast<void>(tracker.subscribe(ckpt::MemoryEventKind::allocated, nullptr)), ckpt::Error);
    EXPECT_THROW(static_cast<void>(tracker.subscribe(ckpt::MemoryEventKind{0}, [](const ckpt::MemoryEvent&) {})), ckpt::Error);
  }
  EXPECT_EQ(peaks, std::vector<std::int64_t>{5});
  EXPECT_EQ(queue.dropped(), 2);
  EXPECT_EQ(queue.poll()->kind, ckpt::MemoryEventKind::allocated);
  EXPECT_EQ(queue.poll()->kind, ckpt::MemoryEventKind::new_peak);
  EXPECT_FALSE(queue.poll().has_value());
  queue.unsubscribe();
  queue.unsubscribe();
}

TEST(MemoryHpp, TextAndProbe) {
  ckpt::MemoryTracker tracker;
  for (int i = 0; i < 50; ++i) tracker.record_allocation("layer " + std::to_string(i), 5);
  const std::string json = tracker.json();
  EXPECT_EQ(json.front(), '{');
  EXPECT_EQ(json.back(), '}');
  EXPECT_LT(tracker.json(3).size(), json.size());
  EXPECT_NE(tracker.prometheus(3).find("{layer=\"other\"} 235\n"), std::string::npos);
  EXPECT_GT(ckpt::probe_memory().total_bytes, 0);
}

TEST(MemoryHpp, SharesATrackerOfTheCApi) {
  ckpt_memory_tracker* raw = nullptr;
  ckpt::check(ckpt_memory_tracker_create(nullptr, &raw));
  const ckpt::MemoryTracker tracker(raw);
  ckpt_memory_tracker_release(raw);
  EXPECT_EQ(tracker.stats().allocations, 0);
}

}  // namespace
