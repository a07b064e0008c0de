// The OpenBLAS kernels that the command selects, depending on the checkpoint that it resumes from. Uses a fake OpenBLAS. Each case
// runs in a new process, because a BLAS is loaded once.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <ckpt/ckpt.hpp>

#include "kernels.h"

namespace ckpt::cli {
namespace {

constexpr const char* variable = "OPENBLAS_CORETYPE";

// Returns true if function returns true in a child.
template <class Function>
bool holds_in_child(Function function) {
  const pid_t child = fork();
  if (child == 0) {
    bool holds = false;
    try {
      holds = function();
    } catch (const std::exception& error) {
      (void)std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(holds ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Loads a library with these cores; it uses the first one unless the environment asks for another one.
void use_fake(const std::string& cores) {
  setenv("CKPT_OPENBLAS", FAKE_OPENBLAS, 1);
  setenv("FAKE_CORES", cores.c_str(), 1);
  unsetenv(variable);
}

const std::string every_core =
    "Generic,SkylakeX,Cooperlake,SapphireRapids,Excavator,Steamroller,Piledriver,Bulldozer,Zen,Haswell,Sandybridge,Nehalem,Penryn,"
    "Core2,Barcelona,Prescott";

class RecordedKernels : public testing::Test {
 protected:
  RecordedKernels() : place_(std::filesystem::temp_directory_path() / ("ckpt-kernels-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(place_);
  }
  ~RecordedKernels() override { std::filesystem::remove_all(place_); }

  // Saves a checkpoint as a process with that core; "": as a process without a BLAS.
  void save(const std::string& core) const {
    ASSERT_TRUE(holds_in_child([&] {
      use_fake(core);
      if (!core.empty()) (void)blas_info();
      State state;
      state.set("value", std::int64_t{1});
      CheckpointManager checkpoints(Storage::file_system(place_.string()));
      checkpoints.save(state, 1);
      return true;
    }));
  }

  // Checks the core in use after the command's choice; asked: the previous value of the variable, nullptr for unset.
  bool chooses(const std::string& expected, const char* asked = nullptr, const std::string& cores = every_core) const {
    return holds_in_child([&] {
      use_fake(cores);
      if (asked != nullptr) setenv(variable, asked, 1);
      choose_kernels(place_.string());
      const char* const left = std::getenv(variable);
      if ((left == nullptr) != (asked == nullptr) || (left != nullptr && std::string(left) != asked)) return false;
      const std::string chosen = kernels_of(blas_without_advice());
      if (chosen != expected) (void)std::fprintf(stderr, "%s, expected %s\n", chosen.c_str(), expected.c_str());
      return chosen == expected;
    });
  }

  std::string best() const {
    for (const char* const core : {"SkylakeX", "Excavator", "Steamroller", "Piledriver", "Bulldozer", "Zen", "Haswell",
                                   "Sandybridge", "Nehalem", "Penryn", "Core2", "Barcelona", "Prescott"}) {
      if (holds_in_child([&] {
            use_fake(every_core);
            set_blas_kernels(core);
            return true;
          })) {
        return core;
      }
    }
    return "";
  }

  std::filesystem::path place_;
};

TEST_F(RecordedKernels, TheBestWithoutACheckpoint) {
  EXPECT_TRUE(chooses(best()));
  EXPECT_TRUE(holds_in_child([] {
    use_fake(every_core);
    choose_kernels("");
    return kernels_of(blas_info()) != "Generic";
  }));
}

TEST_F(RecordedKernels, ThoseOfTheCheckpoint) {
  save("Prescott");
  EXPECT_TRUE(chooses("Prescott"));
  EXPECT_TRUE(chooses("Prescott", ""));  // an empty variable has no effect
}

TEST_F(RecordedKernels, TheEnvironmentOverridesTheCheckpoint) {
  save("Prescott");
  EXPECT_TRUE(chooses("Nehalem", "Nehalem"));
}

TEST_F(RecordedKernels, TheBestIfTheProcessorCannotRunThoseOfTheCheckpoint) {
  save("Opteron");
  EXPECT_TRUE(chooses(best()));
}

TEST_F(RecordedKernels, TheBestForACheckpointWithoutBlas) {
  save("");
  EXPECT_TRUE(chooses(best()));
}

TEST_F(RecordedKernels, TheDefaultIfOpenBlasLacksThoseOfTheCheckpoint) {
  save("Prescott");
  EXPECT_TRUE(chooses("Core2", nullptr, "Core2,Haswell"));
}

TEST_F(RecordedKernels, TheBestForADamagedCheckpoint) {
  save("Prescott");
  for (const auto& entry : std::filesystem::directory_iterator(place_)) {
    const auto manifest = entry.path() / "manifest.json";
    if (std::filesystem::exists(manifest)) std::filesystem::resize_file(manifest, 10);
  }
  EXPECT_TRUE(chooses(best()));
}

}  // namespace
}  // namespace ckpt::cli
