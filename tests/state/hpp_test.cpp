// The C++ face, used as docs/state.md shows it.
#include <ckpt/state.hpp>
#include <ckpt/tensor.hpp>

#include <gtest/gtest.h>

#include <filesystem>

#include "scratch.h"

namespace {

TEST(StateHpp, SavesAndResumes) {
  const ckpt::tests::Scratch scratch;
  ckpt::Tensor weight(ckpt::DType::f32, {2, 2});
  ckpt::State state;
  state.add("model", "weight", weight.handle());
  state.set_json("lr", "0.25");
  EXPECT_EQ(state.tensor_count(), 1);

  ckpt::CheckpointManager checkpoint(ckpt::Storage::file_system(scratch / "run"), 3);
  EXPECT_FALSE(checkpoint.load_if_any(state));
  ckpt::SaveOptions options;
  options.step = 7;
  options.seed = 11;
  options.environment_json = R"({"blas":"a"})";
  ckpt::check(ckpt_tensor_fill(weight.handle(), 1.5));
  const ckpt::SaveResult saved = checkpoint.save(state, options);

  ckpt::check(ckpt_tensor_fill(weight.handle(), 0));
  state.set_json("lr", "0");
  ckpt::LoadOptions load;
  load.environment_json = R"({"blas":"b"})";
  const auto loaded = checkpoint.load_if_any(state, load);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->step, 7);
  EXPECT_EQ(loaded->seed, 11U);
  EXPECT_EQ(loaded->name, saved.name);
  EXPECT_TRUE(loaded->environment_differs);
  EXPECT_EQ(state.json("lr"), "0.25");
  EXPECT_EQ(static_cast<const float*>(ckpt_tensor_get_const_data(weight.handle()))[3], 1.5F);

  EXPECT_EQ(checkpoint.coordinator().world_size(), 1);
  EXPECT_EQ(checkpoint.fault_handler().retries(), 0);
  EXPECT_EQ(ckpt::CheckpointManager::read_only(checkpoint.storage()).list().size(), 1U);
  const auto all = checkpoint.list();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].status, ckpt::Status::ok);
  EXPECT_EQ(checkpoint.verify().tensors, 1);
  EXPECT_NE(checkpoint.manifest(saved.name).find("\"weight\""), std::string::npos);
  EXPECT_THROW(ckpt::CheckpointManager(ckpt::Storage::existing_file_system(scratch / "run")), ckpt::Error);
  EXPECT_EQ(ckpt::CheckpointManager::read_only(ckpt::Storage::existing_file_system(scratch / "run")).list().size(), 1U);

  ckpt::Reader file(scratch / ("run/" + saved.name + "/model.safetensors"));
  ASSERT_EQ(file.count(), 1);
  const ckpt::TensorInfo info = file.at(0);
  EXPECT_EQ(info.name, "weight");
  EXPECT_EQ(info.dtype, ckpt::DType::f32);
  EXPECT_EQ(info.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(info.bytes, 16);
  EXPECT_TRUE(file.metadata().empty());
  ckpt::check(ckpt_tensor_fill(weight.handle(), 0));
  file.read(0, weight.handle());
  EXPECT_EQ(static_cast<const float*>(ckpt_tensor_get_const_data(weight.handle()))[0], 1.5F);
}

TEST(StateHpp, ThrowsWithStatusAndMessage) {
  ckpt::State state;
  try {
    static_cast<void>(state.json("nothing"));
    FAIL();
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::not_found);
    EXPECT_NE(std::string(error.what()).find("nothing"), std::string::npos);
  }
  EXPECT_THROW(ckpt::Reader("/nonexistent"), ckpt::Error);
  EXPECT_THROW(ckpt::Storage::existing_file_system("/nonexistent"), ckpt::Error);
  ckpt::State moved = std::move(state);
  moved.set_json("k", "1");
  EXPECT_EQ(moved.json("k"), "1");
}

TEST(StateHpp, KeepsByMetricAndReadsTensorByTensor) {
  const ckpt::tests::Scratch scratch;
  ckpt::Tensor weight(ckpt::DType::f32, {20, 2});
  ckpt::check(ckpt_tensor_fill(weight.handle(), 1.5));
  ckpt::State state;
  state.add("model", "weight", weight.handle());
  state.set_rarely_changes("model");
  std::string seen;
  state.add_stateful(
      "epoch", [](ckpt_state* into) { ckpt::check(ckpt_state_set_json(into, "number", "3")); },
      [&seen](const ckpt_state* loaded) {
        char json[8];
        std::int64_t needed = 0;
        ckpt::check(ckpt_state_get_json(loaded, "number", json, sizeof json, &needed));
        seen = json;
      });
  ckpt::CheckpointOptions keep;
  keep.keep_last = 2;
  keep.keep_every = 1000;
  keep.keep_best = 1;
  ckpt::CheckpointManager checkpoint(ckpt::Storage::file_system(scratch / "run"), keep, ckpt::Coordinator());
  ckpt::SaveOptions options;
  options.metric = 0.25;
  options.prefix = "warmup";
  EXPECT_EQ(checkpoint.save(state, options).linked, 0);
  EXPECT_EQ(checkpoint.save(state, options).linked, 1);
  EXPECT_EQ(checkpoint.list().front().metric, 0.25);
  checkpoint.load(state);
  EXPECT_EQ(seen, "3");

  ckpt::Reader reader(checkpoint);
  EXPECT_EQ(reader.at(0).group, "model");
  const ckpt::Tensor rows = reader.read_slice(reader.find("weight"), 10, 5);
  const ckpt::Tensor all = reader.map(reader.find("weight"));
  EXPECT_EQ(static_cast<const float*>(ckpt_tensor_get_const_data(rows.handle()))[9], 1.5F);
  EXPECT_EQ(static_cast<const float*>(ckpt_tensor_get_const_data(all.handle()))[39], 1.5F);

  ckpt::State partial;
  partial.add("other", "weight", weight.handle());
  ckpt::LoadOptions some;
  some.partial = true;
  EXPECT_EQ(checkpoint.load(partial, some).missing, 1);
  EXPECT_NE(partial.load_report().find("\"unexpected\":[{"), std::string::npos);
}

}  // namespace
