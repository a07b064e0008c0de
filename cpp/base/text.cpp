#include "base/text.h"

#include <cstdint>

#include "base/error.h"

namespace ckpt::base {

// Well-formed as in Unicode 15, table 3-7: no overlong forms, no surrogates, nothing past U+10FFFF.
bool is_utf8(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<std::uint8_t>(text[i]);
    std::size_t length = 1;
    std::uint8_t low = 0x80;
    std::uint8_t high = 0xBF;
    if (lead < 0x80) {
      ++i;
      continue;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
      length = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
      length = 3;
      if (lead == 0xE0) low = 0xA0;
      if (lead == 0xED) high = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
      length = 4;
      if (lead == 0xF0) low = 0x90;
      if (lead == 0xF4) high = 0x8F;
    } else {
      return false;
    }
    if (i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<std::uint8_t>(text[i + k]);
      if (byte < low || byte > high) return false;
      low = 0x80;
      high = 0xBF;
    }
    i += length;
  }
  return true;
}

bool is_blank(std::string_view text) noexcept { return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos; }

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 80;
  constexpr char hex[] = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += hex[byte >> 4];
      out += hex[byte & 15];
    } else {
      out += c;
    }
  }
  out += text.size() > longest ? "...'" : "'";
  return out;
}

void require_name(std::string_view argument, std::string_view name) {
  require(is_utf8(name), argument, " is not valid UTF-8: ", quoted(name));
  require(!is_blank(name), argument, " is blank: ", quoted(name));
}

}  // namespace ckpt::base
