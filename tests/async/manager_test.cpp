// Background saves and loads: admission, order, waiting, cancelling, closing.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "fixture.h"

namespace {

using namespace ckpt::tests;
using namespace ckpt::async;
using namespace ckpt::state;
using ckpt::base::Status;

constexpr std::int64_t soon = 1'000'000;  // 1 ms: for waits that are expected to time out

TEST(Async, SavesInTheBackground) {
  Background it;
  const std::int64_t id = it.save(7);
  const TaskResult result = it.manager->wait(id, -1);
  EXPECT_EQ(result.state, TaskState::completed);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.step, 7);
  EXPECT_EQ(result.saved.files, 2);
  EXPECT_GT(result.bytes, 0);
  EXPECT_GT(result.duration_ns, 0);
  EXPECT_GT(result.stall_ns, 0);
  EXPECT_GE(result.durable_ns, result.stall_ns);
  EXPECT_EQ(result.retries, 0);
  EXPECT_EQ(std::ssize(it.checkpoint->list()), 1);
  EXPECT_EQ(it.checkpoint->list().at(0).name, result.name);
  EXPECT_EQ(it.loaded(), 7);
  const TaskInfo info = it.manager->info(id);
  EXPECT_EQ(info.done_bytes, info.total_bytes);
  EXPECT_TRUE(info.staged);
  EXPECT_LE(info.queued_at_ns, info.started_at_ns);
  EXPECT_LE(info.started_at_ns, info.ended_at_ns);
}

// The copy is saved, not the contents of the tensors when the worker reads them.
TEST(Async, TensorsMayChangeWhenACopyingSaveReturns) {
  Background it;
  it.blocker.shut("create ");
  Model model(1);
  const std::int64_t id = it.save(model, 1);
  model.fill(2);
  it.blocker.open();
  EXPECT_EQ(it.manager->wait(id, -1).state, TaskState::completed);
  EXPECT_EQ(it.loaded(), 1);
}

TEST(Async, StagedAndDurableAreTwoEvents) {
  Background it;
  const std::int64_t id = it.save_blocked(1);
  it.manager->wait_staged(id, 0);
  EXPECT_TRUE(it.manager->info(id).staged);
  EXPECT_EQ(it.manager->info(id).state, TaskState::running);
  EXPECT_ERROR(it.manager->wait(id, 0), Status::timeout, "did not end within 0 ns");
  EXPECT_ERROR(it.manager->wait(id, soon), Status::timeout, "did not end");
  it.blocker.open();
  EXPECT_EQ(it.manager->wait(id, -1).state, TaskState::completed);
}

TEST(Async, ADeferredSaveIsStagedInTheBackground) {
  Background it;
  Model model(3);
  TaskOptions task;
  task.mode = StagingMode::deferred;
  it.blocker.shut("create ");
  const std::int64_t id = it.save(model, 3, task);
  it.manager->wait_staged(id, -1);
  model.fill(4);
  EXPECT_FALSE(it.manager->info(id).ended_at_ns > 0);
  it.blocker.open();
  it.manager->wait(id, -1);
  EXPECT_EQ(it.loaded(), 3);
}

// Borrowed tensors are read until all files are written: until shortly before the commit.
TEST(Async, ABorrowingSaveIsStagedBeforeItCommits) {
  Background it;
  Model model(5);
  TaskOptions task;
  task.mode = StagingMode::borrow;
  it.blocker.shut("create ");
  const std::int64_t id = it.save(model, 5, task);
  it.blocker.wait_for_thread();
  EXPECT_ERROR(it.manager->wait_staged(id, soon), Status::timeout, "was not staged");
  it.blocker.shut("manifest.json.tmp");
  it.manager->wait_staged(id, -1);
  model.fill(6);
  it.blocker.open();
  EXPECT_EQ(it.manager->wait(id, -1).state, TaskState::completed);
  EXPECT_EQ(it.loaded(), 5);
}

TEST(Async, ABorrowedTensorThatChangesFailsItsSaveAndNothingElse) {
  Background it;
  it.manager->wait(it.save(4), -1);
  Model model(5);
  TaskOptions task;
  task.mode = StagingMode::borrow;
  it.faults->before = [&, changes = 0](const std::string& line) mutable {
    if (line.starts_with("write ") && line.find("model.safetensors") != std::string::npos)
      model.fill(static_cast<float>(6 + changes++));
  };
  const TaskResult result = it.manager->wait(it.save(model, 5, task), -1);
  EXPECT_EQ(result.state, TaskState::failed);
  EXPECT_EQ(result.status, Status::invalid_state);
  EXPECT_NE(result.error.find("of group 'model' was changed while the save borrowed it"), std::string::npos) << result.error;
  EXPECT_EQ(std::ssize(it.checkpoint->list()), 1);
  EXPECT_EQ(it.loaded(), 4);
}

TEST(Async, CapacityIsExactAndRefusedTasksAreListed) {
  AsyncOptions options = Background::small();
  options.capacity = 3;
  Background it(options);
  std::vector<std::int64_t> ids{it.save_blocked(1), it.save(2), it.save(3)};
  EXPECT_ERROR(it.save(4), Status::queue_full, "3 tasks have not ended");
  EXPECT_EQ(it.manager->live_ids(), ids);
  const auto ended = it.manager->ended_ids();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(it.manager->info(ended[0]).state, TaskState::rejected);
  EXPECT_EQ(it.manager->wait(ended[0], 0).status, Status::queue_full);
  EXPECT_EQ(it.manager->stats().rejected_tasks, 1);
  EXPECT_EQ(it.manager->stats().live_tasks, 3);
  EXPECT_EQ(it.manager->stats().running_tasks, 1);

  TaskOptions waiting;
  waiting.when_full = WhenFull::wait;
  waiting.timeout_ns = soon;
  EXPECT_ERROR(it.save(5, waiting), Status::queue_full, "is full");
  waiting.timeout_ns = -1;
  std::thread opener([&] { it.blocker.open(); });
  const std::int64_t last = it.save(6, waiting);
  opener.join();
  it.manager->wait(last, -1);
  EXPECT_EQ(it.loaded(), 6);
  for (const std::int64_t id : ids) EXPECT_EQ(it.manager->wait(id, -1).state, TaskState::completed);
}

// A refused save is briefly in the list, but has no queue entry that a cancellation could release.
TEST(Async, RefusedSavesReleaseNoQueueEntry) {
  AsyncOptions options = Background::small();
  options.capacity = 2;
  options.history = 5000;
  Background b(options);
  b.save_blocked(1);
  const std::int64_t kept = b.save(2);
  std::atomic<bool> over{false};
  std::vector<std::thread> cancelling;
  for (int i = 0; i < 2; ++i) {
    cancelling.emplace_back([&] {
      while (!over.load()) {
        for (const std::int64_t id : b.manager->live_ids()) {
          if (id > kept) static_cast<void>(b.manager->cancel(id));
        }
      }
    });
  }
  std::vector<std::thread> refused;
  for (int i = 0; i < 2; ++i) {
    refused.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) EXPECT_ERROR(b.save(3), Status::queue_full, "2 tasks");
    });
  }
  for (std::thread& thread : refused) thread.join();
  over.store(true);
  for (std::thread& thread : cancelling) thread.join();
  EXPECT_EQ(b.manager->stats().live_tasks, 2);
  EXPECT_EQ(b.manager->stats().rejected_tasks, 2000);
  EXPECT_EQ(b.manager->stats().cancelled_tasks, 0);
}

TEST(Async, TheOldestIsDroppedForANewerOne) {
  AsyncOptions options = Background::small();
  options.capacity = 2;
  Background it(options);
  TaskOptions dropping;
  dropping.when_full = WhenFull::drop_oldest;
  const std::int64_t running = it.save_blocked(1);
  const std::int64_t oldest = it.save(2);
  const std::int64_t newer = it.save(3, dropping);
  EXPECT_EQ(it.manager->wait(oldest, -1).state, TaskState::rejected);
  EXPECT_EQ(it.manager->wait(oldest, -1).error, "dropped for a newer task");
  it.blocker.open();
  EXPECT_EQ(it.manager->wait(running, -1).state, TaskState::completed);
  EXPECT_EQ(it.manager->wait(newer, -1).state, TaskState::completed);
  EXPECT_EQ(it.loaded(), 3);

  AsyncOptions one = Background::small();
  one.capacity = 1;
  Background full(one);
  full.save_blocked(1);
  EXPECT_ERROR(full.save(2, dropping), Status::queue_full, "is full");  // a running one is not dropped
}

TEST(Async, CancelsQueuedTasksAtOnce) {
  AsyncOptions options = Background::small();
  options.capacity = 2;
  Background it(options);
  it.save_blocked(1);
  const std::int64_t id = it.save(2);
  EXPECT_TRUE(it.manager->cancel(id));
  EXPECT_FALSE(it.manager->cancel(id));
  EXPECT_EQ(it.manager->wait(id, 0).state, TaskState::cancelled);
  EXPECT_EQ(it.manager->wait(id, 0).status, Status::cancelled);
  EXPECT_EQ(it.manager->wait(id, 0).step, 2);
  const std::int64_t next = it.save(3);  // takes its queue entry
  it.blocker.open();
  it.manager->wait(next, -1);
  EXPECT_EQ(std::ssize(it.checkpoint->list()), 2);
}

TEST(Async, CancelsARunningSaveAndRemovesItsFiles) {
  Background it;
  const std::int64_t id = it.save_blocked(1);
  EXPECT_TRUE(it.manager->cancel(id));
  EXPECT_EQ(it.manager->info(id).state, TaskState::running);  // until its next chunk
  it.blocker.open();
  EXPECT_EQ(it.manager->wait(id, -1).state, TaskState::cancelled);
  EXPECT_EQ(names_in(*it.disk, ""), "");
}

TEST(Async, AfterTheCommitPointNothingIsCancelled) {
  Background it;
  it.blocker.shut("manifest.json.tmp");
  const std::int64_t id = it.save(1);
  it.blocker.wait_for_thread();
  EXPECT_FALSE(it.manager->cancel(id));
  it.blocker.open();
  EXPECT_EQ(it.manager->wait(id, -1).state, TaskState::completed);
  EXPECT_FALSE(it.manager->cancel(id));
  EXPECT_EQ(it.loaded(), 1);
}

TEST(Async, UnknownAndEvictedIdsAreNotFound) {
  AsyncOptions options = Background::small();
  options.history = 2;
  Background it(options);
  EXPECT_ERROR(it.manager->wait(1, 0), Status::not_found, "id is 1");
  EXPECT_ERROR(it.manager->info(-5), Status::not_found, "id is -5");
  EXPECT_ERROR(it.manager->cancel(INT64_MAX), Status::not_found, "unknown task");
  std::vector<std::int64_t> ids;
  for (int step = 1; step <= 3; ++step) {
    ids.push_back(it.save(step));
    it.manager->wait(ids.back(), -1);
  }
  EXPECT_ERROR(it.manager->wait(ids[0], 0), Status::not_found, "left the history");
  EXPECT_EQ(it.manager->ended_ids(), (std::vector{ids[1], ids[2]}));
  EXPECT_LE(it.manager->known_tasks(), 4);
}

TEST(Async, AFailureIsReturnedByWait) {
  Background it;
  it.fail_next("write", Status::no_space);
  const std::int64_t id = it.save(1);
  const TaskResult result = it.manager->wait(id, -1);
  EXPECT_EQ(result.state, TaskState::failed);
  EXPECT_EQ(result.status, Status::no_space);
  EXPECT_NE(result.error.find("injected: cannot write"), std::string::npos) << result.error;
  EXPECT_EQ(names_in(*it.disk, ""), "");
  it.manager->wait(it.save(2), -1);  // the manager continues
  EXPECT_EQ(it.loaded(), 2);
  it.manager->close(CloseMode::drain, -1);
}

TEST(Async, ATooSmallDiskFailsTheTaskBeforeAnyFileIsCreated) {
  Background it;
  it.faults->free_bytes = 10;
  const TaskResult result = it.manager->wait(it.save(1), -1);
  EXPECT_EQ(result.status, Status::no_space);
  EXPECT_NE(result.error.find(" need "), std::string::npos) << result.error;
  EXPECT_NE(result.error.find("free: 10"), std::string::npos) << result.error;
  EXPECT_EQ(names_in(*it.disk, ""), "");
  it.faults->free_bytes.reset();
  it.manager->wait(it.save(2), -1);
  EXPECT_EQ(it.loaded(), 2);
  it.manager->close(CloseMode::drain, -1);
}

TEST(Async, AnUnreceivedErrorIsReturnedByTheNextSave) {
  Background it;
  it.fail_next("write", Status::permission);
  it.save(1);
  it.manager->wait_all(-1);
  EXPECT_ERROR(it.save(2), Status::permission, "injected");
  it.manager->wait(it.save(3), -1);
  EXPECT_EQ(it.loaded(), 3);
}

TEST(Async, AnUnreceivedErrorIsReturnedByCloseOnce) {
  Background it;
  it.fail_next("write");
  it.save(1);
  EXPECT_ERROR(it.manager->close(CloseMode::drain, -1), Status::io, "injected");
  EXPECT_ERROR(it.save(2), Status::closed, "is closed");
  it.manager->close(CloseMode::drain, -1);
}

TEST(Async, AFileWithAFailedSyncIsRewrittenFromTheCopy) {
  Background it;
  it.fail_next("sync");
  const TaskResult result = it.manager->wait(it.save(1), -1);
  EXPECT_EQ(result.state, TaskState::completed) << result.error;
  EXPECT_EQ(result.retries, 1);
  EXPECT_EQ(it.loaded(), 1);
}

TEST(Async, RetriesOfTheStorageAreCounted) {
  auto faults = std::make_shared<Faults>();
  CheckpointOptions checkpoint_options;
  checkpoint_options.fault_handler =
      std::make_shared<ckpt::storage::FaultHandler>(ckpt::storage::FaultPolicy{}, [](std::int64_t) {});
  const auto disk = std::make_shared<FaultyStorage>(ckpt::storage::make_memory_storage(), faults);
  const auto manager = std::make_shared<AsyncManager>(std::make_shared<Checkpoint>(disk, checkpoint_options), Background::small());
  faults->only = "rename";
  faults->counted = 0;
  faults->fail_at = 0;
  const TaskResult result = manager->wait(manager->save(Model(1).state, {}, {}), -1);
  EXPECT_EQ(result.state, TaskState::completed);
  EXPECT_EQ(result.retries, 1);
}

TEST(Async, HigherPrioritiesRunFirst) {
  Background it;
  const auto listener = std::make_shared<RecordingListener>();
  const auto with = [&](std::int32_t priority) {
    TaskOptions task;
    task.priority = priority;
    task.listener = listener;
    return task;
  };
  it.save_blocked(1);
  const std::int64_t low = it.save(2, with(-1));
  const std::int64_t normal = it.save(3, with(0));
  const std::int64_t second = it.save(4, with(0));
  const std::int64_t high = it.save(5, with(1));
  it.blocker.open();
  it.manager->wait_all(-1);
  std::vector<std::string> order;
  for (const std::string& line : listener->lines()) {
    if (line.starts_with("ended")) order.push_back(line.substr(6));
  }
  const auto text = [](std::int64_t id) { return std::to_string(id); };
  EXPECT_EQ(order, (std::vector{text(high), text(normal), text(second), text(low)}));
}

TEST(Async, AGateHoldsItsTaskUntilTheStepEnds) {
  Background it;
  TaskOptions gated;
  gated.gate_step = 5;
  const std::int64_t first = it.save(1, gated);
  it.manager->end_step(4);
  EXPECT_ERROR(it.manager->wait(first, 0), Status::timeout, "did not end");
  EXPECT_EQ(it.manager->info(first).state, TaskState::queued);
  it.manager->end_step(5);
  while (it.manager->stats().completed_tasks == 0) std::this_thread::yield();
  EXPECT_EQ(it.loaded(), 1);
  // Waiting for it opens the gate, and so does closing.
  gated.gate_step = 100;
  EXPECT_EQ(it.manager->wait(it.save(2, gated), -1).state, TaskState::completed);
  it.save(3, gated);
  it.manager->close(CloseMode::drain, -1);
  EXPECT_EQ(it.loaded(), 3);
}

// Tasks that are not gated run in their order, past gated ones; so do the gated ones when the gate opens.
TEST(Async, ReadyTasksRunInOrderPastClosedGates) {
  AsyncOptions options = Background::small();
  const auto listener = std::make_shared<RecordingListener>();
  options.listener = listener;
  Background it(options);
  const auto with = [](std::int32_t priority, std::int64_t gate_step) {
    TaskOptions task;
    task.priority = priority;
    task.gate_step = gate_step;
    return task;
  };
  std::vector<std::int64_t> expected{it.save_blocked(1)};
  const std::int64_t gated_low = it.save(2, with(-1, 5));
  const std::int64_t gated_high = it.save(3, with(1, 5));
  const std::int64_t gated_later = it.save(4, with(1, 6));
  const std::int64_t low = it.save(5, with(-1, -1));
  const std::int64_t normal = it.save(6, with(0, 3));
  const std::int64_t high = it.save(7, with(1, -1));
  it.manager->end_step(3);
  it.blocker.open();
  for (const std::int64_t id : {low, normal, high}) it.manager->wait(id, -1);
  EXPECT_EQ(it.manager->live_ids(), (std::vector{gated_low, gated_high, gated_later}));
  it.manager->end_step(6);
  while (it.manager->stats().live_tasks > 0) std::this_thread::yield();
  expected.insert(expected.end(), {high, normal, low, gated_high, gated_later, gated_low});
  it.manager->close(CloseMode::drain, -1);
  EXPECT_EQ(it.manager->ended_ids(), expected);
}

TEST(Async, AGatedTaskCanBeCancelled) {
  Background it;
  TaskOptions gated;
  gated.gate_step = 5;
  const std::int64_t id = it.save(1, gated);
  EXPECT_TRUE(it.manager->cancel(id));
  EXPECT_EQ(it.manager->wait(it.save(2), -1).state, TaskState::completed);
}

// The second save needs the memory that the gated one holds.
TEST(Async, ASaveThatNeedsTheMemoryOfAGatedOneOpensItsGate) {
  AsyncOptions options = Background::small();
  options.staging_bytes = smallest_arena_bytes;
  Background it(options);
  State state;
  state.add_tensor("model", "large", ckpt::tensor::Tensor::create(ckpt::tensor::Dtype::u8, {smallest_arena_bytes - 4096}));
  TaskOptions gated;
  gated.gate_step = 100;
  SaveOptions save;
  const std::int64_t first = it.manager->save(state, save, gated);
  save.step = 1;
  const std::int64_t second = it.manager->save(state, save, {});
  EXPECT_EQ(it.manager->wait(second, -1).state, TaskState::completed);
  EXPECT_EQ(it.manager->wait(first, -1).state, TaskState::completed);
}

TEST(Async, ClosingDrainsTheQueue) {
  Background it;
  it.save_blocked(1);
  it.save(2);
  const std::int64_t last = it.save(3);
  std::thread opener([&] { it.blocker.open(); });
  it.manager->close(CloseMode::drain, -1);
  opener.join();
  EXPECT_EQ(it.manager->wait(last, 0).state, TaskState::completed);
  EXPECT_ERROR(it.save(4), Status::closed, "is closed");
}

TEST(Async, ClosingCancelsRemainingTasksAfterTheTimeout) {
  Background it;
  const std::int64_t first = it.save_blocked(1);
  const std::int64_t second = it.save(2);
  // The gate is opened when the manager has timed out and cancels the second task.
  std::thread opener([&] {
    it.manager->wait(second, -1);
    it.blocker.open();
  });
  EXPECT_ERROR(it.manager->close(CloseMode::drain, soon), Status::timeout, "the others were cancelled");
  opener.join();
  EXPECT_EQ(it.manager->wait(first, 0).state, TaskState::cancelled);
  EXPECT_EQ(it.manager->wait(second, 0).state, TaskState::cancelled);
  EXPECT_EQ(names_in(*it.disk, ""), "");
}

TEST(Async, WaitingForAQueueEntryFailsOnClose) {
  AsyncOptions options = Background::small();
  options.capacity = 1;
  Background it(options);
  it.save_blocked(1);
  TaskOptions waiting;
  waiting.when_full = WhenFull::wait;
  std::thread closer([&] { it.manager->close(CloseMode::cancel, 0); });
  std::thread opener([&] {
    while (it.manager->stats().live_tasks > 0) {  // the first task ends when it passes the gate
      it.blocker.open();
      std::this_thread::yield();
    }
  });
  try {
    it.save(2, waiting);
  } catch (const ckpt::base::Error& error) {
    EXPECT_EQ(error.status(), Status::closed);
  }
  closer.join();
  opener.join();
  EXPECT_EQ(it.manager->stats().live_tasks, 0);
}

TEST(Async, LoadsInTheBackground) {
  Background it;
  save_step(*it.checkpoint, 4);
  const auto model = std::make_shared<Model>(0.0F);
  const std::shared_ptr<State> state(model, &model->state);
  const std::int64_t id = it.manager->load(state, {}, {});
  const TaskResult result = it.manager->wait(id, -1);
  EXPECT_EQ(result.state, TaskState::completed);
  EXPECT_EQ(result.kind, TaskKind::load);
  EXPECT_EQ(result.loaded.step, 4);
  EXPECT_EQ(model->value(), 4);
  EXPECT_EQ(it.manager->completed(id, TaskKind::load).step, 4);
  EXPECT_ERROR(it.manager->completed(id, TaskKind::save), Status::invalid_state, "expected a completed save");

  LoadOptions none;
  none.name = "step-000000000009-00000000";
  const TaskResult missing = it.manager->wait(it.manager->load(state, none, {}), -1);
  EXPECT_EQ(missing.state, TaskState::failed);
  EXPECT_EQ(missing.status, Status::not_found);
}

TEST(Async, ACancelledLoadLeavesTheStateUnchanged) {
  Background it;
  save_step(*it.checkpoint, 4);
  const auto model = std::make_shared<Model>(1.0F);
  it.blocker.shut("open ");
  const std::int64_t id = it.manager->load(std::shared_ptr<State>(model, &model->state), {}, {});
  it.blocker.wait_for_thread();
  EXPECT_TRUE(it.manager->cancel(id));
  it.blocker.open();
  EXPECT_EQ(it.manager->wait(id, -1).state, TaskState::cancelled);
  EXPECT_EQ(model->value(), 1);
  EXPECT_EQ(names_in(*it.disk, "").find("torn"), std::string::npos);
}

TEST(Async, BackgroundSavesLinkOrCopyUnchangedFiles) {
  Background it;
  Model model(1);
  model.state.set_rarely_changes("optimizer", true);
  for (const StagingMode mode : {StagingMode::copy, StagingMode::borrow, StagingMode::deferred}) {
    TaskOptions task;
    task.mode = mode;
    it.manager->wait(it.save(model, 1), -1);
    EXPECT_EQ(it.manager->wait(it.save(model, 2, task), -1).saved.linked, 1);
  }
}

TEST(Async, BadOptionsAreRefused) {
  Background it;
  TaskOptions task;
  task.gate_step = -2;
  EXPECT_ERROR(it.save(1, task), Status::invalid_argument, "task.gate_step is -2");
  EXPECT_ERROR(it.save(-1), Status::invalid_argument, "step is -1");
  const auto state = std::make_shared<State>();
  LoadOptions load;
  load.compare_environment = true;
  load.environment_json = "[";
  EXPECT_ERROR(it.manager->load(state, load, {}), Status::invalid_argument, "environment");
  load = {};
  load.name = "step-000000000009-00000000";
  load.step = 9;
  EXPECT_ERROR(it.manager->load(state, load, {}), Status::invalid_argument, "step");
  const auto refused = [&](auto change, const char* text) {
    AsyncOptions options;
    change(options);
    EXPECT_ERROR(AsyncManager(it.checkpoint, options), Status::invalid_argument, text);
  };
  refused([](AsyncOptions& options) { options.workers = 0; }, "workers is 0");
  refused([](AsyncOptions& options) { options.capacity = 65537; }, "capacity is 65537");
  refused([](AsyncOptions& options) { options.history = 0; }, "history is 0");
  refused([](AsyncOptions& options) { options.staging_bytes = 100; }, "staging_bytes is 100");
  refused([](AsyncOptions& options) { options.prepare_bytes = INT64_MAX; }, "prepare_bytes is 9223372036854775807");
  refused([](AsyncOptions& options) { options.bytes_per_second = -1; }, "bytes_per_second is -1");
  refused([](AsyncOptions& options) { options.nice = 20; }, "nice is 20");
  EXPECT_EQ(it.manager->stats().live_tasks, 0);
}

}  // namespace
