/* Sharded tensors through the C API from C99, in one process: refused arguments, and saves and loads of one rank. */
#include "check.h"

static ckpt_tensor* tensor_of(ckpt_dtype dtype, int64_t rows, int64_t columns) {
  const int64_t shape[2] = {rows, columns};
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_tensor_create(dtype, shape, 2, NULL, &tensor));
  return tensor;
}

/* Adds a block of the F32 tensor "w" [4, 3] of the group "model"; element (i, j) is 10 * i + j. */
static void add_block(ckpt_state* state, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  const int64_t offsets[2] = {row, column};
  ckpt_tensor* block = tensor_of(CKPT_DTYPE_F32, rows, columns);
  for (int64_t i = 0; i < rows * columns; ++i)
    ((float*)ckpt_tensor_get_data(block))[i] = (float)(10 * (row + i / columns) + column + i % columns);
  CHECK_OK(ckpt_state_add_block(state, "model", "w", offsets, 2, block));
  ckpt_tensor_release(block); /* the state keeps it alive */
}

static ckpt_state* state_of_w(void) {
  const int64_t shape[2] = {4, 3};
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_add_sharded_tensor(state, "model", "w", CKPT_DTYPE_F32, shape, 2));
  return state;
}

static ckpt_checkpoint_manager* manager_in_memory(void) {
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* manager = NULL;
  CHECK_OK(ckpt_storage_create_memory(&storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &manager));
  ckpt_storage_release(storage);
  return manager;
}

/* ---- Arguments ---- */

static void sharded_tensors(void) {
  const int64_t shape[2] = {4, 3};
  const int64_t negative[2] = {4, -3};
  const int64_t large[2] = {INT64_MAX, 2};
  const int64_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  int64_t count = -1;
  ckpt_state* state = state_of_w();
  CHECK_FAILS(ckpt_state_add_sharded_tensor(NULL, "g", "x", CKPT_DTYPE_F32, shape, 2), CKPT_E_INVALID_ARGUMENT, "state is NULL");
  CHECK_FAILS(ckpt_state_add_sharded_tensor(state, NULL, "x", CKPT_DTYPE_F32, shape, 2), CKPT_E_INVALID_ARGUMENT, "group is NULL");
  CHECK_FAILS(ckpt_state_add_sharded_tensor(state, "g", NULL, CKPT_DTYPE_F32, shape, 2), CKPT_E_INVALID_ARGUMENT, "name is NULL");
  CHECK_FAILS(ckpt_state_add_sharded_tensor(state, " ", "x", CKPT_DTYPE_F32, shape, 2), CKPT_E_INVALID_ARGUMENT, "group");
  CHECK_FAILS(ckpt_state_add_sharded_tensor(state, "g", "", CKPT_DTYPE_F32, shape, 2), CKPT_E_INVALID_ARGUMENT, "name");
  CHECK_FAILS(ckpt_state_add_sharded_tensor(state, "g", "x", 999, shape, 2), CKPT_E_INVALID_ARGUMENT, "dtype is 999");
  CHECK_FAILS(ckpt_state_add_sharded_tensor(state, "g", "x", CKPT_DTYPE_F32, NULL, 2), CKPT_E_INVALID_ARGUMENT, "shape is NULL");
  CHECK_FAILS(ckpt_state_add_sharded_tensor(state, "g", "x", CKPT_DTYPE_F32, shape, -1), CKPT_E_INVALID_ARGUMENT, "ndim is -1");
  CHECK_FAILS(ckpt_state_add_sharded_tensor(state, "g", "x", CKPT_DTYPE_F32, nine, 9), CKPT_E_INVALID_ARGUMENT, "ndim is 9");
  CHECK_FAILS(ckpt_state_add_sharded_tensor(state, "g", "x", CKPT_DTYPE_F32, negative, 2), CKPT_E_INVALID_ARGUMENT, "-3");
  CHECK_FAILS(ckpt_state_add_sharded_tensor(state, "g", "x", CKPT_DTYPE_F32, large, 2), CKPT_E_OUT_OF_RANGE, "");
  CHECK_FAILS(ckpt_state_add_sharded_tensor(state, "model", "w", CKPT_DTYPE_F32, shape, 2), CKPT_E_ALREADY_EXISTS, "'w'");
  CHECK_OK(ckpt_state_get_tensor_count(state, &count));
  CHECK(count == 1); /* failed calls added nothing */
  CHECK_OK(ckpt_state_add_sharded_tensor(state, "model", "scalar", CKPT_DTYPE_F32, NULL, 0));
  CHECK_OK(ckpt_state_get_tensor_count(state, &count));
  CHECK(count == 2);
  ckpt_state_release(state);
}

static void blocks(void) {
  const int64_t origin[3] = {0, 0, 0};
  const int64_t low[2] = {3, 0};
  const int64_t right[2] = {0, 1};
  const int64_t before[2] = {0, -1};
  const int64_t last[2] = {INT64_MAX, 0};
  const int64_t end[2] = {4, 3};
  ckpt_tensor* block = tensor_of(CKPT_DTYPE_F32, 2, 3);
  ckpt_tensor* doubles = tensor_of(CKPT_DTYPE_F64, 2, 3);
  ckpt_tensor* empty = tensor_of(CKPT_DTYPE_F32, 0, 0);
  ckpt_tensor* scalar = NULL;
  ckpt_state* state = state_of_w();
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, NULL, 0, NULL, &scalar));
  CHECK_OK(ckpt_state_add_tensor(state, "model", "plain", block));
  CHECK_FAILS(ckpt_state_add_block(NULL, "model", "w", origin, 2, block), CKPT_E_INVALID_ARGUMENT, "state is NULL");
  CHECK_FAILS(ckpt_state_add_block(state, NULL, "w", origin, 2, block), CKPT_E_INVALID_ARGUMENT, "group is NULL");
  CHECK_FAILS(ckpt_state_add_block(state, "model", NULL, origin, 2, block), CKPT_E_INVALID_ARGUMENT, "name is NULL");
  CHECK_FAILS(ckpt_state_add_block(state, "model", "w", NULL, 2, block), CKPT_E_INVALID_ARGUMENT, "offsets is NULL");
  CHECK_FAILS(ckpt_state_add_block(state, "model", "w", origin, -2, block), CKPT_E_INVALID_ARGUMENT, "-2");
  CHECK_FAILS(ckpt_state_add_block(state, "model", "w", origin, 2, NULL), CKPT_E_INVALID_ARGUMENT, "tensor is NULL");
  CHECK_FAILS(ckpt_state_add_block(state, "other", "w", origin, 2, block), CKPT_E_NOT_FOUND, "group 'other'");
  CHECK_FAILS(ckpt_state_add_block(state, "model", "v", origin, 2, block), CKPT_E_NOT_FOUND, "no sharded tensor 'v'");
  CHECK_FAILS(ckpt_state_add_block(state, "model", "plain", origin, 2, block), CKPT_E_NOT_FOUND, "no sharded tensor 'plain'");
  CHECK_FAILS(ckpt_state_add_block(state, "model", "w", origin, 2, doubles), CKPT_E_INVALID_ARGUMENT, "tensor is F64; 'w' is F32");
  CHECK_FAILS(ckpt_state_add_block(state, "model", "w", origin, 3, block), CKPT_E_INVALID_ARGUMENT, "ndim is 3");
  CHECK_FAILS(ckpt_state_add_block(state, "model", "w", origin, 2, scalar), CKPT_E_INVALID_ARGUMENT, "0 dimensions");
  CHECK_FAILS(ckpt_state_add_block(state, "model", "w", low, 2, block), CKPT_E_OUT_OF_RANGE,
              "offsets[0] is 3 for a block of 2; 'w' has 4");
  CHECK_FAILS(ckpt_state_add_block(state, "model", "w", right, 2, block), CKPT_E_OUT_OF_RANGE,
              "offsets[1] is 1 for a block of 3; 'w' has 3");
  CHECK_FAILS(ckpt_state_add_block(state, "model", "w", before, 2, block), CKPT_E_OUT_OF_RANGE, "offsets[1] is -1");
  CHECK_FAILS(ckpt_state_add_block(state, "model", "w", last, 2, block), CKPT_E_OUT_OF_RANGE, "offsets[0] is 9223372036854775807");
  CHECK_OK(ckpt_state_add_block(state, "model", "w", end, 2, empty)); /* an empty block after the last element */
  CHECK_OK(ckpt_state_add_block(state, "model", "w", origin, 2, block));
  ckpt_tensor_release(block);
  ckpt_tensor_release(doubles);
  ckpt_tensor_release(empty);
  ckpt_tensor_release(scalar);
  ckpt_state_release(state);
}

/* Two elements per byte: a block starts and ends on whole bytes in its last dimension. */
static void elements_of_half_a_byte(void) {
  const int64_t shape[2] = {2, 8};
  const int64_t odd[2] = {0, 3};
  const int64_t even[2] = {0, 2};
  ckpt_tensor* block = tensor_of(CKPT_DTYPE_F4, 2, 4);
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_add_sharded_tensor(state, "model", "small", CKPT_DTYPE_F4, shape, 2));
  CHECK_FAILS(ckpt_state_add_block(state, "model", "small", odd, 2, block), CKPT_E_UNSUPPORTED, "[0:2, 3:7] of 'small'");
  CHECK_OK(ckpt_state_add_block(state, "model", "small", even, 2, block));
  ckpt_tensor_release(block);
  ckpt_state_release(state);
}

static void values_of_ranks(void) {
  ckpt_checkpoint_manager* manager = manager_in_memory();
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  ckpt_state* state = state_of_w();
  char text[64] = "";
  int64_t needed = -1;
  add_block(state, 0, 0, 4, 3);
  CHECK_OK(ckpt_state_set_json(state, "epoch", " 3 "));
  CHECK_OK(ckpt_checkpoint_manager_save(manager, state, NULL, &saved));
  CHECK_OK(ckpt_checkpoint_manager_get_rank_values(manager, saved.name, 0, text, sizeof text, &needed));
  CHECK(strcmp(text, "{\"epoch\":3}") == 0 && needed == (int64_t)strlen(text));
  CHECK_OK(ckpt_checkpoint_manager_get_rank_values(manager, saved.name, 0, NULL, 0, &needed));
  CHECK(needed == (int64_t)strlen(text));
  CHECK_FAILS(ckpt_checkpoint_manager_get_rank_values(NULL, saved.name, 0, text, 64, &needed), CKPT_E_INVALID_ARGUMENT,
              "manager is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_get_rank_values(manager, NULL, 0, text, 64, &needed), CKPT_E_INVALID_ARGUMENT,
              "name is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_get_rank_values(manager, "none", 0, text, 64, &needed), CKPT_E_NOT_FOUND, "none");
  CHECK_FAILS(ckpt_checkpoint_manager_get_rank_values(manager, saved.name, -1, text, 64, &needed), CKPT_E_INVALID_ARGUMENT,
              "rank is -1");
  CHECK_FAILS(ckpt_checkpoint_manager_get_rank_values(manager, saved.name, 1, text, 64, &needed), CKPT_E_OUT_OF_RANGE,
              "rank is 1; expected 0 .. 0");
  CHECK_FAILS(ckpt_checkpoint_manager_get_rank_values(manager, saved.name, 0, NULL, 64, &needed), CKPT_E_INVALID_ARGUMENT,
              "buffer");
  CHECK_FAILS(ckpt_checkpoint_manager_get_rank_values(manager, saved.name, 0, text, 5, &needed), CKPT_E_OUT_OF_RANGE, "capacity");
  CHECK(needed == (int64_t)strlen("{\"epoch\":3}"));
  CHECK_OK(ckpt_checkpoint_manager_get_rank_values(manager, saved.name, 0, text, sizeof text, NULL));
  ckpt_state_release(state);
  ckpt_checkpoint_manager_release(manager);
}

/* ---- One rank saves and loads ---- */

static void check_w(const ckpt_tensor* tensor) {
  const float* elements = ckpt_tensor_get_const_data(tensor);
  for (int i = 0; i < 12; ++i) CHECK(elements[i] == (float)(10 * (i / 3) + i % 3));
}

static void load_whole(ckpt_checkpoint_manager* manager) {
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  ckpt_tensor* whole = tensor_of(CKPT_DTYPE_F32, 4, 3);
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_tensor_fill(whole, -1));
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_add_tensor(state, "model", "w", whole));
  CHECK_OK(ckpt_checkpoint_manager_load(manager, state, NULL, &loaded));
  CHECK(loaded.world_size == 1 && loaded.step == 6);
  check_w(whole);
  ckpt_state_release(state);
  ckpt_tensor_release(whole);
}

/* Several blocks become one tensor of a format 1 checkpoint, which any program can read. */
static void several_blocks_are_one_tensor(void) {
  ckpt_checkpoint_manager* manager = manager_in_memory();
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  ckpt_reader* reader = NULL;
  ckpt_tensor* whole = NULL;
  char manifest[8192];
  int64_t needed = 0;
  int64_t index = -1;
  ckpt_state* state = state_of_w();
  options.step = 6;
  options.check_replicas = 1; /* nothing to compare with */
  add_block(state, 0, 0, 2, 2);
  add_block(state, 2, 0, 2, 2);
  CHECK_FAILS(ckpt_checkpoint_manager_save(manager, state, &options, &saved), CKPT_E_INVALID_ARGUMENT, "[0:2, 2:3] is in no block");
  add_block(state, 0, 2, 4, 1);
  CHECK_OK(ckpt_checkpoint_manager_save(manager, state, &options, &saved));
  CHECK(saved.files == 1 && saved.rank_bytes == saved.bytes);
  CHECK_OK(ckpt_checkpoint_manager_get_latest(manager, &info));
  CHECK(info.world_size == 1 && info.step == 6);
  CHECK_OK(ckpt_checkpoint_manager_get_manifest(manager, saved.name, manifest, sizeof manifest, &needed));
  CHECK(needed < (int64_t)sizeof manifest && strstr(manifest, "\"format_version\":1,") != NULL);
  load_whole(manager);
  CHECK_OK(ckpt_reader_create_from_checkpoint(manager, saved.name, CKPT_VERIFY_FULL, &reader));
  CHECK_OK(ckpt_reader_find(reader, "model", "w", &index));
  CHECK_OK(ckpt_reader_read_new(reader, index, NULL, &whole));
  check_w(whole);
  ckpt_tensor_release(whole);
  ckpt_reader_release(reader);
  add_block(state, 1, 1, 2, 2);
  CHECK_FAILS(ckpt_checkpoint_manager_save(manager, state, &options, &saved), CKPT_E_INVALID_ARGUMENT, "is in two blocks");
  ckpt_state_release(state);
  ckpt_checkpoint_manager_release(manager);
}

int main(void) {
  sharded_tensors();
  blocks();
  elements_of_half_a_byte();
  values_of_ranks();
  several_blocks_are_one_tensor();
  return 0;
}
