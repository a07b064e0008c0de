/* Tiers in files, and processes: a process killed during a step leaves no file, and a forked child's executor returns FORKED. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>

#include "tiers.h"

enum { SAMPLES = 256, WIDTH = 64 };

static ckpt_storage* make_storage(const char* directory) {
  ckpt_storage* storage = NULL;
  CHECK_OK(ckpt_storage_create_file_system(directory, NULL, &storage));
  return storage;
}

/* Runs steps forever, and reports after the first one. */
static void child(const char* directory, int said) {
  model of = make_model(SAMPLES, WIDTH, NULL);
  ckpt_schedule* schedule = make_moving(of.layers, 2);
  ckpt_schedule_executor* executor = make_executor(&of, schedule, make_storage(directory));
  char found = 0;
  CHECK_OK(run_step(&of, executor));
  found = next_unnamed(directory, 0) >= 0 ? 'y' : 'n';
  CHECK(write(said, &found, 1) == 1);
  for (;;) CHECK_OK(run_step(&of, executor));
}

static void killed(const char* directory) {
  int ends[2];
  int status = 0;
  char found = 0;
  pid_t process = 0;
  CHECK(pipe(ends) == 0);
  process = fork();
  if (process == 0) {
    alarm(HANG_SECONDS);
    child(directory, ends[1]);
  }
  CHECK(read(ends[0], &found, 1) == 1 && found == 'y');
  CHECK(kill(process, SIGKILL) == 0);
  CHECK(waitpid(process, &status, 0) == process && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  CHECK(entries_in(directory) == 0);
  close(ends[0]);
  close(ends[1]);
}

static void forked(const char* directory) {
  static result expected;
  model of = make_model(SAMPLES, WIDTH, NULL);
  ckpt_schedule* schedule = make_moving(of.layers, 2);
  ckpt_storage* storage = make_storage(directory);
  ckpt_schedule_executor* executor = make_executor(&of, schedule, storage);
  int status = 0;
  pid_t process = 0;
  CHECK_OK(run_step(&of, executor));
  read_result(&of, &expected);
  process = fork();
  if (process == 0) {
    alarm(60); /* ends a deadlock with a signal that the parent sees */
    CHECK(run_step(&of, executor) == CKPT_E_FORKED);
    ckpt_schedule_executor_release(executor);
    _exit(0);
  }
  CHECK(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK_OK(run_step(&of, executor)); /* the parent's executor still works */
  check_same(&of, &expected);
  ckpt_schedule_executor_release(executor);
  ckpt_storage_release(storage);
  ckpt_schedule_release(schedule);
  release_model(&of);
}

int main(void) {
  const char* directory = make_directory();
  alarm(HANG_SECONDS);
  killed(directory);
  forked(directory);
  CHECK(rmdir(directory) == 0);
  puts("tiers: nothing left by a killed process, FORKED in a child");
  return 0;
}
