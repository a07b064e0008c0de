#include "tree.h"

#include <string>
#include <utility>

#include "guard.h"
#include "state.h"
#include "tensor.h"

using ckpt::base::require;
using ckpt::capi::array_argument;
using ckpt::capi::checked;
using ckpt::capi::copy_text;
using ckpt::capi::guard;
using ckpt::capi::hand_out;
using ckpt::capi::not_null;
using ckpt::capi::release;
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
  require(kind >= CKPT_TREE_KIND_NULL && kind <= CKPT_TREE_KIND_ATTRIBUTES, "kind is ", kind, "; ", CKPT_TREE_KIND_NULL, " .. ",
          CKPT_TREE_KIND_ATTRIBUTES, " (CKPT_TREE_KIND_*)");
  return static_cast<TreeKind>(kind);
}

TreeNode node_of(TreeKind kind) {
  TreeNode node;
  node.kind = kind;
  return node;
}

// The node at index, when it is of a kind that has what is asked for.
const TreeNode& node_with(const ckpt_tree* handle, int64_t index, const char* wanted, bool (*has)(TreeKind)) {
  const TreeNode& node = handle->object->at(index);
  require(has(node.kind), "the node at index ", index, " is of kind '", kind_name(node.kind), "', not a ", wanted);
  return node;
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

ckpt_status ckpt_tree_add_null(ckpt_tree* handle) {
  return guard([&] { checked(handle, "tree")->object->add(TreeNode()); });
}

ckpt_status ckpt_tree_add_boolean(ckpt_tree* handle, ckpt_bool truth) {
  return guard([&] {
    TreeNode node = node_of(TreeKind::boolean);
    node.integer = truth != 0 ? 1 : 0;
    checked(handle, "tree")->object->add(std::move(node));
  });
}

ckpt_status ckpt_tree_add_integer(ckpt_tree* handle, int64_t value) {
  return guard([&] {
    TreeNode node = node_of(TreeKind::integer);
    node.integer = value;
    checked(handle, "tree")->object->add(std::move(node));
  });
}

ckpt_status ckpt_tree_add_number(ckpt_tree* handle, double value) {
  return guard([&] {
    TreeNode node = node_of(TreeKind::number);
    node.number = value;
    checked(handle, "tree")->object->add(std::move(node));
  });
}

ckpt_status ckpt_tree_add_complex(ckpt_tree* handle, double real, double imaginary) {
  return guard([&] {
    TreeNode node = node_of(TreeKind::complex);
    node.number = real;
    node.imaginary = imaginary;
    checked(handle, "tree")->object->add(std::move(node));
  });
}

ckpt_status ckpt_tree_add_bytes(ckpt_tree* handle, ckpt_tree_kind kind, const void* data, int64_t bytes) {
  return guard([&] {
    checked(handle, "tree");
    TreeNode node = node_of(kind_argument(kind));
    require(has_bytes(node.kind), "kind is ", kind, ", a ", kind_name(node.kind),
            "; texts, paths, bytes and big integers are added so");
    const auto given = array_argument(static_cast<const char*>(data), bytes, "data");
    node.bytes.assign(given.begin(), given.end());
    handle->object->add(std::move(node));
  });
}

ckpt_status ckpt_tree_add_container(ckpt_tree* handle, ckpt_tree_kind kind, const char* class_name, int64_t count) {
  return guard([&] {
    checked(handle, "tree");
    TreeNode node = node_of(kind_argument(kind));
    require(is_container(node.kind), "kind is ", kind, ", a ", kind_name(node.kind),
            "; only lists, tuples, dicts, named tuples, dataclasses and values with attributes are containers");
    if (is_record(node.kind)) {
      node.bytes = not_null(class_name, "class_name");
    } else {
      require(class_name == nullptr, "class_name is ", ckpt::base::quote(class_name == nullptr ? "" : class_name), "; a ",
              kind_name(node.kind), " has none");
    }
    node.integer = count;
    handle->object->add(std::move(node));
  });
}

ckpt_status ckpt_tree_add_tensor(ckpt_tree* handle, ckpt_tree_form form, ckpt_bool is_big_endian, ckpt_bool is_complex128,
                                 ckpt_tensor* tensor) {
  return guard([&] {
    checked(handle, "tree");
    require(form >= CKPT_TREE_FORM_ARRAY && form <= CKPT_TREE_FORM_PARAMETER, "form is ", form, "; ", CKPT_TREE_FORM_ARRAY, " .. ",
            CKPT_TREE_FORM_PARAMETER, " (CKPT_TREE_FORM_*)");
    TreeNode node = node_of(TreeKind::tensor);
    node.form = static_cast<TreeForm>(form);
    node.big_endian = is_big_endian != 0;
    node.complex128 = is_complex128 != 0;
    node.tensor = tensor_argument(tensor, "tensor");
    handle->object->add(std::move(node));
  });
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

ckpt_status ckpt_tree_get_node(const ckpt_tree* handle, int64_t index, ckpt_tree_kind* kind, int64_t* count, int64_t* end) {
  return guard([&] {
    checked(handle, "tree");
    not_null(kind, "kind");
    not_null(count, "count");
    not_null(end, "end");
    const TreeNode& node = handle->object->at(index);
    *kind = static_cast<ckpt_tree_kind>(node.kind);
    *count = is_container(node.kind) ? node.integer : 0;
    *end = static_cast<int64_t>(node.end);
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

ckpt_status ckpt_tree_get_integer(const ckpt_tree* handle, int64_t index, int64_t* value) {
  return guard([&] {
    checked(handle, "tree");
    not_null(value, "value");
    *value = node_with(handle, index, "whole number or truth value", [](TreeKind kind) {
               return kind == TreeKind::boolean || kind == TreeKind::integer;
             }).integer;
  });
}

ckpt_status ckpt_tree_get_number(const ckpt_tree* handle, int64_t index, double* real, double* imaginary) {
  return guard([&] {
    checked(handle, "tree");
    not_null(real, "real");
    not_null(imaginary, "imaginary");
    const TreeNode& node = node_with(handle, index, "floating-point number",
                                     [](TreeKind kind) { return kind == TreeKind::number || kind == TreeKind::complex; });
    *real = node.number;
    *imaginary = node.imaginary;
  });
}

ckpt_status ckpt_tree_get_bytes(const ckpt_tree* handle, int64_t index, const char** data, int64_t* bytes) {
  return guard([&] {
    checked(handle, "tree");
    not_null(data, "data");
    not_null(bytes, "bytes");
    const TreeNode& node = node_with(handle, index, "text, path, big integer, row of bytes, record or tensor",
                                     [](TreeKind kind) { return has_bytes(kind) || is_record(kind) || kind == TreeKind::tensor; });
    *data = node.bytes.c_str();
    *bytes = static_cast<int64_t>(node.bytes.size());
  });
}

ckpt_status ckpt_tree_get_form(const ckpt_tree* handle, int64_t index, ckpt_tree_form* form, ckpt_bool* is_big_endian,
                               ckpt_bool* is_complex128) {
  return guard([&] {
    checked(handle, "tree");
    not_null(form, "form");
    not_null(is_big_endian, "is_big_endian");
    not_null(is_complex128, "is_complex128");
    const TreeNode& node = node_with(handle, index, "tensor", [](TreeKind kind) { return kind == TreeKind::tensor; });
    *form = static_cast<ckpt_tree_form>(node.form);
    *is_big_endian = node.big_endian ? 1 : 0;
    *is_complex128 = node.complex128 ? 1 : 0;
  });
}

ckpt_status ckpt_tree_get_tensor(ckpt_tree* handle, int64_t index, ckpt_tensor** out) {
  return guard([&] {
    checked(handle, "tree");
    not_null(out, "tensor");
    hand_out(out, handle->object->tensor(index));
  });
}
