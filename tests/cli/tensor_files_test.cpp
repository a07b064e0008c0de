// Checkpoints of several ranks are converted to files of other programs piece by piece: only one piece is in memory, not the
// tensors.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include <ckpt/ckpt.hpp>

#include "convert.h"
#include "diff.h"
#include "tensor_files.h"

namespace {

using namespace ckpt;
namespace fs = std::filesystem;

constexpr std::int64_t rows = 1024;
constexpr std::int64_t columns = 32 << 10;
constexpr std::int64_t half_rows = rows / 2;
constexpr std::int64_t half_columns = columns / 2;
constexpr std::int64_t mib = std::int64_t{1} << 20;
constexpr std::int64_t tensor_bytes = rows * columns * 4;  // 128 MiB

float value_at(std::int64_t row, std::int64_t column) { return static_cast<float>((row * 7 + column * 13) % 65521); }

// Two ranks, which are threads.
struct Collectives {
  std::barrier<> barrier{2};
  Span<const std::byte> sent[2];
};

class Rank final : public CustomCoordinator {
 public:
  Rank(Collectives& collectives, int rank) : collectives_(collectives), rank_(rank) {}
  void barrier(std::chrono::nanoseconds) override { collectives_.barrier.arrive_and_wait(); }
  void broadcast(Span<std::byte> data, std::int64_t root, std::chrono::nanoseconds) override {
    collectives_.sent[rank_] = {data.data(), data.size()};
    collectives_.barrier.arrive_and_wait();
    if (rank_ != root && data.size() > 0) std::memcpy(data.data(), collectives_.sent[root].data(), data.size());
    collectives_.barrier.arrive_and_wait();
  }
  void all_gather(Span<const std::byte> sent, std::chrono::nanoseconds, Span<std::byte> received) override {
    collectives_.sent[rank_] = sent;
    collectives_.barrier.arrive_and_wait();
    for (std::size_t i = 0; i < 2 && sent.size() > 0; ++i)
      std::memcpy(received.data() + i * sent.size(), collectives_.sent[i].data(), sent.size());
    collectives_.barrier.arrive_and_wait();
  }

 private:
  Collectives& collectives_;
  const int rank_;
};

Tensor block(std::int64_t first_row, std::int64_t first_column, std::int64_t height, std::int64_t width) {
  Tensor tensor(DType::f32, {height, width});
  auto* const values = static_cast<float*>(tensor.data());
  for (std::int64_t row = 0; row < height; ++row) {
    for (std::int64_t column = 0; column < width; ++column)
      values[row * width + column] = value_at(first_row + row, first_column + column);
  }
  return tensor;
}

// "tall" is split by rows, "wide" by columns, "small" is complete on both ranks.
void save(const std::string& folder) {
  Collectives collectives;
  const auto run = [&](int rank) {
    const Coordinator coordinator(rank, 2, std::make_unique<Rank>(collectives, rank));
    CheckpointManagerOptions options;
    options.coordinator = coordinator;
    CheckpointManager manager(Storage::file_system(folder), options);
    State state;
    state.add_sharded("model", "tall", DType::f32, {rows, columns});
    state.add_block("model", "tall", {rank * half_rows, 0}, block(rank * half_rows, 0, half_rows, columns));
    state.add_sharded("model", "wide", DType::f32, {rows, columns});
    state.add_block("model", "wide", {0, rank * half_columns}, block(0, rank * half_columns, rows, half_columns));
    state.add("model", "small", block(0, 0, 2, 3));
    manager.save(state, SaveOptions{});
  };
  std::thread other(run, 1);
  run(0);
  other.join();
}

std::int64_t max_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

void expect_whole(const std::string& path) {
  Reader reader(path);
  EXPECT_EQ(reader.tensor_count(), 3);
  for (const char* const name : {"tall", "wide"}) {
    const std::int64_t index = reader.find(name);
    EXPECT_EQ(reader.tensor(index).shape, (std::vector<std::int64_t>{rows, columns}));
    for (std::int64_t row = 0; row < rows; row += 1 + row % 5) {
      const Tensor slice = reader.read_slice(index, row, 1);
      const auto* const values = static_cast<const float*>(slice.data());
      for (std::int64_t column = 0; column < columns; column += 1 + column % 7) {
        if (values[column] != value_at(row, column)) FAIL() << name << " at " << row << ", " << column;
      }
    }
  }
}

class TensorFiles : public testing::Test {
 protected:
  TensorFiles() {
    std::string name = (fs::temp_directory_path() / "ckpt-tensor-files-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    // In a new process, with its own memory.
    const pid_t child = fork();
    if (child == 0) {
      try {
        save(place("run"));
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        _exit(1);
      }
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  ~TensorFiles() override { fs::remove_all(folder_); }
  std::string place(const std::string& name) const { return folder_ + '/' + name; }

 private:
  std::string folder_;
};

TEST_F(TensorFiles, OfManyRanksAreWrittenPieceByPiece) {
  const std::int64_t before = max_resident_bytes();
  cli::convert(place("run"), place("one.safetensors"), {"", tensor_bytes, false});
  cli::convert(place("run"), place("folder/"), {"", tensor_bytes, false});
  const std::int64_t grown = max_resident_bytes() - before;
  std::printf("converted twice %lld MiB with %lld MiB\n", static_cast<long long>(2 * tensor_bytes / mib),
              static_cast<long long>(grown / mib));
#ifndef CKPT_SANITIZED
  EXPECT_LT(grown, tensor_bytes);  // less than one tensor
#endif
  expect_whole(place("one.safetensors"));
  expect_whole(place("folder"));
  std::ifstream file(place("folder/model.safetensors.index.json"));
  const auto index = nlohmann::json::parse(file);
  EXPECT_EQ(index["metadata"]["total_size"], 2 * tensor_bytes + 24);
  EXPECT_EQ(index["weight_map"].size(), 3U);
  EXPECT_TRUE(fs::exists(place("folder/model-00001-of-00003.safetensors"))) << index.dump();
  // A folder that is not empty is not written to.
  EXPECT_THROW(cli::convert(place("run"), place("folder/"), {"", tensor_bytes, false}), std::runtime_error);
}

// "a.b" of group "a", and "b" of group "a.a": two tensors with one name.
TEST(TensorFileNames, DuplicatesAreRefused) {
  std::string folder = (fs::temp_directory_path() / "ckpt-tensor-files-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  {
    CheckpointManager manager(Storage::file_system(folder + "/run"));
    State state;
    state.add("a", "a.b", block(0, 0, 1, 2));
    state.add("a.a", "b", block(5, 5, 1, 2));
    manager.save(state, SaveOptions{});
  }
  for (const char* const to : {"/x.safetensors", "/x.npz", "/x/"}) {
    try {
      cli::convert(folder + "/run", folder + to, {"", mib, false});
      ADD_FAILURE() << to;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("a.a.b"), std::string::npos) << error.what();
    }
    EXPECT_FALSE(fs::exists(folder + to)) << to;
  }
  fs::remove_all(folder);
}

std::map<std::string, std::string> metadata_of(const std::string& path) {
  std::map<std::string, std::string> all;
  for (const auto& [key, value] : Reader(path).metadata()) all.emplace(key, value);
  return all;
}

// The group's versions of PyTorch modules, the value "_metadata" of its checkpoint, go into the file's __metadata__.
// Several groups in one file, and an .npz file, cannot store them.
TEST(TensorFileMetadata, HoldsTheVersionsOfTheGroup) {
  std::string folder = (fs::temp_directory_path() / "ckpt-tensor-files-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string text = R"({"format":"ckpt-tree","format_version":1,"nodes":[["dict",1],"",["dict",1],"version",2]})";
  for (const int groups : {1, 2}) {
    CheckpointManager manager(Storage::file_system(folder + "/run" + std::to_string(groups)));
    State state;
    state.add("model", "w", block(0, 0, 1, 2));
    if (groups == 2) state.add("other", "w", block(5, 5, 1, 2));
    state.set_json("_metadata", nlohmann::json{{"model", text}, {"absent", text}, {"other", 3}}.dump());
    manager.save(state, SaveOptions{});
  }
  // Converts, and returns the output on standard error.
  const auto convert = [&](const std::string& from, const std::string& to, const std::string& group) {
    testing::internal::CaptureStderr();
    cli::convert(folder + from, folder + to, {group, mib, false});
    return testing::internal::GetCapturedStderr();
  };
  const std::map<std::string, std::string> versions{{"_metadata", text}};
  EXPECT_EQ(convert("/run1", "/one.safetensors", ""), "");
  EXPECT_EQ(metadata_of(folder + "/one.safetensors"), versions);
  EXPECT_EQ(convert("/run1", "/one/", ""), "");
  EXPECT_EQ(metadata_of(folder + "/one/model-00001-of-00001.safetensors"), versions);
  EXPECT_EQ(convert("/run2", "/model.safetensors", "model"), "");
  EXPECT_EQ(metadata_of(folder + "/model.safetensors"), versions);
  EXPECT_EQ(convert("/run2", "/other.safetensors", "other"), "");
  EXPECT_TRUE(metadata_of(folder + "/other.safetensors").empty());
  EXPECT_NE(
      convert("/run2", "/both.safetensors", "").find("a file of several groups cannot hold the metadata: _metadata of model;"),
      std::string::npos);
  EXPECT_TRUE(metadata_of(folder + "/both.safetensors").empty());
  EXPECT_NE(convert("/run1", "/one.npz", "").find("an .npz file cannot hold the metadata: _metadata"), std::string::npos);
  EXPECT_NE(convert("/run2", "/both.npz", "").find("_metadata of model"), std::string::npos);
  // From file to file they are kept.
  EXPECT_EQ(convert("/one.safetensors", "/again.safetensors", ""), "");
  EXPECT_EQ(metadata_of(folder + "/again.safetensors"), versions);
  // A comparison finds them equal in a checkpoint and its converted file, and different in another checkpoint.
  const auto difference = [&](const std::string& a, const std::string& b) {
    testing::internal::CaptureStdout();
    const bool is_equal = cli::diff(folder + a, folder + b, false);
    const std::string output = testing::internal::GetCapturedStdout();
    EXPECT_EQ(is_equal, output == "1 tensor, 0 different\n") << output;
    return output;
  };
  EXPECT_EQ(difference("/run1", "/one.safetensors"), "1 tensor, 0 different\n");
  EXPECT_EQ(difference("/run1", "/run1"), "1 tensor, 0 different\n");
  {
    CheckpointManager manager(Storage::file_system(folder + "/run3"));
    State state;
    state.add("model", "w", block(0, 0, 1, 2));
    state.set_json("_metadata", nlohmann::json{{"model", "another"}}.dump());
    manager.save(state, SaveOptions{});
  }
  EXPECT_NE(difference("/run1", "/run3").find("values._metadata.model: "), std::string::npos);
  EXPECT_NE(difference("/run3", "/one.safetensors").find("__metadata__._metadata: "), std::string::npos);
  fs::remove_all(folder);
}

}  // namespace
