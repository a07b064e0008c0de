// storage.hpp - the C++17 face of storage.h: where files live.
#ifndef CKPT_STORAGE_HPP
#define CKPT_STORAGE_HPP

#include <ckpt/storage.h>
#include <ckpt/base.hpp>

#include <string>
#include <utility>

namespace ckpt {

// A directory of the file system, or memory. Objects made with it keep it alive.
class Storage {
 public:
  // Makes the directory when it is missing.
  static Storage file_system(const std::string& root) { return open(root, 0); }
  // Error with CKPT_E_NOT_FOUND when it is missing.
  static Storage existing_file_system(const std::string& root) { return open(root, 1); }
  static Storage memory() {
    ckpt_storage* storage = nullptr;
    check(ckpt_storage_create_memory(&storage));
    return Storage(storage);
  }

  ckpt_storage* handle() const noexcept { return storage_.get(); }

 private:
  explicit Storage(ckpt_storage* storage) noexcept : storage_(storage) {}
  static Storage open(const std::string& root, int32_t must_exist) {
    ckpt_file_system_options options = CKPT_FILE_SYSTEM_OPTIONS_INIT;
    options.must_exist = must_exist;
    ckpt_storage* storage = nullptr;
    check(ckpt_storage_create_file_system(root.c_str(), &options, &storage));
    return Storage(storage);
  }

  detail::Handle<ckpt_storage, ckpt_storage_release> storage_;
};

}  // namespace ckpt

#endif  // CKPT_STORAGE_HPP
