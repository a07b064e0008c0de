// A handle that callbacks borrow: one for all calls, so that lending it allocates nothing.
#pragma once

#include <memory>
#include <utility>

#include "handle.h"

namespace ckpt::capi {

// Not synchronised: one call at a time has it. Whatever a callback does to the handle's count is safe: one that it retained is its
// own from then on, and the next call gets another; one that it released too often is whole again. One that it kept without
// retaining it is refused, as a released one is, while this lives.
template <class T>
class Lent {
 public:
  Lent() = default;
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  // For the call that begins; nullptr for none.
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

  void take_back() noexcept {
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
  // More than any callback releases.
  static constexpr std::int32_t ours = 1 << 30;

  std::unique_ptr<T> handle_;
};

}  // namespace ckpt::capi
