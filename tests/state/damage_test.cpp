// Torn and corrupt checkpoints are detected and reported by name, and the previous one is loaded. Only those without a manifest are
// set aside.
#include <gtest/gtest.h>

#include "fixture.h"
#include "state/name.h"
#include "storage/file_system.h"

namespace {

using ckpt::base::Status;
using namespace ckpt::state;
using namespace ckpt::tests;
namespace storage = ckpt::storage;

// Step 1 is intact; each test damages step 2.
class StateDamage : public testing::Test {
 protected:
  StateDamage() {
    Checkpoint checkpoint(disk, {});
    first = save_step(checkpoint, 1).name;
    second = save_step(checkpoint, 2).name;
    model_file = second + "/model.safetensors";
    manifest_file = second + "/manifest.json";
  }

  // A new process loads step 1 and reports the reason. It sets step 2 aside if that has no manifest, and changes nothing else.
  void expect_fall_back(const std::string& reason) {
    const bool is_torn = reason == "no manifest.json";
    const std::string before = names_in(*disk, second);
    const std::string stays = is_torn ? "torn-" + second : second;
    Warnings warnings;
    Checkpoint checkpoint(disk, {});
    Model model(0);
    const LoadResult loaded = checkpoint.load(model.state, {});
    EXPECT_EQ(loaded.step, 1);
    EXPECT_EQ(model.value(), 1);
    EXPECT_TRUE(warnings.mention(second)) << warnings.text();
    EXPECT_TRUE(warnings.mention(reason)) << warnings.text();
    EXPECT_EQ(loaded.skipped, is_torn ? 0 : 1);
    EXPECT_EQ(model.state.load_report().find(second) == std::string::npos, is_torn);
    EXPECT_EQ(names_in(*disk, ""), records + first + "/ " + stays + "/ ");
    EXPECT_EQ(names_in(*disk, stays), before);
    EXPECT_EQ(save_step(checkpoint, 2).step, 2);
    EXPECT_EQ(checkpoint.load(model.state, {}).step, 2);
  }

  // Both with and without step 1 to fall back to, a reader returns correct values or none, and changes nothing.
  void expect_detected_by_reader() {
    const std::string before = names_in(*disk, "");
    Checkpoint reader(disk, {true, 0});
    Model model(9);
    EXPECT_EQ(reader.load(model.state, {}).step, 1);
    EXPECT_EQ(model.value(), 1);
    model.fill(9);
    LoadOptions options;
    options.name = second;
    EXPECT_ERROR(reader.load(model.state, options), Status::corrupt, "");
    EXPECT_EQ(model.value(), 9);
    EXPECT_ERROR(reader.verify(second), Status::corrupt, "");
    EXPECT_EQ(names_in(*disk, ""), before);
  }

  std::shared_ptr<storage::Storage> disk = storage::make_memory_storage();
  const std::string records = disk->is_objects() ? "commits/ " : "";  // additional entries of an object store
  std::string first;
  std::string second;
  std::string model_file;
  std::string manifest_file;
};

TEST_F(StateDamage, NoManifest) {
  disk->remove(manifest_file);
  expect_fall_back("no manifest.json");
}

TEST_F(StateDamage, OnlyATemporaryManifest) {
  disk->rename(manifest_file, manifest_file + ".tmp1");
  expect_fall_back("no manifest.json");
}

TEST_F(StateDamage, AnEmptyDirectory) {
  for (const auto& entry : disk->list(second)) disk->remove(second + "/" + entry.name);
  expect_fall_back("no manifest.json");
}

TEST_F(StateDamage, ManifestTruncated) {
  const std::string text = read_file(*disk, manifest_file);
  replace_file(*disk, manifest_file, text.substr(0, text.size() / 2));
  expect_fall_back("checksum");
}

TEST_F(StateDamage, ManifestEmpty) {
  replace_file(*disk, manifest_file, "");
  expect_fall_back("only 0 bytes");
}

TEST_F(StateDamage, ManifestIsADirectory) {
  disk->remove(manifest_file);
  disk->make_directory(manifest_file);
  expect_fall_back("regular file");
}

TEST_F(StateDamage, ManifestOfAnotherStep) {
  replace_file(*disk, manifest_file, read_file(*disk, first + "/manifest.json"));
  expect_fall_back("step 1");
}

TEST_F(StateDamage, FileMissing) {
  disk->remove(model_file);
  expect_fall_back("model.safetensors");
}

TEST_F(StateDamage, FileTruncated) {
  const std::string text = read_file(*disk, model_file);
  replace_file(*disk, model_file, text.substr(0, text.size() - 1));
  expect_fall_back("expected ");
}

TEST_F(StateDamage, FileOfAnotherCheckpoint) {
  replace_file(*disk, model_file, read_file(*disk, first + "/model.safetensors"));
  expect_fall_back("tensor 'bias': chunk 0");
}

TEST_F(StateDamage, OneBitFlipped) {
  std::string text = read_file(*disk, model_file);
  text.back() = static_cast<char>(text.back() ^ 1);
  replace_file(*disk, model_file, text);
  expect_fall_back("tensor 'weight': chunk 0");
}

TEST_F(StateDamage, VerifyNamesTheFirstBadFileAndTensor) {
  const std::string path = second + "/optimizer.safetensors";
  std::string text = read_file(*disk, path);
  text.back() = static_cast<char>(text.back() ^ 0x80);
  replace_file(*disk, path, text);
  Checkpoint reader(disk, {true, 0});
  EXPECT_ERROR(reader.verify(second), Status::corrupt, path + ": tensor 'moment'");
  EXPECT_ERROR(reader.verify(""), Status::corrupt, path + ": tensor 'moment'");
  EXPECT_NO_THROW(reader.verify(first));
}

TEST_F(StateDamage, WithoutVerifyBytesAreTrusted) {
  std::string text = read_file(*disk, model_file);
  text.back() = static_cast<char>(text.back() ^ 1);
  replace_file(*disk, model_file, text);
  Checkpoint reader(disk, {true, 0});
  Model model(0);
  LoadOptions options;
  options.verify = Verify::none;
  EXPECT_EQ(reader.load(model.state, options).step, 2);
}

TEST_F(StateDamage, NoneUsableIsCorruptAndNothingIsRenamed) {
  for (const std::string& name : {first, second}) replace_file(*disk, name + "/manifest.json", "x");
  Checkpoint checkpoint(disk, {});
  Model model(9);
  for (int again = 0; again < 2; ++again) EXPECT_ERROR(checkpoint.load(model.state, {}), Status::corrupt, second);
  EXPECT_EQ(model.value(), 9);
  EXPECT_EQ(std::ssize(checkpoint.list()), 2);
}

TEST_F(StateDamage, UnfinishedOnlyIsNotFound) {
  for (const std::string& name : {first, second}) disk->remove(name + "/manifest.json");
  Checkpoint checkpoint(disk, {});
  Model model(9);
  EXPECT_ERROR(checkpoint.load(model.state, {}), Status::not_found, "no checkpoint");
  EXPECT_EQ(std::ssize(checkpoint.list()), 0);
}

TEST_F(StateDamage, ANewerFormatIsSkippedButKeepsItsName) {
  std::string text = read_file(*disk, manifest_file);
  text.replace(text.find("\"format_version\":1"), 18, "\"format_version\":3");
  text.resize(text.rfind(",\n\"checksum\""));
  replace_file(*disk, manifest_file, text + ",\n\"checksum\":\"" + to_hex(hash_of(text)) + "\"}\n");
  Warnings warnings;
  Checkpoint checkpoint(disk, {});
  Model model(0);
  EXPECT_EQ(checkpoint.load(model.state, {}).step, 1);
  EXPECT_TRUE(warnings.mention("format_version is 3")) << warnings.text();
  EXPECT_EQ(names_in(*disk, ""), records + first + "/ " + second + "/ ");
}

TEST_F(StateDamage, ALinkInsteadOfAFileIsNotFollowed) {
  const Scratch scratch;
  const auto real = storage::open_file_system(scratch.path(), storage::Root::make);
  std::string name;
  {
    Checkpoint checkpoint(real, {});
    name = save_step(checkpoint, 1).name;
  }
  std::filesystem::rename(scratch / (name + "/model.safetensors"), scratch / "elsewhere");
  std::filesystem::create_symlink(scratch / "elsewhere", scratch / (name + "/model.safetensors"));
  Checkpoint reader(real, {true, 0});
  Model model(9);
  EXPECT_ERROR(reader.load(model.state, {}), Status::corrupt, "model.safetensors");
  EXPECT_ERROR(reader.verify(name), Status::corrupt, "model.safetensors");
  EXPECT_EQ(model.value(), 9);
}

// Exhaustive: some check covers every bit and every length of every file of a checkpoint. With sanitizers, where an exception takes
// a hundred times as long, a sample.
#ifdef CKPT_SANITIZED
constexpr std::size_t stride = 23;
#else
constexpr std::size_t stride = 1;
#endif

TEST_F(StateDamage, EveryFlippedBitIsDetected) {
  for (const auto& entry : disk->list(second)) {
    const std::string path = second + "/" + entry.name;
    const std::string text = read_file(*disk, path);
    for (std::size_t bit = 0; bit < text.size() * 8; bit += stride) {
      SCOPED_TRACE(ckpt::base::cat(entry.name, " bit ", bit));
      std::string flipped = text;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      replace_file(*disk, path, flipped);
      ASSERT_NO_FATAL_FAILURE(expect_detected_by_reader());
    }
    replace_file(*disk, path, text);
  }
}

TEST_F(StateDamage, EveryTruncationIsDetected) {
  for (const auto& entry : disk->list(second)) {
    const std::string path = second + "/" + entry.name;
    const std::string text = read_file(*disk, path);
    for (std::size_t length = 0; length < text.size(); length += stride) {
      SCOPED_TRACE(ckpt::base::cat(entry.name, " length ", length));
      replace_file(*disk, path, text.substr(0, length));
      ASSERT_NO_FATAL_FAILURE(expect_detected_by_reader());
    }
    replace_file(*disk, path, text);
  }
}

}  // namespace
