/* The storage part through the .so from C99; what a storage does is seen through state.h. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <unistd.h>

#include "check.h"

int main(void) {
  char root[] = "/tmp/ckpt-storage-api-XXXXXX";
  CHECK(mkdtemp(root) != NULL);
  ckpt_storage* storage = NULL;
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  ckpt_storage_release(storage);
  storage = NULL;
  CHECK_FAILS(ckpt_storage_create_file_system(NULL, NULL, &storage), CKPT_E_INVALID_ARGUMENT, "root is NULL");
  CHECK_FAILS(ckpt_storage_create_file_system("\xff", NULL, &storage), CKPT_E_INVALID_ARGUMENT, "UTF-8");
  CHECK_FAILS(ckpt_storage_create_memory(NULL), CKPT_E_INVALID_ARGUMENT, "storage is NULL");
  CHECK(storage == NULL);

  /* In memory: saves and loads like any other. */
  CHECK_OK(ckpt_storage_create_memory(&storage));
  ckpt_checkpoint* checkpoint = NULL;
  ckpt_checkpoint* second = NULL;
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_checkpoint_create(storage, NULL, &checkpoint));
  CHECK_FAILS(ckpt_checkpoint_create(storage, NULL, &second), CKPT_E_BUSY, "memory");
  ckpt_storage_release(storage);
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_set_json(state, "lr", "0.5"));
  CHECK_OK(ckpt_checkpoint_save(checkpoint, state, NULL, NULL));
  CHECK_OK(ckpt_state_set_json(state, "lr", "7"));
  CHECK_OK(ckpt_checkpoint_load(checkpoint, state, NULL, NULL));
  char text[8];
  CHECK_OK(ckpt_state_json(state, "lr", text, sizeof text, NULL));
  CHECK(strcmp(text, "0.5") == 0);
  ckpt_checkpoint_release(checkpoint);
  ckpt_state_release(state);
  CHECK(rmdir(root) == 0);
  return 0;
}
