// Reads tensors one by one: from checkpoints, from files of other programs, from indexed folders.
#include "state/manager/reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "fixture.h"
#include "state/directory_catalog.h"
#include "state/make_protocol.h"
#include "storage/file_system.h"

namespace {

using ckpt::base::Status;
using ckpt::tensor::Dtype;
using ckpt::tensor::Tensor;
using namespace ckpt::state;
using namespace ckpt::tests;
namespace storage = ckpt::storage;

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// Returns a file with these U8 tensors of 3 x 2; their bytes count up from first.
std::string file_of(const std::vector<std::string>& names, int first) {
  std::vector<TensorEntry> entries;
  for (const std::string& name : names) entries.push_back({name, Dtype::u8, {3, 2}});
  std::string text = make_header(entries, {});
  for (std::size_t i = 0; i < 6 * names.size(); ++i) text += static_cast<char>(first + static_cast<int>(i));
  return text;
}

class StateReader : public testing::Test {
 protected:
  StateReader() : disk(storage::open_file_system(scratch.path(), storage::Root::make)) {
    Checkpoint checkpoint(disk, {});
    name = save_step(checkpoint, 5).name;
  }
  // Changes the last byte of the group's file.
  void damage() const {
    const std::string path = name + "/optimizer.safetensors";
    std::string bytes = read_file(*disk, path);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    replace_file(*disk, path, bytes);
  }

  Scratch scratch;
  std::shared_ptr<storage::Storage> disk;
  std::string name;
};

TEST_F(StateReader, ReadsACheckpointTensorByTensor) {
  for (const Verify verify : {Verify::none, Verify::lazy, Verify::full}) {
    Reader reader(*make_protocol(disk), "", verify);
    ASSERT_EQ(reader.count(), 3);
    const std::int64_t weight = reader.find("model", "weight");
    EXPECT_EQ(reader.group(weight), "model");
    EXPECT_EQ(reader.find("", "moment"), reader.find("optimizer", "moment"));
    EXPECT_ERROR(reader.find("optimizer", "weight"), Status::not_found, "'weight' in group 'optimizer'");
    EXPECT_ERROR(reader.at(3), Status::out_of_range, "index is 3");
    EXPECT_EQ(reader.read_new(weight, nullptr)->data_as<float>()[5], 5);
    const auto mapped = reader.map(weight);
    EXPECT_TRUE(mapped->read_only());
    EXPECT_EQ(mapped->data_as<float>()[0], 5);
    const auto slice = reader.read_slice(weight, 1, 1, nullptr);
    EXPECT_EQ(slice->shape(), (ckpt::tensor::Shape{1, 3}));
    EXPECT_EQ(slice->data_as<float>()[2], 5);
    EXPECT_EQ(reader.read_slice(weight, 2, 0, nullptr)->bytes(), 0);
    EXPECT_ERROR(reader.read_slice(weight, 1, 2, nullptr), Status::out_of_range, "length is 2");
    EXPECT_ERROR(reader.read_slice(weight, -1, 1, nullptr), Status::out_of_range, "begin is -1");
    const auto wrong = Tensor::create(Dtype::f32, {3, 2});
    EXPECT_ERROR(reader.read(weight, *wrong), Status::invalid_argument, "'weight'");
  }
  EXPECT_ERROR(Reader(*make_protocol(disk), "step-1", Verify::none), Status::not_found, "step-1");
}

TEST_F(StateReader, AMappedTensorOutlivesReaderAndCheckpoint) {
  std::shared_ptr<Tensor> mapped;
  {
    Reader reader(*make_protocol(disk), name, Verify::lazy);
    mapped = reader.map(reader.find("", "moment"));
  }
  EXPECT_TRUE(remove_checkpoint(*disk, name));
  EXPECT_EQ(mapped->data_as<float>()[5], 5);
}

TEST_F(StateReader, DamageIsFoundOnAccessOrAtOpening) {
  damage();
  EXPECT_ERROR(Reader(*make_protocol(disk), name, Verify::full), Status::corrupt, "'moment'");
  Reader lazy(*make_protocol(disk), name, Verify::lazy);
  EXPECT_EQ(lazy.read_new(lazy.find("", "weight"), nullptr)->data_as<float>()[0], 5);
  const std::int64_t moment = lazy.find("", "moment");
  EXPECT_ERROR(lazy.map(moment), Status::corrupt, "'moment': chunk 0");
  EXPECT_ERROR(lazy.read_slice(moment, 0, 1, nullptr), Status::corrupt, "'moment': chunk 0");
  EXPECT_ERROR(lazy.read_new(moment, nullptr), Status::corrupt, "'moment': chunk 0");
  Reader none(*make_protocol(disk), name, Verify::none);
  EXPECT_EQ(none.read_new(moment, nullptr)->data_as<float>()[0], 5);
}

// A file that changes under an open reader: with `full`, a reader verifies the bytes that it returns, not those read when it was
// opened.
TEST_F(StateReader, AFullReaderChecksEveryRead) {
  Reader full(*make_protocol(disk), name, Verify::full);
  Reader lazy(*make_protocol(disk), name, Verify::lazy);
  const std::int64_t moment = full.find("", "moment");
  EXPECT_EQ(full.read_new(moment, nullptr)->data_as<float>()[5], 5);
  EXPECT_EQ(full.read_slice(moment, 0, 1, nullptr)->data_as<float>()[2], 5);
  const int file = ::open((scratch / (name + "/optimizer.safetensors")).c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  const char wrong = 0x11;
  ASSERT_EQ(::pwrite(file, &wrong, 1, full.offset(moment) + full.at(moment).bytes - 1), 1);
  ::close(file);
  EXPECT_ERROR(full.read_new(moment, nullptr), Status::corrupt, "'moment': chunk 0");
  EXPECT_ERROR(full.read_slice(moment, 0, 1, nullptr), Status::corrupt, "'moment': chunk 0");
  EXPECT_ERROR(full.map(moment), Status::corrupt, "'moment': chunk 0");
  EXPECT_ERROR(lazy.read_slice(moment, 0, 1, nullptr), Status::corrupt, "'moment': chunk 0");
}

// A tensor read with the help of other threads: all of it, a part, in a forked child without these threads, and damaged at its end.
TEST_F(StateReader, LargeTensorsAreReadLikeSmallOnes) {
  const std::int64_t bytes = (9 << 20) + 77;
  const auto tensor = Tensor::create(Dtype::u8, {bytes});
  for (std::int64_t i = 0; i < bytes; ++i) tensor->data_as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 31 + i / 251);
  State state;
  state.add_tensor("optimizer", "large", tensor);
  name = Checkpoint(disk, {}).save(state, {}).name;
  Reader reader(*make_protocol(disk), name, Verify::lazy);
  const auto is_read = [&](std::int64_t begin, std::int64_t length) {
    const auto read = reader.read_slice(0, begin, length, nullptr);
    return std::ranges::equal(read->byte_span(),
                              tensor->byte_span().subspan(static_cast<std::size_t>(begin), read->byte_span().size()));
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(std::ranges::equal(reader.read_new(0, nullptr)->byte_span(), tensor->byte_span()));
    EXPECT_TRUE(is_read(1000, 3 << 20));
  }
  const pid_t child = ::fork();
  if (child == 0) ::_exit(is_read(0, bytes) && is_read(77, bytes - 77) ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  damage();
  EXPECT_ERROR(Reader(*make_protocol(disk), name, Verify::lazy).read_new(0, nullptr), Status::corrupt, "'large': chunk 0");
}

TEST_F(StateReader, AFileThatShrankIsAnErrorAtTheNextCall) {
  Reader reader(*make_protocol(disk), name, Verify::lazy);
  const std::int64_t moment = reader.find("", "moment");
  ASSERT_EQ(::truncate((scratch / (name + "/optimizer.safetensors")).c_str(), 100), 0);
  EXPECT_ERROR(reader.map(moment), Status::corrupt, "was truncated");
  EXPECT_ERROR(reader.read_new(moment, nullptr), Status::corrupt, "was truncated");
}

TEST_F(StateReader, AStorageWithoutMappingsReportsUnsupported) {
  const auto memory = storage::make_memory_storage();
  Checkpoint checkpoint(memory, {});
  save_step(checkpoint, 1);
  Reader reader(*make_protocol(memory), "", Verify::lazy);
  EXPECT_ERROR(reader.map(0), Status::unsupported, "cannot be mapped");
}

TEST_F(StateReader, ReadsFilesAndFoldersOfOtherPrograms) {
  write(scratch / "model.safetensors", file_of({"a", "b"}, 0));
  for (const std::string& path : {scratch / "model.safetensors", scratch.path()}) {
    Reader reader(path);
    EXPECT_EQ(reader.count(), 2);
    EXPECT_EQ(reader.read_slice(reader.find("", "b"), 2, 1, nullptr)->data_as<std::uint8_t>()[1], 11);
    EXPECT_EQ(reader.map(0)->data_as<std::uint8_t>()[3], 3);
  }
  EXPECT_ERROR(Reader(scratch / "none"), Status::not_found, "none");
  std::filesystem::create_directory(scratch / "empty");
  EXPECT_ERROR(Reader(scratch / "empty"), Status::not_found, "expected model.safetensors.index.json or model.safetensors");
}

TEST_F(StateReader, UnalignedTensorsAreReadNotMapped) {
  write(scratch / "f", std::string("\x3A\0\0\0\0\0\0\0", 8) + R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}    )" +
                           std::string(4, '\0'));
  Reader aligned_by_two(scratch / "f");  // its data start at byte 66
  EXPECT_ERROR(aligned_by_two.map(0), Status::unsupported, "not aligned");
  EXPECT_EQ(aligned_by_two.read_new(0, nullptr)->data_as<float>()[0], 0);
}

TEST_F(StateReader, ReadsAnIndexedFolder) {
  const auto index = [&](const std::string& map) {
    write(scratch / "model.safetensors.index.json", R"({"metadata":{"total_size":18},"weight_map":)" + map + "}");
  };
  write(scratch / "one.safetensors", file_of({"a", "b"}, 0));
  write(scratch / "blob", file_of({"c"}, 50));
  std::filesystem::create_symlink("blob", scratch / "two.safetensors");  // like download caches
  index(R"({"a":"one.safetensors","b":"one.safetensors","c":"two.safetensors"})");
  Reader reader(scratch.path());
  EXPECT_EQ(reader.count(), 3);
  EXPECT_EQ(reader.read_new(reader.find("", "c"), nullptr)->data_as<std::uint8_t>()[0], 50);
  index(R"({"a":"one.safetensors","z":"two.safetensors"})");
  EXPECT_ERROR(Reader(scratch.path()), Status::corrupt, "tensor 'z' of the index is not in the file");
  index(R"({"a":"three.safetensors"})");
  EXPECT_ERROR(Reader(scratch.path()), Status::corrupt, "three.safetensors");
  for (const char* bad : {R"({"a":"../one.safetensors"})", R"({"a":"/etc/passwd"})", R"({"a":1})", "[]", R"({"a":"x","a":"y"})"}) {
    index(bad);
    EXPECT_ERROR(Reader(scratch.path()), Status::corrupt, "index");
  }
}

}  // namespace
