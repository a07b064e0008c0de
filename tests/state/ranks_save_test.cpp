// Saves of many ranks, simulated by threads: the share that each rank writes, the agreement on the state, and the result on each
// rank if one fails.
#include <gtest/gtest.h>

#include <atomic>

#include "base/log.h"
#include "faulty_storage.h"
#include "object_store.h"
#include "of_ranks.h"
#include "storage/memory.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

#ifdef CKPT_SANITIZED
constexpr std::int64_t many_ranks = 100;
#else
constexpr std::int64_t many_ranks = 1000;
#endif

// ---- Written files ----

TEST(RanksSave, EachRankWritesItsShareOnceAndAllAgreeOnTheResult) {
  for (const std::int64_t count : {2, 3, 4}) {
    const Scratch scratch;
    const auto ranks = std::make_shared<ThreadRanks>(count);
    std::vector<state::SaveResult> results(static_cast<std::size_t>(count));
    expect_no_errors(ranks->run([&](std::int64_t rank) {
      state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank));
      for (const int step : {1, 2}) {
        state::State mine = state_of(rank, count, static_cast<float>(step));
        results[static_cast<std::size_t>(rank)] = checkpoint.save(mine, of_step(step));
      }
    }));
    const auto storage = disk_at(scratch.path());
    std::int64_t bytes = 0;
    for (const state::SaveResult& result : results) {
      EXPECT_EQ(result.name, results[0].name);
      EXPECT_EQ(result.commit_sequence, 2);
      EXPECT_EQ(result.bytes, results[0].bytes);
      EXPECT_EQ(result.files, results[0].files);
      bytes += result.rank_bytes;
      // 480,228 bytes of tensors, and headers.
      EXPECT_NEAR(static_cast<double>(result.rank_bytes), 480'228.0 / static_cast<double>(count), 3000);
    }
    EXPECT_EQ(bytes, results[0].bytes);
    EXPECT_LT(bytes, 480'228 + 3000 * count);
    expect_saved(*storage, results[0].name, 2);
    const state::Manifest manifest = state::parsed_manifest(results[0].name, state::manifest_text(*storage, results[0].name));
    EXPECT_EQ(manifest.world_size, count);
    EXPECT_EQ(manifest.by_rank, std::vector<std::string>{"data_position"});
    for (std::int64_t rank = 0; rank < count; ++rank) {
      const auto values = state::values_of_rank(*storage, results[0].name, manifest, rank);
      EXPECT_EQ(values.at("data_position"), base::cat(100 + rank));
      EXPECT_EQ(values.at("epoch"), "3");
    }
  }
}

// The second save of the same tensors needs no planning among ranks, so they exchange fewer bytes.
TEST(RanksSave, AnUnchangedListNeedsNoGatherOfPlans) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(3);
  std::vector<std::int64_t> operations;
  std::atomic<int> planned{0};
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank));
    for (int step = 1; step <= 3; ++step) {
      state::State mine = state_of(rank, 3);
      if (step == 3) mine.add_tensor("model", "more", numbers({2}, 0));
      const std::int64_t before = ranks->operations();
      state::GroupSave agreed = checkpoint.agree(mine, of_step(step));
      const std::int64_t agreeing = ranks->operations() - before;
      state::SaveSource source;
      checkpoint.save_agreed(agreed, source, false);
      if (rank == 0) operations.push_back(agreeing);
    }
  }));
  EXPECT_EQ(operations[1], 2);  // one announcement
  EXPECT_GT(operations[0], 4);
  EXPECT_EQ(operations[2], operations[0]);
}

TEST(RanksSave, UnchangedFilesAreLinkedByTheRankThatWroteThem) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(2);
  std::vector<state::SaveResult> results(2);
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank));
    state::State mine = state_of(rank, 2);
    mine.set_rarely_changes("optimizer", true);
    checkpoint.save(mine, of_step(1));
    results[static_cast<std::size_t>(rank)] = checkpoint.save(mine, of_step(2));
  }));
  for (const state::SaveResult& result : results) EXPECT_EQ(result.linked, 1);
  expect_saved(*disk_at(scratch.path()), results[0].name, 0);
}

// A run of two groups of ranks, each of which has all blocks: the two ranks with the same block write it once, between them.
constexpr std::int64_t replicated_rows = 4096;

state::State twin_state(std::int64_t rank, float first, std::int64_t cut = replicated_rows / 2) {
  state::State state;
  const Lengths shape{replicated_rows, 64};  // 1 MiB
  state.add_sharded("model", "weight", tensor::Dtype::f32, tensor::Shape(std::span(shape)));
  const auto [begin, end] = rank % 2 == 0 ? std::pair<std::int64_t, std::int64_t>(0, cut) : std::pair(cut, replicated_rows);
  state.add_block("model", "weight", {begin, 0}, rows(shape, begin, end, first));
  state.add_sharded("model", "small", tensor::Dtype::f32, {6});
  state.add_block("model", "small", {3 * (rank % 2)}, numbers({3}, first + static_cast<float>(3 * (rank % 2))));
  state.add_tensor("model", "bias", numbers({300, 400}, first));
  return state;
}

void expect_twins(storage::Storage& storage, const std::string& name, float first) {
  EXPECT_EQ(saved_tensor(storage, name, "model", "weight"), counted(replicated_rows * 64, first));
  EXPECT_EQ(saved_tensor(storage, name, "model", "small"), counted(6, first));
  EXPECT_EQ(saved_tensor(storage, name, "model", "bias"), counted(300 * 400, first));
}

TEST(RanksSave, BlocksOfTwoRanksAreWrittenOnce) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(4);
  std::vector<state::SaveResult> results(4);
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank));
    results[static_cast<std::size_t>(rank)] = checkpoint.save(twin_state(rank, 1), of_step(1));
  }));
  const auto storage = disk_at(scratch.path());
  expect_twins(*storage, results[0].name, 1);
  constexpr double tensors = replicated_rows * 64 * 4 + 24 + 300 * 400 * 4;
  EXPECT_LT(static_cast<double>(results[0].bytes), 1.01 * tensors);
  for (const state::SaveResult& result : results) EXPECT_NEAR(static_cast<double>(result.rank_bytes), tensors / 4, tensors / 80);
}

// Replicated tensors are written by the ranks that otherwise write less, and a twin counts half of its blocks.
TEST(RanksSave, TwinsCountForTheBytesTheyWrite) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(3);
  std::vector<std::int64_t> bytes(3);
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank));
    state::State mine;
    const Lengths shape{3072, 64};
    mine.add_sharded("model", "weight", tensor::Dtype::f32, tensor::Shape(std::span(shape)));
    const auto [begin, end] = rank < 2 ? std::pair(0, 2048) : std::pair(2048, 3072);
    mine.add_block("model", "weight", {begin, 0}, rows(shape, begin, end, 0));
    mine.add_tensor("model", "bias", numbers({300, 400}, 0));
    bytes[static_cast<std::size_t>(rank)] = checkpoint.save(mine, of_step(1)).rank_bytes;
  }));
  for (const std::int64_t each : bytes) EXPECT_NEAR(static_cast<double>(each), static_cast<double>(bytes[0]), 0.05 * 422'000);
}

// The set of a rank's blocks is not part of the list that is compared in each save.
TEST(RanksSave, RanksWithChangedBlocksAreNoLongerTwins) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(4);
  std::vector<std::vector<std::int64_t>> bytes(4);
  std::vector<std::string> names;
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank));
    for (int step = 1; step <= 4; ++step) {
      state::State mine = twin_state(rank, static_cast<float>(step), step == 2 ? 1000 : replicated_rows / 2);
      if (step == 3 && rank >= 2) {  // one pair has no tensors
        mine = state::State();
        mine.add_sharded("model", "weight", tensor::Dtype::f32, {replicated_rows, 64});
        mine.add_sharded("model", "small", tensor::Dtype::f32, {6});
        mine.add_tensor("model", "bias", numbers({300, 400}, 3));
      }
      const state::SaveResult result = checkpoint.save(mine, of_step(step));
      bytes[static_cast<std::size_t>(rank)].push_back(result.rank_bytes);
      if (rank == 0) names.push_back(result.name);
    }
  }));
  const auto storage = disk_at(scratch.path());
  for (std::size_t i = 0; i < names.size(); ++i) expect_twins(*storage, names[i], static_cast<float>(i + 1));
  constexpr std::int64_t block = replicated_rows * 64 * 2;
  EXPECT_LT(bytes[0][0], block);
  EXPECT_LT(bytes[0][1], block);
  EXPECT_GT(bytes[0][2], block);  // written by this rank alone
}

TEST(RanksSave, DifferingReplicasOfBlocksAreNamed) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(4);
  const auto errors = ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank));
    state::SaveOptions options = of_step(1);
    options.check_replicas = true;
    checkpoint.save(twin_state(rank, 1), options);
    state::State mine = twin_state(rank, 1);
    mine.add_sharded("model", "odd", tensor::Dtype::f32, {4});
    mine.add_block("model", "odd", {2 * (rank % 2)}, numbers({2}, rank == 3 ? 9.0F : 0.0F));
    options.step = 2;
    checkpoint.save(mine, options);
  });
  expect_errors(errors, Status::invalid_argument, "[2:4] of tensor 'odd' of group 'model' differs between rank 1 and rank 3");
}

// ---- Agreement of the ranks ----

// The positions of blocks are cached between saves, but not those of a save that failed because they did not cover their tensor.
TEST(RanksSave, AFailedSaveDoesNotAffectTheNextOne) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(2);
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank));
    const state::State good = state_of(rank, 2, 7);
    checkpoint.save(good, of_step(1));
    // The same tensors, but rank 1 has too few rows of one of them.
    state::State gap;
    const Lengths shape{13, 4};
    gap.add_sharded("model", "weight", tensor::Dtype::f32, tensor::Shape(std::span(shape)));
    gap.add_block("model", "weight", {6 * rank, 0}, rows(shape, 6 * rank, 6 * rank + 6, 7));
    gap.add_tensor("model", "bias", numbers({5}, 7));
    gap.add_tensor("optimizer", "table", numbers({300, 400}, 7));
    try {
      checkpoint.save(gap, of_step(2));
      ADD_FAILURE() << "saved with a gap";
    } catch (const base::Error& error) {
      EXPECT_NE(error.message().find("[12:13, 0:4] is missing on all ranks"), std::string::npos) << error.message();
    }
    checkpoint.save(good, of_step(3));
  }));
  const auto disk = disk_at(scratch.path());
  state::Checkpoint checkpoint(disk, {true, 0});
  ASSERT_EQ(checkpoint.latest().step, 3);
  expect_saved(*disk, checkpoint.latest().name, 7);
}

// A host with processes that disagree about their number.
class OtherSize final : public state::Coordinator {
 public:
  explicit OtherSize(std::shared_ptr<state::Coordinator> inner) : inner_(std::move(inner)) {}
  std::int64_t rank() const noexcept override { return inner_->rank(); }
  std::int64_t world_size() const noexcept override { return inner_->world_size() + 1; }
  void barrier(Timeout timeout) override { inner_->barrier(timeout); }
  void broadcast(std::span<std::byte> bytes, std::int64_t root, Timeout timeout) override {
    inner_->broadcast(bytes, root, timeout);
  }
  void all_gather(std::span<const std::byte> sent, std::span<std::byte> received, Timeout timeout) override {
    inner_->all_gather(sent, received, timeout);
  }
  void gather(std::span<const std::byte> sent, std::span<std::byte> received, std::int64_t root, Timeout timeout) override {
    inner_->gather(sent, received, root, timeout);
  }

 private:
  const std::shared_ptr<state::Coordinator> inner_;
};

TEST(RanksSave, AWorldSizeThatDiffersIsAnErrorOnAll) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(3);
  const auto errors = ranks->run([&](std::int64_t rank) {
    state::CheckpointOptions options = of_rank(*ranks, rank);
    if (rank == 2) options.coordinator = std::make_shared<OtherSize>(options.coordinator);
    state::Checkpoint checkpoint(disk_at(scratch.path()), options);
  });
  expect_errors(errors, Status::invalid_argument, "rank 2 of 3 reports that it is rank 2 of 4");
  expect_no_errors(std::make_shared<ThreadRanks>(1)->run([&](std::int64_t) {
    const auto disk = disk_at(scratch.path());
    state::Checkpoint checkpoint(disk, {});  // the lock is free
    for (const storage::Entry& entry : disk->list("")) EXPECT_FALSE(entry.name.starts_with(".shared-")) << entry.name;
  }));
}

// Log callbacks run at any time, on any thread, so a collective started inside one would never match on the other ranks.
TEST(RanksSave, CollectivesAreRefusedInALogCallback) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(2);
  std::vector<Status> statuses;
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank));
    state::State mine = state_of(rank, 2);
    if (rank == 0) {
      const auto note = [&](auto&& call) {
        try {
          call();
          statuses.push_back(Status::ok);
        } catch (const base::Error& error) {
          statuses.push_back(error.status());
        }
      };
      base::set_log(base::LogLevel::error, [&](base::LogLevel, const char*, const char*) {
        note([&] { checkpoint.save(mine, of_step(1)); });
        note([&] { checkpoint.load(mine, {}); });
        note([&] { state::Checkpoint other(disk_at(scratch.path()), of_rank(*ranks, rank)); });
        note([&] { checkpoint.list(); });  // a call of this rank only
      });
      base::write_log(base::LogLevel::error, "state", "a message");
      base::set_log(base::LogLevel::error, {});
    }
    checkpoint.save(mine, of_step(2));
  }));
  EXPECT_EQ(statuses, (std::vector<Status>{Status::invalid_state, Status::invalid_state, Status::invalid_state, Status::ok}));
}

TEST(RanksSave, DifferencesNameTheTensorAndTwoRanksOnAll) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(3);
  std::vector<std::vector<std::string>> messages(3);
  const auto failing = [&](state::Checkpoint& checkpoint, const state::State& mine, const state::SaveOptions& options,
                           std::int64_t rank) {
    try {
      checkpoint.save(mine, options);
      messages[static_cast<std::size_t>(rank)].emplace_back("saved");
    } catch (const base::Error& error) {
      EXPECT_EQ(error.status(), Status::invalid_argument);
      messages[static_cast<std::size_t>(rank)].push_back(error.message());
    }
  };
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank));
    state::State shape = state_of(rank, 3);
    shape.add_tensor("model", "odd", numbers({rank == 2 ? 3 : 4}, 0));
    failing(checkpoint, shape, of_step(1), rank);
    state::State more = state_of(rank, 3);
    if (rank == 1) more.add_tensor("model", "extra", numbers({1}, 0));
    failing(checkpoint, more, of_step(1), rank);
    failing(checkpoint, state_of(rank, 3), of_step(rank == 2 ? 8 : 7), rank);
    checkpoint.save(state_of(rank, 3), of_step(9));
    failing(checkpoint, shape, of_step(10), rank);  // rank 0's list differs from the previous one
    if (rank != 2) shape = state_of(rank, 3);
    failing(checkpoint, shape, of_step(11), rank);                               // only rank 2's list differs
    failing(checkpoint, state_of(rank, 3), of_step(rank == 1 ? -1 : 12), rank);  // invalid by itself
    state::State gap = state_of(rank, 3);
    gap.add_sharded("model", "gap", tensor::Dtype::f32, {6});
    if (rank > 0) gap.add_block("model", "gap", {2 * rank}, numbers({2}, 0));
    failing(checkpoint, gap, of_step(13), rank);
    checkpoint.save(state_of(rank, 3), of_step(14));
  }));
  const std::vector<std::string> wanted{R"(rank 2: tensor "odd" of group "model" is F32 [3] on rank 2; F32 [4] on rank 0)",
                                        R"(rank 1: tensor "extra" of group "model" is on rank 1 but not on rank 0)",
                                        "rank 2: step is 8 on rank 2; 7 on rank 0",
                                        R"(rank 2: tensor "odd" of group "model" is F32 [3] on rank 2; F32 [4] on rank 0)",
                                        R"(rank 2: tensor "odd" of group "model" is on rank 2 but not on rank 0)",
                                        "rank 1: step is -1; expected at least 0",
                                        "tensor 'gap' of group 'model': [0:2] is missing on all ranks"};
  for (const auto& of_rank_messages : messages) {
    ASSERT_EQ(of_rank_messages.size(), wanted.size());
    EXPECT_EQ(of_rank_messages, wanted);
  }
  // Nothing remains of the failed saves.
  const auto storage = disk_at(scratch.path());
  std::int64_t directories = 0;
  for (const storage::Entry& entry : storage->list("")) directories += entry.is_directory ? 1 : 0;
  EXPECT_EQ(directories, 2);
}

TEST(RanksSave, ReplicasThatDifferAreNamed) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(4);
  std::vector<std::string> messages(4);
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank));
    state::SaveOptions options = of_step(1);
    options.check_replicas = true;
    checkpoint.save(state_of(rank, 4), options);
    state::State mine = state_of(rank, 4);
    mine.add_tensor("model", "drifted", numbers({10}, rank == 1 || rank == 3 ? 1.0F : 0.0F));
    options.step = 2;
    try {
      checkpoint.save(mine, options);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.status(), Status::invalid_argument);
      messages[static_cast<std::size_t>(rank)] = error.message();
    }
    options.step = 3;
    options.check_replicas = false;
    checkpoint.save(mine, options);
  }));
  for (const std::string& message : messages)
    EXPECT_EQ(message, "tensor 'drifted' of group 'model' differs between rank 0 and rank 1, 3");
}

TEST(RanksSave, DifferentStoragesAreRefusedOnAllRanks) {
  const Scratch first;
  const Scratch other;
  const auto ranks = std::make_shared<ThreadRanks>(3);
  const auto errors = ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(rank == 2 ? other.path() : first.path()), of_rank(*ranks, rank));
  });
  expect_errors(errors, Status::invalid_argument, "rank 2: storage '");
  expect_errors(errors, Status::invalid_argument, "is not shared");
  EXPECT_EQ(disk_at(first.path())->list("").size(), 1U);  // .lock
}

TEST(RanksSave, OnlyRankZeroLocksAndChangesExistingCheckpoints) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(2);
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::CheckpointOptions options = of_rank(*ranks, rank);
    options.keep_last = 2;
    state::Checkpoint checkpoint(disk_at(scratch.path()), options);
    std::string name;
    for (int step = 1; step <= 4; ++step) name = checkpoint.save(state_of(rank, 2), of_step(step)).name;
    ranks->coordinator(rank)->barrier(std::chrono::seconds(30));
    EXPECT_EQ(checkpoint.list().size(), 2U);
    ranks->coordinator(rank)->barrier(std::chrono::seconds(30));
    if (rank == 1) {
      EXPECT_EQ(status_of([&] { checkpoint.remove(name); }), Status::invalid_state);
      EXPECT_EQ(status_of([&] { checkpoint.pin(4); }), Status::invalid_state);
      EXPECT_EQ(status_of([&] { checkpoint.prune("last:1", false, 10); }), Status::invalid_state);
    } else {
      checkpoint.pin(4);
    }
  }));
  // Rank 0 has released the lock; while it was held, another writer was refused on all of its ranks.
  const auto more = std::make_shared<ThreadRanks>(2);
  const state::Checkpoint holder(disk_at(scratch.path()), {});
  expect_errors(more->run([&](std::int64_t rank) { state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*more, rank)); }),
                Status::busy, "rank 0: ");
}

// The bytes that rank 0 sends and receives do not grow with the number of ranks, except for one reply from each: a thousand ranks,
// simulated by threads.
TEST(RanksSave, AThousandRanksSendAsMuchAsThree) {
  std::vector<std::int64_t> operations;
  for (const std::int64_t count : {std::int64_t{3}, many_ranks}) {
    const auto storage = storage::make_memory_storage();
    const auto ranks = std::make_shared<ThreadRanks>(count);
    std::atomic<std::int64_t> bytes{0};
    state::SaveResult result;
    std::int64_t first = 0;
    expect_no_errors(ranks->run([&](std::int64_t rank) {
      state::Checkpoint checkpoint(storage, of_rank(*ranks, rank, 600 * second));
      state::State mine;
      mine.add_sharded("model", "weight", tensor::Dtype::f32, {2 * count, 8});
      mine.add_block("model", "weight", {2 * rank, 0}, rows({2 * count, 8}, 2 * rank, 2 * rank + 2, 0));
      mine.add_tensor("model", "bias", numbers({5}, 0));
      const std::int64_t before = ranks->operations();
      const state::SaveResult saved = checkpoint.save(mine, of_step(1));
      if (rank == 0) first = ranks->operations() - before;
      bytes += saved.rank_bytes;
      if (rank == 0) result = saved;
    }));
    operations.push_back(first);
    EXPECT_EQ(bytes, result.bytes);
    EXPECT_EQ(result.files, count);
    EXPECT_EQ(saved_tensor(*storage, result.name, "model", "weight"), counted(16 * count, 0));
  }
  EXPECT_EQ(operations[0], operations[1]);
}

// ---- Failures ----

// Storage calls of one rank's save fail in turn (every third one, with a different offset for each rank): all ranks fail with its
// rank and message, nothing remains, and the next save succeeds.
TEST(RanksSave, AFailingRankFailsAllRanksWithItsRankAndMessage) {
  for (const std::int64_t failing : {0, 1, 2}) {
    for (std::int64_t at = failing;; at += 3) {
      const Scratch scratch;
      const auto ranks = std::make_shared<ThreadRanks>(3);
      const auto faults = std::make_shared<Faults>();
      std::vector<std::string> messages(3);
      std::atomic<int> saved{0};
      expect_no_errors(ranks->run([&](std::int64_t rank) {
        auto storage = disk_at(scratch.path());
        if (rank == failing) storage = std::make_shared<FaultyStorage>(storage, faults);
        state::Checkpoint checkpoint(storage, of_rank(*ranks, rank));
        checkpoint.save(state_of(rank, 3, 1), of_step(1));
        ranks->coordinator(rank)->barrier(std::chrono::seconds(30));
        if (rank == failing) {
          faults->counted = 0;
          faults->fail_at = at;
          faults->status = Status::no_space;
        }
        ranks->coordinator(rank)->barrier(std::chrono::seconds(30));
        try {
          checkpoint.save(state_of(rank, 3, 2), of_step(2));
          ++saved;
        } catch (const base::Error& error) {
          EXPECT_EQ(error.status(), Status::no_space) << error.message();
          messages[static_cast<std::size_t>(rank)] = error.message();
        }
        ranks->coordinator(rank)->barrier(std::chrono::seconds(30));
        if (rank == failing) faults->fail_at = -1;
        ranks->coordinator(rank)->barrier(std::chrono::seconds(30));
        checkpoint.save(state_of(rank, 3, 3), of_step(3));
      }));
      const auto storage = disk_at(scratch.path());
      state::CheckpointOptions read_only;
      read_only.read_only = true;
      expect_saved(*storage, state::Checkpoint(storage, read_only).latest().name, 3);
      if (saved == 3) break;
      EXPECT_EQ(saved, 0) << failing << ' ' << at;
      for (const std::string& message : messages) {
        EXPECT_EQ(message, messages[0]);
        EXPECT_NE(message.find("injected: "), std::string::npos) << message;
        if (failing > 0) {
          EXPECT_EQ(message.find(base::cat("rank ", failing, ": ")), 0U) << message;
        }
      }
      ASSERT_LT(at, 200);
    }
  }
}

// A rank that is dead before the save begins. The ranks that wait for rank 0's first message are included: ranks below the dead one
// in a tree of messages would not receive the attempt.
TEST(RanksSave, ARankThatIsDeadBeforeTheSaveIsNamed) {
  for (const bool on_objects : {false, true}) {
    for (const std::int64_t gone : on_objects ? std::vector<std::int64_t>{2} : std::vector<std::int64_t>{1, 3}) {
      const Scratch scratch;
      const auto bucket = std::make_shared<Bucket>();
      const auto storage = [&]() -> std::shared_ptr<storage::Storage> {
        if (on_objects) return std::make_shared<BucketClient>(bucket);
        return disk_at(scratch.path());
      };
      const auto ranks = std::make_shared<ThreadRanks>(4);
      const auto errors = ranks->run([&](std::int64_t rank) {
        state::Checkpoint checkpoint(storage(), of_rank(*ranks, rank, 2 * second));
        checkpoint.save(state_of(rank, 4, 1), of_step(1));
        if (rank != gone) checkpoint.save(state_of(rank, 4, 2), of_step(1));  // the step of the first attempt
      });
      for (std::int64_t rank = 0; rank < 4; ++rank) {
        const auto& error = errors[static_cast<std::size_t>(rank)];
        ASSERT_EQ(error.has_value(), rank != gone);
        if (!error) continue;
        EXPECT_EQ(error->status(), Status::timeout);
        EXPECT_EQ(error->message(), base::cat("rank ", gone, " did not arrive within 2000000000 ns; nothing was saved"));
      }
      // The next run finds the older one; retention removes what the failed save has left in a store.
      const auto next = std::make_shared<ThreadRanks>(2);
      expect_no_errors(next->run([&](std::int64_t rank) {
        state::Checkpoint checkpoint(storage(), of_rank(*next, rank));
        EXPECT_EQ(checkpoint.latest().step, 1);
        if (!on_objects) {
          EXPECT_EQ(checkpoint.list().size(), 1U);
        }
      }));
    }
  }
}

// The ranks of a run that communicate through another channel from now on, as if the host had reconnected them. One of them may
// lose a word.
class Host final : public state::Coordinator {
 public:
  Host(std::vector<std::shared_ptr<state::Coordinator>> places, std::int64_t loses) : places_(std::move(places)), loses_(loses) {}
  void reconnect() { ++at_; }
  std::int64_t rank() const noexcept override { return places_[0]->rank(); }
  std::int64_t world_size() const noexcept override { return places_[0]->world_size(); }
  void barrier(Timeout timeout) override { places_[at_]->barrier(timeout); }
  void broadcast(std::span<std::byte> bytes, std::int64_t root, Timeout timeout) override {
    places_[at_]->broadcast(bytes, root, timeout);
    if (at_ == 0 && broadcasts_++ == loses_) base::fail(Status::timeout, "a lost word");
  }
  void all_gather(std::span<const std::byte> sent, std::span<std::byte> received, Timeout timeout) override {
    places_[at_]->all_gather(sent, received, timeout);
  }
  void gather(std::span<const std::byte> sent, std::span<std::byte> received, std::int64_t root, Timeout timeout) override {
    places_[at_]->gather(sent, received, root, timeout);
  }

 private:
  const std::vector<std::shared_ptr<state::Coordinator>> places_;
  const std::int64_t loses_;
  std::size_t at_ = 0;
  std::int64_t broadcasts_ = 0;
};

// For every word of a save that rank 1 loses: the next save of both ranks is complete, and no rank relies on an agreement that it
// has not received.
TEST(RanksSave, ARankThatHasLostAWordDoesNotRelyOnIt) {
  for (std::int64_t lost = 0;; ++lost) {
    const Scratch scratch;
    const auto first = std::make_shared<ThreadRanks>(2);
    const auto then = std::make_shared<ThreadRanks>(2);
    std::atomic<int> failed{0};
    expect_no_errors(then->run([&](std::int64_t rank) {
      // The words of the opening call are not counted.
      constexpr std::int64_t of_open = 3;
      const auto host =
          std::make_shared<Host>(std::vector{first->coordinator(rank), then->coordinator(rank)}, rank == 1 ? of_open + lost : -1);
      state::CheckpointOptions options;
      options.coordinator = host;
      options.timeout_ns = second / 2;
      state::Checkpoint checkpoint(disk_at(scratch.path()), options);
      try {
        checkpoint.save(state_of(rank, 2, 1), of_step(1));
      } catch (const base::Error&) {
        ++failed;
      }
      then->coordinator(rank)->barrier(std::chrono::seconds(30));
      host->reconnect();
      const state::SaveResult result = checkpoint.save(state_of(rank, 2, 2), of_step(2));
      EXPECT_EQ(result.step, 2) << lost;
    }));
    const auto disk = disk_at(scratch.path());
    state::CheckpointOptions read_only;
    read_only.read_only = true;
    expect_saved(*disk, state::Checkpoint(disk, read_only).latest().name, 2);
    if (failed == 0) break;
    ASSERT_LT(lost, 20);
  }
}

// A program with two managers, in which different ranks use different managers for the same save.
TEST(RanksSave, RanksThatSaveWithTwoManagersCallDifferentCollectives) {
  const Scratch one;
  const Scratch other;
  const auto ranks = std::make_shared<ThreadRanks>(2);
  const auto errors = ranks->run([&](std::int64_t rank) {
    state::Checkpoint of_one(disk_at(one.path()), of_rank(*ranks, rank));
    state::Checkpoint of_other(disk_at(other.path()), of_rank(*ranks, rank));
    of_one.save(state_of(rank, 2, 1), of_step(1));
    (rank == 0 ? of_one : of_other).save(state_of(rank, 2, 2), of_step(2));
  });
  expect_errors(errors, Status::invalid_state,
                "rank 1: ranks called different collectives: this rank did not take part in the previous save");
  // Nothing of it remains, and the next save agrees on everything again.
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(one.path()), of_rank(*ranks, rank));
    EXPECT_EQ(checkpoint.list().size(), 1U);
    EXPECT_EQ(checkpoint.save(state_of(rank, 2, 2), of_step(2)).step, 2);
  }));
}

TEST(RanksSave, ADeadRankZeroIsNamed) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(3);
  const auto errors = ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank, second));
    checkpoint.save(state_of(rank, 3, 1), of_step(1));
    if (rank != 0) checkpoint.save(state_of(rank, 3, 2), of_step(2));
  });
  for (const std::size_t rank : {1, 2}) {
    ASSERT_TRUE(errors[rank].has_value());
    EXPECT_EQ(errors[rank]->status(), Status::timeout);
    EXPECT_EQ(errors[rank]->message(), "rank 0 did not arrive within 1000000000 ns; nothing was saved");
  }
}

TEST(RanksSave, ARankThatNeverCallsIsNamedInTime) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(3);
  std::vector<std::string> messages(3);
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank, second));
    checkpoint.save(state_of(rank, 3, 1), of_step(1));
    state::GroupSave agreed = checkpoint.agree(state_of(rank, 3, 2), of_step(2));
    if (rank == 2) return;  // dies
    state::SaveSource source;
    try {
      checkpoint.save_agreed(agreed, source, false);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.status(), Status::timeout);
      messages[static_cast<std::size_t>(rank)] = error.message();
    }
  }));
  EXPECT_EQ(messages[0].find("rank 2 did not arrive within"), 0U) << messages[0];
  EXPECT_EQ(messages[1], messages[0]);
  // The next run resumes from the older one.
  const auto storage = disk_at(scratch.path());
  const auto next = std::make_shared<ThreadRanks>(2);
  expect_no_errors(next->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*next, rank));
    EXPECT_EQ(checkpoint.latest().step, 1);
    checkpoint.save(state_of(rank, 2, 3), of_step(3));
  }));
}

}  // namespace
