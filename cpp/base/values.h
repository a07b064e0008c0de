// Numbers, and sizes with units, in strings.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace ckpt::base {

// Parses digits, all of them, as a number. argument names it in messages, expected: "expected ...", the end of the message.
template <class Number>
Number number_of(std::string_view argument, std::string_view digits, const char* expected) {
  Number value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  require(error == std::errc() && end == digits.data() + digits.size(), argument, " is ", quote(digits), "; ", expected);
  return value;
}

// Parses "4096", "64KiB". Error(out_of_range) above INT64_MAX.
std::int64_t bytes_of(std::string_view argument, std::string_view text);

// Parses "90", "90s", "30m", "24h", "7d", "2w" as seconds. Error(out_of_range) above INT64_MAX.
std::int64_t seconds_of(std::string_view argument, std::string_view text);

}  // namespace ckpt::base
