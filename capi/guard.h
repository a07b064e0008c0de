// The one barrier between C++ and C: every extern "C" body runs inside guard, which turns exceptions into a status and a message.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include <ckpt/base.h>

#include "base/error.h"
#include "call.h"
#include "user_call.h"

namespace ckpt::capi {

// Returns the status for the exception being handled, and sets the thread's last error.
ckpt_status status_of_current_exception() noexcept;

template <class Body>
ckpt_status guard(Body&& body) noexcept {
  const Call call;
  try {
    if constexpr (std::is_same_v<decltype(body()), ckpt_status>) {
      return body();
    } else {
      body();
      return CKPT_OK;
    }
  } catch (...) {
    return status_of_current_exception();
  }
}

// Throws Error(invalid_argument) for an out-pointer, or another required pointer, that is NULL.
[[noreturn]] void refuse_null(const char* argument);

template <class T>
T* not_null(T* pointer, const char* argument) {
  if (pointer == nullptr) [[unlikely]]
    refuse_null(argument);
  return pointer;
}

// Returns a required string argument that is a name: UTF-8, not blank.
inline std::string_view name_argument(const char* text, const char* argument) {
  not_null(text, argument);
  base::require_name(argument, text);
  return text;
}

// Returns pointer and count as a span. NULL is allowed when count is 0.
template <class T>
std::span<const T> array_argument(const T* pointer, std::int64_t count, const char* argument) {
  base::require(count >= 0, argument, ": the count is ", count, "; expected at least 0");
  base::require(pointer != nullptr || count == 0, argument, " is NULL but its count is ", count);
  return {pointer, static_cast<std::size_t>(count)};
}

// Implement the (buffer, capacity, *needed) rule for text and bytes: needed (may be NULL) always receives the length, without a
// NUL.
void copy_text(std::string_view text, char* buffer, std::int64_t capacity, std::int64_t* needed);
void copy_bytes(std::span<const std::byte> bytes, void* buffer, std::int64_t capacity, std::int64_t* needed);

// A user_data with its destroy function. destroy runs when the last copy of the shared pointer is destroyed. Until adopt() the
// caller of the C function still owns user_data: a failing call must not destroy it.
class UserData {
 public:
  UserData(void* pointer, ckpt_destroy_fn destroy) : pointer_(pointer), destroy_(destroy) {}
  UserData(const UserData&) = delete;
  UserData& operator=(const UserData&) = delete;
  ~UserData() {
    if (adopted_ && destroy_ != nullptr) user_notice("destroy", [this] { destroy_(pointer_); });
  }
  void* get() const noexcept { return pointer_; }
  void adopt() noexcept { adopted_ = true; }

 private:
  void* pointer_;
  ckpt_destroy_fn destroy_;
  bool adopted_ = false;
};

}  // namespace ckpt::capi
