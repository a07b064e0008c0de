// Writes JSON text piece by piece, without a tree. Trees of JSON libraries allocate memory in their destructors, so a program that
// is out of memory terminates there.
#pragma once

#include <concepts>
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ckpt::base {

// Handling of bytes in a string that are not UTF-8.
enum class NotUtf8 : std::uint8_t { refused, replaced };  // by U+FFFD

// Returns the text in quotation marks. Error(invalid_argument) for bytes that are refused.
std::string json_string(std::string_view text, NotUtf8 bytes = NotUtf8::refused);
// Returns digits that read back to the same bits; "null" unless value is finite.
std::string json_number(double value);

class JsonWriter {
 public:
  // indent: spaces for each level, with one item per line; 0: a single line without spaces.
  explicit JsonWriter(NotUtf8 bytes = NotUtf8::refused, std::size_t indent = 0) : bytes_(bytes), indent_(indent) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_list() { return begin('['); }
  JsonWriter& end_list() { return end(']'); }
  JsonWriter& key(std::string_view name) {
    next_line();
    text_ += json_string(name, bytes_);
    text_ += indent_ > 0 ? ": " : ":";
    is_after_key_ = true;
    return *this;
  }

  // value: a boolean, number, string or nullptr; a list of these; or a pair, written as a list of two.
  template <class Value>
  JsonWriter& value(const Value& value) {
    if constexpr (std::same_as<Value, std::nullptr_t>) {
      return piece("null");
    } else if constexpr (std::same_as<Value, bool>) {
      return piece(value ? "true" : "false");
    } else if constexpr (std::integral<Value>) {
      return piece(std::to_string(value));
    } else if constexpr (std::floating_point<Value>) {
      return piece(json_number(value));
    } else if constexpr (std::convertible_to<Value, std::string_view>) {
      return piece(json_string(value, bytes_));
    } else if constexpr (std::ranges::range<Value>) {
      begin_list();
      for (const auto& item : value) this->value(item);
      return end_list();
    } else {
      return list(value.first, value.second);
    }
  }
  template <class Value>
  JsonWriter& member(std::string_view name, const Value& value) {
    return key(name).value(value);
  }
  // A list of values that may differ in type.
  template <class... Values>
  JsonWriter& list(const Values&... values) {
    begin_list();
    (value(values), ...);
    return end_list();
  }
  // text: one JSON value without white space.
  JsonWriter& piece(std::string_view text) {
    if (!std::exchange(is_after_key_, false)) next_line();
    text_ += text;
    return *this;
  }

  const std::string& text() const& noexcept { return text_; }
  std::string text() && noexcept { return std::move(text_); }

 private:
  JsonWriter& begin(char bracket) {
    piece({&bracket, 1});
    ++depth_;
    is_first_ = true;
    return *this;
  }
  JsonWriter& end(char bracket) {
    --depth_;
    if (!std::exchange(is_first_, false)) break_line();
    text_ += bracket;
    return *this;
  }
  // Writes the separator before a member of an object or an item of a list.
  void next_line() {
    if (depth_ == 0) return;
    if (!std::exchange(is_first_, false)) text_ += ',';
    break_line();
  }
  void break_line() {
    if (indent_ == 0) return;
    text_ += '\n';
    text_.append(depth_ * indent_, ' ');
  }

  const NotUtf8 bytes_;
  const std::size_t indent_;
  std::string text_;
  std::size_t depth_ = 0;
  bool is_first_ = true;
  bool is_after_key_ = false;
};

}  // namespace ckpt::base
