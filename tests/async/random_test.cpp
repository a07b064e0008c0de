// Eight threads queue, cancel, wait, list and close randomly: nothing is reported twice, nothing is lost, no thread waits forever.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "fixture.h"

namespace {

using namespace ckpt::tests;
using namespace ckpt::async;
using namespace ckpt::state;
using ckpt::base::Status;

class CountingListener final : public TaskListener {
 public:
  void staged(std::int64_t, std::int64_t) override { ++staged_; }
  void progress(std::int64_t, std::int64_t, std::int64_t) override {}
  void ended(const TaskResult& result) override {
    ++ended_;
    completed_ += result.state == TaskState::completed ? 1 : 0;
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(ids_.insert(result.id).second);
  }
  std::atomic<std::int64_t> staged_{0};
  std::atomic<std::int64_t> ended_{0};
  std::atomic<std::int64_t> completed_{0};

 private:
  std::mutex mutex_;
  std::set<std::int64_t> ids_;
};

struct Shared {
  std::shared_ptr<AsyncManager> manager;
  std::atomic<std::int64_t> admitted{0};
  std::atomic<std::int64_t> last{0};  // id of some task
};

TaskOptions random_task(std::mt19937& random) {
  TaskOptions task;
  task.mode = static_cast<StagingMode>(random() % 3);
  task.when_full = static_cast<WhenFull>(random() % 3);
  task.priority = static_cast<std::int32_t>(random() % 3) - 1;
  task.timeout_ns = static_cast<std::int64_t>(random() % 1'000'000);
  task.gate_step = random() % 8 == 0 ? static_cast<std::int64_t>(random() % 100) : -1;
  return task;
}

void act(Shared& shared, Model& model, std::mt19937& random) {
  AsyncManager& manager = *shared.manager;
  const std::int64_t id = shared.last.load();
  switch (random() % 10) {
    case 0:
    case 1:
    case 2:
    case 3: {
      SaveOptions options;
      options.step = static_cast<std::int64_t>(random() % 1000);
      const std::int64_t created = manager.save(model.state, options, random_task(random));
      ++shared.admitted;
      shared.last = created;
      break;
    }
    case 4: {
      const auto target = std::make_shared<Model>(0.0F);
      TaskOptions task = random_task(random);
      manager.load(std::shared_ptr<State>(target, &target->state), {}, task);
      ++shared.admitted;
      break;
    }
    case 5: manager.cancel(id); break;
    case 6: manager.wait(id, static_cast<std::int64_t>(random() % 1'000'000)); break;
    case 7: manager.wait_staged(random() % 2 == 0 ? id : 0, static_cast<std::int64_t>(random() % 1'000'000)); break;
    case 8:
      for (const std::int64_t live : manager.live_ids()) manager.info(live);
      manager.ended_ids();
      manager.stats();
      break;
    case 9: manager.end_step(static_cast<std::int64_t>(random() % 100)); break;
  }
}

bool is_expected(Status status) {
  return status == Status::queue_full || status == Status::not_found || status == Status::timeout || status == Status::closed;
}

// Returns the number of admitted tasks.
std::int64_t run_round(unsigned seed, int actions) {
  const auto listener = std::make_shared<CountingListener>();
  AsyncOptions options;
  options.capacity = 4;
  options.history = 8;
  options.workers = 2;
  options.staging_bytes = smallest_arena_bytes;
  options.staging_threads = 2;
  options.listener = listener;
  CheckpointOptions keep;
  keep.keep_last = 2;
  const auto checkpoint = std::make_shared<Checkpoint>(ckpt::storage::make_memory_storage(), keep);
  Shared shared;
  shared.manager = std::make_shared<AsyncManager>(checkpoint, options);
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 8; ++number) {
    threads.emplace_back([&, number] {
      std::mt19937 random(seed * 8 + number);
      Model model(static_cast<float>(number));
      for (int i = 0; i < actions; ++i) {
        try {
          if (number == 0 && i == actions / 2) {
            shared.manager->close(random() % 2 == 0 ? CloseMode::drain : CloseMode::cancel, 1'000'000'000);
          }
          act(shared, model, random);
        } catch (const ckpt::base::Error& error) {
          EXPECT_TRUE(is_expected(error.status())) << error.what();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const AsyncStats stats = shared.manager->stats();
  EXPECT_EQ(stats.live_tasks, 0);
  EXPECT_EQ(listener->ended_, shared.admitted);
  EXPECT_EQ(listener->completed_, stats.completed_tasks);
  AsyncManager::release(std::move(shared.manager));
  for (const Found& found : checkpoint->list()) EXPECT_EQ(found.condition, Condition::complete) << found.problem;
  return shared.admitted;
}

TEST(AsyncRandom, EightThreadsAtOnce) {
  for (unsigned seed = 1; seed <= 12; ++seed) EXPECT_GT(run_round(seed, 150), 0) << seed;
}

}  // namespace
