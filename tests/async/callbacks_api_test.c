/* Through the C API from C99: callbacks of tasks run one at a time and without a lock, and a gated task does not block others. */
#define _POSIX_C_SOURCE 200809L

#include <time.h>

#include "api.h"

static run it;
static ckpt_async_manager* async;

static int32_t end_of(int64_t id) {
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, &result));
  return result.state;
}

/* ---- Two callbacks that cancel each other's task ---- */

typedef struct saver {
  int64_t id;
  int32_t won;
  int inside; /* number of its callbacks that are running */
  int ended;
  struct saver* other;
} saver;

static event both_staged = EVENT_INIT;
static saver savers[2];

static void cancel_the_other(int64_t id, int64_t stall_ns, void* user_data) {
  saver* const own = user_data;
  (void)stall_ns;
  own->id = id;
  CHECK(++own->inside == 1);
  raise_event(&both_staged);
  await_event(&both_staged, 2);
  CHECK_OK(ckpt_async_manager_cancel(async, own->other->id, &own->won));
  raise_event(&both_staged);
  await_event(&both_staged, 4); /* the other task's end was reported while this callback runs */
  CHECK(own->ended == 0);
  --own->inside;
}

static void count_end(const ckpt_checkpoint_task_result* result, void* user_data) {
  saver* const own = user_data;
  CHECK(++own->inside == 1 && result->id == own->id);
  ++own->ended;
  --own->inside;
}

static void* save_with_it(void* user_data) {
  ckpt_checkpoint_task_callbacks callbacks = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  callbacks.staged = cancel_the_other;
  callbacks.ended = count_end;
  task.callbacks = &callbacks;
  task.user_data = user_data;
  save_step(async, it.state, 1, &task);
  return NULL;
}

static void two_that_cancel_each_other(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    savers[i].other = &savers[1 - i];
    CHECK(pthread_create(&threads[i], NULL, save_with_it, &savers[i]) == 0);
  }
  for (int i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  for (int i = 0; i < 2; ++i) {
    CHECK(end_of(savers[i].id) == CKPT_CHECKPOINT_TASK_STATE_CANCELLED);
    CHECK(savers[i].won == 1 && savers[i].ended == 1 && savers[i].inside == 0);
  }
}

/* ---- A callback that cancels its own task ---- */

static void cancel_own(int64_t id, int64_t stall_ns, void* user_data) {
  saver* const own = user_data;
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  (void)stall_ns;
  own->id = id;
  CHECK(++own->inside == 1);
  CHECK_OK(ckpt_async_manager_cancel(async, id, &own->won));
  CHECK(own->won == 1 && own->ended == 0);
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, &result)); /* it has ended; the ended callback runs after this one returns */
  CHECK(result.state == CKPT_CHECKPOINT_TASK_STATE_CANCELLED && own->ended == 0);
  --own->inside;
}

static void an_end_waits_for_the_callback_before(void) {
  saver own;
  ckpt_checkpoint_task_callbacks callbacks = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  memset(&own, 0, sizeof own);
  callbacks.staged = cancel_own;
  callbacks.ended = count_end;
  task.callbacks = &callbacks;
  task.user_data = &own;
  save_step(async, it.state, 2, &task);
  CHECK(end_of(own.id) == CKPT_CHECKPOINT_TASK_STATE_CANCELLED && own.ended == 1);
}

/* ---- A callback during a write ---- */

static event progressed = EVENT_INIT;
static event saved_elsewhere = EVENT_INIT;
static int64_t last_done;

static void wait_for_the_other_save(int64_t id, int64_t done_bytes, int64_t total_bytes, void* user_data) {
  (void)id, (void)user_data;
  CHECK(done_bytes > last_done && done_bytes <= total_bytes);
  last_done = done_bytes;
  raise_event(&progressed);
  await_event(&saved_elsewhere, 1);
}

/* Another thread saves through the same checkpoint manager while the callback waits for it: it is not blocked. */
static void progress_holds_no_lock(void) {
  ckpt_checkpoint_task_callbacks callbacks = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  int64_t id = 0;
  callbacks.progress = wait_for_the_other_save;
  task.callbacks = &callbacks;
  id = save_step(async, it.state, 3, &task);
  await_event(&progressed, 1);
  options.step = 4;
  CHECK_OK(ckpt_checkpoint_manager_save(it.checkpoint, it.state, &options, NULL));
  raise_event(&saved_elsewhere);
  CHECK(end_of(id) == CKPT_CHECKPOINT_TASK_STATE_COMPLETED && last_done == 16);
}

static void staged_while_borrowed(int64_t id, int64_t stall_ns, void* user_data) {
  (void)id, (void)stall_ns, (void)user_data;
  raise_event(&progressed);
  await_event(&saved_elsewhere, 2);
}

/* The same for the end of the borrowing, which is reported before the commit. */
static void staged_holds_no_lock(void) {
  ckpt_checkpoint_task_callbacks callbacks = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  int64_t id = 0;
  callbacks.staged = staged_while_borrowed;
  task.callbacks = &callbacks;
  task.mode = CKPT_STAGING_MODE_BORROW;
  id = save_step(async, it.state, 5, &task);
  await_event(&progressed, 2);
  options.step = 6;
  CHECK_OK(ckpt_checkpoint_manager_save(it.checkpoint, it.state, &options, NULL));
  raise_event(&saved_elsewhere);
  CHECK(end_of(id) == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
}

/* ---- Ends of several tasks ---- */

static int ends;
static void slow_progress(int64_t id, int64_t done_bytes, int64_t total_bytes, void* user_data) {
  const struct timespec pause = {0, 50000000};
  (void)id, (void)done_bytes, (void)total_bytes, (void)user_data;
  nanosleep(&pause, NULL);
}
static void comes_as(const ckpt_checkpoint_task_result* result, void* user_data) {
  CHECK(++ends == *(const int*)user_data && result->step == ends);
}

/* One worker: the end of the second task is not reported while a callback of the first one still runs on another thread. */
static void ends_are_reported_in_order(void) {
  static const int orders[2] = {1, 2};
  int64_t ids[2];
  int64_t ended[64];
  int64_t count = 0;
  for (int i = 0; i < 2; ++i) {
    ckpt_checkpoint_task_callbacks callbacks = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
    ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
    callbacks.progress = i == 0 ? slow_progress : NULL;
    callbacks.ended = comes_as;
    task.callbacks = &callbacks;
    task.user_data = (void*)&orders[i];
    ids[i] = save_step(async, it.state, i + 1, &task);
  }
  CHECK(end_of(ids[1]) == CKPT_CHECKPOINT_TASK_STATE_COMPLETED && ends == 2);
  CHECK_OK(ckpt_async_manager_list(async, CKPT_CHECKPOINT_TASK_LIST_ENDED, ended, 64, &count));
  CHECK(count == 2 && ended[0] == ids[0] && ended[1] == ids[1]);
}

/* ---- A source while its save is being written ---- */

static int asked;
static int32_t use_the_checkpoint(const char* group, const char* name, const void* data, int64_t offset, int64_t bytes,
                                  void* buffer, void* user_data) {
  (void)group, (void)name, (void)data, (void)offset, (void)user_data;
  CHECK_FAILS(ckpt_checkpoint_manager_save(it.checkpoint, it.state, NULL, NULL), CKPT_E_INVALID_STATE, "checkpoint is in use");
  CHECK_FAILS(ckpt_checkpoint_manager_load(it.checkpoint, it.state, NULL, NULL), CKPT_E_INVALID_STATE, "checkpoint is in use");
  ++asked;
  memset(buffer, 1, (size_t)bytes);
  return 0;
}

/* The worker has locked the checkpoint manager and waits for the bytes. */
static void a_source_cannot_use_the_checkpoint(void) {
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  task.source = use_the_checkpoint;
  for (task.mode = CKPT_STAGING_MODE_COPY; task.mode <= CKPT_STAGING_MODE_DEFERRED; task.mode += CKPT_STAGING_MODE_DEFERRED) {
    CHECK(end_of(save_step(async, it.state, 12, &task)) == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  }
  CHECK(asked == 2);
}

/* ---- Gates ---- */

/* The only worker skips a closed gate. */
static void an_ungated_save_passes_a_gated_one(void) {
  ckpt_checkpoint_task_options gated = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_checkpoint_task_info info = CKPT_CHECKPOINT_TASK_INFO_INIT;
  int64_t first = 0;
  gated.gate_step = 100;
  gated.has_gate_step = 1;
  gated.priority = CKPT_PRIORITY_HIGH;
  first = save_step(async, it.state, 7, &gated);
  CHECK(end_of(save_step(async, it.state, 8, NULL)) == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  CHECK_OK(ckpt_async_manager_get_task(async, first, &info));
  CHECK(info.state == CKPT_CHECKPOINT_TASK_STATE_QUEUED);
  CHECK_OK(ckpt_async_manager_end_step(async, 100));
  while (info.state != CKPT_CHECKPOINT_TASK_STATE_COMPLETED) {
    CHECK_OK(ckpt_async_manager_get_task(async, first, &info));
    CHECK(info.state != CKPT_CHECKPOINT_TASK_STATE_FAILED);
  }
}

/* All queue entries are held by gates that only this thread would open. */
static void a_waiting_save_opens_the_gates(void) {
  ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  ckpt_checkpoint_task_options gated = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_checkpoint_task_options waiting = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_checkpoint_task_info info = CKPT_CHECKPOINT_TASK_INFO_INIT;
  int64_t ids[2];
  int64_t id = 0;
  options.capacity = 2;
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, &options, &async));
  gated.gate_step = 100;
  gated.has_gate_step = 1;
  for (int i = 0; i < 2; ++i) ids[i] = save_step(async, it.state, 9 + i, &gated);
  waiting.when_full = CKPT_WHEN_FULL_WAIT;
  for (waiting.timeout_ns = 0; waiting.timeout_ns <= 1000000;
       waiting.timeout_ns += 1000000) { /* opens no gate, because it times out anyway */
    CHECK_FAILS(ckpt_async_manager_save(async, it.state, NULL, &waiting, &id), CKPT_E_QUEUE_FULL, "is full");
  }
  for (int i = 0; i < 2; ++i) {
    CHECK_OK(ckpt_async_manager_get_task(async, ids[i], &info));
    CHECK(info.state == CKPT_CHECKPOINT_TASK_STATE_QUEUED);
  }
  waiting.timeout_ns = -1;
  CHECK(end_of(save_step(async, it.state, 11, &waiting)) == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  for (int i = 0; i < 2; ++i) CHECK(end_of(ids[i]) == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
  ckpt_async_manager_release(async);
}

/* ---- A load reports its progress ---- */

typedef struct event_count {
  int reports;
  int64_t done_bytes;
  int64_t total_bytes;
} event_count;

static void hear(int64_t id, int64_t done_bytes, int64_t total_bytes, void* user_data) {
  event_count* const own = user_data;
  (void)id;
  CHECK(done_bytes >= own->done_bytes && done_bytes <= total_bytes && total_bytes >= 16);
  ++own->reports;
  own->done_bytes = done_bytes;
  own->total_bytes = total_bytes;
}

static void a_load_reports_progress(void) {
  ckpt_checkpoint_task_callbacks callbacks = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_checkpoint_task_info info = CKPT_CHECKPOINT_TASK_INFO_INIT;
  event_count own = {0, 0, 0};
  int64_t id = 0;
  CHECK(end_of(save_step(async, it.state, 1, NULL)) == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  callbacks.progress = hear;
  task.callbacks = &callbacks;
  task.user_data = &own;
  CHECK_OK(ckpt_async_manager_load(async, it.state, NULL, &task, &id));
  CHECK(end_of(id) == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  CHECK(own.reports > 0 && own.done_bytes == own.total_bytes);
  CHECK_OK(ckpt_async_manager_get_task(async, id, &info));
  CHECK(info.done_bytes == own.total_bytes && info.total_bytes == own.total_bytes);
}

int main(int argc, char** argv) {
  static void (*const tests[])(void) = {two_that_cancel_each_other,
                                        an_end_waits_for_the_callback_before,
                                        progress_holds_no_lock,
                                        staged_holds_no_lock,
                                        an_ungated_save_passes_a_gated_one,
                                        a_source_cannot_use_the_checkpoint,
                                        ends_are_reported_in_order,
                                        a_load_reports_progress};
  alarm(HANG_SECONDS);
  begin_run(&it, 16);
  for (int i = 0; i < (int)(sizeof tests / sizeof tests[0]); ++i) {
    if (argc > 1 && atoi(argv[1]) != i) continue; /* an argument selects one scenario, for debugging */
    CHECK_OK(ckpt_async_manager_create(it.checkpoint, NULL, &async));
    tests[i]();
    CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
    ckpt_async_manager_release(async);
  }
  if (argc < 2 || atoi(argv[1]) == 8) a_waiting_save_opens_the_gates();
  end_run(&it);
  return 0;
}
