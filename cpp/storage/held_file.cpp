#include "storage/held_file.h"

#include <cerrno>
#include <utility>

#include "base/error.h"
#include "storage/open_at.h"
#include "storage/os_error.h"

namespace ckpt::storage {

HeldFile::HeldFile(Descriptor file, const LockPlace& place, std::string name)
    : file_(std::move(file)),
      directory_(open_at(place.directory, ".", O_PATH | O_DIRECTORY, "enter", place.shown)),
      name_(std::move(name)),
      shown_(place.shown + name_.substr(place.leaf.size())) {}

HeldFile::~HeldFile() {
  if (release_ != nullptr && process_ == ::getpid()) release_(file_.get(), directory_.get(), name_);
}

void HeldFile::require_held() const {
  if (!is_lost_.load(std::memory_order_relaxed)) look();
  if (!is_lost_.load(std::memory_order_relaxed)) return;
  base::fail(
      base::Status::busy, base::quote(shown_), ", which this writer has locked, was removed or replaced by another program, ",
      "so a second writer can have locked a new file of that name: this writer no longer saves or removes anything; open the "
      "storage again to continue");
}

// A lost lock stays lost even if the file gets its name back, since a second writer may have opened in the meantime.
void HeldFile::look() const {
  const struct stat locked = status_of(file_.get(), shown_);
  if (status_of(directory_.get(), shown_).st_nlink == 0) return;  // no process can create a file in a removed directory
  struct stat named {};
  const bool is_there = ::fstatat(directory_.get(), name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0;
  if (!is_there && errno != ENOENT) fail_os(errno, "examine", shown_);
  // The inode number of an open file is not reused, so an equal number proves that this name still links to the same file.
  const bool is_same = is_there && named.st_dev == locked.st_dev && named.st_ino == locked.st_ino;
  if (!is_same || (locked.st_nlink == 0 && named.st_nlink > 0)) is_lost_.store(true, std::memory_order_relaxed);
}

}  // namespace ckpt::storage
