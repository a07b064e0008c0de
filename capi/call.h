// Which handles the calls of this thread were given. One that is released inside a callback of such a call goes when the call ends,
// so that releasing is allowed anywhere and no function has to think of it.
#pragma once

namespace ckpt::capi {

// One call of a function of the API, on the stack of its guard.
class Call {
 public:
  Call() noexcept : outer_(innermost) { innermost = this; }
  ~Call() {
    innermost = outer_;
    for (int i = 0; i < count_; ++i) {
      if (used_[i].destroy != nullptr) [[unlikely]]
        used_[i].destroy(used_[i].handle);
    }
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // The innermost call was given this handle. Of very many, as in a list, only the first are looked after.
  static void uses(void* handle) noexcept {
    Call* call = innermost;
    if (call != nullptr && call->count_ < most) call->used_[call->count_++] = {handle, nullptr};
  }

  // True when a call uses the handle, whose last reference has gone: destroy(handle) runs when that call ends, the outermost of
  // several.
  static bool destroys_later(void* handle, void (*destroy)(void* handle)) noexcept {
    Used* outermost = nullptr;
    for (Call* call = innermost; call != nullptr; call = call->outer_) {
      for (int i = 0; i < call->count_; ++i) {
        if (call->used_[i].handle == handle) outermost = &call->used_[i];
      }
    }
    if (outermost != nullptr) outermost->destroy = destroy;
    return outermost != nullptr;
  }

 private:
  static constexpr int most = 8;
  struct Used {
    void* handle;
    void (*destroy)(void* handle);
  };

  // Eight bytes of the static thread-local space, for which a library loaded with dlopen finds room: hot calls pay a nanosecond.
  [[gnu::tls_model("initial-exec")]] constinit static inline thread_local Call* innermost = nullptr;

  Call* outer_;
  int count_ = 0;
  Used used_[most];  // the first count_ of them
};

}  // namespace ckpt::capi
