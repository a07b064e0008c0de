/* The example of docs/reference/s3.md: a save and a load. Keys, region and endpoint come from the environment; the argument is a
 * URI. */
#include <stdio.h>

#include <ckpt/ckpt.h>
#include <ckpt/s3.h>

static int save_and_load(const char* uri) {
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* checkpoints = NULL;
  ckpt_state* state = NULL;
  char text[16];
  ckpt_status status = ckpt_s3_storage_create(uri, NULL, &storage);
  if (status != CKPT_OK) return puts(ckpt_s3_last_error()), 1;
  status = ckpt_checkpoint_manager_create(storage, NULL, &checkpoints);
  if (status == CKPT_OK) status = ckpt_state_create(&state);
  if (status == CKPT_OK) status = ckpt_state_set_json(state, "epoch", "7");
  if (status == CKPT_OK) status = ckpt_checkpoint_manager_save(checkpoints, state, NULL, NULL);
  if (status == CKPT_OK) status = ckpt_state_set_json(state, "epoch", "0");
  if (status == CKPT_OK) status = ckpt_checkpoint_manager_load(checkpoints, state, NULL, NULL);
  if (status == CKPT_OK) status = ckpt_state_get_json(state, "epoch", text, sizeof text, NULL);
  puts(status == CKPT_OK ? text : ckpt_last_error());
  ckpt_state_release(state);
  ckpt_checkpoint_manager_release(checkpoints);
  ckpt_storage_release(storage);
  return status != CKPT_OK;
}

int main(int argc, char** argv) { return argc == 2 ? save_and_load(argv[1]) : 2; }
