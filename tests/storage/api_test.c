/* The storage part through the C API from C99; storages are tested through state.h. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <unistd.h>

#include "folder.h"

/* Saves a tensor that is not a whole number of chunks, and verifies and loads it; then removes the files. */
static void save_and_load(const char* root, const ckpt_file_system_options* options) {
  enum { length = 5 * 1024 * 1024 + 7 };
  const int64_t shape[1] = {length};
  unsigned char* bytes = malloc(length);
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_state* state = NULL;
  ckpt_tensor* tensor = NULL;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  char command[512];
  CHECK(bytes != NULL);
  for (int i = 0; i < length; ++i) bytes[i] = (unsigned char)(i * 7 + i / 1000);
  CHECK_OK(ckpt_storage_create_file_system(root, options, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &checkpoint));
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_tensor_create_borrowed(bytes, CKPT_DTYPE_U8, shape, 1, NULL, NULL, &tensor));
  CHECK_OK(ckpt_state_add_tensor(state, "model", "weight", tensor));
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, state, NULL, &saved));
  CHECK(saved.bytes > length);
  CHECK_OK(ckpt_checkpoint_manager_verify(checkpoint, NULL, NULL));
  memset(bytes, 0, length);
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, state, NULL, NULL));
  for (int i = 0; i < length; ++i) CHECK(bytes[i] == (unsigned char)(i * 7 + i / 1000));
  ckpt_tensor_release(tensor);
  ckpt_state_release(state);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
  free(bytes);
  snprintf(command, sizeof command, "rm -rf '%s'/step-* '%s'/.lock", root, root);
  CHECK(system(command) == 0);
}

int main(void) {
  test_folder root;
  make_folder(root, "storage-api");
  ckpt_storage* storage = NULL;
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  ckpt_storage_release(storage);
  storage = NULL;

  /* Every method of writing, with and without a limit. */
  ckpt_file_system_options options;
  for (int32_t path = CKPT_WRITE_PATH_RING; path <= CKPT_WRITE_PATH_BUFFERED; ++path) {
    CKPT_INIT(ckpt_file_system_options, &options);
    CHECK(options.write_path == CKPT_WRITE_PATH_RING);
    options.write_path = path;
    options.large_from_bytes = 1;
    options.bytes_per_second = path == CKPT_WRITE_PATH_RING ? 0 : INT64_MAX;
    save_and_load(root, &options);
  }
  CKPT_INIT(ckpt_file_system_options, &options);
  options.write_path = 3;
  CHECK_FAILS(ckpt_storage_create_file_system(root, &options, &storage), CKPT_E_INVALID_ARGUMENT, "options.write_path is 3");
  CKPT_INIT(ckpt_file_system_options, &options);
  options.large_from_bytes = -1;
  CHECK_FAILS(ckpt_storage_create_file_system(root, &options, &storage), CKPT_E_INVALID_ARGUMENT, "large_from_bytes is -1");
  CKPT_INIT(ckpt_file_system_options, &options);
  options.bytes_per_second = -1;
  CHECK_FAILS(ckpt_storage_create_file_system(root, &options, &storage), CKPT_E_INVALID_ARGUMENT, "bytes_per_second is -1");

  CHECK_FAILS(ckpt_storage_create_file_system(NULL, NULL, &storage), CKPT_E_INVALID_ARGUMENT, "root is NULL");
  CHECK_FAILS(ckpt_storage_create_file_system("\xff", NULL, &storage), CKPT_E_INVALID_ARGUMENT, "UTF-8");
  CHECK_FAILS(ckpt_storage_create_memory(NULL), CKPT_E_INVALID_ARGUMENT, "storage is NULL");
  CHECK(storage == NULL);

  /* In memory, saves and loads work as usual. */
  CHECK_OK(ckpt_storage_create_memory(&storage));
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_checkpoint_manager* second = NULL;
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &checkpoint));
  CHECK_FAILS(ckpt_checkpoint_manager_create(storage, NULL, &second), CKPT_E_BUSY, "memory");
  ckpt_storage_release(storage);
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_set_json(state, "lr", "0.5"));
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL));
  CHECK_OK(ckpt_state_set_json(state, "lr", "7"));
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, state, NULL, NULL));
  char text[8];
  CHECK_OK(ckpt_state_get_json(state, "lr", text, sizeof text, NULL));
  CHECK(strcmp(text, "0.5") == 0);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_state_release(state);
  CHECK(rmdir(root) == 0);
  return 0;
}
