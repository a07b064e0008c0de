// Checkpoints saved by N ranks, loaded by M ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "counted_storage.h"
#include "fixture.h"
#include "rank_states.h"
#include "state/manager/group_tree.h"
#include "state/manifest_text.h"
#include "state/rank_names.h"
#include "state/tree.h"
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

// Tensors split in every way, with numbers of rows and columns that no number of ranks divides.
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
  // Returns the options of one rank; without a coordinator if ranks is 1.
  static CheckpointOptions options_of(const std::shared_ptr<ThreadRanks>& all, std::int64_t rank) {
    CheckpointOptions options;
    options.timeout_ns = long_enough_ns;
    if (all->ranks() > 1) options.coordinator = all->coordinator(rank);
    return options;
  }

  // A save by all ranks. Values: one that is equal on all ranks, and one for each rank.
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
    CountedStorage::Counts counts = {};
    LoadResult result;
  };
  // A load by all ranks; through a counting storage if is_counted. absent: ranks that never call.
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

LoadOptions named(const std::string& name) {
  LoadOptions options;
  options.name = name;
  return options;
}

nlohmann::json report_of(const State& state) { return nlohmann::json::parse(state.load_report()); }

TEST_F(StateRanksLoad, EveryNumberOfRanksLoadsFromEveryOtherNumber) {
  for (std::int64_t saved_by = 1; saved_by <= 4; ++saved_by) {
    disk = storage::make_memory_storage();
    const SaveResult saved = save(saved_by, all_kinds());
    for (std::int64_t loaded_by = 1; loaded_by <= 4; ++loaded_by) {
      SCOPED_TRACE(ckpt::base::cat(saved_by, " -> ", loaded_by));
      for (const bool in_place : {false, true}) {
        LoadOptions options;
        options.in_place = in_place;
        const auto loaded = load(loaded_by, all_kinds(), options);
        for (const Loaded& one : loaded) {
          EXPECT_TRUE(one.here->is_filled());
          EXPECT_EQ(one.result.name, saved.name);
          EXPECT_EQ(one.result.step, 1);
          EXPECT_EQ(one.result.world_size, saved_by);
          EXPECT_EQ(one.result.commit_sequence, saved.commit_sequence);
          EXPECT_EQ(one.result.bytes, saved.bytes);
          EXPECT_EQ(one.result.skipped, 0);
        }
      }
    }
  }
}

// Blocks split along one axis are loaded into blocks split along the other one.
TEST_F(StateRanksLoad, TensorsAreResharded) {
  const auto cut = [](const Blocks& rows, const Blocks& columns, const Blocks& none) {
    return std::vector<WholeTensor>{{"to_columns", Dtype::f32, {12, 10}, rows},
                                    {"to_rows", Dtype::f32, {13, 7}, columns},
                                    {"to_whole", Dtype::i16, {5, 9}, columns},
                                    {"from_whole", Dtype::i16, {9, 5}, none},
                                    {"to_dealt", Dtype::f8_e5m2, {9, 5}, columns}};
  };
  const auto before = cut(along(0), along(1), {});
  auto after = cut(along(1), along(0), along(1));
  after[2].blocks = {};
  after[4].blocks = dealt();
  for (const std::int64_t saved_by : {1, 2, 4}) {
    disk = storage::make_memory_storage();
    save(saved_by, before);
    for (const std::int64_t loaded_by : {1, 3, 4}) {
      SCOPED_TRACE(ckpt::base::cat(saved_by, " -> ", loaded_by));
      for (const Loaded& one : load(loaded_by, after)) EXPECT_TRUE(one.here->is_filled());
    }
  }
}

TEST_F(StateRanksLoad, ValuesOfRanksNeedTheSameNumberOfRanks) {
  save(3, all_kinds());
  const auto same = load(3, all_kinds());
  for (std::size_t rank = 0; rank < same.size(); ++rank) {
    EXPECT_EQ(same[rank].here->state.json("alike"), "1");
    EXPECT_EQ(same[rank].here->state.json("own"), ckpt::base::cat(100 + rank));
    EXPECT_FALSE(report_of(same[rank].here->state).contains("by_rank"));
  }
  for (const std::int64_t ranks : {1, 2, 4}) {
    for (const Loaded& one : load(ranks, all_kinds())) {
      EXPECT_EQ(one.here->state.json("alike"), "1");
      EXPECT_FALSE(one.here->state.values().contains("own"));
      EXPECT_EQ(report_of(one.here->state)["by_rank"], nlohmann::json({"own"}));
    }
  }
}

// ---- Bytes read ----

// Large enough that the bytes of the parts and of the files' headers are negligible.
std::vector<WholeTensor> large(const Blocks& blocks) {
  return {{"large", Dtype::f32, {1536, 2048}, blocks}};  // 12 MiB
}

TEST_F(StateRanksLoad, RowsAreReadByThoseThatNeedThem) {
  for (const auto& [saved_by, loaded_by] : {std::pair(4, 3), std::pair(2, 4), std::pair(3, 2)}) {
    SCOPED_TRACE(ckpt::base::cat(saved_by, " -> ", loaded_by));
    disk = storage::make_memory_storage();
    save(saved_by, large(along(0)));
    for (const bool is_checked : {true, false}) {
      LoadOptions options;
      options.verify = is_checked ? Verify::full : Verify::none;
      for (const Loaded& one : load(loaded_by, large(along(0)), options)) {
        EXPECT_TRUE(one.here->is_filled());
        std::int64_t files = 0;
        for (const auto& [name, times] : one.counts.opened) files += name.ends_with(".safetensors") ? times : 0;
        const std::int64_t max = one.here->bytes() * 11 / 10 + (is_checked ? 2 * shard_chunk_bytes * files : 0);
        EXPECT_LE(one.counts.bytes, max);
        EXPECT_GE(one.counts.tensor_bytes, one.here->bytes());
      }
    }
  }
}

TEST_F(StateRanksLoad, ColumnsAreReadOnceByAllTogether) {
  for (const auto& [saved_by, loaded_by] : {std::pair(4, 3), std::pair(2, 4), std::pair(3, 2)}) {
    SCOPED_TRACE(ckpt::base::cat(saved_by, " -> ", loaded_by));
    disk = storage::make_memory_storage();
    const SaveResult saved = save(saved_by, large(along(1)));
    std::int64_t all = 0;
    std::int64_t max = 0;
    for (const Loaded& one : load(loaded_by, large(along(1)))) {
      EXPECT_TRUE(one.here->is_filled());
      all += one.counts.bytes;
      max = std::max(max, one.counts.bytes);
    }
    EXPECT_LE(all, saved.bytes * 11 / 10);
    EXPECT_LE(max, saved.bytes / loaded_by + 2 * shard_chunk_bytes);  // in complete chunks
  }
}

TEST_F(StateRanksLoad, ReplicatedTensorsAreReadOnce) {
  const SaveResult saved = save(2, large({}));
  std::int64_t all = 0;
  const auto loaded = load(4, large({}));
  for (const Loaded& one : loaded) {
    EXPECT_TRUE(one.here->is_filled());
    all += one.counts.bytes;
    EXPECT_LE(one.counts.bytes, saved.bytes / 4 + 2 * shard_chunk_bytes);
  }
  EXPECT_LE(all, saved.bytes * 11 / 10);
}

// Digests of a single process's files cover larger chunks: a rank that needs a small part of one does not read it by itself.
TEST_F(StateRanksLoad, LargeChunksOfOneProcessAreReadOnce) {
  const SaveResult saved = save(1, large({}));
  for (const bool is_checked : {true, false}) {
    LoadOptions options;
    options.verify = is_checked ? Verify::full : Verify::none;
    std::int64_t all = 0;
    for (const Loaded& one : load(4, large(along(0)), options)) {
      EXPECT_TRUE(one.here->is_filled());
      all += one.counts.bytes;
    }
    EXPECT_LE(all, saved.bytes * 11 / 10);
  }
}

// A single process reads each byte once, also into strided blocks.
TEST_F(StateRanksLoad, OneProcessReadsEachByteOnce) {
  const SaveResult saved = save(4, large(along(1)));
  EXPECT_LE(load(1, large(along(1)))[0].counts.bytes, saved.bytes * 11 / 10);
  const auto two_columns = [](const Lengths& shape, std::int64_t, std::int64_t) {
    Box left = whole_box(shape);
    left.lengths[1] = 700;
    Box right = whole_box(shape);
    right.offsets[1] = 700;
    right.lengths[1] -= 700;
    return std::vector{left, right};
  };
  const auto loaded = load(1, large(two_columns));
  EXPECT_TRUE(loaded[0].here->is_filled());
  EXPECT_LE(loaded[0].counts.bytes, saved.bytes * 11 / 10);
}

TEST_F(StateRanksLoad, OnlyRankZeroSearchesForTheCheckpoint) {
  save(2, all_kinds(), 1);
  save(2, all_kinds(), 2);
  const auto loaded = load(3, all_kinds());
  EXPECT_EQ(loaded[0].counts.opened.count("manifest.json"), 1U);
  EXPECT_GE(loaded[0].counts.lists, 1);
  for (const std::size_t rank : {1U, 2U}) {
    EXPECT_EQ(loaded[rank].counts.opened.count("manifest.json"), 0U);
    EXPECT_EQ(loaded[rank].counts.lists, 0);
    EXPECT_EQ(loaded[rank].result.step, 2);
  }
}

// The number of operations does not depend on the number of tensors and ranks, except for what the exchange sends.
TEST_F(StateRanksLoad, ALoadTakesFewOperations) {
  for (const std::int64_t ranks : {2, 4}) {
    for (const bool is_small : {true, false}) {
      std::vector<WholeTensor> tensors = all_kinds();
      if (is_small) tensors = {{"rows", Dtype::f32, {8, 2}, along(0)}};
      disk = storage::make_memory_storage();
      save(2, tensors);
      const auto all = std::make_shared<ThreadRanks>(ranks);
      expect_no_errors(all->run([&](std::int64_t rank) {
        CheckpointOptions options = options_of(all, rank);
        options.read_only = true;
        Checkpoint checkpoint(disk, options);
        RankState here(tensors, rank, ranks);
        checkpoint.load(here.state, {});
      }));
      EXPECT_EQ(all->operations(), 19 + (is_small ? 0 : 1));  // 2 of them for creating the managers
    }
  }
}

// A rank that needs nothing from a part does not read it.
TEST_F(StateRanksLoad, PartsAreReadByThoseThatNeedThem) {
  save(4, large(along(0)));
  const auto loaded = load(2, large(along(0)));
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    for (std::int64_t part = 0; part < 4; ++part)
      EXPECT_EQ(loaded[static_cast<std::size_t>(rank)].counts.opened.count(part_name(part, 4)), part / 2 == rank ? 1U : 0U)
          << rank << ' ' << part;
  }
}

TEST_F(StateRanksLoad, CachedFilesAreCheckedThenReadAgain) {
  save(3, all_kinds());
  const auto cached = std::make_shared<CountedStorage>(disk, true);
  CheckpointOptions options;
  options.read_only = true;
  Checkpoint checkpoint(cached, options);
  RankState here(all_kinds(), 0, 1);
  checkpoint.load(here.clear().state, {});
  EXPECT_TRUE(here.is_filled());
  const std::int64_t twice = cached->take().tensor_bytes;
  LoadOptions in_place;
  in_place.in_place = true;
  checkpoint.load(here.clear().state, in_place);
  EXPECT_TRUE(here.is_filled());
  EXPECT_GT(twice, cached->take().tensor_bytes * 3 / 2);
}

// ---- Damage ----

class StateRanksDamage : public StateRanksLoad {
 protected:
  void SetUp() override {
    older = save(3, all_kinds(), 1).name;
    newer = save(3, all_kinds(), 2).name;
  }
  // Changes one byte of a file.
  void damage(const std::string& path, std::size_t from_end) {
    std::string text = read_file(*disk, path);
    text[text.size() - from_end] ^= 1;
    replace_file(*disk, path, text);
  }
  // All ranks load the older one, and report the same problem of the newer one.
  void expect_older(const std::string& problem) {
    for (const std::int64_t ranks : {1, 2, 3}) {
      SCOPED_TRACE(ranks);
      const auto loaded = load(ranks, all_kinds());
      for (const Loaded& one : loaded) {
        EXPECT_TRUE(one.here->is_filled());
        EXPECT_EQ(one.result.name, older);
        EXPECT_EQ(one.result.skipped, 1);
        const auto skipped = report_of(one.here->state)["skipped"];
        ASSERT_EQ(skipped.size(), 1U);
        EXPECT_EQ(skipped, report_of(loaded[0].here->state)["skipped"]);
        EXPECT_EQ(skipped[0]["name"], newer);
        EXPECT_EQ(skipped[0]["status"], "CORRUPT");
        EXPECT_NE(skipped[0]["problem"].get<std::string>().find(problem), std::string::npos) << skipped;
        if (ranks > 1) {
          EXPECT_NE(skipped[0]["problem"].get<std::string>().find("rank "), std::string::npos) << skipped;
        }
      }
    }
  }

  std::string older;
  std::string newer;
};

TEST_F(StateRanksDamage, ATensorsBytes) {
  damage(newer + "/model-rank00001-of-00003.safetensors", 1);
  Warnings warnings;
  expect_older("checksum");
  EXPECT_TRUE(warnings.mention(newer));
}

TEST_F(StateRanksDamage, AFilesHeader) {
  const std::string path = newer + "/model-rank00002-of-00003.safetensors";
  std::string text = read_file(*disk, path);
  text[0] ^= 1;
  replace_file(*disk, path, text);
  Warnings warnings;
  expect_older("model-rank00002-of-00003.safetensors");
}

TEST_F(StateRanksDamage, APart) {
  damage(newer + "/rank00001-of-00003.json", 200);
  Warnings warnings;
  expect_older("rank00001-of-00003.json");
}

TEST_F(StateRanksDamage, AMissingFile) {
  disk->remove(newer + "/model-rank00001-of-00003.safetensors");
  Warnings warnings;
  expect_older("model-rank00001-of-00003.safetensors");
}

TEST_F(StateRanksDamage, ADamagedNamedCheckpointFailsOnEveryRank) {
  damage(newer + "/model-rank00001-of-00003.safetensors", 1);
  auto loaded = states(3, all_kinds());
  expect_errors(load_into(loaded, named(newer)), Status::corrupt, "model-rank00001-of-00003.safetensors");
  for (const Loaded& one : loaded) EXPECT_TRUE(one.here->is_clear());
  expect_errors(load_into(loaded, named("step-9-none")), Status::not_found, "step-9-none");
}

TEST_F(StateRanksDamage, NoUsableCheckpoint) {
  damage(newer + "/model-rank00001-of-00003.safetensors", 1);
  damage(older + "/model-rank00000-of-00003.safetensors", 1);
  auto loaded = states(2, all_kinds());
  expect_errors(load_into(loaded, {}), Status::corrupt, newer);
  for (const Loaded& one : loaded) EXPECT_TRUE(one.here->is_clear());
  disk = storage::make_memory_storage();
  expect_errors(load_into(loaded, {}), Status::not_found, "contains no checkpoint");
}

// The manifest contains the digest of a part, so a part that contradicts the manifest was written incorrectly.
TEST_F(StateRanksDamage, AManifestWithBlocksMissingFromAPart) {
  const std::string path = newer + "/manifest.json";
  Manifest manifest = parse_manifest(read_file(*disk, path));
  const auto tensor = std::ranges::find(manifest.groups[0].tensors, "rows", &TensorRecord::name);
  tensor->placement =
      std::make_shared<Placement>(tensor->shape, std::vector<Placement::Block>{{{{0, 0}, {20, 5}}, 0}, {{{20, 0}, {17, 5}}, 1}});
  replace_file(*disk, path, to_text(manifest));
  Warnings warnings;
  expect_older("block [0:20, 0:5] of tensor 'rows' of group 'model' is missing in the part of rank 0");
}

TEST_F(StateRanksDamage, AManifestWithAGapInATensor) {
  const std::string path = newer + "/manifest.json";
  const Manifest manifest = parse_manifest(read_file(*disk, path));
  const auto with_blocks = [&](std::vector<Placement::Block> blocks) {
    Manifest changed = manifest;
    const auto tensor = std::ranges::find(changed.groups[0].tensors, "rows", &TensorRecord::name);
    tensor->placement = std::make_shared<Placement>(tensor->shape, std::move(blocks));
    replace_file(*disk, path, to_text(changed));
  };
  const auto problem = [&] {
    auto loaded = states(2, all_kinds());
    const auto errors = load_into(loaded, named(newer));
    expect_errors(errors, Status::corrupt, "manifest.json");
    return errors[1] ? errors[1]->message() : "";
  };
  with_blocks({{{{0, 0}, {13, 5}}, 0}, {{{13, 0}, {13, 5}}, 1}});
  EXPECT_NE(problem().find("does not cover [26:37, 0:5] of 'rows'"), std::string::npos) << problem();
  with_blocks({{{{0, 0}, {13, 5}}, 0}, {{{12, 0}, {14, 5}}, 1}, {{{26, 0}, {11, 5}}, 2}});
  EXPECT_NE(problem().find("covers more than once [12:13, 0:5] of 'rows'"), std::string::npos) << problem();
}

// ---- Mismatches ----

TEST_F(StateRanksLoad, AnotherShapeIsNamedOnEveryRank) {
  save(2, {{"weight", Dtype::f32, {6, 4}, along(0)}, {"bias", Dtype::f32, {6}, {}}});
  auto loaded = states(3, {{"weight", Dtype::f32, {6, 5}, along(0)}, {"bias", Dtype::f32, {6}, {}}});
  expect_errors(load_into(loaded, {}), Status::invalid_argument,
                "tensor 'weight' of group 'model' is F32 [6, 5] here; the checkpoint has F32 [6, 4]");
  loaded = states(3, {{"weight", Dtype::i32, {6, 4}, along(0)}, {"bias", Dtype::f32, {6}, {}}});
  expect_errors(load_into(loaded, {}), Status::invalid_argument, "rank 0: tensor 'weight' of group 'model' is I32 [6, 4] here");
  loaded = states(3, {{"weight", Dtype::f32, {6, 4}, along(0)}});
  expect_errors(load_into(loaded, {}), Status::invalid_argument, "tensor 'bias' of group 'model' is in the checkpoint but not");
  loaded =
      states(3, {{"weight", Dtype::f32, {6, 4}, along(0)}, {"bias", Dtype::f32, {6}, {}}, {"more", Dtype::f32, {6}, along(0)}});
  expect_errors(load_into(loaded, {}), Status::invalid_argument, "tensor 'more' of group 'model' of the state is not in the");
  for (const Loaded& one : loaded) EXPECT_TRUE(one.here->is_clear());
}

TEST_F(StateRanksLoad, RanksWithDifferentStatesOrOptionsAreNamed) {
  const std::vector<WholeTensor> tensors = {{"weight", Dtype::f32, {6, 4}, along(0)}, {"bias", Dtype::f32, {6}, {}}};
  save(2, tensors);
  auto loaded = states(3, tensors);
  loaded[2].here = std::make_unique<RankState>(
      std::vector<WholeTensor>{{"weight", Dtype::f32, {6, 4}, along(0)}, {"bias", Dtype::f32, {7}, {}}}, 2, 3);
  expect_errors(load_into(loaded, {}), Status::invalid_argument,
                R"(rank 2: tensor "bias" of group "model" is F32 [7] on rank 2; F32 [6] on rank 0)");
  loaded[2].here = std::make_unique<RankState>(
      std::vector<WholeTensor>{{"weight", Dtype::f32, {6, 4}, along(0)}, {"bias", Dtype::f32, {6}, along(0)}}, 2, 3);
  expect_errors(load_into(loaded, {}), Status::invalid_argument, "in blocks on rank 2");
  const auto all = std::make_shared<ThreadRanks>(2);
  const auto errors = all->run([&](std::int64_t rank) {
    CheckpointOptions options = options_of(all, rank);
    options.read_only = true;
    Checkpoint checkpoint(disk, options);
    RankState here(tensors, rank, 2);
    LoadOptions load_options;
    load_options.step = rank;
    checkpoint.load(here.state, load_options);
  });
  expect_errors(errors, Status::invalid_argument, "rank 1: step is 1 on rank 1; 0 on rank 0");
}

// An error found by only one rank fails the load on all ranks.
TEST_F(StateRanksLoad, AnErrorOfOneRankFailsAllRanks) {
  const std::vector<WholeTensor> tensors = {{"weight", Dtype::f32, {6, 4}, along(0)}};
  save(2, tensors);
  for (const std::int64_t failing : {0, 2}) {
    const auto all = std::make_shared<ThreadRanks>(3);
    const auto errors = all->run([&](std::int64_t rank) {
      CheckpointOptions options = options_of(all, rank);
      options.read_only = true;
      Checkpoint checkpoint(disk, options);
      RankState here(tensors, rank, 3);
      here.clear();
      LoadOptions load_options;
      load_options.rename = [&](const std::string&, const std::string& name) {
        if (rank == failing) ckpt::base::fail(Status::callback, "no name for ", name);
        return name;
      };
      try {
        checkpoint.load(here.state, load_options);
      } catch (...) {
        EXPECT_TRUE(here.is_clear());
        throw;
      }
    });
    expect_errors(errors, Status::callback, ckpt::base::cat("rank ", failing, ": no name for weight"));
  }
}

TEST_F(StateRanksLoad, DifferentRenamesOnRanksAreRefused) {
  save(2, {{"a", Dtype::f32, {6}, {}}, {"b", Dtype::f32, {6}, {}}});
  const auto all = std::make_shared<ThreadRanks>(2);
  const auto errors = all->run([&](std::int64_t rank) {
    CheckpointOptions options = options_of(all, rank);
    options.read_only = true;
    Checkpoint checkpoint(disk, options);
    RankState here({{"a", Dtype::f32, {6}, {}}}, rank, 2);
    LoadOptions load_options;
    load_options.partial = true;
    load_options.rename = [&](const std::string&, const std::string& name) -> std::string {
      return rank == 0 ? name : name == "a" ? "b" : "a";
    };
    checkpoint.load(here.state, load_options);
  });
  expect_errors(errors, Status::invalid_argument, "rename returns different names on rank 1 and on rank 0");
}

TEST_F(StateRanksLoad, TheOthersTimeOutOnAMissingRank) {
  save(3, all_kinds());
  for (const std::int64_t absent : {0, 2}) {
    auto loaded = states(3, all_kinds());
    const auto errors = load_into(loaded, {}, {absent});
    for (std::int64_t rank = 0; rank < 3; ++rank) {
      const auto& error = errors[static_cast<std::size_t>(rank)];
      ASSERT_EQ(error.has_value(), rank != absent);
      if (rank == absent) continue;
      EXPECT_EQ(error->status(), Status::timeout);
      EXPECT_NE(error->message().find("a rank did not arrive within 50000000 ns"), std::string::npos) << error->message();
      EXPECT_TRUE(loaded[static_cast<std::size_t>(rank)].here->is_clear());
    }
  }
}

// ---- Options ----

TEST_F(StateRanksLoad, PartialLoadsReportTheSameOnEveryRank) {
  save(3, {{"kept", Dtype::f32, {8, 3}, along(1)}, {"dropped", Dtype::f32, {4}, {}}});
  LoadOptions options;
  options.partial = true;
  for (const std::int64_t ranks : {1, 2, 4}) {
    for (const Loaded& one : load(ranks, {{"kept", Dtype::f32, {8, 3}, along(1)}}, options)) {
      EXPECT_TRUE(one.here->is_filled());
      EXPECT_EQ(one.result.unexpected, 1);
      EXPECT_EQ(report_of(one.here->state)["unexpected"][0]["name"], "dropped");
    }
    auto more = states(ranks, {{"kept", Dtype::f32, {8, 3}, along(1)}, {"new", Dtype::f32, {9}, along(0)}});
    expect_no_errors(load_into(more, options));
    for (const Loaded& one : more) {
      EXPECT_EQ(one.result.missing, 1);
      EXPECT_EQ(report_of(one.here->state)["missing"][0]["name"], "new");
      for (const ShardedTensor::Block& block : one.here->state.groups()[0].sharded[1].blocks)
        EXPECT_TRUE(std::ranges::all_of(block.tensor->byte_span(), [](std::byte byte) { return byte == std::byte{0xEE}; }));
    }
  }
}

TEST_F(StateRanksLoad, PrefixesAreRemoved) {
  save(2, {{"module.weight", Dtype::f32, {8, 3}, along(0)}});
  LoadOptions options;
  options.strip_prefix = "module.";
  for (const Loaded& one : load(3, {{"weight", Dtype::f32, {8, 3}, along(1)}}, options)) {
    const auto& block = one.here->state.groups()[0].sharded[0].blocks[0];
    EXPECT_TRUE(std::ranges::equal(bytes_of({"module.weight", Dtype::f32, {8, 3}, {}}, block.box), block.tensor->byte_span()));
  }
}

class StateRanksConversion : public StateRanksLoad {
 protected:
  static float element(std::int64_t row, std::int64_t column) { return static_cast<float>(row * 7 + column) / 4; }
  // A tensor of 9 x 7, saved by three ranks by columns, and a replicated one.
  void save_floats(float first) {
    const auto all = std::make_shared<ThreadRanks>(3);
    expect_no_errors(all->run([&](std::int64_t rank) {
      Checkpoint checkpoint(disk, options_of(all, rank));
      State state;
      add(state, "cut", rank, 3, 1, Dtype::f32);
      const auto whole = Tensor::create(Dtype::f32, {3});
      whole->data_as<float>()[0] = whole->data_as<float>()[1] = 1.5F;
      whole->data_as<float>()[2] = first;
      state.add_tensor("model", "whole", whole);
      const auto& block = state.groups()[0].sharded[0].blocks[0];
      for (std::int64_t i = 0; i < block.box.elements(); ++i) {
        const std::int64_t columns = block.box.lengths[1];
        block.tensor->data_as<float>()[i] = element(i / columns, block.box.offsets[1] + i % columns);
      }
      checkpoint.save(state, {});
    }));
  }
  static void add(State& state, const std::string& name, std::int64_t rank, std::int64_t ranks, std::size_t axis, Dtype dtype) {
    state.add_sharded("model", name, dtype, {9, 7});
    for (const Box& box : along(axis)({9, 7}, rank, ranks))
      state.add_block("model", name, box.offsets, Tensor::create(dtype, ckpt::tensor::Shape(std::span(box.lengths))));
  }
};

TEST_F(StateRanksConversion, ElementsAreConvertedToTheTypeOfTheBlocks) {
  save_floats(0.25F);
  for (const std::int64_t ranks : {1, 2, 3}) {
    for (const std::size_t axis : {0U, 1U}) {
      const auto all = std::make_shared<ThreadRanks>(ranks);
      expect_no_errors(all->run([&](std::int64_t rank) {
        Checkpoint checkpoint(disk, options_of(all, rank));
        State state;
        add(state, "cut", rank, ranks, axis, Dtype::f64);
        const auto whole = Tensor::create(Dtype::f64, {3});
        state.add_tensor("model", "whole", whole);
        LoadOptions options;
        options.convert = Conversion::lossless;
        checkpoint.load(state, options);
        EXPECT_EQ(whole->data_as<double>()[2], 0.25);
        const auto& block = state.groups()[0].sharded[0].blocks[0];
        for (std::int64_t i = 0; i < block.box.elements(); ++i) {
          const std::int64_t columns = block.box.lengths[1];
          EXPECT_EQ(block.tensor->data_as<double>()[i],
                    element(block.box.offsets[0] + i / columns, block.box.offsets[1] + i % columns));
        }
      }));
    }
  }
}

TEST_F(StateRanksConversion, ValuesOutOfRangeAreNamedOnEveryRank) {
  save_floats(1e30F);
  for (const std::int64_t ranks : {1, 3}) {
    const auto all = std::make_shared<ThreadRanks>(ranks);
    const auto errors = all->run([&](std::int64_t rank) {
      Checkpoint checkpoint(disk, options_of(all, rank));
      State state;
      add(state, "cut", rank, ranks, 0, Dtype::f16);
      const auto whole = Tensor::create(Dtype::f16, {3});
      std::ranges::fill(whole->byte_span(), std::byte{0});
      state.add_tensor("model", "whole", whole);
      LoadOptions options;
      options.convert = Conversion::lossy;
      try {
        checkpoint.load(state, options);
      } catch (...) {
        EXPECT_EQ(whole->data_as<std::uint16_t>()[0], 0);
        throw;
      }
    });
    expect_errors(errors, Status::out_of_range, "tensor 'whole': element 2 of type F32 cannot be represented as F16");
  }
}

// ---- One process and many ----

TEST_F(StateRanksLoad, WholeTensorsOfOneProcessAreLoadedIntoBlocks) {
  auto whole = all_kinds();
  for (WholeTensor& tensor : whole) tensor.blocks = {};
  save(1, whole);
  for (const std::int64_t ranks : {1, 2, 4}) {
    for (const Loaded& one : load(ranks, all_kinds())) {
      EXPECT_TRUE(one.here->is_filled());
      EXPECT_EQ(one.result.world_size, 1);
    }
  }
}

TEST_F(StateRanksLoad, FilesOnDiskAreReadByEveryNumberOfRanks) {
  const Scratch scratch;
  disk = storage::open_file_system(scratch.path(), storage::Root::make);
  save(4, large(along(1)));
  for (const std::int64_t ranks : {1, 3}) {
    const auto all = std::make_shared<ThreadRanks>(ranks);
    expect_no_errors(all->run([&](std::int64_t rank) {
      CheckpointOptions options = options_of(all, rank);
      options.read_only = true;
      Checkpoint checkpoint(disk, options);
      RankState here(large(along(0)), rank, ranks);
      checkpoint.load(here.clear().state, {});
      EXPECT_TRUE(here.is_filled());
    }));
  }
}

// A state with only some blocks of a tensor loads those.
TEST_F(StateRanksLoad, OneProcessMayHaveSomeBlocks) {
  save(4, all_kinds());
  RankState third(all_kinds(), 2, 3);
  Checkpoint checkpoint(disk, {});
  checkpoint.load(third.clear().state, {});
  EXPECT_TRUE(third.is_filled());
}

TEST_F(StateRanksLoad, OpenFilesAreLimited) {
  const std::vector<WholeTensor> tensors = {{"rows", Dtype::f32, {140, 3}, along(0)}, {"whole", Dtype::f32, {5}, {}}};
  save(70, tensors);
  for (const bool is_cached : {false, true}) {
    for (const bool in_place : {false, true}) {
      const auto counted = std::make_shared<CountedStorage>(disk, is_cached);
      CheckpointOptions options;
      options.read_only = true;
      Checkpoint checkpoint(counted, options);
      RankState here(tensors, 0, 1);
      LoadOptions load_options;
      load_options.in_place = in_place;
      checkpoint.load(here.clear().state, load_options);
      EXPECT_TRUE(here.is_filled());
      const auto counts = counted->take();
      EXPECT_LE(counts.max_open, 66);
      EXPECT_EQ(counts.opened.at("model-rank00069-of-00070.safetensors"), 1);
    }
  }
  for (const Loaded& one : load(2, tensors)) {
    EXPECT_TRUE(one.here->is_filled());
    EXPECT_LE(one.counts.max_open, 66);
  }
}

TEST_F(StateRanksLoad, TreesAreLoadedByAnyNumberOfRanks) {
  const auto tree = [](int last) {
    return parse_tree(
        ckpt::base::cat(R"({"format":"ckpt-tree","format_version":1,"nodes":[["list",2],["tensor","w","array"],)", last, "]}"));
  };
  const auto state_with = [&](int last, float value) {
    State state;
    const auto tensor = Tensor::create(Dtype::f32, {3});
    std::fill_n(tensor->data_as<float>(), 3, value);
    state.add_tensor("extra", "w", tensor);
    state.add_tensor("extra", "__tree__", Tensor::create(Dtype::u8, {0}));
    Tree nodes = tree(last);
    const std::string text = to_text(nodes);
    const auto bytes = Tensor::create(Dtype::u8, {std::ssize(text)});
    std::ranges::copy(std::as_bytes(std::span(text)), bytes->byte_span().begin());
    state.replace_tensor("extra", "__tree__", bytes);
    return state;
  };
  const auto savers = std::make_shared<ThreadRanks>(2);
  expect_no_errors(savers->run([&](std::int64_t rank) {
    Checkpoint checkpoint(disk, options_of(savers, rank));
    checkpoint.save(state_with(12345, 7), {});
  }));
  for (const std::int64_t ranks : {1, 2, 3}) {
    const auto all = std::make_shared<ThreadRanks>(ranks);
    expect_no_errors(all->run([&](std::int64_t rank) {
      CheckpointOptions options = options_of(all, rank);
      options.read_only = true;
      Checkpoint checkpoint(disk, options);
      State state = state_with(rank == 0 ? 1 : 22, 0);  // strings of different lengths
      checkpoint.load(state, {});
      EXPECT_EQ(to_text(tree_of(state, "extra")), to_text(tree(12345)));
      EXPECT_EQ(state.groups()[0].tensors[0].tensor->data_as<float>()[2], 7);
    }));
  }
}

TEST_F(StateRanksLoad, ProgressReachesTheTotalOnEveryRank) {
  save(3, all_kinds());
  for (const std::int64_t ranks : {1, 4}) {
    const auto all = std::make_shared<ThreadRanks>(ranks);
    expect_no_errors(all->run([&](std::int64_t rank) {
      CheckpointOptions options = options_of(all, rank);
      options.read_only = true;
      Checkpoint checkpoint(disk, options);
      RankState here(all_kinds(), rank, ranks);
      std::int64_t done = -1;
      std::int64_t total = -2;
      ckpt::base::set_progress([&](std::int64_t done_bytes, std::int64_t total_bytes) {
        EXPECT_GE(done_bytes, done);
        EXPECT_LE(done_bytes, total_bytes);
        done = done_bytes;
        total = total_bytes;
      });
      checkpoint.load(here.state, {});
      ckpt::base::set_progress({});
      EXPECT_EQ(done, total);
      EXPECT_GT(done, 0);
    }));
  }
}

// In place, a rank that had written nothing when it failed still reports that other ranks have.
TEST_F(StateRanksLoad, AllReportPartlyFilledTensorsIfOneHasBegun) {
  save(3, all_kinds());
  const auto all = std::make_shared<ThreadRanks>(2);
  const auto errors = all->run([&](std::int64_t rank) {
    CheckpointOptions options = options_of(all, rank);
    options.read_only = true;
    Checkpoint checkpoint(disk, options);
    RankState here(all_kinds(), rank, 2);
    if (rank == 1)
      ckpt::base::set_progress([](std::int64_t, std::int64_t) { ckpt::base::fail(Status::callback, "the window is closed"); });
    LoadOptions load_options;
    load_options.in_place = true;
    try {
      checkpoint.load(here.state, load_options);
    } catch (...) {
      ckpt::base::set_progress({});
      throw;
    }
  });
  expect_errors(errors, Status::callback, "the window is closed; the tensors are partly filled");
}

// An exception on one rank while all read together stops all ranks.
TEST_F(StateRanksLoad, AFailingProgressFunctionFailsAllRanks) {
  save(3, large({}));
  const auto all = std::make_shared<ThreadRanks>(3);
  const auto errors = all->run([&](std::int64_t rank) {
    CheckpointOptions options = options_of(all, rank);
    options.read_only = true;
    Checkpoint checkpoint(disk, options);
    RankState here(large({}), rank, 3);
    here.clear();
    if (rank == 1) {
      ckpt::base::set_progress([](std::int64_t done_bytes, std::int64_t) {
        if (done_bytes > 0) ckpt::base::fail(Status::callback, "the window is closed");
      });
    }
    try {
      checkpoint.load(here.state, {});
      ckpt::base::set_progress({});
    } catch (...) {
      ckpt::base::set_progress({});
      EXPECT_TRUE(here.is_clear());
      throw;
    }
  });
  expect_errors(errors, Status::callback, "rank 1: ");
}

TEST_F(StateRanksDamage, InPlaceEveryRankReportsPartlyFilledTensors) {
  damage(newer + "/model-rank00001-of-00003.safetensors", 1);
  LoadOptions options = named(newer);
  options.in_place = true;
  auto loaded = states(2, all_kinds());
  expect_errors(load_into(loaded, options), Status::corrupt, "; the tensors are partly filled");
  options.name = "";
  Warnings warnings;
  for (const Loaded& one : load(2, all_kinds(), options)) {
    EXPECT_TRUE(one.here->is_filled());
    EXPECT_EQ(one.result.name, older);
  }
}

}  // namespace
