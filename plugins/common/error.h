// Errors of a plug-in: a libckpt status and one line of text. They are converted at the C boundary (boundary.h).
#pragma once

#include <exception>
#include <string>
#include <utility>

#include <ckpt/base.h>

#include "common/cat.h"

namespace ckpt::plugin {

class Error : public std::exception {
 public:
  Error(ckpt_status status, std::string message) : status_(status), message_(std::move(message)) {}
  ckpt_status status() const noexcept { return status_; }
  const std::string& message() const noexcept { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ckpt_status status_;
  std::string message_;
};

template <class... Pieces>
[[noreturn]] void fail(ckpt_status status, const Pieces&... pieces) {
  throw Error(status, cat(pieces...));
}

// Fails with INVALID_ARGUMENT unless condition is true.
template <class... Pieces>
void require(bool condition, const Pieces&... pieces) {
  if (!condition) fail(CKPT_E_INVALID_ARGUMENT, pieces...);
}

}  // namespace ckpt::plugin
