// Strings and the encodings of S3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/cat.h"

namespace ckpt::s3 {

using plugin::append;
using plugin::cat;

// Formats an external name for a message: in quotes, control characters as \xNN, at most 200 bytes.
std::string in_quotes(std::string_view name);

// Filters a word from a store (an error code, a request number, a region): keeps at most 64 letters, digits, '.', '_', '-'.
std::string sanitized(std::string_view word);

// RFC 3986: encodes all except letters, digits and "-._~" as %XX; keep_slashes keeps '/' as separator.
std::string url_encode(std::string_view text, bool keep_slashes);

// Decodes %XX; returns nothing if a '%' lacks two hexadecimal digits. plus_is_space: as in forms.
std::optional<std::string> url_decode(std::string_view text, bool plus_is_space);

std::string hex(std::span<const unsigned char> bytes);
std::string base64(std::span<const unsigned char> bytes);

// Escapes the text of an element.
std::string xml_escape(std::string_view text);

std::string_view trim(std::string_view text);
std::string lower(std::string_view text);

// Parses a decimal number >= 0; returns nothing for any other string.
std::optional<std::int64_t> number(std::string_view text);

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

// Returns whether path is valid: components separated by single '/', none "." or "..", no control characters, not "".
bool is_path(std::string_view path);

}  // namespace ckpt::s3
