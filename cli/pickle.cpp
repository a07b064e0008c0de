#include "pickle.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "text.h"

namespace ckpt::cli {
namespace {

using Index = PickleValue::Index;
using Kind = PickleValue::Kind;
using Parts = PickleValue::Parts;

constexpr std::size_t max_opcodes = std::size_t{1} << 24;  // more than a model of 500,000 tensors needs
constexpr int newest_protocol = 5;
constexpr std::size_t longest_shown = 200;  // characters of a name in a message

constexpr std::array<std::string_view, 5> plain_globals = {"collections.OrderedDict", "_codecs.encode", "builtins.bytes",
                                                           "builtins.bytearray", "builtins.complex"};

// ---- Strings and numbers ----

// Returns the length in bytes of the first character of text, and whether it is a surrogate; length 0 if it is not a valid
// character. Source: The Unicode Standard 15.0, table 3-7, with the surrogates that Python's pickles add.
std::pair<std::size_t, bool> first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, false};
  const std::size_t length = lead >= 0xF0 && lead <= 0xF4  ? 4
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                                                           : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {0, false};
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool beyond = lead == 0xF4 && byte(1) > 0x8F;
  return {overlong || beyond ? 0 : length, lead == 0xED && byte(1) > 0x9F};
}

// Returns nothing if text is not UTF-8.
std::optional<Kind> kind_of_text(std::string_view text) {
  Kind kind = Kind::text;
  while (!text.empty()) {
    const auto [length, surrogate] = first_character(text);
    if (length == 0) return std::nullopt;
    if (surrogate) kind = Kind::surrogates;
    text.remove_prefix(length);
  }
  return kind;
}

// Returns the bytes with the values of the code points; nothing if one exceeds 255.
std::optional<std::string> latin1(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      bytes += text[i];
    } else if (lead == 0xC2 || lead == 0xC3) {
      bytes += static_cast<char>((lead & 3U) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3FU));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

// Two's complement, little-endian.
PickleValue whole_number(std::string_view bytes) {
  const auto sign_of = [](char byte) { return (static_cast<unsigned char>(byte) & 0x80U) != 0; };
  const bool negative = !bytes.empty() && sign_of(bytes.back());
  while (bytes.size() > 8 && bytes.back() == (negative ? '\xff' : '\0') && sign_of(bytes[bytes.size() - 2]) == negative)
    bytes.remove_suffix(1);
  if (bytes.size() <= 8) {
    std::uint64_t bits = negative ? ~std::uint64_t{0} : 0;
    for (std::size_t i = bytes.size(); i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
    return {Kind::integer, 0, static_cast<std::int64_t>(bits)};
  }
  std::string digits;
  unsigned carry = 1;
  for (const char byte : bytes) {
    unsigned amount = static_cast<unsigned char>(byte);
    if (negative) {
      amount = (~amount & 0xFFU) + carry;
      carry = amount >> 8;
    }
    digits += "0123456789abcdef"[amount & 15U];
    digits += "0123456789abcdef"[amount >> 4 & 15U];
  }
  digits.erase(digits.find_last_not_of('0') + 1);
  std::reverse(digits.begin(), digits.end());
  return {Kind::big_integer, 0, (negative ? "-0x" : "0x") + digits};
}

// ---- The machine ----

class Machine {
 public:
  Machine(std::string_view bytes, bool (*known)(std::string_view)) : bytes_(bytes), known_(known) {}

  Pickle run() {
    if (bytes_.size() > std::numeric_limits<std::uint32_t>::max()) throw std::runtime_error("the pickle is larger than 4 GiB");
    for (std::size_t count = 0;; ++count) {
      opcode_at_ = next_;
      if (count == max_opcodes) refuse("the pickle has more than ", max_opcodes, " opcodes");
      const auto opcode = static_cast<unsigned char>(take(1).front());
      if (opcode == '.') break;
      step(opcode);
    }
    pickle_.root = pop();
    if (!stack_.empty() || !marks_.empty()) refuse("the pickle ends with values left on the stack");
    if (next_ != bytes_.size()) refuse("the pickle has bytes after its end");
    return std::move(pickle_);
  }

 private:
  template <class... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw std::runtime_error(cat("at byte ", opcode_at_, ": ", pieces...));
  }

  [[noreturn]] void refuse_global(const std::string& name) const {
    refuse("the global ", printable(name.substr(0, longest_shown)), ": expected a tensor or a plain container; no code was run");
  }

  void step(unsigned char opcode) {
    switch (opcode) {
      case 0x80: return protocol(number(1));
      case 0x95: return frame(number(8));
      case '(': return marks_.push_back(stack_.size());
      case '0': return static_cast<void>(pop());
      case '1': return static_cast<void>(pop_to_mark());
      case 'N': return push({Kind::none, 0, {}});
      case 0x88: return push({Kind::boolean, 0, true});
      case 0x89: return push({Kind::boolean, 0, false});
      case 'K': return push({Kind::integer, 0, static_cast<std::int64_t>(number(1))});
      case 'M': return push({Kind::integer, 0, static_cast<std::int64_t>(number(2))});
      case 'J': return push(whole_number(take(4)));
      case 0x8a: return push(whole_number(take(number(1))));
      case 0x8b: return push(whole_number(take(number(4))));
      case 'G': return push({Kind::real, 0, real()});
      case 0x8c: return push_text(take(number(1)));
      case 'X': return push_text(take(number(4)));
      case 0x8d: return push_text(take(number(8)));
      case 'C': return push({Kind::bytes, 0, std::string(take(number(1)))});
      case 'B': return push({Kind::bytes, 0, std::string(take(number(4)))});
      case 0x8e: return push({Kind::bytes, 0, std::string(take(number(8)))});
      case 0x96: return push({Kind::bytearray, 0, std::string(take(number(8)))});
      case ']': return push({Kind::list, 0, Parts()});
      case 'a': return append(pop_some(1));
      case 'e': return append(pop_to_mark());
      case ')': return push({Kind::tuple, 0, Parts()});
      case 't': return push({Kind::tuple, 0, pop_to_mark()});
      case 0x85: return push({Kind::tuple, 0, pop_some(1)});
      case 0x86: return push({Kind::tuple, 0, pop_some(2)});
      case 0x87: return push({Kind::tuple, 0, pop_some(3)});
      case '}': return push({Kind::dict, 0, Parts()});
      case 's': return set_items(pop_some(2));
      case 'u': return set_items(pop_to_mark());
      case 'q': return put(number(1));
      case 'r': return put(number(4));
      case 0x94: return put(memo_.size());
      case 'h': return get(number(1));
      case 'j': return get(number(4));
      case 'c': return push_global();
      case 0x93: return push_stack_global();
      case 'Q': return push({Kind::persistent, 0, pop_some(1)});
      case 'R': return call();
      case 'b': return build();
      case 0x8f:
      case 0x91: refuse("a set: expected lists, tuples and dicts");
      default: refuse("opcode ", static_cast<int>(opcode), " is not supported: plain values and tensors do not need it");
    }
  }

  // ---- Bytes ----

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - next_) refuse("the pickle is truncated");
    const std::string_view taken = bytes_.substr(next_, count);
    next_ += count;
    return taken;
  }

  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    const std::string_view digits = take(bytes);
    for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(digits[i]);
    return value;
  }

  double real() {
    std::uint64_t bits = 0;
    for (const char byte : take(8)) bits = bits << 8 | static_cast<unsigned char>(byte);
    return std::bit_cast<double>(bits);
  }

  std::string_view line() {
    const std::size_t end = bytes_.find('\n', next_);
    if (end == std::string_view::npos) refuse("the pickle is truncated");
    const std::string_view text = take(end - next_);
    take(1);
    return text;
  }

  void protocol(std::uint64_t version) const {
    if (version > newest_protocol) refuse("protocol ", version, ": expected at most ", newest_protocol);
  }

  void frame(std::uint64_t length) const {
    if (length > bytes_.size() - next_) refuse("the pickle is truncated");
  }

  // ---- Stack and memo ----

  void push(PickleValue value) {
    value.at = static_cast<std::uint32_t>(opcode_at_);
    stack_.push_back(static_cast<Index>(pickle_.values.size()));
    pickle_.values.push_back(std::move(value));
  }

  void push_text(std::string_view text) {
    const std::optional<Kind> kind = kind_of_text(text);
    if (!kind) refuse("a string is not UTF-8");
    push({*kind, 0, std::string(text)});
  }

  std::size_t above_mark() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }

  Parts pop_some(std::size_t count) {
    if (count > above_mark()) refuse("the stack has too few values");
    const auto begin = stack_.end() - static_cast<std::ptrdiff_t>(count);
    Parts parts(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    return parts;
  }

  Index pop() { return pop_some(1).front(); }

  Parts pop_to_mark() {
    if (marks_.empty()) refuse("the stack has no mark");
    Parts parts = pop_some(above_mark());
    marks_.pop_back();
    return parts;
  }

  PickleValue& top() {
    if (above_mark() == 0) refuse("the stack has too few values");
    return pickle_.values[stack_.back()];
  }

  // Picklers number entries consecutively, which bounds the memo by the length of the pickle.
  void put(std::uint64_t place) {
    top();
    if (place > memo_.size()) refuse("memo entry ", place, ": expected ", memo_.size());
    if (place == memo_.size()) memo_.emplace_back();
    memo_[place] = stack_.back();
  }

  void get(std::uint64_t place) {
    if (place >= memo_.size()) refuse("memo entry ", place, " does not exist");
    stack_.push_back(memo_[place]);
  }

  // ---- Containers ----

  void append(const Parts& items) {
    PickleValue& list = top();
    if (list.kind != Kind::list) refuse("items for ", name_of(list), ": expected a list");
    auto& parts = std::get<Parts>(list.content);
    parts.insert(parts.end(), items.begin(), items.end());
  }

  void set_items(const Parts& items) {
    PickleValue& dict = top();
    if (!dict.is_dict()) refuse("items for ", name_of(dict), ": expected a dict");
    if (items.size() % 2 != 0) refuse("a key has no value");
    auto& parts = std::get<Parts>(dict.content);
    parts.insert(parts.end(), items.begin(), items.end());
  }

  // Sets attributes: a module's state dict has "_metadata", the versions of its submodules.
  void build() {
    const Index attributes = pop();
    PickleValue& object = top();
    if (object.kind != Kind::ordered_dict || !pickle_.values[attributes].is_dict()) refuse("attributes for ", name_of(object));
    if (object.attributes.has_value()) refuse("attributes for ", name_of(object), " were set before");
    if (!pickle_.values[attributes].parts().empty()) object.attributes = attributes;
  }

  // ---- Globals ----

  void push_global() {
    const std::string_view module = line();
    const std::string_view name = line();
    push_name(module, name);
  }

  void push_stack_global() {
    const Parts names = pop_some(2);
    const PickleValue& module = pickle_.values[names[0]];
    const PickleValue& name = pickle_.values[names[1]];
    if (module.kind != Kind::text || name.kind != Kind::text) refuse("a global's name: expected a string");
    push_name(module.text(), name.text());
  }

  void push_name(std::string_view module, std::string_view name) {
    if (module == "__builtin__") module = "builtins";  // the name in Python 2
    const std::string global = cat(module, ".", name);
    const bool is_plain = std::find(plain_globals.begin(), plain_globals.end(), global) != plain_globals.end();
    if (!is_plain && !known_(global)) refuse_global(global);
    push({Kind::global, 0, global});
  }

  void call() {
    Parts parts = pop_some(2);
    const PickleValue& function = pickle_.values[parts[0]];
    const PickleValue& arguments = pickle_.values[parts[1]];
    if (function.kind != Kind::global || arguments.kind != Kind::tuple) refuse("a call of ", name_of(function));
    if (std::optional<PickleValue> plain = plain_value(function.text(), arguments.parts())) return push_created(std::move(*plain));
    if (!known_(function.text())) refuse("a call of ", name_of(function), " with unexpected arguments");
    push({Kind::call, 0, std::move(parts)});
  }

  // Each value is created from its own string: together they are at most as long as the pickle.
  void push_created(PickleValue value) {
    if (const auto* const created = std::get_if<std::string>(&value.content)) created_bytes_ += created->size();
    if (created_bytes_ > bytes_.size()) refuse("its bytes exceed the strings that they are created from");
    push(std::move(value));
  }

  // Returns plain values that pickles encode as calls because they have no opcode.
  std::optional<PickleValue> plain_value(std::string_view function, const Parts& arguments) const {
    const auto kind = [&](std::size_t i) { return pickle_.values[arguments[i]].kind; };
    const auto text = [&](std::size_t i) { return pickle_.values[arguments[i]].text(); };
    if (arguments.empty()) {
      if (function == "collections.OrderedDict") return PickleValue{Kind::ordered_dict, 0, Parts()};
      if (function == "builtins.bytes") return PickleValue{Kind::bytes, 0, std::string()};
      if (function == "builtins.bytearray") return PickleValue{Kind::bytearray, 0, std::string()};
    } else if (arguments.size() == 1) {
      if (function == "builtins.bytearray" && kind(0) == Kind::bytes) return PickleValue{Kind::bytearray, 0, text(0)};
    } else if (arguments.size() == 2) {
      if (function == "builtins.complex" && kind(0) == Kind::real && kind(1) == Kind::real) {
        const auto part = [&](std::size_t i) { return std::get<double>(pickle_.values[arguments[i]].content); };
        return PickleValue{Kind::complex, 0, std::array{part(0), part(1)}};
      }
      const bool encodes = function == "_codecs.encode" || function == "builtins.bytearray";
      if (encodes && kind(0) == Kind::text && kind(1) == Kind::text && (text(1) == "latin1" || text(1) == "latin-1")) {
        std::optional<std::string> bytes = latin1(text(0));
        if (bytes) return PickleValue{function == "_codecs.encode" ? Kind::bytes : Kind::bytearray, 0, std::move(*bytes)};
      }
    }
    return std::nullopt;
  }

  std::string_view bytes_;
  bool (*known_)(std::string_view);
  std::size_t next_ = 0;
  std::size_t opcode_at_ = 0;
  std::size_t created_bytes_ = 0;
  Pickle pickle_;
  Parts stack_;
  std::vector<std::size_t> marks_;
  Parts memo_;
};

}  // namespace

std::string name_of(const PickleValue& value) {
  switch (value.kind) {
    case Kind::none: return "None";
    case Kind::boolean: return "a bool";
    case Kind::integer:
    case Kind::big_integer: return "an int";
    case Kind::real: return "a float";
    case Kind::complex: return "a complex";
    case Kind::text:
    case Kind::surrogates: return "a str";
    case Kind::bytes: return "bytes";
    case Kind::bytearray: return "a bytearray";
    case Kind::list: return "a list";
    case Kind::tuple: return "a tuple";
    case Kind::dict: return "a dict";
    case Kind::ordered_dict: return "an OrderedDict";
    case Kind::global: return printable(value.text());
    case Kind::call: return "a call";
    case Kind::persistent: return "a storage";
  }
  return "a value";
}

Pickle read_pickle(std::string_view bytes, bool (*known)(std::string_view global)) { return Machine(bytes, known).run(); }

}  // namespace ckpt::cli
