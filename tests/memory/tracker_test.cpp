// The tracker's counts, on one thread.
#include "memory/tracker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "expect_error.h"
#include "heap_counts.h"

namespace ckpt::memory {
namespace {

using base::Status;
constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();

TEST(MemoryTracker, StartsAtNothing) {
  const Tracker tracker;
  const Stats stats = tracker.stats();
  EXPECT_EQ(stats.current_bytes, 0);
  EXPECT_EQ(stats.peak_bytes, 0);
  EXPECT_EQ(stats.total_allocated_bytes, 0);
  EXPECT_EQ(stats.allocations, 0);
  EXPECT_EQ(stats.average_bytes(), 0);
  EXPECT_EQ(stats.layer_count, 0);
  EXPECT_TRUE(tracker.snapshot().layers.empty());
  EXPECT_TRUE(tracker.live_allocations().empty());
}

TEST(MemoryTracker, CountsAllocationsAndFrees) {
  Tracker tracker;
  const LayerId fc1 = tracker.layer("fc1");
  const AllocationId a = tracker.allocate(fc1, 100);
  const AllocationId b = tracker.allocate("fc2", 50);
  EXPECT_NE(a, 0U);
  EXPECT_NE(a, b);
  tracker.free(a);
  const Stats stats = tracker.stats();
  EXPECT_EQ(stats.current_bytes, 50);
  EXPECT_EQ(stats.peak_bytes, 150);
  EXPECT_EQ(stats.total_allocated_bytes, 150);
  EXPECT_EQ(stats.total_freed_bytes, 100);
  EXPECT_EQ(stats.live_allocations, 1);
  EXPECT_EQ(stats.allocations, 2);
  EXPECT_EQ(stats.frees, 1);
  EXPECT_EQ(stats.average_bytes(), 50);
  EXPECT_EQ(stats.layer_count, 2);
  EXPECT_EQ(stats.sequence, 3U);
}

TEST(MemoryTracker, AverageIsRoundedDown) {
  Tracker tracker;
  tracker.allocate("a", 10);
  tracker.allocate("a", 11);
  EXPECT_EQ(tracker.stats().average_bytes(), 10);
  EXPECT_EQ(tracker.layer_stats(0).average_bytes(), 10);
}

TEST(MemoryTracker, LayersAreDenseAndStable) {
  Tracker tracker;
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(tracker.layer(base::cat("layer", i)), i);
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(tracker.layer(base::cat("layer", i)), i);
    EXPECT_EQ(tracker.find_layer(base::cat("layer", i)), i);
    EXPECT_EQ(tracker.layer_name(i), base::cat("layer", i));
  }
  EXPECT_ERROR(tracker.find_layer("layer5000"), Status::not_found, "'layer5000'");
  EXPECT_ERROR(tracker.layer_name(5000), Status::not_found, "layer_id is 5000");
  EXPECT_ERROR(tracker.layer_name(-1), Status::not_found, "layer_id is -1");
}

TEST(MemoryTracker, LayerStatistics) {
  const auto clock = std::make_shared<base::ManualClock>(1000);
  Tracker tracker(clock);
  const LayerId layer = tracker.layer("attention");
  const AllocationId a = tracker.allocate(layer, 30);
  clock->advance(5);
  tracker.allocate(layer, 70);
  clock->advance(5);
  tracker.free(a);
  const LayerStats stats = tracker.layer_stats(layer);
  EXPECT_EQ(stats.name, "attention");
  EXPECT_EQ(stats.layer_id, layer);
  EXPECT_EQ(stats.current_bytes, 70);
  EXPECT_EQ(stats.peak_bytes, 100);
  EXPECT_EQ(stats.total_allocated_bytes, 100);
  EXPECT_EQ(stats.total_freed_bytes, 30);
  EXPECT_EQ(stats.live_allocations, 1);
  EXPECT_EQ(stats.allocations, 2);
  EXPECT_EQ(stats.frees, 1);
  EXPECT_EQ(stats.largest_bytes, 70);
  EXPECT_EQ(stats.average_bytes(), 50);
  EXPECT_EQ(stats.last_allocated_at_ns, 1005);
  EXPECT_EQ(stats.last_freed_at_ns, 1010);
  EXPECT_EQ(tracker.stats().taken_at_ns, 1010);
  EXPECT_ERROR(tracker.layer_stats(1), Status::not_found, "layer_id is 1");
}

// A clock may start at 0 or below: an event at that time is not "never".
TEST(MemoryTracker, EventsAtZeroAndBeforeAreDated) {
  struct CustomClock final : base::Clock {
    std::int64_t now_ns() const override { return now; }
    std::int64_t now = -50;
  };
  const auto clock = std::make_shared<CustomClock>();
  Tracker tracker(clock);
  const AllocationId a = tracker.allocate("a", 30);
  EXPECT_EQ(tracker.layer_stats(0).last_allocated_at_ns, -50);
  EXPECT_GT(tracker.layer_stats(0).last_allocated_utc_ns, 0);
  EXPECT_EQ(tracker.layer_stats(0).last_freed_utc_ns, 0);  // never
  clock->now = 0;
  tracker.free(a);
  const LayerStats stats = tracker.layer_stats(0);
  EXPECT_EQ(stats.last_freed_at_ns, 0);
  EXPECT_EQ(stats.last_freed_utc_ns, stats.last_allocated_utc_ns + 50);
  tracker.reset_stats();
  EXPECT_EQ(tracker.layer_stats(0).last_freed_utc_ns, 0);
}

TEST(MemoryTracker, TwoLiveAllocationsOfOneLayerAreBothCounted) {
  Tracker tracker;
  const AllocationId a = tracker.allocate("x", 1);
  const AllocationId b = tracker.allocate("x", 2);
  const AllocationId c = tracker.allocate("x", 4);
  tracker.free(b);  // from the middle of the layer's list
  EXPECT_EQ(tracker.stats().current_bytes, 5);
  tracker.free(c);
  EXPECT_EQ(tracker.stats().current_bytes, 1);
  tracker.free(a);
  EXPECT_EQ(tracker.stats().current_bytes, 0);
  EXPECT_EQ(tracker.stats().peak_bytes, 7);
}

TEST(MemoryTracker, FreeByNameFreesAllOfALayer) {
  Tracker tracker;
  const AllocationId a = tracker.allocate("x", 1);
  tracker.allocate("x", 2);
  tracker.allocate("y", 8);
  tracker.allocate("x", 4);
  tracker.free(a);
  EXPECT_EQ(tracker.free_layer("x"), 2);
  const Stats stats = tracker.stats();
  EXPECT_EQ(stats.current_bytes, 8);
  EXPECT_EQ(stats.frees, 3);
  EXPECT_EQ(stats.live_allocations, 1);
  EXPECT_ERROR(tracker.free_layer("x"), Status::not_found, "no live allocation");
  EXPECT_EQ(tracker.free_layer(tracker.find_layer("y")), 1);
  EXPECT_EQ(tracker.stats().not_found, 1);
}

TEST(MemoryTracker, UnknownIdsAndNamesAreCountedAndChangeNothing) {
  Tracker tracker;
  const AllocationId a = tracker.allocate("x", 10);
  tracker.free(a);
  EXPECT_ERROR(tracker.free(a), Status::not_found, base::cat("allocation is ", a));
  EXPECT_ERROR(tracker.free(0), Status::not_found, "allocation is 0");
  EXPECT_ERROR(tracker.free(~AllocationId{0}), Status::not_found, "allocation is ");
  EXPECT_ERROR(tracker.free(a + (AllocationId{1} << 32)), Status::not_found, "allocation is ");  // looks like the slot's next id
  EXPECT_ERROR(tracker.free_layer("y"), Status::not_found, "'y'");
  EXPECT_ERROR(tracker.free_layer(77), Status::not_found, "layer_id is 77");
  EXPECT_ERROR(tracker.allocate(1, 1), Status::not_found, "layer_id is 1");
  EXPECT_ERROR(tracker.allocate(-1, 1), Status::not_found, "layer_id is -1");
  const Stats stats = tracker.stats();
  EXPECT_EQ(stats.not_found, 8);
  EXPECT_EQ(stats.current_bytes, 0);
  EXPECT_EQ(stats.allocations, 1);
  EXPECT_EQ(stats.frees, 1);
  EXPECT_EQ(stats.layer_count, 1);
}

TEST(MemoryTracker, AFreedIdNeverRefersToTheNextAllocation) {
  Tracker tracker;
  const LayerId layer = tracker.layer("x");
  std::set<AllocationId> seen;
  for (int i = 0; i < 1000; ++i) {
    const AllocationId id = tracker.allocate(layer, 1);
    EXPECT_TRUE(seen.insert(id).second);
    tracker.free(id);
  }
  const AllocationId live = tracker.allocate(layer, 1);
  for (const AllocationId id : seen) EXPECT_THROW(tracker.free(id), base::Error);
  tracker.free(live);
}

TEST(MemoryTracker, BadArgumentsAreRefusedWithoutEffect) {
  Tracker tracker;
  const LayerId layer = tracker.layer("x");
  EXPECT_ERROR(tracker.allocate(layer, 0), Status::invalid_argument, "bytes is 0");
  EXPECT_ERROR(tracker.allocate(layer, -5), Status::invalid_argument, "bytes is -5");
  EXPECT_ERROR(tracker.try_reserve(layer, 0), Status::invalid_argument, "bytes is 0");
  EXPECT_ERROR(tracker.allocate("new", 0), Status::invalid_argument, "bytes is 0");
  for (const char* blank : {"", " ", "\t\n"}) {
    EXPECT_ERROR(tracker.layer(blank), Status::invalid_argument, "name is blank");
    EXPECT_ERROR(tracker.allocate(blank, 1), Status::invalid_argument, "name is blank");
    EXPECT_ERROR(tracker.free_layer(blank), Status::invalid_argument, "name is blank");
  }
  EXPECT_ERROR(tracker.layer("\xff"), Status::invalid_argument, "UTF-8");
  EXPECT_EQ(tracker.stats().layer_count, 1);
  EXPECT_EQ(tracker.stats().not_found, 0);
  EXPECT_EQ(tracker.layer("\xc3\xa9tage \xe2\x9c\x93"), 1);
}

TEST(MemoryTracker, VeryLargeValuesAndInt64Max) {
  Tracker tracker;
  const AllocationId a = tracker.allocate("x", max - 10);
  EXPECT_ERROR(tracker.allocate("x", 11), Status::out_of_range, "INT64_MAX");
  EXPECT_ERROR(tracker.allocate("new", 11), Status::out_of_range, "INT64_MAX");
  EXPECT_EQ(tracker.stats().layer_count, 1);
  EXPECT_EQ(tracker.stats().current_bytes, max - 10);
  tracker.allocate("x", 10);
  tracker.free(a);
  // Few bytes are live, but the total of all allocations would overflow.
  EXPECT_ERROR(tracker.allocate("x", 1), Status::out_of_range, "INT64_MAX");
  tracker.reset_stats();
  tracker.allocate("x", 1);
  EXPECT_EQ(tracker.stats().current_bytes, 11);
}

TEST(MemoryTracker, ResetCountsLiveAllocationsAsNew) {
  Tracker tracker;
  const AllocationId a = tracker.allocate("x", 500);
  const AllocationId b = tracker.allocate("x", 30);
  tracker.allocate("x", 20);
  tracker.allocate("y", 5);
  const AllocationId z = tracker.allocate("z", 1);
  tracker.free(a);
  tracker.free(z);
  EXPECT_THROW(tracker.free(a), base::Error);
  tracker.reset_stats();
  const Snapshot snapshot = tracker.snapshot();
  const Stats& stats = snapshot.stats;
  EXPECT_EQ(stats.current_bytes, 55);
  EXPECT_EQ(stats.peak_bytes, 55);
  EXPECT_EQ(stats.total_allocated_bytes, 55);
  EXPECT_EQ(stats.total_freed_bytes, 0);
  EXPECT_EQ(stats.live_allocations, 3);
  EXPECT_EQ(stats.allocations, 3);
  EXPECT_EQ(stats.frees, 0);
  EXPECT_EQ(stats.not_found, 0);
  const LayerStats& x = snapshot.layers[0];
  EXPECT_EQ(x.peak_bytes, 50);
  EXPECT_EQ(x.total_allocated_bytes, 50);
  EXPECT_EQ(x.total_freed_bytes, 0);
  EXPECT_EQ(x.allocations, 2);
  EXPECT_EQ(x.frees, 0);
  EXPECT_EQ(x.largest_bytes, 30);
  EXPECT_EQ(snapshot.layers[2].allocations, 0);
  EXPECT_EQ(snapshot.layers[2].average_bytes(), 0);
  tracker.free(b);
  EXPECT_EQ(tracker.stats().frees, 1);
  EXPECT_EQ(tracker.stats().total_freed_bytes, 30);
}

TEST(MemoryTracker, SnapshotOrdersAndCutsLayers) {
  Tracker tracker;
  tracker.allocate("a", 10);
  const AllocationId big = tracker.allocate("b", 100);
  tracker.allocate("c", 30);
  tracker.allocate("d", 30);
  tracker.free(big);
  const auto names = [](const Snapshot& snapshot) {
    std::string joined;
    for (const LayerStats& layer : snapshot.layers) joined += layer.name;
    return joined;
  };
  EXPECT_EQ(names(tracker.snapshot()), "abcd");
  EXPECT_EQ(names(tracker.snapshot(LayerOrder::by_current)), "cdab");
  EXPECT_EQ(names(tracker.snapshot(LayerOrder::by_peak)), "bcda");
  const Snapshot top = tracker.snapshot(LayerOrder::by_current, 2);
  EXPECT_EQ(names(top), "cd");
  EXPECT_EQ(top.stats.layer_count, 4);
  EXPECT_EQ(top.rest.current_bytes, 10);
  EXPECT_EQ(top.rest.total_allocated_bytes, 110);
  EXPECT_EQ(top.rest.frees, 1);
  EXPECT_EQ(names(tracker.snapshot(LayerOrder::by_peak, 0)), "");
  EXPECT_EQ(names(tracker.snapshot(LayerOrder::by_peak, 99)), "bcda");
}

TEST(MemoryTracker, LiveAllocationsOldestFirst) {
  const auto clock = std::make_shared<base::ManualClock>(0);
  Tracker tracker(clock);
  std::vector<AllocationId> ids;
  for (int i = 0; i < 300; ++i) {
    ids.push_back(tracker.allocate(i % 2 == 0 ? "even" : "odd", i + 1));
    clock->advance(1);
  }
  for (std::size_t i = 0; i < 300; i += 3) tracker.free(ids[i]);
  const AllocationId late = tracker.allocate("odd", 7);  // reuses a freed slot
  const auto live = tracker.live_allocations();
  ASSERT_EQ(live.size(), 201U);
  EXPECT_EQ(live[0].allocation, ids[1]);
  EXPECT_EQ(live[0].layer_id, tracker.find_layer("odd"));
  EXPECT_EQ(live[0].bytes, 2);
  EXPECT_EQ(live[0].age_ns, 299);
  EXPECT_EQ(live[0].sequence, 2U);
  EXPECT_EQ(live.back().allocation, late);
  EXPECT_EQ(live.back().age_ns, 0);
  std::int64_t sum = 0;
  for (const auto& each : live) sum += each.bytes;
  EXPECT_EQ(sum, tracker.stats().current_bytes);
}

TEST(MemoryTracker, Savings) {
  Tracker tracker;
  tracker.allocate("x", 300);
  EXPECT_EQ(tracker.savings(1000).bytes, 700);
  EXPECT_DOUBLE_EQ(tracker.savings(1000).fraction, 0.7);
  EXPECT_EQ(tracker.savings(200).bytes, -100);
  EXPECT_DOUBLE_EQ(tracker.savings(200).fraction, -0.5);
  EXPECT_EQ(tracker.savings(0).bytes, -300);
  EXPECT_EQ(tracker.savings(0).fraction, 0.0);
  EXPECT_ERROR(tracker.savings(-1), Status::invalid_argument, "store_all_bytes is -1");
}

TEST(MemoryTracker, CoarseClockDatesEvents) {
  Tracker tracker;
  const std::int64_t before = base::monotonic_clock()->now_ns();
  tracker.allocate("x", 1);
  const std::int64_t after = base::monotonic_clock()->now_ns();
  constexpr std::int64_t tick = 20000000;
  EXPECT_GE(tracker.layer_stats(0).last_allocated_at_ns, before - tick);
  EXPECT_LE(tracker.layer_stats(0).last_allocated_at_ns, after);
  EXPECT_GE(tracker.live_allocations()[0].age_ns, 0);
}

TEST(MemoryTracker, RapidAllocationsAndFrees) {
  Tracker tracker;
  const LayerId layer = tracker.layer("x");
  for (int i = 0; i < 200000; ++i) tracker.free(tracker.allocate(layer, 64));
  EXPECT_EQ(tracker.stats().current_bytes, 0);
  EXPECT_EQ(tracker.stats().peak_bytes, 64);
  EXPECT_EQ(tracker.stats().allocations, 200000);
}

TEST(MemoryTracker, NoHeapRequestPerEventOnceALayerIsKnown) {
  Tracker tracker;
  const LayerId layer = tracker.layer("a layer with a name that is too long for a small string");
  std::vector<AllocationId> ids(100);
  for (auto& id : ids) id = tracker.allocate(layer, 1);
  for (const auto id : ids) tracker.free(id);
  const std::int64_t before = heap_requests.load();
  for (int round = 0; round < 10; ++round) {
    for (auto& id : ids) id = tracker.allocate(layer, 1);
    for (const auto id : ids) tracker.free(id);
    tracker.allocate("a layer with a name that is too long for a small string", 1);
    tracker.free_layer("a layer with a name that is too long for a small string");
    tracker.free(tracker.try_reserve(layer, 1));
  }
  EXPECT_EQ(heap_requests.load(), before);
  EXPECT_GT(before, 0);  // the counter works
}

}  // namespace
}  // namespace ckpt::memory
