/* Forked children of a process with other threads inside a manager or a pipeline: every call works or returns FORKED, and none
 * waits for a thread that does not exist in the child. */
#define _POSIX_C_SOURCE 200809L
#include "probe_chain.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

enum { stored = 20000, forks = 8 };

static ckpt_activation_manager* manager;
static ckpt_tensor* x;
static int calls = 0;

/* OK, FORKED, or one of two other statuses that the call may return. */
static int check(ckpt_status status, ckpt_status other, ckpt_status another) {
  ++calls;
  if (status == CKPT_OK || status == CKPT_E_FORKED || status == other || status == another) return status == CKPT_OK;
  fprintf(stderr, "call %d in the child: %s: %s\n", calls, ckpt_status_name(status), ckpt_last_error());
  _exit(1);
}

static void call_manager(ckpt_status other) {
  const ckpt_activation_policy given = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_activation_metadata metadata = CKPT_ACTIVATION_METADATA_INIT;
  ckpt_tensor* found = NULL;
  ckpt_tensor* const mine = probe_tensor(1);
  int64_t bytes = 0;
  int64_t count = 0;
  int32_t flag = 0;
  check(ckpt_activation_manager_has_activation(manager, 1, &flag), other, other);
  check(ckpt_activation_manager_list(manager, NULL, 0, &count), other, other);
  check(ckpt_activation_manager_get_policy(manager, &policy), other, other);
  check(ckpt_activation_manager_get_memory_usage(manager, &bytes, &count), other, other);
  check(ckpt_activation_manager_get_metadata(manager, 1, &metadata), CKPT_E_NOT_FOUND, other);
  if (check(ckpt_activation_manager_get_activation(manager, 1, &found), CKPT_E_UNSUPPORTED, other)) ckpt_tensor_release(found);
  check(ckpt_activation_manager_should_checkpoint(manager, 1, 8, &flag), other, other);
  check(ckpt_activation_manager_store(manager, 1, x, NULL), other, other);
  if (!check(ckpt_activation_manager_store_moved(manager, 1, mine, NULL), other, other)) ckpt_tensor_release(mine);
  found = NULL;
  if (check(ckpt_activation_manager_recompute(manager, x, 1, &found), CKPT_E_INVALID_STATE, other)) ckpt_tensor_release(found);
  found = NULL;
  if (check(ckpt_activation_manager_get_or_compute(manager, x, 0, &found), CKPT_E_INVALID_STATE, other)) ckpt_tensor_release(found);
  check(ckpt_activation_manager_set_policy(manager, &given), other, other);
  check(ckpt_activation_manager_clear(manager), other, other);
  check(ckpt_activation_manager_begin_step(manager, 2), other, other);
  ckpt_activation_manager_release(manager);
  if (calls != 14) _exit(2);
}

static void wait_for(pid_t child) {
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) fprintf(stderr, "the child was ended by signal %d\n", WTERMSIG(status));
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- A manager ---- */

static int enough = 0;
static sem_t begun;

/* Spends nearly all time inside the manager, under its lock: a list of many micro-batches takes long. */
static void* list_again_and_again(void* argument) {
  int first = 1;
  (void)argument;
  while (!__atomic_load_n(&enough, __ATOMIC_ACQUIRE)) {
    int64_t count = 0;
    CHECK_OK(ckpt_activation_manager_list(manager, NULL, 0, &count));
    CHECK(count == stored);
    if (first) CHECK(sem_post(&begun) == 0);
    first = 0;
  }
  return NULL;
}

static void test_a_busy_manager(void) {
  pthread_t other;
  int32_t i;
  CHECK(sem_init(&begun, 0, 0) == 0);
  CHECK_OK(ckpt_activation_manager_create(NULL, NULL, NULL, NULL, NULL, &manager));
  for (i = 0; i < stored; ++i) CHECK_OK(ckpt_activation_manager_store(manager, i, x, NULL));
  CHECK(pthread_create(&other, NULL, list_again_and_again, NULL) == 0);
  CHECK(sem_wait(&begun) == 0);
  for (i = 0; i < forks; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(HANG_SECONDS / 4);
      call_manager(CKPT_OK);
      _exit(0);
    }
    wait_for(child);
  }
  __atomic_store_n(&enough, 1, __ATOMIC_RELEASE);
  CHECK(pthread_join(other, NULL) == 0);
  ckpt_activation_manager_release(manager);
}

/* With no thread inside, the child's copy is usable. */
static void test_an_idle_manager(void) {
  pid_t child;
  CHECK_OK(ckpt_activation_manager_create(NULL, NULL, NULL, NULL, NULL, &manager));
  CHECK_OK(ckpt_activation_manager_store(manager, 0, x, NULL));
  child = fork();
  if (child == 0) {
    int64_t count = 0;
    int32_t kept = 0;
    alarm(HANG_SECONDS / 4);
    CHECK_OK(ckpt_activation_manager_store(manager, 1, x, &kept));
    CHECK_OK(ckpt_activation_manager_get_memory_usage(manager, NULL, &count));
    CHECK(kept == 1 && count == 2);
    ckpt_activation_manager_release(manager);
    _exit(0);
  }
  wait_for(child);
  ckpt_activation_manager_release(manager);
}

/* ---- A pipeline ---- */

static ckpt_pipeline* pipeline;
static sem_t inside;
static sem_t go_on;

static int32_t stay(const ckpt_layer_context* context, int32_t forward, void* user_data) {
  (void)user_data;
  if (!forward || context->layer != 0 || context->micro_batch != 1) return 0;
  CHECK(sem_post(&inside) == 0);
  CHECK(sem_wait(&go_on) == 0);
  return 0;
}

static void* run(void* batch) {
  ckpt_step step = probe_step((ckpt_tensor*)batch);
  CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL));
  return NULL;
}

static void call_pipeline(void) {
  ckpt_step step = probe_step(x);
  ckpt_pipeline_stats stats = CKPT_PIPELINE_STATS_INIT;
  ckpt_activation_manager* another = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_profile* profile = NULL;
  int64_t count = 0;
  CHECK_FAILS(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL), CKPT_E_FORKED, "forked child");
  CHECK_FAILS(ckpt_pipeline_cancel(pipeline), CKPT_E_FORKED, "forked child");
  CHECK_FAILS(ckpt_pipeline_get_schedule(pipeline, 0, &schedule), CKPT_E_FORKED, "forked child");
  CHECK_FAILS(ckpt_pipeline_get_profile(pipeline, 0, &profile), CKPT_E_FORKED, "forked child");
  CHECK_FAILS(ckpt_pipeline_get_stats(pipeline, 0, &stats), CKPT_E_FORKED, "forked child");
  CHECK_FAILS(ckpt_pipeline_get_timeline(pipeline, NULL, 0, &count, NULL), CKPT_E_FORKED, "forked child");
  CHECK_FAILS(ckpt_pipeline_get_trace_json(pipeline, NULL, 0, &count), CKPT_E_FORKED, "forked child");
  CHECK_OK(ckpt_pipeline_get_begins(pipeline, NULL, 0, &count));
  CHECK_OK(ckpt_pipeline_get_manager(pipeline, 1, &another));
  ckpt_activation_manager_release(another);
}

static void test_a_busy_pipeline(void) {
  const ckpt_tensor_spec spec = probe_spec();
  const ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 2, 2);
  ckpt_tensor* const batch = probe_tensor(probe_samples);
  probe look_in = {stay, NULL};
  ckpt_chain* const chain = probe_chain(2, &look_in);
  pthread_t runner;
  pid_t child;
  CHECK(sem_init(&inside, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0);
  CHECK_OK(ckpt_pipeline_create(chain, &spec, &options, &pipeline));
  CHECK_OK(ckpt_pipeline_get_manager(pipeline, 0, &manager));
  CHECK(pthread_create(&runner, NULL, run, batch) == 0);
  CHECK(sem_wait(&inside) == 0);
  child = fork();
  if (child == 0) {
    alarm(HANG_SECONDS / 4);
    call_pipeline();
    calls = 0;
    call_manager(CKPT_E_FORKED);
    ckpt_pipeline_release(pipeline);
    ckpt_chain_release(chain);
    _exit(0);
  }
  wait_for(child);
  CHECK(sem_post(&go_on) == 0);
  CHECK(pthread_join(runner, NULL) == 0);
  ckpt_activation_manager_release(manager);
  ckpt_pipeline_release(pipeline);
  ckpt_tensor_release(batch);
  ckpt_chain_release(chain);
}

int main(void) {
  alarm(HANG_SECONDS);
  x = probe_tensor(1);
  test_a_busy_manager();
  test_an_idle_manager();
  test_a_busy_pipeline();
  ckpt_tensor_release(x);
  return 0;
}
