// Guarantees of every storage, for the file system and for memory.
#include <gtest/gtest.h>

#include <cstring>

#include "scratch.h"
#include "storage/file_system.h"
#include "storage/memory.h"

namespace {

using ckpt::base::Status;
using ckpt::storage::Storage;
using ckpt::tests::Scratch;

enum class Backend { file_system, memory };

class StorageBackends : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    storage = GetParam() == Backend::memory ? ckpt::storage::make_memory_storage()
                                            : ckpt::storage::open_file_system(scratch.path(), ckpt::storage::Root::make);
  }

  void write(const std::string& path, const std::string& text) { storage->create(path)->write(0, std::as_bytes(std::span(text))); }
  std::string read(const std::string& path) {
    const auto file = storage->open(path);
    std::string text(static_cast<std::size_t>(file->size()), '\0');
    EXPECT_EQ(file->read(0, std::as_writable_bytes(std::span(text))), file->size());
    return text;
  }
  std::string names(const std::string& path) {
    std::string out;
    for (const auto& entry : storage->list(path)) out += entry.name + (entry.is_directory ? "/ " : " ");
    return out;
  }

  Scratch scratch;
  std::shared_ptr<Storage> storage;
};

INSTANTIATE_TEST_SUITE_P(Storage, StorageBackends, testing::Values(Backend::file_system, Backend::memory),
                         [](const auto& instance) { return instance.param == Backend::memory ? "Memory" : "FileSystem"; });

TEST_P(StorageBackends, WritesAtOffsetsAndReadsBack) {
  const auto file = storage->create("f");
  file->write(0, std::as_bytes(std::span("hello", 5)));
  file->write(5, std::as_bytes(std::span(" world", 6)));
  file->write(0, std::as_bytes(std::span("J", 1)));
  file->write(0, {});
  file->sync();
  EXPECT_EQ(file->size(), 11);
  EXPECT_EQ(storage->size("f"), 11);
  EXPECT_EQ(read("f"), "Jello world");
}

TEST_P(StorageBackends, ReadIsShortOnlyAtTheEnd) {
  write("f", "0123456789");
  char bytes[8] = {};
  const auto file = storage->open("f");
  EXPECT_EQ(file->read(6, std::as_writable_bytes(std::span(bytes))), 4);
  EXPECT_EQ(std::memcmp(bytes, "6789", 4), 0);
  EXPECT_EQ(file->read(10, std::as_writable_bytes(std::span(bytes))), 0);
  EXPECT_EQ(file->read(1000, std::as_writable_bytes(std::span(bytes))), 0);
  EXPECT_EQ(file->read(0, {}), 0);
}

TEST_P(StorageBackends, CreateRefusesATakenName) {
  write("f", "a");
  EXPECT_ERROR(storage->create("f"), Status::already_exists, "f");
  storage->make_directory("d");
  EXPECT_ERROR(storage->create("d"), Status::already_exists, "d");
  EXPECT_ERROR(storage->make_directory("d"), Status::already_exists, "d");
  EXPECT_ERROR(storage->make_directory("f"), Status::already_exists, "f");
  EXPECT_EQ(read("f"), "a");
}

TEST_P(StorageBackends, ReportsMissingFiles) {
  EXPECT_ERROR(storage->open("nothing"), Status::not_found, "nothing");
  EXPECT_ERROR(storage->size("nothing"), Status::not_found, "nothing");
  EXPECT_ERROR(storage->remove("nothing"), Status::not_found, "nothing");
  EXPECT_ERROR(storage->remove_directory("nothing"), Status::not_found, "nothing");
  EXPECT_ERROR(storage->rename("nothing", "else"), Status::not_found, "nothing");
  EXPECT_ERROR(storage->list("nothing"), Status::not_found, "nothing");
  EXPECT_ERROR(storage->sync_directory("nothing"), Status::not_found, "nothing");
  EXPECT_ERROR(storage->create("nothing/f"), Status::not_found, "nothing");
  EXPECT_ERROR(storage->make_directory("nothing/d"), Status::not_found, "nothing");
}

TEST_P(StorageBackends, RefusesTheWrongKind) {
  write("f", "a");
  storage->make_directory("d");
  EXPECT_ERROR(storage->open("d"), Status::invalid_argument, "d");
  EXPECT_ERROR(storage->size("d"), Status::invalid_argument, "d");
  EXPECT_ERROR(storage->list("f"), Status::invalid_argument, "f");
  EXPECT_ERROR(storage->create("f/g"), Status::invalid_argument, "f");
  EXPECT_ERROR(storage->remove_directory("f"), Status::invalid_argument, "f");
  EXPECT_ERROR(storage->sync_directory("f"), Status::invalid_argument, "f");
}

TEST_P(StorageBackends, NoPathLeavesTheRoot) {
  for (const char* path : {"..", "../f", "d/../../f", "/etc/passwd", ".", "./f", "d//f", "d/", "/", "d/."}) {
    SCOPED_TRACE(path);
    EXPECT_ERROR(storage->create(path), Status::invalid_argument, "leaves its root");
    EXPECT_ERROR(storage->open(path), Status::invalid_argument, "leaves its root");
    EXPECT_ERROR(storage->make_directory(path), Status::invalid_argument, "leaves its root");
    EXPECT_ERROR(storage->remove(path), Status::invalid_argument, "leaves its root");
    EXPECT_ERROR(storage->rename(path, "x"), Status::invalid_argument, "leaves its root");
    EXPECT_ERROR(storage->list(path), Status::invalid_argument, "leaves its root");
    EXPECT_ERROR(storage->lock(path), Status::invalid_argument, "leaves its root");
  }
  EXPECT_ERROR(storage->create(std::string("a\0b", 3)), Status::invalid_argument, "NUL");
  EXPECT_ERROR(storage->create(""), Status::invalid_argument, "empty");
}

TEST_P(StorageBackends, ListsSorted) {
  EXPECT_EQ(names(""), "");
  write("b", "");
  storage->make_directory("c");
  write("c/inner", "");
  write("a", "");
  EXPECT_EQ(names(""), "a b c/ ");
  EXPECT_EQ(names("c"), "inner ");
}

TEST_P(StorageBackends, RenamesFilesAndDirectories) {
  write("a", "new");
  write("b", "old");
  storage->rename("a", "b");
  EXPECT_EQ(read("b"), "new");
  storage->make_directory("d");
  write("d/f", "inside");
  storage->rename("d", "e");
  storage->sync_directory("");
  EXPECT_EQ(names(""), "b e/ ");
  EXPECT_EQ(read("e/f"), "inside");
  storage->make_directory("full");
  write("full/g", "");
  EXPECT_ERROR(storage->rename("e", "full"), Status::already_exists, "full");
}

TEST_P(StorageBackends, RemovesOnlyEmptyDirectories) {
  storage->make_directory("d");
  write("d/f", "");
  EXPECT_ERROR(storage->remove_directory("d"), Status::already_exists, "d");
  storage->remove("d/f");
  storage->sync_directory("d");
  storage->remove_directory("d");
  EXPECT_EQ(names(""), "");
}

TEST_P(StorageBackends, AnOpenFileOutlivesItsName) {
  write("f", "kept");
  const auto file = storage->open("f");
  storage->remove("f");
  char bytes[4] = {};
  EXPECT_EQ(file->read(0, std::as_writable_bytes(std::span(bytes))), 4);
}

TEST_P(StorageBackends, OneLockAtATime) {
  auto first = storage->lock(".lock");
  EXPECT_ERROR(storage->lock(".lock"), Status::busy, "process");
  first.reset();
  EXPECT_NE(storage->lock(".lock"), nullptr);
}

}  // namespace
