/* Through the C API from C99: background saves and loads, every function of async.h. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <unistd.h>

#include "folder.h"

typedef struct event_counts {
  int staged;
  int progressed;
  int ended;
  int destroyed;
  ckpt_checkpoint_task_result last;
} event_counts;

static void on_staged(int64_t id, int64_t stall_ns, void* user_data) {
  CHECK(id > 0 && stall_ns >= 0);
  ++((event_counts*)user_data)->staged;
}
static void on_progress(int64_t id, int64_t done_bytes, int64_t total_bytes, void* user_data) {
  CHECK(id > 0 && done_bytes <= total_bytes);
  ++((event_counts*)user_data)->progressed;
}
static void on_ended(const ckpt_checkpoint_task_result* result, void* user_data) {
  ++((event_counts*)user_data)->ended;
  ((event_counts*)user_data)->last = *result;
}
static void on_destroy(void* user_data) { ++((event_counts*)user_data)->destroyed; }

static ckpt_checkpoint_task_callbacks count_callbacks(void) {
  ckpt_checkpoint_task_callbacks callbacks;
  CKPT_INIT(ckpt_checkpoint_task_callbacks, &callbacks);
  callbacks.staged = on_staged;
  callbacks.progress = on_progress;
  callbacks.ended = on_ended;
  return callbacks;
}

static int32_t source(const char* group, const char* name, const void* data, int64_t offset, int64_t bytes, void* buffer,
                      void* user_data) {
  CHECK(strcmp(group, "model") == 0 && strcmp(name, "weight") == 0 && data != NULL && offset >= 0);
  if (user_data != NULL) {
    ckpt_callback_error("no device");
    return 3;
  }
  memset(buffer, 0x41, (size_t)bytes);
  return 0;
}

static float data[4] = {1, 2, 3, 4};

static ckpt_state* make_state(void) {
  const int64_t shape[1] = {4};
  ckpt_state* state = NULL;
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_tensor_create_borrowed(data, CKPT_DTYPE_F32, shape, 1, NULL, NULL, &tensor));
  CHECK_OK(ckpt_state_add_tensor(state, "model", "weight", tensor));
  ckpt_tensor_release(tensor);
  return state;
}

static void saves_and_loads(ckpt_async_manager* async, ckpt_state* state) {
  event_counts own;
  ckpt_checkpoint_task_callbacks callbacks = count_callbacks();
  ckpt_checkpoint_task_options task;
  ckpt_save_options save = CKPT_SAVE_OPTIONS_INIT;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  ckpt_checkpoint_task_result result;
  ckpt_checkpoint_task_info info;
  ckpt_async_manager_stats stats;
  int64_t id = 0;
  int64_t load = 0;
  int64_t ids[8];
  int64_t count = -1;
  int32_t won = 7;
  memset(&own, 0, sizeof own);
  CKPT_INIT(ckpt_checkpoint_task_options, &task);
  CKPT_INIT(ckpt_checkpoint_task_result, &result);
  CKPT_INIT(ckpt_checkpoint_task_info, &info);
  CKPT_INIT(ckpt_async_manager_stats, &stats);
  task.callbacks = &callbacks;
  task.user_data = &own;
  task.destroy = on_destroy;
  save.step = 12;
  CHECK_OK(ckpt_async_manager_save(async, state, &save, &task, &id));
  CHECK_OK(ckpt_async_manager_wait_staged(async, id, -1));
  data[0] = 100; /* it may change now */
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, &result));
  CHECK(result.state == CKPT_CHECKPOINT_TASK_STATE_COMPLETED && result.status == CKPT_OK &&
        result.kind == CKPT_CHECKPOINT_TASK_KIND_SAVE);
  CHECK(result.step == 12 && result.bytes > 16 && result.id == id && result.error[0] == '\0');
  CHECK(result.durable_ns >= result.stall_ns && result.stall_ns > 0 && result.duration_ns > 0 && result.retries == 0);
  CHECK(own.staged == 1 && own.ended == 1 && own.progressed == 1 && own.destroyed == 1);
  CHECK(own.last.id == id && strcmp(own.last.name, result.name) == 0);
  CHECK_OK(ckpt_async_manager_get_save_result(async, id, &saved));
  CHECK(saved.step == 12 && saved.files == 1 && strcmp(saved.name, result.name) == 0);
  CHECK_FAILS(ckpt_async_manager_get_load_result(async, id, &loaded), CKPT_E_INVALID_STATE, "expected a completed load");
  CHECK_OK(ckpt_async_manager_cancel(async, id, &won));
  CHECK(won == 0);
  CHECK_OK(ckpt_async_manager_get_task(async, id, &info));
  CHECK(info.state == CKPT_CHECKPOINT_TASK_STATE_COMPLETED && info.staged == 1 && info.done_bytes == 16 && info.total_bytes == 16);

  CHECK_OK(ckpt_async_manager_load(async, state, NULL, NULL, &load));
  CHECK_OK(ckpt_async_manager_wait(async, load, -1, NULL));
  CHECK_OK(ckpt_async_manager_get_load_result(async, load, &loaded));
  CHECK(loaded.step == 12 && data[0] == 1);

  CHECK_OK(ckpt_async_manager_list(async, CKPT_CHECKPOINT_TASK_LIST_ENDED, ids, 8, &count));
  CHECK(count == 2 && ids[0] == id && ids[1] == load);
  ids[0] = ids[1] = -7;
  CHECK_OK(ckpt_async_manager_list(async, CKPT_CHECKPOINT_TASK_LIST_ENDED, ids, 1, &count)); /* as many as fit */
  CHECK(count == 2 && ids[0] == id && ids[1] == -7);
  CHECK_OK(ckpt_async_manager_list(async, CKPT_CHECKPOINT_TASK_LIST_LIVE, NULL, 0, &count));
  CHECK(count == 0);
  CHECK_OK(ckpt_async_manager_get_stats(async, &stats));
  CHECK(stats.completed_tasks == 2 && stats.live_tasks == 0 && stats.written_bytes == 16 && stats.staging_bytes > 0);
  CHECK(stats.stall_ns >= stats.last_stall_ns && stats.last_stall_ns > 0 && stats.in_flight_bytes == 0);
}

static void other_ways(ckpt_async_manager* async, ckpt_state* state) {
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  int64_t id = 0;
  static event_counts own; /* destroyed when the last thread has released it, after the wait */
  task.gate_step = 5;
  task.has_gate_step = 1;
  CHECK_OK(ckpt_async_manager_save(async, state, NULL, &task, &id));
  CHECK_FAILS(ckpt_async_manager_wait(async, id, 0, &result), CKPT_E_TIMEOUT, "did not end");
  CHECK_OK(ckpt_async_manager_end_step(async, 5));
  CHECK_OK(ckpt_async_manager_wait(async, CKPT_CHECKPOINT_TASK_ALL, -1, NULL));
  CHECK_FAILS(ckpt_async_manager_wait(async, CKPT_CHECKPOINT_TASK_ALL, -1, &result), CKPT_E_INVALID_ARGUMENT,
              "CKPT_CHECKPOINT_TASK_ALL");

  task.gate_step = 1000; /* ignored without has_gate_step */
  task.has_gate_step = 0;
  task.mode = CKPT_STAGING_MODE_DEFERRED;
  task.source = source;
  CHECK_OK(ckpt_async_manager_save(async, state, NULL, &task, &id));
  CHECK_OK(ckpt_async_manager_wait_staged(async, CKPT_CHECKPOINT_TASK_ALL, -1));
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, &result));
  CHECK(result.state == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);

  task.source_user_data = &own;
  task.source_destroy = on_destroy;
  CHECK_OK(ckpt_async_manager_save(async, state, NULL, &task, &id));
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, &result));
  CHECK(result.state == CKPT_CHECKPOINT_TASK_STATE_FAILED && result.status == CKPT_E_CALLBACK &&
        strstr(result.error, "no device") != NULL);

  task.mode = CKPT_STAGING_MODE_BORROW;
  CHECK_FAILS(ckpt_async_manager_save(async, state, NULL, &task, &id), CKPT_E_INVALID_ARGUMENT, "BORROW");
  CHECK_FAILS(ckpt_async_manager_load(async, state, NULL, &task, &id), CKPT_E_INVALID_ARGUMENT,
              "task.source is set; expected NULL for a load");
  task.mode = 9;
  CHECK_FAILS(ckpt_async_manager_save(async, state, NULL, &task, &id), CKPT_E_INVALID_ARGUMENT, "task.mode is 9");
  task.mode = CKPT_STAGING_MODE_COPY;
  task.when_full = -1;
  CHECK_FAILS(ckpt_async_manager_save(async, state, NULL, &task, &id), CKPT_E_INVALID_ARGUMENT, "task.when_full is -1");
  task.when_full = CKPT_WHEN_FULL_WAIT;
  task.priority = 2;
  CHECK_FAILS(ckpt_async_manager_save(async, state, NULL, &task, &id), CKPT_E_INVALID_ARGUMENT, "task.priority is 2");
  task.priority = 0;
  task.has_gate_step = 1;
  task.gate_step = -1;
  CHECK_FAILS(ckpt_async_manager_save(async, state, NULL, &task, &id), CKPT_E_INVALID_ARGUMENT, "task.gate_step is -1");
  task.has_gate_step = 0;
  task.timeout_ns = -2;
  CHECK_FAILS(ckpt_async_manager_save(async, state, NULL, &task, &id), CKPT_E_INVALID_ARGUMENT, "task.timeout_ns is -2");
  CHECK_FAILS(ckpt_async_manager_wait(async, 77, 0, NULL), CKPT_E_NOT_FOUND, "id is 77");
  CHECK_FAILS(ckpt_async_manager_list(async, 5, NULL, 0, &id), CKPT_E_INVALID_ARGUMENT, "which is 5");
  CHECK_FAILS(ckpt_async_manager_close(async, 5, 0), CKPT_E_INVALID_ARGUMENT, "mode is 5");
}

static ckpt_async_manager* self_releasing;
static void release_self(const ckpt_checkpoint_task_result* result, void* user_data) {
  CHECK(result->state == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  ckpt_async_manager_release(self_releasing);
  self_releasing = NULL;
  (void)user_data;
}

int main(void) {
  static test_folder root;
  char command[sizeof root + 16];
  event_counts all;
  ckpt_checkpoint_task_callbacks callbacks = count_callbacks();
  ckpt_async_manager_options options;
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_async_manager* async = NULL;
  ckpt_state* state = make_state();
  int64_t id = 0;
  memset(&all, 0, sizeof all);
  make_folder(root, "async-api");
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &checkpoint));

  CKPT_INIT(ckpt_async_manager_options, &options);
  options.callbacks = &callbacks;
  options.user_data = &all;
  options.destroy = on_destroy;
  options.workers = 99;
  CHECK_FAILS(ckpt_async_manager_create(checkpoint, &options, &async), CKPT_E_INVALID_ARGUMENT, "workers is 99");
  CHECK(all.destroyed == 0 && async == NULL);
  options.workers = 1;
  options.staging_bytes = 1 << 20;
  options.prepare_bytes = 1 << 19;
  CHECK_OK(ckpt_async_manager_create(checkpoint, &options, &async));
  saves_and_loads(async, state);
  other_ways(async, state);
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
  CHECK_FAILS(ckpt_async_manager_save(async, state, NULL, NULL, &id), CKPT_E_CLOSED, "is closed");
  ckpt_async_manager_release(async);
  CHECK(all.destroyed == 1 && all.ended == 5);

  /* Released inside its callback, after the checkpoint manager, which it keeps alive. */
  CKPT_INIT(ckpt_checkpoint_task_callbacks, &callbacks);
  callbacks.ended = release_self;
  task.callbacks = &callbacks;
  CHECK_OK(ckpt_async_manager_create(checkpoint, NULL, &self_releasing));
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
  CHECK_OK(ckpt_async_manager_save(self_releasing, state, NULL, &task, &id));
  /* Once the lock is free again, the last thread has left. */
  for (checkpoint = NULL; checkpoint == NULL;) {
    CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
    if (ckpt_checkpoint_manager_create(storage, NULL, &checkpoint) == CKPT_OK) break;
    ckpt_storage_release(storage);
  }
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
  ckpt_state_release(state);
  ckpt_async_manager_release(NULL);
  snprintf(command, sizeof command, "rm -r %s", root);
  CHECK(system(command) == 0);
  return 0;
}
