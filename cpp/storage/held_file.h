// A lock that a file of the file system stands for, and the check that this file still has its name.
#pragma once

#include <unistd.h>

#include <atomic>
#include <string>

#include "storage/descriptor.h"
#include "storage/storage.h"

namespace ckpt::storage {

// A lock's path: its last component lies in an open directory.
struct LockPlace {
  int directory;
  std::string leaf;
  std::string path;     // as it was asked for
  std::string shown;    // for messages
  std::string storage;  // for messages: the root
};

// A forked child has the same lock by its copy of the descriptor. So closing it here is not enough while a child lives, and
// releasing it there would take it from its parent.
class HeldFile final : public Lock {
 public:
  // Called with the file's descriptor, its directory's and its name.
  using Release = void (*)(int file, int directory, const std::string& name) noexcept;

  // file: open, with this name in the place's directory.
  HeldFile(Descriptor file, const LockPlace& place, std::string name);
  ~HeldFile() override;
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

  int file() const noexcept { return file_.get(); }
  // The file is locked now: release runs when this object goes.
  void release_by(Release release) noexcept { release_ = release; }
  // A file is locked, not its name: a program that unlinks the file lets the next writer lock another file of that name.
  void require_held() const override;

 private:
  void look() const;

  Descriptor file_;
  Descriptor directory_;
  std::string name_;
  std::string shown_;
  Release release_ = nullptr;
  mutable std::atomic<bool> is_lost_{false};
  pid_t process_ = ::getpid();
};

}  // namespace ckpt::storage
