// Thread hooks: their threads, their order, and the wait in a removal.
#include "base/hooks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/os/thread.h"
#include "base/thread_pool.h"

namespace ckpt::base {
namespace {

class Journal {
 public:
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

TEST(BaseHooks, RunOnTheThreadInNestedOrder) {
  Journal journal;
  const auto note = [&](const char* what) { return [&journal, what](const char* name) { journal.add(cat(what, " ", name)); }; };
  const std::int64_t first = add_thread_hooks(note("start1"), note("stop1"));
  const std::int64_t second = add_thread_hooks(note("start2"), note("stop2"));
  EXPECT_NE(first, second);
  {
    Thread thread("ckpt-test", [&] { journal.add("body"); });
  }
  remove_thread_hooks(first);
  {
    Thread thread("later", [] {});
  }
  remove_thread_hooks(second);
  {
    Thread thread("unseen", [] {});
  }
  EXPECT_EQ(journal.lines(), (std::vector<std::string>{"start1 ckpt-test", "start2 ckpt-test", "body", "stop2 ckpt-test",
                                                       "stop1 ckpt-test", "start2 later", "stop2 later"}));
}

TEST(BaseHooks, EitherHookMayBeEmpty) {
  std::atomic<int> starts{0};
  std::atomic<int> stops{0};
  const auto a = add_thread_hooks([&](const char*) { ++starts; }, {});
  const auto b = add_thread_hooks({}, [&](const char*) { ++stops; });
  { ThreadPool pool(4); }
  remove_thread_hooks(a);
  remove_thread_hooks(b);
  EXPECT_EQ(starts, 3);
  EXPECT_EQ(stops, 3);
}

TEST(BaseHooks, RemovingWaitsForThreadsThatRanStart) {
  std::atomic<bool> may_end{false};
  std::atomic<bool> stopped{false};
  std::atomic<bool> removing{false};
  const auto id = add_thread_hooks({}, [&](const char*) { stopped = true; });
  Thread thread("ckpt-test", [&] {
    while (!may_end) std::this_thread::yield();
  });
  bool stopped_before_removed = false;
  std::thread remover([&] {
    removing = true;
    remove_thread_hooks(id);
    stopped_before_removed = stopped;
  });
  while (!removing) std::this_thread::yield();
  may_end = true;
  remover.join();
  EXPECT_TRUE(stopped_before_removed);
}

TEST(BaseHooks, UnknownIdsAndLibraryThreadsAreRefused) {
  const auto status_of = [](std::int64_t id) {
    try {
      remove_thread_hooks(id);
    } catch (const Error& error) {
      return error.status();
    }
    return Status::ok;
  };
  EXPECT_EQ(status_of(-1), Status::not_found);
  const auto id = add_thread_hooks([](const char*) {}, {});
  Status inside = Status::ok;
  {
    Thread thread("ckpt-test", [&] { inside = status_of(id); });
  }
  EXPECT_EQ(inside, Status::invalid_state);
  EXPECT_EQ(status_of(id), Status::ok);
  EXPECT_EQ(status_of(id), Status::not_found);
}

TEST(BaseHooks, AThrowingHookIsIgnored) {
  std::atomic<int> ran{0};
  const auto bad = add_thread_hooks([](const char*) { throw 1; }, [](const char*) { throw 2; });
  const auto good = add_thread_hooks([&](const char*) { ++ran; }, [&](const char*) { ++ran; });
  {
    Thread thread("ckpt-test", [&] { ++ran; });
  }
  remove_thread_hooks(bad);
  remove_thread_hooks(good);
  EXPECT_EQ(ran, 3);
}

TEST(BaseHooks, HooksMayAddOthers) {
  std::atomic<std::int64_t> added{0};
  std::atomic<int> calls{0};
  const auto id = add_thread_hooks([&](const char*) { added = add_thread_hooks([&](const char*) { ++calls; }, {}); }, {});
  {
    Thread thread("ckpt-test", [] {});
  }
  EXPECT_NE(added, 0);
  EXPECT_NE(added, id);
  remove_thread_hooks(id);
  const int before = calls;
  {
    Thread thread("ckpt-test", [] {});
  }
  EXPECT_EQ(calls, before + 1) << "the hook that a hook added runs for the next thread";
  remove_thread_hooks(added);
}

}  // namespace
}  // namespace ckpt::base
