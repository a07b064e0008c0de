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
  // Sets the number of steps of an open-ended schedule to layer_count (>= 1, and at least the steps that were already asked
  // for): within a callback, of the step that runs; else of the next one. Each step has a number of its own.
  // Status::invalid_state when the number is known already, or when the step is behind its TURN.
  void finalize(std::int64_t layer_count) {
    check(ckpt_driver_finalize(handle(), layer_count));
  }
  // Ends the step: one that runs ends with Status::cancelled at its next action, one that is paused at TURN is over when this
  // returns, its handles dropped on this thread. Without a step it does nothing. Any thread, also a callback of the driver. Not
  // async-signal-safe: a signal handler sets a flag instead, which a callback reads.
  void cancel() {
    check(ckpt_driver_cancel(handle()));
  }
};

}  // namespace ckpt

#endif
