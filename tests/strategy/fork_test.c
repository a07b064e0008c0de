/* Strategies in a forked child while threads of the parent are inside them: every call works or returns FORKED; none deadlocks. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define FORKS 60

static ckpt_strategy* smart = NULL;
static ckpt_strategy* aware = NULL;
static int ends = 0;

static void fine(ckpt_status status, int line) {
  if (status == CKPT_OK || status == CKPT_E_FORKED) return;
  fprintf(stderr, "line %d: %s: %s\n", line, ckpt_status_name(status), ckpt_last_error());
  _exit(1);
}
#define FINE(call) fine((call), __LINE__)

static ckpt_status ask(ckpt_strategy* strategy, const char* name, int64_t index) {
  const int64_t shape = 8;
  int32_t answer = 0;
  return ckpt_strategy_should_checkpoint_shape(strategy, name, CKPT_DTYPE_U8, &shape, 1, index, &answer);
}

/* With thousands of names a reset of smart takes long, and a first query about each takes longer. */
static void* keep_asking(void* unused) {
  (void)unused;
  while (!__atomic_load_n(&ends, __ATOMIC_ACQUIRE)) {
    char name[32];
    int i;
    for (i = 0; i < 3000; ++i) {
      snprintf(name, sizeof name, "layer.%d", i);
      CHECK_OK(ask(smart, name, i));
      CHECK_OK(ckpt_strategy_reset(aware));
    }
    CHECK_OK(ckpt_strategy_reset(smart));
  }
  return NULL;
}

static void call_everything(ckpt_strategy* strategy) {
  ckpt_strategy_counters counters = CKPT_STRATEGY_COUNTERS_INIT;
  ckpt_strategy* created = NULL;
  int64_t needed = 0;
  int32_t chosen = 0;
  FINE(ask(strategy, "layer.1", 1));
  FINE(ckpt_strategy_observe_access(strategy, "layer.1"));
  FINE(ckpt_strategy_get_counters(strategy, &counters));
  FINE(ckpt_strategy_get_name(strategy, NULL, 0, &needed));
  FINE(ckpt_strategy_get_chosen(strategy, &chosen));
  FINE(ckpt_strategy_set_chosen(strategy, chosen));
  FINE(ckpt_strategy_reset(strategy));
  FINE(ckpt_strategy_get_known_kinds(NULL, 0, &needed));
  FINE(ckpt_strategy_create("any(smart,interval:4)", &created));
  ckpt_strategy_release(created);
  ckpt_strategy_release(strategy);
}

int main(void) {
  pthread_t thread;
  int i;
  alarm(HANG_SECONDS);
  CHECK_OK(ckpt_strategy_create("smart", &smart));
  CHECK_OK(ckpt_strategy_create("memory-aware:0.8", &aware));
  CHECK(pthread_create(&thread, NULL, keep_asking, NULL) == 0);
  for (i = 0; i < FORKS; ++i) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
      alarm(HANG_SECONDS / 4);
      call_everything(smart);
      call_everything(aware);
      _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status)) fprintf(stderr, "the child was ended by signal %d\n", WTERMSIG(status));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  __atomic_store_n(&ends, 1, __ATOMIC_RELEASE);
  CHECK(pthread_join(thread, NULL) == 0);
  ckpt_strategy_release(smart);
  ckpt_strategy_release(aware);
  return 0;
}
