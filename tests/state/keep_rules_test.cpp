// Retention by rules and by a function, pins, and pruning.
#include <gtest/gtest.h>

#include "faulty_storage.h"
#include "fixture.h"
#include "state/manager/checkpoint.h"
#include "state/pin.h"

namespace {

using ckpt::base::Status;
using namespace ckpt::state;
using namespace ckpt::tests;
namespace storage = ckpt::storage;

// A run with a simulated clock.
class SavedRun {
 public:
  explicit SavedRun(const std::string& keep_rules) { options.keep_rules = keep_rules; }

  Checkpoint& checkpoint() {
    options.utc_ns = [this] { return now * 1'000'000'000; };
    if (checkpoint_ == nullptr) checkpoint_ = std::make_unique<Checkpoint>(disk, options);
    return *checkpoint_;
  }
  // Continues as another process would.
  void reopen() { checkpoint_.reset(); }
  std::string save(std::int64_t step, std::optional<double> metric = {}) {
    Model model(static_cast<float>(step));
    SaveOptions how;
    how.step = step;
    how.metric = metric;
    return checkpoint().save(model.state, how).name;
  }
  std::string steps() {
    std::string out;
    for (const Found& found : checkpoint().list()) out += ckpt::base::cat(found.step, found.pinned ? "! " : " ");
    return out;
  }

  CheckpointOptions options;
  std::int64_t now = 1'700'000'000;  // in seconds
  std::shared_ptr<Faults> faults = std::make_shared<Faults>();
  std::shared_ptr<storage::Storage> disk = std::make_shared<FaultyStorage>(storage::make_memory_storage(), faults);

 private:
  std::unique_ptr<Checkpoint> checkpoint_;
};

std::string steps_of(const std::vector<Found>& all) {
  std::string out;
  for (const Found& found : all) out += ckpt::base::cat(found.step, ' ');
  return out;
}

TEST(StateKeepRules, CheckpointsKeptByAnyRuleRemain) {
  SavedRun run("last:2, every:4,best:1:max, best:1");
  const double metrics[] = {5, 1, 3, 9, 8, 2, 7, 6, 7, 8};
  for (int step = 1; step <= 10; ++step) run.save(step, metrics[step - 1]);
  EXPECT_EQ(run.steps(), "10 9 8 4 2 ");
  run.save(11);
  EXPECT_EQ(run.steps(), "11 10 8 4 2 ");
}

// The clock is set ahead by years: recent checkpoints do not become old, and each rule logs the change once.
TEST(StateKeepRules, NewerDoesNotCountAClockThatIsSetAhead) {
  SavedRun run("newer:1h");
  std::int64_t elapsed = 0;
  run.options.elapsed_ns = [&elapsed] { return elapsed * 1'000'000'000; };
  const auto pass = [&](std::int64_t seconds) {
    run.now += seconds;
    elapsed += seconds;
  };
  constexpr std::int64_t years = 300'000'000;
  run.save(1);
  pass(1800);
  run.save(2);
  pass(900);
  const Warnings warnings;
  run.now += years;
  run.save(3);
  EXPECT_EQ(run.steps(), "3 2 1 ");
  EXPECT_TRUE(warnings.mention("the clock was set ahead by 300000000 s since this writer opened")) << warnings.text();
  pass(900);
  run.save(4);
  EXPECT_EQ(run.steps(), "4 3 2 ") << "the first one is an hour old";
  EXPECT_EQ(steps_of(run.checkpoint().prune("newer:20m", true, 9)), "2 ");
  pass(3600);
  run.save(5);
  EXPECT_EQ(run.steps(), "5 ");
  EXPECT_EQ(std::ranges::count(warnings.text(), '\n'), 2) << "one for each use of a rule: " << warnings.text();
}

TEST(StateKeepRules, NewerKeepsCheckpointsFromTheFuture) {
  SavedRun run("newer:1h");
  run.now += 300'000'000;
  run.save(1);
  run.save(2);
  run.reopen();
  run.now -= 300'000'000;
  const Warnings warnings;
  run.save(3);
  run.save(4);
  EXPECT_EQ(run.steps(), "4 3 2 1 ");
  EXPECT_TRUE(warnings.mention("was saved 300000000 s in the future")) << warnings.text();
  EXPECT_EQ(std::ranges::count(warnings.text(), '\n'), 1) << warnings.text();
  run.reopen();
  run.now += 310'000'000;  // sets the clock far ahead
  run.checkpoint().prune("", false, 9);
  EXPECT_EQ(run.steps(), "4 ") << "never the newest";
}

TEST(StateKeepRules, NewerUsesTheTimeOfTheSave) {
  SavedRun run("newer:1h");
  run.save(1);
  run.now += 1800;
  run.save(2);
  run.now += 1799;
  run.save(3);
  EXPECT_EQ(run.steps(), "3 2 1 ");
  EXPECT_EQ(run.checkpoint().list().at(1).saved_utc_ns, 1'700'001'800'000'000'000);
  run.now += 1;
  run.save(4);
  EXPECT_EQ(run.steps(), "4 3 2 ");
  run.now += 1'000'000;
  run.save(5);
  EXPECT_EQ(run.steps(), "5 ");
  run.now = 0;  // an unknown time is never too old
  run.save(6);
  run.now = 2'000'000'000;
  run.save(7);
  EXPECT_EQ(run.steps(), "7 6 ");
}

TEST(StateKeepRules, TheNewestValidAndTheLastSavedAreAlwaysKept) {
  SavedRun run("every:100");
  run.save(7);
  run.save(8);
  EXPECT_EQ(run.steps(), "8 ");
  run.save(3);  // a lower step: a load still takes the other one
  EXPECT_EQ(run.steps(), "8 3 ");
  run.save(100);
  run.save(101);
  EXPECT_EQ(run.steps(), "101 100 ");
}

TEST(StateKeepRules, RulesFieldsAndAFunctionAddUp) {
  SavedRun run("every:5");
  run.options.keep_last = 1;
  std::string asked;
  run.options.keep = [&](const Found& found) {
    asked += ckpt::base::cat(found.step, found.pinned ? "! " : " ");
    return found.metric == 2.0;
  };
  run.save(5);
  run.save(6, 2.0);
  EXPECT_EQ(asked, "");
  run.save(7);
  run.checkpoint().pin(6);
  run.save(8);
  EXPECT_EQ(run.steps(), "8 6! 5 ");
  EXPECT_EQ(asked, "6 7 6! ");
}

TEST(StateKeepRules, AFunctionThatFailsKeepsAll) {
  SavedRun run("");
  run.options.keep = [](const Found&) -> bool { ckpt::base::fail(Status::callback, "who knows"); };
  run.save(1);
  const Warnings warnings;
  run.save(2);
  EXPECT_TRUE(warnings.mention("cannot remove old checkpoints: who knows")) << warnings.text();
  EXPECT_EQ(run.steps(), "2 1 ");
  EXPECT_ERROR(run.checkpoint().prune("", true, 0), Status::callback, "who knows");
}

TEST(StateKeepRules, InvalidRulesAreReportedWithTheirPosition) {
  const auto refused = [](const std::string& text, const char* what) {
    SavedRun run(text);
    SCOPED_TRACE(text);
    EXPECT_ERROR(run.checkpoint(), Status::invalid_argument, what);
  };
  refused("last:3, evry:100",
          "keep_rules 'last:3, evry:100': rule 2, 'evry:100': unknown rule 'evry'; known: last:COUNT, every:STEPS, "
          "best:COUNT[:ORDER], newer:AGE");
  refused("last", "rule 1, 'last': the rule is last:COUNT; 0 values");
  refused("last:0", "count is 0; expected 1 ..");
  refused("last:x", "count is 'x'");
  refused("last:1:2", "2 values");
  refused("best:1:largest", "order is 'largest'; expected min or max");
  refused("every:-5", "steps is -5");
  refused("every:99999999999999999999", "steps is '99999999999999999999'");
  refused("newer:24y", "age is '24y'; expected a whole number of seconds");
  refused("newer:-1h", "age is '-1h'; expected at least 0");
  refused("newer:9999999999999999w", "more than INT64_MAX seconds");
  refused("last:1,", "rule 2, ''");
  refused(",", "rule 1, ''");
  refused("last:1;every:2", "rule 1");
  refused("last:1\xff", "not valid UTF-8");
}

TEST(StatePins, APinnedOneIsNeverRemoved) {
  SavedRun run("last:1");
  const std::string first = run.save(1);
  run.checkpoint().pin(1);
  run.checkpoint().pin(1);  // already pinned
  run.save(2);
  run.save(3);
  EXPECT_EQ(run.steps(), "3 1! ");
  EXPECT_ERROR(run.checkpoint().remove(first), Status::invalid_state, "is pinned");
  run.reopen();
  run.save(4);
  EXPECT_EQ(run.steps(), "4 1! ");
  EXPECT_EQ(run.checkpoint().verify(first).files, 2);
  Model model(0);
  LoadOptions options;
  options.step = 1;
  EXPECT_EQ(run.checkpoint().load(model.state, options).name, first);
  run.checkpoint().unpin(1);
  run.checkpoint().unpin(1);  // not pinned
  EXPECT_EQ(run.steps(), "4 1 ");
  run.save(5);
  EXPECT_EQ(run.steps(), "5 ");
  EXPECT_ERROR(run.checkpoint().pin(1), Status::not_found, "step 1");
  EXPECT_ERROR(run.checkpoint().unpin(1), Status::not_found, "step 1");
}

TEST(StatePins, PinsTheNewestValidOfEqualStepsAndUnpinsAll) {
  SavedRun run("");
  const std::string first = run.save(1);
  run.checkpoint().pin(1);
  const std::string second = run.save(1);
  const std::string third = run.save(1);
  run.disk->remove(third + "/model.safetensors");
  run.checkpoint().pin(1);
  for (const Found& found : run.checkpoint().list()) EXPECT_EQ(found.pinned, found.name != third) << found.name;
  run.checkpoint().unpin(1);
  EXPECT_EQ(run.steps(), "1 1 1 ");
}

// A checkpoint known to be bad is removed once it is older than all that rules keep; a pinned one remains, and protects no others.
TEST(StatePins, DoNotProtectOthers) {
  SavedRun run("last:1");
  run.save(1);
  run.checkpoint().pin(1);
  const std::string second = run.save(2);
  run.disk->remove(second + "/model.safetensors");
  const Warnings silent;
  run.save(3);
  EXPECT_EQ(run.steps(), "3 1! ");
  run.disk->remove(run.checkpoint().list().at(1).name + "/model.safetensors");
  run.save(4);
  EXPECT_EQ(run.steps(), "4 1! ");
}

TEST(StatePins, AssumedPinnedInDoubt) {
  SavedRun run("last:1");
  run.save(1);
  run.faults->only = "list";
  int lists = 0;  // listings of its directory: for its pin, and again before it is removed
  run.faults->before = [&](const std::string& line) {
    const bool is_the_first = line.starts_with("list step-000000000001") && ++lists == 1;
    run.faults->fail_at = is_the_first ? run.faults->counted : -1;
  };
  run.save(2);
  run.faults->before = {};
  run.faults->fail_at = -1;
  EXPECT_EQ(run.steps(), "2 1 ");
}

TEST(StatePins, AreDurableWhenTheCallReturns) {
  SavedRun run("");
  const std::string name = run.save(1);
  run.faults->log.clear();
  run.checkpoint().pin(1);
  const std::string file = name + "/pinned";
  EXPECT_EQ(std::vector(run.faults->log.end() - 3, run.faults->log.end()),
            (std::vector<std::string>{"create " + file, "sync " + file, "sync_directory " + name}));
  run.checkpoint().unpin(1);
  EXPECT_EQ(std::vector(run.faults->log.end() - 2, run.faults->log.end()),
            (std::vector<std::string>{"remove " + file, "sync_directory " + name}));
  // An error of any operation is reported, and the pin can be retried.
  for (const char* kind : {"create", "sync", "sync_directory"}) {
    run.faults->only = kind;
    run.faults->counted = 0;
    run.faults->fail_at = 0;
    EXPECT_ERROR(run.checkpoint().pin(1), Status::io, "injected");
    run.checkpoint().pin(1);
    EXPECT_EQ(run.steps(), "1! ");
    run.checkpoint().unpin(1);
  }
}

TEST(StatePins, BelongToTheWriter) {
  SavedRun run("");
  run.save(1);
  CheckpointOptions options;
  options.read_only = true;
  Checkpoint reader(run.disk, options);
  EXPECT_ERROR(reader.pin(1), Status::invalid_state, "read-only");
  EXPECT_ERROR(reader.unpin(1), Status::invalid_state, "read-only");
  EXPECT_ERROR(reader.prune("last:1", false, 9), Status::invalid_state, "read-only");
  EXPECT_EQ(std::ssize(reader.prune("last:1", true, 0)), 0);
}

TEST(StatePrune, RemovesTheSameAsASave) {
  SavedRun run("");
  for (int step = 1; step <= 6; ++step) run.save(step);
  run.checkpoint().pin(2);
  EXPECT_EQ(steps_of(run.checkpoint().prune("", false, 9)), "");  // all remain
  EXPECT_EQ(steps_of(run.checkpoint().prune("last:2,every:4", true, 9)), "3 1 ");
  EXPECT_EQ(steps_of(run.checkpoint().prune("last:2,every:4", false, 1)), "3 1 ");  // too small an array: nothing is removed
  EXPECT_EQ(run.steps(), "6 5 4 3 2! 1 ");
  EXPECT_EQ(steps_of(run.checkpoint().prune("last:2,every:4", false, 2)), "3 1 ");
  EXPECT_EQ(run.steps(), "6 5 4 2! ");
  run.save(0);  // the last committed one remains, too
  EXPECT_EQ(steps_of(run.checkpoint().prune("last:1", false, 9)), "5 4 ");
  EXPECT_EQ(run.steps(), "6 2! 0 ");
  EXPECT_ERROR(run.checkpoint().prune("last:", false, 9), Status::invalid_argument, "rule 1");
  run.faults->only = "remove";
  run.faults->counted = 0;
  run.faults->fail_at = run.disk->is_objects() ? 0 : 2;  // on a disk after examining each of the two
  run.save(7);
  EXPECT_ERROR(run.checkpoint().prune("last:1", false, 9), Status::io, "cannot remove");
  EXPECT_EQ(steps_of(run.checkpoint().prune("last:1", false, 9)).empty(), false);
  EXPECT_EQ(run.steps(), "7 2! ");
}

TEST(StatePrune, TheManagersOwnRules) {
  SavedRun run("");
  for (int step = 1; step <= 3; ++step) run.save(step);
  run.reopen();
  run.options.keep_last = 2;
  EXPECT_EQ(steps_of(run.checkpoint().prune("", false, 9)), "1 ");
  EXPECT_EQ(run.steps(), "3 2 ");
}

}  // namespace
