// Generated from include/ckpt by tools/api: do not edit.
// storage.hpp - the methods of storage.h's objects that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_STORAGE_HPP
#define CKPT_METHODS_STORAGE_HPP

#include <ckpt/storage.h>
#include <ckpt/base.hpp>
#include <ckpt/values/storage.hpp>

#include <cstdint>

namespace ckpt {

template <class Self>
class FaultHandlerMethods {
 public:
  // Returns how often an operation was tried again since the handler was made.
  std::int64_t retry_count() const {
    std::int64_t result = 0;
    check(ckpt_fault_handler_get_retry_count(handle(), &result));
    return result;
  }

 private:
  ckpt_fault_handler* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

}  // namespace ckpt

#endif
