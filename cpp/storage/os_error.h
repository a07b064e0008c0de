// The operating system's error numbers as errors of this library.
#pragma once

#include <string_view>

#include "base/error.h"

namespace ckpt::storage {

base::Status status_of_errno(int code) noexcept;

// Throws "cannot <verb> '<path>': <the system's words>".
[[noreturn]] void fail_os(int code, std::string_view verb, std::string_view path);

}  // namespace ckpt::storage
