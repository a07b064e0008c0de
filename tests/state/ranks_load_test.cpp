// What N ranks have saved, loaded by M ranks.
#include <gtest/gtest.h>

#include <cmath>

#include "base/json_tree.h"
#include "counted_storage.h"
#include "fixture.h"
#include "rank_states.h"
#include "state/ranks/placement_text.h"
#include "storage/file_system.h"
#include "thread_ranks.h"

namespace {

using ckpt::base::Status;
using ckpt::tensor::Dtype;
using ckpt::tensor::Tensor;
using namespace ckpt::state;
using namespace ckpt::tests;
namespace storage = ckpt::storage;

constexpr std::int64_t long_enough_ns = 120'000'000'000;

// Every way of cutting, with rows and columns that no number of ranks divides.
std::vector<WholeTensor> all_kinds() {
  return {{"rows", Dtype::f32, {37, 5}, along(0)},
          {"columns", Dtype::f32, {6, 29}, along(1)},
          {"grid", Dtype::i64, {8, 10}, in_grid()},
          {"short", Dtype::f16, {3, 4}, along(0)},
          {"truth", Dtype::boolean, {5, 7}, along(1)},
          {"eighths", Dtype::f8_e4m3, {9}, along(0)},
          {"nibbles", Dtype::f4, {4, 10}, along(1, 2)},
          {"sixes", Dtype::f6_e2m3, {7, 8}, along(1, 4)},
          {"dealt", Dtype::i32, {11, 3}, dealt()},
          {"last", Dtype::bf16, {4, 2}, all_on_last()},
          {"middle", Dtype::c64, {3, 9, 2}, along(1)},
          {"empty_shards", Dtype::f32, {0, 3}, along(0)},
          {"replica", Dtype::f32, {33, 3}, {}},
          {"scalar", Dtype::f64, {}, {}},
          {"integers", Dtype::i64, {4}, {}},
          {"uneven_bits", Dtype::f4, {4, 3}, {}},
          {"empty", Dtype::u8, {0}, {}}};
}

class StateRanksLoad : public testing::Test {
 protected:
  // Of one rank; alone when ranks is 1.
  static CheckpointOptions options_of(const std::shared_ptr<ThreadRanks>& all, std::int64_t rank) {
    CheckpointOptions options;
    options.timeout_ns = long_enough_ns;
    if (all->ranks() > 1) options.coordinator = all->coordinator(rank);
    return options;
  }

  // What all ranks save together. Values: one that they have alike, and their own.
  SaveResult save(std::int64_t ranks, const std::vector<WholeTensor>& tensors, std::int64_t step = 1) {
    const auto all = std::make_shared<ThreadRanks>(ranks);
    SaveResult result;
    expect_no_errors(all->run([&](std::int64_t rank) {
      Checkpoint checkpoint(disk, options_of(all, rank));
      RankState here(tensors, rank, ranks);
      here.fill();
      here.state.set_json("alike", ckpt::base::cat(step));
      here.state.set_json("own", ckpt::base::cat(100 + rank));
      SaveOptions save_options;
      save_options.step = step;
      const SaveResult saved = checkpoint.save(here.state, save_options);
      if (rank == 0) result = saved;
    }));
    return result;
  }

  struct Loaded {
    std::unique_ptr<RankState> here;
    std::unique_ptr<CountedStorage> counts;
    LoadResult result;
  };
  // By all ranks; through a storage that counts when is_counted. absent: ranks that never come.
  std::vector<Loaded> load(std::int64_t ranks, const std::vector<WholeTensor>& tensors, const LoadOptions& options = {}) {
    std::vector<Loaded> loaded = states(ranks, tensors);
    expect_no_errors(load_into(loaded, options));
    return loaded;
  }

  std::vector<Loaded> states(std::int64_t ranks, const std::vector<WholeTensor>& tensors) const {
    std::vector<Loaded> all(static_cast<std::size_t>(ranks));
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      Loaded& one = all[static_cast<std::size_t>(rank)];
      one.here = std::make_unique<RankState>(tensors, rank, ranks);
      one.here->clear();
    }
    return all;
  }

  ThreadRanks::Errors load_into(std::vector<Loaded>& loaded, const LoadOptions& options,
                                const std::vector<std::int64_t>& absent = {}) {
    const auto all = std::make_shared<ThreadRanks>(std::ssize(loaded));
    return all->run(
        [&](std::int64_t rank) {
          Loaded& one = loaded[static_cast<std::size_t>(rank)];
          CheckpointOptions checkpoint_options = options_of(all, rank);
          checkpoint_options.read_only = true;
          if (!absent.empty()) checkpoint_options.timeout_ns = 50'000'000;
          auto counted = std::make_shared<CountedStorage>(disk);
          Checkpoint checkpoint(counted, checkpoint_options);
          try {
            one.result = checkpoint.load(one.here->state, options);
          } catch (...) {
            one.counts = counted->take();
            throw;
          }
          one.counts = counted->take();
        },
        absent);
  }

  std::shared_ptr<storage::Storage> disk = storage::make_memory_storage();
};

}  // namespace
