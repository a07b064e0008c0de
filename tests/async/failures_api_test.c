/* Through the C API from C99: no failure of a background task is lost, and none is reported twice. */
#define _POSIX_C_SOURCE 200809L

#include "api.h"

static run it;
static event may_fail = EVENT_INIT;
static int failures_allowed;

/* Fails every save once the test allows it. */
static int32_t failing(const char* group, const char* name, const void* data, int64_t offset, int64_t bytes, void* buffer,
                       void* user_data) {
  (void)group, (void)name, (void)data, (void)offset, (void)bytes, (void)buffer;
  await_event(&may_fail, failures_allowed);
  ckpt_callback_error(user_data);
  return 1;
}

static int64_t failing_save(ckpt_async_manager* async, int64_t step, const char* reason) {
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  task.mode = CKPT_STAGING_MODE_DEFERRED;
  task.source = failing;
  task.source_user_data = (void*)reason;
  return save_step(async, it.state, step, &task);
}

/* Returns a manager with that many failed saves, of steps 1, 2, ...; ids receives their ids. */
static ckpt_async_manager* with_failures(int count, int64_t* ids) {
  static const char* const reasons[] = {"the first reason", "the second reason", "the third reason"};
  ckpt_async_manager* async = NULL;
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, NULL, &async));
  ++failures_allowed;
  for (int i = 0; i < count; ++i) ids[i] = failing_save(async, i + 1, reasons[i]);
  raise_event(&may_fail);
  CHECK_OK(ckpt_async_manager_wait(async, CKPT_CHECKPOINT_TASK_ALL, -1, NULL));
  return async;
}

static void see(ckpt_async_manager* async, int64_t id) {
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, &result));
  CHECK(result.state == CKPT_CHECKPOINT_TASK_STATE_FAILED && result.status == CKPT_E_CALLBACK);
}

/* Receiving one failure does not clear another. */
static void one_of_two_is_received(void) {
  int64_t ids[2];
  for (int seen = 0; seen < 2; ++seen) {
    ckpt_async_manager* const async = with_failures(2, ids);
    see(async, ids[seen]);
    CHECK_FAILS(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1), CKPT_E_CALLBACK,
                seen == 0 ? "the second reason" : "the first reason");
    CHECK(strstr(ckpt_last_error(), "more") == NULL);
    CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
    ckpt_async_manager_release(async);
  }
}

/* Each failure is returned once, in order, by any next call; that call does nothing else. */
static void each_is_reported_once(void) {
  int64_t ids[3];
  int64_t id = 0;
  char expected[96];
  ckpt_async_manager* const async = with_failures(3, ids);
  snprintf(expected, sizeof expected, "task %lld (save of step 1) failed: ", (long long)ids[0]);
  CHECK_FAILS(ckpt_async_manager_save(async, it.state, NULL, NULL, &id), CKPT_E_CALLBACK, expected);
  CHECK(strstr(ckpt_last_error(), "the first reason") != NULL && strstr(ckpt_last_error(), "; 2 more tasks failed") != NULL);
  CHECK_FAILS(ckpt_async_manager_load(async, it.state, NULL, NULL, &id), CKPT_E_CALLBACK, "the second reason");
  CHECK(strstr(ckpt_last_error(), "; 1 more task failed") != NULL);
  CHECK_FAILS(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1), CKPT_E_CALLBACK, "the third reason");
  CHECK(strstr(ckpt_last_error(), "more") == NULL);
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
  CHECK_FAILS(ckpt_async_manager_save(async, it.state, NULL, NULL, &id), CKPT_E_CLOSED, "is closed");
  see(async, ids[1]); /* it can still be queried */
  ckpt_async_manager_release(async);
  CHECK(ckpt_checkpoint_manager_list(it.checkpoint, NULL, 0, &id) == CKPT_OK && id == 0);
}

/* Closing again returns remaining failures; so do calls that need an open manager. */
static void a_closed_manager_reports_the_rest(void) {
  int64_t ids[3];
  int64_t id = 0;
  ckpt_async_manager* const async = with_failures(3, ids);
  CHECK_FAILS(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_CANCEL, -1), CKPT_E_CALLBACK, "the first reason");
  CHECK_FAILS(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1), CKPT_E_CALLBACK, "the second reason");
  CHECK_FAILS(ckpt_async_manager_save(async, it.state, NULL, NULL, &id), CKPT_E_CALLBACK, "the third reason");
  CHECK_FAILS(ckpt_async_manager_save(async, it.state, NULL, NULL, &id), CKPT_E_CLOSED, "is closed");
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
  ckpt_async_manager_release(async);
}

/* Calls that do not return the failure do not clear it. */
static void calls_that_do_not_receive_it(void) {
  int64_t ids[1];
  ckpt_checkpoint_task_info task = CKPT_CHECKPOINT_TASK_INFO_INIT;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  ckpt_async_manager* const async = with_failures(1, ids);
  CHECK_OK(ckpt_async_manager_wait(async, ids[0], -1, NULL));
  CHECK_OK(ckpt_async_manager_wait(async, CKPT_CHECKPOINT_TASK_ALL, -1, NULL));
  CHECK_OK(ckpt_async_manager_wait_staged(async, ids[0], -1));
  CHECK_OK(ckpt_async_manager_get_task(async, ids[0], &task));
  CHECK(task.state == CKPT_CHECKPOINT_TASK_STATE_FAILED);
  CHECK_FAILS(ckpt_async_manager_get_save_result(async, ids[0], &saved), CKPT_E_INVALID_STATE, "expected a completed save");
  CHECK_FAILS(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1), CKPT_E_CALLBACK, "the first reason");
  ckpt_async_manager_release(async);
}

static void see_inside(const ckpt_checkpoint_task_result* result, void* user_data) {
  ckpt_checkpoint_task_result seen = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  CHECK_OK(ckpt_async_manager_wait(*(ckpt_async_manager**)user_data, result->id, -1, &seen));
  CHECK(seen.state == CKPT_CHECKPOINT_TASK_STATE_FAILED);
}

/* A callback alone does not count as a caller; a callback that queries the task does. */
static void a_querying_callback_receives_it(void) {
  ckpt_checkpoint_task_callbacks callbacks = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_async_manager* async = NULL;
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, NULL, &async));
  callbacks.ended = see_inside;
  task.callbacks = &callbacks;
  task.user_data = &async;
  task.mode = CKPT_STAGING_MODE_DEFERRED;
  task.source = failing;
  task.source_user_data = (void*)"seen by a callback";
  save_step(async, it.state, 1, &task);
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
  ckpt_async_manager_release(async);
}

/* A failed load that no call queries has left the state unchanged. */
static void a_failed_load_counts(void) {
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  ckpt_async_manager* async = NULL;
  int64_t id = 0;
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, NULL, &async));
  options.name = "no-such-name";
  CHECK_OK(ckpt_async_manager_load(async, it.state, &options, NULL, &id));
  CHECK_OK(ckpt_async_manager_wait(async, CKPT_CHECKPOINT_TASK_ALL, -1, NULL));
  CHECK_FAILS(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1), CKPT_E_NOT_FOUND, "(load) failed: ");
  ckpt_async_manager_release(async);
}

/* A failure is kept longer than the history of tasks. */
static void a_failure_outlives_the_history(void) {
  ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_async_manager* async = NULL;
  int64_t id = 0;
  int64_t last = 0;
  options.history = 1;
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, &options, &async));
  ++failures_allowed;
  id = failing_save(async, 1, "long ago");
  task.mode = CKPT_STAGING_MODE_DEFERRED;
  last = save_step(async, it.state, 2, &task);
  raise_event(&may_fail);
  CHECK_OK(ckpt_async_manager_wait(async, last, -1, &result));
  CHECK_FAILS(ckpt_async_manager_wait(async, id, -1, &result), CKPT_E_NOT_FOUND, "left the history");
  CHECK_FAILS(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1), CKPT_E_CALLBACK, "long ago");
  ckpt_async_manager_release(async);
}

static char logged[8][512];
static int logged_count;
static void keep(int32_t level, const char* component, const char* message, void* user_data) {
  (void)user_data;
  if (level == CKPT_LOG_LEVEL_ERROR && strstr(message, "no caller") != NULL) {
    CHECK(strcmp(component, "async") == 0 && logged_count < 8);
    snprintf(logged[logged_count++], sizeof logged[0], "%s", message);
  }
}

static void release_logs_each_that_is_left(void) {
  int64_t ids[3];
  ckpt_async_manager* async = with_failures(3, ids);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, keep, NULL, NULL));
  see(async, ids[1]);
  ckpt_async_manager_release(async);
  CHECK(logged_count == 2);
  CHECK(strstr(logged[0], "the first reason") != NULL && strstr(logged[0], "(save of step 1)") != NULL);
  CHECK(strstr(logged[1], "the third reason") != NULL && strstr(logged[1], "(save of step 3)") != NULL);
  logged_count = 0;
  async = with_failures(3, ids);
  CHECK_FAILS(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1), CKPT_E_CALLBACK, "; 2 more tasks failed");
  ckpt_async_manager_release(async);
  CHECK(logged_count == 2 && strstr(logged[0], "the second reason") != NULL && strstr(logged[1], "the third reason") != NULL);
  CHECK_OK(ckpt_set_log(0, NULL, NULL, NULL));
}

/* Neither hides the other. At one byte per second the large tensor would take months to write. */
static void a_time_out_and_a_failure(void) {
  ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_async_manager* async = NULL;
  int64_t id = 0;
  run large;
  begin_run(&large, 9 << 20);
  options.bytes_per_second = 1;
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, &options, &async));
  ++failures_allowed;
  id = failing_save(async, 1, "no device");
  task.mode = CKPT_STAGING_MODE_BORROW;
  save_step(async, large.state, 2, &task);
  raise_event(&may_fail);
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, NULL));
  CHECK_FAILS(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, 1000000), CKPT_E_CALLBACK,
              "no device; not all tasks ended within 1000000 ns");
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
  ckpt_async_manager_release(async);
  end_run(&large);
}

int main(void) {
  alarm(HANG_SECONDS);
  begin_run(&it, 16);
  one_of_two_is_received();
  each_is_reported_once();
  a_closed_manager_reports_the_rest();
  calls_that_do_not_receive_it();
  a_querying_callback_receives_it();
  a_failed_load_counts();
  a_failure_outlives_the_history();
  release_logs_each_that_is_left();
  a_time_out_and_a_failure();
  end_run(&it);
  return 0;
}
