// A value of any shape as one group: tree formats 1 and 2 (docs/reference/file-format.md). It is a walk of nodes, a container before its parts, so
// nothing here recurses.
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
// Its parts are not pairs.
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
  TreeForm form = TreeForm::array;  // of a tensor, as are the next two
  bool big_endian = false;
  bool complex128 = false;
  std::string bytes;         // text, digits of a big integer, name of a class, name of a tensor
  std::int64_t integer = 0;  // also a truth value; of a container its parts, or pairs
  double number = 0;
  double imaginary = 0;
  std::size_t end = 0;                     // behind it and what is in it
  std::shared_ptr<tensor::Tensor> tensor;  // nullptr: not read so far, or there is only a text
};

// Not synchronised. A field of a record is a pair of a text and a value, as an item of a dict is.
class Tree {
 public:
  using ReadTensor = std::function<std::shared_ptr<tensor::Tensor>(const std::string& name)>;

  // Error(invalid_argument) for a node that has no place here or is none. A tensor without a name gets one.
  void add(TreeNode node);

  const std::vector<TreeNode>& nodes() const noexcept { return nodes_; }
  // The next node is the key of a dict, or the name of a record's field.
  bool awaits_key() const noexcept;
  bool awaits_field() const noexcept { return awaits_key() && is_record(nodes_[open_.back().index].kind); }
  // Error(out_of_range).
  const TreeNode& at(std::int64_t index) const;
  // The lowest version of the format that has all its nodes.
  int format_version() const noexcept { return format_version_; }
  // Error(invalid_argument) unless all containers have their parts.
  void require_complete() const;
  // The value that the dict or record at index has for a text; Error(not_found).
  std::int64_t find(std::int64_t index, std::string_view key) const;
  // Error(invalid_state) when there is only a text. Nodes of one name share one tensor.
  std::shared_ptr<tensor::Tensor> tensor(std::int64_t index);

  // How the tensors of a tree that was read are read.
  void set_source(ReadTensor source) { source_ = std::move(source); }
  bool has_source() const noexcept { return source_ != nullptr; }

 private:
  struct Open {
    std::size_t index;
    std::int64_t missing;  // nodes, those inside of others not counted
    bool inside_key;
    std::size_t key = 0;  // of a dict or record: where the newest key begins
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
  std::map<std::string, std::int64_t> numbers_;  // the last one behind a name that was taken
  std::map<std::tuple<const void*, tensor::Dtype, std::string>, std::string> names_of_memory_;
  std::map<std::string, std::shared_ptr<tensor::Tensor>> read_;
  ReadTensor source_;
  // Indexes the values of each large container by key, from the first find in it on, so that a search for each of many keys is not
  // quadratic. Used for complete trees. The strings point into the nodes.
  mutable base::NotCopied<std::unordered_map<std::int64_t, ValuesByText>> found_;
};

// Error(corrupt) that names the node; Error(unsupported) for a later version.
Tree parse_tree(std::string_view text);
std::string to_text(const Tree& tree);
// The nodes begin .. end as JSON, with commas between them.
std::string nodes_text(const std::vector<TreeNode>& nodes, std::size_t begin, std::size_t end);
// Hexadecimal with "0x", a sign only before negative ones, no needless digits; an integer where it fits. false: the text is none.
bool set_whole_number(TreeNode& node, std::string_view hexadecimal);
// What is wrong with a tensor that has the node's form; "" when nothing is.
std::string form_problem(const TreeNode& node, tensor::Dtype dtype, std::span<const std::int64_t> shape);

}  // namespace ckpt::state
