// Properties of the file system only: links, pipes, permissions, roots, descriptors, other processes.
#include "storage/file_system.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/text.h"
#include "scratch.h"

namespace {

using ckpt::base::Status;
using ckpt::storage::open_file_system;
using ckpt::storage::Root;
using ckpt::tests::Scratch;
using ckpt::tests::Unprivileged;
namespace fs = std::filesystem;

void put(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

TEST(StorageFileSystem, CreatesTheRootAndItsParents) {
  const Scratch scratch;
  EXPECT_ERROR(open_file_system(scratch / "a/b/c", Root::must_exist), Status::not_found, "a/b/c");
  EXPECT_FALSE(fs::exists(scratch / "a"));
  open_file_system(scratch / "a//b/c/", Root::make)->create("f");
  EXPECT_TRUE(fs::exists(scratch / "a/b/c/f"));
  open_file_system(scratch / "a/b/c", Root::make);
}

TEST(StorageFileSystem, MakesARelativeRoot) {
  const Scratch scratch;
  const fs::path before = fs::current_path();
  fs::current_path(scratch.path());
  const auto storage = open_file_system("x/y", Root::make);
  fs::current_path(before);
  storage->create("f");  // the root is an open descriptor, not looked up again
  EXPECT_TRUE(fs::exists(scratch / "x/y/f"));
}

TEST(StorageFileSystem, RefusesAFileAsRoot) {
  const Scratch scratch;
  put(scratch / "file", "");
  EXPECT_ERROR(open_file_system(scratch / "file", Root::make), Status::invalid_argument, "Not a directory");
  EXPECT_ERROR(open_file_system(scratch / "file/below", Root::make), Status::invalid_argument, "file");
  EXPECT_ERROR(open_file_system("", Root::make), Status::invalid_argument, "root is blank");
}

TEST(StorageFileSystem, NeverFollowsLinks) {
  const Scratch scratch;
  const Scratch outside;
  put(outside / "secret", "secret");
  const auto storage = open_file_system(scratch.path(), Root::make);
  fs::create_symlink(outside / "secret", scratch / "link");
  fs::create_directory_symlink(outside.path(), scratch / "door");
  EXPECT_ERROR(storage->open("link"), Status::invalid_argument, "link");
  EXPECT_ERROR(storage->size("link"), Status::invalid_argument, "link");
  EXPECT_ERROR(storage->create("link"), Status::already_exists, "link");
  EXPECT_ERROR(storage->lock("link"), Status::invalid_argument, "link");
  EXPECT_ERROR(storage->open("door/secret"), Status::invalid_argument, "door");
  EXPECT_ERROR(storage->create("door/new"), Status::invalid_argument, "door");
  EXPECT_ERROR(storage->list("door"), Status::invalid_argument, "door");
  EXPECT_FALSE(fs::exists(outside / "new"));
  storage->remove("link");  // the link, not its target
  EXPECT_TRUE(fs::exists(outside / "secret"));
  EXPECT_EQ(ckpt::storage::open_file(outside / "secret")->size(), 6);
}

TEST(StorageFileSystem, APipeDoesNotHang) {
  const Scratch scratch;
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  const auto storage = open_file_system(scratch.path(), Root::make);
  EXPECT_ERROR(storage->open("pipe"), Status::invalid_argument, "regular");
  EXPECT_ERROR(ckpt::storage::open_file(scratch / "pipe"), Status::invalid_argument, "regular");
}

TEST(StorageFileSystem, ReportsPermission) {
  const Scratch scratch;
  fs::permissions(scratch.path(), fs::perms(0755));
  fs::create_directory(scratch / "closed");
  put(scratch / "closed/f", "x");
  fs::permissions(scratch / "closed/f", fs::perms(0000));
  fs::permissions(scratch / "closed", fs::perms(0555));
  {
    const Unprivileged scope;
    const auto storage = open_file_system(scratch / "closed", Root::make);
    EXPECT_ERROR(storage->create("new"), Status::permission, "new");
    EXPECT_ERROR(storage->make_directory("new"), Status::permission, "new");
    EXPECT_ERROR(storage->open("f"), Status::permission, "f");
    EXPECT_ERROR(storage->remove("f"), Status::permission, "f");
    EXPECT_ERROR(storage->rename("f", "g"), Status::permission, "f");
    EXPECT_ERROR(storage->lock(".lock"), Status::permission, ".lock");
    EXPECT_ERROR(open_file_system(scratch / "closed/below", Root::make), Status::permission, "below");
  }
  fs::permissions(scratch / "closed", fs::perms(0755));
}

TEST(StorageFileSystem, AFileThatMayGrowNoFurtherIsNoSpace) {
  const Scratch scratch;
  const auto storage = open_file_system(scratch.path(), Root::make);
  const auto file = storage->create("f");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const std::string text(200, 'x');  // a short write of 100 bytes, then an error
  EXPECT_ERROR(file->write(0, std::as_bytes(std::span(text))), Status::no_space, "f");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
}

TEST(StorageFileSystem, EveryDescriptorClosesOnExec) {
  const Scratch scratch;
  const auto storage = open_file_system(scratch.path(), Root::make);
  const auto file = storage->create("f");
  const auto reader = storage->open("f");
  const auto lock = storage->lock(".lock");
  int seen = 0;
  for (int number = 3; number < 256; ++number) {
    char target[4096] = {};
    const std::string link = ckpt::base::cat("/proc/self/fd/", number);
    if (::readlink(link.c_str(), target, sizeof target - 1) <= 0) continue;
    if (std::string(target).find(scratch.path()) == std::string::npos) continue;
    ++seen;
    EXPECT_NE(::fcntl(number, F_GETFD) & FD_CLOEXEC, 0) << target;
  }
  EXPECT_EQ(seen, 5);  // the root, two files, the lock file, and the directory of the lock file
}

TEST(StorageFileSystem, TheLockNamesTheProcessThatHoldsIt) {
  const Scratch scratch;
  int ready[2] = {};
  int done[2] = {};
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::close(done[1]);
    const auto lock = open_file_system(scratch.path(), Root::make)->lock(".lock");
    char byte = 0;
    if (::write(ready[1], &byte, 1) != 1 || ::read(done[0], &byte, 1) != 0) ::_exit(2);
    ::_exit(lock != nullptr ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const auto storage = open_file_system(scratch.path(), Root::make);
  EXPECT_ERROR(storage->lock(".lock"), Status::busy, ckpt::base::cat("process ", child));
  for (const int end : {ready[0], ready[1], done[0], done[1]}) ::close(end);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_NE(storage->lock(".lock"), nullptr);  // a holder that has exited holds nothing
}

}  // namespace
