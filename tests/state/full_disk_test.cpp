// Full disks, and tensors that change during the save. The full disk is a small tmpfs; mounting it needs a privilege.
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

// A state with one tensor of that many bytes, all with one value.
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
  EXPECT_EQ(std::ssize(checkpoint.list()), 1);  // the partially written files are removed
  EXPECT_EQ(checkpoint.verify("").tensors, 1);
  std::memset(small.tensor->data(), 0, mebibyte);
  EXPECT_EQ(checkpoint.load(small.state, {}).step, 1);
  EXPECT_EQ(small.tensor->data_as<unsigned char>()[mebibyte - 1], 1);
  EXPECT_EQ(checkpoint.save(small.state, at_step(3)).step, 3);  // there is space again
}

TEST(StateFullDisk, AFullDiskFailsOnlyTheSaveThatDoesNotFit) {
  for (const std::int64_t stream_from : {std::int64_t{0}, 64 * mebibyte}) {
    const SmallDisk disk;
    if (!disk.mounted) GTEST_SKIP() << "mounting a tmpfs: " << std::strerror(disk.error);
    storage::WriteOptions options;
    options.stream_from_bytes = stream_from;
    options.may_compress = true;  // so that the save is attempted
    save_until_full(disk, options);
    // Nothing remains of the save that did not fit, also for the next process.
    Checkpoint reader(storage::open_file_system(disk.scratch.path(), storage::Root::must_exist), {.read_only = true});
    EXPECT_EQ(std::ssize(reader.list()), 2);
    EXPECT_EQ(reader.list().at(0).step, 3);
  }
}

// Returns the figures in "the files of step 2 need 8388992 bytes; '/x' has 3141632 free".
std::vector<std::int64_t> figures_in(const std::string& message) {
  std::vector<std::int64_t> figures;
  for (std::size_t at = message.find(" need "); at < message.size(); at = message.find(" free: ", at + 1))
    figures.push_back(std::stoll(message.substr(at + 6)));
  return figures;
}

std::string refusal(Checkpoint& checkpoint, const State& state, std::int64_t step) {
  try {
    checkpoint.save(state, at_step(step));
  } catch (const ckpt::base::Error& error) {
    EXPECT_EQ(error.status(), Status::no_space);
    return error.message();
  }
  return "";
}

TEST(StateFullDisk, ASaveThatCannotFitIsRefusedBeforeAnyFileIsCreated) {
  const SmallDisk disk;
  if (!disk.mounted) GTEST_SKIP() << "mounting a tmpfs: " << std::strerror(disk.error);
  const auto files = storage::open_file_system(disk.scratch.path(), storage::Root::must_exist);
  Checkpoint checkpoint(files, {false, 1});
  const Blob small(mebibyte, 1);
  const std::int64_t bytes = checkpoint.save(small.state, at_step(1)).bytes;
  const std::int64_t free = files->free_bytes().value();
  EXPECT_LT(free, 3 * mebibyte);
  const std::string before = names_in(*files, "");
  const Blob large(8 * mebibyte, 2);
  const std::string message = refusal(checkpoint, large.state, 2);
  EXPECT_EQ(figures_in(message), (std::vector{bytes + 7 * mebibyte, free})) << message;
  EXPECT_NE(message.find("step 2"), std::string::npos) << message;
  EXPECT_EQ(names_in(*files, ""), before);
  EXPECT_EQ(files->free_bytes().value(), free);
  // Space that retention would free after the save does not count.
  const Blob medium(3 * mebibyte, 3);
  EXPECT_EQ(figures_in(refusal(checkpoint, medium.state, 3)), (std::vector{bytes + 2 * mebibyte, free}));
  EXPECT_EQ(checkpoint.save(small.state, at_step(4)).step, 4);
}

TEST(StateFullDisk, ExactlyEnoughIsEnough) {
  const auto faults = std::make_shared<Faults>();
  Checkpoint checkpoint(std::make_shared<FaultyStorage>(storage::make_memory_storage(), faults), {});
  const Blob blob(mebibyte, 1);
  const std::int64_t bytes = checkpoint.save(blob.state, {}).bytes;
  faults->free_bytes = bytes - 1;
  faults->log.clear();
  EXPECT_EQ(figures_in(refusal(checkpoint, blob.state, 1)), (std::vector{bytes, bytes - 1}));
  EXPECT_TRUE(faults->log.empty()) << faults->log.front();
  faults->free_bytes = bytes;
  EXPECT_EQ(checkpoint.save(blob.state, at_step(1)).bytes, bytes);
}

TEST(StateFullDisk, LinkedFilesNeedNoSpace) {
  const Scratch scratch;
  const auto faults = std::make_shared<Faults>();
  faults->links = true;
  const auto files = std::make_shared<FaultyStorage>(storage::open_file_system(scratch.path(), storage::Root::make), faults);
  Checkpoint checkpoint(files, {});
  Model model(1);
  model.state.set_rarely_changes("model", true);
  const std::string first = checkpoint.save(model.state, at_step(1)).name;
  const std::int64_t written = files->size(first + "/optimizer.safetensors");
  faults->free_bytes = written;
  EXPECT_EQ(checkpoint.save(model.state, at_step(2)).linked, 1);
  faults->free_bytes = written - 1;
  EXPECT_EQ(figures_in(refusal(checkpoint, model.state, 3)), (std::vector{written, written - 1}));
  // A file that cannot be linked, because it is damaged or has changed, is written again.
  faults->free_bytes = written;
  const std::string path = checkpoint.latest().name + "/model.safetensors";
  std::string bytes = read_file(*files, path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  replace_file(*files, path, bytes);
  const std::vector both{written + std::ssize(bytes), written};
  const Warnings silent;
  EXPECT_EQ(figures_in(refusal(checkpoint, model.state, 4)), both);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  replace_file(*files, path, bytes);
  EXPECT_EQ(checkpoint.save(model.state, at_step(4)).linked, 1);
  model.state.groups()[0].tensors[0].tensor->data_as<float>()[0] = -5;
  EXPECT_EQ(figures_in(refusal(checkpoint, model.state, 5)), both);
}

// A caller that changes a tensor during its save gets some mixture of values, but never a checkpoint that is refused.
TEST(StateChangingTensor, WrittenBytesEqualHashedBytes) {
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
