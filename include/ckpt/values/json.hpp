// json.hpp - single values as JSON, for State::set and State::get: numbers independent of the locale, strings with escapes.
#ifndef CKPT_VALUES_JSON_HPP
#define CKPT_VALUES_JSON_HPP

#include <ckpt/base.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace ckpt::detail {

inline std::string json_text(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += digits[static_cast<unsigned char>(c) >> 4];
      out += digits[static_cast<unsigned char>(c) & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

// The number is restored to the same bits.
template <class Number>
std::string json_number(Number value) {
  static_assert(!std::is_same_v<Number, long double>, "JSON's readers have numbers of 64 bits");
  char buffer[64];
  if constexpr (std::is_same_v<Number, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) throw Error(Status::invalid_argument, "value is not finite: JSON has no such number");
    std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, static_cast<double>(value)).ptr);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";  // keeps the type of a floating-point number
    return text;
  } else {
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  }
}

[[noreturn]] inline void json_mismatch(const std::string& key, const std::string& json, const char* wanted) {
  throw Error(Status::invalid_argument, "value of key \"" + key + "\" is " + json.substr(0, 64) + "; expected " + wanted);
}

inline void append_utf8(std::string& out, std::uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | (point >> 6));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | (point >> 12));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (point >> 18));
    out += static_cast<char>(0x80 | ((point >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  }
}

// json: a string that the library wrote, so its escapes are valid.
inline std::string json_string(const std::string& json) {
  std::string out;
  const auto unit = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::from_chars(json.data() + at, json.data() + at + 4, value, 16);
    return value;
  };
  for (std::size_t i = 1; i + 1 < json.size(); ++i) {
    if (json[i] != '\\') {
      out += json[i];
      continue;
    }
    switch (json[++i]) {
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'u': {
        std::uint32_t point = unit(i + 1);
        i += 4;
        if (point >= 0xD800 && point < 0xDC00 && i + 6 < json.size() && json[i + 1] == '\\' && json[i + 2] == 'u') {
          point = 0x10000 + ((point - 0xD800) << 10) + (unit(i + 3) - 0xDC00);
          i += 6;
        }
        append_utf8(out, point);
        break;
      }
      default: out += json[i];
    }
  }
  return out;
}

template <class T>
T json_value(const std::string& key, const std::string& json) {
  if constexpr (std::is_same_v<T, bool>) {
    if (json != "true" && json != "false") json_mismatch(key, json, "a truth value");
    return json == "true";
  } else if constexpr (std::is_arithmetic_v<T>) {
    T value{};
    const auto [end, problem] = std::from_chars(json.data(), json.data() + json.size(), value);
    if (problem != std::errc() || end != json.data() + json.size()) {
      json_mismatch(key, json, std::is_integral_v<T> ? "a whole number of this type" : "a number");
    }
    return value;
  } else {
    static_assert(std::is_same_v<T, std::string>, "numbers, truth values and strings");
    if (json.size() < 2 || json.front() != '"') json_mismatch(key, json, "a string");
    return json_string(json);
  }
}

}  // namespace ckpt::detail

#endif  // CKPT_VALUES_JSON_HPP
