/* Through the C API from C99: every function of async.h, called inside every kind of callback of a manager. Each call works or
 * returns INVALID_STATE; none waits. */
#define _POSIX_C_SOURCE 200809L

#include <sched.h>

#include "api.h"

static run it;
static ckpt_async_manager* async;
static int64_t done_id;   /* a completed save */
static int64_t queued_id; /* a save that waits at its gate, not yet staged */
static int64_t spare_id;  /* a save to cancel */
static const char* kind_name;
static int called; /* number of passes through the table */
static int release_inside;
static int uses_checkpoint; /* the callback runs inside an operation of the checkpoint */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

/* ---- The table ---- */

static ckpt_status call_save(void) {
  int64_t id = 0;
  return ckpt_async_manager_save(async, it.state, NULL, NULL, &id);
}
static ckpt_status call_save_waiting(void) {
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  int64_t id = 0;
  task.when_full = CKPT_WHEN_FULL_WAIT;
  return ckpt_async_manager_save(async, it.state, NULL, &task, &id);
}
static ckpt_status call_load(void) {
  int64_t id = 0;
  return ckpt_async_manager_load(async, it.state, NULL, NULL, &id);
}
static ckpt_status call_wait(int64_t id, int64_t timeout_ns) {
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  return ckpt_async_manager_wait(async, id, timeout_ns, id == CKPT_CHECKPOINT_TASK_ALL ? NULL : &result);
}
static ckpt_status wait_done(void) { return call_wait(done_id, -1); }
static ckpt_status wait_queued(void) { return call_wait(queued_id, -1); }
static ckpt_status poll_queued(void) { return call_wait(queued_id, 0); }
static ckpt_status wait_all(void) { return call_wait(CKPT_CHECKPOINT_TASK_ALL, -1); }
static ckpt_status poll_all(void) { return call_wait(CKPT_CHECKPOINT_TASK_ALL, 0); }
static ckpt_status wait_staged_done(void) { return ckpt_async_manager_wait_staged(async, done_id, -1); }
static ckpt_status wait_staged_queued(void) { return ckpt_async_manager_wait_staged(async, queued_id, -1); }
static ckpt_status poll_staged_queued(void) { return ckpt_async_manager_wait_staged(async, queued_id, 0); }
static ckpt_status wait_staged_all(void) { return ckpt_async_manager_wait_staged(async, CKPT_CHECKPOINT_TASK_ALL, -1); }
static ckpt_status close_draining(void) { return ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1); }
static ckpt_status close_cancelling(void) { return ckpt_async_manager_close(async, CKPT_CLOSE_MODE_CANCEL, 0); }
static ckpt_status cancel_done(void) { return ckpt_async_manager_cancel(async, done_id, NULL); }
static ckpt_status cancel_spare(void) { return ckpt_async_manager_cancel(async, spare_id, NULL); }
static ckpt_status call_saved(void) {
  ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
  return ckpt_async_manager_get_save_result(async, done_id, &result);
}
static ckpt_status call_loaded(void) {
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  return ckpt_async_manager_get_load_result(async, done_id, &result);
}
static ckpt_status call_end_step(void) { return ckpt_async_manager_end_step(async, 1); }
static ckpt_status call_get_task(void) {
  ckpt_checkpoint_task_info task = CKPT_CHECKPOINT_TASK_INFO_INIT;
  return ckpt_async_manager_get_task(async, queued_id, &task);
}
static ckpt_status call_tasks(void) {
  int64_t count = 0;
  return ckpt_async_manager_list(async, CKPT_CHECKPOINT_TASK_LIST_ENDED, NULL, 0, &count);
}
static ckpt_status call_get_stats(void) {
  ckpt_async_manager_stats stats = CKPT_ASYNC_MANAGER_STATS_INIT;
  return ckpt_async_manager_get_stats(async, &stats);
}
static ckpt_status call_another_manager(void) {
  ckpt_async_manager* other = NULL;
  const ckpt_status status = ckpt_async_manager_create(it.checkpoint, NULL, &other);
  ckpt_async_manager_release(other);
  return status;
}

static const struct {
  const char* name;
  ckpt_status (*call)(void);
  ckpt_status expected;
} table[] = {
    {"save", call_save, CKPT_E_INVALID_STATE},
    {"save, waiting", call_save_waiting, CKPT_E_INVALID_STATE},
    {"load", call_load, CKPT_E_INVALID_STATE},
    {"wait for one that has ended", wait_done, CKPT_OK},
    {"wait for one that has not", wait_queued, CKPT_E_INVALID_STATE},
    {"ask for one that has not", poll_queued, CKPT_E_TIMEOUT},
    {"wait for all", wait_all, CKPT_E_INVALID_STATE},
    {"ask for all", poll_all, CKPT_E_TIMEOUT},
    {"wait_staged for one that is", wait_staged_done, CKPT_OK},
    {"wait_staged for one that is not", wait_staged_queued, CKPT_E_INVALID_STATE},
    {"wait_staged, asking", poll_staged_queued, CKPT_E_TIMEOUT},
    {"wait_staged for all", wait_staged_all, CKPT_E_INVALID_STATE},
    {"close, draining", close_draining, CKPT_E_INVALID_STATE},
    {"close, cancelling", close_cancelling, CKPT_E_INVALID_STATE},
    {"cancel one that has ended", cancel_done, CKPT_OK},
    {"cancel one that has not", cancel_spare, CKPT_OK},
    {"saved", call_saved, CKPT_OK},
    {"loaded", call_loaded, CKPT_E_INVALID_STATE},
    {"end_step", call_end_step, CKPT_OK},
    {"get_task", call_get_task, CKPT_OK},
    {"tasks", call_tasks, CKPT_OK},
    {"get_stats", call_get_stats, CKPT_OK},
    {"create, another one", call_another_manager, CKPT_OK},
};

static void release_once(void) {
  ckpt_async_manager* own = NULL;
  pthread_mutex_lock(&guard);
  own = async;
  async = NULL;
  called += own != NULL ? 1 : 0;
  pthread_mutex_unlock(&guard);
  ckpt_async_manager_release(own);
}

static int calls(void) {
  int count = 0;
  pthread_mutex_lock(&guard);
  count = called;
  pthread_mutex_unlock(&guard);
  return count;
}

static void go_through(void) {
  if (release_inside) {
    release_once();
    return;
  }
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    const ckpt_status status = table[i].call();
    const ckpt_status expected =
        uses_checkpoint && table[i].call == call_another_manager ? CKPT_E_INVALID_STATE : table[i].expected;
    if (status == expected) continue;
    /* Closing cancels both, and the task that is waited for or queried may be cancelled first: then nothing waits. */
    if (status == CKPT_OK && strcmp(kind_name, "ended by closing") == 0 &&
        (strncmp(table[i].name, "wait", 4) == 0 || strncmp(table[i].name, "ask", 3) == 0)) {
      continue;
    }
    fprintf(stderr, "%s: %s gives %s '%s', expected %s\n", kind_name, table[i].name, ckpt_status_name(status), ckpt_last_error(),
            ckpt_status_name(expected));
    exit(1);
  }
  pthread_mutex_lock(&guard);
  ++called;
  pthread_mutex_unlock(&guard);
}

/* ---- The callbacks ---- */

static void on_staged(int64_t id, int64_t stall_ns, void* user_data) {
  (void)id, (void)stall_ns, (void)user_data;
  go_through();
}
static void on_progress(int64_t id, int64_t done_bytes, int64_t total_bytes, void* user_data) {
  (void)id, (void)done_bytes, (void)total_bytes, (void)user_data;
  go_through();
}
static void on_ended(const ckpt_checkpoint_task_result* result, void* user_data) {
  (void)result, (void)user_data;
  go_through();
}
static void on_destroy(void* user_data) {
  (void)user_data;
  go_through();
}
static int32_t plain_source(const char* group, const char* name, const void* data, int64_t offset, int64_t bytes, void* buffer,
                            void* user_data) {
  (void)group, (void)name, (void)data, (void)offset, (void)user_data;
  memset(buffer, 1, (size_t)bytes);
  return 0;
}
/* With user_data: each thread blocks until a second one has arrived, so that threads of the pool are covered, too. */
static int32_t on_source(const char* group, const char* name, const void* data, int64_t offset, int64_t bytes, void* buffer,
                         void* user_data) {
  go_through();
  if (user_data != NULL) {
    raise_event(user_data);
    await_event(user_data, 2);
  }
  return plain_source(group, name, data, offset, bytes, buffer, NULL);
}
static int32_t on_list(ckpt_state* into, void* user_data) {
  (void)into, (void)user_data;
  go_through();
  return 0;
}
static int32_t on_restore(const ckpt_state* loaded, void* user_data) {
  (void)loaded, (void)user_data;
  go_through();
  return 0;
}
static int32_t list_nothing(ckpt_state* into, void* user_data) {
  (void)into, (void)user_data;
  return 0;
}
static int32_t restore_nothing(const ckpt_state* loaded, void* user_data) {
  (void)loaded, (void)user_data;
  return 0;
}
static const char* message_looked_for;
static void on_log(int32_t level, const char* component, const char* message, void* user_data) {
  (void)level, (void)user_data;
  if (strcmp(component, "async") == 0 && strstr(message, message_looked_for) != NULL) go_through();
}

/* ---- Triggers of the callbacks ---- */

static ckpt_checkpoint_task_callbacks callbacks;
static ckpt_checkpoint_task_options task;
static event two_threads = EVENT_INIT;

static int64_t started_id;

static int64_t start(void) {
  task.callbacks = &callbacks;
  started_id = save_step(async, it.state, 5, &task);
  return started_id;
}
static void staged_by_a_copy(void) {
  callbacks.staged = on_staged;
  start();
}
static void staged_in_the_background(void) {
  callbacks.staged = on_staged;
  task.mode = CKPT_STAGING_MODE_DEFERRED;
  start();
}
static void staged_by_the_worker(void) {
  callbacks.staged = on_staged;
  task.mode = CKPT_STAGING_MODE_BORROW;
  start();
}
static void progress(void) {
  callbacks.progress = on_progress;
  start();
}
static void ended(void) {
  callbacks.ended = on_ended;
  start();
}
static void ended_by_a_cancellation(void) {
  callbacks.ended = on_ended;
  task.gate_step = 1000;
  task.has_gate_step = 1;
  CHECK_OK(ckpt_async_manager_cancel(async, start(), NULL));
}
static void ended_by_a_failure(void) {
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  callbacks.ended = on_ended;
  task.callbacks = &callbacks;
  options.name = "no-such-name";
  CHECK_OK(ckpt_async_manager_load(async, it.state, &options, &task, &started_id));
}
static void hold_one(void) {
  ckpt_checkpoint_task_options held = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  held.gate_step = 1000;
  held.has_gate_step = 1;
  held.mode = CKPT_STAGING_MODE_BORROW;
  queued_id = save_step(async, it.state, 3, &held);
}
static void ended_by_closing(void) {
  callbacks.ended = on_ended;
  task.gate_step = 1000;
  task.has_gate_step = 1;
  start();
  CHECK_OK(ckpt_async_manager_cancel(async, queued_id, NULL));
  hold_one(); /* cancelled after the other one */
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_CANCEL, 0));
}
static void source_of_a_copy(void) {
  uses_checkpoint = 1;
  task.source = on_source;
  task.source_user_data = &two_threads;
  two_threads.count = 0;
  start();
}
static void source_in_the_background(void) {
  uses_checkpoint = 1;
  task.source = on_source;
  task.mode = CKPT_STAGING_MODE_DEFERRED;
  start();
}
static void destroy_of_callbacks(void) {
  task.destroy = on_destroy;
  task.gate_step = 500; /* so that it is pending after the call */
  task.has_gate_step = 1;
  start();
  CHECK_OK(ckpt_async_manager_end_step(async, 500));
}
static void destroy_of_a_source(void) {
  task.source = plain_source;
  task.source_destroy = on_destroy;
  task.gate_step = 500;
  task.has_gate_step = 1;
  start();
  CHECK_OK(ckpt_async_manager_end_step(async, 500));
}
static void listing_and_restoring(ckpt_stateful_list_fn list, ckpt_stateful_restore_fn restore) {
  ckpt_stateful_callbacks stateful = CKPT_STATEFUL_CALLBACKS_INIT;
  ckpt_state* state = NULL;
  stateful.list = list;
  stateful.restore = restore;
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_add_stateful(state, "object", &stateful, NULL, NULL));
  if (list == on_list) {
    CHECK_OK(ckpt_async_manager_save(async, state, NULL, NULL, &started_id)); /* it ends before a release inside it takes effect */
  } else {
    ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
    options.partial = 1;
    CHECK_OK(ckpt_async_manager_load(async, state, &options, NULL, &started_id));
  }
  ckpt_state_release(state);
}
static void list(void) { listing_and_restoring(on_list, restore_nothing); }
static void restore(void) {
  uses_checkpoint = 1;
  listing_and_restoring(list_nothing, on_restore);
}
static void log_of(const char* text) {
  message_looked_for = text;
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, on_log, NULL, NULL));
}
static void log_of_the_queue(void) {
  log_of(" queued");
  start();
}
static void log_of_the_work(void) {
  log_of(" processing");
  start();
}
static void log_of_the_end(void) {
  log_of(" completed");
  start();
}
static void log_of_a_cancellation(void) {
  log_of("(save of step 5) cancelled");
  task.gate_step = 1000;
  task.has_gate_step = 1;
  CHECK_OK(ckpt_async_manager_cancel(async, start(), NULL));
}
static void log_of_the_close(void) {
  log_of("shutting down");
  start();
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_CANCEL, 0));
}

static const struct {
  const char* name;
  void (*happen)(void);
} kinds[] = {
    {"staged by a copy", staged_by_a_copy},
    {"staged in the background", staged_in_the_background},
    {"staged by the worker", staged_by_the_worker},
    {"progress", progress},
    {"ended", ended},
    {"ended by a cancellation", ended_by_a_cancellation},
    {"ended by a failure", ended_by_a_failure},
    {"ended by closing", ended_by_closing},
    {"source of a copy", source_of_a_copy},
    {"source in the background", source_in_the_background},
    {"destroy of callbacks", destroy_of_callbacks},
    {"destroy of a source", destroy_of_a_source},
    {"list", list},
    {"restore", restore},
    {"log of the queue", log_of_the_queue},
    {"log of the work", log_of_the_work},
    {"log of the end", log_of_the_end},
    {"log of a cancellation", log_of_a_cancellation},
    {"log of the close", log_of_the_close},
};

static void begin_manager(void) {
  ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  ckpt_checkpoint_task_options held = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  options.staging_bytes = 1 << 20; /* the tensor takes several blocks */
  options.staging_threads = 4;
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, &options, &async));
  done_id = save_step(async, it.state, 1, NULL);
  CHECK_OK(ckpt_async_manager_wait(async, done_id, -1, &result));
  held.gate_step = 1000;
  held.has_gate_step = 1;
  spare_id = save_step(async, it.state, 2, &held);
  hold_one();
  CKPT_INIT(ckpt_checkpoint_task_callbacks, &callbacks);
  CKPT_INIT(ckpt_checkpoint_task_options, &task);
  called = 0;
  uses_checkpoint = 0;
}

/* Everything except the release, on the thread of the callback. */
static void call_everything_in(int kind) {
  alarm(HANG_SECONDS);
  kind_name = kinds[kind].name;
  begin_manager();
  kinds[kind].happen();
  CHECK_OK(ckpt_async_manager_wait(async, started_id, -1, NULL)); /* including callbacks */
  CHECK_OK(ckpt_async_manager_cancel(async, queued_id, NULL));
  CHECK_OK(ckpt_async_manager_wait(async, CKPT_CHECKPOINT_TASK_ALL, -1, NULL));
  CHECK_OK(ckpt_set_log(0, NULL, NULL, NULL));
  if (calls() == 0) fprintf(stderr, "not called: %s\n", kinds[kind].name);
  CHECK(calls() > 0);
  CHECK(kinds[kind].happen != source_of_a_copy || calls() > 1);
  (void)ckpt_async_manager_close(async, CKPT_CLOSE_MODE_CANCEL, 0);
  ckpt_async_manager_release(async);
}

int main(int argc, char** argv) {
  const int count = (int)(sizeof kinds / sizeof kinds[0]);
  begin_run(&it, 1 << 19);
  for (int kind = 0; kind < count; ++kind) {
    if (argc > 1 && atoi(argv[1]) != kind) continue; /* an argument selects one kind, for debugging */
    call_everything_in(kind);
  }
  /* Released inside: the release returns, and the manager's threads, or the call that made the callback, finish the rest. After
   * that, no reference to the checkpoint manager remains. */
  release_inside = 1;
  for (int kind = 0; kind < count; ++kind) {
    ckpt_storage* storage = NULL;
    ckpt_checkpoint_manager* again = NULL;
    if (argc > 1 && atoi(argv[1]) != kind) continue;
    if (kinds[kind].happen == ended_by_closing || kinds[kind].happen == log_of_the_close)
      continue; /* close still uses the handle */
    if (kinds[kind].happen == ended_by_a_cancellation || kinds[kind].happen == log_of_a_cancellation) continue;
    alarm(HANG_SECONDS / 4);
    kind_name = kinds[kind].name;
    begin_manager();
    kinds[kind].happen();
    ckpt_checkpoint_manager_release(it.checkpoint);
    CHECK_OK(ckpt_storage_create_file_system(it.root, NULL, &storage));
    while (ckpt_checkpoint_manager_create(storage, NULL, &again) == CKPT_E_BUSY) sched_yield();
    CHECK(calls() == 1 && again != NULL);
    it.checkpoint = again;
    ckpt_storage_release(storage);
    CHECK_OK(ckpt_set_log(0, NULL, NULL, NULL));
  }
  end_run(&it);
  return 0;
}
