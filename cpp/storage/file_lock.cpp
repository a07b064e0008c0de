#include "storage/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "storage/open_at.h"
#include "storage/os_error.h"
#include "storage/owner_file.h"
#include "storage/record_lock.h"

namespace ckpt::storage {
namespace {

constexpr std::array<std::string_view, 4> kind_names = {"flock", "fcntl", "file", "none"};
constexpr std::string_view record_lock_mark = " fcntl";  // after the process id in the file

// ---- The file that is locked ----

struct Holder {
  std::string process;  // "" if it has not written one yet
  bool has_record_lock = false;
};

// Reads the text of the lock file. The text serves only messages and writers with another kind of lock: the kernel maintains the
// lock itself.
Holder holder_in(int file) {
  std::array<char, 64> text{};
  const ssize_t count = uninterrupted([&] { return ::pread(file, text.data(), text.size(), 0); });
  const std::string_view read(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  const std::size_t digits = std::min(read.find_first_not_of("0123456789"), read.size());
  return {std::string(read.substr(0, digits)), read.substr(digits).starts_with(record_lock_mark)};
}

void write_holder(int file, const LockPlace& place, LockKind kind) {
  const std::string text = base::cat(::getpid(), kind == LockKind::fcntl ? record_lock_mark : "", "\n");
  if (::ftruncate(file, 0) != 0) fail_os(errno, "write", place.shown);
  write_all(file, 0, std::as_bytes(std::span(text)), place.shown);
}

[[noreturn]] void fail_held(const LockPlace& place, const std::string& process) {
  base::fail(base::Status::busy, base::quote(place.storage), " is being written by ",
             process.empty() ? std::string("another process") : base::cat("process ", process), ", which holds ", place.path);
}

bool has_no_locks(int code) { return code == ENOSYS || code == ENOLCK || code == EOPNOTSUPP || code == EINVAL; }

[[noreturn]] void fail_lock(int code, LockKind kind, const LockPlace& place, int file) {
  if (code == EWOULDBLOCK) fail_held(place, holder_in(file).process);
  if (!has_no_locks(code)) fail_os(code, "lock", place.shown);
  const bool is_flock = kind == LockKind::flock;
  base::fail(base::Status::unsupported, "cannot lock ", base::quote(place.shown), ": ", std::generic_category().message(code),
             ": this file system has no locks by ", is_flock ? "flock" : "fcntl", "; open the storage with the option lock_kind = ",
             is_flock ? "\"fcntl\", \"file\" or \"none\"" : "\"file\" or \"none\"",
             ", or as a URI: file:///PATH?lock=", is_flock ? "fcntl" : "file");
}

// Opening and closing a file releases record locks that belong to the process rather than to the open file.
void refuse_own(const LockPlace& place) {
  if (is_locked_by_process(place.directory, place.leaf)) fail_held(place, base::cat(::getpid()));
}

Descriptor open_lock_file(const LockPlace& place) {
  refuse_own(place);
  auto file = open_at(place.directory, place.leaf, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, "open lock file", place.shown);
  require_regular(status_of(file.get(), place.shown), place.shown);
  return file;
}

// ---- Writers with a lock of another kind ----

// Some systems implement flock with record locks, so this check runs before this process takes a lock that could conflict with
// it.
void refuse_flock(int file, const LockPlace& place) {
  if (uninterrupted([&] { return ::flock(file, LOCK_SH | LOCK_NB); }) == 0) {
    uninterrupted([&] { return ::flock(file, LOCK_UN); });
  } else if (errno == EWOULDBLOCK) {
    fail_held(place, holder_in(file).process);
  }
}

void refuse_record_lock(int file, const LockPlace& place) {
  const Holder holder = holder_in(file);
  if (holder.has_record_lock && has_record_lock(file)) fail_held(place, holder.process);
}

// For writers with a lock kind that does not lock this file.
void refuse_kernel_locks(const LockPlace& place) {
  refuse_own(place);
  const int number =
      uninterrupted([&] { return ::openat(place.directory, place.leaf.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); });
  if (number < 0 && errno == ENOENT) return;
  if (number < 0) fail_os(errno, "open lock file", place.shown);
  const Descriptor file(number);
  refuse_record_lock(file.get(), place);
  refuse_flock(file.get(), place);
}

// ---- The kinds ----

std::unique_ptr<HeldFile> take_flock(const LockPlace& place) {
  auto lock = std::make_unique<HeldFile>(open_lock_file(place), place, place.leaf);
  const int file = lock->file();
  refuse_record_lock(file, place);
  if (uninterrupted([&] { return ::flock(file, LOCK_EX | LOCK_NB); }) != 0) fail_lock(errno, LockKind::flock, place, file);
  lock->release_by([](int held, int, const std::string&) noexcept { uninterrupted([&] { return ::flock(held, LOCK_UN); }); });
  write_holder(file, place, LockKind::flock);
  lock->require_held();  // the file may have been unlinked between open and flock
  require_no_owner_file(place);
  return lock;
}

std::unique_ptr<HeldFile> take_record_lock(const LockPlace& place) {
  auto lock = std::make_unique<HeldFile>(open_lock_file(place), place, place.leaf);
  const int file = lock->file();
  refuse_flock(file, place);
  if (const int code = try_record_lock(file); code != 0) fail_lock(code, LockKind::fcntl, place, file);
  lock->release_by([](int held, int, const std::string&) noexcept { release_record_lock(held); });
  write_holder(file, place, LockKind::fcntl);
  lock->require_held();
  require_no_owner_file(place);
  return lock;
}

class NoLock final : public Lock {
 public:
  bool is_exclusive() const noexcept override { return false; }
};

}  // namespace

LockKind lock_kind_of(std::string_view argument, std::string_view name) {
  if (name.empty()) return LockKind::flock;
  const auto* const found = std::ranges::find(kind_names, name);
  base::require(found != kind_names.end(), argument, " is ", base::quote(name), "; expected flock, fcntl, file or none");
  return static_cast<LockKind>(found - kind_names.begin());
}

std::unique_ptr<Lock> take_lock(LockKind kind, const LockPlace& place) {
  const auto alone = wait_for_other_openings(place.directory);
  switch (kind) {
    case LockKind::flock: return take_flock(place);
    case LockKind::fcntl: return take_record_lock(place);
    case LockKind::file: {
      auto lock = take_owner_file(place);
      refuse_kernel_locks(place);
      return lock;
    }
    case LockKind::none: break;
  }
  refuse_kernel_locks(place);
  require_no_owner_file(place);
  return std::make_unique<NoLock>();
}

}  // namespace ckpt::storage
