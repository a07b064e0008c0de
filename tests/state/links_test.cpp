// Unchanged groups are linked, or copied, from the previous checkpoint.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "faulty_storage.h"
#include "fixture.h"
#include "state/directory_catalog.h"
#include "state/manager/checkpoint.h"
#include "storage/file_system.h"

namespace {

using ckpt::base::Status;
using namespace ckpt::state;
using namespace ckpt::tests;
namespace storage = ckpt::storage;

// Returns the number of names of a file.
std::uintmax_t links_of(const Scratch& scratch, const std::string& path) {
  return std::filesystem::hard_link_count(scratch / path);
}

TEST(StateLinks, AnUnchangedFileIsLinkedAndOutlivesTheOneItCameFrom) {
  const Scratch scratch;
  const auto disk = storage::open_file_system(scratch.path(), storage::Root::make);
  Checkpoint checkpoint(disk, {false, 1});
  Model model(1);
  model.state.set_rarely_changes("model", true);
  const auto save = [&](std::int64_t step, bool incremental = true) {
    SaveOptions options;
    options.step = step;
    options.incremental = incremental;
    return checkpoint.save(model.state, options);
  };
  EXPECT_EQ(save(1).linked, 0);
  for (const StateTensor& item : model.state.groups()[1].tensors) item.tensor->data_as<float>()[0] = 77;
  const SaveResult second = save(2);
  EXPECT_EQ(second.linked, 1);
  EXPECT_EQ(second.files, 2);
  EXPECT_EQ(std::ssize(checkpoint.list()), 1);  // the first checkpoint is removed, its file is not
  EXPECT_EQ(links_of(scratch, second.name + "/model.safetensors"), 1U);
  EXPECT_EQ(checkpoint.verify("").tensors, 3);
  EXPECT_EQ(save(3, false).linked, 0);
  EXPECT_EQ(save(4).linked, 1);
  model.state.groups()[0].tensors[1].tensor->data_as<float>()[2] = -5;
  EXPECT_EQ(save(5).linked, 0);
  model.state.set_rarely_changes("model", false);
  EXPECT_EQ(save(6).linked, 0);
  EXPECT_EQ(checkpoint.verify("").tensors, 3);
}

TEST(StateLinks, TwoCheckpointsShareAFileAndEitherMayBeRemoved) {
  const Scratch scratch;
  const auto disk = storage::open_file_system(scratch.path(), storage::Root::make);
  Model model(3);
  model.state.set_rarely_changes("optimizer", true);
  std::string first;
  {
    Checkpoint checkpoint(disk, {});
    first = checkpoint.save(model.state, {}).name;
  }
  Checkpoint checkpoint(disk, {});  // finds the latest checkpoint itself
  const SaveResult second = checkpoint.save(model.state, {});
  EXPECT_EQ(second.linked, 1);
  EXPECT_EQ(links_of(scratch, second.name + "/optimizer.safetensors"), 2U);
  EXPECT_TRUE(remove_checkpoint(*disk, second.name));
  EXPECT_EQ(checkpoint.verify(first).files, 2);
  EXPECT_EQ(checkpoint.save(model.state, {}).linked, 0);  // the file to link was removed
}

TEST(StateLinks, ADamagedFileIsNotLinked) {
  const auto disk = storage::make_memory_storage();
  Checkpoint checkpoint(disk, {});
  Model model(3);
  model.state.set_rarely_changes("model", true);
  const std::string path = checkpoint.save(model.state, {}).name + "/model.safetensors";
  std::string bytes = read_file(*disk, path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  replace_file(*disk, path, bytes);
  const Warnings warnings;
  const SaveResult second = checkpoint.save(model.state, {});
  EXPECT_EQ(second.linked, 0);
  EXPECT_TRUE(warnings.mention("is written again")) << warnings.text();
  EXPECT_NO_THROW(checkpoint.verify(second.name));
}

// FaultyStorage does not support links, like many file systems.
TEST(StateLinks, AFileThatCannotBeLinkedIsCopied) {
  const auto faults = std::make_shared<Faults>();
  Checkpoint checkpoint(std::make_shared<FaultyStorage>(storage::make_memory_storage(), faults), {false, 1});
  Model model(3);
  model.state.set_rarely_changes("model", true);
  checkpoint.save(model.state, {});
  faults->log.clear();
  const SaveResult second = checkpoint.save(model.state, {});
  EXPECT_EQ(second.linked, 1);
  EXPECT_NE(std::ranges::find(faults->log, "sync " + second.name + "/model.safetensors.tmp1"), faults->log.end());
  EXPECT_EQ(checkpoint.verify("").files, 2);
}

TEST(StateLinks, AFailedCopyIsRewritten) {
  const auto faults = std::make_shared<Faults>();
  Checkpoint checkpoint(std::make_shared<FaultyStorage>(storage::make_memory_storage(), faults), {});
  Model model(3);
  model.state.set_rarely_changes("model", true);
  checkpoint.save(model.state, {});
  faults->only = "write";
  faults->counted = 0;
  faults->fail_at = 0;
  const Warnings warnings;
  const SaveResult second = checkpoint.save(model.state, {});
  EXPECT_EQ(faults->fired, 1);
  EXPECT_EQ(second.linked, 0);
  EXPECT_NO_THROW(checkpoint.verify(second.name));
}

}  // namespace
