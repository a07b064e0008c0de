/* tree.h - nested values as one group of a state: lists, dicts, numbers, strings, bytes and tensors. Every language reads the trees
 * that another language wrote.
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
 *   ckpt_tree_create_from_reader(reader, "extra", &tree);      later: nodes are numbered in this order from the root, 0
 *   ckpt_tree_find(tree, 0, "epoch", &index);
 *   ckpt_tree_get(tree, index, &node);                         node.integer is 3
 *
 * A list's first part is the node after it, the next part the node at the first part's end, and so on.
 * docs/reference/file-format.md describes the JSON text of a tree: format 1, or format 2 if the tree has attributes or parameters,
 * which libraries that read only format 1 refuse with UNSUPPORTED. Read the general rules at the top of ckpt.h first.
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

/* A nested value as a sequence of nodes, each container before its parts. One thread at a time; a tree created from a reader reads
 * tensors through it, which counts as a use of that reader. */
typedef struct ckpt_tree ckpt_tree;

/* The maximum nesting depth of containers. */
#define CKPT_TREE_LARGEST_DEPTH 1000 /* maximum nesting depth of containers, the outermost included */

/* name of the tensor that holds the text of a tree: a group with this tensor is a tree */
#define CKPT_TREE_TENSOR "__tree__"

/* The kind of a node of a tree. */
typedef int32_t ckpt_tree_kind;

#define CKPT_TREE_KIND_NULL 0          /* no value */
#define CKPT_TREE_KIND_BOOLEAN 1       /* truth value */
#define CKPT_TREE_KIND_INTEGER 2       /* whole number of 64 bits with sign */
#define CKPT_TREE_KIND_BIG_INTEGER 3   /* whole number beyond 64 bits, as text: "-0x1f..." */
#define CKPT_TREE_KIND_NUMBER 4        /* floating-point number of 64 bits, also NaN (bit for bit) and infinities */
#define CKPT_TREE_KIND_COMPLEX 5       /* complex number: real and imaginary part, 64 bits each */
#define CKPT_TREE_KIND_TEXT 6          /* string in UTF-8; lone surrogates of other languages' strings take three bytes each */
#define CKPT_TREE_KIND_BYTES 7         /* sequence of bytes */
#define CKPT_TREE_KIND_BYTEARRAY 8     /* mutable sequence of bytes, in languages that have a separate type for it */
#define CKPT_TREE_KIND_PATH 9          /* path of the writer's system, as text */
#define CKPT_TREE_KIND_POSIX_PATH 10   /* path of a POSIX system, as text */
#define CKPT_TREE_KIND_WINDOWS_PATH 11 /* path of Windows, as text */
#define CKPT_TREE_KIND_LIST 12         /* container: parts follow */
#define CKPT_TREE_KIND_TUPLE 13        /* container: parts follow; an immutable list */
#define CKPT_TREE_KIND_DICT 14         /* container: keys follow, each before its value */
#define CKPT_TREE_KIND_ORDERED_DICT 15 /* container: a dict in which the order is part of the value */
#define CKPT_TREE_KIND_NAMED_TUPLE 16  /* container with a class's name: names of fields follow, each before its value */
#define CKPT_TREE_KIND_DATACLASS 17    /* container with a class's name: names of fields follow, each before its value */
#define CKPT_TREE_KIND_TENSOR 18       /* tensor of the group */
#define CKPT_TREE_KIND_ATTRIBUTES 19   /* container of two parts: a value, and a dict of its attributes by name (format 2) */

/* The type of a tensor of a tree in the writer's program. */
typedef int32_t ckpt_tree_form;

#define CKPT_TREE_FORM_ARRAY 0     /* array of a numeric library (NumPy), or of the language */
#define CKPT_TREE_FORM_SCALAR 1    /* scalar of a numeric library, without dimensions */
#define CKPT_TREE_FORM_TORCH 2     /* tensor of PyTorch */
#define CKPT_TREE_FORM_TENSOR 3    /* tensor of libckpt */
#define CKPT_TREE_FORM_PARAMETER 4 /* torch.nn.Parameter; the attribute "requires_grad" is stored when it is false (format 2) */

/* A node of a tree. Each kind uses the fields that name it. */
typedef struct ckpt_tree_node {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  ckpt_tree_kind kind;  /* kind of the node: one of CKPT_TREE_KIND_* */
  int64_t integer;      /* value of CKPT_TREE_KIND_INTEGER; truth of CKPT_TREE_KIND_BOOLEAN, nonzero for true */
  double real;          /* value of CKPT_TREE_KIND_NUMBER: any bits, also NaN and infinities; real part of CKPT_TREE_KIND_COMPLEX */
  double imaginary;     /* imaginary part of CKPT_TREE_KIND_COMPLEX */
  /* bytes of a string, path, big integer or sequence of bytes; name of the class of CKPT_TREE_KIND_NAMED_TUPLE and
   * CKPT_TREE_KIND_DATACLASS; when read, also the name of a tensor in its group. NULL for other kinds. Valid until the tree is
   * changed or released; a NUL follows the last byte */
  const void* data;
  int64_t bytes;       /* number of bytes of data */
  int64_t count;       /* parts of a list or tuple, 2 of CKPT_TREE_KIND_ATTRIBUTES, pairs of other containers; 0 for other kinds */
  int64_t end;         /* index of the first node after this one and its parts; set when read, ignored when added */
  ckpt_tensor* tensor; /* tensor to add; NULL when read: ckpt_tree_get_tensor reads it */
  ckpt_tree_form form; /* type of a tensor in the program: one of CKPT_TREE_FORM_* */
  ckpt_bool is_big_endian; /* other than 0: the program's array is big-endian (the bytes of the tensor are little-endian) */
  ckpt_bool is_complex128; /* other than 0: pairs along the last dimension, of length 2, of a tensor of F64 are complex numbers */
  uint32_t reserved;       /* not used: 0 */
} ckpt_tree_node;

#define CKPT_TREE_NODE_INIT \
  { sizeof(ckpt_tree_node), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* ---- Make ---------------------------------------------------------------------------------------------------------------- */

/* Creates a tree without nodes. It is complete when all nodes that its containers announce have been added. */
CKPT_API ckpt_status ckpt_tree_create(ckpt_tree** tree);

/* Appends a node; the parts of a container are appended after it. INVALID_ARGUMENT for a node after the end of the tree, a node
 * deeper than CKPT_TREE_LARGEST_DEPTH, and a duplicate or invalid key of a dict: keys are null, truth values, numbers, strings,
 * bytes and tuples of these. Numbers of equal value are the same key, regardless of their kind; truth values count as 1 and 0. The
 * name of a field is a string in UTF-8. node: its bytes are copied, its tensor is shared and kept alive, not copied. Strings and
 * paths are UTF-8; they may contain NULs, and lone surrogates of three bytes each. A CKPT_TREE_KIND_BIG_INTEGER is hexadecimal,
 * "0x1f" or "-0x1f"; one that fits in 64 bits becomes a CKPT_TREE_KIND_INTEGER. CKPT_TREE_KIND_ATTRIBUTES has two parts: a value
 * that is not of this kind itself, and a CKPT_TREE_KIND_DICT of at least one pair with strings as keys. A CKPT_TREE_FORM_SCALAR has
 * no dimensions. The name of a tensor in the group is formed from the keys on the path to it; tensors with the same memory, dtype
 * and shape are written once. */
CKPT_API ckpt_status ckpt_tree_add(ckpt_tree* tree, const ckpt_tree_node* node);

/* Sets the contents of a group to a tree: its tensors, and a text with their positions and all other values. Replaces an earlier
 * tree of the group. group: as for ckpt_state_add_tensor; ALREADY_EXISTS if it has tensors and is not a tree. INVALID_ARGUMENT if
 * tree is not complete, or was created from a text, without tensors. */
CKPT_API ckpt_status ckpt_state_set_tree(ckpt_state* state, const char* group, ckpt_tree* tree);

/* Writes the text of a complete tree (INVALID_ARGUMENT for others) by the (buffer, capacity, *needed) rule of ckpt.h. */
CKPT_API ckpt_status ckpt_tree_get_text(const ckpt_tree* tree, char* buffer, int64_t capacity, int64_t* needed);

/* ---- Read ---------------------------------------------------------------------------------------------------------------- */

/* Creates a tree without tensors from the text at data, with a length of bytes. CORRUPT if the text is not a tree, with a message
 * that names the node; UNSUPPORTED for a later version of the format. */
CKPT_API ckpt_status ckpt_tree_create_from_text(const void* data, int64_t bytes, ckpt_tree** tree);

/* Creates a tree from a group of a state, with the state's tensors. NOT_FOUND if the group is not a tree; CORRUPT if its text is
 * invalid or a tensor is missing. */
CKPT_API ckpt_status ckpt_tree_create_from_state(const ckpt_state* state, const char* group, ckpt_tree** tree);

/* Creates a tree from a group of a checkpoint. Tensors are read on request; the reader is kept alive for that. group: NULL for
 * files without groups. NOT_FOUND if the group is not a tree; CORRUPT if its text is invalid or the file lacks a tensor. */
CKPT_API ckpt_status ckpt_tree_create_from_reader(ckpt_reader* reader, const char* group, ckpt_tree** tree);

/* Fills *node with the node at index (0 .. number of nodes - 1, else OUT_OF_RANGE). */
CKPT_API ckpt_status ckpt_tree_get(const ckpt_tree* tree, int64_t index, ckpt_tree_node* node);

/* Sets *found to the index of the value of a string key (UTF-8) in a dict, named tuple or dataclass. index: index of the container,
 * or of the CKPT_TREE_KIND_ATTRIBUTES around it; INVALID_ARGUMENT for other nodes. NOT_FOUND if it has no such key. */
CKPT_API ckpt_status ckpt_tree_find(const ckpt_tree* tree, int64_t index, const char* key, int64_t* found);

/* Sets *tensor to the tensor of a node: read now if the tree was created from a reader, else the tensor that was added. Nodes that
 * share a tensor share its memory. INVALID_ARGUMENT for other nodes; INVALID_STATE if the tree was created from a text. Read errors
 * as ckpt_reader_read_new. */
CKPT_API ckpt_status ckpt_tree_get_tensor(ckpt_tree* tree, int64_t index, ckpt_tensor** tensor);

/* Releases the tree. NULL does nothing. */
CKPT_API void ckpt_tree_release(ckpt_tree* tree);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_TREE_H */
