// Generated from include/ckpt by tools/api: do not edit.
// tree.hpp - the values of tree.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_TREE_HPP
#define CKPT_VALUES_TREE_HPP

#include <ckpt/tree.h>
#include <ckpt/values/value.hpp>

namespace ckpt {

// The kind of a node of a tree.
enum class TreeKind : std::int32_t {
  // no value
  null = CKPT_TREE_KIND_NULL,
  // truth value
  boolean = CKPT_TREE_KIND_BOOLEAN,
  // whole number of 64 bits with sign
  integer = CKPT_TREE_KIND_INTEGER,
  // whole number beyond 64 bits, as text: "-0x1f..."
  big_integer = CKPT_TREE_KIND_BIG_INTEGER,
  // floating-point number of 64 bits, also NaN (bit for bit) and infinities
  number = CKPT_TREE_KIND_NUMBER,
  // complex number: real and imaginary part, 64 bits each
  complex = CKPT_TREE_KIND_COMPLEX,
  // string in UTF-8; lone surrogates of other languages' strings take three bytes each
  text = CKPT_TREE_KIND_TEXT,
  // sequence of bytes
  bytes = CKPT_TREE_KIND_BYTES,
  // mutable sequence of bytes, in languages that have a separate type for it
  bytearray = CKPT_TREE_KIND_BYTEARRAY,
  // path of the writer's system, as text
  path = CKPT_TREE_KIND_PATH,
  // path of a POSIX system, as text
  posix_path = CKPT_TREE_KIND_POSIX_PATH,
  // path of Windows, as text
  windows_path = CKPT_TREE_KIND_WINDOWS_PATH,
  // container: parts follow
  list = CKPT_TREE_KIND_LIST,
  // container: parts follow; an immutable list
  tuple = CKPT_TREE_KIND_TUPLE,
  // container: keys follow, each before its value
  dict = CKPT_TREE_KIND_DICT,
  // container: a dict in which the order is part of the value
  ordered_dict = CKPT_TREE_KIND_ORDERED_DICT,
  // container with a class's name: names of fields follow, each before its value
  named_tuple = CKPT_TREE_KIND_NAMED_TUPLE,
  // container with a class's name: names of fields follow, each before its value
  dataclass = CKPT_TREE_KIND_DATACLASS,
  // tensor of the group
  tensor = CKPT_TREE_KIND_TENSOR,
  // container of two parts: a value, and a dict of its attributes by name (format 2)
  attributes = CKPT_TREE_KIND_ATTRIBUTES,
};

// The type of a tensor of a tree in the writer's program.
enum class TreeForm : std::int32_t {
  // array of a numeric library (NumPy), or of the language
  array = CKPT_TREE_FORM_ARRAY,
  // scalar of a numeric library, without dimensions
  scalar = CKPT_TREE_FORM_SCALAR,
  // tensor of PyTorch
  torch = CKPT_TREE_FORM_TORCH,
  // tensor of libckpt
  tensor = CKPT_TREE_FORM_TENSOR,
  // torch.nn.Parameter; the attribute "requires_grad" is stored when it is false (format 2)
  parameter = CKPT_TREE_FORM_PARAMETER,
};

}  // namespace ckpt

#endif
