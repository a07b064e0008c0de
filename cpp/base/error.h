// The library's only exception type: a status and a one-line message that names the argument and its value.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/text.h"

namespace ckpt::base {

class Error : public std::exception {
 public:
  Error(Status status, std::string message) : status_(status), message_(std::move(message)) {}

  Status status() const noexcept { return status_; }
  const std::string& message() const noexcept { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  Status status_;
  std::string message_;
};

// Throws Error(status) with the concatenation of the pieces (cat()) as its message.
template <class... Pieces>
[[noreturn]] void fail(Status status, const Pieces&... pieces) {
  throw Error(status, cat(pieces...));
}

// Throws Error(invalid_argument) unless condition holds.
template <class... Pieces>
void require(bool condition, const Pieces&... pieces) {
  if (!condition) [[unlikely]]
    fail(Status::invalid_argument, pieces...);
}

// The exception being handled, as the library reports it: an Error with its own status and message, std::bad_alloc and
// std::length_error as OUT_OF_MEMORY, anything else as INTERNAL. Construct it in a catch block; allocates nothing. The message
// lives as long as the exception.
struct CurrentError {
  Status status = Status::internal;
  const char* message = "";
};
CurrentError current_error() noexcept;

// The last error of this thread, returned by ckpt_last_error(). Fixed storage, so it works when memory is exhausted. Always one
// line of well-formed UTF-8: long messages are cut at a character, line breaks become spaces, invalid bytes become question
// marks.
void set_last_error(const char* message) noexcept;
const char* last_error() noexcept;

// The reason that a callback reported before it returned non-zero. take_callback_error returns it ("" if there is none) and
// clears it.
void set_callback_error(const char* text) noexcept;
std::string take_callback_error();

// Throws Error(callback) for a callback that returned code. name: of the callback, as "layer 'fc1' forward".
[[noreturn]] void fail_callback(std::string_view name, std::int32_t code);

}  // namespace ckpt::base
