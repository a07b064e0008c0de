// Serializes and parses trees: JSON with the nodes in order (docs/reference/file-format.md).
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/json_text.h"
#include "base/json_tree.h"
#include "base/json_writer.h"
#include "state/safetensors.h"
#include "state/tree.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Json;
using base::Status;

constexpr std::string_view tree_format = "ckpt-tree";
constexpr std::array<std::string_view, 5> form_names = {"array", "scalar", "torch", "tensor", "parameter"};
constexpr std::array<std::pair<std::string_view, TreeKind>, 6> container_names = {{{"list", TreeKind::list},
                                                                                   {"tuple", TreeKind::tuple},
                                                                                   {"dict", TreeKind::dict},
                                                                                   {"ordered_dict", TreeKind::ordered_dict},
                                                                                   {"named_tuple", TreeKind::named_tuple},
                                                                                   {"dataclass", TreeKind::dataclass}}};

// ---- Bytes as strings ----

constexpr std::string_view hex_of_bytes = "0123456789abcdef";
constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

std::string hex_from(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    text += hex_of_bytes[static_cast<std::uint8_t>(c) >> 4];
    text += hex_of_bytes[static_cast<std::uint8_t>(c) & 15];
  }
  return text;
}

std::optional<std::string> bytes_from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto high = hex_digit(text[i]);
    const auto low = hex_digit(text[i + 1]);
    if (!high || !low) return std::nullopt;
    bytes += static_cast<char>(*high << 4 | *low);
  }
  return bytes;
}

// Source: RFC 4648, section 4.
std::string base64_from(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (i + j < bytes.size() ? static_cast<std::uint8_t>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) text += i + j <= bytes.size() ? base64_digits[group >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::optional<std::string> bytes_from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const std::size_t digit = i + j < text.size() - padding ? base64_digits.find(text[i + j]) : 0;
      if (digit == std::string_view::npos) return std::nullopt;
      group = group << 6 | static_cast<std::uint32_t>(digit);
    }
    for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(group >> shift & 255);
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::string bits_text(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += hex_of_bytes[bits >> shift & 15];
  return text;
}

// ---- Reading ----

[[noreturn]] void fail_node(const std::string& what) { base::fail(Status::invalid_argument, what); }

// Members of one node.
using Members = Json::List;

const std::string& text_in(const Members& node, std::size_t place) {
  if (!node[place].is_string()) fail_node(cat("member ", place, " is not a string"));
  return node[place].string();
}

void require_members(const Members& node, std::size_t min, std::size_t max) {
  if (node.size() < min || node.size() > max) fail_node(cat("it has ", node.size(), " members; expected ", min, "..", max));
}

double number_in(const Members& node, std::size_t place) {
  const std::string& text = text_in(node, place);
  const auto bytes = bytes_from_hex(text);
  if (!bytes || bytes->size() != 8) fail_node(cat("the bits ", base::quote(text), ": expected 16 hexadecimal digits"));
  std::uint64_t bits = 0;
  for (const char c : *bytes) bits = bits << 8 | static_cast<std::uint8_t>(c);
  return std::bit_cast<double>(bits);
}

std::string surrogates_in(const Members& node) {
  require_members(node, 2, 2);
  auto bytes = bytes_from_hex(text_in(node, 1));
  if (!bytes) fail_node(cat(base::quote(text_in(node, 1)), " is not hexadecimal"));
  return *std::move(bytes);
}

std::string base64_in(const Members& node) {
  require_members(node, 2, 2);
  auto bytes = bytes_from_base64(text_in(node, 1));
  if (!bytes) fail_node(cat(base::quote(text_in(node, 1)), " is not base64"));
  return *std::move(bytes);
}

TreeNode path_in(const Members& node) {
  require_members(node, 2, 3);
  TreeNode created;
  created.kind = TreeKind::path;
  if (node.size() == 3) {
    const std::string& system = text_in(node, 2);
    if (system != "posix" && system != "windows") fail_node(cat("a path of the unknown system ", base::quote(system)));
    created.kind = system == "posix" ? TreeKind::posix_path : TreeKind::windows_path;
  }
  const auto is_surrogates = [](const Json& text) {
    return text.is_list() && !text.items().empty() && text.items()[0].is_string() && text.items()[0].string() == "surrogates";
  };
  created.bytes = is_surrogates(node[1]) ? surrogates_in(node[1].items()) : text_in(node, 1);
  return created;
}

TreeNode tensor_in(const Members& node) {
  require_members(node, 3, 5);
  TreeNode created;
  created.kind = TreeKind::tensor;
  created.bytes = text_in(node, 1);
  if (created.bytes.empty()) fail_node("the tensor's name is empty");
  const std::string& form = text_in(node, 2);
  std::size_t number = 0;
  while (number < form_names.size() && form_names[number] != form) ++number;
  if (number == form_names.size()) fail_node(cat("a tensor of the unknown form ", base::quote(form)));
  created.form = static_cast<TreeForm>(number);
  for (std::size_t i = 3; i < node.size(); ++i) {
    const std::string& more = text_in(node, i);
    bool& flag = more == "big-endian" ? created.big_endian : created.complex128;
    if ((more != "big-endian" && more != "complex128") || flag)
      fail_node(cat("a tensor with the unknown or duplicate flag ", base::quote(more)));
    flag = true;
  }
  return created;
}

// left: number of following nodes. fields: names of a record's fields.
TreeNode container_in(const Members& node, TreeKind kind, std::size_t left, std::vector<std::string>& fields) {
  TreeNode created;
  created.kind = kind;
  std::uint64_t count = 0;
  if (is_record(kind)) {
    require_members(node, 3, 3);
    created.bytes = text_in(node, 1);
    if (!node[2].is_list()) fail_node("member 2 is not a list");
    for (const Json& field : node[2].items()) {
      if (!field.is_string()) fail_node("the name of a field is not a string");
      fields.push_back(field.string());
    }
    count = fields.size();
  } else {
    require_members(node, 2, 2);
    if (!node[1].is_count()) fail_node(cat("its length is ", node[1].text(), "; expected a count"));
    count = node[1].count();
  }
  if (count > left / (is_dict(kind) ? 2 : 1)) fail_node(cat("the ", kind_name(kind), " has more parts than nodes follow"));
  created.integer = static_cast<std::int64_t>(count);
  return created;
}

TreeNode attributes_in(const Members& node) {
  require_members(node, 1, 1);
  TreeNode created;
  created.kind = TreeKind::attributes;
  created.integer = 2;
  return created;
}

TreeNode array_in(const Members& node, std::size_t left, std::vector<std::string>& fields) {
  if (node.empty()) fail_node("it is empty");
  const std::string& name = text_in(node, 0);
  for (const auto& [container, kind] : container_names) {
    if (container == name) return container_in(node, kind, left, fields);
  }
  if (name == "tensor") return tensor_in(node);
  if (name == "attributes") return attributes_in(node);
  if (name == "path") return path_in(node);
  TreeNode created;
  if (name == "int") {
    require_members(node, 2, 2);
    created.kind = TreeKind::big_integer;
    created.bytes = text_in(node, 1);
  } else if (name == "float") {
    require_members(node, 2, 2);
    created.kind = TreeKind::number;
    created.number = number_in(node, 1);
  } else if (name == "complex") {
    require_members(node, 3, 3);
    created.kind = TreeKind::complex;
    created.number = number_in(node, 1);
    created.imaginary = number_in(node, 2);
  } else if (name == "surrogates") {
    created.kind = TreeKind::text;
    created.bytes = surrogates_in(node);
  } else if (name == "bytes" || name == "bytearray") {
    created.kind = name == "bytes" ? TreeKind::bytes : TreeKind::bytearray;
    created.bytes = base64_in(node);
  } else {
    fail_node(cat("unknown node kind ", base::quote(name)));
  }
  return created;
}

TreeNode node_in(const Json& node, std::size_t left, std::vector<std::string>& fields) {
  if (node.is_list()) return array_in(node.items(), left, fields);
  if (node.is_object()) fail_node("it is an object");
  TreeNode created;
  if (node.is_boolean()) {
    created.kind = TreeKind::boolean;
    created.integer = node.boolean() ? 1 : 0;
  } else if (node.is_integer()) {
    if (node.is_count() && node.count() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      fail_node(cat("the integer ", node.count(), " does not fit in a signed 64-bit integer"));
    created.kind = TreeKind::integer;
    created.integer = node.integer();
  } else if (node.is_number()) {
    created.kind = TreeKind::number;
    created.number = node.number();
  } else if (node.is_string()) {
    created.kind = TreeKind::text;
    created.bytes = node.string();
  }
  return created;
}

// Names of fields are stored in the record's node; in the tree each is a string before its value.
class FieldNames {
 public:
  void push(std::vector<std::string> names) {
    if (!names.empty()) records_.emplace_back(std::move(names), 0);
  }
  TreeNode next() {
    while (records_.back().second == records_.back().first.size()) records_.pop_back();
    TreeNode name;
    name.kind = TreeKind::text;
    name.bytes = std::move(records_.back().first[records_.back().second++]);
    return name;
  }

 private:
  std::vector<std::pair<std::vector<std::string>, std::size_t>> records_;
};

[[noreturn]] void fail_tree(const std::string& what) { fail_corrupt(cat("the tree's text: ", what)); }

constexpr int newest_version = 2;

// Returns the text's nodes and its version.
std::pair<const Json::List&, int> nodes_of(const Json& whole) {
  const Json* const format = whole.find("format");
  if (format == nullptr || !format->is_string() || format->string() != tree_format) fail_tree("its format is not 'ckpt-tree'");
  const Json* const version = whole.find("format_version");
  if (version == nullptr || !version->is_count()) fail_tree("format_version is missing");
  if (version->count() < 1 || version->count() > static_cast<std::uint64_t>(newest_version)) {
    base::fail(Status::unsupported, "the tree's text has format_version ", version->count(), "; expected 1 .. ", newest_version);
  }
  const Json* const nodes = whole.find("nodes");
  if (nodes == nullptr || !nodes->is_list()) fail_tree("the list of nodes is missing");
  return {nodes->items(), static_cast<int>(version->count())};
}

// ---- Writing ----

std::string text_node(std::string_view text) {
  return base::is_utf8(text) ? base::json_string(text) : cat(R"(["surrogates",")", hex_from(text), R"("])");
}

std::string number_node(double value) {
  if (!std::isfinite(value)) return cat(R"(["float",")", bits_text(value), R"("])");
  std::string text = cat(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string tensor_node(const TreeNode& node) {
  return cat(R"(["tensor",)", base::json_string(node.bytes), R"(,")", form_names[static_cast<std::size_t>(node.form)], '"',
             node.complex128 ? R"(,"complex128")" : "", node.big_endian ? R"(,"big-endian")" : "", ']');
}

std::string container_node(const std::vector<TreeNode>& nodes, std::size_t index, std::vector<bool>& is_field) {
  const TreeNode& node = nodes[index];
  if (node.kind == TreeKind::attributes) return R"(["attributes"])";
  const std::string_view name =
      container_names[static_cast<std::size_t>(node.kind) - static_cast<std::size_t>(TreeKind::list)].first;
  if (!is_record(node.kind)) return cat(R"([")", name, R"(",)", node.integer, ']');
  std::string text = cat(R"([")", name, R"(",)", base::json_string(node.bytes), ",[");
  for (std::size_t field = index + 1; field < node.end; field = nodes[field + 1].end) {
    text += cat(field == index + 1 ? "" : ",", base::json_string(nodes[field].bytes));
    is_field[field] = true;
  }
  return text + "]]";
}

std::string node_text(const TreeNode& node) {
  switch (node.kind) {
    case TreeKind::null: return "null";
    case TreeKind::boolean: return node.integer != 0 ? "true" : "false";
    case TreeKind::integer: return cat(node.integer);
    case TreeKind::big_integer: return cat(R"(["int",")", node.bytes, R"("])");
    case TreeKind::number: return number_node(node.number);
    case TreeKind::complex: return cat(R"(["complex",")", bits_text(node.number), R"(",")", bits_text(node.imaginary), R"("])");
    case TreeKind::text: return text_node(node.bytes);
    case TreeKind::bytes: return cat(R"(["bytes",")", base64_from(node.bytes), R"("])");
    case TreeKind::bytearray: return cat(R"(["bytearray",")", base64_from(node.bytes), R"("])");
    case TreeKind::path: return cat(R"(["path",)", text_node(node.bytes), ']');
    case TreeKind::posix_path: return cat(R"(["path",)", text_node(node.bytes), R"(,"posix"])");
    case TreeKind::windows_path: return cat(R"(["path",)", text_node(node.bytes), R"(,"windows"])");
    default: return tensor_node(node);
  }
}

}  // namespace

bool set_whole_number(TreeNode& node, std::string_view hexadecimal) {
  const bool negative = hexadecimal.starts_with('-');
  std::string_view digits = hexadecimal.substr(negative ? 1 : 0);
  if (!digits.starts_with("0x") || digits.size() == 2) return false;
  digits.remove_prefix(2);
  std::string lower;
  for (const char c : digits) {
    const auto digit = hex_digit(c);
    if (!digit) return false;
    if (!lower.empty() || *digit != 0) lower += hex_of_bytes[*digit];
  }
  std::uint64_t magnitude = 0;
  if (lower.size() <= 16) std::from_chars(lower.data(), lower.data() + lower.size(), magnitude, 16);
  constexpr std::uint64_t max = std::uint64_t{1} << 63;
  const bool fits = lower.size() <= 16 && magnitude < max + (negative ? 1 : 0);
  node.kind = fits ? TreeKind::integer : TreeKind::big_integer;
  node.integer = fits ? static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude) : 0;
  node.bytes = fits ? "" : cat(negative ? "-0x" : "0x", lower);
  return true;
}

Tree parse_tree(std::string_view text) {
  const std::string problem = base::json_problem(text, base::deepest_json);
  if (!problem.empty()) fail_tree(problem);
  const Json whole = base::json_tree(text);
  const auto [nodes, version] = nodes_of(whole);
  Tree tree;
  FieldNames fields;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    try {
      if (tree.awaits_field()) tree.add(fields.next());
      std::vector<std::string> names;
      tree.add(node_in(nodes[i], nodes.size() - i - 1, names));
      if (tree.format_version() > version)
        fail_node(cat("it requires format_version ", tree.format_version(), "; the text has ", version));
      fields.push(std::move(names));
    } catch (const base::Error& error) {
      fail_tree(cat("node ", i, ": ", error.message()));
    }
  }
  try {
    tree.require_complete();
  } catch (const base::Error&) {
    fail_tree(cat("it ends after node ", nodes.size(), ", but the tree is not complete"));
  }
  return tree;
}

std::string nodes_text(const std::vector<TreeNode>& nodes, std::size_t begin, std::size_t end) {
  std::string text;
  std::vector<bool> is_field(end);
  for (std::size_t i = begin; i < end; ++i) {
    if (is_field[i]) continue;
    if (!text.empty()) text += ',';
    text += is_container(nodes[i].kind) ? container_node(nodes, i, is_field) : node_text(nodes[i]);
  }
  return text;
}

std::string to_text(const Tree& tree) {
  tree.require_complete();
  return cat(R"({"format":"ckpt-tree","format_version":)", tree.format_version(), R"(,"nodes":[)",
             nodes_text(tree.nodes(), 0, tree.nodes().size()), "]}");
}

}  // namespace ckpt::state
