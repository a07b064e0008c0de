// Values in texts: numbers, and sizes with units.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace ckpt::base {

// The number that digits are, all of them. argument names it in messages, expected says what it should be.
template <class Number>
Number number_of(std::string_view argument, std::string_view digits, const char* expected) {
  Number value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  require(error == std::errc() && end == digits.data() + digits.size(), argument, " is ", quote(digits), "; ", expected);
  return value;
}

// "4096", "64KiB". Error(out_of_range) past INT64_MAX.
std::int64_t bytes_of(std::string_view argument, std::string_view text);

// "90", "90s", "30m", "24h", "7d", "2w" in seconds. Error(out_of_range) past INT64_MAX.
std::int64_t seconds_of(std::string_view argument, std::string_view text);

}  // namespace ckpt::base
