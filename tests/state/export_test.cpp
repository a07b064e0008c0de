// Plain safetensors files, loads in place, and the fault handler of a checkpoint.
#include "state/export.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "expect_error.h"
#include "faulty_storage.h"
#include "fixture.h"
#include "state/manager/reader.h"

namespace {

using namespace ckpt::state;
using namespace ckpt::tests;
namespace base = ckpt::base;
namespace storage = ckpt::storage;
using base::Status;

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

TEST(StateExport, AReaderReadsTheFileAndTheOldFileIsReplaced) {
  const Scratch scratch;
  const std::string path = scratch / "model.safetensors";
  std::ofstream(path) << "something older";
  std::ofstream(path + ".tmp") << "left by another writer";
  Model model(3);
  write_safetensors(path, model.state, "model", metadata_from_json(R"({"made by":"a test","format":"pt"})"));
  // Another writer's temporary file must not be touched.
  EXPECT_EQ(files_in(scratch.path()), (std::vector<std::string>{"model.safetensors", "model.safetensors.tmp"}));
  EXPECT_EQ(std::filesystem::file_size(path + ".tmp"), 22U);
  Reader file(path);
  ASSERT_EQ(file.count(), 2);
  EXPECT_EQ(file.metadata(), (Metadata{{"format", "pt"}, {"made by", "a test"}}));
  Model back(0);
  for (std::int64_t i = 0; i < 2; ++i) {
    for (const StateTensor& item : back.state.groups()[0].tensors) {
      if (item.name == file.at(i).name) file.read(i, *item.tensor);
    }
  }
  for (const StateTensor& item : back.state.groups()[0].tensors) EXPECT_EQ(item.tensor->data_as<float>()[2], 3.0F);
}

TEST(StateExport, BadArgumentsLeaveExistingFiles) {
  const Scratch scratch;
  Model model(3);
  std::filesystem::create_directory(scratch / "directory");
  EXPECT_ERROR(write_safetensors(scratch / "f", model.state, "other", {}), Status::not_found, "group 'other'");
  EXPECT_ERROR(write_safetensors(scratch / "missing/f", model.state, "model", {}), Status::not_found, "missing");
  EXPECT_ERROR(write_safetensors("", model.state, "model", {}), Status::invalid_argument, "path is ''");
  EXPECT_ERROR(write_safetensors(scratch / "", model.state, "model", {}), Status::invalid_argument, "expected the path of a file");
  EXPECT_ERROR(write_safetensors(scratch / "directory", model.state, "model", {}), Status::invalid_argument, "directory");
  EXPECT_EQ(files_in(scratch.path()), std::vector<std::string>{"directory"});
  EXPECT_ERROR(metadata_from_json("[1]"), Status::invalid_argument, "expected an object");
  EXPECT_ERROR(metadata_from_json(R"({"a":1})"), Status::invalid_argument, "expected a string for 'a'");
  EXPECT_ERROR(metadata_from_json("{"), Status::invalid_argument, "metadata_json");
}

namespace fs = std::filesystem;

bool is_whole(const std::string& path) { return Reader(path).count() == 2; }

// A rename by itself would replace the link.
TEST(StateExport, LinksAreFollowedAndStay) {
  const Scratch scratch;
  Model model(3);
  fs::create_directories(scratch / "real/deep");
  std::ofstream(scratch / "real/file") << "something older";
  fs::create_symlink("real/file", scratch / "link");
  fs::create_symlink("../link", scratch / "real/second");              // to a link, from another directory
  fs::create_symlink(scratch / "real/deep/new", scratch / "hanging");  // dangling, with an absolute path
  fs::create_directory_symlink("real", scratch / "folder");
  for (const char* path : {"link", "real/second", "hanging", "folder/third"}) {
    const std::string whole = scratch / path;
    const bool was_link = fs::is_symlink(whole);
    write_safetensors(whole, model.state, "model", {});
    EXPECT_EQ(fs::is_symlink(whole), was_link) << path;
    EXPECT_TRUE(is_whole(whole)) << path;
  }
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(scratch / "real/file")));
  EXPECT_TRUE(is_whole(scratch / "real/file"));
  EXPECT_TRUE(is_whole(scratch / "real/deep/new"));
  EXPECT_EQ(files_in(scratch.path()), (std::vector<std::string>{"folder", "hanging", "link", "real"}));
  EXPECT_EQ(files_in(scratch / "real"), (std::vector<std::string>{"deep", "file", "second", "third"}));

  fs::create_symlink("around", scratch / "around");
  EXPECT_ERROR(write_safetensors(scratch / "around", model.state, "model", {}), Status::invalid_argument, "around");
  fs::create_symlink("missing/file", scratch / "nowhere");
  EXPECT_ERROR(write_safetensors(scratch / "nowhere", model.state, "model", {}), Status::not_found, "missing");
}

TEST(StateExport, OtherThanRegularFilesAreRefusedAndKept) {
  const Scratch scratch;
  Model model(3);
  const std::string fifo = scratch / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  fs::create_symlink("fifo", scratch / "to fifo");
  fs::create_symlink("/dev/null", scratch / "to null");
  fs::create_directory_symlink("..", scratch / "to directory");
  const std::vector<std::string> before = files_in(scratch.path());
  EXPECT_ERROR(write_safetensors(fifo, model.state, "model", {}), Status::invalid_argument,
               base::cat("path is '", fifo, "': expected a regular file or nothing, found a FIFO"));
  EXPECT_ERROR(write_safetensors(scratch / "to fifo", model.state, "model", {}), Status::invalid_argument, "found a FIFO");
  EXPECT_ERROR(write_safetensors("/dev/null", model.state, "model", {}), Status::invalid_argument, "found a character device");
  EXPECT_ERROR(write_safetensors(scratch / "to null", model.state, "model", {}), Status::invalid_argument, "a character device");
  EXPECT_ERROR(write_safetensors(scratch / "to directory", model.state, "model", {}), Status::invalid_argument, "a directory");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_ERROR(write_safetensors(base::cat("/proc/self/fd/", ends[1]), model.state, "model", {}), Status::invalid_argument, "FIFO");
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_EQ(files_in(scratch.path()), before);
  EXPECT_TRUE(fs::is_fifo(fifo));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(StateExport, TheModeOfAFileIsKept) {
  const Scratch scratch;
  Model model(3);
  const auto mode_of = [&](const char* name) { return fs::status(scratch / name).permissions(); };
  for (const unsigned mode : {0600U, 0640U, 0666U, 0444U}) {
    std::ofstream(scratch / "file") << "something older";
    fs::permissions(scratch / "file", static_cast<fs::perms>(mode));
    write_safetensors(scratch / "file", model.state, "model", {});
    EXPECT_EQ(mode_of("file"), static_cast<fs::perms>(mode));
    fs::remove(scratch / "file");
  }
  const mode_t before = ::umask(027);
  write_safetensors(scratch / "new", model.state, "model", {});
  ::umask(before);
  EXPECT_EQ(mode_of("new"), static_cast<fs::perms>(0640));
}

TEST(StateInPlace, FillsTheTensorsAndFallsBack) {
  const auto disk = storage::make_memory_storage();
  Checkpoint checkpoint(disk, {});
  save_step(checkpoint, 1);
  const SaveResult second = save_step(checkpoint, 2);
  LoadOptions options;
  options.in_place = true;
  Model model(0);
  EXPECT_EQ(checkpoint.load(model.state, options).step, 2);
  EXPECT_EQ(model.value(), 2.0F);
  // The last byte of the last group: the preceding tensors are already overwritten when the damage is found.
  const std::string path = second.name + "/optimizer.safetensors";
  std::string bytes = read_file(*disk, path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  replace_file(*disk, path, bytes);
  const Warnings warnings;
  const LoadResult result = checkpoint.load(model.state, options);
  EXPECT_EQ(result.step, 1);
  EXPECT_EQ(result.skipped, 1);
  EXPECT_EQ(model.value(), 1.0F);
}

TEST(StateInPlace, ReadsEachByteOnce) {
  const auto faults = std::make_shared<Faults>();
  Checkpoint checkpoint(std::make_shared<FaultyStorage>(storage::make_memory_storage(), faults), {});
  save_step(checkpoint, 1);
  const auto reads_of = [&](bool in_place) {
    LoadOptions options;
    options.in_place = in_place;
    Model model(0);
    faults->log.clear();
    checkpoint.load(model.state, options);
    return std::ranges::count_if(faults->log, [](const std::string& line) { return line.starts_with("read step-"); });
  };
  const auto staged = reads_of(false);
  EXPECT_GT(staged, 0);
  EXPECT_EQ(reads_of(true), staged);
}

TEST(StateFaultHandler, ACheckpointRetriesAsItsHandlerDecides) {
  const auto faults = std::make_shared<Faults>();
  CheckpointOptions options;
  options.fault_handler = std::make_shared<storage::FaultHandler>(storage::FaultPolicy{3, 1, 1, 1, 0, 0}, [](std::int64_t) {});
  const auto disk = std::make_shared<FaultyStorage>(storage::make_memory_storage(), faults);
  Checkpoint checkpoint(disk, options);
  EXPECT_EQ(checkpoint.storage(), disk);
  faults->only = "write";
  faults->fail_at = faults->counted = 0;
  const Warnings warnings;
  save_step(checkpoint, 1);
  EXPECT_EQ(faults->fired, 1);
  EXPECT_EQ(checkpoint.fault_handler()->retries(), 1);
  EXPECT_EQ(checkpoint.verify("").files, 2);
  // A permanent error is reported, and the older checkpoint is unchanged.
  faults->fail_at = faults->counted;
  faults->status = Status::no_space;
  EXPECT_ERROR(save_step(checkpoint, 2), Status::no_space, "injected");
  EXPECT_EQ(checkpoint.fault_handler()->retries(), 1);
  EXPECT_EQ(checkpoint.verify("").name.substr(0, 17), "step-000000000001");
}

}  // namespace
