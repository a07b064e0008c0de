/* Through the C API from C99: the behaviour when the queue is full, by default and with options; and the step that a gated task
 * waits for. */
#define _POSIX_C_SOURCE 200809L

#include "api.h"

static run it;

enum { GATE = 100 };

/* Returns a manager with capacity for one task, taken by a save at a closed gate. */
static ckpt_async_manager* full_manager(int64_t* held) {
  ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  ckpt_checkpoint_task_options gated = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_async_manager* manager = NULL;
  options.capacity = 1;
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, &options, &manager));
  gated.has_gate_step = 1;
  gated.gate_step = GATE;
  *held = save_step(manager, it.state, 1, &gated);
  return manager;
}

static int32_t state_of(ckpt_async_manager* manager, int64_t id) {
  ckpt_checkpoint_task_info info = CKPT_CHECKPOINT_TASK_INFO_INIT;
  CHECK_OK(ckpt_async_manager_get_task(manager, id, &info));
  return info.state;
}

static void close_and_release(ckpt_async_manager* manager) {
  CHECK_OK(ckpt_async_manager_close(manager, CKPT_CLOSE_MODE_DRAIN, -1));
  ckpt_async_manager_release(manager);
}

static void the_default_is_to_wait(void) {
  ckpt_checkpoint_task_options task;
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  ckpt_async_manager* manager = NULL;
  int64_t held = 0;
  int64_t id = 0;
  memset(&task, 0x55, sizeof task);
  CKPT_INIT(ckpt_checkpoint_task_options, &task);
  CHECK(task.when_full == CKPT_WHEN_FULL_WAIT && task.timeout_ns == INT64_C(60000000000) && task.has_gate_step == 0);

  /* It fails only at the timeout; the refused save is listed. */
  manager = full_manager(&held);
  for (task.timeout_ns = 0; task.timeout_ns <= 1000000; task.timeout_ns += 1000000) {
    int64_t ids[2] = {0, 0};
    int64_t count = 0;
    CHECK_FAILS(ckpt_async_manager_save(manager, it.state, NULL, &task, &id), CKPT_E_QUEUE_FULL, "is full");
    CHECK_OK(ckpt_async_manager_list(manager, CKPT_CHECKPOINT_TASK_LIST_ENDED, ids, 2, &count));
    CHECK(count == 1 + (task.timeout_ns != 0) && state_of(manager, ids[count - 1]) == CKPT_CHECKPOINT_TASK_STATE_REJECTED);
  }
  CHECK(state_of(manager, held) == CKPT_CHECKPOINT_TASK_STATE_QUEUED && id == 0);

  /* Infinite: that opens the gate, so the wait succeeds. A refusing save would not have waited. */
  task.timeout_ns = -1;
  id = save_step(manager, it.state, 2, &task);
  CHECK_OK(ckpt_async_manager_wait(manager, held, -1, &result));
  CHECK(result.state == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  CHECK_OK(ckpt_async_manager_wait(manager, id, -1, &result));
  CHECK(result.state == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  close_and_release(manager);
}

/* Also without options: another thread opens the gate once the call has begun. */
static event begun = EVENT_INIT;
static ckpt_async_manager* opened;

static int32_t list_and_raise(ckpt_state* into, void* user_data) {
  (void)user_data;
  raise_event(&begun);
  return ckpt_state_set_json(into, "value", "1");
}

static void* open_the_gate(void* unused) {
  await_event(&begun, 1);
  CHECK_OK(ckpt_async_manager_end_step(opened, GATE));
  return unused;
}

static void no_options_wait(void) {
  ckpt_stateful_callbacks callbacks = CKPT_STATEFUL_CALLBACKS_INIT;
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  ckpt_state* state = NULL;
  pthread_t opener;
  int64_t held = 0;
  int64_t id = 0;
  opened = full_manager(&held);
  callbacks.list = list_and_raise;
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_add_stateful(state, "object", &callbacks, NULL, NULL));
  CHECK(pthread_create(&opener, NULL, open_the_gate, NULL) == 0);
  CHECK_OK(ckpt_async_manager_save(opened, state, NULL, NULL, &id));
  CHECK(pthread_join(opener, NULL) == 0);
  CHECK_OK(ckpt_async_manager_wait(opened, id, -1, &result));
  CHECK(result.state == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  ckpt_state_release(state);
  close_and_release(opened);
}

static void refused_or_dropped(void) {
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  int64_t held = 0;
  int64_t id = 0;
  ckpt_async_manager* const manager = full_manager(&held);
  task.when_full = CKPT_WHEN_FULL_REFUSE; /* for every timeout */
  for (task.timeout_ns = -1; task.timeout_ns <= 1; ++task.timeout_ns) {
    CHECK_FAILS(ckpt_async_manager_save(manager, it.state, NULL, &task, &id), CKPT_E_QUEUE_FULL, "is full");
    CHECK_FAILS(ckpt_async_manager_load(manager, it.state, NULL, &task, &id), CKPT_E_QUEUE_FULL, "is full");
  }
  CHECK(state_of(manager, held) == CKPT_CHECKPOINT_TASK_STATE_QUEUED);
  task.when_full = CKPT_WHEN_FULL_DROP_OLDEST;
  id = save_step(manager, it.state, 2, &task);
  CHECK_OK(ckpt_async_manager_wait(manager, held, -1, &result));
  CHECK(result.state == CKPT_CHECKPOINT_TASK_STATE_REJECTED && result.status == CKPT_E_QUEUE_FULL);
  CHECK_OK(ckpt_async_manager_wait(manager, id, -1, &result));
  CHECK(result.state == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  close_and_release(manager);
}

/* ---- Gates ---- */

static void gates(void) {
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  ckpt_async_manager* manager = NULL;
  int64_t first = 0;
  int64_t second = 0;
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, NULL, &manager));

  /* Step 0 is a valid gate step: nothing starts before it has ended. */
  task.has_gate_step = 1;
  first = save_step(manager, it.state, 1, &task);
  task.gate_step = 7;
  second = save_step(manager, it.state, 2, &task);
  CHECK_FAILS(ckpt_async_manager_wait(manager, first, 0, &result), CKPT_E_TIMEOUT, "did not end");
  CHECK(state_of(manager, first) == CKPT_CHECKPOINT_TASK_STATE_QUEUED);
  CHECK_OK(ckpt_async_manager_end_step(manager, 0));
  while (state_of(manager, first) != CKPT_CHECKPOINT_TASK_STATE_COMPLETED)
    CHECK(state_of(manager, second) == CKPT_CHECKPOINT_TASK_STATE_QUEUED);
  CHECK_OK(ckpt_async_manager_end_step(manager, 8)); /* a later step opens it, too */
  while (state_of(manager, second) != CKPT_CHECKPOINT_TASK_STATE_COMPLETED)
    CHECK(state_of(manager, second) != CKPT_CHECKPOINT_TASK_STATE_FAILED);

  /* A step that was not set is ignored. */
  task.has_gate_step = 0;
  task.gate_step = 1000;
  first = save_step(manager, it.state, 3, &task);
  task.gate_step = -5;
  second = save_step(manager, it.state, 4, &task);
  while (state_of(manager, second) != CKPT_CHECKPOINT_TASK_STATE_COMPLETED)
    CHECK(state_of(manager, first) != CKPT_CHECKPOINT_TASK_STATE_FAILED);
  CHECK(state_of(manager, first) == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  task.has_gate_step = 1;
  CHECK_FAILS(ckpt_async_manager_save(manager, it.state, NULL, &task, &second), CKPT_E_INVALID_ARGUMENT, "task.gate_step is -5");
  close_and_release(manager);
}

int main(void) {
  alarm(HANG_SECONDS);
  begin_run(&it, 16);
  the_default_is_to_wait();
  no_options_wait();
  refused_or_dropped();
  gates();
  end_run(&it);
  return 0;
}
