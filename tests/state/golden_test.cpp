// Checkpoints written by released versions, which every later version must read. They are never rewritten: a version that writes
// other bytes adds its own directory.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "state/manager/checkpoint.h"
#include "state/tree.h"
#include "storage/file_system.h"
#include "storage/memory.h"
#include "thread_ranks.h"

namespace {

using namespace ckpt::state;
using ckpt::tensor::Dtype;
using ckpt::tensor::Shape;
using ckpt::tensor::Tensor;
namespace storage = ckpt::storage;

// One group per kind of data: types of every width, a scalar, an empty tensor, names that need escaping.
struct Golden {
  Golden() {
    weight = add("model", "weight", Dtype::f32, {2, 3});
    scalar = add("model", "scalar", Dtype::f64, {});
    counts = add("model", "counts", Dtype::i64, {4});
    empty = add("model", "empty", Dtype::f32, {0, 5});
    half = add("optimizer \xC3\xA9/1", "moment \"a\"\n", Dtype::bf16, {5});
    mask = add("optimizer \xC3\xA9/1", "mask", Dtype::boolean, {3});
  }
  std::shared_ptr<Tensor> add(const char* group, const char* name, Dtype dtype, Shape shape) {
    auto tensor = Tensor::create(dtype, shape);
    if (tensor->bytes() > 0) std::memset(tensor->data(), 0, static_cast<std::size_t>(tensor->bytes()));
    state.add_tensor(group, name, tensor);
    return tensor;
  }

  State state;
  std::shared_ptr<Tensor> weight, scalar, counts, empty, half, mask;
};

void expect_version_1(const std::shared_ptr<storage::Storage>& disk) {
  Checkpoint checkpoint(disk, {true, 0});
  const std::vector<Found> all = checkpoint.list();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "step-000000001200-0badcafe");
  EXPECT_EQ(all[1].name, "step-000000000007-00000001");
  for (const Found& found : all) {
    EXPECT_EQ(found.condition, Condition::complete);
    const VerifyResult verified = checkpoint.verify(found.name);
    EXPECT_EQ(verified.files, 2);
    EXPECT_EQ(verified.tensors, 6);
  }

  Golden golden;
  const LoadResult loaded = checkpoint.load(golden.state, {});
  EXPECT_EQ(loaded.step, 1200);
  EXPECT_EQ(loaded.commit_sequence, 2);
  EXPECT_EQ(loaded.seed, 18446744073709551615ULL);
  EXPECT_EQ(loaded.skipped, 0);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(golden.weight->data_as<float>()[i], static_cast<float>(i) - 2.5F);
  EXPECT_EQ(golden.scalar->data_as<double>()[0], 0.1);
  const std::int64_t counts[] = {0, -1, INT64_MAX, INT64_MIN};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(golden.counts->data_as<std::int64_t>()[i], counts[i]);
  const std::uint16_t halves[] = {0x0000, 0x3F80, 0xC000, 0x7F80, 0x7FC1};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(golden.half->data_as<std::uint16_t>()[i], halves[i]);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(golden.mask->data_as<std::uint8_t>()[i], i % 2);
  EXPECT_EQ(golden.state.json("data_position"), R"({"byte":4096})");
  EXPECT_EQ(golden.state.json("controller"), R"({"saves":[1,2,3]})");
  EXPECT_EQ(golden.state.json("lr"), "0.25");
  EXPECT_NE(checkpoint.manifest(loaded.name).find(R"("metadata":{"note":"golden"})"), std::string::npos);
}

TEST(StateGolden, Version1) { expect_version_1(storage::open_file_system(CKPT_GOLDEN "/v1", storage::Root::must_exist)); }

// Writes the same two checkpoints; only the directories' random digits differ.
void write_version_1(const std::shared_ptr<storage::Storage>& disk) {
  Golden golden;
  for (int i = 0; i < 6; ++i) golden.weight->data_as<float>()[i] = static_cast<float>(i) - 2.5F;
  golden.scalar->data_as<double>()[0] = 0.1;
  const std::int64_t counts[] = {0, -1, INT64_MAX, INT64_MIN};
  for (int i = 0; i < 4; ++i) golden.counts->data_as<std::int64_t>()[i] = counts[i];
  const std::uint16_t halves[] = {0x0000, 0x3F80, 0xC000, 0x7F80, 0x7FC1};
  for (int i = 0; i < 5; ++i) golden.half->data_as<std::uint16_t>()[i] = halves[i];
  golden.mask->data_as<std::uint8_t>()[1] = 1;
  golden.state.set_json("data_position", R"({"byte":4096})");
  golden.state.set_json("controller", R"({"saves":[1,2,3]})");
  golden.state.set_json("lr", "0.25");
  Checkpoint checkpoint(disk, {});
  for (const std::int64_t step : {7, 1200}) {
    SaveOptions options;
    options.step = step;
    options.seed = 18446744073709551615ULL;
    options.metadata_json = R"({"note":"golden"})";
    checkpoint.save(golden.state, options);
  }
}

std::string bytes_of(storage::Storage& disk, const std::string& path) {
  const auto file = disk.open(path);
  std::string bytes(static_cast<std::size_t>(file->size()), '\0');
  file->read(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

// Other programs read these files: the same state always gives the same tensor files. CKPT_GOLDEN_NEW: a directory to store them
// in, for a version with another format.
TEST(StateGolden, TheSameStateGivesTheSameFiles) {
  const char* const kept = std::getenv("CKPT_GOLDEN_NEW");
  const auto disk = kept != nullptr ? storage::open_file_system(kept, storage::Root::make) : storage::make_memory_storage();
  write_version_1(disk);
  const auto golden = storage::open_file_system(CKPT_GOLDEN "/v1", storage::Root::must_exist);
  int compared = 0;
  for (const storage::Entry& directory : disk->list("")) {
    if (!directory.is_directory) continue;
    const std::string before =
        directory.name.starts_with("step-000000001200-") ? "step-000000001200-0badcafe" : "step-000000000007-00000001";
    for (const storage::Entry& file : golden->list(before)) {
      if (!file.name.ends_with(".safetensors")) continue;
      EXPECT_EQ(bytes_of(*disk, storage::join(directory.name, file.name)), bytes_of(*golden, storage::join(before, file.name)));
      ++compared;
    }
  }
  EXPECT_EQ(compared, 4);
}

// ---- Version 2: several ranks ----

constexpr std::int64_t ranks_of_version_2 = 3;

std::shared_ptr<Tensor> counted(Dtype dtype, std::initializer_list<std::int64_t> lengths, std::int64_t first) {
  auto tensor = Tensor::create(dtype, Shape(lengths));
  for (std::int64_t i = 0; i < tensor->shape().elements(); ++i) {
    if (dtype == Dtype::f32) tensor->data_as<float>()[i] = static_cast<float>(first + i) / 4;
    if (dtype == Dtype::i64) tensor->data_as<std::int64_t>()[i] = first + i;
    if (dtype == Dtype::boolean) tensor->data_as<std::uint8_t>()[i] = static_cast<std::uint8_t>((first + i) % 2);
  }
  return tensor;
}

// "rows": 3, 0 and 4 rows of the ranks; "grid": quarters, two of them on rank 1; the others complete on every rank.
State version_2_of(std::int64_t rank) {
  const char* const odd = "optimizer \xC3\xA9/1";
  State state;
  state.add_sharded("model", "rows", Dtype::f32, {7, 5});
  if (rank == 0) state.add_block("model", "rows", {0, 0}, counted(Dtype::f32, {3, 5}, 0));
  if (rank == 1) state.add_block("model", "rows", {3, 0}, counted(Dtype::f32, {0, 5}, 0));
  if (rank == 2) state.add_block("model", "rows", {3, 0}, counted(Dtype::f32, {4, 5}, 15));
  state.add_sharded(odd, "grid \"a\"\n", Dtype::i64, {4, 6});
  const auto quarter = [&](std::int64_t row, std::int64_t column) {
    state.add_block(odd, "grid \"a\"\n", {row, column}, counted(Dtype::i64, {2, 3}, 1000 * row + 10 * column));
  };
  if (rank == 0) quarter(0, 0);
  if (rank == 1) quarter(0, 3), quarter(2, 0);
  if (rank == 2) quarter(2, 3);
  state.add_tensor("model", "bias", counted(Dtype::f32, {4}, 100));
  state.add_tensor("model", "scalar", counted(Dtype::i64, {}, -7));
  state.add_tensor("model", "mask", counted(Dtype::boolean, {3}, 0));
  state.add_tensor("model", "empty", counted(Dtype::f32, {0, 2}, 0));
  state.set_json("epoch", "12");
  state.set_json("data_position", ckpt::base::cat(R"({"byte":)", 4096 * rank, '}'));
  return state;
}

void expect_version_2(const std::shared_ptr<storage::Storage>& disk) {
  Checkpoint checkpoint(disk, {true, 0});
  const std::vector<Found> all = checkpoint.list();
  ASSERT_EQ(all.size(), 2U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].condition, Condition::complete) << all[i].problem;
    EXPECT_EQ(all[i].step, i == 0 ? 1200 : 7);
    EXPECT_EQ(checkpoint.verify(all[i].name).tensors, 6);
    const Manifest manifest = parsed_manifest(all[i].name, manifest_text(*disk, all[i].name));
    EXPECT_EQ(manifest.format_version, 2);
    EXPECT_EQ(manifest.world_size, ranks_of_version_2);
    for (std::int64_t rank = 0; rank < ranks_of_version_2; ++rank) {
      const std::string values = checkpoint.rank_values(all[i].name, rank);
      EXPECT_NE(values.find(ckpt::base::cat(R"({"byte":)", 4096 * rank, '}')), std::string::npos) << values;
    }
  }
  State state;
  const auto rows = Tensor::create(Dtype::f32, {7, 5});
  const auto grid = Tensor::create(Dtype::i64, {4, 6});
  const auto bias = Tensor::create(Dtype::f32, {4});
  const auto scalar = Tensor::create(Dtype::i64, {});
  const auto mask = Tensor::create(Dtype::boolean, {3});
  state.add_tensor("model", "rows", rows);
  state.add_tensor("optimizer \xC3\xA9/1", "grid \"a\"\n", grid);
  state.add_tensor("model", "bias", bias);
  state.add_tensor("model", "scalar", scalar);
  state.add_tensor("model", "mask", mask);
  state.add_tensor("model", "empty", Tensor::create(Dtype::f32, {0, 2}));
  EXPECT_EQ(checkpoint.load(state, {}).step, 1200);
  for (int i = 0; i < 35; ++i) EXPECT_EQ(rows->data_as<float>()[i], static_cast<float>(i) / 4);
  for (int i = 0; i < 24; ++i) {
    const int row = i / 6;
    const int column = i % 6;
    const int first = 1000 * (row / 2 * 2) + 10 * (column / 3 * 3);
    EXPECT_EQ(grid->data_as<std::int64_t>()[i], first + row % 2 * 3 + column % 3);
  }
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bias->data_as<float>()[i], static_cast<float>(100 + i) / 4);
  EXPECT_EQ(scalar->data_as<std::int64_t>()[0], -7);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(mask->data_as<std::uint8_t>()[i], i % 2);
  EXPECT_EQ(state.json("epoch"), "12");
}

void write_version_2(const std::shared_ptr<storage::Storage>& disk) {
  const auto ranks = std::make_shared<ckpt::tests::ThreadRanks>(ranks_of_version_2);
  ckpt::tests::expect_no_errors(ranks->run([&](std::int64_t rank) {
    CheckpointOptions given;
    given.coordinator = ranks->coordinator(rank);
    Checkpoint checkpoint(disk, given);
    const State state = version_2_of(rank);
    for (const std::int64_t step : {7, 1200}) {
      SaveOptions options;
      options.step = step;
      options.metadata_json = R"({"note":"golden"})";
      checkpoint.save(state, options);
    }
  }));
}

TEST(StateGolden, Version2) { expect_version_2(storage::open_file_system(CKPT_GOLDEN "/v2", storage::Root::must_exist)); }

// The same blocks of the same ranks give the same tensor files. CKPT_GOLDEN_NEW: as above.
TEST(StateGolden, TheSameSharesGiveTheSameFiles) {
  const char* const kept = std::getenv("CKPT_GOLDEN_NEW");
  const auto disk = kept != nullptr ? storage::open_file_system(std::string(kept) + "-ranks", storage::Root::make)
                                    : storage::make_memory_storage();
  write_version_2(disk);
  expect_version_2(disk);
  const auto golden = storage::open_file_system(CKPT_GOLDEN "/v2", storage::Root::must_exist);
  const auto directory_of = [](storage::Storage& in, const std::string& begin) {
    for (const storage::Entry& entry : in.list("")) {
      if (entry.name.starts_with(begin)) return entry.name;
    }
    return std::string();
  };
  int compared = 0;
  for (const char* const begin : {"step-000000000007-", "step-000000001200-"}) {
    const std::string now = directory_of(*disk, begin);
    const std::string before = directory_of(*golden, begin);
    for (const storage::Entry& file : golden->list(before)) {
      if (!file.name.ends_with(".safetensors")) continue;
      EXPECT_EQ(bytes_of(*disk, storage::join(now, file.name)), bytes_of(*golden, storage::join(before, file.name))) << file.name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 10);
}

// ---- Serialized trees ----

TEST(StateGolden, TreesOfBothFormats) {
  for (const char* const name : {"format-1.json", "format-2.json"}) {
    const auto disk = storage::open_file_system(CKPT_GOLDEN "/trees", storage::Root::must_exist);
    const std::string text = bytes_of(*disk, name);
    const Tree tree = parse_tree(text);
    EXPECT_EQ(to_text(tree), text) << name;
    EXPECT_EQ(ckpt::base::cat("format-", tree.format_version(), ".json"), name);
  }
}

}  // namespace
