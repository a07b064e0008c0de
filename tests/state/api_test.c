/* Tests the state part through the C API from C99: save, resume, listing, verification, and every refused call. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"

static test_folder root;

static ckpt_tensor* tensor_of(float* data, int64_t count) {
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_tensor_create_borrowed(data, CKPT_DTYPE_F32, &count, 1, NULL, NULL, &tensor));
  return tensor;
}

static ckpt_storage* open_root(void) {
  ckpt_storage* storage = NULL;
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  return storage;
}

/* The example of docs/reference/state.md. */
static void save_and_resume(void) {
  float weight[3] = {1, 2, 3};
  float moment[2] = {4, 5};
  ckpt_tensor* weight_tensor = tensor_of(weight, 3);
  ckpt_tensor* moment_tensor = tensor_of(moment, 2);
  ckpt_storage* storage = open_root();
  ckpt_state* state = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_add_tensor(state, "model", "weight", weight_tensor));
  CHECK_OK(ckpt_state_add_tensor(state, "optimizer", "moment", moment_tensor));
  CHECK_OK(ckpt_state_set_json(state, CKPT_STATE_DATA_POSITION, "{ \"byte\": 4096 }"));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &checkpoint));

  ckpt_load_result none = CKPT_LOAD_RESULT_INIT;
  CHECK_FAILS(ckpt_checkpoint_manager_load(checkpoint, state, NULL, &none), CKPT_E_NOT_FOUND, root);

  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  options.step = 12;
  options.seed = UINT64_MAX;
  options.environment_json = "{\"isa\":\"avx2\"}";
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, state, &options, &saved));
  CHECK(saved.step == 12 && saved.files == 2 && saved.commit_sequence == 1 && saved.bytes > 0);
  CHECK(strncmp(saved.name, "step-000000000012-", 18) == 0);

  weight[0] = weight[1] = weight[2] = 0;
  moment[0] = 9;
  CHECK_OK(ckpt_state_set_json(state, CKPT_STATE_DATA_POSITION, "0"));
  ckpt_load_options load = CKPT_LOAD_OPTIONS_INIT;
  load.environment_json = "{\"isa\":\"neon\"}";
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, state, &load, &loaded));
  CHECK(weight[0] == 1 && weight[2] == 3 && moment[0] == 4);
  CHECK(loaded.step == 12 && loaded.seed == UINT64_MAX && loaded.skipped == 0 && loaded.environment_differs == 1);
  CHECK(strcmp(loaded.name, saved.name) == 0);
  char json[32];
  int64_t needed = 0;
  CHECK_OK(ckpt_state_get_json(state, CKPT_STATE_DATA_POSITION, json, sizeof json, &needed));
  CHECK(strcmp(json, "{\"byte\":4096}") == 0 && needed == 13);

  /* Released in any order: each object keeps what it needs alive. */
  ckpt_storage_release(storage);
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, state, &options, NULL));
  ckpt_tensor_release(weight_tensor);
  ckpt_tensor_release(moment_tensor);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_state_release(state);
}

static void list_and_verify(void) {
  ckpt_storage* storage = open_root();
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.read_only = 1;
  ckpt_checkpoint_manager* checkpoint = NULL;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &checkpoint));
  int64_t count = 0;
  CHECK_OK(ckpt_checkpoint_manager_list(checkpoint, NULL, 0, &count));
  CHECK(count == 2);
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  count = 0;
  CHECK_OK(ckpt_checkpoint_manager_list(checkpoint, &info, 1, &count));
  CHECK(count == 2 && info.status == CKPT_OK && info.step == 12 && info.commit_sequence == 2 && info.bytes > 0);
  char manifest[8192];
  int64_t needed = 0;
  CHECK_OK(ckpt_checkpoint_manager_get_manifest(checkpoint, info.name, manifest, sizeof manifest, &needed));
  CHECK(strstr(manifest, "\"format_version\":1") != NULL && strstr(manifest, "\"data_position\":{\"byte\":4096}") != NULL);
  CHECK_FAILS(ckpt_checkpoint_manager_get_manifest(checkpoint, "../elsewhere", NULL, 0, &needed), CKPT_E_INVALID_ARGUMENT,
              "../elsewhere");
  ckpt_verify_result verified = CKPT_VERIFY_RESULT_INIT;
  CHECK_OK(ckpt_checkpoint_manager_verify(checkpoint, NULL, &verified));
  CHECK(verified.files == 2 && verified.tensors == 2 && strcmp(verified.name, info.name) == 0);
  CHECK_FAILS(ckpt_checkpoint_manager_verify(checkpoint, "step-1", NULL), CKPT_E_NOT_FOUND, "step-1");
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_state_create(&state));
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL), CKPT_E_INVALID_STATE, "read-only");
  ckpt_state_release(state);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);

  /* The directory of one checkpoint as a root, and a file by its path. */
  char path[512];
  snprintf(path, sizeof path, "%s/%s", root, info.name);
  CHECK_OK(ckpt_storage_create_file_system(path, NULL, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &checkpoint));
  CHECK_OK(ckpt_checkpoint_manager_verify(checkpoint, CKPT_CHECKPOINT_SELF, NULL));
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
  snprintf(path, sizeof path, "%s/%s/model.safetensors", root, info.name);
  ckpt_reader* file = NULL;
  CHECK_OK(ckpt_reader_create(path, &file));
  CHECK_OK(ckpt_reader_get_tensor_count(file, &count));
  CHECK(count == 1);
  ckpt_tensor_info tensor = CKPT_TENSOR_INFO_INIT;
  CHECK_OK(ckpt_reader_get_tensor(file, 0, &tensor));
  CHECK(strcmp(tensor.name, "weight") == 0 && tensor.dtype == CKPT_DTYPE_F32 && tensor.ndim == 1 && tensor.shape[0] == 3);
  CHECK(tensor.bytes == 12 && tensor.offset % 64 == 0);
  float data[3] = {0};
  ckpt_tensor* target = tensor_of(data, 3);
  CHECK_OK(ckpt_reader_read(file, 0, target));
  CHECK(data[0] == 1 && data[1] == 2 && data[2] == 3);
  ckpt_tensor_release(target);
  target = tensor_of(data, 2);
  CHECK_FAILS(ckpt_reader_read(file, 0, target), CKPT_E_INVALID_ARGUMENT, "weight");
  CHECK_FAILS(ckpt_reader_read(file, 1, target), CKPT_E_OUT_OF_RANGE, "index is 1");
  ckpt_tensor_release(target);
  CHECK_OK(ckpt_reader_get_metadata_count(file, &count));
  CHECK(count == 0);
  const char* key = NULL;
  const char* value = NULL;
  CHECK_FAILS(ckpt_reader_get_metadata(file, 0, &key, &value), CKPT_E_OUT_OF_RANGE, "index is 0");
  ckpt_reader_release(file);
}

static void bad_storage(void) {
  ckpt_storage* storage = NULL;
  CHECK_FAILS(ckpt_storage_create_file_system(NULL, NULL, &storage), CKPT_E_INVALID_ARGUMENT, "root is NULL");
  CHECK_FAILS(ckpt_storage_create_file_system(" ", NULL, &storage), CKPT_E_INVALID_ARGUMENT, "root is blank");
  CHECK_FAILS(ckpt_storage_create_file_system(root, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "storage is NULL");
  CHECK_FAILS(ckpt_storage_create_file_system("/dev/null", NULL, &storage), CKPT_E_INVALID_ARGUMENT, "/dev/null");
  CHECK_FAILS(ckpt_storage_create_memory(NULL), CKPT_E_INVALID_ARGUMENT, "storage is NULL");
  ckpt_file_system_options options = CKPT_FILE_SYSTEM_OPTIONS_INIT;
  options.must_exist = 1;
  CHECK_FAILS(ckpt_storage_create_file_system("/nonexistent/root", &options, &storage), CKPT_E_NOT_FOUND, "/nonexistent/root");
  options.struct_size = 1;
  CHECK_FAILS(ckpt_storage_create_file_system(root, &options, &storage), CKPT_E_INVALID_ARGUMENT, "struct_size is 1");
  CHECK(storage == NULL);
  ckpt_storage_release(NULL);
  CKPT_INIT(ckpt_file_system_options, &options);
  CHECK(options.struct_size == sizeof options && options.must_exist == 0);
}

static void bad_state(void) {
  float data[1] = {0};
  ckpt_tensor* tensor = tensor_of(data, 1);
  ckpt_state* state = NULL;
  int64_t count = 0;
  CHECK_FAILS(ckpt_state_create(NULL), CKPT_E_INVALID_ARGUMENT, "state is NULL");
  CHECK_OK(ckpt_state_create(&state));
  CHECK_FAILS(ckpt_state_add_tensor(NULL, "g", "n", tensor), CKPT_E_INVALID_ARGUMENT, "state is NULL");
  CHECK_FAILS(ckpt_state_add_tensor((ckpt_state*)tensor, "g", "n", tensor), CKPT_E_INVALID_ARGUMENT, "kind 'state'");
  CHECK_FAILS(ckpt_state_add_tensor(state, NULL, "n", tensor), CKPT_E_INVALID_ARGUMENT, "group is NULL");
  CHECK_FAILS(ckpt_state_add_tensor(state, "", "n", tensor), CKPT_E_INVALID_ARGUMENT, "group is blank");
  CHECK_FAILS(ckpt_state_add_tensor(state, "g", NULL, tensor), CKPT_E_INVALID_ARGUMENT, "name is NULL");
  CHECK_FAILS(ckpt_state_add_tensor(state, "g", " \t", tensor), CKPT_E_INVALID_ARGUMENT, "name is blank");
  CHECK_FAILS(ckpt_state_add_tensor(state, "g", "\xff", tensor), CKPT_E_INVALID_ARGUMENT, "UTF-8");
  CHECK_FAILS(ckpt_state_add_tensor(state, "g", "__metadata__", tensor), CKPT_E_INVALID_ARGUMENT, "__metadata__");
  CHECK_FAILS(ckpt_state_add_tensor(state, "g", "n", NULL), CKPT_E_INVALID_ARGUMENT, "tensor is NULL");
  CHECK_FAILS(ckpt_state_add_tensor(state, "g", "n", (ckpt_tensor*)state), CKPT_E_INVALID_ARGUMENT, "kind 'tensor'");
  CHECK_FAILS(ckpt_state_add_tensor(state, "12345678901234567890123456789012345678901234567890123456789012345", "n", tensor),
              CKPT_E_INVALID_ARGUMENT, "65 bytes");
  CHECK_OK(ckpt_state_get_tensor_count(state, &count));
  CHECK(count == 0);
  CHECK_OK(ckpt_state_add_tensor(state, "g", "n", tensor));
  CHECK_FAILS(ckpt_state_add_tensor(state, "g", "n", tensor), CKPT_E_ALREADY_EXISTS, "'n'");
  CHECK_FAILS(ckpt_state_get_tensor_count(state, NULL), CKPT_E_INVALID_ARGUMENT, "tensor_count is NULL");
  CHECK_FAILS(ckpt_state_set_json(state, "k", "{"), CKPT_E_INVALID_ARGUMENT, "json");
  CHECK_FAILS(ckpt_state_set_json(state, "k", "NaN"), CKPT_E_INVALID_ARGUMENT, "json");
  CHECK_FAILS(ckpt_state_set_json(state, "k", "1e999"), CKPT_E_INVALID_ARGUMENT, "json");
  CHECK_FAILS(ckpt_state_set_json(state, "k", "18446744073709551616"), CKPT_E_INVALID_ARGUMENT, "64 bits");
  CHECK_FAILS(ckpt_state_set_json(state, "k", "{\"a\":1,\"a\":2}"), CKPT_E_INVALID_ARGUMENT, "'a' twice");
  CHECK_FAILS(ckpt_state_set_json(state, "k", NULL), CKPT_E_INVALID_ARGUMENT, "json is NULL");
  CHECK_FAILS(ckpt_state_set_json(state, "", "1"), CKPT_E_INVALID_ARGUMENT, "key is blank");
  CHECK_FAILS(ckpt_state_get_json(state, "k", NULL, 0, &count), CKPT_E_NOT_FOUND, "'k'");
  CHECK_OK(ckpt_state_get_key_count(state, &count));
  CHECK(count == 0);
  CHECK_FAILS(ckpt_state_get_key(state, 0, NULL, 0, &count), CKPT_E_OUT_OF_RANGE, "index is 0; the state has 0 keys");
  CHECK_OK(ckpt_state_set_json(state, "k", "[1, 2.5, -9223372036854775808, 18446744073709551615]"));
  char text[8];
  CHECK_FAILS(ckpt_state_get_json(state, "k", text, sizeof text, &count), CKPT_E_OUT_OF_RANGE, "capacity is 8");
  CHECK(count == 49);
  CHECK_OK(ckpt_state_set_json(state, "K2", "null"));
  CHECK_OK(ckpt_state_get_key_count(state, &count));
  CHECK(count == 2);
  CHECK_OK(ckpt_state_get_key(state, 0, text, sizeof text, &count));
  CHECK(strcmp(text, "K2") == 0 && count == 2);
  CHECK_OK(ckpt_state_get_key(state, 1, text, sizeof text, NULL));
  CHECK(strcmp(text, "k") == 0);
  CHECK_FAILS(ckpt_state_get_key(state, 2, text, sizeof text, &count), CKPT_E_OUT_OF_RANGE, "index is 2; the state has 2 keys");
  CHECK_FAILS(ckpt_state_get_key(state, -1, text, sizeof text, &count), CKPT_E_OUT_OF_RANGE, "index is -1");
  ckpt_state_release(NULL);
  ckpt_state_release(state);
  ckpt_tensor_release(tensor);
}

/* Iterating over all keys takes linear time, and a new key is visible at once. */
static void many_keys(void) {
  enum { keys = 20000 };
  ckpt_state* state = NULL;
  char text[32];
  char wanted[32];
  int64_t i;
  CHECK_OK(ckpt_state_create(&state));
  for (i = 0; i < keys; ++i) {
    sprintf(text, "key%06lld", (long long)i);
    CHECK_OK(ckpt_state_set_json(state, text, "1"));
  }
  const clock_t begin = clock();
  for (i = 0; i < keys; ++i) {
    sprintf(wanted, "key%06lld", (long long)i);
    CHECK_OK(ckpt_state_get_key(state, i, text, sizeof text, NULL));
    CHECK(strcmp(text, wanted) == 0);
  }
  CHECK((double)(clock() - begin) / CLOCKS_PER_SEC < 2); /* CPU seconds; it took 6 when each call searched from the first key */
  CHECK_OK(ckpt_state_set_json(state, "a", "1"));
  CHECK_OK(ckpt_state_get_key(state, 0, text, sizeof text, NULL));
  CHECK(strcmp(text, "a") == 0);
  CHECK_OK(ckpt_state_get_key(state, keys, text, sizeof text, NULL));
  CHECK(strcmp(text, "key019999") == 0);
  ckpt_state_release(state);
}

static void bad_checkpoint(void) {
  ckpt_storage* storage = open_root();
  ckpt_storage* again = open_root();
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_checkpoint_manager* second = NULL;
  ckpt_state* state = NULL;
  char pid[32];
  snprintf(pid, sizeof pid, "process %ld", (long)getpid());
  CHECK_OK(ckpt_state_create(&state));
  CHECK_FAILS(ckpt_checkpoint_manager_create(NULL, NULL, &checkpoint), CKPT_E_INVALID_ARGUMENT, "storage is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_create((ckpt_storage*)state, NULL, &checkpoint), CKPT_E_INVALID_ARGUMENT, "kind 'storage'");
  CHECK_FAILS(ckpt_checkpoint_manager_create(storage, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "manager is NULL");
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.keep_last = -1;
  CHECK_FAILS(ckpt_checkpoint_manager_create(storage, &options, &checkpoint), CKPT_E_INVALID_ARGUMENT, "keep_last is -1");
  CHECK(checkpoint == NULL);
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &checkpoint));
  CHECK_FAILS(ckpt_checkpoint_manager_create(again, NULL, &second), CKPT_E_BUSY, pid);
  CHECK(second == NULL);

  ckpt_save_options save = CKPT_SAVE_OPTIONS_INIT;
  save.step = -1;
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, &save, NULL), CKPT_E_INVALID_ARGUMENT, "step is -1");
  save.step = 1;
  save.metadata_json = "{]";
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, &save, NULL), CKPT_E_INVALID_ARGUMENT, "metadata");
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, NULL, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "state is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_save(NULL, state, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "manager is NULL");
  ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
  result.struct_size = 8;
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, NULL, &result), CKPT_E_INVALID_ARGUMENT, "struct_size is 8");
  int64_t count = 0;
  CHECK_OK(ckpt_checkpoint_manager_list(checkpoint, NULL, 0, &count));
  CHECK(count == 2);
  ckpt_load_options load = CKPT_LOAD_OPTIONS_INIT;
  load.verify = 7;
  CHECK_FAILS(ckpt_checkpoint_manager_load(checkpoint, state, &load, NULL), CKPT_E_INVALID_ARGUMENT, "verify is 7");
  CHECK_FAILS(ckpt_checkpoint_manager_load(checkpoint, state, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "not in the state");
  CHECK_FAILS(ckpt_checkpoint_manager_list(checkpoint, NULL, 0, NULL), CKPT_E_INVALID_ARGUMENT, "count is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_verify(checkpoint, "/", NULL), CKPT_E_INVALID_ARGUMENT, "'/'");
  ckpt_checkpoint_manager_release(checkpoint);
  CHECK_OK(ckpt_checkpoint_manager_create(again, NULL, &second));
  ckpt_checkpoint_manager_release(second);
  ckpt_checkpoint_manager_release(NULL);
  ckpt_state_release(state);
  ckpt_storage_release(storage);
  ckpt_storage_release(again);
}

static void bad_files(void) {
  ckpt_reader* file = NULL;
  char path[512];
  CHECK_FAILS(ckpt_reader_create(NULL, &file), CKPT_E_INVALID_ARGUMENT, "path is NULL");
  CHECK_FAILS(ckpt_reader_create("", &file), CKPT_E_INVALID_ARGUMENT, "path is empty");
  CHECK_FAILS(ckpt_reader_create(root, &file), CKPT_E_NOT_FOUND, "model.safetensors");
  CHECK_FAILS(ckpt_reader_create("/nonexistent", &file), CKPT_E_NOT_FOUND, "/nonexistent");
  CHECK_FAILS(ckpt_reader_create(root, NULL), CKPT_E_INVALID_ARGUMENT, "reader is NULL");
  snprintf(path, sizeof path, "%s/.lock", root);
  CHECK_FAILS(ckpt_reader_create(path, &file), CKPT_E_CORRUPT, ".lock");
  CHECK(file == NULL);
  int64_t count = 0;
  CHECK_FAILS(ckpt_reader_get_tensor_count(NULL, &count), CKPT_E_INVALID_ARGUMENT, "reader is NULL");
  ckpt_reader_release(NULL);
}

static void initializers(void) {
  ckpt_checkpoint_manager_options checkpoint_options;
  ckpt_save_options save_options;
  ckpt_save_result save_result;
  ckpt_load_options load_options;
  ckpt_load_result load_result;
  ckpt_checkpoint_info info;
  ckpt_verify_result verify_result;
  ckpt_tensor_info tensor_info;
  CKPT_INIT(ckpt_checkpoint_manager_options, &checkpoint_options);
  CKPT_INIT(ckpt_save_options, &save_options);
  CKPT_INIT(ckpt_save_result, &save_result);
  CKPT_INIT(ckpt_load_options, &load_options);
  CKPT_INIT(ckpt_load_result, &load_result);
  CKPT_INIT(ckpt_checkpoint_info, &info);
  CKPT_INIT(ckpt_verify_result, &verify_result);
  CKPT_INIT(ckpt_tensor_info, &tensor_info);
  CHECK(checkpoint_options.struct_size == sizeof checkpoint_options && save_options.struct_size == sizeof save_options);
  CHECK(save_result.struct_size == sizeof save_result && load_options.struct_size == sizeof load_options);
  CHECK(load_options.verify == CKPT_VERIFY_FULL && load_result.struct_size == sizeof load_result);
  CHECK(info.struct_size == sizeof info && verify_result.struct_size == sizeof verify_result);
  CHECK(tensor_info.struct_size == sizeof tensor_info);
}

int main(void) {
  make_folder(root, "state-api");
  save_and_resume();
  list_and_verify();
  bad_storage();
  bad_state();
  many_keys();
  bad_checkpoint();
  bad_files();
  initializers();
  char command[sizeof(test_folder) + 32];
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  CHECK(system(command) == 0);
  return 0;
}
