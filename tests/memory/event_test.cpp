// Events: their contents, and handlers that subscribe, unsubscribe, allocate, free and fail.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/wait_point.h"
#include "expect_error.h"
#include "memory/tracker.h"

namespace ckpt::memory {
namespace {

using base::Status;

constexpr std::uint32_t allocated = bit(EventKind::allocated);
constexpr std::uint32_t freed = bit(EventKind::freed);
constexpr std::uint32_t new_peak = bit(EventKind::new_peak);

// Waits until another thread has made the condition true; never for a fixed time.
template <class Condition>
void until(Condition condition) {
  while (!condition()) std::this_thread::yield();
}

TEST(MemoryEvents, CarryTheValuesAtTheirTransition) {
  const auto clock = std::make_shared<base::ManualClock>(7);
  Tracker tracker(clock);
  tracker.set_limit(120);
  std::vector<Event> events;
  tracker.events().subscribe(all_event_kinds, [&](const Event& event) { events.push_back(event); });
  const AllocationId a = tracker.allocate("x", 100);
  clock->advance(1);
  const AllocationId b = tracker.allocate("y", 50);
  tracker.free(a);
  ASSERT_EQ(events.size(), 6U);
  const EventKind kinds[] = {EventKind::allocated, EventKind::new_peak,       EventKind::allocated,
                             EventKind::new_peak,  EventKind::limit_exceeded, EventKind::freed};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(events[i].kind, kinds[i]) << i;
  EXPECT_EQ(events[0].sequence, 1U);
  EXPECT_EQ(events[0].allocation, a);
  EXPECT_EQ(events[0].layer_id, 0);
  EXPECT_STREQ(events[0].layer_name, "x");
  EXPECT_EQ(events[0].bytes, 100);
  EXPECT_EQ(events[0].current_bytes, 100);
  EXPECT_EQ(events[0].peak_bytes, 100);
  EXPECT_EQ(events[0].limit_bytes, 120);
  EXPECT_EQ(events[0].occurred_at_ns, 7);
  EXPECT_EQ(events[1].sequence, 1U);
  EXPECT_EQ(events[4].sequence, 2U);
  EXPECT_EQ(events[4].allocation, b);
  EXPECT_EQ(events[4].current_bytes, 150);
  EXPECT_EQ(events[5].sequence, 3U);
  EXPECT_EQ(events[5].allocation, a);
  EXPECT_STREQ(events[5].layer_name, "x");
  EXPECT_EQ(events[5].bytes, 100);
  EXPECT_EQ(events[5].current_bytes, 50);
  EXPECT_EQ(events[5].peak_bytes, 150);
  EXPECT_EQ(events[5].occurred_at_ns, 8);
}

TEST(MemoryEvents, OnlyRequestedKinds) {
  Tracker tracker;
  int frees = 0;
  tracker.events().subscribe(freed, [&](const Event& event) { frees += event.kind == EventKind::freed ? 1 : 100; });
  tracker.free(tracker.allocate("x", 1));
  EXPECT_EQ(frees, 1);
  EXPECT_ERROR(tracker.events().subscribe(0, [](const Event&) {}), Status::invalid_argument, "kinds is 0");
  EXPECT_ERROR(tracker.events().subscribe(16, [](const Event&) {}), Status::invalid_argument, "kinds is 16");
  EXPECT_ERROR(tracker.events().subscribe(1, nullptr), Status::invalid_argument, "handler is empty");
  EXPECT_ERROR(tracker.events().subscribe_queue(1, 0), Status::invalid_argument, "capacity is 0");
  EXPECT_ERROR(tracker.events().subscribe_queue(32, 8), Status::invalid_argument, "kinds is 32");
}

TEST(MemoryEvents, AFreeByNameReportsEachAllocation) {
  Tracker tracker;
  std::vector<std::int64_t> live;
  tracker.events().subscribe(freed, [&](const Event& event) { live.push_back(event.current_bytes); });
  for (int i = 0; i < 100; ++i) tracker.allocate("x", 1);
  tracker.free_layer("x");
  ASSERT_EQ(live.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(live[i], static_cast<std::int64_t>(99 - i));
}

TEST(MemoryEvents, EveryNewPeakByDefaultAndFewerWithAGranularity) {
  Tracker tracker;
  std::vector<std::int64_t> peaks;
  tracker.events().subscribe(new_peak, [&](const Event& event) { peaks.push_back(event.peak_bytes); });
  for (int i = 0; i < 3; ++i) tracker.allocate("x", 10);
  EXPECT_EQ(peaks, (std::vector<std::int64_t>{10, 20, 30}));
  tracker.set_peak_granularity(25);
  for (int i = 0; i < 6; ++i) tracker.allocate("x", 10);
  EXPECT_EQ(peaks, (std::vector<std::int64_t>{10, 20, 30, 60, 90}));
  tracker.free_layer("x");
  tracker.allocate("x", 50);  // below the peak
  EXPECT_EQ(peaks.size(), 5U);
  EXPECT_ERROR(tracker.set_peak_granularity(0), Status::invalid_argument, "granularity_bytes is 0");
}

TEST(MemoryEvents, CanBeSwitchedOffAndOnWithoutTouchingTheAccounting) {
  Tracker tracker;
  int received = 0;
  tracker.events().subscribe(allocated | new_peak, [&](const Event&) { ++received; });
  tracker.events().enable(false);
  tracker.allocate("x", 5);
  EXPECT_EQ(received, 0);
  EXPECT_EQ(tracker.stats().current_bytes, 5);
  EXPECT_EQ(tracker.stats().peak_bytes, 5);
  tracker.events().enable(true);
  tracker.allocate("x", 5);
  EXPECT_EQ(received, 2);
}

TEST(MemoryEvents, AFailingHandlerAffectsNeitherTheOthersNorTheCaller) {
  Tracker tracker;
  int received = 0;
  tracker.events().subscribe(allocated, [](const Event&) { throw std::runtime_error("no"); });
  tracker.events().subscribe(allocated, [](const Event&) { throw 7; });
  tracker.events().subscribe(allocated, [&](const Event&) { ++received; });
  EXPECT_NO_THROW(tracker.allocate("x", 1));
  EXPECT_EQ(received, 1);
  EXPECT_EQ(tracker.stats().handler_failures, 2);
  EXPECT_EQ(tracker.stats().current_bytes, 1);
}

TEST(MemoryEvents, AHandlerMayCallTheTracker) {
  Tracker tracker;
  const LayerId shadow = tracker.layer("shadow");
  int received = 0;
  int others = 0;
  tracker.events().subscribe(allocated, [&](const Event& event) {
    ++received;
    EXPECT_EQ(tracker.stats().current_bytes, event.current_bytes);
    const AllocationId id = tracker.allocate(shadow, 1);  // not reported to this handler, but to the next one
    tracker.free(id);
    tracker.set_limit(1000);
    tracker.pop_scope(tracker.push_scope("s"));
    EXPECT_EQ(tracker.snapshot().layers.size(), 2U);
    tracker.free(event.allocation);  // the allocation of this event
  });
  tracker.events().subscribe(allocated, [&](const Event&) { ++others; });
  const AllocationId id = tracker.allocate("x", 10);
  EXPECT_EQ(received, 1);
  EXPECT_EQ(others, 2);
  EXPECT_EQ(tracker.stats().current_bytes, 0);
  EXPECT_THROW(tracker.free(id), base::Error);
}

TEST(MemoryEvents, SubscribesUnsubscribesAndFreesFromInsideHandlers) {
  Tracker tracker;
  EventHub& hub = tracker.events();
  std::string received;
  SubscriptionId one = 0;
  SubscriptionId two = 0;
  SubscriptionId late = 0;
  one = hub.subscribe(allocated, [&](const Event&) {
    received += '1';
    hub.unsubscribe(one);                                                     // itself
    hub.unsubscribe(two);                                                     // one that has not been called for this event yet
    late = hub.subscribe(allocated, [&](const Event&) { received += 'L'; });  // receives later events only
  });
  two = hub.subscribe(allocated, [&](const Event&) { received += '2'; });
  hub.subscribe(allocated, [&](const Event& event) {
    received += '3';
    tracker.free(event.allocation);
  });
  tracker.allocate("x", 1);
  EXPECT_EQ(received, "13");
  tracker.allocate("x", 1);
  EXPECT_EQ(received, "133L");
  EXPECT_ERROR(hub.unsubscribe(one), Status::not_found, "subscription is 1");
  EXPECT_EQ(tracker.stats().current_bytes, 0);
  hub.unsubscribe(late);
}

TEST(MemoryEvents, AHandlerIsDestroyedWhenItHasEnded) {
  Tracker tracker;
  EventHub& hub = tracker.events();
  const auto token = std::make_shared<int>(1);
  const SubscriptionId id = hub.subscribe(allocated, [token](const Event&) {});
  EXPECT_EQ(token.use_count(), 2);
  hub.unsubscribe(id);
  EXPECT_EQ(token.use_count(), 1);
  // From inside: it is destroyed after it has returned.
  SubscriptionId self = 0;
  self = hub.subscribe(allocated, [&, copy = token](const Event&) {
    hub.unsubscribe(self);
    EXPECT_EQ(token.use_count(), 2);
    EXPECT_EQ(*copy, 1);
  });
  tracker.allocate("x", 1);
  EXPECT_EQ(token.use_count(), 1);
}

TEST(MemoryEvents, TheTrackerMayBeReleasedInsideAHandler) {
  auto tracker = std::make_unique<Tracker>();
  int received = 0;
  tracker->events().subscribe(allocated, [&](const Event&) { tracker.reset(); });
  tracker->events().subscribe(allocated, [&](const Event& event) { received += event.layer_name[0] == 'x' ? 1 : 0; });
  EXPECT_NE(tracker->allocate("x", 1), 0U);
  EXPECT_EQ(received, 1);
  EXPECT_EQ(tracker, nullptr);
}

TEST(MemoryEvents, UnsubscribeWaitsForOtherThreadsInsideTheHandler) {
  Tracker tracker;
  std::atomic<bool> inside{false};
  std::atomic<bool> go_on{false};
  std::atomic<bool> left{false};
  const SubscriptionId id = tracker.events().subscribe(allocated, [&](const Event&) {
    inside = true;
    until([&] { return go_on.load(); });
    left = true;
  });
  std::thread caller([&] { tracker.allocate("x", 1); });
  until([&] { return inside.load(); });
  std::atomic<bool> unsubscribed{false};
  std::thread ender([&] {
    tracker.events().unsubscribe(id);
    EXPECT_TRUE(left.load());
    unsubscribed = true;
  });
  // Removed from the list at once, but not returned before the handler has.
  until([&] { return tracker.events().wanted() == 0; });
  EXPECT_FALSE(unsubscribed.load());
  go_on = true;
  caller.join();
  ender.join();
  EXPECT_TRUE(unsubscribed.load());
}

// Two threads, each inside a handler that ends the other's: returns how many of them get an error.
int end_each_other(Tracker& one, Tracker& two) {
  std::atomic<int> inside{0};
  std::atomic<int> refused{0};
  std::atomic<int> ended{0};
  SubscriptionId ids[2] = {0, 0};
  const auto end_the_other = [&](Tracker& its, SubscriptionId& id) {
    ++inside;
    until([&] { return inside.load() == 2; });
    try {
      its.events().unsubscribe(id);
      ++ended;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.status(), Status::invalid_state);
      ++refused;
    }
  };
  const AllocationId id = two.allocate("x", 1);
  ids[0] = one.events().subscribe(allocated, [&](const Event&) { end_the_other(two, ids[1]); });
  ids[1] = two.events().subscribe(freed, [&](const Event&) { end_the_other(one, ids[0]); });
  std::thread first([&] { one.allocate("x", 1); });
  std::thread second([&] { two.free(id); });
  first.join();
  second.join();
  EXPECT_EQ(ended.load(), 2 - refused.load());
  return refused.load();
}

TEST(MemoryEvents, HandlersThatEndEachOtherGetAnErrorInsteadOfADeadlock) {
  Tracker tracker;
  EXPECT_EQ(end_each_other(tracker, tracker), 1);
}

TEST(MemoryEvents, HandlersOfTwoTrackersThatEndEachOtherGetAnError) {
  Tracker one;
  Tracker two;
  EXPECT_EQ(end_each_other(one, two), 1);
}

TEST(MemoryEvents, UnsubscribeWaitsForAThreadThatWaitsInsideTheHandlerItEnds) {
  Tracker tracker;
  EventHub& hub = tracker.events();
  const LayerId layer = tracker.layer("x");
  const AllocationId id = tracker.allocate(layer, 1);
  std::atomic<int> inside{0};
  std::atomic<bool> go_on{false};
  SubscriptionId inner = 0;
  std::thread::id ends_itself;
  inner = hub.subscribe(freed, [&](const Event&) {
    ++inside;
    until([&] { return inside.load() == 2; });
    if (std::this_thread::get_id() == ends_itself) {
      hub.unsubscribe(inner);  // waits for the other thread in this handler
    } else {
      until([&] { return go_on.load(); });
    }
  });
  const SubscriptionId outer = hub.subscribe(allocated, [&](const Event& event) {
    ends_itself = std::this_thread::get_id();
    tracker.free(event.allocation);
  });
  std::thread nested([&] { tracker.allocate(layer, 1); });
  until([&] { return inside.load() == 1; });
  std::thread other([&] { tracker.free(id); });
  until([&] { return (hub.wanted() & freed) == 0; });
  std::thread ender([&] { hub.unsubscribe(outer); });
  until([&] { return hub.wanted() == 0; });
  go_on = true;
  nested.join();
  other.join();
  ender.join();
  EXPECT_EQ(tracker.stats().current_bytes, 0);
  EXPECT_ERROR(hub.unsubscribe(outer), Status::not_found, "unknown subscription");
}

TEST(MemoryEventQueue, KeepsOrderCountsDropsAndIsPolled) {
  Tracker tracker;
  EventHub& hub = tracker.events();
  const SubscriptionId id = hub.subscribe_queue(allocated | freed, 4);
  Event event;
  EXPECT_FALSE(hub.poll(id, event));
  tracker.free(tracker.allocate("x", 3));
  ASSERT_TRUE(hub.poll(id, event));
  EXPECT_EQ(event.kind, EventKind::allocated);
  EXPECT_STREQ(event.layer_name, "x");
  EXPECT_EQ(event.sequence, 1U);
  for (int i = 0; i < 3; ++i) tracker.free(tracker.allocate("x", 3));
  EXPECT_EQ(hub.dropped(id), 3);  // one remained in the queue, three were added
  int left = 0;
  while (hub.poll(id, event)) ++left;
  EXPECT_EQ(left, 4);
  EXPECT_EQ(tracker.stats().allocations, 4);
  const SubscriptionId handler = hub.subscribe(allocated, [](const Event&) {});
  EXPECT_ERROR(hub.poll(handler, event), Status::invalid_state, "with a handler");
  EXPECT_ERROR(hub.dropped(handler), Status::invalid_state, "with a handler");
  hub.unsubscribe(id);
  EXPECT_ERROR(hub.poll(id, event), Status::not_found, "subscription is 1");
}

}  // namespace
}  // namespace ckpt::memory
