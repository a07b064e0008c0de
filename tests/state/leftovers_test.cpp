// Interrupted removals: later saves of the same writer finish them, on directories and on object stores.
#include <gtest/gtest.h>

#include "faulty_storage.h"
#include "fixture.h"
#include "object_store.h"
#include "state/commit_record.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

// A storage of either kind, with removals that fail while a pattern is set.
class Store {
 public:
  explicit Store(bool is_objects) : is_objects_(is_objects) {
    if (is_objects) {
      const auto requests = std::make_shared<Requests>();
      requests->before = [this](const std::string& line) { fail(line); };
      storage_ = std::make_shared<BucketClient>(bucket_, requests);
    } else {
      const auto faults = std::make_shared<Faults>();
      faults->before = [this](const std::string& line) { fail(line); };
      storage_ = std::make_shared<FaultyStorage>(disk_, faults);
    }
  }

  const std::shared_ptr<storage::Storage>& storage() const { return storage_; }
  std::string failing = {};  // removals of paths that contain it fail; "": none
  // Returns the number of existing files of a checkpoint.
  std::int64_t files(const std::string& name) const {
    if (is_objects_) return bucket_->count(name + '/');
    for (const storage::Entry& entry : disk_->list("")) {
      if (entry.name == name) return std::ssize(disk_->list(name)) + 1;  // the directory counts, too
    }
    return 0;
  }
  std::int64_t torn() const {
    return is_objects_ ? bucket_->count("torn-")
                       : std::ranges::count_if(disk_->list(""), [](const auto& e) { return e.name.starts_with("torn-"); });
  }

 private:
  void fail(const std::string& line) const {
    if (!failing.empty() && line.starts_with("remove") && line.find(failing) != std::string::npos)
      base::fail(Status::io, "injected: ", line);
  }

  bool is_objects_;
  std::shared_ptr<Bucket> bucket_ = std::make_shared<Bucket>();
  std::shared_ptr<storage::Storage> disk_ = storage::make_memory_storage();
  std::shared_ptr<storage::Storage> storage_;
};

// Returns the parts that cannot be removed: the first file, the last file, the directory (objects have none: one request removes
// their files).
std::vector<std::string> parts(bool is_objects) {
  if (is_objects) return {"model.safetensors"};
  return {"model.safetensors", "optimizer.safetensors", "remove_directory"};
}

class Leftovers : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Storages, Leftovers, testing::Bool(), [](const auto& given) { return given.param ? "objects" : "disk"; });

TEST_P(Leftovers, OfRetentionAreRemovedByALaterSave) {
  for (const std::string& part : parts(GetParam())) {
    Store store(GetParam());
    state::Checkpoint writer(store.storage(), keeping(1));
    const std::string first = save_step(writer, 1).name;
    Warnings warnings;
    store.failing = part;
    save_step(writer, 2);
    EXPECT_TRUE(warnings.mention(first)) << warnings.text();
    EXPECT_GT(store.files(first), 0) << part;
    const std::string third = save_step(writer, 3).name;  // fails again
    EXPECT_GT(store.files(first), 0) << part;
    store.failing = "";
    save_step(writer, 4);
    EXPECT_EQ(store.files(first), 0) << part;
    EXPECT_EQ(store.files(third), 0) << part;
    EXPECT_EQ(writer.list().size(), 1U);
    EXPECT_EQ(store.torn(), 0);
  }
}

// A step higher than all later saves, as after resuming from an older checkpoint; and without any retention.
TEST_P(Leftovers, OfRemovalsByNameAreRemovedByALaterSave) {
  for (const std::string& part : parts(GetParam())) {
    for (const std::int64_t keep_last : {0, 5}) {
      Store store(GetParam());
      state::Checkpoint writer(store.storage(), keeping(keep_last));
      save_step(writer, 1);
      const std::string high = save_step(writer, 9).name;
      store.failing = part;
      EXPECT_EQ(status_of([&] { writer.remove(high); }), Status::io);
      store.failing = "";
      EXPECT_GT(store.files(high), 0) << part;
      save_step(writer, 2);
      EXPECT_EQ(store.files(high), 0) << part;
      EXPECT_EQ(writer.list().size(), 2U);
    }
  }
}

// If a removal has not begun, the checkpoint is still complete, and no later save may remove it.
TEST_P(Leftovers, ARemovalThatHasNotStartedIsNotRepeated) {
  Store store(GetParam());
  state::Checkpoint writer(store.storage(), {});
  save_step(writer, 1);
  const std::string second = save_step(writer, 2).name;
  save_step(writer, 3);
  store.failing = GetParam() ? "commits/" : "manifest.json";
  EXPECT_EQ(status_of([&] { writer.remove(second); }), Status::io);
  store.failing = "";
  save_step(writer, 4);
  EXPECT_EQ(writer.list().size(), 4U);
  EXPECT_NO_THROW(writer.verify(second));
}

// Loads 300, so that a save of 310 abandons 400 and 600.
void go_back(state::Checkpoint& writer) {
  Model model(-1);
  state::LoadOptions options;
  options.step = 300;
  writer.load(model.state, options);
}

// Saves 300, 400 and 600. Returns the path to remove for the removal of 600.
std::string save_three(state::Checkpoint& writer, bool is_objects) {
  save_step(writer, 300);
  save_step(writer, 400);
  const state::SaveResult last = save_step(writer, 600);
  return is_objects ? state::commit_path(last.commit_sequence) : last.name + "/manifest.json";
}

// The parent of the line remains as long as an abandoned checkpoint does.
TEST_P(Leftovers, ARemainingAbandonedCheckpointKeepsTheParent) {
  Store store(GetParam());
  std::string path;
  {
    state::Checkpoint writer(store.storage(), {});
    path = save_three(writer, GetParam());
  }
  state::Checkpoint writer(store.storage(), keeping(1));
  go_back(writer);
  const Warnings silent;
  store.failing = path;
  EXPECT_TRUE(save_step(writer, 310).rolled_back);
  EXPECT_EQ(steps_in(writer), "310 300 | 600 ");
  store.failing = "";
  save_step(writer, 320);
  EXPECT_EQ(steps_in(writer), "320 ");
}

TEST_P(Leftovers, ARemainingAbandonedCheckpointKeepsTheParentFromPruning) {
  Store store(GetParam());
  state::Checkpoint writer(store.storage(), {});
  const std::string path = save_three(writer, GetParam());
  go_back(writer);
  const Warnings silent;
  EXPECT_TRUE(save_step(writer, 310).rolled_back);
  store.failing = path;
  EXPECT_EQ(status_of([&] { writer.prune("last:1", false, 100); }), Status::io);
  EXPECT_EQ(steps_in(writer), "310 300 | 600 ");
  store.failing = "";
  writer.prune("last:1", false, 100);
  EXPECT_EQ(steps_in(writer), "310 ");
}

TEST_P(Leftovers, OfAFailedSaveAreRemovedByALaterSave) {
  Store store(GetParam());
  state::Checkpoint writer(store.storage(), {});
  save_step(writer, 1);

  class Stopped final : public state::SaveSource {
   public:
    void commit_point() override { base::fail(Status::cancelled, "stopped"); }
  };
  Stopped stopped;
  Model model(2);
  state::SaveOptions options;
  options.step = 2;
  store.failing = "optimizer.safetensors";
  if (GetParam()) store.failing = "model.safetensors";
  EXPECT_EQ(status_of([&] { writer.save_gathered(model.state.assembled(), writer.checked(options), stopped); }), Status::cancelled);
  store.failing = "";
  const auto left = [&] { return GetParam() || writer.list().size() > 1; };
  EXPECT_TRUE(left());
  save_step(writer, 3);
  EXPECT_EQ(writer.list().size(), 2U);
}

}  // namespace
