// Damaged .pt files: thousands of them, which would take minutes through the command. Each is read or refused with an exception.
#include <gtest/gtest.h>
#include <unistd.h>
#include <zip.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "torch_file.h"

namespace ckpt::cli {
namespace {

std::string text(const std::string& value) { return std::string("\x8c") + static_cast<char>(value.size()) + value; }
std::string global(const std::string& module, const std::string& name) { return "c" + module + "\n" + name + "\n"; }
std::string number(int value) { return std::string("K") + static_cast<char>(value); }
std::string pair(int a, int b) { return number(a) + number(b) + "\x86"; }

// A two by three tensor of six F32, or its transpose, over storage 0.
std::string tensor(bool transposed) {
  const std::string hooks = global("collections", "OrderedDict") + ")R";
  const std::string id = "(" + text("storage") + global("torch", "FloatStorage") + text("0") + text("cpu") + number(6) + "tQ";
  return global("torch._utils", "_rebuild_tensor_v2") + "(" + id + number(0) + (transposed ? pair(3, 2) : pair(2, 3)) +
         (transposed ? pair(1, 3) : pair(3, 1)) + "\x89" + hooks + "tR";
}

// One of everything that a pickle may contain.
std::string whole_pickle() {
  const std::string bytes = global("_codecs", "encode") + text("\xc3\xa9") + text("latin1") + "\x86R";
  const std::string real("G\x3f\xf8\0\0\0\0\0\0", 9);
  const std::string big("\x8a\x09\0\0\0\0\0\0\0\0\x01", 11);
  const std::string put("q\0", 2);
  const std::string get("h\0", 2);
  return "\x80\x02}(" + text("w") + put + tensor(false) + text("list") + "](" + tensor(true) + "N\x88" + real + big + bytes + get +
         "e" + text("size") + global("torch", "Size") + pair(2, 3) + "\x85R" + text("parameter") +
         global("torch._utils", "_rebuild_parameter") + "(" + tensor(true) + "\x88" + global("collections", "OrderedDict") +
         ")RtRu.";
}

// A file with this pickle and six elements, removed at the end.
class TorchFile : public testing::Test {
 protected:
  TorchFile() {
    std::string folder = (std::filesystem::temp_directory_path() / "ckpt-torch-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no folder");
    folder_ = folder;
  }
  ~TorchFile() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "a.pt").string(); }

  void archive(const std::string& pickle) const {
    std::filesystem::remove(path());
    zip_t* const file = zip_open(path().c_str(), ZIP_CREATE, nullptr);
    const std::string elements(24, '\1');
    for (const auto& [name, contents] :
         {std::pair<const char*, const std::string&>{"a/data.pkl", pickle}, {"a/data/0", elements}}) {
      const auto index = zip_file_add(file, name, zip_source_buffer(file, contents.data(), contents.size(), 0), 0);
      ASSERT_GE(index, 0);
      ASSERT_EQ(zip_set_file_compression(file, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0), 0);
    }
    ASSERT_EQ(zip_close(file), 0);
  }

  void write(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
  std::string bytes() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  // Returns false if it was refused with a message that names the file.
  bool is_read() const {
    try {
      read_torch_file(path());
      return true;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()).find(path()), 0U) << error.what();
      return false;
    }
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(TorchFile, WholeIsRead) {
  archive(whole_pickle());
  const auto tensors = read_torch_file(path()).tensors;
  ASSERT_EQ(tensors.size(), 3U);
  EXPECT_EQ(tensors[0].first, "w");
  EXPECT_EQ(tensors[1].first, "list.0");
  EXPECT_EQ(tensors[2].first, "__tree__");
  EXPECT_EQ(
      std::string(static_cast<const char*>(tensors[2].second.data()), static_cast<std::size_t>(tensors[2].second.bytes())),
      R"({"format":"ckpt-tree","format_version":2,"nodes":[["dict",4],"w",["tensor","w","torch"],"list",["list",7],)"
      R"(["tensor","list.0","torch"],null,true,1.5,["int","0x10000000000000000"],["bytes","6Q=="],"w","size",["tuple",2],2,3,)"
      R"("parameter",["tensor","list.0","parameter"]]})");
}

TEST_F(TorchFile, EveryTruncationIsRefusedByTheReader) {
  archive(whole_pickle());
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    EXPECT_FALSE(is_read()) << size << " bytes";
  }
}

TEST_F(TorchFile, EveryTruncationOfThePickleIsRefused) {
  const std::string whole = whole_pickle();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    archive(whole.substr(0, size));
    EXPECT_FALSE(is_read()) << size << " bytes";
  }
}

TEST_F(TorchFile, FlippedBytesNeverCrash) {
  archive(whole_pickle());
  const std::string whole = bytes();
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string flipped = whole;
    for (auto flips = 1 + random() % 4; flips > 0; --flips)
      flipped[random() % flipped.size()] ^= static_cast<char>(1 + random() % 255);
    write(flipped);
    refused += is_read() ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);  // changes outside of any checksum, such as times in the archive, may be accepted
}

// With matching checksums, so that the flipped bytes reach the pickle machine.
TEST_F(TorchFile, FlippedBytesOfThePickleNeverCrash) {
  const std::string whole = whole_pickle();
  std::mt19937 random(2);
  int read = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string flipped = whole;
    for (auto flips = 1 + random() % 3; flips > 0; --flips) flipped[random() % flipped.size()] = static_cast<char>(random());
    archive(flipped);
    read += is_read();
  }
  EXPECT_GT(read, 40);  // those in which only strings and numbers have changed
  EXPECT_LT(read, 2000);
}

}  // namespace
}  // namespace ckpt::cli
