#include "base/values.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ckpt::base {

std::int64_t bytes_of(std::string_view argument, std::string_view text) {
  constexpr const char* expected = "expected a whole number of bytes, or one with B, KiB, MiB, GiB, TiB or PiB";
  constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  const std::size_t letters = std::min(text.find_first_not_of("+-0123456789"), text.size());
  std::string_view unit = text.substr(letters);
  unit.remove_prefix(std::min(unit.find_first_not_of(" \t\n\r"), unit.size()));
  const auto* const found = std::find(std::begin(units), std::end(units), unit);
  require(unit.empty() || found != std::end(units), argument, " is ", quote(text), "; ", expected);
  std::int64_t bytes = number_of<std::int64_t>(argument, text.substr(0, letters), expected);
  for (const auto* each = std::begin(units); !unit.empty() && each != found; ++each) {
    if (__builtin_mul_overflow(bytes, 1024, &bytes)) {
      fail(Status::out_of_range, argument, " is ", quote(text), "; more than INT64_MAX bytes");
    }
  }
  return bytes;
}

std::int64_t seconds_of(std::string_view argument, std::string_view text) {
  constexpr const char* expected = "expected a whole number of seconds, or one with s, m, h, d or w";
  constexpr std::pair<std::string_view, std::int64_t> units[] = {{"", 1},     {"s", 1},     {"m", 60},
                                                                 {"h", 3600}, {"d", 86400}, {"w", 604800}};
  const std::size_t letters = std::min(text.find_first_not_of("+-0123456789"), text.size());
  const std::string_view unit = text.substr(letters);
  const auto* const found = std::find_if(std::begin(units), std::end(units), [&](const auto& each) { return each.first == unit; });
  require(found != std::end(units), argument, " is ", quote(text), "; ", expected);
  auto seconds = number_of<std::int64_t>(argument, text.substr(0, letters), expected);
  require(seconds >= 0, argument, " is ", quote(text), "; expected at least 0");
  if (__builtin_mul_overflow(seconds, found->second, &seconds))
    fail(Status::out_of_range, argument, " is ", quote(text), "; more than INT64_MAX seconds");
  return seconds;
}

}  // namespace ckpt::base
