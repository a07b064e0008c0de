#include "base/text.h"

#include <algorithm>
#include <cstdint>

#include "base/error.h"

namespace ckpt::base {

std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (text.empty()) return 0;
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  // Valid range of the second byte; all further ones are 80..BF.
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  std::size_t length = 0;
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
    return 0;
  }
  if (length > text.size() || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool is_blank(std::string_view text) noexcept { return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos; }

std::string quote(std::string_view text) {
  constexpr std::size_t longest = 80;
  constexpr char hex[] = "0123456789abcdef";
  std::string out = "'";
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t length = utf8_length(text.substr(i));
    if (i + std::max<std::size_t>(length, 1) > longest) break;
    const auto byte = static_cast<std::uint8_t>(text[i]);
    const bool control =
        byte < 0x20 || byte == 0x7F || (length == 2 && byte == 0xC2 && static_cast<std::uint8_t>(text[i + 1]) < 0xA0);
    if (length == 0 || control) {
      for (const char c : text.substr(i, std::max<std::size_t>(length, 1))) {
        out += "\\x";
        out += hex[static_cast<std::uint8_t>(c) >> 4];
        out += hex[static_cast<std::uint8_t>(c) & 15];
      }
    } else {
      out += text.substr(i, length);
    }
    i += std::max<std::size_t>(length, 1);
  }
  out += i < text.size() ? "...'" : "'";
  return out;
}

void require_name(std::string_view argument, std::string_view name) {
  require(is_utf8(name), argument, " is not valid UTF-8: ", quote(name));
  require(!is_blank(name), argument, " is blank: ", quote(name));
}

}  // namespace ckpt::base
