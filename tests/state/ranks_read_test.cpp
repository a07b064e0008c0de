// Checkpoints of many ranks, used by other programs: reading tensors and slices, verifying, listing.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "of_ranks.h"
#include "state/manager/reader.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

// Three ranks have saved step 1; name_ is their checkpoint.
class RanksRead : public testing::Test {
 protected:
  void SetUp() override {
    const auto ranks = std::make_shared<ThreadRanks>(3);
    expect_no_errors(ranks->run([&](std::int64_t rank) {
      state::Checkpoint checkpoint(disk_at(scratch.path()), of_rank(*ranks, rank));
      const std::string saved = checkpoint.save(state_of(rank, 3, 1), of_step(1)).name;
      if (rank == 0) name = saved;
    }));
  }
  state::Checkpoint reader() const {
    state::CheckpointOptions options;
    options.read_only = true;
    return {disk_at(scratch.path()), options};
  }
  // Returns the only file of the checkpoint with this prefix.
  std::filesystem::path file(const std::string& begin) const {
    for (const auto& entry : std::filesystem::directory_iterator(scratch / name)) {
      if (entry.path().filename().string().starts_with(begin)) return entry.path();
    }
    return {};
  }

  Scratch scratch;
  std::string name;
};

std::vector<float> values_of(const tensor::Tensor& tensor) {
  return {tensor.data_as<float>(), tensor.data_as<float>() + tensor.shape().elements()};
}

TEST_F(RanksRead, TensorsAndSlicesAreReadCompletely) {
  for (const state::Verify verify : {state::Verify::none, state::Verify::lazy, state::Verify::full}) {
    state::Checkpoint checkpoint = reader();
    state::Reader opened = checkpoint.open_reader("", verify);
    ASSERT_EQ(opened.count(), 3);
    const std::int64_t weight = opened.find("model", "weight");
    EXPECT_EQ(opened.at(weight).shape, (Lengths{13, 4}));
    EXPECT_EQ(opened.group(weight), "model");
    EXPECT_EQ(opened.offset(weight), 0);
    EXPECT_EQ(values_of(*opened.read_new(weight, nullptr)), counted(52, 1));
    const auto slice = opened.read_slice(weight, 3, 7, nullptr);
    EXPECT_EQ(values_of(*slice), counted(28, 13));
    EXPECT_EQ(opened.read_slice(weight, 13, 0, nullptr)->shape().elements(), 0);
    EXPECT_EQ(status_of([&] { opened.read_slice(weight, 13, 1, nullptr); }), Status::out_of_range);
    EXPECT_EQ(status_of([&] { opened.map(weight); }), Status::unsupported);
    EXPECT_EQ(status_of([&] { opened.at(3); }), Status::out_of_range);
    EXPECT_EQ(values_of(*opened.read_new(opened.find("", "table"), nullptr)), counted(120'000, 1));
    const auto target = tensor::Tensor::create(tensor::Dtype::f32, {5});
    opened.read(opened.find("model", "bias"), *target);
    EXPECT_EQ(values_of(*target), counted(5, 1));
  }
}

TEST_F(RanksRead, VerifyingChecksEveryByteOfEveryRank) {
  state::Checkpoint checkpoint = reader();
  const state::VerifyResult checked = checkpoint.verify("");
  EXPECT_EQ(checked.name, name);
  EXPECT_EQ(checked.tensors, 3);
  const state::Found found = checkpoint.latest();
  EXPECT_EQ(checked.bytes, found.bytes);
  EXPECT_EQ(found.world_size, 3);
  EXPECT_GT(checked.files, 3);
  for (const char* begin : {"model-rank00001", "optimizer-rank00002", "rank00001-of"}) {
    const std::filesystem::path path = file(begin);
    ASSERT_FALSE(path.empty()) << begin;
    std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
    for (const std::int64_t at : {size / 3, size - 2}) {
      stream.seekg(at);
      const char byte = static_cast<char>(stream.get());
      stream.seekp(at);
      stream.put(static_cast<char>(byte ^ 1));
      stream.flush();
      std::string message;
      EXPECT_EQ(status_of([&] { checkpoint.verify(name); }, &message), Status::corrupt) << begin << ' ' << at;
      EXPECT_NE(message.find(path.filename().string()), std::string::npos) << message;
      EXPECT_EQ(status_of([&] { checkpoint.open_reader(name, state::Verify::full); }), Status::corrupt);
      stream.seekp(at);
      stream.put(byte);
      stream.flush();
    }
  }
  EXPECT_EQ(checkpoint.verify(name).bytes, found.bytes);
  // Without one part it is damaged, which is detected without reading the others.
  std::filesystem::remove(file("rank00002-of"));
  const std::vector<state::Found> all = checkpoint.list();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].status, Status::corrupt);
  EXPECT_NE(all[0].problem.find("expected the parts of 3 ranks, found 2; rank"), std::string::npos) << all[0].problem;
}

TEST_F(RanksRead, ValuesOfEachRank) {
  state::Checkpoint checkpoint = reader();
  EXPECT_EQ(checkpoint.rank_values(name, 2), R"({"data_position":102,"epoch":3})");
  EXPECT_EQ(status_of([&] { checkpoint.rank_values(name, 3); }), Status::out_of_range);
}

}  // namespace
