// A member that a copy of its object does not take over: the copy has an empty one. For caches that borrow from the object itself.
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
