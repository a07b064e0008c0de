// Saving, resuming, choosing, retaining, locking.
#include "state/manager/checkpoint.h"
#include "state/manifest_text.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

#include "fixture.h"
#include "storage/file_system.h"

namespace {

using ckpt::base::Status;
using ckpt::tensor::Dtype;
using ckpt::tensor::Tensor;
using namespace ckpt::state;
using namespace ckpt::tests;
namespace storage = ckpt::storage;

class StateCheckpoint : public testing::Test {
 protected:
  std::shared_ptr<storage::Storage> disk = storage::make_memory_storage();
};

void fill(const std::shared_ptr<Tensor>& tensor, int seed) {
  for (std::int64_t i = 0; i < tensor->bytes(); ++i) tensor->data_as<std::uint8_t>()[i] = static_cast<std::uint8_t>(seed + i * 7);
}

TEST_F(StateCheckpoint, KeepsEveryDtypeAndShape) {
  State state;
  std::vector<std::shared_ptr<Tensor>> tensors;
  for (std::int32_t number = ckpt::tensor::first_dtype; number <= ckpt::tensor::last_dtype; ++number) {
    tensors.push_back(Tensor::create(static_cast<Dtype>(number), {5, 8}));
  }
  tensors.push_back(Tensor::create(Dtype::f64, {}));
  tensors.push_back(Tensor::create(Dtype::f32, {3, 0, 2}));
  tensors.push_back(Tensor::create(Dtype::u8, {1, 1, 1, 1, 1, 1, 1, 13}));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    fill(tensors[i], static_cast<int>(i));
    state.add_tensor("all", ckpt::base::cat("t", i), tensors[i]);
  }
  Checkpoint checkpoint(disk, {});
  checkpoint.save(state, {});
  for (const auto& tensor : tensors) std::fill_n(tensor->data_as<std::uint8_t>(), tensor->bytes(), std::uint8_t{0});
  checkpoint.load(state, {});
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto expected = Tensor::create(tensors[i]->dtype(), tensors[i]->shape());
    fill(expected, static_cast<int>(i));
    EXPECT_TRUE(std::ranges::equal(tensors[i]->byte_span(), expected->byte_span())) << i;
  }
  EXPECT_EQ(checkpoint.verify("").tensors, 25);
}

TEST_F(StateCheckpoint, ATensorOfSeveralChunksAndBlocks) {
  const std::int64_t bytes = chunk_bytes + (3 << 20) + 17;
  State state;
  const auto large = Tensor::create(Dtype::u8, {bytes});
  const auto small = Tensor::create(Dtype::u8, {5});
  fill(large, 1);
  fill(small, 2);
  state.add_tensor("g", "large", large);
  state.add_tensor("g", "small", small);
  Checkpoint checkpoint(disk, {});
  const SaveResult saved = checkpoint.save(state, {});
  EXPECT_EQ(parse_manifest(checkpoint.manifest(saved.name)).groups[0].tensors[0].chunks.size(), 2U);
  EXPECT_EQ(saved.bytes % 64, (bytes + 5) % 64);
  std::fill_n(large->data_as<std::uint8_t>(), bytes, std::uint8_t{0});
  checkpoint.load(state, {});
  const auto expected = Tensor::create(Dtype::u8, {bytes});
  fill(expected, 1);
  EXPECT_TRUE(std::ranges::equal(large->byte_span(), expected->byte_span()));
  EXPECT_NO_THROW(checkpoint.verify(saved.name));
}

TEST_F(StateCheckpoint, RestoresEverythingThatWasGiven) {
  Checkpoint checkpoint(disk, {});
  Model model(7);
  model.state.set_json("data_position", R"({"epoch":2,"byte":99})");
  model.state.set_json("controller", "null");
  SaveOptions options;
  options.step = 1200;
  options.seed = 0xFFFFFFFFFFFFFFFF;
  options.metadata_json = R"({"note":"a"})";
  options.environment_json = R"({"isa":"avx2"})";
  const SaveResult saved = checkpoint.save(model.state, options);
  Model other(0);
  other.state.set_json("gone", "1");
  LoadOptions load;
  load.compare_environment = true;
  load.environment_json = R"({ "isa" : "avx2" })";
  const LoadResult loaded = checkpoint.load(other.state, load);
  EXPECT_EQ(other.value(), 7);
  EXPECT_EQ(other.state.json("data_position"), R"({"epoch":2,"byte":99})");
  EXPECT_EQ(other.state.json("controller"), "null");
  EXPECT_ERROR(other.state.json("gone"), Status::not_found, "'gone'");
  EXPECT_EQ(loaded.step, 1200);
  EXPECT_EQ(loaded.seed, 0xFFFFFFFFFFFFFFFF);
  EXPECT_EQ(loaded.name, saved.name);
  EXPECT_EQ(loaded.bytes, saved.bytes);
  EXPECT_FALSE(loaded.environment_differs);
  const Manifest manifest = parse_manifest(checkpoint.manifest(saved.name));
  EXPECT_EQ(manifest.metadata, R"({"note":"a"})");
  EXPECT_EQ(manifest.library_version.find("0."), 0U);
}

TEST_F(StateCheckpoint, WarnsWhereBitsMayDiffer) {
  Checkpoint checkpoint(disk, {});
  save_step(checkpoint, 1);
  Model model(0);
  LoadOptions load;
  load.compare_environment = true;
  load.environment_json = R"({"isa":"neon"})";
  const Warnings warnings;
  EXPECT_TRUE(checkpoint.load(model.state, load).environment_differs);
  EXPECT_TRUE(warnings.mention("neon")) << warnings.text();
}

TEST_F(StateCheckpoint, FollowsTheFileFormat) {
  Checkpoint checkpoint(disk, {});
  const SaveResult saved = save_step(checkpoint, 1200);
  EXPECT_TRUE(saved.name.starts_with("step-000000001200-")) << saved.name;
  EXPECT_EQ(saved.name.size(), std::string("step-000000001200-1a2b3c4d").size());
  EXPECT_EQ(names_in(*disk, saved.name), "manifest.json model.safetensors optimizer.safetensors ");
  EXPECT_EQ(disk->size(saved.name + "/model.safetensors") + disk->size(saved.name + "/optimizer.safetensors"), saved.bytes);
}

TEST_F(StateCheckpoint, AStateMayHaveNoTensors) {
  Checkpoint checkpoint(disk, {});
  State state;
  state.set_json("only", "\"this\"");
  checkpoint.save(state, {});
  State other;
  checkpoint.load(other, {});
  EXPECT_EQ(other.json("only"), "\"this\"");
  EXPECT_NO_THROW(checkpoint.verify(""));
}

TEST_F(StateCheckpoint, LoadsTheHighestStepThenTheLastCommitted) {
  Checkpoint checkpoint(disk, {});
  save_step(checkpoint, 30);
  save_step(checkpoint, 20);
  Model model(0);
  EXPECT_EQ(checkpoint.load(model.state, {}).step, 30);
  for (int again = 1; again <= 8; ++again) {
    Model changed(static_cast<float>(100 + again));
    SaveOptions options;
    options.step = 30;
    checkpoint.save(changed.state, options);
    checkpoint.load(model.state, {});
    EXPECT_EQ(model.value(), 100 + again);
  }
  EXPECT_EQ(std::ssize(checkpoint.list()), 10);
  EXPECT_EQ(checkpoint.list().at(0).commit_sequence, 10);
  EXPECT_EQ(checkpoint.list().at(9).step, 20);
}

TEST_F(StateCheckpoint, ANamedCheckpointIsLoadedWhateverItsStep) {
  Checkpoint checkpoint(disk, {});
  const SaveResult first = save_step(checkpoint, 1);
  save_step(checkpoint, 2);
  Model model(0);
  LoadOptions options;
  options.name = first.name;
  EXPECT_EQ(checkpoint.load(model.state, options).step, 1);
  EXPECT_EQ(model.value(), 1);
  options.name = "best";
  EXPECT_ERROR(checkpoint.load(model.state, options), Status::not_found, "best");
  disk->rename(first.name, "best");
  EXPECT_EQ(checkpoint.load(model.state, options).step, 1);
  EXPECT_EQ(checkpoint.verify("best").files, 2);
  options.name = "../best";
  EXPECT_ERROR(checkpoint.load(model.state, options), Status::invalid_argument, "../best");
}

TEST_F(StateCheckpoint, AnEmptyDirectoryIsNotFound) {
  Checkpoint checkpoint(disk, {});
  Model model(5);
  EXPECT_ERROR(checkpoint.load(model.state, {}), Status::not_found, "memory");
  EXPECT_ERROR(checkpoint.verify(""), Status::not_found, "memory");
  EXPECT_EQ(std::ssize(checkpoint.list()), 0);
  EXPECT_EQ(model.value(), 5);
}

TEST_F(StateCheckpoint, AStateThatDoesNotMatchIsRefusedAndUnchanged) {
  Checkpoint checkpoint(disk, {});
  State small;
  small.add_tensor("model", "weight", Tensor::create(Dtype::f32, {2, 3}));
  checkpoint.save(small, {});  // an older checkpoint that would match must not be loaded instead
  save_step(checkpoint, 2);
  const auto refused = [&](State& state, const char* text) {
    EXPECT_ERROR(checkpoint.load(state, {}), Status::invalid_argument, text);
    for (const StateGroup& group : state.groups()) {
      for (const StateTensor& item : group.tensors) {
        for (const std::byte byte : item.tensor->byte_span()) EXPECT_EQ(byte, std::byte{9});
      }
    }
    EXPECT_TRUE(state.values().empty());
  };
  const auto make = [](Dtype dtype, const ckpt::tensor::Shape& shape) {
    auto tensor = Tensor::create(dtype, shape);
    std::ranges::fill(tensor->byte_span(), std::byte{9});
    return tensor;
  };
  const auto with = [&](const std::shared_ptr<Tensor>& weight) {
    auto state = std::make_unique<State>();
    state->add_tensor("model", "weight", weight);
    state->add_tensor("model", "bias", make(Dtype::f32, {3}));
    state->add_tensor("optimizer", "moment", make(Dtype::f32, {2, 3}));
    return state;
  };
  refused(*with(make(Dtype::f32, {3, 2})), "'weight' of group 'model' is F32 [3, 2] here; the checkpoint has F32 [2, 3]");
  refused(*with(make(Dtype::i32, {2, 3})), "is I32 [2, 3] here");
  auto state = with(make(Dtype::f32, {2, 3}));
  state->add_tensor("model", "extra", make(Dtype::f32, {1}));
  refused(*state, "'extra' of group 'model' of the state is not in the checkpoint");
  state = with(make(Dtype::f32, {2, 3}));
  state->add_tensor("more", "extra", make(Dtype::f32, {1}));
  refused(*state, "group 'more' of the state is not in the checkpoint");
  State missing;
  missing.add_tensor("model", "weight", make(Dtype::f32, {2, 3}));
  refused(missing, "'bias' of group 'model' is in the checkpoint but not in the state");
  missing.add_tensor("model", "bias", make(Dtype::f32, {3}));
  refused(missing, "group 'optimizer' is in the checkpoint but not in the state");
}

TEST_F(StateCheckpoint, ReadOnlyMemoryIsNotLoadedInto) {
  Checkpoint checkpoint(disk, {});
  float data[2] = {1, 2};
  State state;
  state.add_tensor("g", "t", Tensor::borrow(data, Dtype::f32, {2}, {}, true));
  checkpoint.save(state, {});
  EXPECT_ERROR(checkpoint.load(state, {}), Status::unsupported, "t");
}

TEST_F(StateCheckpoint, NamesOfAnyKindAreRestored) {
  State state;
  for (const char* group : {"model", "Model", "a/b", "con", "..", "\xC3\xA9", "manifest.json"}) {
    for (const char* name : {"w", "a/b.c", "\"quoted\"\n", "\xE2\x82\xAC"}) {
      auto tensor = Tensor::create(Dtype::u8, {3});
      fill(tensor, static_cast<int>(state.tensor_count()));
      state.add_tensor(group, name, tensor);
    }
  }
  Checkpoint checkpoint(disk, {});
  EXPECT_EQ(checkpoint.save(state, {}).files, 7);
  for (const StateGroup& group : state.groups()) {
    for (const StateTensor& item : group.tensors) std::ranges::fill(item.tensor->byte_span(), std::byte{0});
  }
  checkpoint.load(state, {});
  int seed = 0;
  for (const StateGroup& group : state.groups()) {
    for (const StateTensor& item : group.tensors) {
      EXPECT_EQ(item.tensor->data_as<std::uint8_t>()[1], static_cast<std::uint8_t>(seed++ + 7)) << group.name << ' ' << item.name;
    }
  }
}

TEST_F(StateCheckpoint, KeepsTheLast) {
  Checkpoint checkpoint(disk, {false, 2});
  for (int step = 1; step <= 5; ++step) {
    save_step(checkpoint, step);
    EXPECT_EQ(std::ssize(checkpoint.list()), std::min(step, 2));
    EXPECT_EQ(checkpoint.list().at(0).step, step);
  }
  // The checkpoint just saved remains although a load would prefer two others.
  const SaveResult low = save_step(checkpoint, 1);
  EXPECT_EQ(std::ssize(checkpoint.list()), 3);
  EXPECT_EQ(checkpoint.list().at(2).name, low.name);
}

TEST_F(StateCheckpoint, NeverDeletesTheOnlyValidOne) {
  Checkpoint checkpoint(disk, {false, 1});
  save_step(checkpoint, 1);
  const SaveResult second = save_step(checkpoint, 2);
  disk->remove(second.name + "/model.safetensors");  // damaged: retention does not count it
  EXPECT_EQ(std::ssize(checkpoint.list()), 1);
  save_step(checkpoint, 1);
  EXPECT_EQ(std::ssize(checkpoint.list()), 2);  // the damaged one of step 2, and the new one
  Model model(0);
  EXPECT_EQ(checkpoint.load(model.state, {}).step, 1);
  EXPECT_EQ(names_in(*disk, "").find("torn-"), std::string::npos);
  save_step(checkpoint, 3);
  EXPECT_EQ(std::ssize(checkpoint.list()), 1);
}

// After a load has fallen back, the next save abandons the damaged checkpoint, and retention removes it first.
TEST_F(StateCheckpoint, AnAbandonedDamagedCheckpointIsRemovedFirst) {
  Checkpoint checkpoint(disk, {false, 2});
  save_step(checkpoint, 1);
  const SaveResult second = save_step(checkpoint, 2);
  disk->remove(second.name + "/model.safetensors");
  Model model(0);
  EXPECT_EQ(checkpoint.load(model.state, {}).step, 1);
  EXPECT_TRUE(save_step(checkpoint, 2).rolled_back);
  const std::vector<Found> all = checkpoint.list();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].condition, Condition::complete);
  EXPECT_EQ(all[1].step, 1);
}

TEST_F(StateCheckpoint, OneWriterAndManyReaders) {
  auto writer = std::make_unique<Checkpoint>(disk, CheckpointOptions{});
  EXPECT_ERROR(Checkpoint(disk, {}), Status::busy, "process");
  save_step(*writer, 1);
  Checkpoint reader(disk, {true, 0});
  Model model(0);
  EXPECT_EQ(reader.load(model.state, {}).step, 1);
  EXPECT_ERROR(reader.save(model.state, {}), Status::invalid_state, "read-only");
  writer.reset();
  Checkpoint second(disk, {});
  EXPECT_EQ(save_step(second, 1).commit_sequence, 2);  // continues the other writer's sequence
}

TEST_F(StateCheckpoint, AForkedChildMayReadButNotWrite) {
  const Scratch scratch;
  Checkpoint checkpoint(storage::open_file_system(scratch.path(), storage::Root::make), {});
  save_step(checkpoint, 1);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Model model(0);
    const bool loads = checkpoint.load(model.state, {}).step == 1;
    ::_exit(loads && status_of([&] { save_step(checkpoint, 2); }) == Status::forked ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  save_step(checkpoint, 3);
}

TEST_F(StateCheckpoint, AnUnwritableDirectoryIsReported) {
  const Scratch scratch;
  std::filesystem::permissions(scratch.path(), std::filesystem::perms(0555));
  {
    const Unprivileged scope;
    const auto closed = storage::open_file_system(scratch.path(), storage::Root::make);
    EXPECT_ERROR(Checkpoint(closed, {}), Status::permission, ".lock");
    Checkpoint reader(closed, {true, 0});
    EXPECT_EQ(std::ssize(reader.list()), 0);
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST_F(StateCheckpoint, OtherFilesAreLeftAlone) {
  disk->make_directory("notes");
  disk->create("step-000000000001-00000000");  // a file
  disk->make_directory("step-1-00000000");
  Checkpoint checkpoint(disk, {false, 1});
  save_step(checkpoint, 1);
  save_step(checkpoint, 2);
  EXPECT_EQ(std::ssize(checkpoint.list()), 1);
  const std::string names = names_in(*disk, "");
  EXPECT_NE(names.find("notes/ step-000000000001-00000000 step-000000000002-"), std::string::npos) << names;
  EXPECT_NE(names.find("step-1-00000000/"), std::string::npos);
}

TEST_F(StateCheckpoint, ADirectoryOfOneCheckpointIsAlsoARoot) {
  const Scratch scratch;
  std::string name;
  {
    Checkpoint checkpoint(storage::open_file_system(scratch.path(), storage::Root::make), {});
    name = save_step(checkpoint, 4).name;
  }
  Checkpoint self(storage::open_file_system(scratch / name, storage::Root::must_exist), {true, 0});
  EXPECT_EQ(self.verify(".").files, 2);
  Model model(0);
  LoadOptions options;
  options.name = ".";
  EXPECT_EQ(self.load(model.state, options).step, 4);
  EXPECT_EQ(model.value(), 4);
}

}  // namespace
