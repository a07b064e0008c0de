// Generated from include/ckpt by tools/api: do not edit.
// async.hpp - the methods of async.h's objects that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_ASYNC_HPP
#define CKPT_METHODS_ASYNC_HPP

#include <ckpt/async.h>
#include <ckpt/base.hpp>
#include <ckpt/values/async.hpp>

#include <cstdint>

namespace ckpt {

template <class Self>
class AsyncManagerMethods {
 public:
  // Asks a task to stop. cancelled (may be nullptr) is 1 when it will end, or has just ended, Status::cancelled because of this
  // call: then nothing of it stays. It is 0 when the task had ended, was cancelled before, or has passed the point after which
  // it cannot be undone (the manifest of a save is being written; the tensors of a load are being filled). A queued task ends,
  // and releases its place, before this returns; a running one at its next 4 MiB. Status::not_found for an id that is unknown or
  // no longer in the history. Not async-signal-safe.
  bool cancel(std::int64_t id) {
    ckpt_bool result = 0;
    check(ckpt_async_manager_cancel(handle(), id, &result));
    return result != 0;
  }
  // Reports that a step has ended: tasks whose gate_step is not after it may begin. Never goes back.
  void end_step(std::int64_t step) {
    check(ckpt_async_manager_end_step(handle(), step));
  }

 private:
  ckpt_async_manager* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

}  // namespace ckpt

#endif
