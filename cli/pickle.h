// Reads a pickle as data: a machine that implements Python's plain values and executes nothing. Names of functions and classes stay
// names, calls are recorded and never made, and unexpected names are rejected. Source: the opcodes in CPython's Lib/pickletools.py,
// protocols 2 to 5.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ckpt::cli {

struct PickleValue {
  using Index = std::uint32_t;  // of a value in its Pickle
  enum class Kind : std::uint8_t {
    none,
    boolean,
    integer,
    big_integer,  // content: "-0x1f..."
    real,
    complex,
    text,        // content: UTF-8
    surrogates,  // a string with lone surrogates; content: UTF-8, with surrogates encoded like other code points
    bytes,
    bytearray,
    list,
    tuple,
    dict,  // parts: key, value, key, value, ...
    ordered_dict,
    global,      // content: "module.name"
    call,        // parts: a global and a tuple
    persistent,  // parts: the id, which refers to data outside the pickle
  };
  using Parts = std::vector<Index>;

  Kind kind = Kind::none;
  std::uint32_t at = 0;  // offset of its opcode in the pickle
  std::variant<std::monostate, bool, std::int64_t, double, std::array<double, 2>, std::string, Parts> content;
  std::optional<Index> attributes = {};  // the attribute dict of an OrderedDict

  bool is_dict() const { return kind == Kind::dict || kind == Kind::ordered_dict; }
  const std::string& text() const { return std::get<std::string>(content); }
  const Parts& parts() const { return std::get<Parts>(content); }
};

// "a list", "torch.device"
std::string name_of(const PickleValue& value);

struct Pickle {
  std::vector<PickleValue> values;  // can contain each other, and themselves
  PickleValue::Index root = 0;
};

// Reads a pickle. known: accepts globals in addition to those of plain values (collections.OrderedDict, ...). Throws
// std::runtime_error that names the byte offset and the rejected global or opcode.
Pickle read_pickle(std::string_view bytes, bool (*known)(std::string_view global));

}  // namespace ckpt::cli
