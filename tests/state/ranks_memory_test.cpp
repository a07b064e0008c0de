// What rank 0 holds in memory while many ranks save and load: its shard, 1 MiB for each 1,000 tensors, and 200 bytes a rank.
#include <gtest/gtest.h>

#include <cstdio>

#include "heap_bytes.h"
#include "of_ranks.h"
#include "storage/memory.h"

using namespace ckpt;
using namespace ckpt::tests;

namespace {

constexpr std::int64_t tensor_count = 1000;

// Each rank has one row of each tensor.
state::State rows_of_all(std::int64_t rank, std::int64_t ranks) {
  state::State state;
  const Lengths shape{ranks, 2};
  for (std::int64_t i = 0; i < tensor_count; ++i) {
    const std::string name = base::cat("layer.", i, ".weight");
    state.add_sharded("model", name, tensor::Dtype::f32, tensor::Shape(std::span(shape)));
    state.add_block("model", name, {rank, 0}, numbers({1, 2}, static_cast<float>(rank)));
  }
  return state;
}

constexpr std::int64_t shard_bytes = tensor_count * 8;

struct Most {
  std::int64_t first_save = 0;
  std::int64_t second_save = 0;
  std::int64_t load = 0;
};

Most of_rank_0(std::int64_t count) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(count);
  Most most;
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank, 600 * second));
    state::State mine = rows_of_all(rank, count);
    const auto measured = [&](std::int64_t& result, auto&& call) {
      heap_bytes.most = heap_bytes.held;
      const std::int64_t before = heap_bytes.held;
      call();
      if (rank == 0) result = heap_bytes.most - before;
    };
    measured(most.first_save, [&] { checkpoint.save(mine, of_step(1)); });
    measured(most.second_save, [&] { checkpoint.save(mine, of_step(2)); });
    measured(most.load, [&] { checkpoint.load(mine, {}); });
  }));
  return most;
}

// What grows with the ranks is the difference of two runs, what does not is the smaller one's.
TEST(RanksMemory, OfRankZeroIsBound) {
#ifdef CKPT_SANITIZED
  const std::int64_t few = 4;
  const std::int64_t many = 24;
#else
  const std::int64_t few = 10;
  const std::int64_t many = 200;
#endif
  const Most of_few = of_rank_0(few);
  const Most of_many = of_rank_0(many);
  for (const auto& [what, at_few, at_many] : {std::tuple{"first save", of_few.first_save, of_many.first_save},
                                              {"second save", of_few.second_save, of_many.second_save},
                                              {"load", of_few.load, of_many.load}}) {
    std::printf("rank 0, %s: %lld bytes of %lld ranks, %lld of %lld\n", what, static_cast<long long>(at_few), static_cast<long long>(few),
                static_cast<long long>(at_many), static_cast<long long>(many));
    EXPECT_LE(at_few, shard_bytes + (1 << 20) + 200 * few) << what;
    EXPECT_LE(at_many, shard_bytes + (1 << 20) + 200 * many) << what;
  }
}

}  // namespace
