// A handle that callbacks borrow: one for all calls, so that lending it does not allocate.
#pragma once

#include <memory>
#include <utility>

#include "handle.h"

namespace ckpt::capi {

// Not synchronized: one call at a time uses it. Any change of the handle's reference count by a callback is safe: if the callback
// retained the handle, it owns it from then on, and the next call uses another one; if it released it too often, the count is
// restored. A handle that the callback kept without retaining it is refused like a released one, during the lifetime of this
// object.
template <class T>
class BorrowedHandle {
 public:
  BorrowedHandle() = default;
  BorrowedHandle(const BorrowedHandle&) = delete;
  BorrowedHandle& operator=(const BorrowedHandle&) = delete;

  // Returns the handle for a call that begins; nullptr for none.
  template <class Object>
  T* lend(std::shared_ptr<Object> object) {
    if (object == nullptr) return nullptr;
    if (handle_ == nullptr) {
      handle_ = std::make_unique<T>();
      handle_->references.store(ours, std::memory_order_relaxed);
    }
    handle_->tag = T::handle_kind;
    handle_->object = std::move(object);
    return handle_.get();
  }

  void reclaim() noexcept {
    if (handle_ == nullptr) return;
    if (handle_->references.load(std::memory_order_acquire) > ours) {
      T* const theirs = handle_.release();
      if (theirs->references.fetch_sub(ours, std::memory_order_acq_rel) == ours) delete theirs;
      return;
    }
    handle_->references.store(ours, std::memory_order_relaxed);
    handle_->tag = Kind::none;
    handle_->object.reset();
  }

 private:
  // More references than any callback releases.
  static constexpr std::int32_t ours = 1 << 30;

  std::unique_ptr<T> handle_;
};

}  // namespace ckpt::capi
