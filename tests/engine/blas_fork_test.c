/* A process forks while one of its threads loads the BLAS: the child's own first use of it does not wait for that thread. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static void* load(void* unused) {
  char text[256];
  int64_t needed = 0;
  (void)unused;
  CHECK_OK(ckpt_blas_get_info(text, sizeof text, &needed));
  return NULL;
}

static void child(void) {
  char text[256];
  int64_t needed = 0;
  ckpt_status status = CKPT_OK;
  alarm(30); /* ends a deadlock with a signal that the parent sees */
  status = ckpt_blas_get_info(text, sizeof text, &needed);
  if (status != CKPT_OK) CHECK(status == CKPT_E_FORKED && strstr(ckpt_last_error(), "at the fork") != NULL);
  _exit(status == CKPT_OK ? 0 : 2);
}

/* Runs in a process that has not loaded a BLAS yet; exits with 2 if the fork happened during the load. */
static void fork_after(long ns) {
  const struct timespec pause = {0, ns};
  pthread_t thread;
  pid_t process = 0;
  int status = 0;
  CHECK(pthread_create(&thread, NULL, load, NULL) == 0);
  nanosleep(&pause, NULL);
  process = fork();
  if (process == 0) child();
  CHECK(waitpid(process, &status, 0) == process && WIFEXITED(status));
  CHECK(pthread_join(thread, NULL) == 0);
  _exit(WEXITSTATUS(status));
}

int main(void) {
  int in_the_middle = 0;
  alarm(HANG_SECONDS);
  for (long i = 0; i < 200 && in_the_middle < 3; ++i) {
    int status = 0;
    const pid_t process = fork();
    if (process == 0) fork_after(i % 20 * 500000);
    CHECK(waitpid(process, &status, 0) == process && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2);
    in_the_middle += WEXITSTATUS(status) == 2;
  }
  CHECK(in_the_middle > 0);
  return 0;
}
