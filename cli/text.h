// Formatting and parsing of short strings, such as amounts of bytes.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ckpt::cli {

// Concatenates strings and numbers, which are written in the shortest exact form, whatever the locale.
template <class... Pieces>
std::string cat(const Pieces&... pieces) {
  std::string out;
  const auto append = [&out](const auto& piece) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(piece)>>) {
      char digits[64];
      out.append(digits, std::to_chars(digits, digits + sizeof digits, piece).ptr);
    } else {
      out += piece;
    }
  };
  (append(pieces), ...);
  return out;
}

// Returns the description of an errno.
std::string reason_of(int error_number);

// "1 tensor", "35 tensors"
std::string counted(std::int64_t count, const char* noun);

// "512 B", "9.3 MiB"
std::string bytes_text(std::int64_t bytes);

// Formats nanoseconds since 1970 as "2026-11-26T21:35:59Z" (ISO 8601, UTC). Returns "-" if utc_ns is 0 or less (not known).
std::string utc_text(std::int64_t utc_ns);

// Formats a number with a fixed count of decimals, whatever the locale.
std::string fixed_text(double value, int digits);

// The value of --memory-budget: an amount, or a percentage of the memory for storing everything.
struct Budget {
  std::int64_t bytes = 0;  // 0: not given as an amount
  double percent = 0;      // 0: not given as a percentage
  bool given() const { return bytes > 0 || percent > 0; }
  // everything_bytes: the memory for storing everything.
  std::int64_t bytes_of(std::int64_t everything_bytes) const;
};

// Parses "40%", "1500000", "64KiB", "1.5MiB", "2GB". Throws std::invalid_argument that names the option and lists examples.
Budget parse_budget(const std::string& option, const std::string& text);

// The same without percentages.
std::int64_t parse_bytes(const std::string& option, const std::string& text);

// Natural order of names: "block.2" before "block.10".
bool naturally_before(const std::string& a, const std::string& b);

// Escapes text for an HTML page.
std::string escaped(const std::string& text);

// Escapes control characters of untrusted names, which must not reach the terminal.
std::string printable(const std::string& text);

}  // namespace ckpt::cli
