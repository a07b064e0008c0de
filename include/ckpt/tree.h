/* tree.h - values of any shape as one group of a state: lists, dicts, numbers, texts, bytes and tensors, one in the other. Every
 * language reads what another one wrote.
 *
 *   ckpt_tree *tree = NULL;                                    {"epoch": 3, "weights": [weight]}, node after node: a container,
 *   ckpt_tree_create(&tree);                                   then its parts; in a dict each key stands before its value
 *   ckpt_tree_add_container(tree, CKPT_TREE_KIND_DICT, NULL, 2);
 *   ckpt_tree_add_bytes(tree, CKPT_TREE_KIND_TEXT, "epoch", 5);
 *   ckpt_tree_add_integer(tree, 3);
 *   ckpt_tree_add_bytes(tree, CKPT_TREE_KIND_TEXT, "weights", 7);
 *   ckpt_tree_add_container(tree, CKPT_TREE_KIND_LIST, NULL, 1);
 *   ckpt_tree_add_tensor(tree, CKPT_TREE_FORM_TENSOR, 0, 0, weight);
 *   ckpt_state_set_tree(state, "extra", tree);                 saved with the state's other groups
 *
 *   ckpt_tree_create_from_reader(reader, "extra", &tree);      later: nodes are asked for by their number, the root is number 0
 *   ckpt_tree_find(tree, 0, "epoch", &index);
 *   ckpt_tree_get_integer(tree, index, &epoch);
 *
 * A list's first part is the node behind it, the next part the one at the first part's end, and so on. docs/format.md describes the
 * text that holds a tree: format 1, or format 2 when the tree has attributes or parameters, which libraries that read only
 * format 1 refuse with UNSUPPORTED. Read the general rules at the top of ckpt.h first.
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

/* ---- Make ---------------------------------------------------------------------------------------------------------------- */

/* Creates a tree without nodes. It is complete when as many nodes as its containers say were added. */
CKPT_API ckpt_status ckpt_tree_create(ckpt_tree** tree);

/* Adds the value "nothing". This and the other functions that add refuse, with INVALID_ARGUMENT, a node that has no place: one
 * behind the end of the tree, and as a key of a dict anything but nothing, truth values, numbers, texts, bytes and tuples of these,
 * or a key that the dict has. Numbers of one value are one key, whatever their kind; truth values count as 1 and 0. The name of a
 * field is a text in UTF-8. */
CKPT_API ckpt_status ckpt_tree_add_null(ckpt_tree* tree);

/* Adds a truth value: 0 is false, other values are true. */
CKPT_API ckpt_status ckpt_tree_add_boolean(ckpt_tree* tree, ckpt_bool truth);

/* Adds a whole number. */
CKPT_API ckpt_status ckpt_tree_add_integer(ckpt_tree* tree, int64_t value);

/* Adds a floating-point number: any bits, also NaN and infinities. */
CKPT_API ckpt_status ckpt_tree_add_number(ckpt_tree* tree, double value);

/* Adds a complex number. */
CKPT_API ckpt_status ckpt_tree_add_complex(ckpt_tree* tree, double real, double imaginary);

/* Adds what is a row of bytes, which are copied; data may be NULL when bytes is 0.
 * kind: CKPT_TREE_KIND_TEXT or one of the paths: UTF-8, which may hold NULs, and lone surrogates as three bytes each;
 * CKPT_TREE_KIND_BYTES, CKPT_TREE_KIND_BYTEARRAY: any; CKPT_TREE_KIND_BIG_INTEGER: hexadecimal as "0x1f" or "-0x1f" (one that fits
 * 64 bits becomes a CKPT_TREE_KIND_INTEGER). */
CKPT_API ckpt_status ckpt_tree_add_bytes(ckpt_tree* tree, ckpt_tree_kind kind, const void* data, int64_t bytes);

/* Adds a container, whose parts are to be added next.
 * kind: CKPT_TREE_KIND_LIST .. CKPT_TREE_KIND_DATACLASS, or CKPT_TREE_KIND_ATTRIBUTES. class_name: UTF-8, of named tuples and
 * dataclasses; NULL for others. count: parts of a list or tuple, pairs of a key (or a field's name) and a value of others; >= 0.
 * CKPT_TREE_KIND_ATTRIBUTES: 2, a value that is not of this kind itself, and a CKPT_TREE_KIND_DICT of at least one pair with texts
 * as keys. INVALID_ARGUMENT deeper than CKPT_TREE_LARGEST_DEPTH. */
CKPT_API ckpt_status ckpt_tree_add_container(ckpt_tree* tree, ckpt_tree_kind kind, const char* class_name, int64_t count);

/* Adds a tensor, which is shared and kept alive, not copied. Its name in the group is made of the keys on the way to it. Memory
 * that was added before with the same dtype and shape is written once.
 * form: what it is in the program; CKPT_TREE_FORM_SCALAR: without dimensions. is_big_endian: other than 0 says that the program's
 * array has its bytes in that order (those of the tensor are little endian). is_complex128: other than 0 says that pairs along the
 * last dimension, which has length 2, of a tensor of CKPT_DTYPE_F64 are complex numbers. */
CKPT_API ckpt_status ckpt_tree_add_tensor(ckpt_tree* tree, ckpt_tree_form form, ckpt_bool is_big_endian, ckpt_bool is_complex128,
                                          ckpt_tensor* tensor);

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

/* Says what the node at index is, 0 .. number of nodes - 1; else OUT_OF_RANGE. *kind receives its CKPT_TREE_KIND_*; *count the
 * parts of a list or tuple, 2 of a value with attributes, and the pairs of other containers; 0 for all else. *end receives the
 * index behind the node and what is in it: there stands what comes next. */
CKPT_API ckpt_status ckpt_tree_get_node(const ckpt_tree* tree, int64_t index, ckpt_tree_kind* kind, int64_t* count, int64_t* end);

/* *found receives the index of the value that a dict, named tuple or dataclass has for a key that is this text (UTF-8). index: that
 * of the container, or of the CKPT_TREE_KIND_ATTRIBUTES around it; INVALID_ARGUMENT for other nodes. NOT_FOUND when it has no such
 * key. */
CKPT_API ckpt_status ckpt_tree_find(const ckpt_tree* tree, int64_t index, const char* key, int64_t* found);

/* *value receives a whole number, or 1 or 0 for a truth value. INVALID_ARGUMENT for other nodes. */
CKPT_API ckpt_status ckpt_tree_get_integer(const ckpt_tree* tree, int64_t index, int64_t* value);

/* *real and *imaginary receive a number, the latter 0 for one that is not complex. INVALID_ARGUMENT for other nodes. */
CKPT_API ckpt_status ckpt_tree_get_number(const ckpt_tree* tree, int64_t index, double* real, double* imaginary);

/* *data receives the bytes of a text, path, big integer or of bytes, the class's name of a named tuple or dataclass, or the name of
 * a tensor in the group; *bytes their number. INVALID_ARGUMENT for other nodes. Borrowed: valid until the tree is changed or
 * released; a NUL stands behind the last byte. */
CKPT_API ckpt_status ckpt_tree_get_bytes(const ckpt_tree* tree, int64_t index, const char** data, int64_t* bytes);

/* Says what a tensor was in the program that wrote it, as ckpt_tree_add_tensor takes it. INVALID_ARGUMENT for other nodes. */
CKPT_API ckpt_status ckpt_tree_get_form(const ckpt_tree* tree, int64_t index, ckpt_tree_form* form, ckpt_bool* is_big_endian,
                                        ckpt_bool* is_complex128);

/* *tensor receives a tensor, of the same memory for all nodes that share one: read now from the reader that the tree was made from,
 * else the one that was added. INVALID_ARGUMENT for other nodes; INVALID_STATE when the tree was made from a text. What
 * ckpt_reader_read_new says when it cannot be read. */
CKPT_API ckpt_status ckpt_tree_get_tensor(ckpt_tree* tree, int64_t index, ckpt_tensor** tensor);

/* Releases the tree. NULL does nothing. */
CKPT_API void ckpt_tree_release(ckpt_tree* tree);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_TREE_H */
