// A value of any structure as one group: tree formats 1 and 2 (docs/reference/file-format.md). The tree is a sequence of nodes,
// each container before its parts, so that nothing recurses.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/not_copied.h"
#include "tensor/tensor.h"

namespace ckpt::state {

constexpr std::size_t deepest_tree = 1000;
constexpr std::string_view tree_tensor = "__tree__";

// The numbers are those of CKPT_TREE_KIND_* and CKPT_TREE_FORM_*.
enum class TreeKind : std::int32_t {
  null = 0,
  boolean,
  integer,
  big_integer,
  number,
  complex,
  text,
  bytes,
  bytearray,
  path,
  posix_path,
  windows_path,
  list,
  tuple,
  dict,
  ordered_dict,
  named_tuple,
  dataclass,
  tensor,
  attributes,  // two parts: a value, and a dict of its attributes
};
enum class TreeForm : std::int32_t { array = 0, scalar, torch, tensor, parameter };

inline bool is_record(TreeKind kind) noexcept { return kind == TreeKind::named_tuple || kind == TreeKind::dataclass; }
inline bool is_dict(TreeKind kind) noexcept { return kind == TreeKind::dict || kind == TreeKind::ordered_dict; }
// Returns whether its parts are single nodes, not pairs.
inline bool is_list(TreeKind kind) noexcept {
  return kind == TreeKind::list || kind == TreeKind::tuple || kind == TreeKind::attributes;
}
inline bool is_container(TreeKind kind) noexcept {
  return (kind >= TreeKind::list && kind <= TreeKind::dataclass) || kind == TreeKind::attributes;
}
inline bool is_path(TreeKind kind) noexcept { return kind >= TreeKind::path && kind <= TreeKind::windows_path; }
inline bool has_bytes(TreeKind kind) noexcept {
  return kind == TreeKind::big_integer || (kind >= TreeKind::text && kind <= TreeKind::windows_path);
}
std::string_view kind_name(TreeKind kind) noexcept;

struct TreeNode {
  TreeKind kind = TreeKind::null;
  TreeForm form = TreeForm::array;  // for tensors, as are the next two
  bool big_endian = false;
  bool complex128 = false;
  std::string bytes;         // string, digits of a big integer, name of a class, name of a tensor
  std::int64_t integer = 0;  // also a boolean; for a container the number of parts or pairs
  double number = 0;
  double imaginary = 0;
  std::size_t end = 0;                     // index after it and its contents
  std::shared_ptr<tensor::Tensor> tensor;  // nullptr: not read yet, or the tree was parsed from text
};

// Not synchronized. A field of a record is a pair of a string and a value, like an item of a dict.
class Tree {
 public:
  using ReadTensor = std::function<std::shared_ptr<tensor::Tensor>(const std::string& name)>;

  // Error(invalid_argument) for an invalid node, or one that is not allowed here. A tensor without a name gets one.
  void add(TreeNode node);

  const std::vector<TreeNode>& nodes() const noexcept { return nodes_; }
  // Returns whether the next node is the key of a dict or the name of a record's field.
  bool awaits_key() const noexcept;
  bool awaits_field() const noexcept { return awaits_key() && is_record(nodes_[open_.back().index].kind); }
  // Error(out_of_range).
  const TreeNode& at(std::int64_t index) const;
  // Returns the lowest format version that supports all its nodes.
  int format_version() const noexcept { return format_version_; }
  // Error(invalid_argument) unless all containers have their parts.
  void require_complete() const;
  // Returns the value for a string key of the dict or record at index; Error(not_found).
  std::int64_t find(std::int64_t index, std::string_view key) const;
  // Error(invalid_state) if the tree was parsed from text. Nodes with the same name share one tensor.
  std::shared_ptr<tensor::Tensor> tensor(std::int64_t index);

  // Sets the reader of the tensors of a tree that was read.
  void set_source(ReadTensor source) { source_ = std::move(source); }
  bool has_source() const noexcept { return source_ != nullptr; }

 private:
  struct Open {
    std::size_t index;
    std::int64_t missing;  // nodes, without nested ones
    bool inside_key;
    std::size_t key = 0;  // dict or record: start of the newest key
    std::set<std::string> keys;
  };

  using ValuesByText = std::unordered_map<std::string_view, std::int64_t>;

  template <class Visit>
  void for_each_text(std::int64_t container, Visit&& visit) const;
  void check_place(const TreeNode& node, bool inside_key) const;
  void check_attributes(const TreeNode& node) const;
  std::string free_name();
  std::string path() const;
  std::string label(const Open& open) const;
  void keep_key();
  void close();

  std::vector<TreeNode> nodes_;
  int format_version_ = 1;
  std::vector<Open> open_;
  std::set<std::string> taken_;                  // names of tensors
  std::map<std::string, std::int64_t> numbers_;  // last number appended to a taken name
  std::map<std::tuple<const void*, tensor::Dtype, std::string>, std::string> names_of_memory_;
  std::map<std::string, std::shared_ptr<tensor::Tensor>> read_;
  ReadTensor source_;
  // Indexes the values of large containers by key, from the first find on, so that looking up many keys is not quadratic. Used for
  // complete trees. The strings point into the nodes.
  mutable base::NotCopied<std::unordered_map<std::int64_t, ValuesByText>> found_;
};

// Error(corrupt) names the node; Error(unsupported) for a newer version.
Tree parse_tree(std::string_view text);
std::string to_text(const Tree& tree);
// Returns the nodes begin .. end as JSON, separated by commas.
std::string nodes_text(const std::vector<TreeNode>& nodes, std::size_t begin, std::size_t end);
// Parses hexadecimal with "0x", a sign only for negative numbers, no leading zeros; stores an integer if it fits. Returns false for
// any other text.
bool set_whole_number(TreeNode& node, std::string_view hexadecimal);
// Describes why a tensor does not match the node's form; "" if it does.
std::string form_problem(const TreeNode& node, tensor::Dtype dtype, std::span<const std::int64_t> shape);

}  // namespace ckpt::state
