/* Through the C API from C99: one program that saves a stateful object, reads parts of it, and writes plain files. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <unistd.h>

#include "folder.h"

static test_folder root;

static ckpt_tensor* tensor_of(float* data, int64_t count) {
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_tensor_create_borrowed(data, CKPT_DTYPE_F32, &count, 1, NULL, NULL, &tensor));
  return tensor;
}

/* ---- A stateful object: a counter with a tensor ---- */

typedef struct counter {
  float data[2];
  int count;
  int code; /* the result of list */
  int destroyed;
} counter;

static int32_t counter_list(ckpt_state* into, void* user_data) {
  counter* self = (counter*)user_data;
  ckpt_tensor* tensor = tensor_of(self->data, 2);
  char json[16];
  snprintf(json, sizeof json, "%d", self->count);
  CHECK_OK(ckpt_state_add_tensor(into, "data", "t", tensor));
  CHECK_OK(ckpt_state_set_json(into, "count", json));
  ckpt_tensor_release(tensor);
  return self->code;
}

static int32_t counter_restore(const ckpt_state* loaded, void* user_data) {
  char json[16] = "";
  int64_t needed = 0;
  CHECK_OK(ckpt_state_get_json(loaded, "count", json, sizeof json, &needed));
  ((counter*)user_data)->count = json[0] - '0';
  return 0;
}

static void counter_destroy(void* user_data) { ++((counter*)user_data)->destroyed; }

static void plain_file(void) {
  char path[512];
  float weight[4] = {1, 2, 3, 4};
  float back[4] = {0, 0, 0, 0};
  ckpt_state* state = NULL;
  ckpt_reader* file = NULL;
  ckpt_tensor* tensor = tensor_of(weight, 4);
  ckpt_tensor* target = tensor_of(back, 4);
  const char* key = NULL;
  const char* value = NULL;
  snprintf(path, sizeof path, "%s.safetensors", root);
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_add_tensor(state, "model", "weight", tensor));
  CHECK_OK(ckpt_safetensors_write(path, state, "model", "{\"format\":\"pt\"}"));
  CHECK_OK(ckpt_safetensors_write(path, state, "model", "{\"format\":\"np\"}"));
  CHECK_OK(ckpt_reader_create(path, &file));
  CHECK_OK(ckpt_reader_get_metadata(file, 0, &key, &value));
  CHECK(strcmp(key, "format") == 0 && strcmp(value, "np") == 0);
  CHECK_OK(ckpt_reader_read(file, 0, target));
  CHECK(memcmp(weight, back, sizeof weight) == 0);
  ckpt_reader_release(file);
  CHECK(remove(path) == 0);
  CHECK_FAILS(ckpt_safetensors_write(path, state, "other", NULL), CKPT_E_NOT_FOUND, "group 'other'");
  CHECK_FAILS(ckpt_safetensors_write(path, state, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "group is NULL");
  CHECK_FAILS(ckpt_safetensors_write(NULL, state, "model", NULL), CKPT_E_INVALID_ARGUMENT, "path is NULL");
  CHECK_FAILS(ckpt_safetensors_write(path, state, "model", "7"), CKPT_E_INVALID_ARGUMENT, "expected an object");
  ckpt_state_release(state);
  ckpt_tensor_release(tensor);
  ckpt_tensor_release(target);
}

static void save_and_read(void) {
  float weight[4] = {1, 2, 3, 4};
  counter self = {{5, 6}, 7, 0, 0};
  ckpt_tensor* weight_tensor = tensor_of(weight, 4);
  ckpt_storage* storage = NULL;
  ckpt_state* state = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_add_tensor(state, "model", "weight", weight_tensor));
  CHECK_OK(ckpt_state_set_rarely_changes(state, "model", 1));
  CHECK_FAILS(ckpt_state_set_rarely_changes(state, " ", 1), CKPT_E_INVALID_ARGUMENT, "group is blank");

  ckpt_stateful_callbacks callbacks = CKPT_STATEFUL_CALLBACKS_INIT;
  CKPT_INIT(ckpt_stateful_callbacks, &callbacks);
  CHECK_FAILS(ckpt_state_add_stateful(state, "counter", &callbacks, &self, counter_destroy), CKPT_E_INVALID_ARGUMENT,
              "list is NULL");
  callbacks.list = counter_list;
  callbacks.restore = counter_restore;
  CHECK_OK(ckpt_state_add_stateful(state, "counter", &callbacks, &self, counter_destroy));
  CHECK_FAILS(ckpt_state_add_stateful(state, "counter", &callbacks, &self, counter_destroy), CKPT_E_ALREADY_EXISTS, "counter");
  CHECK(self.destroyed == 0);

  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.keep_last = 1;
  options.keep_every = 10;
  options.keep_best = 1;
  options.best_metric = 2;
  CHECK_FAILS(ckpt_checkpoint_manager_create(storage, &options, &checkpoint), CKPT_E_INVALID_ARGUMENT, "best_metric is 2");
  options.best_metric = CKPT_BEST_METRIC_LARGEST;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &checkpoint));
  ckpt_storage_release(storage);
  CHECK_OK(ckpt_checkpoint_manager_get_storage(checkpoint, &storage));
  ckpt_storage_release(storage);

  ckpt_save_options save = CKPT_SAVE_OPTIONS_INIT;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  save.has_metric = 1;
  save.prefix = "run";
  for (save.step = 9; save.step <= 12; ++save.step) {
    save.metric = save.step == 9 ? 0.5 : 0.25;
    CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, state, &save, &saved));
    CHECK(saved.files == 2 && saved.linked == (save.step == 9 ? 0 : 1));
  }
  CHECK(strncmp(saved.name, "run-step-000000000012-", 22) == 0);
  int64_t count = 0;
  CHECK_OK(ckpt_checkpoint_manager_list(checkpoint, NULL, 0, &count));
  CHECK(count == 3); /* the last, that of step 10, and the best one of step 9 */
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  CHECK_OK(ckpt_checkpoint_manager_find_step(checkpoint, 9, &info));
  CHECK(info.step == 9 && info.has_metric == 1 && info.metric == 0.5);
  self.code = 3;
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, &save, NULL), CKPT_E_CALLBACK, "counter");
  self.code = 0;

  self.count = 0;
  self.data[1] = 0;
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, state, NULL, NULL));
  CHECK(self.count == 7 && self.data[1] == 6);

  ckpt_state* part = NULL;
  ckpt_load_options load = CKPT_LOAD_OPTIONS_INIT;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  CHECK_OK(ckpt_state_create(&part));
  CHECK_OK(ckpt_state_add_tensor(part, "model", "weight", weight_tensor));
  load.partial = 1;
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, part, &load, &loaded));
  CHECK(loaded.missing == 0 && loaded.unexpected == 1);
  char report[128];
  CHECK_OK(ckpt_state_get_load_report(part, report, sizeof report, &count));
  CHECK(strcmp(report, "{\"missing\":[],\"unexpected\":[{\"group\":\"counter.data\",\"name\":\"t\"}],\"skipped\":[]}") == 0);
  ckpt_state_release(part);

  ckpt_reader* reader = NULL;
  CHECK_FAILS(ckpt_reader_create_from_checkpoint(checkpoint, NULL, 3, &reader), CKPT_E_INVALID_ARGUMENT, "verify is 3");
  CHECK_OK(ckpt_reader_create_from_checkpoint(checkpoint, NULL, CKPT_VERIFY_LAZY, &reader));
  CHECK_OK(ckpt_reader_get_tensor_count(reader, &count));
  CHECK(count == 2);
  int64_t index = -1;
  CHECK_OK(ckpt_reader_find(reader, NULL, "weight", &index));
  CHECK_FAILS(ckpt_reader_find(reader, "none", "weight", &index), CKPT_E_NOT_FOUND, "weight");
  ckpt_tensor_info tensor_info = CKPT_TENSOR_INFO_INIT;
  CHECK_OK(ckpt_reader_get_tensor(reader, index, &tensor_info));
  CHECK(strcmp(tensor_info.group, "model") == 0 && tensor_info.bytes == 16 && tensor_info.shape[0] == 4);
  weight[3] = 0;
  CHECK_OK(ckpt_reader_read(reader, index, weight_tensor));
  CHECK(weight[3] == 4);
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_reader_read_new(reader, index, NULL, &tensor));
  CHECK(((const float*)ckpt_tensor_get_const_data(tensor))[2] == 3);
  ckpt_tensor_release(tensor);
  CHECK_OK(ckpt_reader_read_slice(reader, index, 1, 2, NULL, &tensor));
  CHECK(((const float*)ckpt_tensor_get_const_data(tensor))[1] == 3);
  ckpt_tensor_release(tensor);
  CHECK_FAILS(ckpt_reader_read_slice(reader, index, 1, 4, NULL, &tensor), CKPT_E_OUT_OF_RANGE, "length is 4");
  CHECK_OK(ckpt_reader_map(reader, index, &tensor));
  ckpt_reader_release(reader);
  CHECK(((const float*)ckpt_tensor_get_const_data(tensor))[0] == 1);
  ckpt_tensor_release(tensor);
  char path[512];
  snprintf(path, sizeof path, "%s/%s", root, saved.name);
  CHECK_OK(ckpt_reader_create(path, &reader));
  CHECK_OK(ckpt_reader_get_tensor_count(reader, &count));
  CHECK(count == 1);
  ckpt_reader_release(reader);
  CHECK_FAILS(ckpt_reader_create("/nonexistent", &reader), CKPT_E_NOT_FOUND, "/nonexistent");

  ckpt_tensor_release(weight_tensor);
  ckpt_checkpoint_manager_release(checkpoint);
  CHECK(self.destroyed == 0);
  ckpt_state_release(state);
  CHECK(self.destroyed == 1);
}

int main(void) {
  char command[sizeof(test_folder) + 32];
  make_folder(root, "save-and-read");
  save_and_read();
  plain_file();
  snprintf(command, sizeof command, "rm -rf %s", root);
  CHECK(system(command) == 0);
  return 0;
}
