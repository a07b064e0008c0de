// A run that resumes from an earlier step, or a new run in an old directory: its checkpoints are the newest, whatever their steps.
#include <gtest/gtest.h>

#include "faulty_storage.h"
#include "fixture.h"
#include "object_store.h"
#include "state/commit_record.h"
#include "state/manifest_text.h"
#include "state/name.h"
#include "storage/file_system.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

// A storage for checkpoints that several processes open in turn.
class Place {
 public:
  virtual ~Place() = default;
  virtual std::shared_ptr<storage::Storage> open() = 0;
};

class DiskPlace final : public Place {
 public:
  std::shared_ptr<storage::Storage> open() override { return storage::open_file_system(scratch_ / "run", storage::Root::make); }

 private:
  Scratch scratch_;
};

class MemoryPlace final : public Place {
 public:
  std::shared_ptr<storage::Storage> open() override { return storage_; }

 private:
  std::shared_ptr<storage::Storage> storage_ = storage::make_memory_storage();
};

class ObjectsPlace final : public Place {
 public:
  explicit ObjectsPlace(Puts puts) : puts_(puts) {}
  std::shared_ptr<storage::Storage> open() override {
    const auto requests = std::make_shared<Requests>();
    requests->puts = puts_;
    return std::make_shared<BucketClient>(bucket_, requests);
  }

 private:
  const Puts puts_;
  std::shared_ptr<Bucket> bucket_ = std::make_shared<Bucket>();
};

struct Kind {
  const char* name;
  std::function<std::unique_ptr<Place>()> make;
};

state::LoadOptions named(const std::string& name) {
  state::LoadOptions options;
  options.name = name;
  return options;
}

state::LoadOptions of_step(std::int64_t step) {
  state::LoadOptions options;
  options.step = step;
  return options;
}

// Loads a checkpoint, checks that its tensors hold its step, and returns the step.
std::int64_t loaded(state::Checkpoint& checkpoint, const state::LoadOptions& options = {}) {
  Model model(-1);
  const std::int64_t step = checkpoint.load(model.state, options).step;
  EXPECT_EQ(model.value(), static_cast<float>(step));
  return step;
}

class RollBack : public testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<state::Checkpoint> open(const state::CheckpointOptions& options = {}) {
    return std::make_unique<state::Checkpoint>(place_->open(), options);
  }
  // Saves 300, 400, 500 and 600 with a writer that is then closed.
  void make_run() {
    const auto writer = open();
    for (const int step : {300, 400, 500, 600}) save_step(*writer, step);
  }
  std::int64_t resumed() {
    const auto reader = open(read_only());
    return loaded(*reader);
  }
  std::string steps() {
    const auto reader = open(read_only());
    return steps_in(*reader);
  }
  std::string name_of(std::int64_t step) {
    const auto reader = open(read_only());
    return reader->of_step(step).name;
  }
  void damage(const std::string& path) {
    const auto storage = place_->open();
    std::string bytes = read_file(*storage, path);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    replace_file(*storage, path, bytes);
  }

  std::unique_ptr<Place> place_ = GetParam().make();
};

TEST_P(RollBack, OfOneProcessKeepsTheNewRun) {
  const auto writer = open(keeping(4));
  for (const int step : {300, 400, 500, 600}) save_step(*writer, step);
  EXPECT_EQ(loaded(*writer, of_step(300)), 300);
  const Warnings warnings;
  const state::SaveResult first = save_step(*writer, 310);
  EXPECT_TRUE(first.rolled_back);
  EXPECT_EQ(first.generation, 1);
  EXPECT_TRUE(warnings.mention("step 310 is saved although step 600 exists: generation 1 continues from 'step-000000000300-"))
      << warnings.text();
  EXPECT_EQ(steps(), "310 300 | 600 500 ");
  for (const int step : {320, 330}) {
    const state::SaveResult saved = save_step(*writer, step);
    EXPECT_FALSE(saved.rolled_back);
    EXPECT_EQ(saved.generation, 1);
  }
  EXPECT_EQ(std::ranges::count(warnings.text(), '\n'), 1) << warnings.text();
  EXPECT_EQ(steps(), "330 320 310 300 ");
  EXPECT_EQ(resumed(), 330);
  EXPECT_EQ(writer->latest().step, 330);
}

TEST_P(RollBack, OfTwoProcessesKeepsTheNewRun) {
  make_run();
  {
    const auto writer = open(keeping(4));
    loaded(*writer, of_step(300));
    const Warnings warnings;
    EXPECT_TRUE(save_step(*writer, 310).rolled_back);
    EXPECT_TRUE(warnings.mention("generation 1"));
  }
  EXPECT_EQ(resumed(), 310);
  const Warnings warnings;
  const auto writer = open(keeping(4));
  EXPECT_EQ(loaded(*writer), 310);
  const state::SaveResult saved = save_step(*writer, 320);
  EXPECT_FALSE(saved.rolled_back);
  EXPECT_EQ(saved.generation, 1);
  EXPECT_EQ(warnings.text(), "");
  EXPECT_EQ(steps(), "320 310 300 | 600 ");
  EXPECT_EQ(resumed(), 320);
}

TEST_P(RollBack, KeepLastOneKeepsTheNewOne) {
  make_run();
  const auto writer = open(keeping(1));
  loaded(*writer, of_step(300));
  const Warnings silent;
  save_step(*writer, 310);
  EXPECT_EQ(steps(), "310 ");
  save_step(*writer, 320);
  EXPECT_EQ(steps(), "320 ");
  EXPECT_EQ(resumed(), 320);
}

TEST_P(RollBack, ANewRunInAnOldDirectoryIsTheNewest) {
  make_run();
  const auto writer = open(keeping(3));
  const Warnings warnings;
  EXPECT_TRUE(save_step(*writer, 10).rolled_back);
  EXPECT_TRUE(warnings.mention("is a new run: no checkpoint was loaded")) << warnings.text();
  EXPECT_EQ(steps(), "10 | 600 500 ");
  save_step(*writer, 20);
  save_step(*writer, 30);
  EXPECT_EQ(steps(), "30 20 10 ");
  EXPECT_EQ(resumed(), 30);
}

TEST_P(RollBack, FineTuningMayRestartItsSteps) {
  make_run();
  {
    const auto writer = open();
    EXPECT_EQ(loaded(*writer), 600);
    const Warnings silent;
    EXPECT_TRUE(save_step(*writer, 10).rolled_back);
  }
  EXPECT_EQ(resumed(), 10);
  EXPECT_EQ(steps(), "10 600 500 400 300 ");  // it resumes from 600: none is abandoned
  const auto writer = open();
  loaded(*writer);
  EXPECT_FALSE(save_step(*writer, 20).rolled_back);
  EXPECT_EQ(resumed(), 20);
}

TEST_P(RollBack, IsNotTakenForContinuingSteps) {
  make_run();
  const Warnings warnings;
  {
    const auto writer = open();
    loaded(*writer);
    EXPECT_FALSE(save_step(*writer, 600).rolled_back);  // the newest step again
  }
  {
    const auto writer = open();
    loaded(*writer, of_step(300));  // for evaluation
    EXPECT_FALSE(save_step(*writer, 610).rolled_back);
    EXPECT_FALSE(save_step(*writer, 605).rolled_back);  // not the first save
  }
  const auto writer = open();
  EXPECT_FALSE(save_step(*writer, 620).rolled_back);
  EXPECT_EQ(warnings.text(), "");
  EXPECT_EQ(steps(), "620 610 605 600 600 500 400 300 ");
  const auto storage = place_->open();
  for (const state::Found& found : writer->list()) {
    EXPECT_EQ(read_file(*storage, found.name + "/manifest.json").find("\"line\""), std::string::npos);
    EXPECT_EQ(names_in(*storage, found.name).find("line"), std::string::npos);
    EXPECT_EQ(found.name.find(".g"), std::string::npos);
  }
}

TEST_P(RollBack, ToAnOlderCheckpointOfTheNewestStep) {
  make_run();
  const auto writer = open();
  loaded(*writer, of_step(300));
  const Warnings silent;
  EXPECT_TRUE(save_step(*writer, 600).rolled_back);
  EXPECT_EQ(steps(), "600 300 | 600 500 400 ");
}

TEST_P(RollBack, ReadersListsAndOtherManagersDoNotCountAsLoads) {
  make_run();
  const auto writer = open();
  EXPECT_EQ(loaded(*writer), 600);
  const auto other = open(read_only());
  loaded(*other, of_step(300));
  writer->verify(name_of(300));
  writer->open_reader(name_of(300), state::Verify::full);
  writer->list();
  Model wrong(-1);
  wrong.state.add_tensor("model", "more", tensor::Tensor::create(tensor::Dtype::f32, {1}));
  EXPECT_NE(status_of([&] { writer->load(wrong.state, of_step(300)); }), Status::ok);  // the failed load has filled nothing
  EXPECT_FALSE(save_step(*writer, 600).rolled_back);
}

TEST_P(RollBack, LoadedThroughAnotherManagerBeginsANewRun) {
  make_run();
  const auto other = open(read_only());
  loaded(*other, of_step(300));
  const auto writer = open();
  const Warnings silent;
  EXPECT_TRUE(save_step(*writer, 310).rolled_back);  // the first save of this manager, which has loaded nothing
  EXPECT_EQ(steps(), "310 | 600 500 400 300 ");
  EXPECT_EQ(resumed(), 310);
}

TEST_P(RollBack, DamageOfTheFirstNewOneFallsBackToItsParent) {
  for (const char* file : {"/model.safetensors", "/manifest.json"}) {
    SCOPED_TRACE(file);
    place_ = GetParam().make();
    make_run();
    {
      const auto writer = open();
      loaded(*writer, of_step(300));
      const Warnings silent;
      save_step(*writer, 310);
    }
    damage(name_of(310) + file);
    const Warnings silent;
    EXPECT_EQ(resumed(), 300);
    EXPECT_NE(steps().find("310"), std::string::npos);
    // The next writer resumes from there, and no line is lost.
    {
      const auto writer = open();
      EXPECT_EQ(loaded(*writer), 300);
      const state::SaveResult saved = save_step(*writer, 310);
      EXPECT_TRUE(saved.rolled_back);
      EXPECT_EQ(saved.generation, 2);
    }
    EXPECT_EQ(resumed(), 310);
    const auto writer = open();
    loaded(*writer);
    EXPECT_FALSE(save_step(*writer, 320).rolled_back);
    EXPECT_EQ(resumed(), 320);
  }
}

TEST_P(RollBack, NothingUsableOnTheLineNamesTheNewestAbandonedOne) {
  make_run();
  {
    const auto writer = open();
    loaded(*writer, of_step(300));
    const Warnings silent;
    save_step(*writer, 310);
    writer->remove(name_of(300));
  }
  const std::string abandoned = name_of(600);
  const std::string path = name_of(310) + "/model.safetensors";
  std::string bytes = read_file(*place_->open(), path) + "x";
  replace_file(*place_->open(), path, bytes);
  const Warnings silent;
  const auto reader = open(read_only());
  std::string message;
  EXPECT_EQ(status_of([&] { loaded(*reader); }, &message), Status::corrupt);
  EXPECT_NE(message.find("the newest abandoned one is '" + abandoned + "' (step 600)"), std::string::npos) << message;
  EXPECT_EQ(status_of([&] { reader->latest(); }, &message), Status::not_found);
  EXPECT_NE(message.find(abandoned), std::string::npos) << message;
  EXPECT_EQ(loaded(*reader, named(abandoned)), 600);
  EXPECT_EQ(loaded(*reader, of_step(600)), 600);
}

TEST_P(RollBack, ByStepTheLineComesFirst) {
  make_run();
  const auto writer = open();
  loaded(*writer, of_step(300));
  const Warnings silent;
  save_step(*writer, 310);
  Model model(-7);
  state::SaveOptions options;
  options.step = 500;
  writer->save(model.state, options);
  Model target(0);
  writer->load(target.state, of_step(500));
  EXPECT_EQ(target.value(), -7);
  EXPECT_FALSE(writer->of_step(500).abandoned);
  EXPECT_EQ(writer->of_step(600).abandoned, true);
  EXPECT_EQ(writer->of_step(300).abandoned, false);
  EXPECT_EQ(steps(), "500 310 300 | 600 500 400 ");
}

TEST_P(RollBack, TwiceInOneProcessAndInTwo) {
  make_run();
  const Warnings silent;
  {
    const auto writer = open();
    loaded(*writer, of_step(300));
    EXPECT_EQ(save_step(*writer, 450).generation, 1);
    EXPECT_EQ(save_step(*writer, 550).generation, 1);
    loaded(*writer, of_step(450));
    EXPECT_EQ(save_step(*writer, 500).generation, 2);
  }
  // The first roll-back abandoned 400, and 400 stays abandoned.
  EXPECT_EQ(steps(), "500 450 300 | 550 600 500 400 ");
  {
    const auto writer = open();
    loaded(*writer, of_step(300));
    EXPECT_EQ(save_step(*writer, 310).generation, 3);
  }
  EXPECT_EQ(steps(), "310 300 | 500 550 450 600 500 400 ");
  EXPECT_EQ(resumed(), 310);
}

TEST_P(RollBack, FromAnAbandonedCheckpointContinuesFromIt) {
  make_run();
  const Warnings silent;
  const auto writer = open();
  loaded(*writer, of_step(300));
  save_step(*writer, 310);
  save_step(*writer, 700);
  loaded(*writer, of_step(500));
  EXPECT_TRUE(save_step(*writer, 510).rolled_back);
  EXPECT_EQ(steps(), "510 500 400 300 | 700 310 600 ");
}

TEST_P(RollBack, RulesChooseFromTheLineFirst) {
  const auto save = [](state::Checkpoint& checkpoint, int step, double metric) {
    Model model(static_cast<float>(step));
    state::SaveOptions options;
    options.step = step;
    options.metric = metric;
    checkpoint.save(model.state, options);
  };
  {
    const auto writer = open();
    for (const int step : {300, 400, 500, 600}) save(*writer, step, 1000 - step);  // 600 is the best
  }
  const auto writer = open();
  EXPECT_EQ(writer->best().step, 600);
  loaded(*writer, of_step(300));
  const Warnings silent;
  save(*writer, 310, 690);
  EXPECT_EQ(writer->best().step, 310);
  const auto removed = [&](const std::string& rules) {
    std::string out;
    for (const state::Found& found : writer->prune(rules, true, 100)) out += base::cat(found.step, ' ');
    return out;
  };
  EXPECT_EQ(removed("best:1"), "300 600 500 400 ");
  EXPECT_EQ(removed("best:2"), "600 500 400 ");
  EXPECT_EQ(removed("best:3"), "500 400 ");
  EXPECT_EQ(removed("last:2"), "600 500 400 ");
  EXPECT_EQ(removed("every:300,last:2"), "500 400 ");
  EXPECT_EQ(removed("every:200"), "500 ");  // of the abandoned ones 600 and 400 stay, so their parent, 300, does
  writer->pin(500);
  EXPECT_EQ(removed("last:2"), "600 400 ");
  std::string asked;
  state::CheckpointOptions options = keeping(1);
  options.keep = [&](const state::Found& found) {
    asked += base::cat(found.step, found.abandoned ? "a " : " ");
    return true;
  };
  options.read_only = true;
  EXPECT_TRUE(open(options)->prune("", true, 100).empty());
  EXPECT_EQ(asked, "300 600a 500a 400a ");
}

TEST_P(RollBack, PruneRemovesAbandonedOnesThatAreNotPinned) {
  make_run();
  const auto writer = open();
  loaded(*writer, of_step(300));
  const Warnings silent;
  save_step(*writer, 310);
  writer->pin(500);
  const auto steps_of = [](const std::vector<state::Found>& all) {
    std::string out;
    for (const state::Found& found : all) out += base::cat(found.step, ' ');
    return out;
  };
  EXPECT_EQ(steps_of(writer->prune_abandoned(true, 100)), "600 400 ");
  EXPECT_EQ(steps(), "310 300 | 600 500 400 ");
  EXPECT_EQ(steps_of(writer->prune_abandoned(false, 1)), "600 400 ");  // 1 result cannot hold both: nothing is removed
  EXPECT_EQ(steps(), "310 300 | 600 500 400 ");
  const auto reader = open(read_only());
  EXPECT_EQ(steps_of(reader->prune_abandoned(true, 100)), "600 400 ");
  EXPECT_EQ(status_of([&] { reader->prune_abandoned(false, 100); }), Status::invalid_state);
  EXPECT_EQ(steps_of(writer->prune_abandoned(false, 100)), "600 400 ");
  EXPECT_EQ(steps(), "310 300 | 500 ");
  EXPECT_EQ(steps_of(writer->prune_abandoned(false, 100)), "");
}

TEST_P(RollBack, PruneKeepsTheOnlyValidOne) {
  make_run();
  const auto writer = open();
  const Warnings silent;
  save_step(*writer, 10);
  damage(name_of(10) + "/model.safetensors");  // not read yet
  const auto steps_of = [](const std::vector<state::Found>& all) {
    std::string out;
    for (const state::Found& found : all) out += base::cat(found.step, ' ');
    return out;
  };
  EXPECT_EQ(steps_of(open(read_only())->prune_abandoned(true, 100)), "500 400 300 ");
  EXPECT_EQ(steps_of(writer->prune_abandoned(false, 100)), "500 400 300 ");
  EXPECT_EQ(steps(), "10 | 600 ");
  EXPECT_EQ(loaded(*writer, of_step(600)), 600);
  // The newest abandoned one is damaged as well: the newest valid one is another.
  place_ = GetParam().make();
  make_run();
  const auto other = open();
  save_step(*other, 10);
  damage(name_of(10) + "/model.safetensors");
  damage(name_of(600) + "/model.safetensors");
  EXPECT_EQ(steps_of(other->prune_abandoned(false, 100)), "600 400 300 ");
  EXPECT_EQ(loaded(*other, of_step(500)), 500);
}

TEST_P(RollBack, WithoutAMetricOnTheLineBestNamesAnAbandonedOne) {
  {
    const auto writer = open();
    Model model(600);
    state::SaveOptions options;
    options.step = 600;
    options.metric = 1;
    writer->save(model.state, options);
  }
  const auto writer = open();
  const Warnings warnings;
  save_step(*writer, 10);
  std::string message;
  EXPECT_EQ(status_of([&] { writer->best(); }, &message), Status::not_found);
  EXPECT_NE(message.find("the newest abandoned one is '" + name_of(600)), std::string::npos) << message;
  EXPECT_NE(warnings.text().find(message), std::string::npos) << warnings.text();
}

TEST_P(RollBack, AFailedSaveBeginsNoGeneration) {
  make_run();
  const auto writer = open();
  loaded(*writer, of_step(300));
  const Warnings silent;
  {
    class Refused final : public state::SaveSource {
     public:
      void commit_point() override { base::fail(Status::cancelled, "cancelled"); }
    } refused;
    Model model(310);
    state::SaveOptions options;
    options.step = 310;
    options = writer->checked(options);
    writer->look_at_line(310);
    options.accepted = writer->accept(310);
    EXPECT_TRUE(options.accepted->rolled_back());
    EXPECT_EQ(status_of([&] { writer->save_gathered(model.state.gathered().assembled(), options, refused); }), Status::cancelled);
  }
  EXPECT_EQ(loaded(*writer), 600);
  EXPECT_FALSE(save_step(*writer, 610).rolled_back);
  EXPECT_EQ(resumed(), 610);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, RollBack,
                         testing::Values(Kind{"Disk", [] { return std::make_unique<DiskPlace>(); }},
                                         Kind{"Memory", [] { return std::make_unique<MemoryPlace>(); }},
                                         Kind{"Objects", [] { return std::make_unique<ObjectsPlace>(Puts::conditional); }},
                                         Kind{"ObjectsByAttempt",
                                              [] { return std::make_unique<ObjectsPlace>(Puts::unsupported); }}),
                         [](const auto& kind) { return kind.param.name; });

// ---- Disks and memory ----

// Rewrites a checkpoint in the form of an older library, which does not record lines.
void remove_line(storage::Storage& storage, const std::string& name) {
  const std::string path = name + "/manifest.json";
  state::Manifest manifest = state::parse_manifest(read_file(storage, path));
  ASSERT_NE(manifest.line, nullptr);
  manifest.line.reset();
  replace_file(storage, path, state::to_text(manifest));
  for (const storage::Entry& entry : storage.list(name)) {
    if (state::mark_of_file(entry.name)) storage.remove(storage::join(name, entry.name));
  }
}

TEST(RollBackFiles, ASaveByAnOlderLibraryAfterwardsNeverCountsAsOlder) {
  const auto memory = storage::make_memory_storage();
  const Warnings silent;
  std::string by_older;
  {
    state::Checkpoint writer(memory, {});
    for (const int step : {300, 400, 600}) save_step(writer, step);
    loaded(writer, of_step(300));
    save_step(writer, 310);
    save_step(writer, 320);
    by_older = save_step(writer, 450).name;
  }
  remove_line(*memory, by_older);
  {
    state::Checkpoint reader(memory, read_only());
    EXPECT_EQ(steps_in(reader), "450 320 310 300 | 600 400 ");
    EXPECT_EQ(loaded(reader), 450);
  }
  // The same after the first checkpoint of the generation is removed: the others record its commit sequence.
  state::Checkpoint writer(memory, keeping(2));
  EXPECT_EQ(loaded(writer), 450);
  const state::SaveResult saved = save_step(writer, 460);
  EXPECT_FALSE(saved.rolled_back);
  EXPECT_EQ(saved.generation, 1);
  EXPECT_EQ(steps_in(writer), "460 450 ");
}

TEST(RollBackFiles, MarksAndManifestsShowTheLine) {
  const auto memory = storage::make_memory_storage();
  state::Checkpoint writer(memory, {});
  const std::string parent = save_step(writer, 300).name;
  save_step(writer, 400);
  loaded(writer, of_step(300));
  const Warnings silent;
  const std::string name = save_step(writer, 310).name;
  EXPECT_EQ(names_in(*memory, name), "line.g1.300 manifest.json model.safetensors optimizer.safetensors ");
  EXPECT_NE(writer.manifest(name).find("\"line\":{\"generation\":1,\"first_commit_sequence\":3,\"parent\":{\"name\":\"" + parent +
                                       "\",\"step\":300,\"commit_sequence\":1},\"earlier\":[{\"generation\":0,"
                                       "\"first_commit_sequence\":0,\"last_step\":300}]}"),
            std::string::npos)
      << writer.manifest(name);
  writer.remove(name);
  EXPECT_EQ(status_of([&] { memory->list(name); }), Status::not_found);
}

// A crash between the removals must not leave an abandoned checkpoint after the parent of the line is removed.
TEST(RollBackFiles, AbandonedOnesAreRemovedBeforeTheParent) {
  const auto memory = storage::make_memory_storage();
  {
    state::Checkpoint writer(memory, {});
    for (const int step : {300, 400, 600}) save_step(writer, step);
  }
  const auto faults = std::make_shared<Faults>();
  state::Checkpoint writer(std::make_shared<FaultyStorage>(memory, faults), keeping(1));
  loaded(writer, of_step(300));
  const Warnings silent;
  save_step(writer, 310);
  std::string removed;
  for (const std::string& line : faults->log) {
    if (line.starts_with("remove step-") && line.ends_with("/manifest.json"))
      removed += base::cat(state::step_of_attempt(line.substr(7, line.find('/') - 7)).value_or(-1), ' ');
  }
  EXPECT_EQ(removed, "600 400 300 ");
}

// A reader lists the first checkpoint of the new generation; the writer replaces and removes it before the reader opens it. The
// reader must not load a remaining abandoned checkpoint as the newest one.
TEST(RollBackFiles, AReaderDuringARollBackLoadsNoAbandonedCheckpoint) {
  const auto memory = storage::make_memory_storage();
  const Warnings silent;
  {
    state::Checkpoint writer(memory, {});
    for (const int step : {300, 600}) save_step(writer, step);
    writer.pin(600);
  }
  state::Checkpoint writer(memory, keeping(1));
  save_step(writer, 10);
  EXPECT_EQ(steps_in(writer), "10 | 600 ");
  const auto faults = std::make_shared<Faults>();
  bool has_saved = false;
  faults->before = [&](const std::string& line) {
    if (line.find("step-000000000010-") == std::string::npos || std::exchange(has_saved, true)) return;
    save_step(writer, 20);
  };
  state::Checkpoint reader(std::make_shared<FaultyStorage>(memory, faults), read_only());
  EXPECT_EQ(loaded(reader), 20);
  EXPECT_TRUE(has_saved);
}

TEST(RollBackFiles, RemovingTheLastOfAGenerationRestoresThePreviousLine) {
  const auto memory = storage::make_memory_storage();
  state::Checkpoint writer(memory, {});
  for (const int step : {300, 600}) save_step(writer, step);
  loaded(writer, of_step(300));
  const Warnings silent;
  writer.remove(save_step(writer, 310).name);
  EXPECT_EQ(steps_in(writer), "600 300 ");
  loaded(writer);
  EXPECT_FALSE(save_step(writer, 610).rolled_back);
}

// ---- Object stores ----

TEST(RollBackObjects, TheListingShowsTheLine) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  const auto client = std::make_shared<BucketClient>(bucket, requests);
  const Warnings silent;
  state::Checkpoint writer(client, {});
  for (const int step : {300, 400, 500, 600}) save_step(writer, step);
  loaded(writer, of_step(300));
  const std::string name = save_step(writer, 310).name;
  EXPECT_TRUE(name.ends_with(".g1.300")) << name;
  save_step(writer, 320);
  const auto counted = [&](const auto& body) {
    requests->log.clear();
    body();
    return std::ssize(requests->log);
  };
  EXPECT_EQ(counted([&] { EXPECT_EQ(writer.latest().step, 320); }), 3);
  std::unique_ptr<state::Checkpoint> reader;
  EXPECT_EQ(counted([&] { reader = std::make_unique<state::Checkpoint>(client, read_only()); }), 0);
  EXPECT_EQ(counted([&] { EXPECT_EQ(reader->latest().step, 320); }), 3);
  EXPECT_EQ(counted([&] { EXPECT_EQ(loaded(*reader), 320); }), 6);
  EXPECT_EQ(counted([&] { save_step(writer, 330); }), 6);
}

// Older libraries, which do not record lines, must detect that the commit sequence is in use.
TEST(RollBackObjects, RecordsByAttemptDoNotShowTheLine) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  requests->puts = Puts::unsupported;
  state::Checkpoint writer(std::make_shared<BucketClient>(bucket, requests), {});
  for (const int step : {300, 600}) save_step(writer, step);
  loaded(writer, of_step(300));
  const Warnings silent;
  const std::string name = save_step(writer, 310).name;
  EXPECT_TRUE(name.ends_with(".g1.300")) << name;
  EXPECT_TRUE(bucket->objects.contains("commits/9223372036854775804-" + name.substr(0, name.find('.'))));
  EXPECT_EQ(loaded(writer), 310);
}

// An older library saves after a roll-back: neither the name nor the manifest contains a generation.
TEST(RollBackObjects, ASaveByAnOlderLibraryAfterwardsNeverCountsAsOlder) {
  const auto bucket = std::make_shared<Bucket>();
  const Warnings silent;
  state::SaveResult saved;
  {
    state::Checkpoint writer(std::make_shared<BucketClient>(bucket), {});
    for (const int step : {300, 400, 600}) save_step(writer, step);
    loaded(writer, of_step(300));
    save_step(writer, 310);
    saved = save_step(writer, 450);
  }
  const std::string name = saved.name.substr(0, saved.name.find('.'));
  for (const char* file : {"/model.safetensors", "/optimizer.safetensors"}) {
    bucket->objects[name + file] = bucket->objects.at(saved.name + file);
    bucket->objects.erase(saved.name + file);
  }
  state::Manifest manifest = state::parse_manifest(bucket->objects.at(saved.name + "/manifest.json"));
  manifest.line.reset();
  bucket->objects.erase(saved.name + "/manifest.json");
  const std::string text = bucket->objects[name + "/manifest.json"] = state::to_text(manifest);
  const std::string path = state::commit_path(saved.commit_sequence);
  state::CommitRecord record = state::parse_commit_record(bucket->objects.at(path));
  record.attempt = name;
  record.manifest_digest = state::hash_of(text);
  bucket->objects[path] = state::to_text(record);
  {
    state::Checkpoint reader(std::make_shared<BucketClient>(bucket), read_only());
    EXPECT_EQ(reader.latest().step, 450);
    EXPECT_EQ(loaded(reader), 450);
    EXPECT_EQ(steps_in(reader), "450 310 300 | 600 400 ");
  }
  state::Checkpoint writer(std::make_shared<BucketClient>(bucket), {});
  EXPECT_EQ(loaded(writer), 450);
  const state::SaveResult next = save_step(writer, 460);
  EXPECT_FALSE(next.rolled_back);
  EXPECT_EQ(next.generation, 1);
  EXPECT_EQ(steps_in(writer), "460 450 310 300 | 600 400 ");
}

TEST(RollBackObjects, ACheckpointWithoutItsManifestKeepsItsGeneration) {
  const auto bucket = std::make_shared<Bucket>();
  const Warnings silent;
  std::string name;
  {
    state::Checkpoint writer(std::make_shared<BucketClient>(bucket), {});
    for (const int step : {300, 400, 600}) save_step(writer, step);
    loaded(writer, of_step(300));
    name = save_step(writer, 310).name;
  }
  bucket->objects.erase(name + "/manifest.json");
  state::Checkpoint reader(std::make_shared<BucketClient>(bucket), read_only());
  EXPECT_EQ(loaded(reader), 300);
  EXPECT_EQ(steps_in(reader), "310? 300 | 600 400 ");
}

// An interrupted attempt is the only one of the new generation: there is no roll-back.
TEST(RollBackObjects, AnInterruptedAttemptBeginsNoGeneration) {
  const auto bucket = std::make_shared<Bucket>();
  state::Checkpoint writer(std::make_shared<BucketClient>(bucket), {});
  for (const int step : {300, 600}) save_step(writer, step);
  bucket->objects["step-000000000310-00000001.g1.300/model.safetensors"] = "half";
  state::Checkpoint reader(std::make_shared<BucketClient>(bucket), read_only());
  EXPECT_EQ(loaded(reader), 600);
  EXPECT_EQ(reader.latest().step, 600);
  state::Checkpoint next(std::make_shared<BucketClient>(bucket), {});
  loaded(next);
  EXPECT_FALSE(save_step(next, 610).rolled_back);
}

TEST(RollBackObjects, AFencedWriterDecidesAgainAfterReopening) {
  const auto bucket = std::make_shared<Bucket>();
  const Warnings silent;
  const auto open = [&] {
    return std::make_unique<state::Checkpoint>(std::make_shared<BucketClient>(bucket), state::CheckpointOptions());
  };
  auto first = open();
  for (const int step : {300, 600}) save_step(*first, step);
  loaded(*first, of_step(300));
  {
    const auto other = open();
    loaded(*other, of_step(300));
    EXPECT_EQ(save_step(*other, 305).generation, 1);
  }
  EXPECT_EQ(status_of([&] { save_step(*first, 310); }), Status::busy);
  first = open();
  EXPECT_EQ(loaded(*first), 305);
  const state::SaveResult saved = save_step(*first, 310);
  EXPECT_FALSE(saved.rolled_back);  // it resumes from the other writer's checkpoint
  EXPECT_EQ(saved.generation, 1);
  first = open();
  loaded(*first, of_step(300));
  EXPECT_EQ(save_step(*first, 310).generation, 2);
  EXPECT_EQ(steps_in(*first), "310 300 | 310 305 600 ");
}

}  // namespace
