/* Through the C API from C99: a manager's log records, and wall-clock times of events. */
#define _POSIX_C_SOURCE 200809L

#include <stddef.h>
#include <time.h>

#include "api.h"

static run it;

/* ---- The log ---- */

#define LINES 200
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static char lines[LINES][512];
static int line_count;

static void keep(int32_t level, const char* component, const char* message, void* user_data) {
  static const char* const levels[] = {"debug", "info", "warning", "error"};
  (void)user_data;
  if (strcmp(component, "async") != 0) return;
  pthread_mutex_lock(&guard);
  CHECK(line_count < LINES);
  snprintf(lines[line_count++], sizeof lines[0], "%s: %s", levels[level], message);
  pthread_mutex_unlock(&guard);
}

/* Returns the number of lines with this beginning and this continuation. */
static int count_lines(const char* begin, const char* middle) {
  int count = 0;
  pthread_mutex_lock(&guard);
  for (int i = 0; i < line_count; ++i) count += strncmp(lines[i], begin, strlen(begin)) == 0 && strstr(lines[i], middle) != NULL;
  pthread_mutex_unlock(&guard);
  return count;
}

/* The same for a task, by id and step. */
static int count_task_lines(const char* level, int64_t id, const char* what, const char* end) {
  char begin[128];
  snprintf(begin, sizeof begin, "%s: task %lld (%s) %s", level, (long long)id, what, end);
  return count_lines(begin, "");
}

static int32_t no_device(const char* group, const char* name, const void* data, int64_t offset, int64_t bytes, void* buffer,
                         void* user_data) {
  (void)group, (void)name, (void)data, (void)offset, (void)bytes, (void)buffer, (void)user_data;
  ckpt_callback_error("no device");
  return 1;
}

static void log_records(void) {
  ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_checkpoint_task_options failing = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  ckpt_async_manager* async = NULL;
  int64_t saved = 0, held = 0, dropped = 0, load = 0, failed = 0, count = 0;
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_INFO, keep, NULL, NULL));
  options.capacity = 2;
  options.workers = 2;
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, &options, &async));
  CHECK(count_lines("info: created: at most 2 tasks, workers: 2", "") == 1);

  saved = save_step(async, it.state, 71, NULL);
  CHECK(count_task_lines("info", saved, "save of step 71", "queued") == 1);
  CHECK_OK(ckpt_async_manager_wait(async, saved, -1, &result));
  CHECK(count_task_lines("info", saved, "save of step 71", "processing") == 1);
  CHECK(count_task_lines("info", saved, "save of step 71", "completed: ") == 1 && count_lines("info: ", result.name) == 1);

  CHECK_OK(ckpt_async_manager_load(async, it.state, NULL, NULL, &load));
  CHECK_OK(ckpt_async_manager_wait(async, load, -1, &result));
  CHECK(count_task_lines("info", load, "load", "queued") == 1 && count_task_lines("info", load, "load", "completed") == 1);

  failing.source = no_device;
  failed = save_step(async, it.state, 72, &failing);
  CHECK_OK(ckpt_async_manager_wait(async, failed, -1, &result));
  CHECK(count_task_lines("error", failed, "save of step 72", "failed: ") == 1 && count_lines("error: ", "no device") == 1);
  CHECK(count_task_lines("info", failed, "save of step 72", "processing") == 0);

  task.gate_step = 1000;
  task.has_gate_step = 1;
  dropped = save_step(async, it.state, 73, &task);
  held = save_step(async, it.state, 74, &task);
  task.when_full = CKPT_WHEN_FULL_REFUSE;
  CHECK(ckpt_async_manager_save(async, it.state, NULL, &task, &count) == CKPT_E_QUEUE_FULL);
  task.when_full = CKPT_WHEN_FULL_DROP_OLDEST;
  save_step(async, it.state, 75, &task);
  CHECK_OK(ckpt_async_manager_list(async, CKPT_CHECKPOINT_TASK_LIST_ENDED, NULL, 0, &count));
  CHECK(count == 5);
  CHECK(count_task_lines("warning", dropped, "save of step 73", "rejected: dropped for a newer task") == 1);
  CHECK(count_lines("warning: ", "(save of step 0) rejected: queue is full: 2 tasks") == 1);
  CHECK_OK(ckpt_async_manager_cancel(async, held, NULL));
  CHECK(count_task_lines("info", held, "save of step 74", "cancelled") == 1);

  CHECK(count_lines("info: shutting down", "") == 0);
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
  CHECK(count_lines("info: shutting down: 1 tasks have not ended", "") == 1 && count_lines("info: shut down", "") == 1);
  CHECK(count_lines("info: worker 0 started", "") == 1 && count_lines("info: worker 1 started", "") == 1);
  CHECK(count_lines("info: worker 0 stopped", "") == 1 && count_lines("info: worker 1 stopped", "") == 1);
  CHECK(count_lines("info: task ", " completed") == 3 && count_lines("error: ", "") == 1 && count_lines("warning: ", "") == 2);
  ckpt_async_manager_release(async);
  CHECK(count_lines("info: shut down", "") == 1);
  CHECK_OK(ckpt_set_log(0, NULL, NULL, NULL));
}

/* ---- UTC ---- */

static int64_t wall_ns(void) {
  struct timespec now;
  CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void when_it_was(void) {
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_checkpoint_task_info info;
  ckpt_async_manager* async = NULL;
  int64_t id = 0;
  const int64_t begin = wall_ns();
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, NULL, &async));
  task.gate_step = 5;
  task.has_gate_step = 1;
  id = save_step(async, it.state, 1, &task);
  CKPT_INIT(ckpt_checkpoint_task_info, &info);
  CHECK(info.struct_size == sizeof info && info.queued_utc_ns == 0 && info.ended_utc_ns == 0);
  CHECK_OK(ckpt_async_manager_get_task(async, id, &info));
  CHECK(info.queued_utc_ns >= begin && info.queued_utc_ns <= wall_ns());
  CHECK(info.started_utc_ns == 0 && info.ended_utc_ns == 0);
  CHECK_OK(ckpt_async_manager_end_step(async, 5));
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, NULL));
  CHECK_OK(ckpt_async_manager_get_task(async, id, &info));
  CHECK(info.queued_utc_ns >= begin && info.started_utc_ns >= info.queued_utc_ns);
  CHECK(info.ended_utc_ns >= info.started_utc_ns && info.ended_utc_ns <= wall_ns());
  ckpt_async_manager_release(async);
}

int main(void) {
  alarm(HANG_SECONDS);
  begin_run(&it, 16);
  log_records();
  when_it_was();
  end_run(&it);
  return 0;
}
