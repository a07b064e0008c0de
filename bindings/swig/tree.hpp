// tree.hpp - replacements of ckpt_tree_add and ckpt_tree_get: ckpt_tree_node is not passed to other languages.
#ifndef CKPT_SWIG_TREE_HPP
#define CKPT_SWIG_TREE_HPP

#include <ckpt/ckpt.h>

#include <cstring>

#include "calls.hpp"

namespace ckpt_swig {

#ifndef SWIG
inline ckpt_tree_node tree_node(ckpt_tree_kind kind) {
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  node.kind = kind;
  return node;
}
#endif

inline ckpt_status tree_add_null(ckpt_tree* tree) {
  const ckpt_tree_node node = tree_node(CKPT_TREE_KIND_NULL);
  return ckpt_tree_add(tree, &node);
}
inline ckpt_status tree_add_boolean(ckpt_tree* tree, ckpt_bool truth) {
  ckpt_tree_node node = tree_node(CKPT_TREE_KIND_BOOLEAN);
  node.integer = truth;
  return ckpt_tree_add(tree, &node);
}
inline ckpt_status tree_add_integer(ckpt_tree* tree, int64_t value) {
  ckpt_tree_node node = tree_node(CKPT_TREE_KIND_INTEGER);
  node.integer = value;
  return ckpt_tree_add(tree, &node);
}
inline ckpt_status tree_add_number(ckpt_tree* tree, double value) {
  ckpt_tree_node node = tree_node(CKPT_TREE_KIND_NUMBER);
  node.real = value;
  return ckpt_tree_add(tree, &node);
}
inline ckpt_status tree_add_complex(ckpt_tree* tree, double real, double imaginary) {
  ckpt_tree_node node = tree_node(CKPT_TREE_KIND_COMPLEX);
  node.real = real;
  node.imaginary = imaginary;
  return ckpt_tree_add(tree, &node);
}
inline ckpt_status tree_add_bytes(ckpt_tree* tree, ckpt_tree_kind kind, const void* data, int64_t bytes) {
  ckpt_tree_node node = tree_node(kind);
  node.data = data;
  node.bytes = bytes;
  return ckpt_tree_add(tree, &node);
}
inline ckpt_status tree_add_container(ckpt_tree* tree, ckpt_tree_kind kind, const char* class_name, int64_t count) {
  ckpt_tree_node node = tree_node(kind);
  node.data = class_name;
  node.bytes = class_name == nullptr ? 0 : static_cast<int64_t>(std::strlen(class_name));
  node.count = count;
  return ckpt_tree_add(tree, &node);
}
inline ckpt_status tree_add_tensor(ckpt_tree* tree, ckpt_tree_form form, ckpt_bool is_big_endian, ckpt_bool is_complex128,
                                   ckpt_tensor* tensor) {
  ckpt_tree_node node = tree_node(CKPT_TREE_KIND_TENSOR);
  node.form = form;
  node.is_big_endian = is_big_endian;
  node.is_complex128 = is_complex128;
  node.tensor = tensor;
  return ckpt_tree_add(tree, &node);
}

inline ckpt_status tree_get_node(const ckpt_tree* tree, int64_t index, ckpt_tree_kind* kind, int64_t* count, int64_t* end) {
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  const ckpt_status status = ckpt_tree_get(tree, index, &node);
  *kind = node.kind;
  *count = node.count;
  *end = node.end;
  return status;
}
inline ckpt_status tree_get_integer(const ckpt_tree* tree, int64_t index, int64_t* value) {
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  const ckpt_status status = ckpt_tree_get(tree, index, &node);
  *value = node.integer;
  return status;
}
inline ckpt_status tree_get_number(const ckpt_tree* tree, int64_t index, double* real, double* imaginary) {
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  const ckpt_status status = ckpt_tree_get(tree, index, &node);
  *real = node.real;
  *imaginary = node.imaginary;
  return status;
}
inline ckpt_status tree_get_form(const ckpt_tree* tree, int64_t index, ckpt_tree_form* form, ckpt_bool* is_big_endian,
                                 ckpt_bool* is_complex128) {
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  const ckpt_status status = ckpt_tree_get(tree, index, &node);
  *form = node.form;
  *is_big_endian = node.is_big_endian;
  *is_complex128 = node.is_complex128;
  return status;
}

inline ByteString tree_get_bytes(const ckpt_tree* tree, int64_t index) {
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  check(ckpt_tree_get(tree, index, &node));
  return {std::string(static_cast<const char*>(node.data), static_cast<std::size_t>(node.bytes))};
}

}  // namespace ckpt_swig

#endif
