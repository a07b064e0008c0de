/* Forked children of a process that saves: they read or get an error, and never wait for a thread that exists only in the parent.
 * The lock stays with the parent: its child neither extends nor releases it. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "watched_storage.h"

static char scratch[64];

static void expect_success(pid_t child) {
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fprintf(stderr, "the child ended with %d\n", status);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Makes every call of a child on its parent's checkpoint. forked: reads may also return FORKED. */
static void use_in_child(ckpt_checkpoint_manager* checkpoint, int forked) {
  numbered into;
  int64_t count = 0;
  char text[4096];
  ckpt_reader* reader = NULL;
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  ckpt_status status = CKPT_OK;
  alarm(HANG_SECONDS);
  numbered_make(&into, 0);
#define READ(call)                                                                                                        \
  do {                                                                                                                    \
    status = (call);                                                                                                      \
    if (status != CKPT_OK && !(forked && status == CKPT_E_FORKED)) fprintf(stderr, "%s: %s\n", #call, ckpt_last_error()); \
    CHECK(status == CKPT_OK || (forked && status == CKPT_E_FORKED));                                                      \
  } while (0)
  READ(ckpt_checkpoint_manager_load(checkpoint, into.state, NULL, NULL));
  if (status == CKPT_OK) CHECK(numbered_value(&into) >= 1);
  READ(ckpt_checkpoint_manager_verify(checkpoint, NULL, NULL));
  READ(ckpt_checkpoint_manager_list(checkpoint, &info, 1, &count));
  if (status == CKPT_OK) {
    status = ckpt_checkpoint_manager_get_manifest(checkpoint, info.name, text, sizeof text, &count);
    CHECK(status == CKPT_OK || status == CKPT_E_NOT_FOUND || (forked && status == CKPT_E_FORKED));
  }
  READ(ckpt_reader_create_from_checkpoint(checkpoint, NULL, CKPT_VERIFY_FULL, &reader));
  ckpt_reader_release(reader);
  CHECK_FAILS(numbered_save(checkpoint, 99, NULL), CKPT_E_FORKED, "before a fork");
  CHECK_FAILS(ckpt_checkpoint_manager_remove(checkpoint, "x"), CKPT_E_FORKED, "before a fork");
  ckpt_state_release(into.state);
  ckpt_checkpoint_manager_release(checkpoint);
  _exit(0);
}

/* ---- During a blocked save ------------------------------------------------------------------------------------------- */

static int reached[2];
static int released[2];
static atomic_int stop_now;

static int32_t stop_in_write(const char* operation, const char* path, void* data) {
  char byte = 0;
  (void)path;
  (void)data;
  if (strcmp(operation, "write") == 0 && atomic_exchange(&stop_now, 0) != 0) {
    CHECK(write(reached[1], "!", 1) == 1);
    CHECK(read(released[0], &byte, 1) == 1);
  }
  return CKPT_OK;
}

static void* save_two(void* checkpoint) {
  CHECK_OK(numbered_save(checkpoint, 2, NULL));
  return NULL;
}

static void reads_work_while_a_save_is_under_way(void) {
  watched w = {"", stop_in_write, NULL};
  ckpt_checkpoint_manager* checkpoint = NULL;
  pthread_t thread;
  char byte = 0;
  snprintf(w.root, sizeof w.root, "%s/stopped", scratch);
  CHECK(mkdir(w.root, 0777) == 0 && pipe(reached) == 0 && pipe(released) == 0);
  ckpt_storage* storage = watched_storage(&w);
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &checkpoint));
  CHECK_OK(numbered_save(checkpoint, 1, NULL));
  atomic_store(&stop_now, 1);
  CHECK(pthread_create(&thread, NULL, save_two, checkpoint) == 0);
  CHECK(read(reached[0], &byte, 1) == 1);
  /* Here too: a load does not wait for a save. */
  numbered into;
  numbered_make(&into, 0);
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, into.state, NULL, NULL));
  CHECK(numbered_value(&into) == 1);
  ckpt_state_release(into.state);
  const pid_t child = fork();
  if (child == 0) use_in_child(checkpoint, 0);
  expect_success(child);
  CHECK(write(released[1], "!", 1) == 1);
  CHECK(pthread_join(thread, NULL) == 0);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
}

/* ---- At any moment ------------------------------------------------------------------------------------------------------- */

static atomic_int ended;

static void* keep_saving(void* checkpoint) {
  for (int64_t step = 2; !atomic_load(&ended); ++step) CHECK_OK(numbered_save(checkpoint, step, NULL));
  return NULL;
}

static void fork_often(ckpt_storage* storage) {
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  pthread_t thread;
  options.keep_last = 1;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &checkpoint));
  CHECK_OK(numbered_save(checkpoint, 1, NULL));
  atomic_store(&ended, 0);
  CHECK(pthread_create(&thread, NULL, keep_saving, checkpoint) == 0);
  for (int i = 0; i < 40; ++i) {
    const pid_t child = fork();
    if (child == 0) use_in_child(checkpoint, 1);
    expect_success(child);
  }
  atomic_store(&ended, 1);
  CHECK(pthread_join(thread, NULL) == 0);
  ckpt_checkpoint_manager_release(checkpoint);
}

static void reads_never_wait_for_a_thread_that_is_not_there(void) {
  char root[128];
  ckpt_storage* storage = NULL;
#ifdef CKPT_SANITIZED /* a parent's thread may hold the sanitizer's allocator lock */
  printf("SKIP: forks at any moment: a sanitizer is in this build\n");
  return;
#endif
  CHECK_OK(ckpt_storage_create_memory(&storage));
  fork_often(storage);
  ckpt_storage_release(storage);
  snprintf(root, sizeof root, "%s/forked", scratch);
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  fork_often(storage);
  ckpt_storage_release(storage);
}

/* ---- The lock ------------------------------------------------------------------------------------------------------------ */

static void the_lock_is_the_parents(void) {
  char root[128];
  char byte = 0;
  int to_child[2];
  int to_parent[2];
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* first = NULL;
  ckpt_checkpoint_manager* second = NULL;
  ckpt_checkpoint_manager* third = NULL;
  snprintf(root, sizeof root, "%s/lock", scratch);
  CHECK(pipe(to_child) == 0 && pipe(to_parent) == 0);
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &first));
  const pid_t child = fork();
  if (child == 0) {
    alarm(HANG_SECONDS / 4);
    CHECK(read(to_child[0], &byte, 1) == 1);
    ckpt_checkpoint_manager_release(first);
    CHECK(write(to_parent[1], "!", 1) == 1);
    CHECK(read(to_child[0], &byte, 1) == 1);
    ckpt_storage_release(storage);
    _exit(0);
  }
  /* A release by the child does not affect the parent. */
  CHECK(write(to_child[1], "!", 1) == 1 && read(to_parent[0], &byte, 1) == 1);
  CHECK_FAILS(ckpt_checkpoint_manager_create(storage, NULL, &second), CKPT_E_BUSY, "is being written by process");
  ckpt_checkpoint_manager_release(first);
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &second));
  CHECK(write(to_child[1], "!", 1) == 1);
  expect_success(child);

  /* A release by the parent is final, whatever its child still holds. */
  const pid_t other = fork();
  if (other == 0) {
    alarm(HANG_SECONDS / 4);
    CHECK(write(to_parent[1], "!", 1) == 1 && read(to_child[0], &byte, 1) == 1);
    ckpt_checkpoint_manager_release(second);
    CHECK(write(to_parent[1], "!", 1) == 1 && read(to_child[0], &byte, 1) == 1);
    _exit(0);
  }
  CHECK(read(to_parent[0], &byte, 1) == 1);
  ckpt_checkpoint_manager_release(second);
  second = NULL;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &third));
  CHECK(write(to_child[1], "!", 1) == 1 && read(to_parent[0], &byte, 1) == 1);
  CHECK_FAILS(ckpt_checkpoint_manager_create(storage, NULL, &second), CKPT_E_BUSY, "is being written by process");
  CHECK(write(to_child[1], "!", 1) == 1);
  expect_success(other);
  ckpt_checkpoint_manager_release(third);
  ckpt_storage_release(storage);
}

int main(void) {
  alarm(HANG_SECONDS);
  make_scratch(scratch, "fork");
  the_lock_is_the_parents();
  reads_work_while_a_save_is_under_way();
  reads_never_wait_for_a_thread_that_is_not_there();
  remove_scratch(scratch);
  return 0;
}
