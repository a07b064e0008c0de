/* async_api.h - shared helpers of the C99 tests of background saves: a run in a scratch directory, and events that threads wait
 * for. */
#ifndef CKPT_TESTS_ASYNC_API_H
#define CKPT_TESTS_ASYNC_API_H

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"

/* A counter that threads raise and wait for. */
typedef struct event {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int count;
} event;

#define EVENT_INIT \
  { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }

static inline void raise_event(event* it) {
  pthread_mutex_lock(&it->mutex);
  ++it->count;
  pthread_cond_broadcast(&it->changed);
  pthread_mutex_unlock(&it->mutex);
}

/* Fails after a second while an allocation fails on purpose (tests/sweeps): then the task that raises the event may not exist. A
 * hang of the library itself still ends by the alarm. */
static inline void await_event(event* it, int count) {
  struct timespec until;
  int code = 0;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += getenv("CKPT_FAIL_AT") != NULL ? 1 : HANG_SECONDS;
  pthread_mutex_lock(&it->mutex);
  while (code == 0 && it->count < count) code = pthread_cond_timedwait(&it->changed, &it->mutex, &until);
  pthread_mutex_unlock(&it->mutex);
  CHECK(code == 0);
}

/* A checkpoint manager in a new directory, and a state of one tensor. */
typedef struct run {
  test_folder root;
  ckpt_checkpoint_manager* checkpoint;
  ckpt_state* state;
} run;

static inline void begin_run(run* it, int64_t bytes) {
  ckpt_storage* storage = NULL;
  ckpt_tensor* tensor = NULL;
  const int64_t shape[1] = {bytes};
  memset(it, 0, sizeof *it);
  make_folder(it->root, "async");
  CHECK_OK(ckpt_storage_create_file_system(it->root, NULL, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &it->checkpoint));
  ckpt_storage_release(storage);
  CHECK_OK(ckpt_state_create(&it->state));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_U8, shape, 1, NULL, &tensor));
  CHECK_OK(ckpt_state_add_tensor(it->state, "model", "weight", tensor));
  ckpt_tensor_release(tensor);
}

static inline void end_run(run* it) {
  char command[sizeof it->root + 16];
  ckpt_state_release(it->state);
  ckpt_checkpoint_manager_release(it->checkpoint);
  snprintf(command, sizeof command, "rm -r %s", it->root);
  CHECK(system(command) == 0);
}

static inline int64_t save_step(ckpt_async_manager* async, const ckpt_state* state, int64_t step,
                                const ckpt_checkpoint_task_options* task) {
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  int64_t id = 0;
  options.step = step;
  CHECK_OK(ckpt_async_manager_save(async, state, &options, task, &id));
  return id;
}

#endif /* CKPT_TESTS_ASYNC_API_H */
