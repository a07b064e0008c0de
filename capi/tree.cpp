#include "tree.h"

#include <string>
#include <utility>

#include "guard.h"
#include "state.h"
#include "state/manager/group_tree.h"
#include "structs.h"
#include "tensor.h"

using ckpt::base::require;
using ckpt::capi::array_argument;
using ckpt::capi::check_struct;
using ckpt::capi::checked;
using ckpt::capi::copy_text;
using ckpt::capi::defaults;
using ckpt::capi::fill_struct;
using ckpt::capi::guard;
using ckpt::capi::hand_out;
using ckpt::capi::not_null;
using ckpt::capi::release;
using ckpt::capi::struct_argument;
using ckpt::capi::tensor_argument;
namespace state = ckpt::state;
using state::TreeForm;
using state::TreeKind;
using state::TreeNode;

namespace {

static_assert(static_cast<int32_t>(TreeKind::tensor) == CKPT_TREE_KIND_TENSOR);
static_assert(static_cast<int32_t>(TreeKind::list) == CKPT_TREE_KIND_LIST);
static_assert(static_cast<int32_t>(TreeKind::attributes) == CKPT_TREE_KIND_ATTRIBUTES);
static_assert(static_cast<int32_t>(TreeForm::parameter) == CKPT_TREE_FORM_PARAMETER);
static_assert(state::deepest_tree == CKPT_TREE_LARGEST_DEPTH);
static_assert(state::tree_tensor == CKPT_TREE_TENSOR);

TreeKind kind_argument(ckpt_tree_kind kind) {
  require(kind >= CKPT_TREE_KIND_NULL && kind <= CKPT_TREE_KIND_ATTRIBUTES, "node.kind is ", kind, "; expected ",
          CKPT_TREE_KIND_NULL, " .. ", CKPT_TREE_KIND_ATTRIBUTES, " (CKPT_TREE_KIND_*)");
  return static_cast<TreeKind>(kind);
}

std::string bytes_argument(const ckpt_tree_node& given) {
  const auto bytes = array_argument(static_cast<const char*>(given.data), given.bytes, "node.data");
  return {bytes.begin(), bytes.end()};
}

TreeForm form_argument(ckpt_tree_form form) {
  require(form >= CKPT_TREE_FORM_ARRAY && form <= CKPT_TREE_FORM_PARAMETER, "node.form is ", form, "; expected ",
          CKPT_TREE_FORM_ARRAY, " .. ", CKPT_TREE_FORM_PARAMETER, " (CKPT_TREE_FORM_*)");
  return static_cast<TreeForm>(form);
}

TreeNode node_argument(const ckpt_tree_node& given) {
  TreeNode node;
  node.kind = kind_argument(given.kind);
  if (has_bytes(node.kind)) {
    node.bytes = bytes_argument(given);
  } else if (is_container(node.kind)) {
    if (is_record(node.kind)) {
      node.bytes = bytes_argument(given);
      require(!node.bytes.empty(), "node.bytes is 0; the name of the class of a ", kind_name(node.kind));
    }
    node.integer = given.count;
  } else if (node.kind == TreeKind::tensor) {
    node.form = form_argument(given.form);
    node.big_endian = given.is_big_endian != 0;
    node.complex128 = given.is_complex128 != 0;
    node.tensor = tensor_argument(given.tensor, "node.tensor");
  } else if (node.kind == TreeKind::boolean) {
    node.integer = given.integer != 0 ? 1 : 0;
  } else if (node.kind == TreeKind::integer) {
    node.integer = given.integer;
  } else if (node.kind == TreeKind::number || node.kind == TreeKind::complex) {
    node.number = given.real;
    node.imaginary = node.kind == TreeKind::complex ? given.imaginary : 0;
  }
  return node;
}

ckpt_tree_node to_c(const TreeNode& node) {
  auto values = defaults<ckpt_tree_node>;
  values.kind = static_cast<ckpt_tree_kind>(node.kind);
  (is_container(node.kind) ? values.count : values.integer) = node.integer;
  values.real = node.number;
  values.imaginary = node.imaginary;
  if (has_bytes(node.kind) || is_record(node.kind) || node.kind == TreeKind::tensor) values.data = node.bytes.c_str();
  values.bytes = static_cast<int64_t>(node.bytes.size());
  values.end = static_cast<int64_t>(node.end);
  values.form = static_cast<ckpt_tree_form>(node.form);
  values.is_big_endian = node.big_endian ? 1 : 0;
  values.is_complex128 = node.complex128 ? 1 : 0;
  return values;
}

}  // namespace

ckpt_status ckpt_tree_create(ckpt_tree** out) {
  return guard([&] { hand_out(not_null(out, "tree"), std::make_shared<state::Tree>()); });
}

ckpt_status ckpt_tree_create_from_text(const void* data, int64_t bytes, ckpt_tree** out) {
  return guard([&] {
    const auto given = array_argument(static_cast<const char*>(data), bytes, "data");
    not_null(out, "tree");
    hand_out(out, std::make_shared<state::Tree>(state::parse_tree({given.data(), given.size()})));
  });
}

ckpt_status ckpt_tree_create_from_state(const ckpt_state* from, const char* group, ckpt_tree** out) {
  return guard([&] {
    checked(from, "state");
    not_null(group, "group");
    not_null(out, "tree");
    hand_out(out, std::make_shared<state::Tree>(state::tree_of(*from->object, group)));
  });
}

ckpt_status ckpt_tree_create_from_reader(ckpt_reader* reader, const char* group, ckpt_tree** out) {
  return guard([&] {
    checked(reader, "reader");
    not_null(out, "tree");
    hand_out(out, std::make_shared<state::Tree>(state::tree_of(reader->object, group == nullptr ? "" : group)));
  });
}

void ckpt_tree_release(ckpt_tree* handle) { release(handle); }

// ---- Adding ----

ckpt_status ckpt_tree_add(ckpt_tree* handle, const ckpt_tree_node* node) {
  return guard([&] { checked(handle, "tree")->object->add(node_argument(struct_argument(node, "node"))); });
}

ckpt_status ckpt_state_set_tree(ckpt_state* handle, const char* group, ckpt_tree* tree) {
  return guard([&] {
    checked(handle, "state");
    not_null(group, "group");
    state::set_tree(*handle->object, group, *checked(tree, "tree")->object);
  });
}

// ---- Reading ----

ckpt_status ckpt_tree_get_text(const ckpt_tree* handle, char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] { copy_text(state::to_text(*checked(handle, "tree")->object), buffer, capacity, needed); });
}

ckpt_status ckpt_tree_get(const ckpt_tree* handle, int64_t index, ckpt_tree_node* node) {
  return guard([&] {
    checked(handle, "tree");
    check_struct(node, "node");
    fill_struct(node, to_c(handle->object->at(index)), "node");
  });
}

ckpt_status ckpt_tree_find(const ckpt_tree* handle, int64_t index, const char* key, int64_t* found) {
  return guard([&] {
    checked(handle, "tree");
    not_null(key, "key");
    not_null(found, "found");
    *found = handle->object->find(index, key);
  });
}

ckpt_status ckpt_tree_get_tensor(ckpt_tree* handle, int64_t index, ckpt_tensor** out) {
  return guard([&] {
    checked(handle, "tree");
    not_null(out, "tensor");
    hand_out(out, handle->object->tensor(index));
  });
}
