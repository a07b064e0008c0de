// Small texts for people: amounts of bytes, and how they are read.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ckpt::cli {

// A text from texts and numbers, which are written as short as they can be, whatever the locale.
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

// What an errno means.
std::string reason_of(int error_number);

// "512 B", "9.3 MiB"
std::string bytes_text(std::int64_t bytes);

// Formats nanoseconds since 1970 as "2026-11-26T21:35:59Z" (ISO 8601, UTC). Returns "-" if utc_ns is 0 or less (not known).
std::string utc_text(std::int64_t utc_ns);

// A number with a fixed count of digits behind the point, whatever the locale.
std::string fixed_text(double value, int digits);

// What --memory-budget says: an amount, or a share of what storing everything takes.
struct Budget {
  std::int64_t bytes = 0;  // 0: not given as an amount
  double percent = 0;      // 0: not given as a share
  bool given() const { return bytes > 0 || percent > 0; }
  // everything_bytes: what storing everything takes.
  std::int64_t bytes_of(std::int64_t everything_bytes) const;
};

// "40%", "1500000", "64KiB", "1.5MiB", "2GB". Throws std::invalid_argument that begins with option and says what is understood.
Budget parse_budget(const std::string& option, const std::string& text);

// The same without a share.
std::int64_t parse_bytes(const std::string& option, const std::string& text);

// Names as people count: "block.2" before "block.10".
bool naturally_before(const std::string& a, const std::string& b);

// Text within a page.
std::string escaped(const std::string& text);

// Names come from files of strangers: control characters must not reach the terminal.
std::string printable(const std::string& text);

}  // namespace ckpt::cli
