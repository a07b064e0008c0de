// Background saves of many ranks, and both kinds of saves on object stores. The ranks are threads here.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "async/manager.h"
#include "state/faulty_storage.h"
#include "state/object_store.h"
#include "state/of_ranks.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

// ---- Background ----

async::TaskResult wait_for(async::AsyncManager& manager, std::int64_t id) { return manager.wait(id, 60 * second); }

TEST(RanksAsync, SavesInTheBackgroundWithoutACollectiveOfTheirThreads) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(3);
  std::vector<std::string> names(3);
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    const auto checkpoint = std::make_shared<state::Checkpoint>(disk_at(scratch.path()), of_rank(*ranks, rank));
    const auto manager = std::make_shared<async::AsyncManager>(checkpoint, async::AsyncOptions{});
    std::vector<std::int64_t> ids;
    for (int step = 1; step <= 5; ++step)
      ids.push_back(manager->save(state_of(rank, 3, static_cast<float>(step)), of_step(step), {}));
    const std::int64_t before = ranks->operations();
    for (const std::int64_t id : ids) {
      const async::TaskResult result = wait_for(*manager, id);
      EXPECT_EQ(result.state, async::TaskState::completed) << result.error;
      names[static_cast<std::size_t>(rank)] = result.name;
    }
    EXPECT_EQ(ranks->operations(), before);
    // A foreground save is ordered after the background ones.
    const std::int64_t id = manager->save(state_of(rank, 3, 6), of_step(6), {});
    EXPECT_EQ(checkpoint->save(state_of(rank, 3, 7), of_step(7)).commit_sequence, 7);
    EXPECT_EQ(wait_for(*manager, id).saved.commit_sequence, 6);
    manager->close(async::CloseMode::drain, -1);
  }));
  EXPECT_EQ(names[0], names[1]);
  EXPECT_EQ(names[0], names[2]);
  expect_saved(*disk_at(scratch.path()), names[0], 5);
}

TEST(RanksAsync, ResultsShowTheDecisionsOfRankZero) {
  for (const std::int64_t without_metric : {0, 1}) {
    const Scratch scratch;
    const auto ranks = std::make_shared<ThreadRanks>(2);
    expect_no_errors(ranks->run([&](std::int64_t rank) {
      const auto checkpoint = std::make_shared<state::Checkpoint>(disk_at(scratch.path()), of_rank(*ranks, rank));
      const auto manager = std::make_shared<async::AsyncManager>(checkpoint, async::AsyncOptions{});
      state::SaveOptions options = of_step(300);
      options.metric = rank == without_metric ? std::numeric_limits<double>::quiet_NaN() : 0.5;
      const async::TaskResult first = wait_for(*manager, manager->save(state_of(rank, 2, 300), options, {}));
      EXPECT_EQ(first.state, async::TaskState::completed) << first.error;
      EXPECT_EQ(first.metric_ignored, without_metric == 0);
      EXPECT_EQ(first.saved.metric_ignored, without_metric == 0);
      EXPECT_FALSE(first.rolled_back);
      options.step = 600;
      EXPECT_EQ(checkpoint->save(state_of(rank, 2, 600), options).metric_ignored, without_metric == 0);
      EXPECT_EQ(checkpoint->list().front().metric.has_value(), without_metric == 1);
      state::State state = state_of(rank, 2, 0);
      state::LoadOptions older;
      older.step = 300;
      checkpoint->load(state, older);
      const async::TaskResult back = wait_for(*manager, manager->save(state_of(rank, 2, 310), of_step(310), {}));
      EXPECT_EQ(back.state, async::TaskState::completed) << back.error;
      EXPECT_TRUE(back.rolled_back);
      EXPECT_EQ(back.generation, 1);
      manager->close(async::CloseMode::drain, -1);
    }));
  }
}

TEST(RanksAsync, AFailingRankFailsTheTaskOnAllRanksAndTheNextOneSucceeds) {
  for (const std::int64_t failing : {0, 1}) {
    const Scratch scratch;
    const auto ranks = std::make_shared<ThreadRanks>(2);
    const auto faults = std::make_shared<Faults>();
    std::vector<std::string> messages(2);
    expect_no_errors(ranks->run([&](std::int64_t rank) {
      auto storage = disk_at(scratch.path());
      if (rank == failing) storage = std::make_shared<FaultyStorage>(storage, faults);
      const auto checkpoint = std::make_shared<state::Checkpoint>(storage, of_rank(*ranks, rank));
      const auto manager = std::make_shared<async::AsyncManager>(checkpoint, async::AsyncOptions{});
      ranks->coordinator(rank)->barrier(std::chrono::seconds(30));
      if (rank == failing) {
        faults->counted = 0;
        faults->only = "write";
        faults->fail_at = 0;
        faults->status = Status::permission;
      }
      const async::TaskResult failed = wait_for(*manager, manager->save(state_of(rank, 2, 1), of_step(1), {}));
      EXPECT_EQ(failed.state, async::TaskState::failed);
      EXPECT_EQ(failed.status, Status::permission);
      messages[static_cast<std::size_t>(rank)] = failed.error;
      const async::TaskResult next = wait_for(*manager, manager->save(state_of(rank, 2, 2), of_step(2), {}));
      EXPECT_EQ(next.state, async::TaskState::completed) << next.error;
    }));
    EXPECT_EQ(messages[0], messages[1]);
    EXPECT_EQ(messages[0].find(base::cat("rank ", failing, ": injected: ")), 0U) << messages[0];
    // The failed attempt was removed after all ranks were known to have left it.
    const auto storage = disk_at(scratch.path());
    std::int64_t directories = 0;
    for (const storage::Entry& entry : storage->list("")) directories += entry.is_directory ? 1 : 0;
    EXPECT_EQ(directories, 1);
  }
}

TEST(RanksAsync, QueueFullAndCancelAreRankZerosDecisions) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(2);
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    const auto checkpoint = std::make_shared<state::Checkpoint>(disk_at(scratch.path()), of_rank(*ranks, rank));
    async::AsyncOptions options;
    options.capacity = rank == 0 ? 1 : 8;
    const auto manager = std::make_shared<async::AsyncManager>(checkpoint, options);
    // A waiting source keeps the first task running.
    std::atomic<bool> go{false};
    async::TaskOptions slow;
    slow.mode = async::StagingMode::deferred;
    slow.source = [&](const std::string&, const state::StateTensor& item, std::int64_t offset, std::span<std::byte> out) {
      while (!go.load()) std::this_thread::yield();
      std::copy_n(item.tensor->byte_span().begin() + offset, out.size(), out.begin());
    };
    const std::int64_t first = manager->save(state_of(rank, 2, 1), of_step(1), slow);
    try {
      manager->save(state_of(rank, 2, 2), of_step(2), {});
      ADD_FAILURE() << "rank " << rank << " has a place";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.status(), Status::queue_full) << error.message();
      EXPECT_EQ(error.message().find("rank 0: queue is full"), 0U) << error.message();
    }
    if (rank == 1) {
      EXPECT_EQ(status_of([&] { manager->cancel(first); }), Status::unsupported);
    } else {
      EXPECT_TRUE(manager->cancel(first));
    }
    go.store(rank == 0);
    if (rank == 1) go.store(true);
    const async::TaskResult result = wait_for(*manager, first);
    EXPECT_EQ(result.state, async::TaskState::cancelled) << result.error;
    EXPECT_EQ(wait_for(*manager, manager->save(state_of(rank, 2, 3), of_step(3), {})).state, async::TaskState::completed);
    async::TaskOptions odd;
    odd.priority = 1;
    EXPECT_EQ(status_of([&] { manager->save(state_of(rank, 2, 4), of_step(4), odd); }), Status::unsupported);
    odd = {};
    odd.gate_step = 3;
    EXPECT_EQ(status_of([&] { manager->save(state_of(rank, 2, 4), of_step(4), odd); }), Status::unsupported);
    odd = {};
    odd.when_full = async::WhenFull::drop_oldest;
    EXPECT_EQ(status_of([&] { manager->save(state_of(rank, 2, 4), of_step(4), odd); }), Status::unsupported);
  }));
}

TEST(RanksAsync, ADeadRankIsNamed) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(2);
  for (const std::int64_t gone : {0, 1}) {
    expect_no_errors(ranks->run([&](std::int64_t rank) {
      const auto checkpoint = std::make_shared<state::Checkpoint>(disk_at(scratch.path()), of_rank(*ranks, rank, second / 2));
      if (rank == gone) {
        checkpoint->agree(state_of(rank, 2, 1), of_step(1));
        return;
      }
      const auto manager = std::make_shared<async::AsyncManager>(checkpoint, async::AsyncOptions{});
      const async::TaskResult result = wait_for(*manager, manager->save(state_of(rank, 2, 1), of_step(1), {}));
      EXPECT_EQ(result.status, Status::timeout);
      EXPECT_NE(result.error.find(base::cat("rank ", gone, " did not arrive")), std::string::npos) << result.error;
    }));
  }
}

// ---- Object stores ----

TEST(RanksObjects, SavesOnAnObjectStoreInBothWays) {
  const auto bucket = std::make_shared<Bucket>();
  const auto ranks = std::make_shared<ThreadRanks>(3);
  std::vector<std::string> names(3);
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::CheckpointOptions options = of_rank(*ranks, rank);
    options.keep_last = 2;
    const auto checkpoint = std::make_shared<state::Checkpoint>(std::make_shared<BucketClient>(bucket), options);
    const auto manager = std::make_shared<async::AsyncManager>(checkpoint, async::AsyncOptions{});
    for (int step = 1; step <= 6; ++step) {
      state::SaveResult saved;
      if (step % 2 == 0) {
        saved = checkpoint->save(state_of(rank, 3, static_cast<float>(step)), of_step(step));
      } else {
        saved = wait_for(*manager, manager->save(state_of(rank, 3, static_cast<float>(step)), of_step(step), {})).saved;
      }
      EXPECT_EQ(saved.commit_sequence, step);
      names[static_cast<std::size_t>(rank)] = saved.name;
    }
  }));
  EXPECT_EQ(names[0], names[2]);
  BucketClient client(bucket);
  expect_saved(client, names[0], 6);
  EXPECT_EQ(bucket->count("manifest.json"), 2);
  EXPECT_EQ(bucket->count("probes/"), 0);
}

// On object stores the manifest is not the commit by rank 0: the record is. A rank that has read the manifest waits for the record,
// which never arrives here.
TEST(RanksObjects, AManifestWithoutItsRecordIsNotACommit) {
  const auto bucket = std::make_shared<Bucket>();
  const auto ranks = std::make_shared<ThreadRanks>(2);
  std::atomic<int> looks{0};  // reads of the manifest by rank 1, since rank 0 is about to write the record
  std::atomic<bool> fails{false};
  std::atomic<bool> is_about_to{false};
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    const auto requests = std::make_shared<Requests>();
    requests->before = [&, rank](const std::string& line) {
      if (rank == 1 && is_about_to && line.starts_with("get ") && line.ends_with("manifest.json")) ++looks;
      if (rank != 0 || !fails || !line.starts_with("put") || line.find(" commits/") == std::string::npos) return;
      is_about_to = true;
      while (looks < 3) std::this_thread::yield();
      base::fail(Status::permission, "injected: no record");
    };
    const auto checkpoint =
        std::make_shared<state::Checkpoint>(std::make_shared<BucketClient>(bucket, requests), of_rank(*ranks, rank));
    const auto manager = std::make_shared<async::AsyncManager>(checkpoint, async::AsyncOptions{});
    EXPECT_EQ(wait_for(*manager, manager->save(state_of(rank, 2, 1), of_step(1), {})).state, async::TaskState::completed);
    ranks->coordinator(rank)->barrier(std::chrono::seconds(30));
    fails = true;
    const async::TaskResult result = wait_for(*manager, manager->save(state_of(rank, 2, 2), of_step(2), {}));
    EXPECT_EQ(result.status, Status::permission) << rank;
    EXPECT_NE(result.error.find("injected: no record"), std::string::npos) << result.error;
  }));
  EXPECT_GE(looks, 3);
}

}  // namespace
