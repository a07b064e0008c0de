// Status codes of errors. The C API's constants have the same numbers; capi/base.cpp asserts it.
#pragma once

#include <cstdint>

namespace ckpt::base {

enum class Status : std::int32_t {
  ok = 0,
  invalid_argument = -1,
  out_of_memory = -2,
  out_of_range = -3,
  invalid_state = -4,
  not_found = -5,
  already_exists = -6,
  busy = -7,
  timeout = -8,
  cancelled = -9,
  callback = -10,
  forked = -11,
  queue_full = -12,
  closed = -13,
  io = -14,
  no_space = -15,
  permission = -16,
  corrupt = -17,
  unsupported = -18,
  over_budget = -19,
  invalid_schedule = -20,
  internal = -21,
};

// Returns "INVALID_ARGUMENT" and so on; "UNKNOWN" for a number that is not a status.
const char* status_name(Status status) noexcept;

// Returns true if a number from outside the library is an error status.
constexpr bool is_error_status(std::int64_t number) noexcept {
  return number < 0 && number >= static_cast<std::int64_t>(Status::internal);
}

}  // namespace ckpt::base
