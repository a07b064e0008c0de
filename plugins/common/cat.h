// Concatenates strings and numbers, independently of the locale.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace ckpt::plugin {

inline void append(std::string& text, std::string_view piece) { text += piece; }
inline void append(std::string& text, char piece) { text += piece; }
template <std::integral Number>
requires(!std::same_as<Number, char> && !std::same_as<Number, bool>) void append(std::string& text, Number number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  text.append(digits, end.ptr);
}

// Returns the concatenation of the pieces.
template <class... Pieces>
std::string cat(const Pieces&... pieces) {
  std::string text;
  (append(text, pieces), ...);
  return text;
}

}  // namespace ckpt::plugin
