// Tests the enumerator itself: it must detect the removal of any one step of the commit. A mutation edits the log of operations
// that reached the disk, while the code assumes that all of them did.
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "base/log.h"
#include "scenario.h"
#include "state/hash.h"

namespace {

using namespace ckpt::tests;
namespace state = ckpt::state;

// Returns no operation if the operation never reaches the disk.
using Mutation = std::function<std::optional<Operation>(const Operation&)>;

bool is_manifest(const std::string& path) { return path.find("/manifest.json") != std::string::npos; }
bool is_tensor_file(const std::string& path) { return path.find(".safetensors") != std::string::npos; }

Scenario mutated(Scenario scenario, const Mutation& mutation) {
  Log log;
  for (const Operation& operation : scenario.log) {
    if (auto changed = mutation(operation)) log.push_back(*std::move(changed));
  }
  scenario.log = std::move(log);
  return scenario;
}

Mutation without(const std::function<bool(const Operation&)>& removed) {
  return [removed](const Operation& operation) { return removed(operation) ? std::nullopt : std::optional(operation); };
}

// A file of that kind gets its final name at creation: it is written in place.
Mutation in_place(bool (*kind)(const std::string&)) {
  return [kind](Operation operation) -> std::optional<Operation> {
    if (!kind(operation.path)) return operation;
    if (operation.kind == Kind::rename) return std::nullopt;
    operation.path = operation.path.substr(0, operation.path.find(".tmp"));
    return operation;
  };
}

// Removes the number-th sync of a directory below the root, counted separately in every attempt and its removal.
Mutation without_directory_sync(int number) {
  return [number, seen = std::map<std::string, int>()](const Operation& operation) mutable -> std::optional<Operation> {
    if (operation.kind != Kind::sync_directory || operation.path.empty()) return operation;
    return ++seen[operation.path] == number ? std::nullopt : std::optional(operation);
  };
}

Count count_of(const Mutation& mutation, Enumeration options, std::uint64_t max_images = mutation_images) {
  ckpt::base::set_log(ckpt::base::LogLevel::warning, [](ckpt::base::LogLevel, const char*, const char*) {});
  options.max_images = max_images;
  Enumerator enumerator(options);
  for (const Scenario& scenario : short_scenarios()) enumerator.run(mutated(scenario, mutation));
  ckpt::base::set_log(ckpt::base::LogLevel::warning, {});
  return enumerator.count();
}

void expect_detected(const char* what, const Mutation& mutation) {
  Enumeration options;
  options.stop_at_first = true;
  const Count count = count_of(mutation, options);
  EXPECT_GT(count.bad(), 0) << what << " can be removed without detection";
}

TEST(CrashMutation, UnmutatedIsClean) {
  const Count count = count_of([](const Operation& operation) { return std::optional(operation); }, {});
  EXPECT_EQ(count.bad(), 0) << count.first;
}

TEST(CrashMutation, SyncOfATensorFile) {
  expect_detected("it", without([](const Operation& o) { return o.kind == Kind::sync && is_tensor_file(o.path); }));
}

TEST(CrashMutation, SyncOfTheManifest) {
  expect_detected("it", without([](const Operation& o) { return o.kind == Kind::sync && is_manifest(o.path); }));
}

// Before the manifest: without it the manifest's name may be durable although those of the files that it lists are not.
TEST(CrashMutation, FirstSyncOfTheDirectory) { expect_detected("it", without_directory_sync(1)); }

// After the manifest: without it an acknowledged save loses its manifest.
TEST(CrashMutation, SecondSyncOfTheDirectory) { expect_detected("it", without_directory_sync(2)); }

// In a removal: without it the manifest may reappear after its files are gone.
TEST(CrashMutation, SyncOfTheDirectoryInARemoval) { expect_detected("it", without_directory_sync(3)); }

// Without it a crash may lose the pin, and then the checkpoint.
TEST(CrashMutation, SyncOfTheDirectoryOfAPin) {
  expect_detected("it", [is_next = false](const Operation& o) mutable -> std::optional<Operation> {
    if (o.kind == Kind::sync && o.path.ends_with("/pinned")) is_next = true;
    if (!is_next || o.kind != Kind::sync_directory) return o;
    is_next = false;
    return std::nullopt;
  });
}

TEST(CrashMutation, SyncOfTheRoot) {
  expect_detected("it", without([](const Operation& o) { return o.kind == Kind::sync_directory && o.path.empty(); }));
}

TEST(CrashMutation, RenameOfTheManifest) { expect_detected("it", in_place(is_manifest)); }

// Redundant for crashes, as this enumeration proves: a tensor file's name means nothing before a manifest lists it, and the
// manifest is written only after the file and its name are durable. The rename handles failed syncs: a rewritten file gets another
// temporary name, and only the successful one gets the final name
// (StateFaults.AfterAFailedSyncTheFileIsRewrittenUnderAnotherName).
TEST(CrashMutation, RenameOfATensorFileIsRedundant) {
  const Count count = count_of(in_place(is_tensor_file), {});
  EXPECT_EQ(count.bad(), 0) << count.first;
  EXPECT_GT(count.distinct, 1000);
}

// Deleting before the acknowledgement instead of after it.
TEST(CrashMutation, RemovalBeforeTheRootIsSynced) {
  for (const Scenario& scenario : short_scenarios()) {
    if (scenario.name != "keep one") continue;
    Scenario early = scenario;
    Log log;
    std::optional<Operation> root;
    bool watched = false;
    for (const Operation& operation : scenario.log) {
      watched = watched || operation.kind == Kind::watch;
      const bool is_root = operation.kind == Kind::sync_directory && operation.path.empty();
      if (watched && is_root) {
        root = operation;  // executed after the old directory is removed
        continue;
      }
      log.push_back(operation);
      if (root && operation.kind == Kind::remove_directory) {
        log.push_back(*root);
        root.reset();
      }
    }
    early.log = std::move(log);
    Enumeration options;
    options.max_images = mutation_images;
    Enumerator enumerator(options);
    enumerator.run(early);
    EXPECT_GT(enumerator.count().bad(), 0);
  }
}

// The checksums of tensors: if the sync of a file had no effect, only they protect the caller from bytes that were never saved.
TEST(CrashMutation, ChecksumsOfTensors) {
  const Mutation ineffective_sync = without([](const Operation& o) { return o.kind == Kind::sync && is_tensor_file(o.path); });
  constexpr auto wrong = static_cast<std::size_t>(Violation::wrong_bytes);
  Enumeration options;
  EXPECT_EQ(count_of(ineffective_sync, options, 4).violations[wrong], 0);
  options.verify = state::Verify::none;
  EXPECT_GT(count_of(ineffective_sync, options, 4).violations[wrong], 0);
}

std::string read_text(ckpt::storage::Storage& disk, const std::string& path) {
  const auto file = disk.open(path);
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  file->read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

// The checksum of the manifest cannot be switched off, so this test forges it. A manifest that contains bytes of an older one in
// its lost blocks is refused; the same text with a matching checksum is accepted, and returns values that were never saved
// together.
TEST(CrashMutation, ChecksumOfTheManifest) {
  ckpt::base::set_log(ckpt::base::LogLevel::warning, [](ckpt::base::LogLevel, const char*, const char*) {});
  const auto disk = disk_of({});
  std::string paths[2];
  {
    state::Checkpoint checkpoint(disk, {});
    NumberedState saved({1, false});
    for (int i = 0; i < 2; ++i) {
      saved.fill(i + 1);
      saved.state.set_json("other", i == 0 ? "111" : "222");
      state::SaveOptions options;
      options.step = 5;  // the same step: all lengths are equal
      paths[i] = checkpoint.save(saved.state, options).name + "/manifest.json";
    }
  }
  const std::string older = read_text(*disk, paths[0]);
  const std::string newer = read_text(*disk, paths[1]);
  ASSERT_EQ(older.size(), newer.size());
  ASSERT_NE(older.find("\"other\":111"), std::string::npos);
  // The older one's bytes up to and including the changed value.
  const std::size_t cut = newer.find("\"other\":222") + 11;
  std::string mixed = newer;
  const std::size_t at = newer.find("\"other\":222");
  mixed.replace(at, cut - at, older, at, cut - at);

  const auto load = [&](const std::string& text) {
    disk->remove(paths[1]);
    disk->create(paths[1])->write(0, std::as_bytes(std::span(text)));
    state::Checkpoint reader(disk, {true, 0});
    NumberedState loaded({1, false});
    reader.load(loaded.state, {});
    return std::pair(loaded.save(), loaded.state.json("other"));
  };
  EXPECT_EQ(load(newer), std::pair(2, std::string("222")));
  EXPECT_EQ(load(mixed), std::pair(1, std::string("111")));  // refused: the older checkpoint, whole
  const std::size_t end = mixed.rfind(",\n\"checksum\"");
  const std::string body = mixed.substr(0, end);
  EXPECT_EQ(load(body + ",\n\"checksum\":\"" + state::to_hex(state::hash_of(body)) + "\"}\n"), std::pair(2, std::string("111")));
  ckpt::base::set_log(ckpt::base::LogLevel::warning, {});
}

}  // namespace
