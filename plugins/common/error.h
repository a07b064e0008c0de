// Errors of a plug-in: a status of libckpt and one line of text. They end at the C boundary (boundary.h).
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

// An argument must be so.
template <class... Pieces>
void require(bool condition, const Pieces&... pieces) {
  if (!condition) fail(CKPT_E_INVALID_ARGUMENT, pieces...);
}

}  // namespace ckpt::plugin
