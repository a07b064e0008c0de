// Storages without a lock, where a second writer is detected by its commits. Also tests locks that are files.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "faulty_storage.h"
#include "fixture.h"
#include "storage/file_system.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

namespace fs = std::filesystem;

std::shared_ptr<storage::Storage> disk_in(const Scratch& scratch, storage::LockKind kind) {
  storage::WriteOptions options;
  options.lock = kind;
  return storage::open_file_system(scratch.path(), storage::Root::must_exist, options);
}

std::unique_ptr<state::Checkpoint> writer_in(const Scratch& scratch, storage::LockKind kind, std::int64_t keep_last = 0) {
  state::CheckpointOptions options;
  options.keep_last = keep_last;
  return std::make_unique<state::Checkpoint>(disk_in(scratch, kind), options);
}

std::unique_ptr<state::Checkpoint> without_lock(const Scratch& scratch, std::int64_t keep_last = 0) {
  return writer_in(scratch, storage::LockKind::none, keep_last);
}

std::string steps_of(state::Checkpoint& checkpoint) {
  std::string steps;
  for (const state::Found& found : checkpoint.list()) {
    if (found.condition == state::Condition::complete) steps += base::cat(found.step, ' ');
  }
  return steps;
}

void expect_second_writer(const std::string& text, const std::function<void()>& call) {
  std::string message;
  EXPECT_EQ(status_of(call, &message), Status::busy) << message;
  EXPECT_NE(message.find("has a second writer: "), std::string::npos) << message;
  EXPECT_NE(message.find(text), std::string::npos) << message;
}

// Calls action after all files are written and before anything is committed.
class AtCommit final : public state::SaveSource {
 public:
  explicit AtCommit(std::function<void()> action) : action_(std::move(action)) {}
  void commit_point() override { action_(); }

 private:
  std::function<void()> action_;
};

void save_with(state::Checkpoint& writer, int step, AtCommit&& source) {
  Model model(static_cast<float>(step));
  state::SaveOptions options;
  options.step = step;
  writer.save_gathered(model.state.assembled(), writer.checked(options), source);
}

TEST(StateNoLock, AWriterAloneSavesAndRemoves) {
  const Scratch scratch;
  const Warnings warnings;
  {
    const auto writer = without_lock(scratch, 2);
    for (int step = 1; step <= 4; ++step) save_step(*writer, step);
    EXPECT_EQ(steps_of(*writer), "4 3 ");
    writer->remove(writer->of_step(3).name);
  }
  const auto next = without_lock(scratch, 2);
  save_step(*next, 5);
  EXPECT_EQ(steps_of(*next), "5 4 ");
  EXPECT_EQ(warnings.text(), base::cat("state: ", base::quote(scratch.path()),
                                       " has no lock: a second writer is detected only when it commits a "
                                       "checkpoint\n") +
                                 base::cat("state: ", base::quote(scratch.path()),
                                           " has no lock: a second writer is detected only when it commits a "
                                           "checkpoint\n"));
}

TEST(StateNoLock, ASecondWritersCommitStopsTheFirst) {
  const Scratch scratch;
  const auto first = without_lock(scratch, 1);
  save_step(*first, 1);
  const auto second = without_lock(scratch, 1);
  const std::string saved = save_step(*second, 2).name;
  for (int tries = 0; tries < 2; ++tries)
    expect_second_writer(base::cat("it has committed ", base::quote(saved), " with commit sequence 2"),
                         [&] { save_step(*first, 3); });
  expect_second_writer("", [&] { first->remove(saved); });
  expect_second_writer("", [&] { first->prune("last:1", false, 9); });
  save_step(*second, 4);
  EXPECT_EQ(steps_of(*second), "4 ");
  EXPECT_EQ(names_in(*disk_in(scratch, storage::LockKind::none), ""), second->latest().name + "/ ")
      << "a refused save leaves nothing";
  save_step(*without_lock(scratch), 5);
  expect_second_writer("", [&] { save_step(*second, 6); });
}

TEST(StateNoLock, ItIsDetectedBeforeTheCommit) {
  const Scratch scratch;
  const auto first = without_lock(scratch, 1);
  const auto second = without_lock(scratch);
  expect_second_writer("it has committed", [&] { save_with(*first, 1, AtCommit([&] { save_step(*second, 2); })); });
  EXPECT_EQ(steps_of(*second), "2 ");
}

std::unique_ptr<state::Checkpoint> watched(const Scratch& scratch, const std::shared_ptr<Faults>& faults) {
  state::CheckpointOptions options;
  options.keep_last = 1;
  return std::make_unique<state::Checkpoint>(std::make_shared<FaultyStorage>(disk_in(scratch, storage::LockKind::none), faults),
                                             options);
}

bool is_commit(const std::string& operation) {
  return operation.starts_with("rename ") && operation.find("/manifest.json") != std::string::npos;
}

// Both writers checked for a second writer before either committed: neither removes the other's checkpoints.
TEST(StateNoLock, TwoCommitsAtTheSameTimeAreBothKept) {
  const Scratch scratch;
  const auto faults = std::make_shared<Faults>();
  const auto first = watched(scratch, faults);
  save_step(*first, 5);
  const auto second = without_lock(scratch);
  bool has_saved = false;
  faults->before = [&](const std::string& operation) {
    if (!is_commit(operation) || has_saved) return;
    has_saved = true;
    save_step(*second, 7);
  };
  const Warnings warnings;
  save_step(*first, 6);
  EXPECT_TRUE(warnings.mention("cannot remove old checkpoints: ")) << warnings.text();
  EXPECT_EQ(steps_of(*second), "7 6 5 ");
  for (state::Checkpoint* const writer : {first.get(), second.get()})
    expect_second_writer("it has committed", [&] { save_step(*writer, 8); });
}

// A second writer commits between the last check for one and the listing from which retention chooses.
TEST(StateNoLock, RetentionRemovesOnlyCheckpointsKnownToItsWriter) {
  const Scratch scratch;
  const Scratch other;
  state::Checkpoint foreign(disk_in(other, storage::LockKind::flock), {});
  save_step(foreign, 1);
  const std::string theirs = save_step(foreign, 2).name;
  const auto faults = std::make_shared<Faults>();
  const auto first = watched(scratch, faults);
  save_step(*first, 5);
  int lists = -1;  // listings of the root since the commit; -1 before it
  faults->before = [&](const std::string& operation) {
    if (is_commit(operation)) lists = 0;
    if (lists < 0 || operation != "list " || ++lists != 2) return;
    fs::copy(other / theirs, scratch / theirs, fs::copy_options::recursive);
  };
  save_step(*first, 6);
  faults->before = {};
  EXPECT_EQ(steps_of(*first), "6 2 ");
  expect_second_writer(theirs, [&] { save_step(*first, 7); });
}

// A second writer that opens treats a save in progress as an interrupted one.
TEST(StateNoLock, ASecondWriterThatOpensStopsASave) {
  const Scratch scratch;
  const auto first = without_lock(scratch);
  std::unique_ptr<state::Checkpoint> second;
  expect_second_writer("it has renamed", [&] { save_with(*first, 1, AtCommit([&] { second = without_lock(scratch); })); });
  save_step(*second, 2);
  EXPECT_EQ(steps_of(*second), "2 ");
}

// Copying an older checkpoint into the directory does not count as a second writer.
TEST(StateNoLock, CopiesOfOlderCheckpointsAreAllowed) {
  const Scratch scratch;
  const Scratch other;
  const std::string copied = save_step(*without_lock(other), 9).name;
  save_step(*without_lock(scratch), 1);
  const auto writer = without_lock(scratch);
  fs::copy(other / copied, scratch / copied, fs::copy_options::recursive);
  EXPECT_NO_THROW(save_step(*writer, 10));
}

// ---- Lock files ----

TEST(StateLockFile, AKilledWriterIsTakenOver) {
  const Scratch scratch;
  int from_child[2];
  ASSERT_EQ(::pipe(from_child), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto writer = writer_in(scratch, storage::LockKind::file);
    save_step(*writer, 1);
    if (::write(from_child[1], "!", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = '?';
  ASSERT_EQ(::read(from_child[0], &byte, 1), 1);
  std::string message;
  EXPECT_EQ(status_of([&] { writer_in(scratch, storage::LockKind::file); }, &message), Status::busy);
  EXPECT_NE(message.find(base::cat("is being written by process ", child)), std::string::npos) << message;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const auto writer = writer_in(scratch, storage::LockKind::file);
  save_step(*writer, 2);
  EXPECT_EQ(steps_of(*writer), "2 1 ");
  EXPECT_EQ(status_of([&] { writer_in(scratch, storage::LockKind::file); }), Status::busy) << "in the same process, too";
}

TEST(StateLockFile, ARemovedLockFileStopsTheWriterBeforeTheCommit) {
  for (const auto kind : {storage::LockKind::fcntl, storage::LockKind::file}) {
    const Scratch scratch;
    const auto writer = writer_in(scratch, kind);
    const fs::path lock = fs::directory_iterator(scratch.path())->path();
    std::string message;
    EXPECT_EQ(status_of([&] { save_with(*writer, 1, AtCommit([&] { fs::remove(lock); })); }, &message), Status::busy);
    EXPECT_NE(message.find("was removed or replaced by another program"), std::string::npos) << message;
    EXPECT_TRUE(fs::is_empty(scratch.path()));
  }
}

}  // namespace
