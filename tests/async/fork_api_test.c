/* Through the C API from C99: a manager in a forked child. In every state of its threads at the fork, each call returns FORKED at
 * once, and releasing it returns. */
#define _POSIX_C_SOURCE 200809L

#include <sys/wait.h>

#include "api.h"

static run it;
static ckpt_async_manager* async;
static int64_t known_id;
static event over = EVENT_INIT;

/* ---- Activity of the parent's threads ---- */

/* Keeps every lock of the manager busy, so that every lock is held during some fork. */
static void* hammer(void* user_data) {
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  (void)user_data;
  for (int is_over = 0; !is_over;) {
    ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
    ckpt_async_manager_stats stats = CKPT_ASYNC_MANAGER_STATS_INIT;
    ckpt_checkpoint_task_info info = CKPT_CHECKPOINT_TASK_INFO_INIT;
    int64_t ids[64];
    int64_t id = 0;
    int64_t count = 0;
    for (task.mode = CKPT_STAGING_MODE_COPY; task.mode <= CKPT_STAGING_MODE_DEFERRED; ++task.mode) {
      if (ckpt_async_manager_save(async, it.state, &options, &task, &id) != CKPT_OK) continue;
      (void)ckpt_async_manager_get_task(async, id, &info);
      (void)ckpt_async_manager_wait_staged(async, id, 1000);
      (void)ckpt_async_manager_cancel(async, id, NULL);
    }
    (void)ckpt_async_manager_list(async, CKPT_CHECKPOINT_TASK_LIST_LIVE, ids, 64, &count);
    (void)ckpt_async_manager_end_step(async, 1);
    (void)ckpt_async_manager_get_stats(async, &stats);
    pthread_mutex_lock(&over.mutex);
    is_over = over.count > 0;
    pthread_mutex_unlock(&over.mutex);
  }
  return NULL;
}

static event blocked = EVENT_INIT;
static event unblocked = EVENT_INIT;
static void block(const ckpt_checkpoint_task_result* result, void* user_data) {
  (void)result, (void)user_data;
  raise_event(&blocked);
  await_event(&unblocked, 1);
}

/* ---- The child ---- */

static int calls;
static void expect_forked(ckpt_status status, int line) {
  ++calls;
  if (status == CKPT_E_FORKED) return;
  fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, line, ckpt_status_name(status), ckpt_last_error());
  _exit(1);
}
#define FORKED(call) expect_forked(call, __LINE__)

static void in_the_child(void) {
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  ckpt_async_manager_stats stats = CKPT_ASYNC_MANAGER_STATS_INIT;
  ckpt_checkpoint_task_info info = CKPT_CHECKPOINT_TASK_INFO_INIT;
  int64_t id = 0;
  alarm(HANG_SECONDS);
  for (task.mode = CKPT_STAGING_MODE_COPY; task.mode <= CKPT_STAGING_MODE_DEFERRED; ++task.mode) {
    for (task.when_full = CKPT_WHEN_FULL_REFUSE; task.when_full <= CKPT_WHEN_FULL_DROP_OLDEST; ++task.when_full) {
      FORKED(ckpt_async_manager_save(async, it.state, NULL, &task, &id));
      FORKED(ckpt_async_manager_load(async, it.state, NULL, &task, &id));
    }
  }
  FORKED(ckpt_async_manager_wait(async, known_id, -1, &result));
  FORKED(ckpt_async_manager_wait(async, CKPT_CHECKPOINT_TASK_ALL, -1, NULL));
  FORKED(ckpt_async_manager_wait_staged(async, known_id, -1));
  FORKED(ckpt_async_manager_wait_staged(async, CKPT_CHECKPOINT_TASK_ALL, -1));
  FORKED(ckpt_async_manager_cancel(async, known_id, NULL));
  FORKED(ckpt_async_manager_get_save_result(async, known_id, &saved));
  FORKED(ckpt_async_manager_get_load_result(async, known_id, &loaded));
  FORKED(ckpt_async_manager_end_step(async, 7));
  FORKED(ckpt_async_manager_get_task(async, known_id, &info));
  FORKED(ckpt_async_manager_list(async, CKPT_CHECKPOINT_TASK_LIST_LIVE, NULL, 0, &id));
  FORKED(ckpt_async_manager_list(async, CKPT_CHECKPOINT_TASK_LIST_ENDED, NULL, 0, &id));
  FORKED(ckpt_async_manager_get_stats(async, &stats));
  FORKED(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
  FORKED(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_CANCEL, 0));
  ckpt_async_manager_release(async);
  _exit(calls == 32 ? 0 : 2);
}

static void fork_once(void) {
  int status = 0;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) in_the_child();
  CHECK(waitpid(child, &status, 0) == child);
  if (status != 0) fprintf(stderr, "the child ended with %#x\n", (unsigned)status);
  CHECK(status == 0);
}

static void begin_manager(void) {
  ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  options.staging_bytes = 1 << 20;
  options.capacity = 4;
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, &options, &async));
  known_id = save_step(async, it.state, 1, NULL);
  CHECK_OK(ckpt_async_manager_wait(async, known_id, -1, NULL));
}

int main(void) {
  pthread_t threads[3];
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_checkpoint_task_callbacks callbacks = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
  alarm(HANG_SECONDS);
  begin_run(&it, 30000);
  /* Threads inside every lock. */
  begin_manager();
  for (int i = 0; i < 3; ++i) CHECK(pthread_create(&threads[i], NULL, hammer, NULL) == 0);
  for (int i = 0; i < 40; ++i) fork_once();
  raise_event(&over);
  for (int i = 0; i < 3; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  ckpt_async_manager_release(async);

  /* A worker inside a callback, a full queue, and this thread in a close that would wait for them in the child. */
  begin_manager();
  callbacks.ended = block;
  task.callbacks = &callbacks;
  save_step(async, it.state, 2, &task);
  await_event(&blocked, 1);
  task.callbacks = NULL;
  task.gate_step = 100;
  task.has_gate_step = 1;
  for (int i = 0; i < 4; ++i) save_step(async, it.state, 3, &task);
  fork_once();
  raise_event(&unblocked);
  ckpt_async_manager_release(async);
  end_run(&it);
  return 0;
}
