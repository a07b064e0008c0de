// String building, independent of the process's locale.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace ckpt::base {

inline void append_piece(std::string& out, std::string_view piece) { out += piece; }
inline void append_piece(std::string& out, const char* piece) { out += piece == nullptr ? "NULL" : piece; }
inline void append_piece(std::string& out, const std::string& piece) { out += piece; }
inline void append_piece(std::string& out, char piece) { out += piece; }
inline void append_piece(std::string& out, bool piece) { out += piece ? "true" : "false"; }

template <class Number>
requires(std::integral<Number> || std::floating_point<Number>) void append_piece(std::string& out, Number number) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

// cat("ndim is ", 9, "; expected at most ", 8)
template <class... Pieces>
std::string cat(const Pieces&... pieces) {
  std::string out;
  (append_piece(out, pieces), ...);
  return out;
}

// Returns the length in bytes of the first character of text; 0 if text is empty or does not begin with a well-formed one.
// Source: The Unicode Standard 15.0, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
std::size_t utf8_length(std::string_view text) noexcept;

// Returns true if text is well-formed UTF-8.
bool is_utf8(std::string_view text) noexcept;

// Returns true if text is empty or only ASCII white space.
bool is_blank(std::string_view text) noexcept;

// Returns text for a message: in single quotes, control characters and invalid UTF-8 bytes escaped (\x1b), cut to 80 bytes.
std::string quote(std::string_view text);

// Throws Error(invalid_argument) unless name is well-formed UTF-8 that is not blank. argument names it in the message.
void require_name(std::string_view argument, std::string_view name);

}  // namespace ckpt::base
