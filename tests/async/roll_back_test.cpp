// Background saves across a roll-back: each save stays in the generation that accepted it, whatever the order of the commits.
#include <atomic>

#include <gtest/gtest.h>

#include "crash/forwarding_storage.h"
#include "fixture.h"
#include "state/object_store.h"

using namespace ckpt;
using namespace ckpt::tests;
using async::AsyncManager;
using async::AsyncOptions;
using async::TaskOptions;
using async::TaskResult;
using async::TaskState;
using base::Status;

namespace {

state::LoadOptions of_step(std::int64_t step) {
  state::LoadOptions options;
  options.step = step;
  return options;
}

// Fails the next commit: the rename of a manifest, or the creation of a commit record.
class FailingCommit final : public ForwardingStorage {
 public:
  using ForwardingStorage::ForwardingStorage;
  std::atomic<bool> fails{false};

  bool is_objects() const noexcept override { return inner().is_objects(); }
  void rename(const std::string& from, const std::string& to) override {
    if (to.ends_with("/manifest.json") && fails.exchange(false)) base::fail(Status::io, "the commit fails");
    inner().rename(from, to);
  }
  void put_if_absent(const std::string& path, std::span<const std::byte> bytes) override {
    if (path.starts_with("commits/") && fails.exchange(false)) base::fail(Status::io, "the commit fails");
    inner().put_if_absent(path, bytes);
  }
  std::vector<storage::Object> list_from(const std::string& prefix, const std::string& after, std::int64_t limit) override {
    return inner().list_from(prefix, after, limit);
  }
  void remove_many(std::span<const std::string> paths) override { inner().remove_many(paths); }
};

// One worker on a file or object storage that holds steps 300, 400, 500 and 600.
class AsyncRollBack : public testing::TestWithParam<bool> {
 protected:
  AsyncRollBack() {
    for (const int step : {300, 400, 500, 600}) save_step(*checkpoint_, step);
  }
  std::int64_t save(int step, const TaskOptions& task = {}) {
    state::SaveOptions options;
    options.step = step;
    return manager_->save(Model(static_cast<float>(step)).state, options, task);
  }
  static TaskOptions gated() {
    TaskOptions task;
    task.gate_step = 1;
    return task;
  }
  std::int64_t load(const state::LoadOptions& options) {
    const auto target = std::make_shared<Model>(-1);
    const auto state = std::shared_ptr<state::State>(target, &target->state);
    return manager_->wait(manager_->load(state, options, {}), -1).step;
  }
  std::int64_t resumed() {
    state::Checkpoint reader(storage_, read_only());
    Model model(-1);
    return reader.load(model.state, {}).step;
  }

  std::shared_ptr<FailingCommit> storage_ = std::make_shared<FailingCommit>(
      GetParam() ? std::shared_ptr<storage::Storage>(std::make_shared<BucketClient>(std::make_shared<Bucket>()))
                 : storage::make_memory_storage());
  std::shared_ptr<state::Checkpoint> checkpoint_ = std::make_shared<state::Checkpoint>(storage_, state::CheckpointOptions());
  std::shared_ptr<AsyncManager> manager_ = std::make_shared<AsyncManager>(checkpoint_, AsyncOptions());
};

TEST_P(AsyncRollBack, ResultsReportIt) {
  EXPECT_EQ(load(of_step(300)), 300);
  const Warnings warnings;
  const std::int64_t first = save(310);
  EXPECT_TRUE(warnings.mention("step 310 is saved although step 600 exists")) << warnings.text();
  const TaskResult result = manager_->wait(first, -1);
  EXPECT_EQ(result.state, TaskState::completed);
  EXPECT_TRUE(result.rolled_back);
  EXPECT_EQ(result.generation, 1);
  const state::SaveResult saved = manager_->completed(first, async::TaskKind::save).saved;
  EXPECT_TRUE(saved.rolled_back);
  EXPECT_EQ(saved.generation, 1);
  const TaskResult next = manager_->wait(save(320), -1);
  EXPECT_FALSE(next.rolled_back);
  EXPECT_EQ(next.generation, 1);
  EXPECT_EQ(std::ranges::count(warnings.text(), '\n'), 1) << warnings.text();
  EXPECT_EQ(resumed(), 320);
}

// A save of the old run waits at its gate until the new run has committed.
TEST_P(AsyncRollBack, SavesOfTheOldRunThatCommitLaterStayWithIt) {
  const std::int64_t late = save(700, gated());
  EXPECT_EQ(load(of_step(300)), 300);
  const Warnings silent;
  const std::int64_t first = save(310, gated());
  TaskOptions high;
  high.priority = 1;
  const TaskResult second = manager_->wait(save(320, high), -1);
  EXPECT_EQ(second.generation, 1);
  EXPECT_FALSE(second.rolled_back);
  EXPECT_EQ(resumed(), 320);
  manager_->end_step(1);
  const TaskResult of_late = manager_->wait(late, -1);
  EXPECT_EQ(of_late.state, TaskState::completed);
  EXPECT_EQ(of_late.generation, 0);
  const TaskResult of_first = manager_->wait(first, -1);
  EXPECT_TRUE(of_first.rolled_back);
  EXPECT_EQ(of_first.generation, 1);
  EXPECT_EQ(steps_in(*checkpoint_), "320 310 300 | 700 600 500 400 ");
  EXPECT_EQ(resumed(), 320);
}

TEST_P(AsyncRollBack, AQueuedStepCountsAsTheNewest) {
  const std::int64_t late = save(700, gated());
  EXPECT_EQ(load({}), 600);
  const Warnings silent;
  const TaskResult result = manager_->wait(save(650), -1);
  EXPECT_TRUE(result.rolled_back);
  manager_->end_step(1);
  manager_->wait(late, -1);
  EXPECT_EQ(steps_in(*checkpoint_), "650 600 500 400 300 | 700 ");
}

TEST_P(AsyncRollBack, CancelledOrRefusedSavesBeginNoGeneration) {
  EXPECT_EQ(load(of_step(300)), 300);
  const Warnings silent;
  const std::int64_t queued = save(310, gated());
  EXPECT_TRUE(manager_->cancel(queued));
  const TaskResult result = manager_->wait(queued, -1);
  EXPECT_EQ(result.state, TaskState::cancelled);
  EXPECT_TRUE(result.rolled_back);
  EXPECT_EQ(load({}), 600);
  EXPECT_FALSE(manager_->wait(save(610), -1).rolled_back);
  EXPECT_EQ(resumed(), 610);
  // A save that a full queue refuses begins no generation.
  AsyncOptions one;
  one.capacity = 1;
  const auto small = std::make_shared<AsyncManager>(checkpoint_, one);
  EXPECT_EQ(load(of_step(300)), 300);
  state::SaveOptions options;
  options.step = 700;
  const std::int64_t holds = small->save(Model(700).state, options, gated());
  options.step = 310;
  EXPECT_EQ(status_of([&] { small->save(Model(310).state, options, {}); }), Status::queue_full);
  const std::vector<std::int64_t> ended = small->ended_ids();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_FALSE(small->wait(ended.front(), -1).rolled_back);
  small->end_step(1);
  EXPECT_FALSE(small->wait(holds, -1).rolled_back);
  EXPECT_EQ(resumed(), 700);
}

// The save of step 320 waits for the queue entry of step 310. The commit of 310 fails, so 320 begins the generation.
TEST_P(AsyncRollBack, ASaveThatWaitedForOneThatFailedBeginsTheGeneration) {
  AsyncOptions one;
  one.capacity = 1;
  const auto small = std::make_shared<AsyncManager>(checkpoint_, one);
  EXPECT_EQ(load(of_step(300)), 300);
  const Warnings silent;
  state::SaveOptions options;
  options.step = 310;
  storage_->fails = true;
  const std::int64_t fails = small->save(Model(310).state, options, gated());
  TaskOptions waits;
  waits.when_full = async::WhenFull::wait;
  options.step = 320;
  const std::int64_t second = small->save(Model(320).state, options, waits);  // its wait opens the gate of step 310
  EXPECT_EQ(small->wait(fails, -1).state, TaskState::failed);
  const TaskResult result = small->wait(second, -1);
  EXPECT_EQ(result.state, TaskState::completed);
  EXPECT_TRUE(result.rolled_back);
  EXPECT_GT(result.generation, 0);
  EXPECT_EQ(resumed(), 320);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, AsyncRollBack, testing::Bool(),
                         [](const auto& objects) { return objects.param ? "Objects" : "Files"; });

}  // namespace
