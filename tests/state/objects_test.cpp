// Checkpoints in an object store: the objects written, the requests made, and the result of each call.
#include <gtest/gtest.h>

#include "fixture.h"
#include "object_store.h"
#include "state/commit_record.h"
#include "state/record_text.h"
#include "storage/read_ahead.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

float loaded(state::Checkpoint& checkpoint, const state::LoadOptions& options = {}) {
  Model model(-1);
  checkpoint.load(model.state, options);
  return model.value();
}

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

float newest_in(const std::shared_ptr<Bucket>& bucket) {
  state::Checkpoint reader(std::make_shared<BucketClient>(bucket), read_only());
  return loaded(reader);
}

// Returns the name of the only checkpoint of a step.
std::string name_of(state::Checkpoint& checkpoint, int step) { return checkpoint.of_step(step).name; }

TEST(Objects, SaveListLoadVerifyReadAndRemove) {
  const auto bucket = std::make_shared<Bucket>();
  const auto client = std::make_shared<BucketClient>(bucket);
  state::Checkpoint writer(client, {});
  EXPECT_EQ(status_of([&] { writer.latest(); }), Status::not_found);
  for (int step = 1; step <= 3; ++step) EXPECT_EQ(save_step(writer, step).commit_sequence, step);
  EXPECT_EQ(bucket->count(".tmp"), 0);
  EXPECT_EQ(bucket->count("torn-"), 0);
  EXPECT_EQ(bucket->count(".lock"), 0);
  EXPECT_EQ(bucket->count("probes/"), 0);
  EXPECT_EQ(bucket->names("commits/"), "commits/9223372036854775804 commits/9223372036854775805 commits/9223372036854775806 ");
  EXPECT_EQ(bucket->objects.size(), 12U);

  const std::vector<state::Found> all = writer.list();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].step, 3);
  EXPECT_EQ(all[2].condition, state::Condition::complete);
  EXPECT_EQ(writer.latest().step, 3);
  EXPECT_EQ(loaded(writer), 3);
  EXPECT_EQ(loaded(writer, named(name_of(writer, 1))), 1);
  EXPECT_EQ(loaded(writer, of_step(2)), 2);
  EXPECT_EQ(writer.verify("").files, 2);
  EXPECT_EQ(writer.verify(name_of(writer, 1)).tensors, 3);
  EXPECT_NE(writer.manifest(name_of(writer, 2)).find("\"step\""), std::string::npos);
  state::Reader reader = writer.open_reader("", state::Verify::lazy);
  EXPECT_EQ(reader.read_slice(reader.find("model", "bias"), 1, 2, nullptr)->data_as<float>()[1], 3);

  writer.remove(name_of(writer, 2));
  EXPECT_EQ(writer.list().size(), 2U);
  EXPECT_EQ(bucket->objects.size(), 8U);
  // The record of the highest sequence remains, naming nothing, so that no later writer reuses that sequence.
  writer.remove(name_of(writer, 3));
  EXPECT_EQ(newest_in(bucket), 1);
  EXPECT_EQ(bucket->objects.size(), 5U);
  EXPECT_EQ(save_step(writer, 4).commit_sequence, 4);
  state::Checkpoint other(std::make_shared<BucketClient>(bucket), {});
  EXPECT_EQ(save_step(other, 5).commit_sequence, 5);
}

TEST(Objects, AnotherStateOfTheSameStepIsNewerBySequence) {
  const auto bucket = std::make_shared<Bucket>();
  state::Checkpoint writer(std::make_shared<BucketClient>(bucket), {});
  save_step(writer, 5);
  Model model(7);
  state::SaveOptions options;
  options.step = 5;
  writer.save(model.state, options);
  save_step(writer, 4);  // higher in sequence, lower in step
  EXPECT_EQ(newest_in(bucket), 7);
}

TEST(Objects, AManifestWithoutARecordIsNotACheckpoint) {
  const auto bucket = std::make_shared<Bucket>();
  const auto client = std::make_shared<BucketClient>(bucket);
  state::Checkpoint writer(client, {});
  save_step(writer, 1);
  save_step(writer, 2);
  const std::string name = name_of(writer, 2);
  const std::string record = state::commit_path(2);
  const std::string text = bucket->objects.at(record);
  bucket->objects.erase(record);
  EXPECT_EQ(newest_in(bucket), 1);
  EXPECT_EQ(writer.list()[0].condition, state::Condition::unfinished);
  std::string message;
  EXPECT_EQ(status_of([&] { loaded(writer, named(name)); }, &message), Status::not_found);
  EXPECT_NE(message.find("has no commit record"), std::string::npos) << message;
  EXPECT_EQ(status_of([&] { writer.verify(name); }), Status::not_found);
  EXPECT_EQ(status_of([&] { writer.manifest(name); }), Status::not_found);

  // A record of another manifest, a damaged one, and one of a newer library.
  state::CommitRecord other = state::parse_commit_record(text);
  other.manifest_digest.low ^= 1;
  bucket->objects[record] = state::to_text(other);
  EXPECT_EQ(writer.list()[0].condition, state::Condition::damaged);
  EXPECT_EQ(newest_in(bucket), 1);
  bucket->objects[record] = text.substr(0, text.size() / 2);
  EXPECT_EQ(writer.list()[0].condition, state::Condition::damaged);
  bucket->objects[record] = "{\"format\":\"ckpt-commit\",\"format_version\":3}";  // without a checksum
  EXPECT_EQ(writer.list()[0].condition, state::Condition::damaged);
  bucket->objects[record] = state::with_checksum("{\"format\":\"ckpt-commit\",\"format_version\":3");
  EXPECT_EQ(writer.list()[0].condition, state::Condition::unreadable);
  bucket->objects[record] = text;
  EXPECT_EQ(newest_in(bucket), 2);
  // A file of another size, detected by the listing.
  bucket->objects[name + "/model.safetensors"] += 'x';
  EXPECT_EQ(writer.list()[0].condition, state::Condition::damaged);
  EXPECT_EQ(newest_in(bucket), 1);
}

TEST(Objects, RecordNamesAndContents) {
  EXPECT_EQ(state::commit_path(1), "commits/9223372036854775806");
  EXPECT_EQ(state::commit_path(9223372036854775807), "commits/0000000000000000000");
  EXPECT_LT(state::commit_path(11), state::commit_path(10));
  const std::string attempt = "step-000000000007-0123abcd";
  EXPECT_EQ(state::sequence_of_commit(state::commit_path(42)), 42);
  EXPECT_EQ(state::sequence_of_commit(state::commit_path(42, attempt)), 42);
  for (const char* other : {"commits/", "commits/123", "commits/9223372036854775806x", "commits/9223372036854775806-x",
                            "commits/9999999999999999999", "commits/-223372036854775806", "x/9223372036854775806"})
    EXPECT_EQ(state::sequence_of_commit(other), std::nullopt) << other;
  const state::CommitRecord record{attempt, 7, 42, {1, 2}, "me"};
  const state::CommitRecord read = state::parse_commit_record(state::to_text(record));
  EXPECT_EQ(read.attempt, attempt);
  EXPECT_EQ(read.step, 7);
  EXPECT_EQ(read.commit_sequence, 42);
  EXPECT_EQ(read.manifest_digest, record.manifest_digest);
  EXPECT_EQ(read.format_version, 2);
  EXPECT_EQ(state::to_text(record),
            "{\"format\":\"ckpt-commit\",\"format_version\":2,\"attempt\":\"step-000000000007-0123abcd\",\"step\":7,\"commit_"
            "sequence\":42,"
            "\"manifest_xxh3_128\":\"00000000000000010000000000000002\",\"writer\":\"me\",\n\"checksum\":\"" +
                state::to_hex(state::hash_of(state::to_text(record).substr(0, state::to_text(record).find(",\n")))) + "\"}\n");
  for (const char* bad : {"", "{}", "[]", "{\"format\":\"x\"}", "{\"format\":\"ckpt-commit\",\"format_version\":1}"})
    EXPECT_EQ(status_of([&] { state::parse_commit_record(bad); }), Status::corrupt) << bad;
}

TEST(Objects, RequestsOfEachCall) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  const auto client = std::make_shared<BucketClient>(bucket, requests);
  const auto counted = [&](const auto& body) {
    requests->log.clear();
    body();
    return std::ssize(requests->log);
  };
  std::unique_ptr<state::Checkpoint> writer;
  // The probe (two puts, a get, a remove), and the highest record.
  EXPECT_EQ(counted([&] { writer = std::make_unique<state::Checkpoint>(client, state::CheckpointOptions()); }), 5);
  // Two files, the manifest, the record, the listing, and the next possible record.
  EXPECT_EQ(counted([&] { save_step(*writer, 1); }), 6);
  EXPECT_EQ(requests->count("put "), 3);
  EXPECT_EQ(requests->count("put_if_absent commits/"), 1);
  EXPECT_EQ(requests->count("list commits/"), 1);
  save_step(*writer, 2);
  // The listing, the newest manifest and record, its manifest again, two files.
  EXPECT_EQ(counted([&] { loaded(*writer); }), 6);
  EXPECT_EQ(counted([&] { writer->latest(); }), 3);
  EXPECT_EQ(counted([&] { writer->list(); }), 5);
  EXPECT_EQ(counted([&] { state::Checkpoint(client, read_only()); }), 0);
  writer.reset();

  // With retention: the listing at the opening, then in each save: the listing and, once, the manifest and record of new
  // checkpoints; for a removed one its pin, its record, its manifest, its listing, its files.
  EXPECT_EQ(counted([&] { writer = std::make_unique<state::Checkpoint>(client, keeping(2)); }), 5);
  EXPECT_EQ(counted([&] { save_step(*writer, 3); }), 6 + 1 + 3 * 2 + 5);
  EXPECT_EQ(counted([&] { save_step(*writer, 4); }), 6 + 1 + 1 * 2 + 5);
  EXPECT_EQ(counted([&] { save_step(*writer, 5); }), 6 + 1 + 1 * 2 + 5);
}

TEST(Objects, ReadOnlyWritesNothing) {
  const auto bucket = std::make_shared<Bucket>();
  const auto client = std::make_shared<BucketClient>(bucket);
  state::Checkpoint reader(client, read_only());
  EXPECT_TRUE(reader.list().empty());
  EXPECT_EQ(status_of([&] { save_step(reader, 1); }), Status::invalid_state);
  EXPECT_EQ(client->requests().count("put"), 0);
  EXPECT_EQ(client->requests().count("remove"), 0);
}

TEST(Objects, NewestOfTenThousandByPagesAndThreeRequests) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  const auto client = std::make_shared<BucketClient>(bucket, requests);
  state::Checkpoint writer(client, {});
  state::State state;
  state.set_json("value", "1");
  state::SaveOptions options;
  for (options.step = 1; options.step <= 10000; ++options.step) writer.save(state, options);
  const std::int64_t pages = std::ssize(bucket->objects) / storage::list_limit + 1;
  requests->log.clear();
  EXPECT_EQ(writer.latest().step, 10000);
  EXPECT_LE(std::ssize(requests->log), pages + 3);
  EXPECT_EQ(requests->count("list"), pages);
  requests->log.clear();
  EXPECT_EQ(writer.load(state, {}).step, 10000);
  EXPECT_LE(std::ssize(requests->log), pages + 3);
  requests->log.clear();
  EXPECT_EQ(writer.open_reader("", state::Verify::lazy).count(), 0);
  EXPECT_LE(std::ssize(requests->log), pages + 3);
}

// A store without conditional puts needs as many requests: only the probe and the names differ.
TEST(Objects, RequestsWhereRecordsAreNamedByAttempt) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  requests->puts = Puts::unsupported;
  state::Checkpoint writer(std::make_shared<BucketClient>(bucket, requests), {});
  EXPECT_EQ(std::ssize(requests->log), 2);
  save_step(writer, 1);
  EXPECT_EQ(std::ssize(requests->log), 2 + 5);
  EXPECT_EQ(requests->count("put commits/9223372036854775806-step-000000000001-"), 1);
  requests->log.clear();
  EXPECT_EQ(writer.latest().step, 1);
  EXPECT_EQ(std::ssize(requests->log), 3);
}

TEST(Objects, AListingErrorIsNeverReportedAsNoCheckpoint) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  const auto client = std::make_shared<BucketClient>(bucket, requests);
  state::Checkpoint writer(client, keeping(1));
  save_step(writer, 1);
  requests->before = [](const std::string& line) {
    if (line.starts_with("list")) base::fail(Status::permission, "no listing");
  };
  EXPECT_EQ(status_of([&] { loaded(writer); }), Status::permission);
  EXPECT_EQ(status_of([&] { writer.list(); }), Status::permission);
  EXPECT_EQ(status_of([&] { writer.latest(); }), Status::permission);
  EXPECT_EQ(status_of([&] { writer.verify(""); }), Status::permission);
  EXPECT_EQ(status_of([&] { writer.prune("last:1", true, 10); }), Status::permission);
  EXPECT_EQ(status_of([&] { state::Checkpoint(client, {}); }), Status::permission);
  // The save is not acknowledged, and its objects remain: its record may be the highest one.
  EXPECT_EQ(status_of([&] { save_step(writer, 2); }), Status::permission);
  requests->before = {};
  EXPECT_EQ(newest_in(bucket), 2);
  EXPECT_EQ(save_step(writer, 3).commit_sequence, 3);
  EXPECT_EQ(newest_in(bucket), 3);
}

// Programs start from scratch on NOT_FOUND: a missing bucket, for example a mistyped name, must not look like an empty one.
TEST(Objects, AMissingStoreIsNeverReportedAsNoCheckpoint) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  const auto client = std::make_shared<BucketClient>(bucket, requests);
  state::Checkpoint writer(client, keeping(1));
  save_step(writer, 1);
  requests->before = [](const std::string& line) {
    if (line.starts_with("list")) base::fail(Status::not_found, "there is no such bucket");
  };
  const auto refused = [](const auto& call) {
    std::string message;
    EXPECT_EQ(status_of(call, &message), Status::invalid_argument);
    EXPECT_NE(message.find("there is no such bucket"), std::string::npos) << message;
  };
  state::Checkpoint reader(client, read_only());
  refused([&] { loaded(reader); });
  refused([&] { loaded(reader, of_step(1)); });
  refused([&] { reader.list(); });
  refused([&] { reader.latest(); });
  refused([&] { reader.of_step(1); });
  refused([&] { reader.verify(""); });
  refused([&] { reader.open_reader("", state::Verify::lazy); });
  refused([&] { state::Checkpoint(client, {}); });
  refused([&] { state::Checkpoint(client, keeping(1)); });
  refused([&] { save_step(writer, 2); });
}

TEST(Objects, RetentionPinsAndPrune) {
  const auto bucket = std::make_shared<Bucket>();
  state::Checkpoint writer(std::make_shared<BucketClient>(bucket), keeping(2));
  save_step(writer, 1);
  writer.pin(1);
  EXPECT_EQ(bucket->count("/pinned"), 1);
  EXPECT_TRUE(writer.of_step(1).pinned);
  for (int step = 2; step <= 5; ++step) save_step(writer, step);
  std::string steps;
  for (const state::Found& found : writer.list()) steps += base::cat(found.step, found.pinned ? "p " : " ");
  EXPECT_EQ(steps, "5 4 1p ");
  EXPECT_EQ(bucket->objects.size(), 3U * 4 + 1);
  EXPECT_EQ(status_of([&] { writer.remove(name_of(writer, 1)); }), Status::invalid_state);
  writer.unpin(1);
  EXPECT_EQ(bucket->count("/pinned"), 0);
  EXPECT_EQ(writer.prune("last:1", true, 100).size(), 2U);
  EXPECT_EQ(writer.prune("last:1", false, 100).size(), 2U);
  EXPECT_EQ(bucket->objects.size(), 4U);
  EXPECT_EQ(newest_in(bucket), 5);
}

TEST(Objects, OrphansAreRemovedOnceNoWriterCanCommitThem) {
  const auto bucket = std::make_shared<Bucket>();
  const std::string early = "step-000000000001-00000001";  // a manifest, no record
  const std::string torn = "step-000000000002-00000002";   // no manifest
  const std::string later = "step-000000000009-00000003";  // a later step than the acknowledged ones
  {
    state::Checkpoint writer(std::make_shared<BucketClient>(bucket), {});
    save_step(writer, 1);
    const std::string name = name_of(writer, 1);
    for (const char* file : {"/manifest.json", "/model.safetensors", "/optimizer.safetensors"})
      bucket->objects[early + file] = bucket->objects[name + file];
    bucket->objects[torn + "/model.safetensors"] = "half";
    bucket->objects[later + "/model.safetensors"] = "half";
    bucket->objects["probes/0123456789abcdef"] = "left by a writer that was killed";
  }
  state::Checkpoint writer(std::make_shared<BucketClient>(bucket), keeping(5));
  const std::string unfinished = "step-000000000002-00000004";  // started since the opening: its writer may still commit it
  bucket->objects[unfinished + "/model.safetensors"] = "half";
  save_step(writer, 2);
  EXPECT_EQ(bucket->count(early), 0);
  EXPECT_EQ(bucket->count(torn), 0);
  EXPECT_EQ(bucket->count("probes/"), 0);
  EXPECT_EQ(bucket->count(later), 1);
  EXPECT_EQ(bucket->count(unfinished), 1);
  save_step(writer, 3);  // the attempt existed before this record was put, so its own record can no longer be put
  EXPECT_EQ(bucket->count(unfinished), 0);
  EXPECT_EQ(bucket->count(later), 1);
  EXPECT_EQ(writer.list().size(), 4U);
}

TEST(Objects, RecordsWithoutACheckpointAreRemoved) {
  const auto bucket = std::make_shared<Bucket>();
  state::Checkpoint writer(std::make_shared<BucketClient>(bucket), keeping(3));
  for (int step = 1; step <= 2; ++step) save_step(writer, step);
  writer.remove(name_of(writer, 2));
  EXPECT_EQ(bucket->count("commits/"), 2);
  save_step(writer, 3);
  save_step(writer, 4);
  EXPECT_EQ(bucket->count("commits/"), 3);  // those of 1, 3 and 4
  EXPECT_EQ(writer.list().size(), 3U);
}

TEST(Objects, ADelayedListingRemovesNothingCommitted) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  state::Checkpoint writer(std::make_shared<BucketClient>(bucket, requests), keeping(1));
  save_step(writer, 1);
  save_step(writer, 2);
  Warnings warnings;
  requests->listed = bucket->objects;                               // listings show nothing newer from here on
  EXPECT_EQ(status_of([&] { save_step(writer, 3); }), Status::io);  // it may or may not be committed
  EXPECT_EQ(newest_in(bucket), 3);
  requests->listed.reset();
  save_step(writer, 4);
  EXPECT_EQ(newest_in(bucket), 4);

  // A listing without the record and the manifest of a committed checkpoint: reading shows that both exist.
  auto shown = bucket->objects;
  std::erase_if(shown, [](const auto& object) {
    return object.first.find("step-000000000004") != std::string::npos && object.first.ends_with("manifest.json");
  });
  save_step(writer, 4);
  for (const auto& [path, text] : bucket->objects) shown.emplace(path, text);
  std::erase_if(shown, [&](const auto& object) { return !bucket->objects.contains(object.first); });
  const std::int64_t before = bucket->count("step-");
  requests->listed = shown;
  EXPECT_NO_THROW(loaded(writer));
  requests->listed.reset();
  EXPECT_EQ(bucket->count("step-"), before);
  EXPECT_EQ(newest_in(bucket), 4);
}

TEST(Objects, UnchangedGroupsAreRewritten) {
  const auto bucket = std::make_shared<Bucket>();
  state::Checkpoint writer(std::make_shared<BucketClient>(bucket), {});
  Model model(1);
  model.state.set_rarely_changes("model", true);
  writer.save(model.state, {});
  state::SaveOptions options;
  options.step = 2;
  EXPECT_EQ(writer.save(model.state, options).linked, 0);
  EXPECT_EQ(newest_in(bucket), 1);
}

TEST(Objects, AFileWithAFailedSyncIsRewrittenUnderItsName) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  state::Checkpoint writer(std::make_shared<BucketClient>(bucket, requests), {});
  int left = 2;
  requests->before = [&](const std::string& line) {
    if (line.ends_with("model.safetensors") && line.starts_with("put") && left-- > 0) base::fail(Status::io, "reset");
  };
  EXPECT_EQ(save_step(writer, 1).rewritten, 2);
  EXPECT_EQ(newest_in(bucket), 1);
  left = 3;
  EXPECT_EQ(status_of([&] { save_step(writer, 2); }), Status::io);
  EXPECT_EQ(bucket->objects.size(), 4U);  // nothing remains of it
}

// If the answer to the record's request is lost, the fault handler or the next save recognizes the record as its own.
TEST(Objects, ALostAnswerOfTheRecord) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  int lost = 0;
  requests->after = [&](const std::string& line) {
    if (line.starts_with("put_if_absent commits/") && lost-- > 0) base::fail(Status::io, "reset");
  };
  state::CheckpointOptions options;
  options.fault_handler = std::make_shared<storage::FaultHandler>(storage::FaultPolicy(), [](std::int64_t) {});
  {
    state::Checkpoint writer(std::make_shared<BucketClient>(bucket, requests), options);
    lost = 1;
    EXPECT_EQ(save_step(writer, 1).commit_sequence, 1);
  }
  state::Checkpoint writer(std::make_shared<BucketClient>(bucket, requests), {});
  lost = 1;
  EXPECT_EQ(status_of([&] { save_step(writer, 2); }), Status::io);
  EXPECT_EQ(newest_in(bucket), 2);  // complete, though not acknowledged
  EXPECT_EQ(save_step(writer, 3).commit_sequence, 3);
  EXPECT_EQ(newest_in(bucket), 3);

  // The request itself was lost: the next save puts the record first.
  requests->before = [&](const std::string& line) {
    if (line.starts_with("put_if_absent commits/") && lost-- > 0) base::fail(Status::io, "reset");
  };
  requests->after = {};
  lost = 1;
  EXPECT_EQ(status_of([&] { save_step(writer, 4); }), Status::io);
  EXPECT_EQ(newest_in(bucket), 3);
  EXPECT_EQ(save_step(writer, 5).commit_sequence, 5);
  EXPECT_EQ(writer.list().size(), 5U);
}

TEST(Objects, RangesAreReadTogether) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  const auto client = std::make_shared<BucketClient>(bucket, requests);
  state::Checkpoint writer(client, {});
  constexpr std::int64_t elements = (std::int64_t{70} << 20) / 4;
  const auto large = tensor::Tensor::create(tensor::Dtype::f32, {elements});
  const auto small = tensor::Tensor::create(tensor::Dtype::f32, {4});
  for (std::int64_t i = 0; i < elements; ++i) large->data_as<float>()[i] = static_cast<float>(i % 1000);
  state::State state;
  state.add_tensor("model", "large", large);
  state.add_tensor("model", "small", small);
  writer.save(state, {});
  const std::int64_t pieces = elements * 4 / storage::range_bytes + 1;
  std::fill_n(large->data_as<float>(), elements, -1.0F);
  requests->log.clear();
  writer.load(state, {});
  EXPECT_EQ(requests->max_ranges, storage::ranges_at_once);
  EXPECT_LE(requests->count("get"), pieces + 6);
  EXPECT_EQ(large->data_as<float>()[elements - 1], static_cast<float>((elements - 1) % 1000));
  requests->log.clear();
  writer.verify("");
  EXPECT_LE(requests->count("get"), pieces + 6);

  // One slice of one tensor reads the header and the slice's bytes.
  state::Reader reader = writer.open_reader("", state::Verify::none);
  requests->log.clear();
  const auto slice = reader.read_slice(reader.find("", "large"), 1'000'007, 3, nullptr);
  EXPECT_EQ(slice->data_as<float>()[2], 9);
  EXPECT_EQ(std::ssize(requests->log), 1);
  // Some of the tensors: reads only these.
  state::State part;
  part.add_tensor("model", "small", small);
  requests->log.clear();
  state::LoadOptions partial;
  partial.partial = true;
  writer.load(part, partial);
  EXPECT_LE(std::ssize(requests->log), 8);
}

}  // namespace
