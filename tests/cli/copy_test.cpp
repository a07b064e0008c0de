// `ckpt copy --all`: the copies have the order of the source line, also if its steps decrease.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <ckpt/ckpt.hpp>

#include "copy.h"

namespace {

using namespace ckpt;
namespace fs = std::filesystem;

class Copy : public testing::Test {
 protected:
  Copy() {
    std::string name = (fs::temp_directory_path() / "ckpt-copy-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~Copy() override { fs::remove_all(folder_); }
  std::string place(const std::string& name) const { return folder_ + '/' + name; }

 private:
  std::string folder_;
};

State state_of(float value) {
  State state;
  Tensor tensor(DType::f32, {1});
  *static_cast<float*>(tensor.data()) = value;
  state.add("model", "w", tensor);
  return state;
}

void save(CheckpointManager& manager, std::int64_t step) {
  SaveOptions options;
  options.step = step;
  manager.save(state_of(static_cast<float>(step)), options);
}

void load(CheckpointManager& manager, std::int64_t step) {
  State state = state_of(-1);
  manager.load(state, step);
}

// Returns steps in the order in which a load tries them; abandoned ones follow a bar.
std::string steps_in(const std::string& folder) {
  std::string steps;
  bool has_bar = false;
  for (const CheckpointInfo& info : CheckpointManager::read_only(Storage::existing_file_system(folder)).list()) {
    if (info.abandoned && !has_bar) steps += "| ";
    has_bar = has_bar || info.abandoned;
    steps += std::to_string(info.step) + ' ';
  }
  return steps;
}

TEST_F(Copy, KeepsTheOrderOfALineWithDecreasingSteps) {
  {
    CheckpointManager manager(Storage::file_system(place("run")));
    for (const std::int64_t step : {300, 400, 500, 600}) save(manager, step);
    load(manager, 600);
    save(manager, 10);
    save(manager, 700);
    load(manager, 700);
    save(manager, 5);
  }
  ASSERT_EQ(steps_in(place("run")), "5 700 10 600 500 400 300 ");
  cli::copy(place("run"), place("copy"), {}, true, false);
  EXPECT_EQ(steps_in(place("copy")), "5 700 10 600 500 400 300 ");
  State state = state_of(-1);
  CheckpointManager copy(Storage::existing_file_system(place("copy")));
  EXPECT_EQ(copy.load(state).step, 5);
  // A target that contains a higher step: the copies form its line, and its own checkpoints are abandoned.
  {
    CheckpointManager manager(Storage::file_system(place("other")));
    save(manager, 1000);
  }
  cli::copy(place("run"), place("other"), {}, true, false);
  EXPECT_EQ(steps_in(place("other")), "5 700 10 600 500 400 300 | 1000 ");
}

// The line rolls back to step 400 and saves 350; 500 and 600 are abandoned, and are not copied.
TEST_F(Copy, LeavesAbandonedCheckpointsOut) {
  {
    CheckpointManager manager(Storage::file_system(place("run")));
    for (const std::int64_t step : {300, 400, 500, 600}) save(manager, step);
    load(manager, 400);
    save(manager, 350);
  }
  ASSERT_EQ(steps_in(place("run")), "350 400 300 | 600 500 ");
  cli::copy(place("run"), place("copy"), {}, true, false);
  EXPECT_EQ(steps_in(place("copy")), "350 400 300 ");
}

}  // namespace
