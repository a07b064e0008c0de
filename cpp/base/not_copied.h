// A member that is empty in each copy of its object. For caches that refer to the object itself.
#pragma once

namespace ckpt::base {

template <class T>
struct NotCopied {
  NotCopied() = default;
  NotCopied(const NotCopied& /*other*/) noexcept {}
  NotCopied& operator=(const NotCopied& /*other*/) {
    value = T();
    return *this;
  }
  T value;
};

}  // namespace ckpt::base
