// A lock file that another program removes or replaces: a second writer opens, and the first one is refused before it commits.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

#include "fixture.h"
#include "storage/file_system.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

namespace fs = std::filesystem;

// Calls a function after all files are written and before anything is committed.
class AtCommit final : public state::SaveSource {
 public:
  explicit AtCommit(std::function<void()> action) : action_(std::move(action)) {}
  void commit_point() override { action_(); }

 private:
  std::function<void()> action_;
};

void expect_busy(const std::function<void()>& call) {
  std::string message;
  EXPECT_EQ(status_of(call, &message), Status::busy);
  EXPECT_NE(message.find(".lock', which this writer has locked, was removed or replaced by another program"), std::string::npos)
      << message;
}

void replace(const Scratch& scratch) {
  std::ofstream(scratch / "other") << "1\n";
  fs::rename(scratch / "other", scratch / ".lock");
}

TEST(LostLock, TheFirstWriterIsRefusedAndNothingIsLost) {
  for (const bool is_replaced : {false, true}) {
    const Scratch scratch;
    state::Checkpoint first(disk_in(scratch), keeping(1));
    const std::string saved = save_step(first, 1).name;
    if (is_replaced) {
      replace(scratch);
    } else {
      fs::remove(scratch / ".lock");
    }
    state::Checkpoint second(disk_in(scratch), {});
    expect_busy([&] { save_step(first, 2); });
    expect_busy([&] { first.remove(saved); });
    expect_busy([&] { first.pin(1); });
    expect_busy([&] { first.prune("last:1", false, 9); });
    save_step(second, 3);
    expect_busy([&] { save_step(first, 4); });
    EXPECT_EQ(second.list().size(), 2U);
    EXPECT_NO_THROW(second.verify(saved));
    EXPECT_EQ(first.list().size(), 2U);  // reading still works
    Model model(-1);
    EXPECT_EQ(first.load(model.state, {}).step, 3);
  }
}

// Between the files and the manifest: the save leaves nothing.
TEST(LostLock, IsDetectedBeforeTheCommit) {
  const Scratch scratch;
  state::Checkpoint first(disk_in(scratch), keeping(1));
  save_step(first, 1);
  std::unique_ptr<state::Checkpoint> second;
  AtCommit source([&] {
    fs::remove(scratch / ".lock");
    second = std::make_unique<state::Checkpoint>(disk_in(scratch), state::CheckpointOptions());
  });
  Model model(2);
  state::SaveOptions options;
  options.step = 2;
  expect_busy([&] { first.save_gathered(model.state.assembled(), first.checked(options), source); });
  EXPECT_EQ(save_step(*second, 2).commit_sequence, 2);
  std::int64_t complete = 0;
  for (const state::Found& found : second->list()) complete += found.condition == state::Condition::complete ? 1 : 0;
  EXPECT_EQ(complete, 2);
  EXPECT_EQ(second->latest().step, 2);
}

// A lock file that reappears does not restore the lock: a second writer may have saved in between.
TEST(LostLock, StaysLost) {
  const Scratch scratch;
  state::Checkpoint first(disk_in(scratch), {});
  fs::rename(scratch / ".lock", scratch / "aside");
  expect_busy([&] { save_step(first, 1); });
  fs::rename(scratch / "aside", scratch / ".lock");
  expect_busy([&] { save_step(first, 1); });
}

// A renamed root is still the same root, and a removed one has no second writer.
TEST(LostLock, IsNotCausedByChangesOfTheRoot) {
  const Scratch scratch;
  fs::create_directory(scratch / "run");
  {
    state::Checkpoint writer(storage::open_file_system(scratch / "run", storage::Root::must_exist), {});
    save_step(writer, 1);
    fs::rename(scratch / "run", scratch / "moved");
    save_step(writer, 2);
    EXPECT_EQ(writer.list().size(), 2U);
    fs::remove_all(scratch / "moved");
    const Status status = status_of([&] { save_step(writer, 3); });
    EXPECT_NE(status, Status::ok);
    EXPECT_NE(status, Status::busy);
  }
}

}  // namespace
