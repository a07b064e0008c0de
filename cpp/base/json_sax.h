// A strict JSON parser (RFC 8259) that passes events to a handler and stores nothing itself: manifests and headers of 100,000
// tensors have tens of megabytes. Uses no recursion.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ckpt::base {

// The handler's functions return false to stop. Names and strings belong to the parser and are valid until the function returns.
//
//   bool null(); bool boolean(bool); bool string(std::string&); bool key(std::string&);
//   bool number_integer(std::int64_t); bool number_unsigned(std::uint64_t);   negative (and -0), and non-negative
//   bool number_float(const std::string& digits);                             with a fraction or exponent, or more than 64 bits
//   bool start_object(); bool end_object(); bool start_array(); bool end_array();
//   bool syntax_error(std::size_t position);
template <class Handler>
class JsonReader {
 public:
  JsonReader(std::string_view text, Handler& handler) : text_(text), handler_(handler) {}

  // Returns true if the whole text is one JSON value and the handler did not stop.
  bool run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    for (;;) {
      if (!value()) return false;
      // After a value: handle what it closes, or what follows it.
      for (;;) {
        const char next = token();
        if (open_.empty()) return at_ == text_.size() || error();
        ++at_;
        if (next == ',') break;
        if (next != (open_.back() == '{' ? '}' : ']')) return error();
        if (!close()) return false;
      }
      if (open_.back() == '{' && !member()) return false;
    }
  }

 private:
  bool error() {
    handler_.syntax_error(at_);
    return false;
  }

  // Returns the next byte that is not white space, '\0' at the end.
  char token() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  // Parses one value, or every nested opening up to the first value that opens nothing.
  bool value() {
    for (;;) {
      switch (token()) {
        case '{':
          ++at_;
          open_.push_back('{');
          if (!handler_.start_object()) return false;
          if (token() == '}') return ++at_, close();
          if (!member()) return false;
          break;
        case '[':
          ++at_;
          open_.push_back('[');
          if (!handler_.start_array()) return false;
          if (token() == ']') return ++at_, close();
          break;
        case '"': return read_string() && handler_.string(string_);
        case 't': return word("true") && handler_.boolean(true);
        case 'f': return word("false") && handler_.boolean(false);
        case 'n': return word("null") && handler_.null();
        default: return number();
      }
    }
  }

  bool close() {
    const bool is_object = open_.back() == '{';
    open_.pop_back();
    return is_object ? handler_.end_object() : handler_.end_array();
  }

  bool member() {
    if (token() != '"') return error();
    if (!read_string() || !handler_.key(string_)) return false;
    if (token() != ':') return error();
    ++at_;
    return true;
  }

  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return error();
    at_ += expected.size();
    return true;
  }

  bool is_digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }
  bool digits() {
    if (!is_digit()) return error();
    while (is_digit()) ++at_;
    return true;
  }

  bool number() {
    const std::size_t begin = at_;
    const bool is_negative = at_ < text_.size() && text_[at_] == '-';
    if (is_negative) ++at_;
    if (at_ < text_.size() && text_[at_] == '0') {
      ++at_;
    } else if (!digits()) {
      return false;
    }
    bool is_whole = true;
    if (at_ < text_.size() && text_[at_] == '.') {
      is_whole = false;
      ++at_;
      if (!digits()) return false;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      is_whole = false;
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      if (!digits()) return false;
    }
    const char* const first = text_.data() + begin;
    const char* const last = text_.data() + at_;
    if (std::int64_t integer = 0; is_whole && is_negative && std::from_chars(first, last, integer).ec == std::errc())
      return handler_.number_integer(integer);
    if (std::uint64_t count = 0; is_whole && !is_negative && std::from_chars(first, last, count).ec == std::errc())
      return handler_.number_unsigned(count);
    string_.assign(first, last);
    return handler_.number_float(string_);
  }

  // ASCII that needs no escape.
  static constexpr std::array<bool, 256> is_plain = [] {
    std::array<bool, 256> plain{};
    for (std::size_t byte = 0x20; byte < 0x80; ++byte) plain[byte] = byte != '"' && byte != '\\';
    return plain;
  }();

  bool read_string() {
    ++at_;
    string_.clear();
    for (;;) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_plain[static_cast<unsigned char>(text_[at_])]) ++at_;
      string_.append(text_, begin, at_ - begin);
      if (at_ == text_.size()) return error();
      if (text_[at_] == '"') return ++at_, true;
      if (text_[at_] == '\\' ? !escape() : !character()) return error();
    }
  }

  // Parses one character of several bytes: UTF-8 without surrogates and overlong forms (Unicode 15.0, table 3-7).
  bool character() {
    const auto byte = [&](std::size_t number) {
      return at_ + number < text_.size() ? static_cast<unsigned char>(text_[at_ + number]) : 0U;
    };
    const unsigned lead = byte(0);
    const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                               : lead >= 0xE0 && lead <= 0xEF ? 3
                               : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                              : 0;
    if (length == 0) return false;
    const unsigned min = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned max = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(1) < min || byte(1) > max) return false;
    for (std::size_t i = 2; i < length; ++i) {
      if (byte(i) < 0x80 || byte(i) > 0xBF) return false;
    }
    string_.append(text_, at_, length);
    at_ += length;
    return true;
  }

  bool escape() {
    static constexpr std::string_view letters = "\"\\/bfnrt";
    static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (++at_ == text_.size()) return false;
    const char letter = text_[at_++];
    if (const std::size_t known = letters.find(letter); known != std::string_view::npos) {
      string_ += meanings[known];
      return true;
    }
    std::uint32_t point = 0;
    if (letter != 'u' || !hex(point)) return false;
    if (point >= 0xDC00 && point <= 0xDFFF) return false;
    if (point >= 0xD800 && point <= 0xDBFF) {
      std::uint32_t second = 0;
      if (text_.substr(at_, 2) != "\\u") return false;
      at_ += 2;
      if (!hex(second) || second < 0xDC00 || second > 0xDFFF) return false;
      point = 0x10000 + ((point - 0xD800) << 10) + (second - 0xDC00);
    }
    append_utf8(point);
    return true;
  }
  bool hex(std::uint32_t& value) {
    const std::string_view four = text_.substr(at_, 4);
    const auto [end, problem] = std::from_chars(four.data(), four.data() + four.size(), value, 16);
    if (four.size() < 4 || problem != std::errc() || end != four.data() + 4) return false;
    at_ += 4;
    return true;
  }
  void append_utf8(std::uint32_t point) {
    const auto add = [&](std::uint32_t byte) { string_ += static_cast<char>(byte); };
    if (point < 0x80) return add(point);
    if (point < 0x800) {
      add(0xC0 | point >> 6);
    } else {
      if (point < 0x10000) {
        add(0xE0 | point >> 12);
      } else {
        add(0xF0 | point >> 18);
        add(0x80 | (point >> 12 & 63));
      }
      add(0x80 | (point >> 6 & 63));
    }
    add(0x80 | (point & 63));
  }

  std::string_view text_;
  Handler& handler_;
  std::size_t at_ = 0;
  std::vector<char> open_;  // '{' or '[' of each list and object around at_, outermost first
  std::string string_;
};

// The keys of one object. Most objects have few keys, which are compared linearly; their strings are reused for the next object.
class JsonKeys {
 public:
  void clear() {
    count_ = 0;
    many_.clear();
  }
  // Returns false if the object already has the name.
  bool add(const std::string& name) {
    if (count_ == max_few) return std::find(few_.begin(), few_.end(), name) == few_.end() && many_.insert(name).second;
    const auto end = few_.begin() + static_cast<std::ptrdiff_t>(count_);
    if (std::find(few_.begin(), end, name) != end) return false;
    if (few_.size() == count_) few_.emplace_back();
    few_[count_++] = name;
    return true;
  }

 private:
  static constexpr std::size_t max_few = 12;
  std::vector<std::string> few_;
  std::size_t count_ = 0;
  std::unordered_set<std::string> many_;
};

template <class Handler>
bool read_json(std::string_view text, Handler& handler) {
  return JsonReader<Handler>(text, handler).run();
}

}  // namespace ckpt::base
