/* tree.h - values of any shape as one group of a state: lists, dicts, numbers, texts, bytes and tensors, one in the other. Every
 * language reads what another one wrote.
 *
 *   ckpt_tree *tree = NULL;                                    {"epoch": 3}, node after node: a container, then its parts;
 *   ckpt_tree_node node = CKPT_TREE_NODE_INIT;                 in a dict each key precedes its value
 *   ckpt_tree_create(&tree);
 *   node.kind = CKPT_TREE_KIND_DICT, node.count = 1;
 *   ckpt_tree_add(tree, &node);
 *   node.kind = CKPT_TREE_KIND_TEXT, node.data = "epoch", node.bytes = 5;
 *   ckpt_tree_add(tree, &node);
 *   node.kind = CKPT_TREE_KIND_INTEGER, node.integer = 3;
 *   ckpt_tree_add(tree, &node);
 *   ckpt_state_set_tree(state, "extra", tree);                 saved with the state's other groups
 *
 *   ckpt_tree_create_from_reader(reader, "extra", &tree);      later: nodes have numbers in this order, the root is number 0
 *   ckpt_tree_find(tree, 0, "epoch", &index);
 *   ckpt_tree_get(tree, index, &node);                         node.integer is 3
 *
 * A list's first part is the node after it, the next part the node at the first part's end, and so on. docs/reference/file-format.md describes the
 * text that holds a tree: format 1, or format 2 when the tree has attributes or parameters, which libraries that read only
 * format 1 refuse with UNSUPPORTED. Read the general rules at the top of ckpt.h first.
 *
 * A beginner needs:
 *
 *   ckpt_tree_create, ckpt_tree_add, ckpt_state_set_tree
 *   ckpt_tree_create_from_reader, ckpt_tree_find, ckpt_tree_get
 *   ckpt_tree_release
 */
#ifndef CKPT_TREE_H
#define CKPT_TREE_H

#include <ckpt/base.h>
#include <ckpt/state.h>
#include <ckpt/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A value of any shape: a walk of nodes, a container before its parts. One thread at a time; one made from a reader reads tensors
 * through it and counts as a use of that reader. */
typedef struct ckpt_tree ckpt_tree;

/* Most containers that may be open at once, each inside the one before. */
#define CKPT_TREE_LARGEST_DEPTH 1000 /* number of containers that may stand one in the other, the outermost included */

/* name of the tensor that holds a tree's text: a group that has it is a tree */
#define CKPT_TREE_TENSOR "__tree__"

/* What a node of a tree is. */
typedef int32_t ckpt_tree_kind;

#define CKPT_TREE_KIND_NULL 0          /* no value */
#define CKPT_TREE_KIND_BOOLEAN 1       /* truth value */
#define CKPT_TREE_KIND_INTEGER 2       /* whole number of 64 bits with sign */
#define CKPT_TREE_KIND_BIG_INTEGER 3   /* whole number beyond 64 bits, as text: "-0x1f..." */
#define CKPT_TREE_KIND_NUMBER 4        /* floating-point number of 64 bits, also NaN (bit for bit) and infinities */
#define CKPT_TREE_KIND_COMPLEX 5       /* two such numbers: the real and the imaginary part */
#define CKPT_TREE_KIND_TEXT 6          /* text in UTF-8; lone surrogates of other languages' texts are three bytes each in it */
#define CKPT_TREE_KIND_BYTES 7         /* any row of bytes */
#define CKPT_TREE_KIND_BYTEARRAY 8     /* row of bytes that can be changed, in languages that have two types */
#define CKPT_TREE_KIND_PATH 9          /* path of the writer's system, as text */
#define CKPT_TREE_KIND_POSIX_PATH 10   /* path of a POSIX system, as text */
#define CKPT_TREE_KIND_WINDOWS_PATH 11 /* path of Windows, as text */
#define CKPT_TREE_KIND_LIST 12         /* container: parts follow */
#define CKPT_TREE_KIND_TUPLE 13        /* container: parts follow; a list that cannot be changed */
#define CKPT_TREE_KIND_DICT 14         /* container: keys, each with its value behind it, follow */
#define CKPT_TREE_KIND_ORDERED_DICT 15 /* container: a dict whose order is a part of its value */
#define CKPT_TREE_KIND_NAMED_TUPLE 16  /* container with a class's name: names of fields, each with its value behind it, follow */
#define CKPT_TREE_KIND_DATACLASS 17    /* container with a class's name: names of fields, each with its value behind it, follow */
#define CKPT_TREE_KIND_TENSOR 18       /* tensor of the group */
#define CKPT_TREE_KIND_ATTRIBUTES 19   /* container of two parts: a value, and a dict of its attributes by name (format 2) */

/* What a tensor of a tree was in the writer's program. */
typedef int32_t ckpt_tree_form;

#define CKPT_TREE_FORM_ARRAY 0     /* array of a library for numbers (NumPy), or of the language */
#define CKPT_TREE_FORM_SCALAR 1    /* single number of such a library, without dimensions */
#define CKPT_TREE_FORM_TORCH 2     /* tensor of PyTorch */
#define CKPT_TREE_FORM_TENSOR 3    /* tensor of libckpt */
#define CKPT_TREE_FORM_PARAMETER 4 /* torch.nn.Parameter; the attribute "requires_grad" is stored when it is false (format 2) */

/* A node of a tree. Each kind uses the fields that name it. */
typedef struct ckpt_tree_node {
  uint32_t struct_size; /* size of this struct in bytes, as its caller was compiled */
  ckpt_tree_kind kind;  /* what the node is: one of CKPT_TREE_KIND_* */
  int64_t integer;      /* value of CKPT_TREE_KIND_INTEGER; truth of CKPT_TREE_KIND_BOOLEAN, nonzero for true */
  double real;          /* value of CKPT_TREE_KIND_NUMBER: any bits, also NaN and infinities; real part of CKPT_TREE_KIND_COMPLEX */
  double imaginary;     /* imaginary part of CKPT_TREE_KIND_COMPLEX */
  /* bytes of a string, path, big integer or row of bytes; name of the class of CKPT_TREE_KIND_NAMED_TUPLE and
   * CKPT_TREE_KIND_DATACLASS; when read, also the name of a tensor in its group. NULL for other kinds. Valid until the tree is
   * changed or released; a NUL follows the last byte */
  const void* data;
  int64_t bytes;       /* number of bytes of data */
  int64_t count;       /* parts of a list or tuple, 2 of CKPT_TREE_KIND_ATTRIBUTES, pairs of other containers; 0 for other kinds */
  int64_t end;         /* index after this node and its parts: the next node; set when read, ignored when added */
  ckpt_tensor* tensor; /* tensor to add; NULL when read: ckpt_tree_get_tensor reads it */
  ckpt_tree_form form; /* what a tensor was in the program: one of CKPT_TREE_FORM_* */
  ckpt_bool
      is_big_endian; /* other than 0: the program's array has its bytes in that order (those of the tensor are little endian) */
  ckpt_bool is_complex128; /* other than 0: pairs along the last dimension, of length 2, of a tensor of F64 are complex numbers */
  uint32_t reserved;       /* not used: 0 */
} ckpt_tree_node;

#define CKPT_TREE_NODE_INIT \
  { sizeof(ckpt_tree_node), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* ---- Make ---------------------------------------------------------------------------------------------------------------- */

/* Creates a tree without nodes. It is complete when as many nodes were added as its containers announce. */
CKPT_API ckpt_status ckpt_tree_create(ckpt_tree** tree);

/* Adds a node after those before it; the parts of a container are added next. INVALID_ARGUMENT for a node that has no place: after
 * the end of the tree; deeper than CKPT_TREE_LARGEST_DEPTH; as a key of a dict anything but null, truth values, numbers, strings,
 * bytes and tuples of these, or a key that the dict has. Numbers of one value are one key, whatever their kind; truth values count
 * as 1 and 0. The name of a field is a string in UTF-8. node: its bytes are copied, its tensor is shared and kept alive, not
 * copied. Strings and paths are UTF-8, which may contain NULs, and lone surrogates as three bytes each. A
 * CKPT_TREE_KIND_BIG_INTEGER is hexadecimal, "0x1f" or "-0x1f"; one that fits 64 bits becomes a CKPT_TREE_KIND_INTEGER.
 * CKPT_TREE_KIND_ATTRIBUTES has two parts: a value that is not of this kind itself, and a CKPT_TREE_KIND_DICT of at least one pair
 * with strings as keys. A CKPT_TREE_FORM_SCALAR has no dimensions. The name of a tensor in the group is made of the keys on the way
 * to it; memory that was added before with the same dtype and shape is written once. */
CKPT_API ckpt_status ckpt_tree_add(ckpt_tree* tree, const ckpt_tree_node* node);

/* Makes a tree the contents of a group: the tensors, and the text that says where they stand and has all else. A tree that the
 * group was is replaced.
 * group: as for ckpt_state_add_tensor; ALREADY_EXISTS when it has tensors and is no tree. INVALID_ARGUMENT when tree is not
 * complete, or was made from a text, which has no tensors. */
CKPT_API ckpt_status ckpt_state_set_tree(ckpt_state* state, const char* group, ckpt_tree* tree);

/* Writes the text of a complete tree (INVALID_ARGUMENT for others) by the (buffer, capacity, *needed) rule of ckpt.h. */
CKPT_API ckpt_status ckpt_tree_get_text(const ckpt_tree* tree, char* buffer, int64_t capacity, int64_t* needed);

/* ---- Read ---------------------------------------------------------------------------------------------------------------- */

/* Creates the tree of a text, of which data is the first byte, without tensors. CORRUPT for what is no tree, with a message that
 * names the node; UNSUPPORTED for a later version of the format. */
CKPT_API ckpt_status ckpt_tree_create_from_text(const void* data, int64_t bytes, ckpt_tree** tree);

/* Creates the tree that a group of a state is, with the state's tensors. NOT_FOUND when the group is none; CORRUPT when the text is
 * none, or a tensor is missing. */
CKPT_API ckpt_status ckpt_tree_create_from_state(const ckpt_state* state, const char* group, ckpt_tree** tree);

/* Creates the tree that a group of a checkpoint is. Tensors are read when they are asked for; the reader is kept alive for that.
 * group: NULL for files without groups. NOT_FOUND when the group is no tree; CORRUPT when the text is none, or the file lacks a
 * tensor. */
CKPT_API ckpt_status ckpt_tree_create_from_reader(ckpt_reader* reader, const char* group, ckpt_tree** tree);

/* Fills *node with the node at index, 0 .. number of nodes - 1; else OUT_OF_RANGE. */
CKPT_API ckpt_status ckpt_tree_get(const ckpt_tree* tree, int64_t index, ckpt_tree_node* node);

/* *found receives the index of the value that a dict, named tuple or dataclass has for a key that is this text (UTF-8). index: that
 * of the container, or of the CKPT_TREE_KIND_ATTRIBUTES around it; INVALID_ARGUMENT for other nodes. NOT_FOUND when it has no such
 * key. */
CKPT_API ckpt_status ckpt_tree_find(const ckpt_tree* tree, int64_t index, const char* key, int64_t* found);

/* *tensor receives a tensor, of the same memory for all nodes that share one: read now from the reader that the tree was made from,
 * else the one that was added. INVALID_ARGUMENT for other nodes; INVALID_STATE when the tree was made from a text. Errors of
 * reading: as ckpt_reader_read_new. */
CKPT_API ckpt_status ckpt_tree_get_tensor(ckpt_tree* tree, int64_t index, ckpt_tensor** tensor);

/* Releases the tree. NULL does nothing. */
CKPT_API void ckpt_tree_release(ckpt_tree* tree);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_TREE_H */
