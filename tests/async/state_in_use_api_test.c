/* Through the C API from C99: while a background load fills a state, every other use of the state is refused. */
#define _POSIX_C_SOURCE 200809L

#include "api.h"

static run it;
static ckpt_async_manager* async;
static event renaming = EVENT_INIT; /* 1: the worker is inside the load */
static event going_on = EVENT_INIT;
static const char in_use[] = "state is in use by a background load";

static int32_t waiting_rename(const char* group, const char* name, char* buffer, int64_t capacity, int64_t* needed, void* user) {
  (void)group;
  (void)name;
  (void)buffer;
  (void)capacity;
  (void)needed;
  (void)user;
  raise_event(&renaming);
  await_event(&going_on, 1);
  return 0;
}

static int32_t list_nothing(ckpt_state* into, void* user) {
  (void)into;
  (void)user;
  return 0;
}

/* Makes every call that takes a state; each is refused, and the state is unchanged. */
static void every_use_is_refused(void) {
  ckpt_stateful_callbacks stateful = CKPT_STATEFUL_CALLBACKS_INIT;
  ckpt_tensor* tensor = NULL;
  ckpt_tree* tree = NULL;
  const int64_t shape[1] = {4};
  char text[200];
  int64_t count = -1;
  int64_t id = 0;
  stateful.list = list_nothing;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_U8, shape, 1, NULL, &tensor));
  CHECK_FAILS(ckpt_state_add_tensor(it.state, "model", "another", tensor), CKPT_E_INVALID_STATE, in_use);
  CHECK_FAILS(ckpt_state_get_tensor_count(it.state, &count), CKPT_E_INVALID_STATE, in_use);
  CHECK_FAILS(ckpt_state_set_json(it.state, "key", "2"), CKPT_E_INVALID_STATE, in_use);
  CHECK_FAILS(ckpt_state_get_json(it.state, "key", text, sizeof text, &count), CKPT_E_INVALID_STATE, in_use);
  CHECK_FAILS(ckpt_state_get_key_count(it.state, &count), CKPT_E_INVALID_STATE, in_use);
  CHECK_FAILS(ckpt_state_get_key(it.state, 0, text, sizeof text, &count), CKPT_E_INVALID_STATE, in_use);
  CHECK_FAILS(ckpt_state_set_rarely_changes(it.state, "model", 1), CKPT_E_INVALID_STATE, in_use);
  CHECK_FAILS(ckpt_state_get_load_report(it.state, text, sizeof text, &count), CKPT_E_INVALID_STATE, in_use);
  CHECK_FAILS(ckpt_state_add_stateful(it.state, "object", &stateful, NULL, NULL), CKPT_E_INVALID_STATE, in_use);
  CHECK_FAILS(ckpt_tree_create_from_state(it.state, "model", &tree), CKPT_E_INVALID_STATE, in_use);
  CHECK_FAILS(ckpt_checkpoint_manager_save(it.checkpoint, it.state, NULL, NULL), CKPT_E_INVALID_STATE, in_use);
  CHECK_FAILS(ckpt_checkpoint_manager_load(it.checkpoint, it.state, NULL, NULL), CKPT_E_INVALID_STATE, in_use);
  CHECK_FAILS(ckpt_async_manager_save(async, it.state, NULL, NULL, &id), CKPT_E_INVALID_STATE, in_use);
  CHECK_FAILS(ckpt_async_manager_load(async, it.state, NULL, NULL, &id), CKPT_E_INVALID_STATE, in_use);
  CHECK(count == -1 && id == 0 && tree == NULL);
  ckpt_tensor_release(tensor);
}

static void the_state_is_as_it_was(const char* value) {
  char text[200];
  int64_t needed = 0;
  int64_t count = 0;
  CHECK_OK(ckpt_state_get_tensor_count(it.state, &count));
  CHECK(count == 1);
  CHECK_OK(ckpt_state_get_key_count(it.state, &count));
  CHECK(count == 1);
  CHECK_OK(ckpt_state_get_json(it.state, "key", text, sizeof text, &needed));
  CHECK(strcmp(text, value) == 0);
}

static int64_t begin_load(const char* name, int waits) {
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  int64_t id = 0;
  options.name = name;
  if (waits) options.rename = waiting_rename;
  CHECK_OK(ckpt_async_manager_load(async, it.state, &options, NULL, &id));
  return id;
}

static void ends_completed(int64_t id) {
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, &result));
  if (result.status != CKPT_OK) fprintf(stderr, "the load failed: %s\n", result.error);
  CHECK(result.state == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
}

static void while_it_runs(void) {
  int64_t id = 0;
  CHECK_OK(ckpt_state_set_json(it.state, "key", "7"));
  id = begin_load(NULL, 1);
  await_event(&renaming, 1);
  every_use_is_refused();
  raise_event(&going_on);
  ends_completed(id);
  the_state_is_as_it_was("1");
}

/* The worker's own thread has no exception: a log callback during the load gets the same error. */
static ckpt_status within_the_load = CKPT_OK;
static int lines_within = 0;

static void on_log(ckpt_log_level level, const char* component, const char* message, void* user_data) {
  int64_t count = 0;
  (void)level;
  (void)user_data;
  if (strcmp(component, "state") != 0 || strstr(message, "results may differ") == NULL) return;
  ++lines_within;
  within_the_load = ckpt_state_get_tensor_count(it.state, &count);
}

static void on_the_thread_that_loads(void) {
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  int64_t id = 0;
  options.environment_json = "{\"flags\": 2}";
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_WARNING, on_log, NULL, NULL));
  CHECK_OK(ckpt_async_manager_load(async, it.state, &options, NULL, &id));
  ends_completed(id);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_WARNING, NULL, NULL, NULL));
  CHECK(lines_within == 1 && within_the_load == CKPT_E_INVALID_STATE);
  the_state_is_as_it_was("1");
}

/* A failed load, and one cancelled before it started, release the state, too. */
static void whatever_its_end(void) {
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  ckpt_state* other = NULL;
  int64_t first = 0;
  int64_t queued = 0;
  int32_t cancelled = 0;
  int64_t id = begin_load("no-such-name", 0);
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, &result));
  CHECK(result.status == CKPT_E_NOT_FOUND && strstr(result.error, "no-such-name") != NULL);
  the_state_is_as_it_was("1");

  renaming.count = 0;
  going_on.count = 0;
  CHECK_OK(ckpt_state_create(&other));
  options.partial = 1;
  options.rename = waiting_rename;
  CHECK_OK(ckpt_async_manager_load(async, other, &options, NULL, &first)); /* occupies the only worker */
  await_event(&renaming, 1);
  queued = begin_load(NULL, 0);
  every_use_is_refused();
  CHECK_OK(ckpt_async_manager_cancel(async, queued, &cancelled));
  CHECK(cancelled == 1);
  the_state_is_as_it_was("1");
  CHECK_OK(ckpt_state_set_json(it.state, "key", "3"));
  raise_event(&going_on);
  ends_completed(first);
  ckpt_state_release(other);
}

/* A refused load does not take the state. */
static void nothing_is_taken_by_a_refused_one(void) {
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  int64_t id = 0;
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
  CHECK_FAILS(ckpt_async_manager_load(async, it.state, NULL, &task, &id), CKPT_E_CLOSED, "closed");
  the_state_is_as_it_was("3");
}

int main(void) {
  ckpt_save_options save = CKPT_SAVE_OPTIONS_INIT;
  alarm(HANG_SECONDS);
  begin_run(&it, 1000);
  CHECK_OK(ckpt_state_set_json(it.state, "key", "1"));
  save.environment_json = "{\"flags\": 1}";
  CHECK_OK(ckpt_checkpoint_manager_save(it.checkpoint, it.state, &save, NULL));
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, NULL, &async));
  while_it_runs();
  on_the_thread_that_loads();
  whatever_its_end();
  nothing_is_taken_by_a_refused_one();
  ckpt_async_manager_release(async);
  end_run(&it);
  return 0;
}
