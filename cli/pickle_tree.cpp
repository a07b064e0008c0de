#include "pickle_tree.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "text.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;
using Index = PickleValue::Index;
using Kind = PickleValue::Kind;

constexpr std::size_t deepest = 1000;
constexpr std::size_t longest_path = 200;

[[noreturn]] void refuse_tree(const std::string& path, const std::string& why) {
  throw std::runtime_error((path.empty() ? "" : printable(path) + ": ") + why);
}

// ---- Leaves ----

std::string hex(std::string_view bytes) {
  std::string digits;
  for (const char c : bytes) {
    digits += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    digits += "0123456789abcdef"[static_cast<unsigned char>(c) & 15U];
  }
  return digits;
}

std::string base64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) bits = bits << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) {
      const std::uint32_t digit = bits >> (18 - 6 * j) & 63U;
      text += j <= count ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[digit] : '=';
    }
  }
  return text;
}

std::string bits_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::string digits(16, '0');
  for (std::size_t i = 0; i < digits.size(); ++i) digits[i] = "0123456789abcdef"[bits >> (60 - 4 * i) & 15U];
  return digits;
}

// Returns "" if value is not a leaf.
std::string leaf_node(const PickleValue& value) {
  switch (value.kind) {
    case Kind::none: return "null";
    case Kind::boolean: return std::get<bool>(value.content) ? "true" : "false";
    case Kind::integer: return cat(std::get<std::int64_t>(value.content));
    case Kind::big_integer: return json{"int", value.text()}.dump();
    case Kind::real: {
      const auto number = std::get<double>(value.content);
      return std::isfinite(number) ? json(number).dump() : json{"float", bits_of(number)}.dump();
    }
    case Kind::complex: {
      const auto& parts = std::get<std::array<double, 2>>(value.content);
      return json{"complex", bits_of(parts[0]), bits_of(parts[1])}.dump();
    }
    case Kind::text: return json(value.text()).dump();
    case Kind::surrogates: return json{"surrogates", hex(value.text())}.dump();
    case Kind::bytes: return json{"bytes", base64(value.text())}.dump();
    case Kind::bytearray: return json{"bytearray", base64(value.text())}.dump();
    default: return "";
  }
}

// ---- Keys ----

bool is_key(const PickleValue& value) {
  const bool no_leaf_of_python = value.kind == Kind::bytearray || value.kind == Kind::complex;
  return value.kind == Kind::tuple || (!no_leaf_of_python && !leaf_node(value).empty());
}

// Returns the same string for keys that Python considers equal: 1, True and 1.0.
std::string equality_key(const PickleValue& key) {
  if (key.kind == Kind::boolean) return std::get<bool>(key.content) ? "1" : "0";
  if (key.kind == Kind::real) {
    const auto number = std::get<double>(key.content);
    if (std::fabs(number) < 0x1p63 && std::trunc(number) == number) return cat(static_cast<std::int64_t>(number));
  }
  return leaf_node(key);
}

// Returns a key as shown in a path.
std::string label_of(const PickleValue& key) {
  return key.kind == Kind::text || key.kind == Kind::surrogates ? key.text() : key.kind == Kind::tuple ? "tuple" : leaf_node(key);
}

// Cuts only between characters: continuation bytes stay with their lead byte.
std::string shortened(const std::string& path) {
  if (path.size() <= longest_path) return path;
  const auto boundary = [&](std::size_t at) {
    while (at > 0 && (static_cast<unsigned char>(path[at]) & 0xC0U) == 0x80) --at;
    return at;
  };
  return path.substr(0, boundary(longest_path / 2)) + "..." + path.substr(boundary(path.size() - longest_path / 2));
}

std::string joined(const std::string& path, const std::string& label) {
  return shortened(path.empty() ? label : cat(path, ".", label));
}

// ---- The walk ----

using NodeOf = std::function<TreeNodes(const PickleValue&, const std::string& path)>;

class Writer {
 public:
  Writer(const Pickle& pickle, const NodeOf& node_of, std::size_t max_bytes)
      : pickle_(pickle), node_of_(node_of), max_bytes_(max_bytes), is_open_(pickle.values.size(), false) {}

  std::string write(Index root) {
    add_value(root, "", false);
    while (!open_.empty()) step();
    return cat(R"({"format":"ckpt-tree","format_version":)", version_, R"(,"nodes":[)", text_, "]}");
  }

 private:
  // A container that is being written.
  struct Open {
    Index index;
    std::string path;
    bool in_key;
    bool has_attributes = false;  // attributes are written next to the value
    std::size_t next = 0;
    std::string label;                     // key of the next value
    std::unordered_set<std::string> keys;  // keys of a dict, to detect duplicates
  };

  void step() {
    Open& open = open_.back();
    const PickleValue& value = pickle_.values[open.index];
    if (open.has_attributes) return step_over_attributes();
    const PickleValue::Parts& parts = value.parts();
    if (open.next == parts.size()) {
      is_open_[open.index] = false;
      open_.pop_back();
      return;
    }
    const std::size_t place = open.next++;
    const PickleValue& part = pickle_.values[parts[place]];
    const bool key = value.is_dict() && place % 2 == 0;
    if (key) note_key(open, part);
    const std::string path = open.in_key || key ? open.path : joined(open.path, value.is_dict() ? open.label : cat(place));
    add_value(parts[place], path, open.in_key || key);
  }

  // Step 0: the dict itself; step 1: its attributes.
  void step_over_attributes() {
    const std::size_t place = open_.back().next++;
    const Open open = open_.back();
    const PickleValue& value = pickle_.values[open.index];
    if (place == 0) return begin("ordered_dict", open.index, value.parts().size() / 2, open.path, false);
    if (place == 1) return begin("dict", *value.attributes, 1, joined(open.path, "attributes"), false);
    open_.pop_back();
  }

  void begin_attributes(Index index, const std::string& path, bool in_key) {
    const PickleValue& attributes = pickle_.values[*pickle_.values[index].attributes];
    for (std::size_t i = 0; i < attributes.parts().size(); i += 2) {
      const PickleValue& name = pickle_.values[attributes.parts()[i]];
      if (in_key || name.kind != Kind::text || name.text() != kept_attribute || i > 0) {
        refuse_tree(path, cat("the OrderedDict at byte ", pickle_.values[index].at, " has the attribute ",
                              printable(shortened(label_of(name))), ", which would be lost"));
      }
    }
    if (open_.size() == deepest) refuse_tree(path, cat("nested deeper than ", deepest));
    add_node(R"(["attributes"])", path);
    version_ = 2;
    open_.push_back({index, path, in_key, true, 0, {}, {}});
  }

  static void note_key(Open& open, const PickleValue& key) {
    if (!is_key(key))
      refuse_tree(open.path, cat("a key at byte ", key.at, " is ", name_of(key), ", which a tree cannot represent"));
    open.label = label_of(key);
    if (key.kind != Kind::tuple && !open.keys.insert(equality_key(key)).second)
      refuse_tree(open.path, "the key " + printable(shortened(open.label)) + " is duplicated");
  }

  void add_value(Index index, const std::string& path, bool in_key) {
    const PickleValue& value = pickle_.values[index];
    if (in_key && !is_key(value)) refuse_tree(path, cat("a key contains ", name_of(value), " at byte ", value.at));
    if (const std::string leaf = leaf_node(value); !leaf.empty()) return add_node(leaf, path);
    switch (value.kind) {
      case Kind::list: return begin("list", index, value.parts().size(), path, in_key);
      case Kind::tuple: return begin("tuple", index, value.parts().size(), path, in_key);
      case Kind::dict: return begin("dict", index, value.parts().size() / 2, path, in_key);
      case Kind::ordered_dict:
        if (value.attributes.has_value()) return begin_attributes(index, path, in_key);
        return begin("ordered_dict", index, value.parts().size() / 2, path, in_key);
      default: {
        const TreeNodes nodes = node_of_(value, path);
        version_ = std::max(version_, nodes.version);
        return add_node(nodes.text, path);
      }
    }
  }

  void begin(const char* kind, Index index, std::size_t parts, const std::string& path, bool in_key) {
    if (is_open_[index]) refuse_tree(path, cat("the ", kind, " at byte ", pickle_.values[index].at, " contains itself"));
    if (open_.size() == deepest) refuse_tree(path, cat("nested deeper than ", deepest));
    add_node(json{kind, parts}.dump(), path);
    is_open_[index] = true;
    open_.push_back({index, path, in_key, false, 0, {}, {}});
  }

  void add_node(const std::string& node, const std::string& path) {
    if (text_.size() + node.size() > max_bytes_) refuse_tree(path, cat("its values exceed ", max_bytes_, " bytes"));
    if (!text_.empty()) text_ += ',';
    text_ += node;
  }

  const Pickle& pickle_;
  const NodeOf& node_of_;
  std::size_t max_bytes_;
  std::vector<bool> is_open_;
  std::vector<Open> open_;
  std::string text_;
  int version_ = 1;
};

}  // namespace

std::string TensorNames::name_for(const std::string& path) {
  std::string name;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool surrogate = path[i] == '\xed' && i + 1 < path.size() && static_cast<unsigned char>(path[i + 1]) > 0x9F;
    name += surrogate || path[i] == '\0' ? '?' : path[i];
    if (surrogate) i += 2;
  }
  if (name.empty()) return "tensor";
  const bool blank = name.find_first_not_of(" \t\n\v\f\r") == std::string::npos;
  return blank || name.starts_with("__") ? "." + name : name;
}

std::string TensorNames::take(const std::string& path) {
  const std::string wanted = name_for(path);
  std::string name = wanted;
  while (!taken_.emplace(name, 2).second) name = cat(wanted, "~", taken_[wanted]++);
  return name;
}

std::string tree_text(const Pickle& pickle, Index root, const NodeOf& node_of, std::size_t max_bytes) {
  return Writer(pickle, node_of, max_bytes).write(root);
}

}  // namespace ckpt::cli
