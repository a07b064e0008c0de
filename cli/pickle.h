// A pickle as data: a machine that knows Python's plain values and nothing that runs. Names of functions and classes stay names,
// calls of them stay calls that are never made, and a name that was not asked for is refused. Source: the opcodes as CPython's
// Lib/pickletools.py describes them, protocols 2 to 5.
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
  using Index = std::uint32_t;  // of a value in its pickle
  enum class Kind : std::uint8_t {
    none,
    boolean,
    integer,
    big_integer,  // content: "-0x1f..."
    real,
    complex,
    text,        // content: UTF-8
    surrogates,  // a text with lone surrogates; content: UTF-8 but for these, which are encoded as other code points are
    bytes,
    bytearray,
    list,
    tuple,
    dict,  // parts: key, value, key, value, ...
    ordered_dict,
    global,      // content: "module.name"
    call,        // parts: a global and a tuple
    persistent,  // parts: the id, which says what stands outside of the pickle
  };
  using Parts = std::vector<Index>;

  Kind kind = Kind::none;
  std::uint32_t at = 0;  // the byte that its opcode has in the pickle
  std::variant<std::monostate, bool, std::int64_t, double, std::array<double, 2>, std::string, Parts> content;
  std::optional<Index> attributes = {};  // of an OrderedDict: a dict

  bool is_dict() const { return kind == Kind::dict || kind == Kind::ordered_dict; }
  const std::string& text() const { return std::get<std::string>(content); }
  const Parts& parts() const { return std::get<Parts>(content); }
};

// "a list", "torch.device"
std::string name_of(const PickleValue& value);

struct Pickle {
  std::vector<PickleValue> values;  // may contain one another, and themselves
  PickleValue::Index root = 0;
};

// Reads a pickle. known: the globals that may stand in it beside those of plain values (collections.OrderedDict, ...). Throws
// std::runtime_error that names the byte, and the global or opcode, of what is refused.
Pickle read_pickle(std::string_view bytes, bool (*known)(std::string_view global));

}  // namespace ckpt::cli
