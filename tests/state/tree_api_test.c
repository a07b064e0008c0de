/* Trees through the .so from C99: made, saved, read again, and bad arguments beside good ones. */
#include <math.h>

#include "check.h"

static void add_text(ckpt_tree* tree, const char* text) {
  CHECK_OK(ckpt_tree_add_bytes(tree, CKPT_TREE_KIND_TEXT, text, (int64_t)strlen(text)));
}

/* {"epoch": 3, "rest": (None, True, 0.5, 1-2j, b"\0", "C:\", 2**64, Point(x=[w, w]))} */
static ckpt_tree* make(ckpt_tensor* weight) {
  ckpt_tree* tree = NULL;
  CHECK_OK(ckpt_tree_create(&tree));
  CHECK_OK(ckpt_tree_add_container(tree, CKPT_TREE_KIND_DICT, NULL, 2));
  add_text(tree, "epoch");
  CHECK_OK(ckpt_tree_add_integer(tree, 3));
  add_text(tree, "rest");
  CHECK_OK(ckpt_tree_add_container(tree, CKPT_TREE_KIND_TUPLE, NULL, 8));
  CHECK_OK(ckpt_tree_add_null(tree));
  CHECK_OK(ckpt_tree_add_boolean(tree, 7));
  CHECK_OK(ckpt_tree_add_number(tree, 0.5));
  CHECK_OK(ckpt_tree_add_complex(tree, 1, -2));
  CHECK_OK(ckpt_tree_add_bytes(tree, CKPT_TREE_KIND_BYTES, "\0", 1));
  CHECK_OK(ckpt_tree_add_bytes(tree, CKPT_TREE_KIND_WINDOWS_PATH, "C:\\", 3));
  CHECK_OK(ckpt_tree_add_bytes(tree, CKPT_TREE_KIND_BIG_INTEGER, "0x10000000000000000", 19));
  CHECK_OK(ckpt_tree_add_container(tree, CKPT_TREE_KIND_NAMED_TUPLE, "module.Point", 1));
  add_text(tree, "x");
  CHECK_OK(ckpt_tree_add_container(tree, CKPT_TREE_KIND_LIST, NULL, 2));
  CHECK_OK(ckpt_tree_add_tensor(tree, CKPT_TREE_FORM_TORCH, 0, 0, weight));
  CHECK_OK(ckpt_tree_add_tensor(tree, CKPT_TREE_FORM_ARRAY, 1, 0, weight));
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

static void check_nodes(ckpt_tree* tree) {
  int64_t count = 0, end = 0, index = 0, rest = 0, value = 0, bytes = 0;
  int32_t kind = 0, form = 0;
  ckpt_bool big_endian = 0, complex128 = 1;
  double real = 0, imaginary = 9;
  const char* data = NULL;
  ckpt_tensor *first = NULL, *second = NULL;
  CHECK_OK(ckpt_tree_get_node(tree, 0, &kind, &count, &end));
  CHECK(kind == CKPT_TREE_KIND_DICT && count == 2 && end == 17);
  CHECK_OK(ckpt_tree_find(tree, 0, "epoch", &index));
  CHECK_OK(ckpt_tree_get_integer(tree, index, &value));
  CHECK(index == 2 && value == 3);
  CHECK_OK(ckpt_tree_get_node(tree, index, &kind, &count, &end));
  CHECK(kind == CKPT_TREE_KIND_INTEGER && count == 0 && end == 3);
  CHECK_OK(ckpt_tree_find(tree, 0, "rest", &rest));
  CHECK(rest == 4);
  CHECK_OK(ckpt_tree_get_integer(tree, rest + 2, &value));
  CHECK(value == 1);
  CHECK_OK(ckpt_tree_get_number(tree, rest + 3, &real, &imaginary));
  CHECK(real == 0.5 && imaginary == 0);
  CHECK_OK(ckpt_tree_get_number(tree, rest + 4, &real, &imaginary));
  CHECK(real == 1 && imaginary == -2);
  CHECK_OK(ckpt_tree_get_bytes(tree, rest + 5, &data, &bytes));
  CHECK(bytes == 1 && *data == 0);
  CHECK_OK(ckpt_tree_get_bytes(tree, rest + 7, &data, &bytes));
  CHECK(bytes == 19 && strcmp(data, "0x10000000000000000") == 0);
  CHECK_OK(ckpt_tree_get_bytes(tree, rest + 8, &data, &bytes));
  CHECK(strcmp(data, "module.Point") == 0);
  CHECK_OK(ckpt_tree_find(tree, rest + 8, "x", &index));
  CHECK_OK(ckpt_tree_get_form(tree, index + 1, &form, &big_endian, &complex128));
  CHECK(form == CKPT_TREE_FORM_TORCH && big_endian == 0 && complex128 == 0);
  CHECK_OK(ckpt_tree_get_form(tree, index + 2, &form, &big_endian, &complex128));
  CHECK(form == CKPT_TREE_FORM_ARRAY && big_endian == 1);
  CHECK_OK(ckpt_tree_get_bytes(tree, index + 2, &data, &bytes));
  CHECK(strcmp(data, "rest.7.x.0") == 0);
  CHECK_OK(ckpt_tree_get_tensor(tree, index + 1, &first));
  CHECK_OK(ckpt_tree_get_tensor(tree, index + 2, &second));
  CHECK(((const float*)ckpt_tensor_get_const_data(first))[1] == 4);
  CHECK(ckpt_tensor_get_const_data(first) == ckpt_tensor_get_const_data(second));
  ckpt_tensor_release(first);
  ckpt_tensor_release(second);
}

static void bad_arguments(ckpt_tree* tree, ckpt_state* state) {
  int64_t number = 0, end = 0, count = 0;
  int32_t kind = 0;
  ckpt_bool truth = 0;
  double real = 0;
  const char* data = NULL;
  ckpt_tensor* tensor = NULL;
  ckpt_tree* made = NULL;
  CHECK_OK(ckpt_tree_create(&made));
  CHECK_FAILS(ckpt_tree_add_bytes(made, CKPT_TREE_KIND_LIST, "", 0), CKPT_E_INVALID_ARGUMENT, "kind is 12, a list");
  CHECK_FAILS(ckpt_tree_add_bytes(made, 99, "", 0), CKPT_E_INVALID_ARGUMENT, "kind is 99; 0 .. 19");
  CHECK_FAILS(ckpt_tree_add_bytes(made, CKPT_TREE_KIND_TEXT, NULL, 1), CKPT_E_INVALID_ARGUMENT, "data is NULL");
  CHECK_FAILS(ckpt_tree_add_bytes(made, CKPT_TREE_KIND_TEXT, "\xff", 1), CKPT_E_INVALID_ARGUMENT, "'\\xff' is not UTF-8");
  CHECK_FAILS(ckpt_tree_add_container(made, CKPT_TREE_KIND_TEXT, NULL, 1), CKPT_E_INVALID_ARGUMENT, "kind is 6, a text");
  CHECK_FAILS(ckpt_tree_add_container(made, CKPT_TREE_KIND_LIST, "C", 1), CKPT_E_INVALID_ARGUMENT, "class_name is 'C'; a list has");
  CHECK_FAILS(ckpt_tree_add_container(made, CKPT_TREE_KIND_DATACLASS, NULL, 1), CKPT_E_INVALID_ARGUMENT, "class_name is NULL");
  CHECK_FAILS(ckpt_tree_add_container(made, CKPT_TREE_KIND_LIST, NULL, -1), CKPT_E_INVALID_ARGUMENT, "count is -1");
  CHECK_FAILS(ckpt_tree_add_container(made, CKPT_TREE_KIND_ATTRIBUTES, NULL, 1), CKPT_E_INVALID_ARGUMENT,
              "count is 1; a value with");
  CHECK_FAILS(ckpt_tree_add_tensor(made, 5, 0, 0, NULL), CKPT_E_INVALID_ARGUMENT, "form is 5; 0 .. 4");
  CHECK_FAILS(ckpt_tree_add_tensor(made, 0, 0, 0, NULL), CKPT_E_INVALID_ARGUMENT, "tensor is NULL");
  CHECK_FAILS(ckpt_tree_get_text(made, NULL, 0, &number), CKPT_E_INVALID_ARGUMENT, "tree has no nodes");
  CHECK_FAILS(ckpt_state_set_tree(state, "g", made), CKPT_E_INVALID_ARGUMENT, "tree has no nodes");
  ckpt_tree_release(made);

  CHECK_FAILS(ckpt_tree_add_null(tree), CKPT_E_INVALID_ARGUMENT, "behind the end of the tree");
  CHECK_FAILS(ckpt_tree_get_node(tree, 17, &kind, &count, &end), CKPT_E_OUT_OF_RANGE, "index is 17; the tree has 17 nodes");
  CHECK_FAILS(ckpt_tree_get_node(tree, 0, &kind, NULL, &end), CKPT_E_INVALID_ARGUMENT, "count is NULL");
  CHECK_FAILS(ckpt_tree_find(tree, 0, "none", &number), CKPT_E_NOT_FOUND, "key 'none' is not in the dict at index 0");
  CHECK_FAILS(ckpt_tree_find(tree, 1, "none", &number), CKPT_E_INVALID_ARGUMENT, "index 1 is of kind 'text'");
  CHECK_FAILS(ckpt_tree_get_integer(tree, 1, &number), CKPT_E_INVALID_ARGUMENT, "index 1 is of kind 'text', not a whole number");
  CHECK_FAILS(ckpt_tree_get_number(tree, 2, &real, &real), CKPT_E_INVALID_ARGUMENT,
              "is of kind 'integer', not a floating-point number");
  CHECK_FAILS(ckpt_tree_get_bytes(tree, 0, &data, &number), CKPT_E_INVALID_ARGUMENT, "index 0 is of kind 'dict'");
  CHECK_FAILS(ckpt_tree_get_form(tree, 0, &kind, &truth, &truth), CKPT_E_INVALID_ARGUMENT, "is of kind 'dict', not a tensor");
  CHECK_FAILS(ckpt_tree_get_tensor(tree, 0, &tensor), CKPT_E_INVALID_ARGUMENT, "is of kind 'dict', not a tensor");
  CHECK_FAILS(ckpt_tree_create_from_text("1", 1, &made), CKPT_E_CORRUPT, "the tree's text: its format is not 'ckpt-tree'");
  CHECK_FAILS(ckpt_tree_create_from_text(NULL, 1, &made), CKPT_E_INVALID_ARGUMENT, "data is NULL");
  CHECK_FAILS(ckpt_tree_create_from_state(state, "none", &made), CKPT_E_NOT_FOUND, "group 'none' is no tree");
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
  CHECK_FAILS(ckpt_tree_create_from_reader(reader, "model", &tree), CKPT_E_NOT_FOUND, "group 'model' is no tree");
  ckpt_reader_release(reader); /* the tree keeps it */
  check_nodes(again);
  check_text(again);
  ckpt_tree_release(again);

  CHECK_OK(ckpt_tree_create_from_text(expected, (int64_t)strlen(expected), &again));
  check_text(again);
  ckpt_tensor* none = NULL;
  CHECK_FAILS(ckpt_tree_get_tensor(again, 15, &none), CKPT_E_INVALID_STATE, "made from a text");
  ckpt_tree_release(again);
  ckpt_tree_release(NULL);
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
  ckpt_state_release(state);
  return 0;
}
