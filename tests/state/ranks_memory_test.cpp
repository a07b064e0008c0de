// The memory of rank 0 while many ranks save: its shard, 1 MiB for each 1,000 tensors, and 200 bytes per rank. A load needs more,
// on any rank: the records of the tensors to read, in addition to those of the checkpoint.
#include <gtest/gtest.h>

#include <cstdio>

#include "heap_counts.h"
#include "of_ranks.h"
#include "storage/memory.h"

using namespace ckpt;
using namespace ckpt::tests;

namespace {

// Each rank has one row of each tensor.
state::State rows_of_all(std::int64_t rank, std::int64_t ranks, std::int64_t tensors) {
  state::State state;
  const Lengths shape{ranks, 2};
  for (std::int64_t i = 0; i < tensors; ++i) {
    const std::string name = base::cat("layer.", i, ".weight");
    state.add_sharded("model", name, tensor::Dtype::f32, tensor::Shape(std::span(shape)));
    state.add_block("model", name, {rank, 0}, numbers({1, 2}, static_cast<float>(rank)));
  }
  return state;
}

constexpr std::int64_t shard_row_bytes = 8;

struct Most {
  std::int64_t first_save = 0;
  std::int64_t second_save = 0;
  std::int64_t load = 0;
};

Most of_rank_0(std::int64_t count, std::int64_t tensors) {
  const Scratch scratch;
  const auto ranks = std::make_shared<ThreadRanks>(count);
  Most max;
  expect_no_errors(ranks->run([&](std::int64_t rank) {
    state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank, 600 * second));
    state::State mine = rows_of_all(rank, count, tensors);
    const auto measured = [&](std::int64_t& result, auto&& call) {
      heap_bytes.max = heap_bytes.held;
      const std::int64_t before = heap_bytes.held;
      call();
      if (rank == 0) result = heap_bytes.max - before;
    };
    measured(max.first_save, [&] { checkpoint.save(mine, of_step(1)); });
    measured(max.second_save, [&] { checkpoint.save(mine, of_step(2)); });
    measured(max.load, [&] { checkpoint.load(mine, {}); });
  }));
  return max;
}

// A buffer of one MiB is always allocated, so only the growth is measured.
TEST(RanksMemory, OfRankZeroIsBounded) {
#ifdef CKPT_SANITIZED
  const std::int64_t few = 4;
  const std::int64_t many = 24;
#else
  const std::int64_t few = 10;
  const std::int64_t many = 330;
#endif
  const Most small = of_rank_0(few, 1000);
  const Most of_more_tensors = of_rank_0(few, 3000);
  const Most of_more_ranks = of_rank_0(many, 1000);
  struct Bound {
    const char* what;
    std::int64_t Most::*member;
    std::int64_t of_thousand;
    std::int64_t of_rank;
  };
  for (const auto& [what, member, max_of_thousand, max_of_rank] : {Bound{"first save", &Most::first_save, 1 << 20, 200},
                                                                   {"second save", &Most::second_save, 1 << 20, 200},
                                                                   {"load", &Most::load, 5 << 19, 400}}) {
    const std::int64_t of_thousand = (of_more_tensors.*member - small.*member) / 2 - 1000 * shard_row_bytes;
    const std::int64_t of_rank = (of_more_ranks.*member - small.*member) / (many - few);
    std::printf("rank 0, %s: %lld bytes; %lld for each 1,000 tensors, %lld for each rank\n", what,
                static_cast<long long>(small.*member), static_cast<long long>(of_thousand), static_cast<long long>(of_rank));
    EXPECT_LE(of_thousand, max_of_thousand) << what;
    EXPECT_LE(of_rank, max_of_rank) << what;
  }
}

}  // namespace
