// Retention, names with a prefix, incremental saves, stateful objects, partial loads, coordinators.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/version.h"
#include "faulty_storage.h"
#include "fixture.h"
#include "state/checkpoint.h"
#include "storage/file_system.h"

namespace {

using ckpt::base::Status;
using ckpt::tensor::Dtype;
using ckpt::tensor::Tensor;
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

TEST(StateFeatures, KeepsEveryKthStepAndTheBest) {
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

TEST(StateFeatures, OfEqualStepsAndMetricsTheNewestStays) {
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

TEST(StateFeatures, OptionsThatCannotBeAreRefused) {
  const auto disk = storage::make_memory_storage();
  CheckpointOptions options;
  options.keep_best = 1;
  EXPECT_ERROR(Checkpoint(disk, options), Status::invalid_argument, "keep_last is 0");
  options = {};
  options.keep_every = -1;
  EXPECT_ERROR(Checkpoint(disk, options), Status::invalid_argument, "keep_every is -1");
  Checkpoint checkpoint(disk, {});
  EXPECT_ERROR(save_with(checkpoint, 1, std::numeric_limits<double>::quiet_NaN()), Status::invalid_argument, "metric is nan");
  EXPECT_ERROR(save_with(checkpoint, 1, std::numeric_limits<double>::infinity()), Status::invalid_argument, "metric is inf");
  for (const char* prefix : {"torn", "step", "A", "a-b", "../a", "a.b", "", "0123456789012345678901234"}) {
    if (*prefix != '\0') EXPECT_ERROR(save_with(checkpoint, 1, {}, prefix), Status::invalid_argument, "prefix is '");
  }
  EXPECT_EQ(std::ssize(checkpoint.list()), 0);
}

TEST(StateFeatures, APrefixIsPartOfTheNameOnly) {
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

// The number of names that a file has.
std::uintmax_t links_of(const Scratch& scratch, const std::string& path) {
  return std::filesystem::hard_link_count(scratch / path);
}

TEST(StateFeatures, AnUnchangedFileIsLinkedAndOutlivesTheOneItCameFrom) {
  const Scratch scratch;
  const auto disk = storage::open_file_system(scratch.path(), storage::Root::make);
  Checkpoint checkpoint(disk, {false, 1});
  Model model(1);
  model.state.set_rarely_changes("model", true);
  const auto save = [&](std::int64_t step, bool incremental = true) {
    SaveOptions options;
    options.step = step;
    options.incremental = incremental;
    return checkpoint.save(model.state, options);
  };
  EXPECT_EQ(save(1).linked, 0);
  for (const StateTensor& item : model.state.groups()[1].tensors) item.tensor->data_as<float>()[0] = 77;
  const SaveResult second = save(2);
  EXPECT_EQ(second.linked, 1);
  EXPECT_EQ(second.files, 2);
  EXPECT_EQ(std::ssize(checkpoint.list()), 1);  // the first one is gone, its file is not
  EXPECT_EQ(links_of(scratch, second.name + "/model.safetensors"), 1U);
  EXPECT_EQ(checkpoint.verify("").tensors, 3);
  EXPECT_EQ(save(3, false).linked, 0);
  EXPECT_EQ(save(4).linked, 1);
  model.state.groups()[0].tensors[1].tensor->data_as<float>()[2] = -5;
  EXPECT_EQ(save(5).linked, 0);
  model.state.set_rarely_changes("model", false);
  EXPECT_EQ(save(6).linked, 0);
  EXPECT_EQ(checkpoint.verify("").tensors, 3);
}

TEST(StateFeatures, TwoCheckpointsShareAFileAndEitherMayGo) {
  const Scratch scratch;
  const auto disk = storage::open_file_system(scratch.path(), storage::Root::make);
  Model model(3);
  model.state.set_rarely_changes("optimizer", true);
  std::string first;
  {
    Checkpoint checkpoint(disk, {});
    first = checkpoint.save(model.state, {}).name;
  }
  Checkpoint checkpoint(disk, {});  // finds the latest one itself
  const SaveResult second = checkpoint.save(model.state, {});
  EXPECT_EQ(second.linked, 1);
  EXPECT_EQ(links_of(scratch, second.name + "/optimizer.safetensors"), 2U);
  EXPECT_TRUE(remove_checkpoint(*disk, second.name));
  EXPECT_EQ(checkpoint.verify(first).files, 2);
  EXPECT_EQ(checkpoint.save(model.state, {}).linked, 0);  // what it would have linked is gone
}

TEST(StateFeatures, ADamagedFileIsNotHandedOn) {
  const auto disk = storage::make_memory_storage();
  Checkpoint checkpoint(disk, {});
  Model model(3);
  model.state.set_rarely_changes("model", true);
  const std::string path = checkpoint.save(model.state, {}).name + "/model.safetensors";
  std::string bytes = read_file(*disk, path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  replace_file(*disk, path, bytes);
  const Warnings warnings;
  const SaveResult second = checkpoint.save(model.state, {});
  EXPECT_EQ(second.linked, 0);
  EXPECT_TRUE(warnings.mention("written anew")) << warnings.text();
  EXPECT_NO_THROW(checkpoint.verify(second.name));
}

// FaultyStorage has no links, as many file systems have none.
TEST(StateFeatures, WhereLinksFailTheFileIsCopied) {
  const auto faults = std::make_shared<Faults>();
  Checkpoint checkpoint(std::make_shared<FaultyStorage>(storage::make_memory_storage(), faults), {false, 1});
  Model model(3);
  model.state.set_rarely_changes("model", true);
  checkpoint.save(model.state, {});
  faults->log.clear();
  const SaveResult second = checkpoint.save(model.state, {});
  EXPECT_EQ(second.linked, 1);
  EXPECT_NE(std::ranges::find(faults->log, "sync " + second.name + "/model.safetensors.tmp1"), faults->log.end());
  EXPECT_EQ(checkpoint.verify("").files, 2);
}

TEST(StateFeatures, ACopyThatFailsIsWrittenAnew) {
  const auto faults = std::make_shared<Faults>();
  Checkpoint checkpoint(std::make_shared<FaultyStorage>(storage::make_memory_storage(), faults), {});
  Model model(3);
  model.state.set_rarely_changes("model", true);
  checkpoint.save(model.state, {});
  faults->only = "write";
  faults->counted = 0;
  faults->fail_at = 0;
  const Warnings warnings;
  const SaveResult second = checkpoint.save(model.state, {});
  EXPECT_EQ(faults->fired, 1);
  EXPECT_EQ(second.linked, 0);
  EXPECT_NO_THROW(checkpoint.verify(second.name));
}

// A counter with one tensor, as a program's own object would be.
class Counter final : public Stateful {
 public:
  std::shared_ptr<Tensor> tensor = Tensor::create(Dtype::f32, {2});
  std::int64_t restored = 0;
  std::string value = "1";
  bool fails = false;

  void list(State& into) override {
    if (fails) ckpt::base::fail(Status::callback, "list failed");
    into.add_tensor("data", "t", tensor);
    into.set_json("count", value);
  }
  void restore(const State& loaded) override {
    ++restored;
    value = loaded.json("count");
    EXPECT_EQ(loaded.groups().at(0).tensors.at(0).tensor, tensor);
  }
};

TEST(StateFeatures, StatefulObjectsAreListedAndRestored) {
  Checkpoint checkpoint(storage::make_memory_storage(), {});
  const auto counter = std::make_shared<Counter>();
  Model model(4);
  model.state.add_stateful("counter", counter);
  EXPECT_ERROR(model.state.add_stateful("counter", counter), Status::already_exists, "'counter'");
  EXPECT_ERROR(model.state.add_stateful("a.b", counter), Status::invalid_argument, "'a.b'");
  counter->tensor->data_as<float>()[1] = 8;
  counter->value = "[41]";
  const SaveResult saved = checkpoint.save(model.state, {});
  EXPECT_EQ(saved.files, 3);
  EXPECT_EQ(parse_manifest(checkpoint.manifest(saved.name)).values.at("counter.count"), "[41]");
  counter->tensor->data_as<float>()[1] = 0;
  counter->value = "0";
  model.fill(0);
  checkpoint.load(model.state, {});
  EXPECT_EQ(counter->value, "[41]");
  EXPECT_EQ(counter->restored, 1);
  EXPECT_EQ(counter->tensor->data_as<float>()[1], 8);
  EXPECT_EQ(model.value(), 4);
  EXPECT_FALSE(model.state.values().contains("counter.count"));
  counter->fails = true;
  EXPECT_ERROR(checkpoint.save(model.state, {}), Status::callback, "list failed");
  EXPECT_EQ(std::ssize(checkpoint.list()), 1);
}

TEST(StateFeatures, APartialLoadListsWhatOneSideLacks) {
  Checkpoint checkpoint(storage::make_memory_storage(), {});
  Model saved(6);
  saved.state.set_json("only there", "1");
  checkpoint.save(saved.state, {});
  State state;
  const auto weight = Tensor::create(Dtype::f32, {2, 3});
  const auto extra = Tensor::create(Dtype::u8, {1});
  extra->data_as<std::uint8_t>()[0] = 9;
  state.add_tensor("model", "weight", weight);
  state.add_tensor("head", "extra", extra);
  state.set_json("only here", "2");
  LoadOptions options;
  EXPECT_ERROR(checkpoint.load(state, options), Status::invalid_argument, "in the checkpoint");
  options.partial = true;
  const LoadResult loaded = checkpoint.load(state, options);
  EXPECT_EQ(loaded.missing, 1);
  EXPECT_EQ(loaded.unexpected, 2);
  EXPECT_EQ(state.load_report(),
            R"({"missing":[{"group":"head","name":"extra"}],)"
            R"("unexpected":[{"group":"model","name":"bias"},{"group":"optimizer","name":"moment"}],"skipped":[]})");
  EXPECT_EQ(weight->data_as<float>()[5], 6);
  EXPECT_EQ(extra->data_as<std::uint8_t>()[0], 9);
  EXPECT_EQ(state.json("only here"), "2");
  EXPECT_EQ(state.json("only there"), "1");
  checkpoint.load(saved.state, {});
  EXPECT_EQ(saved.state.load_report(), R"({"missing":[],"unexpected":[],"skipped":[]})");
  State other;
  other.add_tensor("model", "weight", Tensor::create(Dtype::f32, {3, 2}));
  EXPECT_ERROR(checkpoint.load(other, options), Status::invalid_argument, "is F32 [3, 2] here");
}

// The same text with another environment, and a checksum that fits.
void forge_environment(storage::Storage& disk, const std::string& name, const std::string& environment) {
  const std::string path = name + "/manifest.json";
  std::string text = read_file(disk, path);
  const std::size_t begin = text.find("\"environment\":") + 14;
  text.replace(begin, text.find(",\n\"groups\"") - begin, environment);
  text.resize(text.rfind(",\n\"checksum\""));
  replace_file(disk, path, text + ",\n\"checksum\":\"" + to_hex(hash_of(text)) + "\"}\n");
}

TEST(StateFeatures, AnEnvironmentIsComparedAsFarAsItIsKnown) {
  const auto disk = storage::make_memory_storage();
  CheckpointOptions options;
  options.blas = [] { return std::string("this BLAS"); };
  Checkpoint checkpoint(disk, options);
  const std::string name = save_with(checkpoint, 1, {}).name;
  const auto differs = [&](const std::string& environment, const char* given = nullptr) {
    forge_environment(*disk, name, environment);
    Warnings warnings;
    Model model(0);
    LoadOptions load;
    load.compare_environment = given != nullptr;
    load.environment_json = given == nullptr ? "" : given;
    const bool result = checkpoint.load(model.state, load).environment_differs;
    EXPECT_EQ(result, warnings.mention("may differ in their last bits")) << warnings.text();
    return result;
  };
  const std::string version = ckpt::base::cat(R"("version":")", ckpt::base::version_text(), '"');
  EXPECT_FALSE(differs("{\"libckpt\":{" + version + R"(,"blas":"this BLAS"}})"));
  EXPECT_TRUE(differs("{\"libckpt\":{" + version + R"(,"blas":"that BLAS"}})"));
  EXPECT_TRUE(differs(R"({"libckpt":{"version":"0.0.9","blas":"this BLAS"}})"));
  // What is not known, or of an earlier version of the library, warns of nothing.
  for (const char* old :
       {"null", "{}", R"({"blas":"x","library":"0.0.9"})", "7", R"({"libckpt":3})", R"({"libckpt":{"blas":5}})"}) {
    EXPECT_FALSE(differs(old)) << old;
  }
  EXPECT_FALSE(differs("{\"libckpt\":{" + version + "}}"));
  EXPECT_FALSE(differs(R"({"isa":"a"})", R"({"isa":"a"})"));
  EXPECT_TRUE(differs(R"({"isa":"a"})", R"({"isa":"b"})"));
  EXPECT_FALSE(differs("{\"isa\":\"a\",\"libckpt\":{" + version + "}}", R"({"isa":"a"})"));
}

TEST(StateFeatures, RetentionReadsManifestsOnly) {
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

}  // namespace
