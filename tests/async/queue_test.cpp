// The queue of background tasks: exact capacity, the order of submitted tasks, and concurrent callers and workers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "async/queue.h"

namespace {

using ckpt::async::TaskQueue;
using Readiness = TaskQueue::Readiness;
using EntryState = TaskQueue::EntryState;

// The state of a task by its id; those of priority 1 are in high.
struct Tasks {
  std::set<std::int64_t> ready;
  std::set<std::int64_t> blocked;
  std::set<std::int64_t> high;
  EntryState operator()(std::int64_t id) const {
    const Readiness readiness = blocked.contains(id) ? Readiness::blocked
                                : ready.contains(id) ? Readiness::ready
                                                     : Readiness::ended;
    return {readiness, high.contains(id) ? 1 : 0};
  }
};

// Takes all tasks that are ready now.
std::vector<std::int64_t> taken(TaskQueue& queue) {
  std::vector<std::int64_t> ids;
  while (const std::int64_t id = queue.pop([] { return true; })) ids.push_back(id);
  return ids;
}

TEST(AsyncQueue, AdmitsAsManyAsItsCapacity) {
  TaskQueue queue(3, [](std::int64_t) { return EntryState{}; });
  std::set<std::int32_t> places;
  for (int i = 0; i < 3; ++i) places.insert(queue.try_admit());
  EXPECT_EQ(places, (std::set<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(queue.try_admit(), TaskQueue::no_place);
  EXPECT_EQ(queue.live(), 3);
  queue.release_place(1);
  EXPECT_EQ(queue.live(), 2);
  EXPECT_EQ(queue.try_admit(), 1);
  EXPECT_EQ(queue.try_admit(), TaskQueue::no_place);
}

TEST(AsyncQueue, OrderedByPriorityThenByAge) {
  Tasks tasks{{1, 2, 3, 4, 5}, {}, {3, 5}};
  TaskQueue queue(8, std::ref(tasks));
  for (const std::int64_t id : {4, 5, 2, 1, 3}) queue.publish(queue.try_admit(), id);
  EXPECT_EQ(taken(queue), (std::vector<std::int64_t>{3, 5, 1, 2, 4}));
}

TEST(AsyncQueue, GatedTasksWaitUntilGatesAreReportedOpen) {
  Tasks tasks{{2}, {1, 3}, {3}};
  TaskQueue queue(3, std::ref(tasks));
  for (const std::int64_t id : {1, 2, 3}) queue.publish(queue.try_admit(), id);
  EXPECT_EQ(taken(queue), std::vector<std::int64_t>{2});
  tasks.blocked = {};
  tasks.ready = {1};  // and 3 was cancelled at its gate
  EXPECT_EQ(taken(queue), std::vector<std::int64_t>{});
  queue.recheck_gates();
  EXPECT_EQ(taken(queue), std::vector<std::int64_t>{1});
  EXPECT_EQ(queue.size(), 0);
}

// All gates open at once, just after a worker has checked one of them.
TEST(AsyncQueue, GatesOpenedDuringASearchLetTheOldestRunFirst) {
  for (std::int64_t last_blocked = 1; last_blocked <= 4; ++last_blocked) {
    bool are_open = false;
    TaskQueue queue(4, [&](std::int64_t id) {
      const EntryState standing{are_open ? Readiness::ready : Readiness::blocked, 0};
      if (id == last_blocked) are_open = true;
      return standing;
    });
    for (const std::int64_t id : {1, 2, 3, 4}) queue.publish(queue.try_admit(), id);
    auto ids = taken(queue);
    queue.recheck_gates();
    for (const std::int64_t id : taken(queue)) ids.push_back(id);
    EXPECT_EQ(ids, (std::vector<std::int64_t>{1, 2, 3, 4})) << "opened after " << last_blocked;
  }
}

// No worker runs, and tasks are submitted and cancelled: the next task in a slot reuses the slot's entry.
TEST(AsyncQueue, CancelledTasksTakeNoCapacity) {
  Tasks tasks;
  TaskQueue queue(4, std::ref(tasks));
  queue.publish(queue.try_admit(), 1);
  for (std::int64_t id = 2; id <= 1000; ++id) {
    const std::int32_t place = queue.try_admit();
    ASSERT_NE(place, TaskQueue::no_place);
    queue.publish(place, id);
    if (id < 1000) queue.release_place(place);
    ASSERT_LE(queue.size(), 4);
  }
  tasks.ready = {1, 1000};
  EXPECT_EQ(taken(queue), (std::vector<std::int64_t>{1, 1000}));
  EXPECT_EQ(queue.size(), 0);
}

TEST(AsyncQueue, ASlotIsSubmittedOnceHoweverOftenItIsReused) {
  Tasks tasks{{1, 9}, {}, {}};
  TaskQueue queue(2, std::ref(tasks));
  const std::int32_t kept = queue.try_admit();
  const std::int32_t place = queue.try_admit();
  for (std::int64_t id = 2; id <= 9; ++id) {
    queue.publish(place, id);
    queue.release_place(place);
    ASSERT_EQ(queue.try_admit(), place);
    ASSERT_EQ(queue.size(), 1);
  }
  queue.publish(kept, 1);
  EXPECT_EQ(taken(queue), (std::vector<std::int64_t>{1, 9}));
}

// Tasks cancelled after a worker has sorted them.
TEST(AsyncQueue, CancelledTasksAreRemovedFromTheOrder) {
  Tasks tasks{{}, {1}, {}};
  TaskQueue queue(4, std::ref(tasks));
  queue.publish(queue.try_admit(), 1);
  for (std::int64_t id = 2; id <= 1000; ++id) {
    const std::int32_t place = queue.try_admit();
    tasks.ready = {id, id + 1'000'000};
    tasks.high = {id + 1'000'000};
    queue.publish(place, id);
    const std::int32_t other = queue.try_admit();
    queue.publish(other, id + 1'000'000);
    ASSERT_EQ(queue.pop([] { return true; }), id + 1'000'000);
    queue.release_place(place);
    queue.release_place(other);
    ASSERT_LE(queue.size(), 12);  // three times the capacity
  }
  tasks.blocked = {};
  tasks.ready = {1};
  queue.recheck_gates();
  const auto ids = taken(queue);
  EXPECT_EQ(std::ranges::count(ids, 1), 1);
}

// A caller that is still copying for a cancelled task submits it after another task has taken its slot.
TEST(AsyncQueue, ATaskWithoutItsSlotDoesNotReplaceTheNewOwner) {
  Tasks tasks{{2}, {}, {}};
  TaskQueue queue(1, std::ref(tasks));
  const std::int32_t place = queue.try_admit();
  queue.release_place(place);
  ASSERT_EQ(queue.try_admit(), place);
  queue.publish(place, 2);
  queue.publish(place, 1);
  EXPECT_EQ(taken(queue), std::vector<std::int64_t>{2});
  queue.publish(place, 1);  // and it is not submitted after the other one was taken
  EXPECT_EQ(taken(queue), std::vector<std::int64_t>{});
}

// Callers admit and submit tasks, and sometimes cancel them before a worker takes them. Each task that was not cancelled is taken
// once, and there are never more such tasks than the capacity.
TEST(AsyncQueue, ManyThreadsAtOnce) {
  constexpr std::int64_t capacity = 3;
  constexpr std::int64_t callers = 4;
  constexpr std::int64_t each = 5000;
  enum State : std::uint8_t { unborn, queued, begun, dead };
  std::vector<std::atomic<State>> states(callers * each + 1);
  std::vector<std::atomic<std::int32_t>> places(states.size());
  TaskQueue queue(capacity, [&](std::int64_t id) {
    return EntryState{states[static_cast<std::size_t>(id)].load() == queued ? Readiness::ready : Readiness::ended,
                      static_cast<std::int32_t>(id % 3)};
  });
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> alive{0};
  std::atomic<std::int64_t> max_alive{0};
  std::atomic<std::int64_t> ended{0};
  const auto end = [&](std::int32_t place) {
    --alive;
    queue.release_place(place);
    if (++ended == callers * each) queue.wake();
  };
  std::vector<std::thread> threads;
  for (std::int64_t caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      for (std::int64_t n = 0; n < each; ++n) {
        std::int32_t place = TaskQueue::no_place;
        while ((place = queue.try_admit()) == TaskQueue::no_place) std::this_thread::yield();
        max_alive.store(std::max(max_alive.load(), ++alive));
        const std::int64_t id = ++next;
        places[static_cast<std::size_t>(id)] = place;
        auto& state = states[static_cast<std::size_t>(id)];
        state = queued;
        const bool dies = (n + caller) % 2 == 0;
        if (dies && n % 4 < 2) queue.publish(place, id);
        State expected = queued;
        if (dies && state.compare_exchange_strong(expected, dead)) end(place);
        if (!dies || n % 4 >= 2) queue.publish(place, id);  // also cancelled ones; their slots may belong to other tasks
      }
    });
  }
  for (int worker = 0; worker < 2; ++worker) {
    threads.emplace_back([&] {
      while (const std::int64_t id = queue.pop([&] { return ended.load() == callers * each; })) {
        State expected = queued;
        const bool is_mine = states[static_cast<std::size_t>(id)].compare_exchange_strong(expected, begun);
        EXPECT_TRUE(is_mine || expected == dead) << "taken twice";
        if (is_mine) end(places[static_cast<std::size_t>(id)]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, callers * each);
  EXPECT_LE(max_alive, capacity);
  EXPECT_EQ(queue.live(), 0);
}

}  // namespace
