// The C++ face of background saves, used as docs/state.md shows it.
#include <ckpt/async.hpp>
#include <ckpt/tensor.hpp>

#include <gtest/gtest.h>

#include "scratch.h"

namespace {

TEST(AsyncHpp, SavesWhileTrainingGoesOn) {
  const ckpt::tests::Scratch scratch;
  ckpt::Tensor weight(ckpt::DType::f32, {1000});
  ckpt::State state;
  state.add("model", "weight", weight.handle());
  ckpt::CheckpointManager checkpoint(ckpt::Storage::file_system(scratch / "run"), 3);
  std::int64_t told = 0;
  {
    ckpt::AsyncManagerOptions options;
    options.staging_bytes = 1 << 20;
    ckpt::CheckpointTaskCallbacks callbacks;
    callbacks.ended = [&](const ckpt::CheckpointTaskResult& result) { told += result.success() ? 1 : 0; };
    ckpt::AsyncManager async(checkpoint, options, callbacks);
    ckpt::SaveOptions save;
    std::int64_t id = 0;
    for (save.step = 1; save.step <= 4; ++save.step) {
      ckpt::check(ckpt_tensor_fill(weight.handle(), static_cast<double>(save.step)));  // a step
      ckpt::CheckpointTaskOptions task;
      task.when_full = ckpt::WhenFull::wait;
      id = async.save(state, save, task);
    }
    ckpt::check(ckpt_tensor_fill(weight.handle(), 0));
    const ckpt::CheckpointTaskResult result = async.wait(id);
    EXPECT_TRUE(result.success()) << result.error;
    EXPECT_EQ(result.step, 4);
    EXPECT_EQ(async.saved(id).step, 4);
    EXPECT_EQ(async.saved(id).bytes, result.bytes);
    EXPECT_FALSE(async.cancel(id));
    EXPECT_TRUE(async.live().empty());
    EXPECT_EQ(async.ended().size(), 4U);
    EXPECT_EQ(async.task(id).state, ckpt::CheckpointTaskState::completed);
    EXPECT_EQ(async.stats().completed, 4);

    const std::int64_t load = async.load(state);
    async.wait_all();
    EXPECT_TRUE(async.wait(load).success());
    EXPECT_EQ(async.loaded(load).step, 4);
    EXPECT_THROW(async.saved(load), ckpt::Error);
    EXPECT_EQ(weight.data_as<float>()[999], 4);

    ckpt::CheckpointTaskOptions failing;
    failing.source = [](const char*, const char*, const void*, std::int64_t, std::int64_t, void*) {
      throw std::runtime_error("the device is gone");
    };
    async.save(state, save, failing);
    async.wait_staged(CKPT_CHECKPOINT_TASK_ALL);
    try {
      async.close();
      ADD_FAILURE() << "the error of the last save was lost";
    } catch (const ckpt::Error& error) {
      EXPECT_EQ(error.status(), ckpt::Status::callback);
      EXPECT_NE(std::string(error.what()).find("the device is gone"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(told, 5);
  EXPECT_EQ(checkpoint.list().size(), 3U);
}

}  // namespace
