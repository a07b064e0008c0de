/* One of two processes that write the same file or checkpoint. write_one file PATH N: a safetensors file filled with the byte N.
 * write_one save DIR N: saves a checkpoint of step N filled with it and keeps only the two newest. write_one load DIR: loads the
 * newest valid one and checks that its bytes equal its step. Exit code 1 and the reason on standard error if the library refuses.
 * */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckpt/ckpt.h>

#define BYTES 20000

static unsigned char bytes[BYTES];

static void need(ckpt_status status) {
  if (status == CKPT_OK) return;
  fprintf(stderr, "%s: %s\n", ckpt_status_name(status), ckpt_last_error());
  exit(1);
}

static ckpt_state* make_state(void) {
  const int64_t shape[1] = {BYTES};
  ckpt_state* state = NULL;
  ckpt_tensor* tensor = NULL;
  need(ckpt_state_create(&state));
  need(ckpt_tensor_create_borrowed(bytes, CKPT_DTYPE_U8, shape, 1, NULL, NULL, &tensor));
  need(ckpt_state_add_tensor(state, "model", "weight", tensor));
  ckpt_tensor_release(tensor);
  return state;
}

static ckpt_checkpoint_manager* open_checkpoints(const char* path, int32_t read_only) {
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.read_only = read_only;
  options.keep_last = 2;
  need(ckpt_storage_create_file_system(path, NULL, &storage));
  need(ckpt_checkpoint_manager_create(storage, &options, &checkpoint));
  ckpt_storage_release(storage);
  return checkpoint;
}

static void save(const char* path, const ckpt_state* state, int64_t step) {
  ckpt_checkpoint_manager* const checkpoint = open_checkpoints(path, 0);
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  options.step = step;
  need(ckpt_checkpoint_manager_save(checkpoint, state, &options, NULL));
  ckpt_checkpoint_manager_release(checkpoint);
}

static void load(const char* path, ckpt_state* state) {
  ckpt_checkpoint_manager* const checkpoint = open_checkpoints(path, 1);
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  size_t i = 0;
  need(ckpt_checkpoint_manager_load(checkpoint, state, NULL, &result));
  while (i < BYTES && bytes[i] == result.step) ++i;
  if (i < BYTES) {
    fprintf(stderr, "byte %d of step %d is %d\n", (int)i, (int)result.step, bytes[i]);
    exit(2);
  }
  ckpt_checkpoint_manager_release(checkpoint);
}

int main(int argc, char** argv) {
  const int number = argc > 3 ? atoi(argv[3]) : 0;
  ckpt_state* const state = make_state();
  memset(bytes, number, BYTES);
  if (argc == 4 && strcmp(argv[1], "file") == 0) {
    need(ckpt_safetensors_write(argv[2], state, "model", NULL));
  } else if (argc == 4 && strcmp(argv[1], "save") == 0) {
    save(argv[2], state, number);
  } else if (argc == 3 && strcmp(argv[1], "load") == 0) {
    load(argv[2], state);
  } else {
    fprintf(stderr, "usage: write_one file PATH N | save DIR N | load DIR\n");
    return 2;
  }
  ckpt_state_release(state);
  return 0;
}
