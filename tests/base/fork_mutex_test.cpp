// The mutex that never blocks in a forked child: mutual exclusion first, then the results in a child.
#include "base/fork_mutex.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ckpt::base {
namespace {

TEST(ForkMutex, IsExclusive) {
  ForkMutex mutex;
  std::int64_t count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20'000; ++k) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 80'000);
}

// Returns the exit code of a child that ran body while a thread of the parent held the mutex; an alarm ends a child that blocks.
int in_child(ForkMutex& mutex, const std::function<bool()>& body) {
  std::mutex turn;
  turn.lock();
  std::atomic<bool> held{false};
  std::thread holder([&] {
    mutex.lock();
    held = true;
    turn.lock();
    mutex.unlock();
  });
  while (!held) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(200);
    _exit(body() ? 0 : 1);
  }
  turn.unlock();
  holder.join();
  int status = 0;
  waitpid(child, &status, 0);
  mutex.lock();  // the parent's mutex is unaffected
  mutex.unlock();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

TEST(ForkMutex, RefusesAMutexHeldByAThreadOfTheParent) {
  ForkMutex mutex;
  const auto refused = [&] {
    try {
      mutex.lock();
    } catch (const Error& error) {
      return error.status() == Status::forked;
    }
    return false;
  };
  EXPECT_EQ(in_child(mutex, [&] { return refused() && refused(); }), 0);
}

TEST(ForkMutex, AChildCanLockAnOpenMutex) {
  ForkMutex mutex;
  const pid_t child = fork();
  if (child == 0) {
    alarm(200);
    mutex.lock();
    mutex.unlock();
    std::thread other([&] { const std::lock_guard lock(mutex); });
    other.join();
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ckpt::base
