// Generated from include/ckpt by tools/api: do not edit.
// base.hpp - the values of base.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_BASE_HPP
#define CKPT_VALUES_BASE_HPP

#include <ckpt/base.h>
#include <ckpt/values/value.hpp>

namespace ckpt {

// The result of every function that can fail: Status::ok or one of Status. Values never change; later versions only append new
// ones.
enum class Status : std::int32_t {
  // the operation succeeded
  ok = CKPT_OK,
  // an argument is missing, of the wrong kind, or has a value that is never valid
  invalid_argument = CKPT_E_INVALID_ARGUMENT,
  // the system has no memory left
  out_of_memory = CKPT_E_OUT_OF_MEMORY,
  // an index or size is outside the range of the object
  out_of_range = CKPT_E_OUT_OF_RANGE,
  // the call is not allowed now: wrong order, already done, or not begun
  invalid_state = CKPT_E_INVALID_STATE,
  // the name, id, file or checkpoint does not exist
  not_found = CKPT_E_NOT_FOUND,
  // the name is taken
  already_exists = CKPT_E_ALREADY_EXISTS,
  // another process, thread or object holds the resource
  busy = CKPT_E_BUSY,
  // the time-out expired
  timeout = CKPT_E_TIMEOUT,
  // stopped on request
  cancelled = CKPT_E_CANCELLED,
  // a callback of the caller failed
  callback = CKPT_E_CALLBACK,
  // the process was forked, and the object's threads exist only in the parent
  forked = CKPT_E_FORKED,
  // a bounded queue is full
  queue_full = CKPT_E_QUEUE_FULL,
  // the queue or object was closed
  closed = CKPT_E_CLOSED,
  // the operating system failed to read, write or sync
  io = CKPT_E_IO,
  // the device or quota is full
  no_space = CKPT_E_NO_SPACE,
  // the operating system denied access
  permission = CKPT_E_PERMISSION,
  // stored bytes differ from the written ones or violate the format
  corrupt = CKPT_E_CORRUPT,
  // valid, but not supported by this object or build
  unsupported = CKPT_E_UNSUPPORTED,
  // does not fit the memory budget or limit
  over_budget = CKPT_E_OVER_BUDGET,
  // a schedule breaks one of its rules
  invalid_schedule = CKPT_E_INVALID_SCHEDULE,
  // a defect of the library: please report it
  internal = CKPT_E_INTERNAL,
};

// The severity of a log message.
enum class LogLevel : std::int32_t {
  // details for the development of the library
  debug = CKPT_LOG_LEVEL_DEBUG,
  // actions and decisions of the library
  info = CKPT_LOG_LEVEL_INFO,
  // something went wrong, and the library continues
  warning = CKPT_LOG_LEVEL_WARNING,
  // something failed
  error = CKPT_LOG_LEVEL_ERROR,
};

}  // namespace ckpt

#endif
