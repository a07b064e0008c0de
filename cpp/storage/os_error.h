// Converts the operating system's error numbers to errors of this library.
#pragma once

#include <string_view>

#include "base/error.h"

namespace ckpt::storage {

base::Status status_of_errno(int code) noexcept;

// Throws "cannot <verb> '<path>': <the system's message>".
[[noreturn]] void fail_os(int code, std::string_view verb, std::string_view path);

}  // namespace ckpt::storage
