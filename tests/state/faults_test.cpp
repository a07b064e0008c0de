// The order of a save's operations, and the result if the Nth of them fails: for every N until none fails.
#include <gtest/gtest.h>

#include "faulty_storage.h"
#include "fixture.h"

namespace {

using ckpt::base::Status;
using namespace ckpt::state;
using namespace ckpt::tests;
namespace storage = ckpt::storage;

std::string joined(const std::vector<std::string>& log, const std::string& step) {
  std::string out;
  for (std::string line : log) {
    for (std::size_t at = line.find(step); at != std::string::npos; at = line.find(step)) line.replace(at, step.size(), "S");
    out += line + "\n";
  }
  return out;
}

TEST(StateFaults, ASaveIsCommittedInThisOrder) {
  const auto faults = std::make_shared<Faults>();
  Checkpoint checkpoint(std::make_shared<FaultyStorage>(storage::make_memory_storage(), faults), {});
  faults->log.clear();
  const std::string step = save_step(checkpoint, 1).name;
  EXPECT_EQ(joined(faults->log, step), R"(make_directory S
create S/model.safetensors.tmp1
write S/model.safetensors.tmp1
sync S/model.safetensors.tmp1
rename S/model.safetensors.tmp1 S/model.safetensors
create S/optimizer.safetensors.tmp1
write S/optimizer.safetensors.tmp1
sync S/optimizer.safetensors.tmp1
rename S/optimizer.safetensors.tmp1 S/optimizer.safetensors
sync_directory S
create S/manifest.json.tmp1
write S/manifest.json.tmp1
sync S/manifest.json.tmp1
rename S/manifest.json.tmp1 S/manifest.json
sync_directory S
sync_directory 
)");
}

TEST(StateFaults, OldCheckpointsAreRemovedOnlyAfterTheLastSync) {
  const auto faults = std::make_shared<Faults>();
  Checkpoint checkpoint(std::make_shared<FaultyStorage>(storage::make_memory_storage(), faults), {false, 1});
  save_step(checkpoint, 1);
  faults->log.clear();
  save_step(checkpoint, 2);
  const auto acknowledged = std::ranges::find(faults->log, "sync_directory ");
  const auto removal = std::ranges::find_if(
      faults->log, [](const std::string& line) { return line.starts_with("remove") && !line.ends_with(".look"); });
  ASSERT_NE(removal, faults->log.end());
  EXPECT_LT(acknowledged, removal);
  EXPECT_NE(removal->find("manifest.json"), std::string::npos);  // the manifest is removed first
}

TEST(StateFaults, AfterAFailedSyncTheFileIsRewrittenUnderAnotherName) {
  for (const char* file : {"model.safetensors", "optimizer.safetensors", "manifest.json"}) {
    const auto faults = std::make_shared<Faults>();
    const auto disk = storage::make_memory_storage();
    Checkpoint checkpoint(std::make_shared<FaultyStorage>(disk, faults), {});
    faults->only = "sync";
    faults->counted = 0;  // creating the checkpoint was counted
    faults->fail_at = file == std::string("model.safetensors") ? 0 : file == std::string("optimizer.safetensors") ? 1 : 2;
    const std::string step = save_step(checkpoint, 1).name;
    EXPECT_EQ(faults->fired, 1);
    const std::string log = joined(faults->log, step);
    const std::string name = std::string("S/") + file;
    EXPECT_NE(log.find("sync " + name + ".tmp1\nremove " + name + ".tmp1\ncreate " + name + ".tmp2\nwrite " + name +
                       ".tmp2\nsync " + name + ".tmp2\nrename " + name + ".tmp2 " + name + "\n"),
              std::string::npos)
        << log;
    EXPECT_EQ(names_in(*disk, step), "manifest.json model.safetensors optimizer.safetensors ");
    EXPECT_NO_THROW(checkpoint.verify(step));
  }
}

TEST(StateFaults, SyncThatKeepsFailingFailsTheSave) {
  const auto faults = std::make_shared<Faults>();
  const auto disk = storage::make_memory_storage();
  Checkpoint checkpoint(std::make_shared<FaultyStorage>(disk, faults), {});
  faults->only = "sync";
  faults->fail_at = 0;
  faults->and_all_later = true;
  EXPECT_ERROR(save_step(checkpoint, 1), Status::io, "sync");
  EXPECT_EQ(faults->fired, 3);
  EXPECT_EQ(names_in(*disk, ""), "");
}

TEST(StateFaults, AReaderFindsWhatAWriterCommittedMeanwhile) {
  const auto disk = storage::make_memory_storage();
  Checkpoint writer(disk, {false, 1});
  save_step(writer, 1);
  const auto faults = std::make_shared<Faults>();
  Checkpoint reader(std::make_shared<FaultyStorage>(disk, faults), {true, 0});
  int step = 1;
  faults->before = [&](const std::string& line) {
    // Three times, the checkpoint that the reader has chosen is removed just before it opens one of its files.
    if (step < 4 && line.starts_with("open") && line.ends_with("model.safetensors")) save_step(writer, ++step);
  };
  Model model(0);
  EXPECT_EQ(reader.load(model.state, {}).step, 4);
  EXPECT_EQ(model.value(), 4);
}

struct Sweep {
  Status status;
  bool and_all_later;
};

class StateFaultSweep : public testing::TestWithParam<Sweep> {
 protected:
  // Step 1 is acknowledged; then faults begin.
  StateFaultSweep() {
    Checkpoint checkpoint(disk, {});
    first = save_step(checkpoint, 1).name;
  }
  void arm(std::int64_t number) {
    faults->fail_at = number;
    faults->and_all_later = GetParam().and_all_later;
    faults->status = GetParam().status;
    faults->counted = 0;
  }

  std::shared_ptr<storage::Storage> disk = storage::make_memory_storage();
  std::shared_ptr<Faults> faults = std::make_shared<Faults>();
  std::string first;
};

INSTANTIATE_TEST_SUITE_P(State, StateFaultSweep,
                         testing::Values(Sweep{Status::io, false}, Sweep{Status::io, true}, Sweep{Status::no_space, false},
                                         Sweep{Status::no_space, true}, Sweep{Status::permission, true}),
                         [](const auto& instance) {
                           return std::string(ckpt::base::status_name(instance.param.status)) +
                                  (instance.param.and_all_later ? "_forever" : "_once");
                         });

// Runs one save of step 2 with a failing Nth operation, in a new storage; sets done if no operation failed.
void save_with_fault(std::int64_t number, const Sweep& sweep, bool& done) {
  const auto disk = storage::make_memory_storage();
  const auto faults = std::make_shared<Faults>();
  std::string first;
  bool acknowledged = true;
  {
    Checkpoint checkpoint(std::make_shared<FaultyStorage>(disk, faults), {false, 1});
    first = save_step(checkpoint, 1).name;
    faults->counted = 0;
    faults->fail_at = number;
    faults->and_all_later = sweep.and_all_later;
    faults->status = sweep.status;
    try {
      save_step(checkpoint, 2);
    } catch (const ckpt::base::Error& error) {
      acknowledged = false;
      EXPECT_EQ(error.status(), sweep.status) << error.message();
    }
    done = faults->fired == 0;
    faults->fail_at = -1;
    // A transient failure has left nothing.
    const bool cleaned = !acknowledged && !sweep.and_all_later;
    EXPECT_TRUE(!cleaned || names_in(*disk, "") == first + "/ ") << names_in(*disk, "");
  }
  // The next process loads the acknowledged one or a newer complete one, and never a partial one.
  Checkpoint checkpoint(disk, {});
  Model model(0);
  const LoadResult loaded = checkpoint.load(model.state, {});
  EXPECT_EQ(model.value(), static_cast<float>(loaded.step));
  EXPECT_GE(loaded.step, acknowledged ? 2 : 1);
  for (const Found& found : checkpoint.list()) {
    EXPECT_EQ(found.condition, Condition::complete) << found.name << ": " << found.problem;
    EXPECT_NO_THROW(checkpoint.verify(found.name));
  }
  EXPECT_EQ(save_step(checkpoint, 3).step, 3);
}

TEST_P(StateFaultSweep, OfASave) {
  bool done = false;
  std::int64_t number = 0;
  for (; !done; ++number) {
    SCOPED_TRACE(number);
    ASSERT_LT(number, 1000);
    save_with_fault(number, GetParam(), done);
  }
  EXPECT_GT(number, 25);
}

TEST_P(StateFaultSweep, OfALoad) {
  {
    Checkpoint checkpoint(disk, {});
    save_step(checkpoint, 2);
  }
  const std::string before = names_in(*disk, "");
  Checkpoint checkpoint(std::make_shared<FaultyStorage>(disk, faults), {});
  for (std::int64_t number = 0;; ++number) {
    SCOPED_TRACE(number);
    ASSERT_LT(number, 1000);
    arm(number);
    const std::int64_t fired = faults->fired;
    Model model(9);
    try {
      const LoadResult loaded = checkpoint.load(model.state, {});
      EXPECT_EQ(model.value(), static_cast<float>(loaded.step));
    } catch (const ckpt::base::Error& error) {
      EXPECT_EQ(error.status(), GetParam().status) << error.message();
      EXPECT_EQ(model.value(), 9);
    }
    EXPECT_EQ(names_in(*disk, ""), before);  // unreadable bytes do not count as damage
    if (faults->fired == fired) break;
  }
}

TEST_P(StateFaultSweep, OfAnOpenThatRecovers) {
  for (std::int64_t number = 0;; ++number) {
    SCOPED_TRACE(number);
    ASSERT_LT(number, 1000);
    disk->make_directory(ckpt::base::cat("step-00000000000", number % 10, "-0000000", number % 10));  // an interrupted save
    arm(number);
    const std::int64_t fired = faults->fired;
    try {
      Checkpoint checkpoint(std::make_shared<FaultyStorage>(disk, faults), {});
    } catch (const ckpt::base::Error& error) {
      EXPECT_EQ(error.status(), GetParam().status) << error.message();
    }
    Checkpoint healthy(disk, {});  // the lock is free again, and step 1 still exists
    Model model(0);
    EXPECT_EQ(healthy.load(model.state, {}).step, 1);
    if (faults->fired == fired) break;
    for (const auto& entry : disk->list("")) {
      if (entry.name == first) continue;
      for (const auto& left : disk->list(entry.name)) {
        EXPECT_EQ(left.name, ".look");  // the next retention removes it with the directory
        disk->remove(entry.name + '/' + left.name);
      }
      disk->remove_directory(entry.name);
    }
  }
}

}  // namespace
