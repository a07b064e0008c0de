// A roll-back of several ranks: rank 0 decides, and all ranks report the same result.
#include <gtest/gtest.h>

#include <mutex>

#include "base/log.h"
#include "fixture.h"
#include "object_store.h"
#include "of_ranks.h"

using namespace ckpt;
using namespace ckpt::tests;

namespace {

constexpr std::int64_t count = 3;

class RanksRollBack : public testing::TestWithParam<bool> {
 protected:
  std::shared_ptr<storage::Storage> open() {
    if (GetParam()) return std::make_shared<BucketClient>(bucket_);
    return disk_at(scratch_.path());
  }
  std::string steps() {
    state::Checkpoint reader(open(), read_only());
    return steps_in(reader);
  }
  static std::int64_t load(state::Checkpoint& checkpoint, std::int64_t rank, std::optional<std::int64_t> step) {
    state::State target = state_of(rank, count, -1);
    state::LoadOptions options;
    options.step = step;
    return checkpoint.load(target, options).step;
  }
  static state::SaveResult save(state::Checkpoint& checkpoint, std::int64_t rank, std::int64_t step) {
    return checkpoint.save(state_of(rank, count, static_cast<float>(step)), of_step(step));
  }

  const Scratch scratch_;
  const std::shared_ptr<Bucket> bucket_ = std::make_shared<Bucket>();
};

TEST_P(RanksRollBack, RankZeroDecidesForAll) {
  std::mutex mutex;
  std::string warnings;
  base::set_log(base::LogLevel::warning, [&](base::LogLevel, const char*, const char* message) {
    const std::lock_guard lock(mutex);
    warnings += base::cat(message, '\n');
  });
  const auto ranks = std::make_shared<ThreadRanks>(count);
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::CheckpointOptions options = of_rank(*ranks, rank);
    options.keep_last = 4;
    state::Checkpoint checkpoint(open(), options);
    for (const int step : {300, 400, 500, 600}) EXPECT_FALSE(save(checkpoint, rank, step).rolled_back);
    EXPECT_EQ(load(checkpoint, rank, 300), 300);
    const state::SaveResult first = save(checkpoint, rank, 310);
    EXPECT_TRUE(first.rolled_back) << rank;
    EXPECT_EQ(first.generation, 1) << rank;
    for (const int step : {320, 330}) {
      const state::SaveResult next = save(checkpoint, rank, step);
      EXPECT_FALSE(next.rolled_back) << rank;
      EXPECT_EQ(next.generation, 1) << rank;
    }
  }));
  base::set_log(base::LogLevel::warning, {});
  EXPECT_EQ(std::ranges::count(warnings, '\n'), 1) << warnings;
  EXPECT_NE(warnings.find("step 310 is saved although step 600 exists"), std::string::npos) << warnings;
  EXPECT_EQ(steps(), "330 320 310 300 ");
  // As the next process.
  const auto again = std::make_shared<ThreadRanks>(count);
  expect_no_errors(again->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(open(), of_rank(*again, rank));
    EXPECT_EQ(load(checkpoint, rank, std::nullopt), 330);
    EXPECT_FALSE(save(checkpoint, rank, 340).rolled_back);
    EXPECT_EQ(load(checkpoint, rank, 310), 310);
    EXPECT_EQ(save(checkpoint, rank, 315).generation, 2);
  }));
  EXPECT_EQ(steps(), "315 310 300 | 340 330 320 ");
}

// A new run in an old storage that keeps one checkpoint: its first save replaces the old run.
TEST_P(RanksRollBack, ANewRunThatKeepsOneKeepsItsOwn) {
  const Warnings silent;
  for (const std::vector<int>& steps_of_run : {std::vector<int>{300, 600}, std::vector<int>{10, 20}}) {
    const auto ranks = std::make_shared<ThreadRanks>(count);
    expect_no_errors(ranks->run([&](std::int64_t rank) {
      state::CheckpointOptions options = of_rank(*ranks, rank);
      options.keep_last = 1;
      state::Checkpoint checkpoint(open(), options);
      for (const int step : steps_of_run) EXPECT_EQ(save(checkpoint, rank, step).rolled_back, step == 10) << rank;
    }));
  }
  EXPECT_EQ(steps(), "20 ");
}

// All ranks fall back to the parent when the first new checkpoint is damaged, and rank 0 removes the abandoned ones.
TEST_P(RanksRollBack, DamageOfTheFirstNewOneFallsBackToItsParentOnAllRanks) {
  const Warnings silent;
  const auto ranks = std::make_shared<ThreadRanks>(count);
  std::string name;
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(open(), of_rank(*ranks, rank));
    for (const int step : {300, 400, 600}) save(checkpoint, rank, step);
    EXPECT_EQ(load(checkpoint, rank, 300), 300);
    const state::SaveResult first = save(checkpoint, rank, 310);
    if (rank == 0) name = first.name;
  }));
  const auto place = open();
  const std::vector<storage::Entry> files = place->list(name);
  const auto data = std::ranges::find_if(files, [](const storage::Entry& file) { return file.name.ends_with(".safetensors"); });
  ASSERT_NE(data, files.end());
  const std::string path = base::cat(name, '/', data->name);
  std::string bytes = read_file(*place, path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  replace_file(*place, path, bytes);
  const auto again = std::make_shared<ThreadRanks>(count);
  expect_no_errors(again->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(open(), of_rank(*again, rank));
    EXPECT_EQ(load(checkpoint, rank, std::nullopt), 300) << rank;
    const base::Status status = status_of([&] { EXPECT_EQ(checkpoint.prune_abandoned(false, 10).size(), 2U); });
    EXPECT_EQ(status, rank == 0 ? base::Status::ok : base::Status::invalid_state);
  }));
  EXPECT_EQ(steps(), "310 300 ");
}

INSTANTIATE_TEST_SUITE_P(Everywhere, RanksRollBack, testing::Bool(),
                         [](const auto& objects) { return objects.param ? "Objects" : "Disk"; });

}  // namespace
