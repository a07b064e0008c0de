// Text, and the encodings that S3 uses.
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

// A name from outside, for a message: in quotes, control characters as \xNN, at most 200 bytes.
std::string in_quotes(std::string_view name);

// Of a word that a store sent (an error code, a request's number, a region) what is harmless: at most 64 letters, digits, '.', '_',
// '-'.
std::string harmless(std::string_view word);

// RFC 3986: all but letters, digits and "-._~" as %XX; '/' stays where it separates.
std::string url_encode(std::string_view text, bool keep_slashes);

// %XX to bytes; nothing when a '%' has not two hexadecimal digits behind it. plus_is_space: as in forms.
std::optional<std::string> url_decode(std::string_view text, bool plus_is_space);

std::string hex(std::span<const unsigned char> bytes);
std::string base64(std::span<const unsigned char> bytes);

// For the text of an element.
std::string xml_escape(std::string_view text);

std::string_view trim(std::string_view text);
std::string lower(std::string_view text);

// A whole decimal number >= 0; nothing for anything else.
std::optional<std::int64_t> number(std::string_view text);

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

// A path of a storage: components between single '/', none "." or "..", no control characters. "" is none.
bool is_path(std::string_view path);

}  // namespace ckpt::s3
