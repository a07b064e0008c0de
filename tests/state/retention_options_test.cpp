// Retention of other checkpoints than the newest: every K-th step, the best by metric; names with a prefix.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "counted_storage.h"
#include "faulty_storage.h"
#include "fixture.h"
#include "state/manager/checkpoint.h"
#include "storage/file_system.h"

namespace {

using ckpt::base::Status;
using namespace ckpt::state;
using namespace ckpt::tests;
namespace storage = ckpt::storage;

SaveResult save_with(Checkpoint& checkpoint, int step, std::optional<double> metric, const std::string& prefix = {}) {
  Model model(static_cast<float>(step));
  SaveOptions options;
  options.step = step;
  options.metric = metric;
  options.prefix = prefix;
  return checkpoint.save(model.state, options);
}

std::string steps_of(Checkpoint& checkpoint) {
  std::string out;
  for (const Found& found : checkpoint.list()) out += ckpt::base::cat(found.step, ' ');
  return out;
}

TEST(StateRetentionOptions, KeepsEveryKthStepAndTheBest) {
  const auto disk = storage::make_memory_storage();
  CheckpointOptions options;
  options.keep_last = 2;
  options.keep_every = 4;
  options.keep_best = 2;
  {
    Checkpoint checkpoint(disk, options);
    const double metrics[] = {5, 1, 3, 9, 8, 1, 7, 6, 7, 8};
    for (int step = 1; step <= 10; ++step) save_with(checkpoint, step, metrics[step - 1]);
    EXPECT_EQ(steps_of(checkpoint), "10 9 8 6 4 2 ");
    save_with(checkpoint, 11, std::nullopt);
    EXPECT_EQ(steps_of(checkpoint), "11 10 8 6 4 2 ");
    EXPECT_EQ(checkpoint.list().at(5).metric, 1);
    EXPECT_FALSE(checkpoint.list().at(0).metric.has_value());
  }
  options.larger_is_better = true;
  options.keep_every = 0;
  Checkpoint checkpoint(disk, options);
  save_with(checkpoint, 12, -1);
  EXPECT_EQ(steps_of(checkpoint), "12 11 10 4 ");
}

TEST(StateRetentionOptions, TheNewestOfEqualStepsAndMetricsIsKept) {
  const auto disk = storage::make_memory_storage();
  CheckpointOptions options;
  options.keep_last = 1;
  options.keep_every = 5;
  options.keep_best = 1;
  Checkpoint checkpoint(disk, options);
  save_with(checkpoint, 5, 0.5);
  const SaveResult again = save_with(checkpoint, 5, 0.5);
  save_with(checkpoint, 6, 0.75);
  save_with(checkpoint, 7, 0.75);
  EXPECT_EQ(steps_of(checkpoint), "7 5 ");
  EXPECT_EQ(checkpoint.list().at(1).name, again.name);
}

// A state is saved even if its loss has become NaN.
TEST(StateRetentionOptions, AMetricThatIsNotFiniteIsLeftOut) {
  for (const bool larger_is_better : {false, true}) {
    CheckpointOptions options;
    options.keep_last = 1;
    options.keep_best = 1;
    options.larger_is_better = larger_is_better;
    Checkpoint checkpoint(storage::make_memory_storage(), options);
    const Warnings warnings;
    EXPECT_FALSE(save_with(checkpoint, 1, 0.5).metric_ignored);
    EXPECT_EQ(warnings.text(), "");
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::string expected;
    int step = 2;
    for (const double metric : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity}) {
      expected += ckpt::base::cat("state: step ", step, " is saved without its metric, which is ", metric, '\n');
      const SaveResult saved = save_with(checkpoint, step, metric);
      EXPECT_TRUE(saved.metric_ignored);
      EXPECT_EQ(warnings.text(), expected);
      EXPECT_EQ(checkpoint.manifest(saved.name).find("\"metric\""), std::string::npos);
      EXPECT_EQ(checkpoint.best().step, 1);
      EXPECT_FALSE(checkpoint.latest().metric.has_value());
      Model model(-1);
      EXPECT_EQ(checkpoint.load(model.state, {}).step, step);
      EXPECT_EQ(model.value(), static_cast<float>(step++));
    }
    EXPECT_EQ(steps_of(checkpoint), "4 1 ");
  }
}

TEST(StateRetentionOptions, InvalidOptionsAreRefused) {
  const auto disk = storage::make_memory_storage();
  CheckpointOptions options;
  options.keep_best = 1;
  EXPECT_ERROR(Checkpoint(disk, options), Status::invalid_argument, "keep_last is 0");
  options = {};
  options.keep_every = -1;
  EXPECT_ERROR(Checkpoint(disk, options), Status::invalid_argument, "keep_every is -1");
  Checkpoint checkpoint(disk, {});
  for (const char* prefix : {"torn", "step", "A", "a-b", "../a", "a.b", "", "0123456789012345678901234"}) {
    if (*prefix != '\0') EXPECT_ERROR(save_with(checkpoint, 1, {}, prefix), Status::invalid_argument, "prefix is '");
  }
  EXPECT_EQ(std::ssize(checkpoint.list()), 0);
}

TEST(StateRetentionOptions, APrefixIsPartOfTheNameOnly) {
  const auto disk = storage::make_memory_storage();
  Checkpoint checkpoint(disk, {});
  save_with(checkpoint, 1, {}, "warm_up1");
  const SaveResult second = save_with(checkpoint, 2, {}, "best");
  EXPECT_TRUE(second.name.starts_with("best-step-000000000002-")) << second.name;
  save_with(checkpoint, 0, {});
  EXPECT_EQ(steps_of(checkpoint), "2 1 0 ");
  Model model(0);
  EXPECT_EQ(checkpoint.load(model.state, {}).name, second.name);
  disk->remove(second.name + "/model.safetensors");
  EXPECT_EQ(checkpoint.load(model.state, {}).step, 1);
  EXPECT_EQ(names_in(*disk, "").find("torn-"), std::string::npos);
  EXPECT_EQ(steps_of(checkpoint), "2 1 0 ");
}

TEST(StateRetentionOptions, ReadsManifestsOnly) {
  const auto faults = std::make_shared<Faults>();
  Checkpoint checkpoint(std::make_shared<FaultyStorage>(storage::make_memory_storage(), faults), {false, 2});
  for (int step = 1; step <= 4; ++step) save_with(checkpoint, step, {});
  EXPECT_EQ(std::ssize(checkpoint.list()), 2);
  std::int64_t opened = 0;
  for (const std::string& operation : faults->log) {
    if (!operation.starts_with("open ")) continue;
    ++opened;
    EXPECT_TRUE(operation.ends_with("/manifest.json")) << operation;
  }
  EXPECT_GT(opened, 4);
}

// A save with rules examines all checkpoints. It reads a manifest again only if the manifest has changed.
TEST(StateRetentionOptions, ReadsUnchangedManifestsOnce) {
  const Scratch scratch;
  const auto disk = storage::open_file_system(scratch.path(), storage::Root::must_exist);
  const auto counted = std::make_shared<CountedStorage>(disk);
  Checkpoint checkpoint(counted, {false, 4});
  std::vector<std::string> names;
  for (int step = 1; step <= 4; ++step) names.push_back(save_with(checkpoint, step, {}).name);
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));  // until the storage returns their stamps
  const auto manifests_read = [&](int step) {
    counted->take();
    names.push_back(save_with(checkpoint, step, {}).name);
    return counted->take().opened["manifest.json"];
  };
  const std::int64_t by_first = manifests_read(5);
  EXPECT_EQ(by_first - manifests_read(6), 3);  // of steps 2, 3 and 4, as step 1 was removed and step 5 is new
  EXPECT_EQ(steps_of(checkpoint), "6 5 4 3 ");
  // One checkpoint has a changed byte, with unchanged sizes, and one lacks a file: neither counts towards keep_last.
  const std::string path = names[3] + "/manifest.json";
  std::string manifest = read_file(*disk, path);
  manifest[manifest.size() / 2] = static_cast<char>(manifest[manifest.size() / 2] ^ 1);
  replace_file(*disk, path, manifest);
  disk->remove(names[2] + "/model.safetensors");
  const Warnings silent;
  manifests_read(7);
  manifests_read(8);
  EXPECT_EQ(steps_of(checkpoint), "8 7 6 5 4 ");
  EXPECT_EQ(checkpoint.list().back().condition, Condition::damaged);
}

}  // namespace
