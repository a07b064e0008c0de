// A lock represented by a file, and the check that this file still has its name.
#pragma once

#include <unistd.h>

#include <atomic>
#include <string>

#include "storage/descriptor.h"
#include "storage/storage.h"

namespace ckpt::storage {

// The path of a lock: an open directory and the last component.
struct LockPlace {
  int directory;
  std::string leaf;
  std::string path;     // as given by the caller
  std::string shown;    // for messages
  std::string storage;  // for messages: the root
};

// A forked child shares the lock through its copy of the descriptor. Closing the descriptor therefore does not release the lock
// while a child lives, and the child must not release it, because its parent would lose it.
class HeldFile final : public Lock {
 public:
  // Called with the descriptors of the file and of its directory, and the file's name.
  using Release = void (*)(int file, int directory, const std::string& name) noexcept;

  // file: an open descriptor of the file with this name in place's directory.
  HeldFile(Descriptor file, const LockPlace& place, std::string name);
  ~HeldFile() override;
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

  int file() const noexcept { return file_.get(); }
  // Called after the file has been locked: the destructor then calls release.
  void release_by(Release release) noexcept { release_ = release; }
  // The lock belongs to the file, not to its name: if a program unlinks the file, the next writer can lock a new file of that
  // name.
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
