/* A forked child: calls that need the library's threads return FORKED, and every release returns, whatever the parent's threads
 * were doing. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int32_t nothing(int64_t part, void* user_data) {
  (void)part;
  (void)user_data;
  return 0;
}

static void hook(const char* name, void* user_data) {
  (void)name;
  (void)user_data;
}

static pthread_barrier_t started;

static int32_t meet(int64_t part, void* user_data) {
  (void)part;
  (void)user_data;
  pthread_barrier_wait(&started);
  return 0;
}

static void child(ckpt_worker_pool* pool, int64_t hooks) {
  int32_t thread_count = 0;
  CHECK_FAILS(ckpt_worker_pool_run(pool, 4, nothing, NULL), CKPT_E_FORKED, "forked child");
  CHECK_OK(ckpt_worker_pool_get_thread_count(pool, &thread_count));
  CHECK(thread_count == 2);
  ckpt_worker_pool_release(pool);
  CHECK_OK(ckpt_remove_thread_hooks(hooks)); /* the threads that ran them do not exist in the child */
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, NULL, NULL, NULL));

  /* New objects work. ThreadSanitizer allows no threads in a child of a multithreaded process. */
#if !defined(__SANITIZE_THREAD__)
  CHECK_OK(ckpt_worker_pool_create(3, &pool));
  CHECK_OK(ckpt_worker_pool_run(pool, 8, nothing, NULL));
  ckpt_worker_pool_release(pool);
#endif
  _exit(0);
}

static void fork_and_wait(ckpt_worker_pool* pool, int64_t hooks) {
  int status = -1;
  const pid_t process = fork();
  CHECK(process >= 0);
  if (process == 0) child(pool, hooks);
  CHECK(waitpid(process, &status, 0) == process);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
  ckpt_worker_pool* pool = NULL;
  int64_t hooks = 0;
  int round = 0;
  CHECK(pthread_barrier_init(&started, NULL, 2) == 0);
  CHECK_OK(ckpt_add_thread_hooks(hook, hook, NULL, NULL, &hooks));

  /* Threads that have started and wait for work. */
  CHECK_OK(ckpt_worker_pool_create(2, &pool));
  CHECK_OK(ckpt_worker_pool_run(pool, 2, meet, NULL));
  for (round = 0; round < 20; ++round) {
    fork_and_wait(pool, hooks);
    CHECK_OK(ckpt_worker_pool_run(pool, 2, meet, NULL)); /* the parent is unaffected */
  }
  ckpt_worker_pool_release(pool);

  /* Threads that are just starting. Sanitizers' allocators do not support a fork while another thread is inside them. */
#if !defined(CKPT_SANITIZED)
  for (round = 0; round < 100; ++round) {
    CHECK_OK(ckpt_worker_pool_create(2, &pool));
    fork_and_wait(pool, hooks);
    ckpt_worker_pool_release(pool);
  }
#endif

  CHECK_OK(ckpt_remove_thread_hooks(hooks));
  return 0;
}
