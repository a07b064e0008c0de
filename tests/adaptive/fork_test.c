/* A controller in a forked child while a thread of the parent is inside it: every call works or returns FORKED; none deadlocks. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "events.h"

#define FORKS 25

static ckpt_controller* controller = NULL;
static int ends = 0;

static void fine(ckpt_status status, int line) {
  if (status == CKPT_OK || status == CKPT_E_FORKED || status == CKPT_E_INVALID_STATE)
    return; /* INVALID_STATE: depends on the state of the run at the fork */
  fprintf(stderr, "line %d: %s: %s\n", line, ckpt_status_name(status), ckpt_last_error());
  _exit(1);
}
#define FINE(call) fine((call), __LINE__)

/* Spends nearly all time inside the controller: with almost free saves, learning from one failure replays thousands. */
static void* keep_failing(void* unused) {
  double now = 0;
  (void)unused;
  while (!__atomic_load_n(&ends, __ATOMIC_ACQUIRE)) {
    now += 1e6;
    CHECK_OK(record_failure(controller, now));
  }
  return NULL;
}

static void call_everything(void) {
  const double now = 1e300;
  ckpt_decision decision = CKPT_DECISION_INIT;
  ckpt_controller_info info = CKPT_CONTROLLER_INFO_INIT;
  static char text[1 << 17];
  double time = 0;
  int64_t needed = 0;
  FINE(ckpt_controller_get_now(controller, &time));
  FINE(ckpt_controller_should_checkpoint(controller, now, &decision));
  FINE(ckpt_controller_get_info(controller, &info));
  FINE(record_task(controller, "a", 1));
  FINE(record_begin(controller, now));
  FINE(record_commit(controller, now, 1, 1));
  FINE(record_abort(controller, now));
  FINE(ckpt_controller_get_json(controller, text, sizeof text, &needed));
  if (needed > 0) FINE(ckpt_controller_restore(controller, text));
  FINE(record_failure(controller, now));
  FINE(record_recovery(controller, now, 1, 1));
  FINE(record_preemption(controller, now, 1));
  FINE(record_clean_exit(controller, now));
  FINE(record_begin_run(controller, now));
  FINE(record_resume(controller, now));
  ckpt_controller_release(controller);
}

int main(void) {
  ckpt_controller_options options = CKPT_CONTROLLER_OPTIONS_INIT;
  pthread_t thread;
  int i;
  alarm(HANG_SECONDS);
  options.initial_cost_seconds = 1e-6;
  CHECK_OK(ckpt_controller_create(&options, &controller));
  CHECK_OK(record_begin_run(controller, 0));
  CHECK(pthread_create(&thread, NULL, keep_failing, NULL) == 0);
  for (i = 0; i < FORKS; ++i) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
      alarm(HANG_SECONDS / 4);
      call_everything();
      _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status)) fprintf(stderr, "the child was ended by signal %d\n", WTERMSIG(status));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  __atomic_store_n(&ends, 1, __ATOMIC_RELEASE);
  CHECK(pthread_join(thread, NULL) == 0);
  ckpt_controller_release(controller);
  return 0;
}
