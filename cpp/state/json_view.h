// A value inside JSON text that json_problem finds nothing wrong with, read where it stands: no tree is built.
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

// Bytes that a scan stops at.
class JsonStops {
 public:
  constexpr explicit JsonStops(std::string_view bytes) {
    for (const char byte : bytes) is_stop_[static_cast<unsigned char>(byte)] = true;
  }
  // There must be one.
  std::size_t next(std::string_view text, std::size_t at) const {
    while (!is_stop_[static_cast<unsigned char>(text[at])]) ++at;
    return at;
  }

 private:
  std::array<bool, 256> is_stop_{};
};

class JsonView {
 public:
  // text begins with the value, or white space before it, and may go on behind it.
  explicit JsonView(std::string_view text) : text_(text.substr(behind_space(text, 0))) {}

  bool is_object() const { return text_.front() == '{'; }
  bool is_array() const { return text_.front() == '['; }
  bool is_string() const { return text_.front() == '"'; }
  bool is_number() const { return text_.front() == '-' || (text_.front() >= '0' && text_.front() <= '9'); }

  // The value's own text.
  std::string_view own() const { return text_.substr(0, behind_value(text_, 0)); }
  base::Json tree() const { return base::json_tree(own()); }

  // Of a string.
  std::string string() const {
    const std::string_view inside = text_.substr(1, behind_value(text_, 0) - 2);
    return inside.find('\\') == std::string_view::npos ? std::string(inside) : tree().string();
  }
  // Nothing unless it is an integer without a sign.
  std::optional<std::uint64_t> count() const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    const bool goes_on = end != text_.data() + text_.size() && (*end == '.' || *end == 'e' || *end == 'E');
    if (error != std::errc() || goes_on) return std::nullopt;
    return value;
  }

  struct Member;
  struct Members;
  // Of an object, in the text's order.
  Members members() const;

  // Calls take(item) for each item of a list. It returns the bytes of the item's text, or 0 when it does not know.
  template <class Take>
  void for_each_item(Take&& take) const {
    for (std::size_t at = behind_space(text_, first); text_[at] != ']';) {
      const std::size_t bytes = take(JsonView(text_.substr(at)));
      at = behind_comma(text_, bytes > 0 ? at + bytes : behind_value(text_, at));
    }
  }

 private:
  static constexpr std::size_t first = 1;  // behind the bracket

  static std::size_t behind_space(std::string_view text, std::size_t at) {
    while (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t') ++at;
    return at;
  }
  static std::size_t behind_comma(std::string_view text, std::size_t at) {
    at = behind_space(text, at);
    return text[at] == ',' ? behind_space(text, at + 1) : at;
  }
  static constexpr JsonStops structure{"\"{}[]"};
  static constexpr JsonStops inside_string{"\"\\"};

  static std::size_t behind_string(std::string_view text, std::size_t at) {
    for (at = inside_string.next(text, at + 1); text[at] != '"';) at = inside_string.next(text, at + 2);
    return at + 1;
  }
  static std::size_t behind_value(std::string_view text, std::size_t at) {
    if (text[at] == '"') return behind_string(text, at);
    if (text[at] != '{' && text[at] != '[') return std::min(text.find_first_of(",]} \n\r\t", at), text.size());
    std::size_t depth = 0;
    do {
      at = structure.next(text, at);
      const char byte = text[at];
      if (byte == '{' || byte == '[') ++depth;
      if (byte == '}' || byte == ']') --depth;
      at = byte == '"' ? behind_string(text, at) : at + 1;
    } while (depth > 0);
    return at;
  }

  std::string_view text_;
};

struct JsonView::Member {
  std::string_view quoted;  // its name
  JsonView value;

  std::string name() const { return JsonView(quoted).string(); }
  bool is(std::string_view wanted) const {
    const std::string_view inside = quoted.substr(1, quoted.size() - 2);
    return inside == wanted || (inside.find('\\') != std::string_view::npos && name() == wanted);
  }
};

struct JsonView::Members {
  std::vector<Member> all;
  std::size_t behind = 0;  // the object's bytes
};

inline JsonView::Members JsonView::members() const {
  Members members;
  members.all.reserve(8);
  std::size_t at = behind_space(text_, first);
  while (text_[at] != '}') {
    const std::size_t behind_name = behind_string(text_, at);
    const std::size_t value = behind_space(text_, behind_space(text_, behind_name) + 1);
    members.all.push_back({text_.substr(at, behind_name - at), JsonView(text_.substr(value))});
    at = behind_comma(text_, behind_value(text_, value));
  }
  members.behind = at + 1;
  return members;
}

}  // namespace ckpt::state
