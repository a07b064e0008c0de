/* Tests trees through the C API from C99: created, saved, read again, and bad arguments mixed with good ones. */
#include <math.h>

#include "check.h"

static ckpt_tree_node node_of(ckpt_tree_kind kind) {
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  node.kind = kind;
  return node;
}

static ckpt_status add_bytes(ckpt_tree* tree, ckpt_tree_kind kind, const void* data, int64_t bytes) {
  ckpt_tree_node node = node_of(kind);
  node.data = data;
  node.bytes = bytes;
  return ckpt_tree_add(tree, &node);
}

static ckpt_status add_container(ckpt_tree* tree, ckpt_tree_kind kind, const char* class_name, int64_t count) {
  ckpt_tree_node node = node_of(kind);
  node.data = class_name;
  node.bytes = class_name == NULL ? 0 : (int64_t)strlen(class_name);
  node.count = count;
  return ckpt_tree_add(tree, &node);
}

static ckpt_status add_number(ckpt_tree* tree, ckpt_tree_kind kind, int64_t integer, double real, double imaginary) {
  ckpt_tree_node node = node_of(kind);
  node.integer = integer;
  node.real = real;
  node.imaginary = imaginary;
  return ckpt_tree_add(tree, &node);
}

static ckpt_status add_tensor(ckpt_tree* tree, ckpt_tree_form form, ckpt_bool is_big_endian, ckpt_tensor* tensor) {
  ckpt_tree_node node = node_of(CKPT_TREE_KIND_TENSOR);
  node.form = form;
  node.is_big_endian = is_big_endian;
  node.tensor = tensor;
  return ckpt_tree_add(tree, &node);
}

static void add_text(ckpt_tree* tree, const char* text) {
  CHECK_OK(add_bytes(tree, CKPT_TREE_KIND_TEXT, text, (int64_t)strlen(text)));
}

/* {"epoch": 3, "rest": (None, True, 0.5, 1-2j, b"\0", "C:\", 2**64, Point(x=[w, w]))} */
static ckpt_tree* make(ckpt_tensor* weight) {
  ckpt_tree* tree = NULL;
  CHECK_OK(ckpt_tree_create(&tree));
  CHECK_OK(add_container(tree, CKPT_TREE_KIND_DICT, NULL, 2));
  add_text(tree, "epoch");
  CHECK_OK(add_number(tree, CKPT_TREE_KIND_INTEGER, 3, 9, 9));
  add_text(tree, "rest");
  CHECK_OK(add_container(tree, CKPT_TREE_KIND_TUPLE, NULL, 8));
  CHECK_OK(add_number(tree, CKPT_TREE_KIND_NULL, 9, 9, 9));
  CHECK_OK(add_number(tree, CKPT_TREE_KIND_BOOLEAN, 7, 9, 9));
  CHECK_OK(add_number(tree, CKPT_TREE_KIND_NUMBER, 9, 0.5, 9));
  CHECK_OK(add_number(tree, CKPT_TREE_KIND_COMPLEX, 9, 1, -2));
  CHECK_OK(add_bytes(tree, CKPT_TREE_KIND_BYTES, "\0", 1));
  CHECK_OK(add_bytes(tree, CKPT_TREE_KIND_WINDOWS_PATH, "C:\\", 3));
  CHECK_OK(add_bytes(tree, CKPT_TREE_KIND_BIG_INTEGER, "0x10000000000000000", 19));
  CHECK_OK(add_container(tree, CKPT_TREE_KIND_NAMED_TUPLE, "module.Point", 1));
  add_text(tree, "x");
  CHECK_OK(add_container(tree, CKPT_TREE_KIND_LIST, NULL, 2));
  CHECK_OK(add_tensor(tree, CKPT_TREE_FORM_TORCH, 0, weight));
  CHECK_OK(add_tensor(tree, CKPT_TREE_FORM_ARRAY, 1, weight));
  return tree;
}

static const char* const expected =
    "{\"format\":\"ckpt-tree\",\"format_version\":1,\"nodes\":[[\"dict\",2],\"epoch\",3,\"rest\",[\"tuple\",8],null,true,0.5,"
    "[\"complex\",\"3ff0000000000000\",\"c000000000000000\"],[\"bytes\",\"AA==\"],[\"path\",\"C:\\\\\",\"windows\"],"
    "[\"int\",\"0x10000000000000000\"],[\"named_tuple\",\"module.Point\",[\"x\"]],[\"list\",2],"
    "[\"tensor\",\"rest.7.x.0\",\"torch\"],[\"tensor\",\"rest.7.x.0\",\"array\",\"big-endian\"]]}";

static void check_text(const ckpt_tree* tree) {
  char text[1000];
  int64_t needed = 0;
  CHECK_OK(ckpt_tree_get_text(tree, text, sizeof text, &needed));
  CHECK(strcmp(text, expected) == 0);
  CHECK(needed == (int64_t)strlen(expected));
}

static ckpt_tree_node get(const ckpt_tree* tree, int64_t index) {
  ckpt_tree_node node;
  memset(&node, 0x5a, sizeof node);
  node.struct_size = sizeof node;
  CHECK_OK(ckpt_tree_get(tree, index, &node));
  CHECK(node.struct_size == sizeof node && node.tensor == NULL);
  return node;
}

static void check_nodes(ckpt_tree* tree) {
  int64_t index = 0, rest = 0;
  ckpt_tree_node node = get(tree, 0);
  ckpt_tensor *first = NULL, *second = NULL;
  CHECK(node.kind == CKPT_TREE_KIND_DICT && node.count == 2 && node.end == 17 && node.data == NULL);
  CHECK_OK(ckpt_tree_find(tree, 0, "epoch", &index));
  node = get(tree, index);
  CHECK(index == 2 && node.kind == CKPT_TREE_KIND_INTEGER && node.integer == 3 && node.count == 0 && node.end == 3 &&
        node.real == 0);
  CHECK_OK(ckpt_tree_find(tree, 0, "rest", &rest));
  CHECK(rest == 4);
  CHECK(get(tree, rest + 1).kind == CKPT_TREE_KIND_NULL && get(tree, rest + 1).integer == 0);
  node = get(tree, rest + 2);
  CHECK(node.kind == CKPT_TREE_KIND_BOOLEAN && node.integer == 1);
  node = get(tree, rest + 3);
  CHECK(node.kind == CKPT_TREE_KIND_NUMBER && node.real == 0.5 && node.imaginary == 0);
  node = get(tree, rest + 4);
  CHECK(node.kind == CKPT_TREE_KIND_COMPLEX && node.real == 1 && node.imaginary == -2);
  node = get(tree, rest + 5);
  CHECK(node.kind == CKPT_TREE_KIND_BYTES && node.bytes == 1 && *(const char*)node.data == 0);
  node = get(tree, rest + 7);
  CHECK(node.kind == CKPT_TREE_KIND_BIG_INTEGER && node.bytes == 19 && strcmp(node.data, "0x10000000000000000") == 0);
  node = get(tree, rest + 8);
  CHECK(node.kind == CKPT_TREE_KIND_NAMED_TUPLE && node.count == 1 && strcmp(node.data, "module.Point") == 0);
  CHECK_OK(ckpt_tree_find(tree, rest + 8, "x", &index));
  node = get(tree, index + 1);
  CHECK(node.form == CKPT_TREE_FORM_TORCH && node.is_big_endian == 0 && node.is_complex128 == 0);
  node = get(tree, index + 2);
  CHECK(node.form == CKPT_TREE_FORM_ARRAY && node.is_big_endian == 1 && strcmp(node.data, "rest.7.x.0") == 0);
  CHECK_OK(ckpt_tree_get_tensor(tree, index + 1, &first));
  CHECK_OK(ckpt_tree_get_tensor(tree, index + 2, &second));
  CHECK(((const float*)ckpt_tensor_get_const_data(first))[1] == 4);
  CHECK(ckpt_tensor_get_const_data(first) == ckpt_tensor_get_const_data(second));
  ckpt_tensor_release(first);
  ckpt_tensor_release(second);
}

static void bad_arguments(ckpt_tree* tree, ckpt_state* state) {
  int64_t number = 0;
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  ckpt_tensor* tensor = NULL;
  ckpt_tree* created = NULL;
  CHECK_OK(ckpt_tree_create(&created));
  CHECK_FAILS(ckpt_tree_add(created, NULL), CKPT_E_INVALID_ARGUMENT, "node is NULL");
  CHECK_FAILS(add_bytes(created, 99, "", 0), CKPT_E_INVALID_ARGUMENT, "node.kind is 99; expected 0 .. 19");
  CHECK_FAILS(add_bytes(created, CKPT_TREE_KIND_TEXT, NULL, 1), CKPT_E_INVALID_ARGUMENT, "node.data is NULL");
  CHECK_FAILS(add_bytes(created, CKPT_TREE_KIND_TEXT, "\xff", 1), CKPT_E_INVALID_ARGUMENT, "'\\xff' is not UTF-8");
  CHECK_FAILS(add_container(created, CKPT_TREE_KIND_DATACLASS, NULL, 1), CKPT_E_INVALID_ARGUMENT,
              "node.bytes is 0; the name of the class");
  CHECK_FAILS(add_container(created, CKPT_TREE_KIND_LIST, NULL, -1), CKPT_E_INVALID_ARGUMENT, "count is -1");
  CHECK_FAILS(add_container(created, CKPT_TREE_KIND_ATTRIBUTES, NULL, 1), CKPT_E_INVALID_ARGUMENT, "count is 1; expected 2 parts");
  CHECK_FAILS(add_tensor(created, 5, 0, NULL), CKPT_E_INVALID_ARGUMENT, "node.form is 5; expected 0 .. 4");
  CHECK_FAILS(add_tensor(created, 0, 0, NULL), CKPT_E_INVALID_ARGUMENT, "node.tensor is NULL");
  CHECK_FAILS(ckpt_tree_get_text(created, NULL, 0, &number), CKPT_E_INVALID_ARGUMENT, "tree has no nodes");
  CHECK_FAILS(ckpt_state_set_tree(state, "g", created), CKPT_E_INVALID_ARGUMENT, "tree has no nodes");
  ckpt_tree_release(created);

  CHECK_FAILS(add_number(tree, CKPT_TREE_KIND_NULL, 9, 9, 9), CKPT_E_INVALID_ARGUMENT, "the tree is complete: unexpected node");
  CHECK_FAILS(ckpt_tree_get(tree, 17, &node), CKPT_E_OUT_OF_RANGE, "index is 17; the tree has 17 nodes");
  CHECK_FAILS(ckpt_tree_get(tree, -1, &node), CKPT_E_OUT_OF_RANGE, "index is -1");
  CHECK_FAILS(ckpt_tree_get(tree, 0, NULL), CKPT_E_INVALID_ARGUMENT, "node is NULL");
  CHECK_FAILS(ckpt_tree_find(tree, 0, "none", &number), CKPT_E_NOT_FOUND, "key 'none' is not in the dict at index 0");
  CHECK_FAILS(ckpt_tree_find(tree, 1, "none", &number), CKPT_E_INVALID_ARGUMENT, "index 1 is of kind 'text'");
  CHECK_FAILS(ckpt_tree_get_tensor(tree, 0, &tensor), CKPT_E_INVALID_ARGUMENT, "is of kind 'dict'; expected a tensor");
  CHECK_FAILS(ckpt_tree_create_from_text("1", 1, &created), CKPT_E_CORRUPT, "the tree's text: its format is not 'ckpt-tree'");
  CHECK_FAILS(ckpt_tree_create_from_text(NULL, 1, &created), CKPT_E_INVALID_ARGUMENT, "data is NULL");
  CHECK_FAILS(ckpt_tree_create_from_state(state, "none", &created), CKPT_E_NOT_FOUND, "group 'none' is not a tree");
}

int main(void) {
  const int64_t shape[1] = {2};
  ckpt_tensor* weight = NULL;
  ckpt_state* state = NULL;
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* manager = NULL;
  ckpt_reader* reader = NULL;
  ckpt_tree* again = NULL;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 1, NULL, &weight));
  CHECK_OK(ckpt_tensor_fill(weight, 4));
  ckpt_tree* tree = make(weight);
  check_text(tree);
  check_nodes(tree);

  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_set_tree(state, "extra", tree));
  CHECK_OK(ckpt_state_set_tree(state, "extra", tree));
  CHECK_FAILS(ckpt_state_add_tensor(state, "extra", CKPT_TREE_TENSOR, weight), CKPT_E_ALREADY_EXISTS, "__tree__");
  CHECK_OK(ckpt_tree_create_from_state(state, "extra", &again));
  check_nodes(again);
  ckpt_tree_release(again);
  bad_arguments(tree, state);
  ckpt_tree_release(tree);
  ckpt_tensor_release(weight);

  CHECK_OK(ckpt_storage_create_memory(&storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &manager));
  CHECK_OK(ckpt_checkpoint_manager_save(manager, state, NULL, NULL));
  CHECK_OK(ckpt_reader_create_from_checkpoint(manager, NULL, CKPT_VERIFY_LAZY, &reader));
  CHECK_OK(ckpt_tree_create_from_reader(reader, "extra", &again));
  CHECK_FAILS(ckpt_tree_create_from_reader(reader, "model", &tree), CKPT_E_NOT_FOUND, "group 'model' is not a tree");
  ckpt_reader_release(reader); /* the tree keeps it */
  check_nodes(again);
  check_text(again);
  ckpt_tree_release(again);

  CHECK_OK(ckpt_tree_create_from_text(expected, (int64_t)strlen(expected), &again));
  check_text(again);
  ckpt_tensor* none = NULL;
  CHECK_FAILS(ckpt_tree_get_tensor(again, 15, &none), CKPT_E_INVALID_STATE, "parsed from text");
  ckpt_tree_release(again);
  ckpt_tree_release(NULL);
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
  ckpt_state_release(state);
  return 0;
}
