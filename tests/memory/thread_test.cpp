// Concurrent threads: every snapshot is consistent, the peak is the true maximum, nothing is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/queue.h"
#include "base/text.h"
#include "memory/tracker.h"

namespace ckpt::memory {
namespace {

#ifdef CKPT_SANITIZED
constexpr int rounds = 3000;
#else
constexpr int rounds = 30000;
#endif

void expect_invariants(const Snapshot& snapshot) {
  const Stats& stats = snapshot.stats;
  LayerStats sum;
  for (const LayerStats& layer : snapshot.layers) {
    sum.current_bytes += layer.current_bytes;
    sum.total_allocated_bytes += layer.total_allocated_bytes;
    sum.total_freed_bytes += layer.total_freed_bytes;
    sum.live_allocations += layer.live_allocations;
    sum.allocations += layer.allocations;
    sum.frees += layer.frees;
    ASSERT_LE(layer.current_bytes, layer.peak_bytes);
    ASSERT_LE(layer.peak_bytes, layer.total_allocated_bytes);
    ASSERT_LE(layer.frees, layer.allocations);
    ASSERT_LE(layer.peak_bytes, stats.peak_bytes);
  }
  ASSERT_EQ(sum.current_bytes, stats.current_bytes);
  ASSERT_EQ(sum.total_allocated_bytes, stats.total_allocated_bytes);
  ASSERT_EQ(sum.total_freed_bytes, stats.total_freed_bytes);
  ASSERT_EQ(sum.live_allocations, stats.live_allocations);
  ASSERT_EQ(sum.allocations, stats.allocations);
  ASSERT_EQ(sum.frees, stats.frees);
  ASSERT_LE(stats.current_bytes, stats.peak_bytes);
  ASSERT_LE(stats.peak_bytes, stats.total_allocated_bytes);
  ASSERT_LE(stats.total_freed_bytes, stats.total_allocated_bytes);
  ASSERT_LE(stats.frees, stats.allocations);
  for (const ScopeStats& scope : snapshot.scopes) {
    ASSERT_LE(stats.current_bytes, scope.peak_bytes);
  }
}

// Allocates and frees randomly, by handle and by name, on layers shared with the other threads.
void churn(Tracker& tracker, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<AllocationId> live;
  for (int i = 0; i < rounds; ++i) {
    const std::string name = base::cat("layer", random() % 20);
    if (live.size() < 50 && random() % 2 == 0) {
      live.push_back(tracker.allocate(name, 1 + random() % 1000));
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      tracker.free(live.back());
      live.pop_back();
    }
    if (random() % 64 == 0) {  // a private layer, freed completely
      const std::string own = base::cat("own", seed);
      tracker.allocate(own, 3);
      tracker.allocate(own, 4);
      EXPECT_EQ(tracker.free_layer(own), 2);
    }
  }
  for (const AllocationId id : live) tracker.free(id);
}

TEST(MemoryThreads, InvariantsHoldInEverySnapshotWhileEightThreadsRun) {
  Tracker tracker;
  const ScopeId scope = tracker.push_scope("all");
  std::atomic<int> running{8};
  std::vector<std::jthread> threads;
  for (unsigned seed = 0; seed < 8; ++seed) {
    threads.emplace_back([&tracker, &running, seed] {
      churn(tracker, seed);
      --running;
    });
  }
  int snapshots = 0;
  while (running.load() > 0) {
    ASSERT_NO_FATAL_FAILURE(expect_invariants(tracker.snapshot()));
    if (++snapshots % 16 == 0) tracker.reset_stats();
    std::int64_t sum = 0;
    for (const auto& each : tracker.live_allocations()) sum += each.bytes;
    ASSERT_LE(sum, tracker.scope_stats(scope).peak_bytes);
    const ScopeId inner = tracker.push_scope("look");
    const ScopeStats looked = tracker.pop_scope(inner);
    ASSERT_LE(looked.start_bytes, looked.peak_bytes);
  }
  for (auto& thread : threads) thread.join();
  const Snapshot end = tracker.snapshot();
  ASSERT_NO_FATAL_FAILURE(expect_invariants(end));
  EXPECT_EQ(end.stats.current_bytes, 0);
  EXPECT_EQ(end.stats.live_allocations, 0);
  EXPECT_EQ(end.stats.not_found, 0);
  EXPECT_LE(end.stats.peak_bytes, INT64_C(8) * 51 * 1000);
  EXPECT_EQ(tracker.pop_scope(scope).net_bytes, 0);
}

// One thread allocates, another frees, with at most eight allocations in flight: sharded counters summed later would report a peak
// of thousands.
TEST(MemoryThreads, APipelineHasAnExactPeak) {
  Tracker tracker;
  const LayerId layer = tracker.layer("stage");
  constexpr std::int64_t on_the_way = 8;
  base::BlockingQueue<base::SpscQueue<AllocationId>, AllocationId> queue(on_the_way);
  std::thread consumer([&] {
    AllocationId id = 0;
    while (queue.pop(id, -1) == base::QueueResult::done) tracker.free(id);
  });
  for (int i = 0; i < rounds; ++i) ASSERT_EQ(queue.push(tracker.allocate(layer, 10), -1), base::QueueResult::done);
  queue.close();
  consumer.join();
  const Stats stats = tracker.stats();
  EXPECT_EQ(stats.current_bytes, 0);
  EXPECT_EQ(stats.total_allocated_bytes, 10 * rounds);
  EXPECT_GE(stats.peak_bytes, 10);
  EXPECT_LE(stats.peak_bytes, 10 * (on_the_way + 2));  // plus one in each thread
}

TEST(MemoryThreads, ReservationsNeverExceedTheLimit) {
  Tracker tracker;
  tracker.set_limit(1000);
  std::vector<std::jthread> threads;
  std::atomic<std::int64_t> refused{0};
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      std::vector<AllocationId> live;
      const LayerId layer = tracker.layer(base::cat("layer", seed));
      for (int i = 0; i < rounds; ++i) {
        const AllocationId id = tracker.try_reserve(layer, 1 + random() % 300);
        if (id != 0) live.push_back(id);
        if (id == 0) ++refused;
        if (!live.empty() && (id == 0 || random() % 2 == 0)) {
          tracker.free(live.back());
          live.pop_back();
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(tracker.stats().peak_bytes, 1000);
  EXPECT_EQ(tracker.stats().refused, refused.load());
  EXPECT_GT(refused.load(), 0);
}

// Each sequence number appears exactly once; in their order, the events reproduce the tracker's whole history.
TEST(MemoryThreads, EventsContainTheWholeHistory) {
  Tracker tracker;
  constexpr int each = rounds / 10;
  const SubscriptionId id = tracker.events().subscribe_queue(bit(EventKind::allocated) | bit(EventKind::freed), 8 * each);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&tracker, t] {
      const LayerId layer = tracker.layer(base::cat("layer", t));
      for (int i = 0; i < each; ++i) tracker.free(tracker.allocate(layer, 1 + i % 7));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(tracker.events().dropped(id), 0);
  std::vector<Event> events;
  Event event;
  while (tracker.events().poll(id, event)) events.push_back(event);
  ASSERT_EQ(events.size(), static_cast<std::size_t>(8 * each));
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.sequence < b.sequence; });
  std::int64_t live = 0;
  std::int64_t peak = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    ASSERT_EQ(events[i].sequence, i + 1);
    live += events[i].kind == EventKind::allocated ? events[i].bytes : -events[i].bytes;
    peak = std::max(peak, live);
    ASSERT_EQ(events[i].current_bytes, live);
    ASSERT_EQ(events[i].peak_bytes, peak);
  }
  EXPECT_EQ(live, 0);
}

TEST(MemoryThreads, SubscribersComeAndGoDuringEvents) {
  Tracker tracker;
  std::atomic<bool> stop{false};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      const LayerId layer = tracker.layer(base::cat("layer", t));
      while (!stop.load()) tracker.free(tracker.allocate(layer, 1));
    });
  }
  for (int i = 0; i < rounds / 30; ++i) {
    // The handler's data is freed right after unsubscribe has returned.
    auto alive = std::make_unique<std::atomic<bool>>(true);
    std::atomic<bool>* const watched = alive.get();
    const SubscriptionId id =
        tracker.events().subscribe(all_event_kinds, [watched](const Event&) { EXPECT_TRUE(watched->load()); });
    tracker.events().unsubscribe(id);
    alive->store(false);
  }
  stop = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(tracker.stats().handler_failures, 0);
  EXPECT_EQ(tracker.stats().current_bytes, 0);
}

TEST(MemoryThreads, NamesAreInternedOnceByAllThreads) {
  Tracker tracker;
  constexpr int names = 2000;
  std::array<std::vector<LayerId>, 4> seen;
  std::vector<std::jthread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&tracker, &mine] {
      for (int i = 0; i < names; ++i) {
        const std::string name = base::cat("n", i);
        mine.push_back(tracker.layer(name));
        tracker.free(tracker.allocate(name, 1));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& mine : seen) EXPECT_EQ(mine, seen[0]);
  EXPECT_EQ(tracker.stats().layer_count, names);
  EXPECT_EQ(tracker.stats().not_found, 0);
}

}  // namespace
}  // namespace ckpt::memory
