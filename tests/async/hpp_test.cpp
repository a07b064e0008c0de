// The C++ API of background saves, used as docs/reference/state.md shows it.
#include <ckpt/async.hpp>
#include <ckpt/tensor.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory_resource>
#include <stdexcept>
#include <string>

#include "scratch.h"

namespace {

// Counts allocations, and can refuse them.
class Counting final : public std::pmr::memory_resource {
 public:
  std::size_t live_bytes = 0;
  std::size_t allocations = 0;
  bool refuses = false;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (refuses) throw std::runtime_error("no memory of this kind");
    live_bytes += bytes;
    ++allocations;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    live_bytes -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST(AsyncHpp, CopiesUseTheCallersMemory) {
  Counting memory;
  ckpt::Tensor weight(ckpt::DType::f32, {100000});
  ckpt::State state;
  state.add("model", "weight", weight);
  ckpt::CheckpointManager checkpoint(ckpt::Storage::memory());
  {
    ckpt::AsyncManager async(checkpoint, {}, {}, &memory);
    EXPECT_TRUE(succeeded(async.wait(async.save(state, 1))));
    EXPECT_GE(memory.live_bytes, 400000U);
    EXPECT_EQ(async.stats().staging_bytes, static_cast<std::int64_t>(memory.live_bytes));
  }
  EXPECT_GT(memory.allocations, 0U);
  EXPECT_EQ(memory.live_bytes, 0U);
  memory.refuses = true;
  ckpt::AsyncManager async(checkpoint, {}, {}, &memory);
  const ckpt::CheckpointTaskResult result = async.wait(async.save(state, 2));
  EXPECT_EQ(result.status, ckpt::Status::callback);
  EXPECT_NE(result.error.find("no memory of this kind"), std::string::npos) << result.error;
}

TEST(AsyncHpp, SavesWhileTrainingContinues) {
  const ckpt::tests::Scratch scratch;
  ckpt::Tensor weight(ckpt::DType::f32, {1000});
  ckpt::State state;
  state.add("model", "weight", weight);
  ckpt::CheckpointManagerOptions keep;
  keep.keep_last = 3;
  ckpt::CheckpointManager checkpoint(ckpt::Storage::file_system(scratch / "run"), keep);
  std::int64_t ended_count = 0;
  {
    ckpt::AsyncManagerOptions options;
    options.staging_bytes = 1 << 20;
    ckpt::CheckpointTaskCallbacks callbacks;
    callbacks.ended = [&](const ckpt::CheckpointTaskResult& result) { ended_count += succeeded(result) ? 1 : 0; };
    ckpt::AsyncManager async(checkpoint, options, callbacks);
    ckpt::SaveOptions save;
    std::int64_t id = 0;
    for (save.step = 1; save.step <= 4; ++save.step) {
      weight.fill(static_cast<double>(save.step));  // a step
      id = async.save(state, save);
    }
    weight.fill(0);
    const ckpt::CheckpointTaskResult result = async.wait(id);
    EXPECT_TRUE(succeeded(result)) << result.error;
    EXPECT_EQ(result.step, 4);
    EXPECT_EQ(async.save_result(id).step, 4);
    EXPECT_EQ(async.save_result(id).bytes, result.bytes);
    EXPECT_FALSE(async.cancel(id));
    EXPECT_TRUE(async.list(ckpt::CheckpointTaskList::live).empty());
    EXPECT_EQ(async.list(ckpt::CheckpointTaskList::ended).size(), 4U);
    EXPECT_EQ(async.task(id).state, ckpt::CheckpointTaskState::completed);
    EXPECT_EQ(async.stats().completed_tasks, 4);

    const std::int64_t load = async.load(state);
    async.wait_all();
    EXPECT_TRUE(async.wait(load).state == ckpt::CheckpointTaskState::completed);
    EXPECT_EQ(async.load_result(load).step, 4);
    EXPECT_THROW(async.save_result(load), ckpt::Error);
    EXPECT_EQ(weight.data_as<float>()[999], 4);

    ckpt::CheckpointTaskFunctions failing;
    failing.source = [](std::string_view, std::string_view, const void*, std::int64_t, ckpt::Span<std::byte>) {
      throw std::runtime_error("the device is gone");
    };
    async.save(state, save, {}, failing);
    async.wait_all_staged();
    try {
      async.close();
      ADD_FAILURE() << "the error of the last save was lost";
    } catch (const ckpt::Error& error) {
      EXPECT_EQ(error.status(), ckpt::Status::callback);
      EXPECT_NE(std::string(error.what()).find("the device is gone"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(ended_count, 5);
  EXPECT_EQ(checkpoint.list().size(), 3U);
}

}  // namespace
