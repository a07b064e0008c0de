// Checkpoints that released versions wrote, and that every later one must read. They are never written anew: a version that writes
// something else adds a directory of its own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "state/checkpoint.h"
#include "storage/file_system.h"
#include "storage/memory.h"

namespace {

using namespace ckpt::state;
using ckpt::tensor::Dtype;
using ckpt::tensor::Shape;
using ckpt::tensor::Tensor;
namespace storage = ckpt::storage;

// One group per kind of thing: types of every width, a scalar, an empty tensor, names that are escaped.
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

// What other programs read: the same state gives the same tensor files for ever. CKPT_GOLDEN_NEW: a directory to keep them in, for
// a version whose format differs.
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

}  // namespace
