// A value inside valid JSON text (checked by json_problem), read in place: no tree is built.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"

namespace ckpt::state {

// A set of bytes at which a scan stops.
class JsonStops {
 public:
  constexpr explicit JsonStops(std::string_view bytes) {
    for (const char byte : bytes) is_stop_[static_cast<unsigned char>(byte)] = true;
  }
  // Requires that a stop follows.
  std::size_t next(std::string_view text, std::size_t at) const {
    while (!is_stop_[static_cast<unsigned char>(text[at])]) ++at;
    return at;
  }

 private:
  std::array<bool, 256> is_stop_{};
};

class JsonView {
 public:
  // text starts with the value, or with white space before it, and may continue after it.
  explicit JsonView(std::string_view text) : text_(text.substr(skip_space(text, 0))) {}

  bool is_object() const { return text_.front() == '{'; }
  bool is_array() const { return text_.front() == '['; }
  bool is_string() const { return text_.front() == '"'; }
  bool is_number() const { return text_.front() == '-' || (text_.front() >= '0' && text_.front() <= '9'); }

  // Returns the value's text.
  std::string_view own() const { return text_.substr(0, end_of_value(text_, 0)); }
  base::Json tree() const { return base::json_tree(own()); }

  // For strings.
  std::string string() const {
    const std::string_view inside = text_.substr(1, end_of_value(text_, 0) - 2);
    return inside.find('\\') == std::string_view::npos ? std::string(inside) : tree().string();
  }
  // Returns nothing unless it is an unsigned integer.
  std::optional<std::uint64_t> count() const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    const bool is_fraction = end != text_.data() + text_.size() && (*end == '.' || *end == 'e' || *end == 'E');
    if (error != std::errc() || is_fraction) return std::nullopt;
    return value;
  }

  struct Member;
  struct Members;
  // Returns an object's members in the order of the text.
  Members members() const;

  // Calls take(item) for each item of a list. take returns the length of the item's text, or 0 if unknown.
  template <class Take>
  void for_each_item(Take&& take) const {
    for (std::size_t at = skip_space(text_, first); text_[at] != ']';) {
      const std::size_t bytes = take(JsonView(text_.substr(at)));
      at = skip_comma(text_, bytes > 0 ? at + bytes : end_of_value(text_, at));
    }
  }

 private:
  static constexpr std::size_t first = 1;  // after the opening bracket

  static std::size_t skip_space(std::string_view text, std::size_t at) {
    while (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t') ++at;
    return at;
  }
  static std::size_t skip_comma(std::string_view text, std::size_t at) {
    at = skip_space(text, at);
    return text[at] == ',' ? skip_space(text, at + 1) : at;
  }
  static constexpr JsonStops structure{"\"{}[]"};
  static constexpr JsonStops inside_string{"\"\\"};

  static std::size_t end_of_string(std::string_view text, std::size_t at) {
    for (at = inside_string.next(text, at + 1); text[at] != '"';) at = inside_string.next(text, at + 2);
    return at + 1;
  }
  static std::size_t end_of_value(std::string_view text, std::size_t at) {
    if (text[at] == '"') return end_of_string(text, at);
    if (text[at] != '{' && text[at] != '[') return std::min(text.find_first_of(",]} \n\r\t", at), text.size());
    std::size_t depth = 0;
    do {
      at = structure.next(text, at);
      const char byte = text[at];
      if (byte == '{' || byte == '[') ++depth;
      if (byte == '}' || byte == ']') --depth;
      at = byte == '"' ? end_of_string(text, at) : at + 1;
    } while (depth > 0);
    return at;
  }

  std::string_view text_;
};

struct JsonView::Member {
  std::string_view quoted;  // name with its quotes
  JsonView value;

  std::string name() const { return JsonView(quoted).string(); }
  bool is(std::string_view wanted) const {
    const std::string_view inside = quoted.substr(1, quoted.size() - 2);
    return inside == wanted || (inside.find('\\') != std::string_view::npos && name() == wanted);
  }
};

struct JsonView::Members {
  std::vector<Member> all;
  std::size_t bytes = 0;  // length of the object's text
};

inline JsonView::Members JsonView::members() const {
  Members members;
  members.all.reserve(8);
  std::size_t at = skip_space(text_, first);
  while (text_[at] != '}') {
    const std::size_t name_end = end_of_string(text_, at);
    const std::size_t value = skip_space(text_, skip_space(text_, name_end) + 1);
    members.all.push_back({text_.substr(at, name_end - at), JsonView(text_.substr(value))});
    at = skip_comma(text_, end_of_value(text_, value));
  }
  members.bytes = at + 1;
  return members;
}

}  // namespace ckpt::state
