#include "text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace ckpt::cli {

std::string fixed_text(double value, int digits) {
  char text[64];
  const auto result = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits);
  return result.ec == std::errc() ? std::string(text, result.ptr) : "?";
}

std::string reason_of(int error_number) { return std::generic_category().message(error_number); }

std::string counted(std::int64_t count, const char* noun) { return cat(count, " ", noun, count == 1 ? "" : "s"); }

std::string bytes_text(std::int64_t bytes) {
  static constexpr std::array<const char*, 5> units = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < units.size()) {
    amount /= 1024;
    ++unit;
  }
  return fixed_text(amount, amount < 100 ? 2 : 1) + " " + units[unit];
}

std::string utc_text(std::int64_t utc_ns) {
  if (utc_ns <= 0) return "-";
  const auto seconds = static_cast<std::time_t>(utc_ns / 1'000'000'000);
  std::tm date{};
  if (::gmtime_r(&seconds, &date) == nullptr) return "-";
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &date);
  return {text, length};
}

namespace {

// Parses an amount or a percentage; returns nothing for any other string.
std::optional<Budget> read_amount(const std::string& text) {
  static constexpr std::array<std::pair<std::string_view, double>, 11> units = {{{"", 1.0},
                                                                                 {"B", 1.0},
                                                                                 {"KB", 1e3},
                                                                                 {"MB", 1e6},
                                                                                 {"GB", 1e9},
                                                                                 {"TB", 1e12},
                                                                                 {"KiB", 1024.0},
                                                                                 {"MiB", 1024.0 * 1024},
                                                                                 {"GiB", 1024.0 * 1024 * 1024},
                                                                                 {"TiB", 1024.0 * 1024 * 1024 * 1024},
                                                                                 {"%", 0.0}}};
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || !std::isfinite(number) || number <= 0) return std::nullopt;
  const std::string_view unit(parsed.ptr, static_cast<std::size_t>(text.data() + text.size() - parsed.ptr));
  for (const auto& [name, factor] : units) {
    if (unit != name) continue;
    if (factor == 0.0) return number > 100 ? std::nullopt : std::optional(Budget{0, number});
    const double bytes = number * factor;
    return bytes < 1 || bytes >= 0x1p62 ? std::nullopt : std::optional(Budget{static_cast<std::int64_t>(bytes), 0});
  }
  return std::nullopt;
}

}  // namespace

Budget parse_budget(const std::string& option, const std::string& text) {
  if (const auto amount = read_amount(text)) return *amount;
  throw std::invalid_argument(option + ": '" + printable(text) +
                              "': expected a memory budget such as 40%, 6000000, 64KiB, 1.5MiB or 2GB");
}

std::int64_t parse_bytes(const std::string& option, const std::string& text) {
  if (const auto amount = read_amount(text); amount && amount->bytes > 0) return amount->bytes;
  throw std::invalid_argument(option + ": '" + printable(text) +
                              "': expected an amount of bytes such as 6000000, 64KiB, 1.5MiB or 2GB");
}

std::int64_t Budget::bytes_of(std::int64_t everything_bytes) const {
  if (bytes > 0) return bytes;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(everything_bytes) * percent / 100));
}

bool naturally_before(const std::string& a, const std::string& b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto number = [&](const std::string& text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const std::size_t begin = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return text.substr(begin, at - begin);
    };
    const std::string left = number(a, i);
    const std::string right = number(b, j);
    if (left.size() != right.size()) return left.size() < right.size();
    if (left != right) return left < right;
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 15];
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace ckpt::cli
