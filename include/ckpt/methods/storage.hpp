// Generated from include/ckpt by tools/api: do not edit.
// storage.hpp - the classes and functions that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_STORAGE_HPP
#define CKPT_METHODS_STORAGE_HPP

#include <ckpt/storage.h>
#include <ckpt/base.hpp>
#include <ckpt/values/storage.hpp>

#include <cstdint>
#include <string>

namespace ckpt {

template <class Self>
class StorageMethods : public detail::Object<Self, ckpt_storage, ckpt_storage_release> {
  using Base = detail::Object<Self, ckpt_storage, ckpt_storage_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Creates a storage in a directory of the file system. root: UTF-8 path, absolute or relative to the process's current
  // directory; copied. The storage keeps the directory open, so it stays the same directory when the path is renamed or the
  // process changes directory. Links in the path of the root are followed, links below it never. After the directory is removed,
  // calls that need it fail with Status::invalid_state, even if a new directory has that name. options: {} for the defaults.
  // Status::invalid_argument when root is a file; Status::permission, Status::no_space and Status::io from the system.
  static Self file_system(const std::string& root, const FileSystemOptions& options = {}) {
    const ckpt_file_system_options given_options = detail::to_c(options);
    ckpt_storage* result = nullptr;
    check(ckpt_storage_create_file_system(root.c_str(), &given_options, &result));
    return Self::adopt(result);
  }
  // Creates an empty storage in memory: for tests, and for state that need not outlive the process.
  static Self memory() {
    ckpt_storage* result = nullptr;
    check(ckpt_storage_create_memory(&result));
    return Self::adopt(result);
  }
  // Creates a storage from a URI. The scheme (at least two letters, digits, '+', '-' and '.', a letter first; case-insensitive)
  // selects the kind: - "file:PATH" or "file:///PATH": Storage::file_system; - "memory:": a new storage; "memory:NAME": the
  // storage of that name, shared within this process, which exists as long as one handle does; - a scheme registered by
  // Storage::register_scheme, for example by a plug-in (s3: libckpt-s3). A string without a scheme is a path of the file system:
  // "./ab:c" for a path with a ':' in its first component. "%" and two hexadecimal digits encode a byte; a '/' at the end is
  // ignored. Status::invalid_argument for components "." and "..", empty components ("//"), control characters and encoded
  // slashes, encoded or not; the path of a string without a scheme is used unchanged. The scheme interprets the part after a '?'
  // or '#'; file and memory refuse it. Status::unsupported for an unknown scheme: the message names the known ones, and the
  // package of a missing one. Status::invalid_state for a URI that creates itself recursively.
  static Self from_uri(const std::string& uri) {
    ckpt_storage* result = nullptr;
    check(ckpt_storage_create_from_uri(uri.c_str(), &result));
    return Self::adopt(result);
  }
};

template <class Self>
class FaultHandlerMethods : public detail::Object<Self, ckpt_fault_handler, ckpt_fault_handler_release> {
  using Base = detail::Object<Self, ckpt_fault_handler, ckpt_fault_handler_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Returns the number of retries since the handler was created.
  std::int64_t retry_count() const {
    std::int64_t result = 0;
    check(ckpt_fault_handler_get_retry_count(handle(), &result));
    return result;
  }
};

}  // namespace ckpt

#endif
