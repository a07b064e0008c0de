#include <ckpt/ckpt.h>
#include <stdio.h>

static int failed(void) {
  fprintf(stderr, "%s\n", ckpt_last_error());
  return 1;
}

int main(void) {
  static float weights[1000]; /* owned by the caller: saves read it, loads fill it */
  const int64_t shape[1] = {1000};
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* run = NULL;
  ckpt_tensor* tensor = NULL;
  ckpt_state* state = NULL;
  ckpt_load_result last = CKPT_LOAD_RESULT_INIT;
  ckpt_save_options save = CKPT_SAVE_OPTIONS_INIT;
  ckpt_status loaded;

  if (ckpt_storage_create_file_system("run", NULL, &storage) || ckpt_checkpoint_manager_create(storage, NULL, &run) ||
      ckpt_tensor_create_borrowed(weights, CKPT_DTYPE_F32, shape, 1, NULL, NULL, &tensor) || ckpt_state_create(&state) ||
      ckpt_state_add_tensor(state, "model", "weights", tensor))
    return failed();
  loaded = ckpt_checkpoint_manager_load(run, state, NULL, &last); /* the newest valid checkpoint, every byte verified */
  if (loaded != CKPT_OK && loaded != CKPT_E_NOT_FOUND) return failed();
  weights[0] += 1; /* train */
  save.step = last.step + 1;
  if (ckpt_checkpoint_manager_save(run, state, &save, NULL)) return failed(); /* durable when it returns */
  printf("step %d is on the disk: %g\n", (int)save.step, weights[0]);

  ckpt_state_release(state);
  ckpt_tensor_release(tensor);
  ckpt_checkpoint_manager_release(run);
  ckpt_storage_release(storage);
  return 0;
}
