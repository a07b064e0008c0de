#include "tree_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include <ckpt/ckpt.hpp>

#include "text.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;

std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string hexadecimal(const std::string& bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

bool is_word(const std::string& text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

struct Release {
  void operator()(ckpt_tree* tree) const noexcept { ckpt_tree_release(tree); }
};

struct Node {
  TreeKind kind = TreeKind::null;
  std::int64_t count = 0;
  std::int64_t end = 0;  // the node after it and its parts
};

// A value in both forms.
struct Shown {
  std::string text;
  json value;
};

class Walk {
 public:
  Walk(const void* text, std::size_t bytes) {
    ckpt_tree* tree = nullptr;
    check(ckpt_tree_create_from_text(text, static_cast<std::int64_t>(bytes), &tree));
    tree_.reset(tree);
  }

  std::vector<TreeValue> values() {
    walk("", 0);
    return std::move(values_);
  }

 private:
  ckpt_tree_node raw(std::int64_t index) const {
    ckpt_tree_node found = CKPT_TREE_NODE_INIT;
    check(ckpt_tree_get(tree_.get(), index, &found));
    return found;
  }

  Node node(std::int64_t index) const {
    const ckpt_tree_node found = raw(index);
    return {static_cast<TreeKind>(found.kind), found.count, found.end};
  }

  static bool is_sequence(TreeKind kind) { return kind == TreeKind::list || kind == TreeKind::tuple; }
  static bool is_container(TreeKind kind) { return kind >= TreeKind::list && kind <= TreeKind::dataclass; }
  static bool has_class(TreeKind kind) { return kind == TreeKind::named_tuple || kind == TreeKind::dataclass; }

  void walk(const std::string& path, std::int64_t index) {
    const Node here = node(index);
    if (here.kind == TreeKind::attributes) {  // distinguishes it from the path of an item "layers[2]._metadata"
      walk(path, index + 1);
      return walk(path + "@", node(index + 1).end);
    }
    if (!is_container(here.kind) || here.count == 0) {
      const Shown shown = is_container(here.kind) ? empty(here.kind, index) : single(here.kind, index);
      values_.push_back({path.empty() ? "." : path, shown.text, dumped(shown.value)});
      return;
    }
    std::int64_t part = index + 1;
    for (std::int64_t i = 0; i < here.count; ++i) {
      std::string inner = path;
      if (is_sequence(here.kind)) {
        inner += cat("[", i, "]");
      } else {
        inner += step(part, path.empty());
        part = node(part).end;
      }
      walk(inner, part);
      part = node(part).end;
    }
  }

  // Returns the path component for a dict's key.
  std::string step(std::int64_t key, bool first) const {
    if (node(key).kind == TreeKind::text && is_word(bytes(key))) return (first ? "" : ".") + bytes(key);
    return '[' + key_text(key) + ']';
  }

  std::string key_text(std::int64_t index) const {
    const Node here = node(index);
    if (!is_container(here.kind)) return single(here.kind, index).text;
    std::string text;
    for (std::int64_t part = index + 1; part < here.end; part = node(part).end) text += (text.empty() ? "" : ", ") + key_text(part);
    return '(' + text + ')';
  }

  Shown empty(TreeKind kind, std::int64_t index) const {
    if (has_class(kind)) return {bytes(index) + "()", {{"class", bytes(index)}}};
    if (is_sequence(kind)) return {kind == TreeKind::tuple ? "()" : "[]", json::array()};
    return {"{}", json::object()};
  }

  Shown single(TreeKind kind, std::int64_t index) const {
    switch (kind) {
      case TreeKind::null: return {"null", nullptr};
      case TreeKind::boolean: return same(integer(index) != 0);
      case TreeKind::integer: return same(integer(index));
      case TreeKind::big_integer: return {bytes(index), {{"integer", bytes(index)}}};
      case TreeKind::number: return number(index);
      case TreeKind::complex: {
        const auto [real, imaginary] = numbers(index);
        return {cat(real, imaginary < 0 || std::signbit(imaginary) ? "" : "+", imaginary, "i"),
                {{"complex", {cat(real), cat(imaginary)}}}};
      }
      case TreeKind::text: return same(bytes(index));
      case TreeKind::bytes:
      case TreeKind::bytearray: {
        const std::string hex = hexadecimal(bytes(index));
        return {"bytes \"" + hex + '"', {{"bytes", hex}}};
      }
      case TreeKind::tensor: return {"tensor " + dumped(bytes(index)), {{"tensor", bytes(index)}}};
      default: return {"path " + dumped(bytes(index)), {{"path", bytes(index)}}};
    }
  }

  static Shown same(const json& value) { return {dumped(value), value}; }

  Shown number(std::int64_t index) const {
    const double value = numbers(index).first;
    if (std::isfinite(value)) return same(value);
    return {cat(value), {{"number", cat(value)}}};
  }

  std::int64_t integer(std::int64_t index) const { return raw(index).integer; }

  std::pair<double, double> numbers(std::int64_t index) const {
    const ckpt_tree_node found = raw(index);
    return {found.real, found.imaginary};
  }

  std::string bytes(std::int64_t index) const {
    const ckpt_tree_node found = raw(index);
    return {static_cast<const char*>(found.data), static_cast<std::size_t>(found.bytes)};
  }

  std::unique_ptr<ckpt_tree, Release> tree_;
  std::vector<TreeValue> values_;
};

}  // namespace

std::vector<TreeValue> tree_values(const void* text, std::size_t bytes) {
  std::vector<TreeValue> values = Walk(text, bytes).values();
  std::sort(values.begin(), values.end(), [](const TreeValue& a, const TreeValue& b) { return naturally_before(a.path, b.path); });
  return values;
}

}  // namespace ckpt::cli
