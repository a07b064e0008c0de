// Background loads of many ranks: the calls agree on the checkpoint to load, then each rank reads alone. The ranks are threads
// here.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "async/manager.h"
#include "state/fixture.h"
#include "state/object_store.h"
#include "state/of_ranks.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

// Sets all tensors of state_of to zero.
void clear(const state::State& state) {
  for (const state::StateGroup& group : state.groups()) {
    for (const state::StateTensor& item : group.tensors) std::ranges::fill(item.tensor->byte_span(), std::byte{0});
    for (const state::ShardedTensor& item : group.sharded) {
      for (const auto& block : item.blocks) std::ranges::fill(block.tensor->byte_span(), std::byte{0});
    }
  }
}
std::vector<std::byte> bytes_in(const state::State& state) {
  std::vector<std::byte> all;
  const auto add = [&](const tensor::Tensor& tensor) {
    all.insert(all.end(), tensor.byte_span().begin(), tensor.byte_span().end());
  };
  for (const state::StateGroup& group : state.groups()) {
    for (const state::StateTensor& item : group.tensors) add(*item.tensor);
    for (const state::ShardedTensor& item : group.sharded) {
      for (const auto& block : item.blocks) add(*block.tensor);
    }
  }
  return all;
}

class RanksAsyncLoad : public testing::Test {
 protected:
  struct Rank {
    std::shared_ptr<async::AsyncManager> manager;
    std::shared_ptr<state::State> state;
  };
  Rank rank_of(const std::shared_ptr<ThreadRanks>& ranks, std::int64_t rank, std::int64_t timeout_ns = 60 * second) const {
    state::CheckpointOptions options = of_rank(*ranks, rank, timeout_ns);
    options.read_only = true;
    const auto checkpoint = std::make_shared<state::Checkpoint>(storage(), options);
    Rank one{std::make_shared<async::AsyncManager>(checkpoint, async::AsyncOptions{}),
             std::make_shared<state::State>(state_of(rank, ranks->ranks()))};
    clear(*one.state);
    return one;
  }
  virtual std::shared_ptr<storage::Storage> storage() const { return disk_at(scratch.path()); }
  std::string save(std::int64_t count, int step) const {
    const auto ranks = std::make_shared<ThreadRanks>(count);
    std::string name;
    expect_no_errors(ranks->run([&](std::int64_t rank) {
      state::Checkpoint checkpoint(storage(), of_rank(*ranks, rank));
      const auto saved = checkpoint.save(state_of(rank, count, static_cast<float>(step)), of_step(step));
      if (rank == 0) name = saved.name;
    }));
    return name;
  }

  const Scratch scratch;
};

TEST_F(RanksAsyncLoad, EachRankReadsTheAgreedCheckpoint) {
  save(3, 1);
  const std::string newest = save(3, 2);
  for (const std::int64_t count : {2, 3, 4}) {
    const auto ranks = std::make_shared<ThreadRanks>(count);
    expect_no_errors(ranks->run([&](std::int64_t rank) {
      const Rank here = rank_of(ranks, rank);
      const std::int64_t id = here.manager->load(here.state, {}, {});
      const std::int64_t before = ranks->operations();
      const async::TaskResult result = here.manager->wait(id, 60 * second);
      EXPECT_EQ(result.state, async::TaskState::completed) << result.error;
      EXPECT_EQ(ranks->operations(), before);
      EXPECT_EQ(result.loaded.name, newest);
      EXPECT_EQ(result.loaded.world_size, 3);
      EXPECT_TRUE(bytes_in(*here.state) == bytes_in(state_of(rank, count, 2)));
      EXPECT_EQ(here.state->json("epoch"), "3");
      if (count == 3) {
        EXPECT_EQ(here.state->json("data_position"), base::cat(100 + rank));
      } else {
        EXPECT_FALSE(here.state->values().contains("data_position"));
      }
      ranks->coordinator(rank)->barrier(std::chrono::seconds(60));
    }));
  }
}

// A rank that finds its part of the checkpoint damaged fails alone; the choice of the checkpoint was agreed before.
TEST_F(RanksAsyncLoad, DamageFailsTheTaskOfTheRankThatFindsIt) {
  save(3, 1);
  const std::string newest = save(3, 2);
  const auto disk = storage();
  std::string text = read_file(*disk, newest + "/model-rank00002-of-00003.safetensors");
  text.back() ^= 1;
  replace_file(*disk, newest + "/model-rank00002-of-00003.safetensors", text);
  const auto ranks = std::make_shared<ThreadRanks>(3);
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    const Rank here = rank_of(ranks, rank);
    const async::TaskResult result = here.manager->wait(here.manager->load(here.state, {}, {}), 60 * second);
    if (rank < 2) {
      EXPECT_EQ(result.state, async::TaskState::completed) << result.error;
      EXPECT_EQ(result.name, newest);
    } else {
      EXPECT_EQ(result.status, Status::corrupt);
      EXPECT_NE(result.error.find("model-rank00002-of-00003.safetensors"), std::string::npos) << result.error;
      const std::vector<std::byte> bytes = bytes_in(*here.state);
      EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; }));
    }
  }));
}

// A checkpoint that is detectably damaged without reading tensors is skipped by all ranks.
TEST_F(RanksAsyncLoad, ADamagedNewerCheckpointIsSkippedByAllRanks) {
  const std::string older = save(3, 1);
  const std::string newer = save(3, 2);
  storage()->remove(newer + "/rank00001-of-00003.json");
  Warnings warnings;
  const auto ranks = std::make_shared<ThreadRanks>(2);
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    const Rank here = rank_of(ranks, rank);
    const async::TaskResult result = here.manager->wait(here.manager->load(here.state, {}, {}), 60 * second);
    EXPECT_EQ(result.name, older) << result.error;
    EXPECT_EQ(result.loaded.skipped, 1);
    EXPECT_EQ(nlohmann::json::parse(here.state->load_report())["skipped"][0]["name"], newer);
  }));
}

TEST_F(RanksAsyncLoad, AnErrorOnOneRankIsRefusedOnAllRanks) {
  save(2, 1);
  const auto ranks = std::make_shared<ThreadRanks>(2);
  expect_errors(ranks->run([&](std::int64_t rank) {
    const Rank here = rank_of(ranks, rank);
    const auto lent = rank == 1 ? std::make_unique<state::StateLoan>(*here.state) : nullptr;
    here.manager->load(here.state, {}, {});
  }),
                Status::invalid_state, "rank 1: state is in use by a background load");
  state::LoadOptions options;
  expect_errors(ranks->run([&](std::int64_t rank) {
    const Rank here = rank_of(ranks, rank);
    state::LoadOptions unlike;
    unlike.partial = rank == 1;
    here.manager->load(here.state, unlike, {});
  }),
                Status::invalid_argument, "rank 1: partial is true on rank 1; false on rank 0");
  options.name = "step-7-none";
  expect_errors(ranks->run([&](std::int64_t rank) {
    const Rank here = rank_of(ranks, rank);
    here.manager->load(here.state, options, {});
  }),
                Status::not_found, "step-7-none");
}

TEST_F(RanksAsyncLoad, TheOthersTimeOutOnARankThatDoesNotCall) {
  save(2, 1);
  const auto ranks = std::make_shared<ThreadRanks>(3);
  const auto errors = ranks->run(
      [&](std::int64_t rank) {
        const Rank here = rank_of(ranks, rank, second / 20);
        here.manager->load(here.state, {}, {});
      },
      {1});
  EXPECT_EQ(errors[0].value().status(), Status::timeout);
  EXPECT_EQ(errors[2].value().status(), Status::timeout);
}

class RanksObjectsLoad : public RanksAsyncLoad {
 protected:
  std::shared_ptr<storage::Storage> storage() const override { return std::make_shared<BucketClient>(bucket); }
  std::shared_ptr<Bucket> bucket = std::make_shared<Bucket>();
};

TEST_F(RanksObjectsLoad, LoadsFromAnObjectStoreInBothWays) {
  const std::string newest = save(3, 5);
  for (const std::int64_t count : {2, 4}) {
    const auto ranks = std::make_shared<ThreadRanks>(count);
    expect_no_errors(ranks->run([&](std::int64_t rank) {
      const Rank here = rank_of(ranks, rank);
      const async::TaskResult result = here.manager->wait(here.manager->load(here.state, {}, {}), 60 * second);
      EXPECT_EQ(result.name, newest) << result.error;
      EXPECT_TRUE(bytes_in(*here.state) == bytes_in(state_of(rank, count, 5)));
      state::CheckpointOptions options = of_rank(*ranks, rank);
      options.read_only = true;
      clear(*here.state);
      EXPECT_EQ(state::Checkpoint(storage(), options).load(*here.state, {}).name, newest);
      EXPECT_TRUE(bytes_in(*here.state) == bytes_in(state_of(rank, count, 5)));
    }));
  }
  state::State whole;
  whole.add_tensor("model", "bias", numbers({5}, 0));
  whole.add_tensor("model", "weight", numbers({13, 4}, 0));
  whole.add_tensor("optimizer", "table", numbers({300, 400}, 0));
  state::CheckpointOptions alone;
  alone.read_only = true;
  state::Checkpoint(storage(), alone).load(whole, {});
  EXPECT_TRUE(bytes_in(whole) == bytes_in(state_of(0, 1, 5).assembled()));
}

}  // namespace
