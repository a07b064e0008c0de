// Comparison of a checkpoint's environment with that of a process.
#include <gtest/gtest.h>

#include "base/version.h"
#include "fixture.h"
#include "state/manager/checkpoint.h"

namespace {

using namespace ckpt::state;
using namespace ckpt::tests;
namespace storage = ckpt::storage;

// Replaces the environment in a manifest, with a matching checksum.
void forge_environment(storage::Storage& disk, const std::string& name, const std::string& environment) {
  const std::string path = name + "/manifest.json";
  std::string text = read_file(disk, path);
  const std::size_t begin = text.find("\"environment\":") + 14;
  text.replace(begin, text.find(",\n\"groups\"") - begin, environment);
  text.resize(text.rfind(",\n\"checksum\""));
  replace_file(disk, path, text + ",\n\"checksum\":\"" + to_hex(hash_of(text)) + "\"}\n");
}

TEST(StateEnvironments, AreComparedIfKnown) {
  const auto disk = storage::make_memory_storage();
  CheckpointOptions options;
  options.blas = [] { return std::string("this BLAS"); };
  Checkpoint checkpoint(disk, options);
  const std::string name = save_step(checkpoint, 1).name;
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
  // An unknown environment, or one of an earlier library version, causes no warning.
  for (const char* old :
       {"null", "{}", R"({"blas":"x","library":"0.0.9"})", "7", R"({"libckpt":3})", R"({"libckpt":{"blas":5}})"}) {
    EXPECT_FALSE(differs(old)) << old;
  }
  EXPECT_FALSE(differs("{\"libckpt\":{" + version + "}}"));
  EXPECT_FALSE(differs(R"({"isa":"a"})", R"({"isa":"a"})"));
  EXPECT_TRUE(differs(R"({"isa":"a"})", R"({"isa":"b"})"));
  EXPECT_FALSE(differs("{\"isa\":\"a\",\"libckpt\":{" + version + "}}", R"({"isa":"a"})"));
}

}  // namespace
