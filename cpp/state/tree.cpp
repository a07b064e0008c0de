#include "state/tree.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/error.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

constexpr std::array<std::string_view, 20> kind_names = {
    "null",        "boolean",   "integer",    "big integer",          "number", "complex", "text", "bytes",
    "bytearray",   "path",      "POSIX path", "Windows path",         "list",   "tuple",   "dict", "ordered dict",
    "named tuple", "dataclass", "tensor",     "value with attributes"};

// Returns whether text is UTF-8 in which lone surrogates may be encoded like other code points.
bool is_text(std::string_view text) {
  while (!text.empty()) {
    std::size_t length = base::utf8_length(text);
    if (length == 0 && text.size() >= 3 && text[0] == '\xED' && static_cast<std::uint8_t>(text[1]) >= 0xA0 &&
        static_cast<std::uint8_t>(text[1]) <= 0xBF && (static_cast<std::uint8_t>(text[2]) & 0xC0) == 0x80)
      length = 3;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Replaces NULs and invalid UTF-8, including surrogates, by '?'.
std::string plain(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = base::utf8_length(text);
    if (length == 0 || text[0] == '\0') {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

// Returns at most this many bytes from the front or the back, cut between characters.
std::string_view front(std::string_view text, std::size_t bytes) {
  while ((static_cast<std::uint8_t>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}
std::string_view back(std::string_view text, std::size_t bytes) {
  while ((static_cast<std::uint8_t>(text[text.size() - bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(text.size() - bytes);
}

void check_node(TreeNode& node) {
  switch (node.kind) {
    case TreeKind::text:
    case TreeKind::path:
    case TreeKind::posix_path:
    case TreeKind::windows_path:
      base::require(is_text(node.bytes), "the ", kind_name(node.kind), " ", base::quote(node.bytes), " is not UTF-8");
      return;
    case TreeKind::big_integer:
      base::require(set_whole_number(node, std::string(node.bytes)), "the integer ", base::quote(node.bytes),
                    ": expected the form -0x1f");
      return;
    case TreeKind::named_tuple:
    case TreeKind::dataclass:
      base::require(base::is_utf8(node.bytes), "class_name ", base::quote(node.bytes), " is not UTF-8");
      return;
    case TreeKind::tensor:
      if (!node.bytes.empty()) base::require_name("the tensor's name", node.bytes);
      base::require(node.bytes != tree_tensor, "the tensor's name is '__tree__', which is reserved");
      if (node.tensor != nullptr) {
        const std::string problem = form_problem(node, node.tensor->dtype(), node.tensor->shape().dimensions());
        base::require(problem.empty(), "tensor: ", problem);
      }
      return;
    default: return;
  }
}

// ---- Keys: equal keys have the same string ----

// Returns the hexadecimal digits without trailing zeros, and the number of these zeros.
std::string whole_number_key(std::string_view sign, std::string_view digits) {
  const std::size_t kept = digits.find_last_not_of('0') + 1;
  if (kept == 0) return "i0";
  return cat('i', sign, digits.substr(0, kept), 'z', digits.size() - kept, ';');
}

std::string integer_key(std::int64_t value) {
  const auto magnitude = value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, magnitude, 16).ptr;
  return whole_number_key(value < 0 ? "-" : "", {digits, static_cast<std::size_t>(end - digits)});
}

std::string number_key(double value, std::size_t place) {
  if (std::isnan(value)) return cat("nan", place, ';');  // NaN differs from every key
  if (!std::isfinite(value) || value != std::trunc(value)) return cat('f', std::bit_cast<std::uint64_t>(value), ';');
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // value = fraction * 2^exponent
  if (exponent <= 53) return integer_key(static_cast<std::int64_t>(value));
  exponent -= 53;  // value = mantissa * 2^exponent
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53)) << (exponent % 4);
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, mantissa, 16).ptr;
  return whole_number_key(value < 0 ? "-" : "",
                          std::string(digits, end) + std::string(static_cast<std::size_t>(exponent / 4), '0'));
}

std::string key_of(const std::vector<TreeNode>& nodes, std::size_t begin) {
  std::string key;
  for (std::size_t i = begin; i < nodes.size(); ++i) {
    const TreeNode& node = nodes[i];
    switch (node.kind) {
      case TreeKind::boolean:
      case TreeKind::integer: key += integer_key(node.integer); break;
      case TreeKind::big_integer: {
        const std::string_view sign = node.bytes.starts_with('-') ? "-" : "";
        key += whole_number_key(sign, std::string_view(node.bytes).substr(sign.size() + 2));
        break;
      }
      case TreeKind::number: key += number_key(node.number, i); break;
      case TreeKind::tuple: key += cat('(', node.integer, ';'); break;
      default:
        key += cat(node.kind == TreeKind::text ? 't' : 'b', node.kind == TreeKind::null ? "-" : "", node.bytes.size(), ':',
                   node.bytes);
    }
  }
  return key;
}

}  // namespace

std::string form_problem(const TreeNode& node, tensor::Dtype dtype, std::span<const std::int64_t> shape) {
  const auto ndim = static_cast<std::int64_t>(shape.size());
  if (node.complex128 && (dtype != tensor::Dtype::f64 || ndim == 0 || shape.back() != 2))
    return "complex128: expected F64 and a last dimension of length 2";
  if (node.form == TreeForm::scalar && ndim != (node.complex128 ? 1 : 0)) return "a scalar: expected no dimensions";
  return {};
}

std::string_view kind_name(TreeKind kind) noexcept { return kind_names[static_cast<std::size_t>(kind)]; }

// ---- Adding ----

bool Tree::awaits_key() const noexcept {
  if (open_.empty()) return false;
  const Open& top = open_.back();
  return !is_list(nodes_[top.index].kind) && top.missing % 2 == 0;
}

void Tree::check_place(const TreeNode& node, bool inside_key) const {
  base::require(nodes_.empty() || !open_.empty(), "the tree is complete: unexpected node");
  if (awaits_field()) {
    base::require(node.kind == TreeKind::text && base::is_utf8(node.bytes), "the name of a field: expected a UTF-8 string, found ",
                  kind_name(node.kind), " ", base::quote(node.bytes));
  } else if (inside_key) {
    switch (node.kind) {
      case TreeKind::null:
      case TreeKind::boolean:
      case TreeKind::integer:
      case TreeKind::big_integer:
      case TreeKind::number:
      case TreeKind::text:
      case TreeKind::bytes:
      case TreeKind::tuple: break;
      default:
        base::fail(Status::invalid_argument, "a key is a ", kind_name(node.kind),
                   "; expected null, a boolean, a number, a string, bytes or a tuple of these");
    }
  }
  check_attributes(node);
  if (!is_container(node.kind)) return;
  constexpr std::int64_t max = std::int64_t{1} << 61;
  base::require(node.integer >= 0 && node.integer <= max, "count is ", node.integer, "; expected 0 .. ", max);
  base::require(open_.size() < deepest_tree, "the ", kind_name(node.kind), " is nested deeper than ", deepest_tree);
}

// Checks the parts of a value with attributes: the value, and a dict of at least one attribute with string keys.
void Tree::check_attributes(const TreeNode& node) const {
  if (node.kind == TreeKind::attributes) {
    base::require(node.integer == 2, "count is ", node.integer,
                  "; expected 2 parts of a value with attributes: the value and a dict");
  }
  if (open_.empty()) return;
  const Open& top = open_.back();
  const TreeNode& around = nodes_[top.index];
  if (around.kind == TreeKind::attributes) {
    const bool is_value = top.missing == 2;
    base::require(!is_value || node.kind != TreeKind::attributes, "a value with attributes contains another one directly");
    base::require(is_value || node.kind == TreeKind::dict, "attributes: expected a dict, found kind '", kind_name(node.kind), "'");
    base::require(is_value || node.integer > 0, "attributes: expected at least one, found an empty dict");
  }
  const bool is_attribute = open_.size() > 1 && nodes_[open_[open_.size() - 2].index].kind == TreeKind::attributes &&
                            open_[open_.size() - 2].missing == 1;
  if (is_attribute && awaits_key()) {
    base::require(node.kind == TreeKind::text && base::is_utf8(node.bytes),
                  "the name of an attribute: expected a UTF-8 string, found kind '", kind_name(node.kind), "' ",
                  base::quote(node.bytes));
  }
}

void Tree::add(TreeNode node) {
  found_.value.clear();
  const bool is_key = awaits_key();
  const bool inside_key = is_key || (!open_.empty() && open_.back().inside_key);
  check_place(node, inside_key);
  check_node(node);
  if (node.kind == TreeKind::tensor && node.bytes.empty()) {
    base::require(node.tensor != nullptr, "tensor is NULL");
    const auto memory =
        std::make_tuple(static_cast<const void*>(node.tensor->data()), node.tensor->dtype(), to_text(node.tensor->shape()));
    const bool can_be_shared = node.tensor->bytes() > 0;
    const auto known = can_be_shared ? names_of_memory_.find(memory) : names_of_memory_.end();
    node.bytes = known != names_of_memory_.end() ? known->second : free_name();
    if (can_be_shared) names_of_memory_.emplace(memory, node.bytes);
  }
  const std::size_t index = nodes_.size();
  const std::int64_t parts = is_container(node.kind) ? node.integer * (is_list(node.kind) ? 1 : 2) : 0;
  node.end = index + 1;
  const bool is_of_version_2 =
      node.kind == TreeKind::attributes || (node.kind == TreeKind::tensor && node.form == TreeForm::parameter);
  nodes_.push_back(std::move(node));
  try {
    if (is_key) open_.back().key = index;
    if (parts > 0) {
      open_.push_back({index, parts, inside_key, 0, {}});
    } else {
      if (inside_key) keep_key();
      close();
    }
  } catch (...) {
    nodes_.pop_back();
    throw;
  }
  if (is_of_version_2) format_version_ = 2;
}

// If the newest node ends a key, records the key.
void Tree::keep_key() {
  auto open = open_.rbegin();
  while (open->inside_key && open->missing == 1) ++open;
  if (open->inside_key) return;  // more parts of a tuple follow
  base::require(open->keys.insert(key_of(nodes_, open->key)).second,
                is_record(nodes_[open->index].kind) ? "the field " : "the key ", base::quote(label(*open)), " is duplicated");
}

// Closes the containers that the newest node completes.
void Tree::close() {
  while (!open_.empty() && --open_.back().missing == 0) {
    nodes_[open_.back().index].end = nodes_.size();
    open_.pop_back();
  }
}

// ---- Names of tensors ----

std::string Tree::label(const Open& open) const {
  const TreeNode& node = nodes_[open.index];
  if (node.kind == TreeKind::attributes) return open.missing == 2 ? "" : "attributes";
  if (is_list(node.kind)) return cat(node.integer - open.missing);
  const TreeNode& key = nodes_[open.key];
  return key.kind == TreeKind::text ? plain(key.bytes) : nodes_text(nodes_, open.key, nodes_[open.key].end);
}

std::string Tree::path() const {
  std::string path;
  bool is_first = true;
  for (const Open& open : open_) {
    if (nodes_[open.index].kind == TreeKind::attributes && open.missing == 2)
      continue;  // the path of the value does not include the attributes
    path += (is_first ? "" : ".") + label(open);
    is_first = false;
  }
  return path;
}

// Returns a name as in a module's state_dict; appends a number if it is taken.
std::string Tree::free_name() {
  constexpr std::size_t longest = 200;
  std::string wanted = path();
  if (wanted.empty()) wanted = "tensor";
  if (base::is_blank(wanted) || wanted.starts_with("__")) wanted.insert(0, ".");
  if (wanted.size() > longest) wanted = cat(front(wanted, longest / 2), "...", back(wanted, longest / 2));
  if (taken_.insert(wanted).second) return wanted;
  std::int64_t& number = numbers_.try_emplace(wanted, 1).first->second;
  std::string name;
  do {
    name = cat(wanted, '~', ++number);
  } while (!taken_.insert(name).second);
  return name;
}

// ---- Reading ----

const TreeNode& Tree::at(std::int64_t index) const {
  if (index < 0 || static_cast<std::size_t>(index) >= nodes_.size())
    base::fail(Status::out_of_range, "index is ", index, "; the tree has ", nodes_.size(), " nodes");
  return nodes_[static_cast<std::size_t>(index)];
}

void Tree::require_complete() const {
  base::require(!nodes_.empty(), "tree has no nodes");
  base::require(open_.empty(), "tree is not complete: the ", open_.empty() ? "" : kind_name(nodes_[open_.back().index].kind),
                " at index ", open_.empty() ? 0 : open_.back().index, " lacks ", open_.empty() ? 0 : open_.back().missing,
                " nodes");
}

// Calls visit(text, value) for each pair with a string key until it returns false.
template <class Visit>
void Tree::for_each_text(std::int64_t container, Visit&& visit) const {
  const std::size_t end = at(container).end;
  for (std::size_t i = static_cast<std::size_t>(container) + 1; i < end;) {
    const std::size_t value = nodes_[i].end;
    if (value >= nodes_.size()) return;  // not complete
    if (nodes_[i].kind == TreeKind::text && !visit(std::string_view(nodes_[i].bytes), static_cast<std::int64_t>(value))) return;
    i = nodes_[value].end;
  }
}

std::int64_t Tree::find(std::int64_t index, std::string_view key) const {
  constexpr std::int64_t few_pairs = 32;
  if (at(index).kind == TreeKind::attributes) return find(index + 1, key);
  const TreeNode& container = at(index);
  base::require(is_dict(container.kind) || is_record(container.kind), "the node at index ", index, " is of kind '",
                kind_name(container.kind), "'; expected a dict, named tuple or dataclass");
  std::int64_t found = -1;
  if (container.integer <= few_pairs || !open_.empty()) {
    for_each_text(index, [&](std::string_view text, std::int64_t value) {
      if (text == key) found = value;
      return found < 0;
    });
  } else {
    auto container_values = found_.value.find(index);
    if (container_values == found_.value.end()) {
      ValuesByText values;
      for_each_text(index, [&](std::string_view text, std::int64_t value) {
        values.emplace(text, value);
        return true;
      });
      container_values = found_.value.emplace(index, std::move(values)).first;
    }
    const auto known = container_values->second.find(key);
    if (known != container_values->second.end()) found = known->second;
  }
  if (found >= 0) return found;
  base::fail(Status::not_found, "key ", base::quote(key), " is not in the ", kind_name(container.kind), " at index ", index);
}

std::shared_ptr<tensor::Tensor> Tree::tensor(std::int64_t index) {
  const TreeNode& node = at(index);
  base::require(node.kind == TreeKind::tensor, "the node at index ", index, " is of kind '", kind_name(node.kind),
                "'; expected a tensor");
  if (node.tensor != nullptr) return node.tensor;
  if (source_ == nullptr)
    base::fail(Status::invalid_state, "the tree was parsed from text: it does not contain the tensor ", base::quote(node.bytes));
  auto& read = read_[node.bytes];
  if (read == nullptr) read = source_(node.bytes);
  return nodes_[static_cast<std::size_t>(index)].tensor = read;
}

}  // namespace ckpt::state
