/* A log callback may call any function, also on the objects that the message is about. For each warning of the library that this
 * test provokes, the callback loads, saves, verifies and lists through the checkpoint that warned, runs background saves and loads
 * on it, calls its controller and runs a step of a pipeline; an alarm aborts the test if any of that waits for the call that is
 * warning. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "adaptive/events.h"
#include "folder.h"
#include "memory/named.h"

/* ---- The program's objects ---- */

static float weights[2] = {1, 2};
static test_folder root;
static ckpt_checkpoint_manager* checkpoint = NULL;
static ckpt_async_manager* async = NULL;
static ckpt_controller* controller = NULL;
static ckpt_pipeline* pipeline = NULL;
static ckpt_memory_tracker* tracker = NULL;
static ckpt_tensor* input = NULL;

static ckpt_tensor* tensor_of(float* data, int64_t length) {
  const int64_t shape[2] = {1, length};
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_tensor_create_borrowed(data, CKPT_DTYPE_F32, shape, 2, NULL, NULL, &tensor));
  return tensor;
}

/* A state over data. */
static ckpt_state* state_of(float* data) {
  ckpt_state* state = NULL;
  ckpt_tensor* const tensor = tensor_of(data, 2);
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_add_tensor(state, "model", "weights", tensor));
  ckpt_tensor_release(tensor);
  return state;
}

static void save_step(int64_t step, char* name) {
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
  ckpt_state* const state = state_of(weights);
  weights[0] = (float)step;
  options.step = step;
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, state, &options, &result));
  if (name != NULL) memcpy(name, result.name, sizeof result.name);
  ckpt_state_release(state);
}

static void open_checkpoint(void) {
  ckpt_storage* storage = NULL;
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &checkpoint));
  ckpt_storage_release(storage);
}

static void make_pipeline(void) {
  static float sample[2] = {1, 2};
  const ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_tensor_spec spec;
  ckpt_chain* chain = NULL;
  ckpt_layer* layer = NULL;
  memset(&spec, 0, sizeof spec);
  spec.dtype = CKPT_DTYPE_F32;
  spec.ndim = 2;
  spec.shape[0] = 1;
  spec.shape[1] = 2;
  input = tensor_of(sample, 2);
  CHECK_OK(ckpt_chain_create(0, &chain));
  CHECK_OK(ckpt_layer_create("linear", "linear:2,1", &layer));
  CHECK_OK(ckpt_chain_add(chain, layer));
  CHECK_OK(ckpt_chain_initialize(chain, 1));
  CHECK_OK(ckpt_pipeline_create(chain, &spec, &options, &pipeline));
  ckpt_layer_release(layer);
  ckpt_chain_release(chain);
}

static void damage(const char* name) {
  char path[256];
  FILE* file = NULL;
  (void)snprintf(path, sizeof path, "%s/%s/model.safetensors", root, name);
  file = fopen(path, "r+b");
  CHECK(file != NULL && fseek(file, -1, SEEK_END) == 0 && fputc(0x55, file) == 0x55 && fclose(file) == 0);
}

/* ---- The callback ---- */

static int warnings = 0;            /* during calls of this thread */
static int background_warnings = 0; /* these two change while this thread waits */
static int64_t step_of_callbacks = 1000;

static void use_checkpoint(int64_t next_step) {
  float loaded[2] = {0, 0};
  ckpt_state* const state = state_of(loaded);
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  ckpt_reader* reader = NULL;
  char name[CKPT_CHECKPOINT_NAME_BYTES];
  int64_t count = 0;
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, state, NULL, &result));
  CHECK(loaded[0] == (float)result.step);
  CHECK_OK(ckpt_checkpoint_manager_list(checkpoint, &info, 1, &count));
  CHECK_OK(ckpt_checkpoint_manager_get_latest(checkpoint, &info));
  CHECK_OK(ckpt_checkpoint_manager_verify(checkpoint, result.name, NULL));
  CHECK_OK(ckpt_checkpoint_manager_get_manifest(checkpoint, result.name, NULL, 0, &count));
  CHECK_OK(ckpt_reader_create_from_checkpoint(checkpoint, result.name, CKPT_VERIFY_FULL, &reader));
  ckpt_reader_release(reader);
  save_step(next_step, name);
  CHECK_OK(ckpt_checkpoint_manager_verify(checkpoint, name, NULL));
  ckpt_state_release(state);
}

static void use_async(int64_t next_step) {
  static float loaded[2];
  ckpt_state* const state = state_of(loaded);
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  int64_t save = 0;
  int64_t load = 0;
  options.step = next_step;
  CHECK_OK(ckpt_async_manager_save(async, state, &options, NULL, &save));
  CHECK_OK(ckpt_async_manager_load(async, state, NULL, NULL, &load));
  CHECK_OK(ckpt_async_manager_wait(async, save, -1, NULL));
  CHECK_OK(ckpt_async_manager_wait(async, load, -1, NULL));
  ckpt_state_release(state);
}

/* Runs on the manager's thread, for which all queued tasks wait. */
static void use_async_on_its_thread(void) {
  ckpt_async_manager_stats stats = CKPT_ASYNC_MANAGER_STATS_INIT;
  int64_t ids[8];
  int64_t count = 0;
  CHECK_OK(ckpt_async_manager_get_stats(async, &stats));
  CHECK_OK(ckpt_async_manager_list(async, CKPT_CHECKPOINT_TASK_LIST_LIVE, ids, 8, &count));
  CHECK(count > 0);
  CHECK_FAILS(ckpt_async_manager_wait(async, CKPT_CHECKPOINT_TASK_ALL, -1, NULL), CKPT_E_INVALID_STATE, "wait");
  CHECK_FAILS(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1), CKPT_E_INVALID_STATE, "wait");
}

static void use_the_rest(void) {
  ckpt_decision decision = CKPT_DECISION_INIT;
  ckpt_memory_stats memory = CKPT_MEMORY_STATS_INIT;
  ckpt_pipeline_stats stats = CKPT_PIPELINE_STATS_INIT;
  ckpt_step step = CKPT_STEP_INIT;
  int64_t needed = 0;
  uint64_t allocation = 0;
  step.input = input;
  CHECK_OK(ckpt_controller_should_checkpoint(controller, 1, &decision));
  CHECK_OK(ckpt_controller_get_json(controller, NULL, 0, &needed));
  CHECK_OK(ckpt_memory_tracker_get_stats(tracker, &memory));
  CHECK_OK(record_named(tracker, "layer", 64, &allocation));
  CHECK_OK(ckpt_memory_tracker_record_deallocation(tracker, allocation));
  CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL));
  CHECK_OK(ckpt_pipeline_get_stats(pipeline, 0, &stats));
}

/* Checks the status of a nested call: an object in use may return one of these. */
static void check_nested(ckpt_status status) {
  CHECK(status == CKPT_OK || status == CKPT_E_BUSY || status == CKPT_E_INVALID_STATE || status == CKPT_E_CLOSED);
}

/* For messages that are not warnings, at any moment and on any thread. */
static void look(void) {
  ckpt_async_manager_stats stats = CKPT_ASYNC_MANAGER_STATS_INIT;
  ckpt_controller_info info = CKPT_CONTROLLER_INFO_INIT;
  ckpt_memory_stats memory = CKPT_MEMORY_STATS_INIT;
  ckpt_pipeline_stats stage = CKPT_PIPELINE_STATS_INIT;
  int64_t count = 0;
  check_nested(ckpt_checkpoint_manager_list(checkpoint, NULL, 0, &count));
  check_nested(ckpt_async_manager_get_stats(async, &stats));
  check_nested(ckpt_controller_get_info(controller, &info));
  check_nested(ckpt_memory_tracker_get_stats(tracker, &memory));
  check_nested(ckpt_pipeline_get_stats(pipeline, 0, &stage));
}

static void on_message(int32_t level, const char* component, const char* message, void* user_data) {
  const int own_thread = pthread_equal(pthread_self(), *(const pthread_t*)user_data);
  look();
  if (level < CKPT_LOG_LEVEL_WARNING) return;
  fprintf(stderr, "%s: %s\n", component, message);
  step_of_callbacks += 2;
  use_checkpoint(step_of_callbacks);
  if (own_thread) {
    ++warnings;
    use_async(step_of_callbacks + 1);
  } else {
    ++background_warnings;
    use_async_on_its_thread();
  }
  use_the_rest();
}

/* Returns the number of warnings in calls of this thread since the last call of this function. */
static int warned(void) {
  const int count = warnings;
  warnings = 0;
  return count;
}

/* ---- Warnings ---- */

static void load_elsewhere(void) {
  float loaded[2] = {0, 0};
  ckpt_state* const state = state_of(loaded);
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  save_step(1500, NULL);
  options.environment_json = "{\"blas\":\"another one\"}";
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, state, &options, NULL));
  CHECK(warned() == 1);
  ckpt_state_release(state);
}

static void load_that_falls_back(void) {
  float loaded[2] = {0, 0};
  ckpt_state* const state = state_of(loaded);
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  char name[CKPT_CHECKPOINT_NAME_BYTES];
  save_step(2000, NULL);
  save_step(2001, name);
  damage(name);
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, state, NULL, &result));
  CHECK(result.step == 2000 && loaded[0] == 2000 && warned() == 1);
  ckpt_state_release(state);
}

static void background_load_that_falls_back(void) {
  float loaded[2] = {0, 0};
  ckpt_state* const state = state_of(loaded);
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  char name[CKPT_CHECKPOINT_NAME_BYTES];
  const int before = background_warnings;
  int64_t id = 0;
  save_step(3000, NULL);
  save_step(3001, name);
  damage(name);
  CHECK_OK(ckpt_async_manager_load(async, state, NULL, NULL, &id));
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, NULL));
  CHECK_OK(ckpt_async_manager_get_load_result(async, id, &result));
  CHECK(result.step == 3000 && background_warnings == before + 1);
  ckpt_state_release(state);
}

int main(void) {
  pthread_t self = pthread_self();
  char command[sizeof(test_folder) + 32];
  alarm(HANG_SECONDS);
  make_folder(root, "log-back");
  open_checkpoint();
  CHECK_OK(ckpt_async_manager_create(checkpoint, NULL, &async));
  CHECK_OK(ckpt_controller_create(NULL, &controller));
  CHECK_OK(record_begin_run(controller, 0));
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  make_pipeline();
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, on_message, &self, NULL));

  load_elsewhere();
  load_that_falls_back();
  background_load_that_falls_back();

  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, NULL, NULL, NULL));
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
  ckpt_async_manager_release(async);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_controller_release(controller);
  ckpt_memory_tracker_release(tracker);
  ckpt_pipeline_release(pipeline);
  ckpt_tensor_release(input);
  (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
  CHECK(system(command) == 0);
  return 0;
}
