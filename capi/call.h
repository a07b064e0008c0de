// Records the handles that are arguments of the calls of this thread. A handle that is released inside a callback of such a call is
// destroyed when the call ends, so that handles may be released anywhere and no function needs code for this case.
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

  // Records a handle as an argument of the innermost call. If there are more than `max`, as in a list, only the first are
  // recorded.
  static void uses(void* handle) noexcept {
    Call* call = innermost;
    if (call != nullptr && call->count_ < max) call->used_[call->count_++] = {handle, nullptr};
  }

  // Defers the destruction of a handle without references if a call uses it: destroy(handle) runs when that call ends, the
  // outermost of several. Returns whether a call uses it.
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
  static constexpr int max = 8;
  struct Used {
    void* handle;
    void (*destroy)(void* handle);
  };

  // Uses eight bytes of the static thread-local space, which has a reserve for libraries loaded with dlopen: frequent calls need
  // one nanosecond.
  [[gnu::tls_model("initial-exec")]] constinit static inline thread_local Call* innermost = nullptr;

  Call* outer_;
  int count_ = 0;
  Used used_[max];  // the first count_ of them
};

}  // namespace ckpt::capi
