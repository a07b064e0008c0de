// Locks of each kind, in one process and in several, and file systems that lack some kinds.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdarg>
#include <filesystem>
#include <fstream>

#include "scratch.h"
#include "storage/file_system.h"
#include "storage/lock_owner.h"

// ---- A file system without some locks: these functions replace the C library's ----

namespace {
int flock_error = 0;
int fcntl_error = 0;           // error of record locks
int open_file_lock_error = 0;  // error of open file description locks, if not 0

int faulty_fcntl(int file, int command, void* argument) {
  const bool is_of_open_file = command == F_OFD_SETLK || command == F_OFD_GETLK;
  const bool is_of_process = command == F_SETLK || command == F_GETLK;
  errno = is_of_open_file && open_file_lock_error != 0 ? open_file_lock_error : fcntl_error;
  if ((is_of_open_file || is_of_process) && errno != 0) return -1;
  return static_cast<int>(::syscall(SYS_fcntl, file, command, argument));
}
}  // namespace

extern "C" int flock(int file, int operation) noexcept {
  if (flock_error == 0) return static_cast<int>(::syscall(SYS_flock, file, operation));
  errno = flock_error;
  return -1;
}

#define FCNTL(name)                                 \
  extern "C" int name(int file, int command, ...) { \
    std::va_list more;                              \
    va_start(more, command);                        \
    void* const argument = va_arg(more, void*);     \
    va_end(more);                                   \
    return faulty_fcntl(file, command, argument);   \
  }
FCNTL(fcntl)
FCNTL(fcntl64)

namespace {

namespace fs = std::filesystem;
using ckpt::base::cat;
using ckpt::base::Status;
using namespace ckpt::storage;
using ckpt::tests::Scratch;

constexpr LockKind real_kinds[] = {LockKind::flock, LockKind::fcntl, LockKind::file};

std::shared_ptr<Storage> open_with(const Scratch& scratch, LockKind kind) {
  WriteOptions options;
  options.lock = kind;
  return open_file_system(scratch.path(), Root::must_exist, options);
}

std::unique_ptr<Lock> lock_with(const Scratch& scratch, LockKind kind) { return open_with(scratch, kind)->lock(".lock"); }

void expect_busy(const Scratch& scratch, LockKind kind, const std::string& mention = "") {
  EXPECT_ERROR(lock_with(scratch, kind), Status::busy, mention);
}

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// Another process that holds a lock while this object lives.
class Holder {
 public:
  Holder(const Scratch& scratch, LockKind kind) {
    int to_parent[2];
    int to_child[2];
    EXPECT_EQ(::pipe(to_parent) + ::pipe(to_child), 0);
    process = ::fork();
    if (process == 0) {
      ::close(to_child[1]);
      char byte = '-';
      try {
        const auto lock = lock_with(scratch, kind);
        byte = '+';
        if (::write(to_parent[1], &byte, 1) == 1 && ::read(to_child[0], &byte, 1) == 0) ::_exit(0);
      } catch (...) {
        if (::write(to_parent[1], &byte, 1) != 1) ::_exit(2);
      }
      ::_exit(1);
    }
    ::close(to_parent[1]);
    ::close(to_child[0]);
    end_ = to_child[1];
    char byte = '?';
    EXPECT_EQ(::read(to_parent[0], &byte, 1), 1);
    is_holding = byte == '+';
    ::close(to_parent[0]);
  }
  ~Holder() {
    ::close(end_);
    if (!is_collected_) collect();
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  // Ends the process without reaping it.
  void kill() const {
    ::kill(process, SIGKILL);
    siginfo_t info;
    EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT), 0);
  }
  void collect() {
    ::waitpid(process, nullptr, 0);
    is_collected_ = true;
  }

  pid_t process = -1;
  bool is_holding = false;

 private:
  int end_ = -1;
  bool is_collected_ = false;
};

bool another_process_gets(const Scratch& scratch, LockKind kind) { return Holder(scratch, kind).is_holding; }

class StorageLocks : public ::testing::Test {
 protected:
  ~StorageLocks() override { flock_error = fcntl_error = open_file_lock_error = 0; }
  const Scratch scratch;
};

TEST_F(StorageLocks, EachKindExcludesASecondWriter) {
  for (const LockKind kind : real_kinds) {
    {
      Holder holder(scratch, kind);
      ASSERT_TRUE(holder.is_holding);
      expect_busy(scratch, kind, cat("process ", holder.process));
      holder.kill();
      EXPECT_NE(lock_with(scratch, kind), nullptr) << "a killed owner is taken over, also before its parent has collected it";
      holder.collect();
      EXPECT_NE(lock_with(scratch, kind), nullptr);
    }
    const auto lock = lock_with(scratch, kind);
    EXPECT_TRUE(lock->is_exclusive());
    expect_busy(scratch, kind, cat("process ", ::getpid()));
    EXPECT_FALSE(another_process_gets(scratch, kind));
    EXPECT_NO_THROW(lock->require_held());
  }
  EXPECT_TRUE(another_process_gets(scratch, LockKind::flock));
}

TEST_F(StorageLocks, AForkedChildNeitherReleasesNorKeepsIt) {
  for (const LockKind kind : real_kinds) {
    auto lock = lock_with(scratch, kind);
    int from_child[2];
    ASSERT_EQ(::pipe(from_child), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      lock.reset();
      if (::write(from_child[1], "!", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char byte = '?';
    ASSERT_EQ(::read(from_child[0], &byte, 1), 1);
    expect_busy(scratch, kind);
    lock.reset();
    EXPECT_TRUE(another_process_gets(scratch, kind));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(from_child[0]);
    ::close(from_child[1]);
  }
}

TEST_F(StorageLocks, WritersOfDifferentKindsExcludeOneAnother) {
  for (const LockKind first : real_kinds) {
    for (const LockKind second : {LockKind::flock, LockKind::fcntl, LockKind::file, LockKind::none}) {
      {
        const Holder holder(scratch, first);
        ASSERT_TRUE(holder.is_holding);
        expect_busy(scratch, second, cat("process ", holder.process));
      }
      EXPECT_NE(lock_with(scratch, second), nullptr) << static_cast<int>(first) << static_cast<int>(second);
    }
  }
}

TEST_F(StorageLocks, WithoutFlockTheErrorNamesTheOtherKinds) {
  for (const int code : {ENOSYS, ENOLCK, EOPNOTSUPP}) {
    flock_error = code;
    EXPECT_ERROR(lock_with(scratch, LockKind::flock), Status::unsupported, R"(lock_kind = "fcntl", "file" or "none")");
    EXPECT_ERROR(lock_with(scratch, LockKind::flock), Status::unsupported, "/.lock': ");
    for (const LockKind kind : {LockKind::fcntl, LockKind::file}) {
      Holder holder(scratch, kind);
      EXPECT_TRUE(holder.is_holding);
      expect_busy(scratch, kind, cat("process ", holder.process));
    }
    fcntl_error = code;
    EXPECT_ERROR(lock_with(scratch, LockKind::fcntl), Status::unsupported, R"(lock_kind = "file" or "none")");
    EXPECT_NE(lock_with(scratch, LockKind::file), nullptr);
    EXPECT_FALSE(lock_with(scratch, LockKind::none)->is_exclusive());
    fcntl_error = 0;
  }
  flock_error = EIO;  // another kind of lock would not help
  EXPECT_ERROR(lock_with(scratch, LockKind::flock), Status::io, "cannot lock");
}

// Closing any descriptor of the file in this process would release such a lock.
TEST_F(StorageLocks, ALockThatBelongsToTheProcessSurvivesOtherWritersInIt) {
  open_file_lock_error = EINVAL;
  {
    const auto lock = lock_with(scratch, LockKind::fcntl);
    for (const LockKind kind : {LockKind::flock, LockKind::fcntl, LockKind::file, LockKind::none})
      expect_busy(scratch, kind, cat("process ", ::getpid()));
    EXPECT_FALSE(another_process_gets(scratch, LockKind::fcntl));
    open_file_lock_error = 0;
    EXPECT_FALSE(another_process_gets(scratch, LockKind::fcntl));
    open_file_lock_error = EINVAL;
    EXPECT_NO_THROW(lock->require_held());
  }
  EXPECT_TRUE(another_process_gets(scratch, LockKind::fcntl));
  EXPECT_NE(lock_with(scratch, LockKind::fcntl), nullptr);
}

// ---- Lock files ----

constexpr char other_file[] = ".lock-0123456789abcdef";

TEST_F(StorageLocks, AnOwnerIsIdentifiedByHostProcessAndStart) {
  const LockOwner self = this_owner();
  const auto put_owner = [&](LockOwner owner) { put(scratch / other_file, to_text(owner)); };
  put_owner(self);
  expect_busy(scratch, LockKind::file, cat("process ", ::getpid()));
  LockOwner other = self;
  other.host = "elsewhere";
  put_owner(other);
  expect_busy(scratch, LockKind::file, "of host 'elsewhere'");
  for (const LockKind kind : {LockKind::flock, LockKind::fcntl, LockKind::none})
    expect_busy(scratch, kind, "if it has ended, remove the file");
  other.host = self.host;
  other.start += "1";  // the process id was reused
  put_owner(other);
  EXPECT_NE(lock_with(scratch, LockKind::file), nullptr);
  EXPECT_FALSE(fs::exists(scratch / other_file));
  for (const char* text : {"", "libckpt lock 2\n", "libckpt lock 1\npid 1\n"}) {
    put(scratch / other_file, text);
    expect_busy(scratch, LockKind::file, "cannot be read; if no writer is active");
  }
  fs::remove(scratch / other_file);
  put(scratch / ".lock-other", "");  // not a lock file of this library
  EXPECT_NE(lock_with(scratch, LockKind::file), nullptr);
}

// A writer that is killed between creating its file and renaming it leaves the file under a temporary name.
TEST_F(StorageLocks, AnUnfinishedFileOfAnEndedOwnerIsRemoved) {
  const LockOwner self = this_owner();
  const std::string file = scratch / (std::string(other_file) + ".new");
  LockOwner other = self;
  other.start += "1";  // the process id was reused
  put(file, to_text(other));
  for (const LockKind kind : {LockKind::flock, LockKind::fcntl}) EXPECT_NE(lock_with(scratch, kind), nullptr);
  EXPECT_NE(lock_with(scratch, LockKind::file), nullptr);
  EXPECT_FALSE(fs::exists(file));
  other = self;
  other.host = "elsewhere";
  for (const std::string& text : {to_text(self), to_text(other), std::string("libckpt lock 1\npid 1\n"), std::string()}) {
    put(file, text);
    EXPECT_NE(lock_with(scratch, LockKind::file), nullptr) << "it locks nothing";
    EXPECT_TRUE(fs::exists(file)) << text;
  }
  fs::remove(file);
  put(scratch / ".lock-other.new", to_text(self));  // not a file of this library
  EXPECT_NE(lock_with(scratch, LockKind::file), nullptr);
  EXPECT_TRUE(fs::exists(scratch / ".lock-other.new"));
}

TEST_F(StorageLocks, AReleasedLockLeavesNoFile) {
  {
    const auto lock = lock_with(scratch, LockKind::file);
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), {}), 1);
  }
  EXPECT_TRUE(fs::is_empty(scratch.path()));
  const Holder holder(scratch, LockKind::file);
  expect_busy(scratch, LockKind::file);
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), {}), 1) << "one that is refused leaves none, either";
}

TEST_F(StorageLocks, AFileThatIsRemovedOrReplacedIsALostLock) {
  for (const LockKind kind : real_kinds) {
    const auto lock = lock_with(scratch, kind);
    const fs::path file = fs::directory_iterator(scratch.path())->path();
    fs::rename(file, scratch / "aside");
    EXPECT_ERROR(lock->require_held(), Status::busy, file.string());
    fs::rename(scratch / "aside", file);
    EXPECT_ERROR(lock->require_held(), Status::busy, "was removed or replaced by another program");
    fs::remove(file);
  }
}

}  // namespace
