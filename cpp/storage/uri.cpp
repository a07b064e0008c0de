#include "storage/uri.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/error.h"

namespace ckpt::storage {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_scheme_character(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; }

template <class... Pieces>
[[noreturn]] void refuse(std::string_view uri, const Pieces&... pieces) {
  base::fail(base::Status::invalid_argument, "uri ", base::quote(uri), pieces...);
}

std::optional<unsigned> hexadecimal(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

// Decodes percent escapes.
std::string decoded(std::string_view piece, std::string_view uri) {
  std::string out;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (piece[i] != '%') {
      out += piece[i];
      continue;
    }
    const auto high = i + 1 < piece.size() ? hexadecimal(piece[i + 1]) : std::nullopt;
    const auto low = i + 2 < piece.size() ? hexadecimal(piece[i + 2]) : std::nullopt;
    if (!high || !low) refuse(uri, " contains a '%' without two hexadecimal digits after it; %25 encodes the character itself");
    out += static_cast<char>(static_cast<std::uint8_t>(16 * *high + *low));
    i += 2;
  }
  return out;
}

// ASCII control characters, and U+0080 .. U+009F.
bool holds_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte == 0xC2 && i + 1 < text.size() && static_cast<std::uint8_t>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

// Decodes a component. piece: the encoded text between two slashes.
std::string component(std::string_view piece, std::string_view uri) {
  std::string name = decoded(piece, uri);
  if (name == "." || name == "..") refuse(uri, " contains the component ", base::quote(name));
  if (name.find('/') != std::string::npos) refuse(uri, " contains an encoded slash, which names cannot contain");
  return name;
}

// text: still encoded; "", or beginning with the '/' that ended the authority. A trailing '/' is ignored.
std::string path_of(std::string_view text, std::string_view uri) {
  std::string path;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('/', begin), text.size());
    const bool is_inside = begin > 0 && end < text.size();
    if (is_inside && begin == end) refuse(uri, " contains an empty component: \"//\"");
    if (begin > 0 && (end < text.size() || begin < end)) path += '/';
    path += component(text.substr(begin, end - begin), uri);
    begin = end + 1;
  }
  return path.empty() && !text.empty() ? "/" : path;
}

}  // namespace

std::string scheme_name(std::string_view text) {
  if (text.size() < 2 || !is_letter(text[0]) || !std::all_of(text.begin(), text.end(), is_scheme_character)) return "";
  std::string name(text);
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');  // tolower depends on the locale
  }
  return name;
}

Uri parse_uri(std::string_view text) {
  base::require_name("uri", text);
  Uri uri;
  uri.text = text;
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) uri.scheme = scheme_name(text.substr(0, colon));
  if (uri.scheme.empty()) return uri;
  std::string_view rest = text.substr(colon + 1);
  if (holds_control_character(decoded(rest, text))) refuse(text, " contains a control character");
  const std::size_t query = rest.find_first_of("?#");
  uri.has_query = query != std::string_view::npos;
  if (uri.has_query) uri.query = rest.substr(query + 1);
  rest = rest.substr(0, query);
  uri.has_authority = rest.starts_with("//");
  if (uri.has_authority) {
    rest.remove_prefix(2);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    uri.authority = component(rest.substr(0, end), text);
    rest.remove_prefix(end);
  }
  uri.path = path_of(rest, text);
  return uri;
}

}  // namespace ckpt::storage
