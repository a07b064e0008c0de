#include "storage/record_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <optional>
#include <utility>

#include "storage/descriptor.h"

namespace ckpt::storage {
namespace {

using FileId = std::pair<dev_t, ino_t>;

struct LockTable {
  base::ForkMutex opening;
  base::ForkMutex mutex;
  std::map<FileId, pid_t> holders;  // a forked child inherits the entries, but not the locks
};

// Never destroyed: storages may be released during static destruction.
LockTable& lock_table() {
  static auto* const the_table = new LockTable;
  return *the_table;
}
// Initialized at load: a child forked during a lazy first call would wait forever for that call to complete.
[[maybe_unused]] const LockTable& locks_initialized_at_load = lock_table();

std::optional<FileId> id_of(int descriptor) noexcept {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return std::nullopt;
  return FileId(status.st_dev, status.st_ino);
}

// Covers the whole file, including bytes that are appended later.
struct flock whole_file(short type) noexcept {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  return range;
}

// Returns 0 or the error number.
int call_fcntl(int descriptor, int command, struct flock& range) noexcept {
  const int result = uninterrupted([&] { return ::fcntl(descriptor, command, &range); });
  if (result == 0) return 0;
  return errno == EACCES || errno == EAGAIN ? EWOULDBLOCK : errno;
}

// Sets or queries a lock of the open file description. Returns EINVAL where the system has no such locks.
int call_of_open_file(int descriptor, [[maybe_unused]] bool only_asks, struct flock& range) noexcept {
#if defined(F_OFD_SETLK)
  return call_fcntl(descriptor, only_asks ? F_OFD_GETLK : F_OFD_SETLK, range);
#else
  static_cast<void>(descriptor);
  static_cast<void>(range);
  return EINVAL;
#endif
}

bool is_holder(const LockTable& locks, const FileId& id) {
  const auto found = locks.holders.find(id);
  return found != locks.holders.end() && found->second == ::getpid();
}

}  // namespace

int try_record_lock(int descriptor) {
  struct flock range = whole_file(F_WRLCK);
  if (const int code = call_of_open_file(descriptor, false, range); code != EINVAL) return code;
  const auto id = id_of(descriptor);
  if (!id) return errno;
  const std::lock_guard lock(lock_table().mutex);
  if (is_holder(lock_table(), *id)) return EWOULDBLOCK;
  lock_table().holders[*id] = 0;  // before the lock is taken, since the insertion may fail
  range = whole_file(F_WRLCK);
  const int code = call_fcntl(descriptor, F_SETLK, range);
  if (code == 0) {
    lock_table().holders[*id] = ::getpid();
  } else {
    lock_table().holders.erase(*id);
  }
  return code;
}

void release_record_lock(int descriptor) noexcept {
  struct flock range = whole_file(F_UNLCK);
  if (call_of_open_file(descriptor, false, range) != EINVAL) return;
  const auto id = id_of(descriptor);
  range = whole_file(F_UNLCK);
  call_fcntl(descriptor, F_SETLK, range);
  try {
    const std::lock_guard lock(lock_table().mutex);
    if (id) lock_table().holders.erase(*id);
  } catch (...) {  // in a forked child the mutex may be unavailable
  }
}

bool has_record_lock(int descriptor) noexcept {
  struct flock range = whole_file(F_WRLCK);
  int code = call_of_open_file(descriptor, true, range);
  if (code == EINVAL) {
    range = whole_file(F_WRLCK);
    code = call_fcntl(descriptor, F_GETLK, range);
  }
  return code == 0 && range.l_type != F_UNLCK;
}

std::unique_lock<base::ForkMutex> wait_for_other_openings(int descriptor) {
  std::unique_lock opening(lock_table().opening, std::defer_lock);
  struct flock range = whole_file(F_WRLCK);
  if (call_of_open_file(descriptor, true, range) == EINVAL) opening.lock();
  return opening;
}

bool is_locked_by_process(int directory, const std::string& name) {
  const std::lock_guard lock(lock_table().mutex);
  if (lock_table().holders.empty()) return false;
  struct stat named {};
  if (::fstatat(directory, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0) return false;
  return is_holder(lock_table(), {named.st_dev, named.st_ino});
}

}  // namespace ckpt::storage
