// The one exception type of the library: a status and one line that names the argument and its value.
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

// Throws Error(status) whose message is the pieces put together by cat().
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

// The exception that is being handled, as the library reports it: what an Error says, no memory as OUT_OF_MEMORY, anything else as
// INTERNAL. To be called in a catch block; asks for no memory. The text lives as long as the exception does.
struct CurrentError {
  Status status = Status::internal;
  const char* message = "";
};
CurrentError current_error() noexcept;

// The last error of this thread, as ckpt_last_error() shows it. Fixed storage: works when memory is exhausted. Always well-formed
// UTF-8 in one line: long text is cut at a character, line breaks become spaces, bytes that are no UTF-8 become question marks.
void set_last_error(const char* message) noexcept;
const char* last_error() noexcept;

// The reason that a callback left before it returned non-zero. take_ returns it ("" when there is none) and clears it.
void set_callback_error(const char* text) noexcept;
std::string take_callback_error();

// Throws Error(callback) for a callback that returned code; who names the callback, for example "layer 'fc1' forward".
[[noreturn]] void fail_callback(std::string_view who, std::int32_t code);

}  // namespace ckpt::base
