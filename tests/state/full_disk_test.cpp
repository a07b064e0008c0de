// Disks that are full, and tensors that change under the save. The full disk is a small tmpfs, for which mount needs a privilege.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>

#include "faulty_storage.h"
#include "fixture.h"
#include "storage/file_system.h"

namespace {

using namespace ckpt::state;
using namespace ckpt::tests;
namespace storage = ckpt::storage;
using ckpt::base::Status;
using ckpt::tensor::Dtype;
using ckpt::tensor::Tensor;

class SmallDisk {
 public:
  SmallDisk() : mounted(::mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "size=4m") == 0), error(errno) {}
  ~SmallDisk() {
    if (mounted) ::umount2(scratch.path().c_str(), MNT_DETACH);
  }
  Scratch scratch;
  bool mounted;
  int error;
};

// Of so many bytes, all of them value.
struct Blob {
  Blob(std::int64_t bytes, int value) : tensor(Tensor::create(Dtype::u8, {bytes})) {
    std::memset(tensor->data(), value, static_cast<std::size_t>(bytes));
    state.add_tensor("model", "blob", tensor);
  }
  std::shared_ptr<Tensor> tensor;
  State state;
};

SaveOptions at_step(std::int64_t step) {
  SaveOptions options;
  options.step = step;
  return options;
}

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

void save_until_full(const SmallDisk& disk, const storage::WriteOptions& write_options) {
  Checkpoint checkpoint(storage::open_file_system(disk.scratch.path(), storage::Root::must_exist, write_options), {});
  Blob small(mebibyte, 1);
  checkpoint.save(small.state, at_step(1));
  const Blob large(8 * mebibyte, 2);
  EXPECT_ERROR(checkpoint.save(large.state, at_step(2)), Status::no_space, "step-000000000002");
  EXPECT_EQ(std::ssize(checkpoint.list()), 1);  // what was written of it is gone
  EXPECT_EQ(checkpoint.verify("").tensors, 1);
  std::memset(small.tensor->data(), 0, mebibyte);
  EXPECT_EQ(checkpoint.load(small.state, {}).step, 1);
  EXPECT_EQ(small.tensor->data_as<unsigned char>()[mebibyte - 1], 1);
  EXPECT_EQ(checkpoint.save(small.state, at_step(3)).step, 3);  // there is room again
}

TEST(StateFullDisk, AFullDiskCostsOnlyTheSaveThatDidNotFit) {
  for (const std::int64_t stream_from : {std::int64_t{0}, 64 * mebibyte}) {
    const SmallDisk disk;
    if (!disk.mounted) GTEST_SKIP() << "mounting a tmpfs: " << std::strerror(disk.error);
    storage::WriteOptions options;
    options.stream_from_bytes = stream_from;
    save_until_full(disk, options);
    // Nothing is left of the save that did not fit, also for the next process.
    Checkpoint reader(storage::open_file_system(disk.scratch.path(), storage::Root::must_exist), {.read_only = true});
    EXPECT_EQ(std::ssize(reader.list()), 2);
    EXPECT_EQ(reader.list().at(0).step, 3);
  }
}

// Whoever changes a tensor while it is saved gets some mixture, never a checkpoint that is refused.
TEST(StateChangingTensor, WhatWasWrittenIsWhatWasHashed) {
  const auto faults = std::make_shared<Faults>();
  Checkpoint checkpoint(std::make_shared<FaultyStorage>(storage::make_memory_storage(), faults), {});
  Blob blob(5 * mebibyte, 0);
  int writes = 0;
  faults->before = [&](const std::string& line) {
    if (!line.starts_with("write ") || line.find("model.safetensors") == std::string::npos) return;
    std::memset(blob.tensor->data(), ++writes, 5 * mebibyte);
  };
  checkpoint.save(blob.state, at_step(1));
  faults->before = {};
  EXPECT_GE(writes, 5);
  EXPECT_EQ(checkpoint.verify("").tensors, 1);
  EXPECT_EQ(checkpoint.load(blob.state, {}).skipped, 0);
  const auto* const bytes = blob.tensor->data_as<unsigned char>();
  EXPECT_NE(bytes[0], bytes[5 * mebibyte - 1]);
}

}  // namespace
