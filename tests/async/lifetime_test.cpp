// Callbacks, releases in every situation, forks, and memory that must not grow.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "fixture.h"

namespace {

using namespace ckpt::tests;
using namespace ckpt::async;
using namespace ckpt::state;
using ckpt::base::Status;

TEST(AsyncLife, ListenersReceiveEveryEventOnce) {
  const auto all = std::make_shared<RecordingListener>();
  AsyncOptions options = Background::small();
  options.listener = all;
  Background it(options);
  TaskOptions task;
  const auto own = std::make_shared<RecordingListener>();
  task.listener = own;
  const std::int64_t id = it.save(1, task);
  it.manager->wait(id, -1);
  const std::string number = std::to_string(id);
  EXPECT_EQ(own->lines(), (std::vector<std::string>{"staged " + number, "ended " + number}));
  EXPECT_EQ(all->lines(), own->lines());
  EXPECT_GE(own->progressed(), 1);  // two groups, reported together if the first report was still pending
  EXPECT_LE(own->progressed(), 2);
  EXPECT_EQ(own->last_done(id), it.manager->info(id).total_bytes);
  EXPECT_EQ(own.use_count(), 2);  // own and task: the manager has released its reference

  it.save_blocked(2);
  const std::int64_t cancelled = it.save(3, task);
  it.manager->cancel(cancelled);
  EXPECT_EQ(own->count("ended " + std::to_string(cancelled)), 1);
  const std::int64_t dropped = it.save(4, task);
  it.manager->cancel(dropped);
  it.manager->cancel(dropped);
  EXPECT_EQ(own->count("ended " + std::to_string(dropped)), 1);
}

TEST(AsyncLife, CallbacksMayQueryAndCancelButNotWait) {
  Background it;
  TaskOptions task;
  const auto listener = std::make_shared<RecordingListener>();
  task.listener = listener;
  std::int64_t other = 0;
  int asked = 0;
  listener->on_end = [&](const TaskResult& result) {
    EXPECT_EQ(it.manager->info(result.id).state, TaskState::completed);
    EXPECT_EQ(it.manager->wait(result.id, -1).state, TaskState::completed);  // it has ended: nothing to wait for
    EXPECT_ERROR(it.save(9), Status::invalid_state, "inside one of its callbacks");
    EXPECT_ERROR(it.manager->wait(other, -1), Status::invalid_state, "inside one of its callbacks");
    EXPECT_ERROR(it.manager->wait_all(-1), Status::invalid_state, "inside one of its callbacks");
    EXPECT_ERROR(it.manager->close(CloseMode::drain, -1), Status::invalid_state, "inside one of its callbacks");
    EXPECT_TRUE(it.manager->cancel(other));
    asked += it.manager->live_ids().empty() ? 1 : 0;
  };
  it.save_blocked(1);
  const std::int64_t id = it.save(2, task);
  other = it.save(3);
  it.blocker.open();
  it.manager->wait(id, -1);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(it.manager->wait(other, -1).state, TaskState::cancelled);
}

TEST(AsyncLife, WaitingForAllIncludesRunningCallbacks) {
  Background it;
  Blocker blocker;
  blocker.shut("told");
  const auto listener = std::make_shared<RecordingListener>();
  std::atomic<bool> reported{false};
  listener->on_end = [&](const TaskResult&) {
    blocker.pass("told");
    reported = true;
  };
  TaskOptions task;
  task.listener = listener;
  it.save(1, task);
  blocker.wait_for_thread();
  EXPECT_TRUE(it.manager->live_ids().empty());
  EXPECT_ERROR(it.manager->wait_all(0), Status::timeout, "did not end");
  blocker.open();
  it.manager->wait_all(-1);
  EXPECT_TRUE(reported);
  EXPECT_EQ(it.manager->ended_ids().size(), 1U);
}

// Released inside its own callback: the manager's threads finish the remaining work, and free it.
TEST(AsyncLife, ReleasedInsideACallback) {
  Background it;
  std::weak_ptr<AsyncManager> watched = it.manager;
  TaskOptions task;
  const auto listener = std::make_shared<RecordingListener>();
  task.listener = listener;
  std::atomic<bool> released{false};
  listener->on_end = [&](const TaskResult&) {
    AsyncManager::release(std::move(it.manager));
    released = true;
  };
  const std::int64_t id = it.save_blocked(1);
  TaskOptions plain;
  const auto last = std::make_shared<RecordingListener>();
  plain.listener = last;
  it.save(2, task);
  const std::int64_t queued = it.save(3, plain);
  EXPECT_NE(id, queued);
  it.blocker.open();
  while (!released || !watched.expired()) std::this_thread::yield();
  EXPECT_EQ(it.manager, nullptr);
  EXPECT_EQ(last->count("ended " + std::to_string(queued)), 1);
  EXPECT_EQ(it.loaded(), 3);
}

TEST(AsyncLife, ReleasedInsideTheCallbackOfACancelledTask) {
  Background it;
  TaskOptions task;
  const auto listener = std::make_shared<RecordingListener>();
  task.listener = listener;
  std::weak_ptr<AsyncManager> watched = it.manager;
  listener->on_end = [&](const TaskResult&) { AsyncManager::release(std::move(it.manager)); };
  it.save_blocked(1);
  const std::int64_t id = it.save(2, task);
  {
    const auto manager = it.manager;
    EXPECT_TRUE(manager->cancel(id));  // on this thread
  }
  it.blocker.open();
  while (!watched.expired()) std::this_thread::yield();
  EXPECT_EQ(it.loaded(), 1);
}

bool is_closing(AsyncManager& manager) {
  try {
    static_cast<void>(manager.cancel(manager.load(std::make_shared<State>(), {}, {})));
    return false;
  } catch (const ckpt::base::Error& error) {
    return error.status() == Status::closed;
  }
}

// A thread is inside close when a callback releases the manager: the closing thread finishes the rest.
TEST(AsyncLife, ReleasedInsideACallbackWhileAnotherThreadCloses) {
  Background it;
  std::weak_ptr<AsyncManager> watched = it.manager;
  TaskOptions task;
  const auto listener = std::make_shared<RecordingListener>();
  task.listener = listener;
  auto inside = it.manager;  // the callback's reference
  listener->on_end = [&](const TaskResult&) { AsyncManager::release(std::move(inside)); };
  it.blocker.shut("create ");
  it.save(1, task);
  it.blocker.wait_for_thread();
  std::thread closer([manager = std::move(it.manager)] { manager->close(CloseMode::drain, -1); });
  while (!is_closing(*watched.lock())) std::this_thread::yield();
  it.blocker.open();
  closer.join();
  while (!watched.expired()) std::this_thread::yield();  // if the callback was first, the last worker frees it when it exits
  EXPECT_EQ(it.loaded(), 1);
}

// A draining close waits for tasks that a cancelling close then cancels.
TEST(AsyncLife, ACloseThatCancelsEndsOneThatDrains) {
  AsyncOptions options = Background::small();
  options.bytes_per_second = 1;
  Background it(options);
  State state;
  state.add_tensor("model", "large", ckpt::tensor::Tensor::create(ckpt::tensor::Dtype::u8, {9 << 20}));  // takes a month
  TaskOptions task;
  task.mode = StagingMode::borrow;
  const std::int64_t id = it.manager->save(state, {}, task);
  while (it.manager->info(id).started_at_ns == 0) std::this_thread::yield();
  std::thread draining([&] { it.manager->close(CloseMode::drain, -1); });
  while (!is_closing(*it.manager)) std::this_thread::yield();
  it.manager->close(CloseMode::cancel, 0);
  draining.join();
  EXPECT_EQ(it.manager->wait(id, 0).state, TaskState::cancelled);
}

TEST(AsyncLife, WaitersAreWokenWhenTheManagerIsReleased) {
  AsyncOptions options = Background::small();
  options.drain_timeout_ns = 0;
  Background it(options);
  const std::int64_t first = it.save_blocked(1);
  const std::int64_t second = it.save(2);
  std::atomic<int> waiting{0};
  std::vector<std::thread> waiters;
  for (const std::int64_t id : {first, second}) {
    waiters.emplace_back([&, id, manager = it.manager] {
      ++waiting;
      EXPECT_EQ(manager->wait(id, -1).state, TaskState::cancelled);
    });
  }
  while (waiting < 2) std::this_thread::yield();
  std::thread opener([&] {
    waiters[1].join();
    it.blocker.open();
  });
  AsyncManager::release(std::move(it.manager));
  opener.join();
  waiters[0].join();
  EXPECT_EQ(std::ssize(it.checkpoint->list()), 0);
}

// The child has no workers: calls return FORKED, and a release frees without waiting for a thread.
TEST(AsyncLife, AForkedChildIsRefusedAndCanRelease) {
  Background it;
  const std::int64_t id = it.save_blocked(1);
  it.save(2);
  const pid_t child = ::fork();
  if (child == 0) {
    int wrong = 0;
    const auto is_forked = [&](auto call) {
      try {
        call();
        ++wrong;
      } catch (const ckpt::base::Error& error) {
        wrong += error.status() == Status::forked ? 0 : 1;
      }
    };
    const Model model(3);
    is_forked([&] { it.save(model, 3); });
    is_forked([&] { it.manager->wait(id, -1); });
    is_forked([&] { it.manager->cancel(id); });
    is_forked([&] { it.manager->live_ids(); });
    is_forked([&] { it.manager->close(CloseMode::drain, -1); });
    AsyncManager::release(std::move(it.manager));
    it.checkpoint.reset();
    ::_exit(wrong);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  it.blocker.open();
  EXPECT_EQ(it.manager->wait(id, -1).state, TaskState::completed);
  it.manager->close(CloseMode::drain, -1);
  EXPECT_EQ(it.loaded(), 2);
}

#ifdef CKPT_SANITIZED
constexpr int enqueued = 20'000;  // the same code, about twenty times slower
constexpr int small_tasks = 500;
#else
constexpr int enqueued = 1'000'000;
constexpr int small_tasks = 20'000;  // bench_state saves 100,000
#endif

TEST(AsyncLife, AMillionTasksCancelledAfterABlockedOne) {
  Background it;
  const std::int64_t blocked = it.save_blocked(1);
  const Model model(2);
  std::int64_t max_entries = 0;
  for (int i = 0; i < enqueued; ++i) {
    ASSERT_TRUE(it.manager->cancel(it.save(model, 2)));
    max_entries = std::max(max_entries, it.manager->queue_entries());
  }
  EXPECT_LE(max_entries, 64);
  EXPECT_LE(it.manager->known_tasks(), 112);  // capacity, history, one in progress
  EXPECT_EQ(it.manager->stats().cancelled_tasks, enqueued);
  EXPECT_EQ(it.manager->stats().live_tasks, 1);
  it.blocker.open();
  EXPECT_EQ(it.manager->wait(blocked, -1).state, TaskState::completed);
  EXPECT_EQ(it.manager->wait(it.save(3), -1).state, TaskState::completed);
  EXPECT_EQ(it.loaded(), 3);
}

std::int64_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmRSS:") continue;
    std::int64_t kib = 0;
    status >> kib;
    return kib;
  }
  return 0;
}

TEST(AsyncLife, ManySmallTasksDoNotGrowMemory) {
  CheckpointOptions keep_one;
  keep_one.keep_last = 1;
  Background it(Background::small(), keep_one);
  TaskOptions waiting;
  waiting.when_full = WhenFull::wait;
  const Model model(1);
  const auto run = [&](int count) {
    for (int i = 0; i < count; ++i) {
      it.save(model, 1, waiting);
      if (i % 100 == 0) {
        it.manager->wait_all(-1);
        it.faults->log.clear();  // the test's own memory
      }
    }
    it.manager->wait_all(-1);
    it.faults->log.clear();
    it.faults->log.shrink_to_fit();
  };
  run(small_tasks / 10);
  const std::int64_t before = resident_kib();
  run(small_tasks);
  const std::int64_t grown = resident_kib() - before;
  std::printf("state: %d small tasks: resident memory grew by %lld KiB from %lld KiB\n", small_tasks, static_cast<long long>(grown),
              static_cast<long long>(before));
  EXPECT_EQ(it.manager->stats().completed_tasks, small_tasks + small_tasks / 10);
  EXPECT_LE(it.manager->known_tasks(), 112);
  EXPECT_LE(it.manager->stats().staging_bytes, 1 << 20);
#ifndef CKPT_SANITIZED  // sanitizers' own bookkeeping grows
  EXPECT_LE(grown, 4096);
#endif
}

}  // namespace
