// Damaged commit records on an object store: every bit and every truncation, in both versions, under both kinds of names, after a
// roll-back, and of several ranks. The acknowledged checkpoint is loaded, or skipped and counted; verify reports it; no save
// removes it as an orphan.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "fixture.h"
#include "object_store.h"
#include "of_ranks.h"
#include "state/commit_record.h"
#include "state/name.h"
#include "state/record_text.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

// The first tier and sanitizers damage one bit of each byte, and truncate at every eighth byte; the long tests do all.
#if defined(CKPT_TEST_LONG) && !defined(CKPT_SANITIZED)
constexpr int bit_step = 1;
#else
constexpr int bit_step = 8;
#endif

constexpr const char* orphan = "step-000000000001-00000001";

// As version 0.2 of the library wrote it.
std::string version_1(const state::CommitRecord& record) {
  const nlohmann::ordered_json tree = {{"format", "ckpt-commit"},
                                       {"format_version", 1},
                                       {"attempt", record.attempt},
                                       {"step", record.step},
                                       {"commit_sequence", record.commit_sequence},
                                       {"manifest_xxh3_128", state::to_hex(record.manifest_digest)},
                                       {"writer", record.writer}};
  return tree.dump() + '\n';
}

// The last save of the store: by one process; by one that rolled back from step 9 to step 2, so that its name contains a
// generation; by several ranks, in manifest format 2.
enum class Last { of_one_process, after_a_roll_back, of_several_ranks };

// A store with the checkpoints of steps 1, 2 and 3 (or more), and the remains of an interrupted save.
class Records {
 public:
  Records(int version, Puts puts, int saves = 3) : Records(version, puts, Last::of_one_process, saves) {}
  Records(int version, Puts puts, Last last, int saves = 3) : puts_(puts) {
    {
      state::Checkpoint writer(client(), {});
      for (int step = 1; step < saves; ++step) save_step(writer, step);
      if (last == Last::of_one_process) save_step(writer, saves);
      if (last == Last::after_a_roll_back) go_back(writer, saves - 1);
    }
    if (last == Last::of_several_ranks) save_of_ranks(saves);
    state::Checkpoint reader(client(), read_only());
    for (const state::Found& found : reader.list()) {
      names_[found.step] = found.name;
      paths_[found.step] = found.record;
      if (version == 1) bucket_->objects[found.record] = version_1(record(static_cast<int>(found.step)));
    }
    bucket_->objects[std::string(orphan) + "/model.safetensors"] = "half";
  }

  std::shared_ptr<Bucket> copy() const { return bucket_->copy(); }
  std::shared_ptr<BucketClient> client(std::shared_ptr<Bucket> bucket = nullptr) const {
    const auto requests = std::make_shared<Requests>();
    requests->puts = puts_;
    return std::make_shared<BucketClient>(bucket == nullptr ? bucket_ : std::move(bucket), requests);
  }
  const std::string& name(int step) const { return names_.at(step); }
  const std::string& path(int step) const { return paths_.at(step); }
  std::string text(int step) const { return bucket_->objects.at(path(step)); }
  state::CommitRecord record(int step) const { return state::parse_commit_record(text(step)); }
  void set_text(int step, const std::string& text) { bucket_->objects[path(step)] = text; }
  Bucket& bucket() { return *bucket_; }

 private:
  // Saves the step after this one in a new generation.
  static void go_back(state::Checkpoint& writer, int step) {
    const state::SaveResult abandoned = save_step(writer, 9);
    Model model(-1);
    state::LoadOptions options;
    options.step = step;
    writer.load(model.state, options);
    save_step(writer, step + 1);
    writer.remove(abandoned.name);
  }
  void save_of_ranks(int step) {
    const auto ranks = std::make_shared<ThreadRanks>(2);
    expect_no_errors(ranks->run([&](std::int64_t rank) {
      state::Checkpoint writer(client(), of_rank(*ranks, rank));
      save_step(writer, step);
    }));
  }

  std::shared_ptr<Bucket> bucket_ = std::make_shared<Bucket>();
  Puts puts_;
  std::map<std::int64_t, std::string> names_;
  std::map<std::int64_t, std::string> paths_;
};

enum class Effect { none, skipped_record, skipped_checkpoint };

// Loads, verifies and saves on a store in which the record of step 3 has this text. Returns the effect on the load; a test failure
// contains the case.
Effect try_record(const Records& records, const std::string& text, const std::string& what) {
  SCOPED_TRACE(what);
  const auto bucket = records.copy();
  bucket->objects[records.path(3)] = text;
  Effect effect = Effect::none;
  {
    state::Checkpoint reader(records.client(bucket), read_only());
    Model model(-1);
    Warnings warnings;
    const state::LoadResult result = reader.load(model.state, {});
    if (result.skipped > 0) effect = result.step == 3 ? Effect::skipped_record : Effect::skipped_checkpoint;
    EXPECT_EQ(result.skipped, effect == Effect::none ? 0 : 1);
    EXPECT_EQ(result.step, effect == Effect::skipped_checkpoint ? 2 : 3);
    EXPECT_EQ(model.value(), static_cast<float>(result.step));
    EXPECT_EQ(warnings.mention(records.path(3)), effect != Effect::none) << warnings.text();
    EXPECT_EQ(model.state.load_report().find(R"("status":"CORRUPT")") != std::string::npos, effect != Effect::none);
    for (const std::string& name : {records.name(3), std::string()}) {
      std::string message = records.path(3);
      EXPECT_EQ(status_of([&] { reader.verify(name); }, &message), effect == Effect::none ? Status::ok : Status::corrupt);
      EXPECT_NE(message.find(records.path(3)), std::string::npos) << message;
    }
    EXPECT_NO_THROW(reader.verify(records.name(2)));
    EXPECT_EQ(reader.list().size(), 4U);
    EXPECT_EQ(reader.list()[0].condition,
              effect == Effect::skipped_checkpoint ? state::Condition::damaged : state::Condition::complete);
  }
  // A save with keep_last: the acknowledged checkpoint and its record remain, and nothing is removed as an orphan.
  const auto of_step_3 = [&] {
    std::map<std::string, std::string> out;
    for (const auto& [path, bytes] : bucket->objects) {
      if (path == records.path(3) || path.starts_with(records.name(3) + '/')) out.emplace(path, bytes);
    }
    return out;
  };
  const auto before = of_step_3();
  EXPECT_GE(before.size(), 4U);
  state::Checkpoint writer(records.client(bucket), keeping(2));
  save_step(writer, 4);
  EXPECT_EQ(of_step_3(), before);
  EXPECT_EQ(bucket->count(orphan), effect == Effect::none ? 1 - 1 : 1);
  Model model(-1);
  EXPECT_EQ(writer.load(model.state, {}).step, 4);
  // Once it is older than all kept checkpoints, it is removed with its record, and so is the orphan: damage blocks nothing
  // permanently.
  for (int step = 5; step <= 8; ++step) save_step(writer, step);
  EXPECT_EQ(bucket->count(records.name(3)), 0);
  EXPECT_EQ(bucket->count("commits/"), 2) << bucket->names();
  EXPECT_EQ(bucket->count(orphan), 0);
  EXPECT_EQ(writer.list().size(), 2U);
  return effect;
}

// Damages the record of step 3 in every way; returns how many cases had each effect.
std::map<Effect, int> damage(const Records& records, int first_bit) {
  std::map<Effect, int> effects;
  const std::string good = records.text(3);
  for (std::size_t bit = static_cast<std::size_t>(first_bit); bit < good.size() * 8; bit += bit_step) {
    std::string text = good;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    ++effects[try_record(records, text, base::cat("bit ", bit % 8, " of byte ", bit / 8))];
    if (testing::Test::HasFailure()) return effects;
  }
  for (std::size_t size = 0; size < good.size(); size += bit_step) {
    ++effects[try_record(records, good.substr(0, size), base::cat(size, " bytes"))];
    if (testing::Test::HasFailure()) return effects;
  }
  return effects;
}

int first_bit_of(Puts puts) { return bit_step == 1 || puts == Puts::conditional ? 0 : 2; }

// Every change is detected, and none is taken for another version. The first tier tries every kind of save with one kind of
// names, the long tests with both.
TEST(ObjectsRecords, EveryDamageOfVersion2SkipsTheCheckpoint) {
  for (const auto& [last, usual_puts] :
       {std::pair{Last::of_one_process, Puts::conditional}, std::pair{Last::after_a_roll_back, Puts::unsupported},
        std::pair{Last::of_several_ranks, Puts::conditional}}) {
    for (const Puts puts : {Puts::conditional, Puts::unsupported}) {
      if (bit_step > 1 && puts != usual_puts) continue;
      SCOPED_TRACE(base::cat("save ", static_cast<int>(last), ", puts ", static_cast<int>(puts)));
      const Records records(2, puts, last);
      EXPECT_EQ(records.name(3).ends_with(".g1.2"), last == Last::after_a_roll_back) << records.name(3);
      const std::string manifest = records.copy()->objects.at(records.name(3) + "/manifest.json");
      EXPECT_EQ(manifest.find(R"("format_version":2)") != std::string::npos, last == Last::of_several_ranks) << manifest;
      EXPECT_EQ(try_record(records, records.text(3), "good"), Effect::none);
      const auto effects = damage(records, first_bit_of(puts));
      EXPECT_EQ(effects.size(), 1U);
      EXPECT_TRUE(effects.contains(Effect::skipped_checkpoint));
    }
  }
}

// A change of the writer cannot be detected and has no effect. A change of attempt, step or sequence leaves the manifest's digest.
TEST(ObjectsRecords, EveryDamageOfVersion1IsCountedOrHasNoEffect) {
  for (const Puts puts : {Puts::conditional, Puts::unsupported}) {
    const Records records(1, puts);
    EXPECT_EQ(try_record(records, records.text(3), "good"), Effect::none);
    auto effects = damage(records, first_bit_of(puts));
    EXPECT_GT(effects[Effect::skipped_record], 20);
    EXPECT_GT(effects[Effect::skipped_checkpoint], 100);
    // Quotation marks and control characters among the writer's 16 digits are detected.
    EXPECT_LE(effects[Effect::none], 16 * 8 / bit_step);
    EXPECT_GT(effects[Effect::none], 0);
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) ADD_FAILURE() << text << " has no " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The record of step 3 names the directory of step 2. That directory is listed, intact, and has its own record.
TEST(ObjectsRecords, ARecordThatNamesAnotherCheckpoint) {
  for (const Puts puts : {Puts::conditional, Puts::unsupported}) {
    const Records records(1, puts);
    const std::string text = replaced(records.text(3), records.name(3), records.name(2));
    EXPECT_EQ(try_record(records, text, "names the one before"), Effect::skipped_record);
    EXPECT_EQ(try_record(records, replaced(records.text(3), "step-0", "step/0"), "names no attempt"), Effect::skipped_record);
    EXPECT_EQ(try_record(records, replaced(records.text(3), records.name(3), "../etc"), "leaves the root"), Effect::skipped_record);
  }
}

// A load by name, a reader, and a manifest still work: the digest identifies the checkpoint.
TEST(ObjectsRecords, ACheckpointFoundByItsDigestCanBeReadInEveryWay) {
  Records records(1, Puts::conditional);
  records.set_text(3, replaced(records.text(3), records.name(3), "step-000000000003-ffffffff"));
  state::Checkpoint reader(records.client(), read_only());
  Warnings warnings;
  Model model(-1);
  state::LoadOptions options;
  options.name = records.name(3);
  EXPECT_EQ(reader.load(model.state, options).skipped, 1);
  EXPECT_EQ(model.value(), 3);
  EXPECT_NE(model.state.load_report().find(records.path(3)), std::string::npos);
  EXPECT_EQ(reader.latest().step, 3);
  EXPECT_EQ(reader.of_step(3).name, records.name(3));
  EXPECT_NO_THROW(reader.manifest(records.name(3)));
  EXPECT_EQ(reader.open_reader("", state::Verify::full).count(), 3);
  EXPECT_TRUE(warnings.mention(records.path(3)));
  // It is removed like any other, with its record.
  state::Checkpoint writer(records.client(), {});
  save_step(writer, 4);
  writer.remove(records.name(3));
  EXPECT_EQ(records.bucket().count(records.path(3)), 0);
  EXPECT_EQ(records.bucket().count(records.name(3)), 0);
}

// Two writers with byte-identical manifests: the record names the winner.
TEST(ObjectsRecords, AnAttemptIsNotCommittedByAnothersRecordOfTheSameManifest) {
  for (const int version : {1, 2}) {
    Records records(version, Puts::conditional);
    const std::string loser = "step-000000000003-00000009";
    for (const char* file : {"/manifest.json", "/model.safetensors", "/optimizer.safetensors"})
      records.bucket().objects[loser + file] = records.bucket().objects.at(records.name(3) + file);
    state::Checkpoint writer(records.client(), keeping(5));
    for (const state::Found& found : writer.list())
      EXPECT_EQ(found.condition == state::Condition::unfinished, found.name == loser || found.name == orphan) << found.name;
    Model model(-1);
    EXPECT_EQ(writer.load(model.state, {}).skipped, 0);
    save_step(writer, 4);
    EXPECT_EQ(records.bucket().count(loser), 0);
    EXPECT_EQ(records.bucket().count(records.name(3)), 3);
  }
}

// Records without an attempt remain after removals and manual changes; they do not keep an orphan.
TEST(ObjectsRecords, RecordsOfRemovedCheckpointsAreNotDamage) {
  for (const int version : {1, 2}) {
    for (const Puts puts : {Puts::conditional, Puts::unsupported}) {
      Records records(version, puts);
      // Manual change: the directory of step 1 without its record.
      std::erase_if(records.bucket().objects, [&](const auto& object) { return object.first.starts_with(records.name(1) + '/'); });
      // An interrupted removal: the record of step 3 already names nothing, and its files still exist.
      const state::CommitRecord none{"", 0, 3, {}, ""};
      records.set_text(3, version == 1 ? version_1(none) : state::to_text(none));
      Warnings warnings;
      {
        state::Checkpoint reader(records.client(), read_only());
        Model model(-1);
        const state::LoadResult result = reader.load(model.state, {});
        EXPECT_EQ(result.step, 2);
        EXPECT_EQ(result.skipped, 0);
        EXPECT_NO_THROW(reader.verify(""));
      }
      state::Checkpoint writer(records.client(), keeping(5));
      EXPECT_EQ(save_step(writer, 4).commit_sequence, 4);
      EXPECT_EQ(warnings.text(), "");
      EXPECT_EQ(records.bucket().count(orphan), 0);
      EXPECT_EQ(records.bucket().count(records.name(3)), 0);
      EXPECT_EQ(records.bucket().count("commits/"), 2) << records.bucket().names();  // of 2 and 4
      EXPECT_EQ(writer.list().size(), 2U);
    }
  }
}

// A damaged record of a checkpoint that was removed by name names nothing, whatever it contained.
TEST(ObjectsRecords, ADamagedRecordWithoutItsCheckpointBlocksNothing) {
  Records records(2, Puts::conditional);
  records.set_text(2, "{");
  state::Checkpoint writer(records.client(), keeping(5));
  save_step(writer, 4);
  EXPECT_EQ(records.bucket().count(orphan), 1);
  EXPECT_EQ(records.bucket().count(records.name(2)), 3);
  writer.remove(records.name(2));
  save_step(writer, 5);
  save_step(writer, 6);
  EXPECT_EQ(records.bucket().count(orphan), 0);
  EXPECT_EQ(records.bucket().count(records.path(2)), 0);
  EXPECT_EQ(writer.list().size(), 5U);
}

// A damaged manifest keeps its record; that record is intact, so orphans are removed.
TEST(ObjectsRecords, ADamagedManifestKeepsItsRecord) {
  for (const int version : {1, 2}) {
    Records records(version, Puts::conditional);
    records.bucket().objects[records.name(2) + "/manifest.json"][20] ^= 1;
    state::Checkpoint writer(records.client(), keeping(5));
    save_step(writer, 4);
    save_step(writer, 5);
    EXPECT_EQ(records.bucket().count(records.name(2)), 3);
    EXPECT_EQ(records.bucket().count(records.path(2)), 1);
    EXPECT_EQ(records.bucket().count(orphan), 0);
    EXPECT_EQ(writer.verify("").name, writer.latest().name);
    EXPECT_EQ(status_of([&] { writer.verify(records.name(2)); }), Status::corrupt);
  }
}

// A removal deletes the record first, so a record that names an attempt without a manifest shows that the manifest was lost.
TEST(ObjectsRecords, ALostManifestIsDamageNotAnUnfinishedSave) {
  for (const int version : {1, 2}) {
    for (const Puts puts : {Puts::conditional, Puts::unsupported}) {
      Records records(version, puts);
      records.bucket().objects.erase(records.name(3) + "/manifest.json");
      {
        state::Checkpoint reader(records.client(), read_only());
        Model model(-1);
        EXPECT_EQ(reader.load(model.state, {}).skipped, 1);
        EXPECT_EQ(model.value(), 2);
        std::string message;
        EXPECT_EQ(status_of([&] { reader.verify(""); }, &message), Status::corrupt);
        EXPECT_NE(message.find("the manifest was lost"), std::string::npos) << message;
        EXPECT_EQ(reader.list()[0].condition, state::Condition::damaged);
      }
      state::Checkpoint writer(records.client(), keeping(2));
      for (int step = 4; step <= 6; ++step) save_step(writer, step);
      EXPECT_EQ(records.bucket().count(records.name(3) + '/'), 2);
      EXPECT_EQ(records.bucket().count(records.path(3)), 1);
      EXPECT_EQ(records.bucket().count(orphan), 0);
      writer.remove(records.name(3));
      save_step(writer, 7);
      save_step(writer, 8);
      EXPECT_EQ(records.bucket().count("commits/"), 2);
    }
  }
}

// Records of a newer library, and records that are temporarily unreadable.
TEST(ObjectsRecords, UnreadableRecordsKeepOrphans) {
  Records records(2, Puts::conditional);
  std::string newer = replaced(records.text(2), R"("format_version":2)", R"("format_version":3)");
  newer.resize(newer.size() - state::checksum_bytes);
  records.set_text(2, state::with_checksum(newer));
  const auto client = records.client();
  state::Checkpoint writer(client, keeping(5));
  EXPECT_EQ(writer.list()[1].condition, state::Condition::unreadable);
  EXPECT_EQ(status_of([&] { writer.verify(records.name(2)); }), Status::unsupported);
  {
    Warnings warnings;
    save_step(writer, 4);
    EXPECT_TRUE(warnings.mention(records.path(2))) << warnings.text();
  }
  EXPECT_EQ(records.bucket().count(orphan), 1);
  EXPECT_EQ(records.bucket().count(records.name(2)), 3);
  EXPECT_EQ(records.bucket().count(records.path(2)), 1);

  Records other(2, Puts::conditional);
  const auto failing = other.client();
  state::Checkpoint second(failing, keeping(5));
  failing->requests().before = [&](const std::string& line) {
    if (line == "get " + other.path(2)) base::fail(Status::io, "reset");
  };
  save_step(second, 4);
  EXPECT_EQ(other.bucket().count(orphan), 1);
  failing->requests().before = {};
  save_step(second, 5);
  EXPECT_EQ(other.bucket().count(orphan), 0);
  EXPECT_EQ(second.list().size(), 5U);
}

// A record with a lower sequence than the newest does not affect the load; verify reports it.
TEST(ObjectsRecords, DamageOfAnOlderRecord) {
  for (const int version : {1, 2}) {
    Records records(version, Puts::conditional);
    records.set_text(2, replaced(records.text(2), "ckpt-commit", "ckpt-cammit"));
    state::Checkpoint reader(records.client(), read_only());
    Model model(-1);
    EXPECT_EQ(reader.load(model.state, {}).skipped, 0);
    EXPECT_EQ(model.value(), 3);
    EXPECT_NO_THROW(reader.verify(""));
    EXPECT_EQ(status_of([&] { reader.verify(records.name(2)); }), Status::corrupt);
    EXPECT_EQ(reader.list()[1].condition, state::Condition::damaged);
  }
}

}  // namespace
