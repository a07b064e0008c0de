// Generated from include/ckpt by tools/api: do not edit.
// drive.hpp - the classes and functions that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_DRIVE_HPP
#define CKPT_METHODS_DRIVE_HPP

#include <ckpt/drive.h>
#include <ckpt/base.hpp>
#include <ckpt/values/drive.hpp>

#include <cstdint>

namespace ckpt {

template <class Self>
class DriverMethods : public detail::Object<Self, ckpt_driver, ckpt_driver_release> {
  using Base = detail::Object<Self, ckpt_driver, ckpt_driver_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Sets the number of steps of an open-ended schedule to layer_count (>= 1, and at least the number of steps that were already
  // requested): inside a callback for the current step, else for the next one. The number applies to one step only.
  // Status::invalid_state if the number is known already, or if the step is past its TURN.
  void finalize(std::int64_t layer_count) {
    check(ckpt_driver_finalize(handle(), layer_count));
  }
  // Cancels the step: a running step fails with Status::cancelled at its next action; a step that is paused at TURN has ended
  // when this returns, and its handles were dropped on this thread. Without a step it does nothing. May be called on any thread,
  // also in a callback of the driver. Not async-signal-safe: in a signal handler set a flag that a callback reads.
  void cancel() {
    check(ckpt_driver_cancel(handle()));
  }
};

}  // namespace ckpt

#endif
