/* A tracker in a forked child while other threads of the parent are inside it: every call works or returns FORKED, none waits for a
 * thread that does not exist in the child. An alarm ends a child that blocks. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "named.h"

#define SLOTS 200000
#define FORKS 25

static ckpt_memory_tracker* tracker = NULL;
static volatile sig_atomic_t is_child = 0;
static int pipe_in[2];
static int pipe_out[2];

static void fine(ckpt_status status, int line) {
  if (status == CKPT_OK || status == CKPT_E_FORKED) return;
  fprintf(stderr, "line %d: %s: %s\n", line, ckpt_status_name(status), ckpt_last_error());
  _exit(1);
}
#define FINE(call) fine((call), __LINE__)

/* Makes every call that takes a lock. */
static void call_everything(void) {
  static ckpt_memory_allocation one = CKPT_MEMORY_ALLOCATION_INIT;
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  ckpt_memory_layer_stats layer_stats = CKPT_MEMORY_LAYER_STATS_INIT;
  ckpt_memory_event event = CKPT_MEMORY_EVENT_INIT;
  uint64_t allocation = 0, scope = 0;
  int64_t number = 0, queue = 0;
  int32_t layer = 0, got = 0;
  double fraction = 0;
  FINE(ckpt_memory_tracker_add_layer(tracker, "known", &layer));
  FINE(ckpt_memory_tracker_add_layer(tracker, "of the child", &layer));
  FINE(ckpt_memory_tracker_record_allocation(tracker, 0, 8, &allocation));
  if (allocation != 0) FINE(ckpt_memory_tracker_record_deallocation(tracker, allocation));
  FINE(record_named(tracker, "of the child too", 8, &allocation));
  FINE(ckpt_memory_tracker_try_reserve(tracker, 0, 8, &allocation));
  FINE(ckpt_memory_tracker_get_stats(tracker, &stats));
  FINE(ckpt_memory_tracker_get_layer_stats(tracker, 0, &layer_stats));
  FINE(ckpt_memory_tracker_get_snapshot(tracker, 0, &stats, &layer_stats, 1, &number));
  FINE(ckpt_memory_tracker_list_allocations(tracker, &one, 1, &number));
  FINE(ckpt_memory_tracker_get_savings(tracker, 5, &number, &fraction));
  FINE(ckpt_memory_tracker_reset_stats(tracker));
  FINE(ckpt_memory_tracker_push_scope(tracker, "scope", &scope));
  if (scope != 0) FINE(ckpt_memory_tracker_pop_scope(tracker, scope, NULL));
  FINE(ckpt_memory_tracker_set_limit(tracker, 1, 0));
  FINE(ckpt_memory_tracker_get_limit(tracker, &number, NULL));
  FINE(ckpt_memory_tracker_clear_limit(tracker));
  FINE(ckpt_memory_tracker_subscribe_queue(tracker, CKPT_MEMORY_EVENT_KIND_ALL, 4, &queue));
  FINE(ckpt_memory_tracker_record_allocation(tracker, 0, 8, &allocation));
  if (queue != 0) {
    FINE(ckpt_memory_tracker_poll_event(tracker, queue, &event, &got));
    FINE(ckpt_memory_tracker_get_dropped_events(tracker, queue, &number));
    FINE(ckpt_memory_tracker_unsubscribe(tracker, queue));
  }
  FINE(ckpt_memory_tracker_enable_events(tracker, 1));
  FINE(ckpt_memory_tracker_set_peak_granularity(tracker, 1));
  FINE(ckpt_memory_tracker_get_json(tracker, 1, NULL, 0, &number));
  FINE(ckpt_memory_tracker_get_prometheus(tracker, 1, NULL, 0, &number));
  FINE(ckpt_memory_tracker_record_deallocation_layer(tracker, 0, &number));
}

static void expect_end(pid_t child) {
  int status = 0;
  CHECK(child > 0);
  CHECK(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) fprintf(stderr, "the child was ended by signal %d\n", WTERMSIG(status));
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static pid_t fork_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    is_child = 1;
    alarm(HANG_SECONDS / 4);
  }
  return child;
}

static volatile int busy_ends = 0;

/* Spends nearly all time inside both locks: copying that many slots takes long. */
static void* keep_busy(void* unused) {
  int64_t count = 0;
  (void)unused;
  while (!__atomic_load_n(&busy_ends, __ATOMIC_ACQUIRE)) CHECK_OK(ckpt_memory_tracker_list_allocations(tracker, NULL, 0, &count));
  return NULL;
}

static void busy_thread(void) {
  pthread_t thread;
  uint64_t allocation = 0;
  int32_t layer = 0;
  int i;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_memory_tracker_add_layer(tracker, "known", &layer));
  for (i = 0; i < SLOTS; ++i) CHECK_OK(ckpt_memory_tracker_record_allocation(tracker, layer, 1, &allocation));
  CHECK(pthread_create(&thread, NULL, keep_busy, NULL) == 0);
  for (i = 0; i < FORKS; ++i) {
    const pid_t child = fork_child();
    if (child == 0) {
      call_everything();
      ckpt_memory_tracker_release(tracker);
      _exit(0);
    }
    expect_end(child);
  }
  __atomic_store_n(&busy_ends, 1, __ATOMIC_RELEASE);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK_OK(ckpt_memory_tracker_record_allocation(tracker, layer, 1, &allocation)); /* the parent's tracker still works */
  ckpt_memory_tracker_release(tracker);
}

static int32_t stay_inside(const ckpt_memory_event* event, void* user_data) {
  char byte = 'x';
  (void)event;
  (void)user_data;
  if (is_child) return 0;
  CHECK(write(pipe_out[1], &byte, 1) == 1);
  CHECK(read(pipe_in[0], &byte, 1) == 1);
  return 0;
}

static void* record_once(void* unused) {
  uint64_t allocation = 0;
  (void)unused;
  CHECK_OK(record_named(tracker, "known", 1, &allocation));
  return NULL;
}

static void* unsubscribe_it(void* subscription) {
  CHECK_OK(ckpt_memory_tracker_unsubscribe(tracker, *(int64_t*)subscription));
  return NULL;
}

/* A thread of the parent is inside a handler, and another one waits for it to leave. */
static void inside_a_handler(void) {
  pthread_t recorder, remover;
  int64_t first = 0, second = 0;
  char byte = 'x';
  pid_t child;
  CHECK(pipe(pipe_in) == 0 && pipe(pipe_out) == 0);
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_ALLOCATED, stay_inside, NULL, NULL, &first));
  CHECK(pthread_create(&recorder, NULL, record_once, NULL) == 0);
  CHECK(read(pipe_out[0], &byte, 1) == 1);
  child = fork_child();
  if (child == 0) {
    uint64_t allocation = 0;
    CHECK_FAILS(ckpt_memory_tracker_unsubscribe(tracker, first), CKPT_E_FORKED, "subscription is 1");
    CHECK_OK(record_named(tracker, "known", 1, &allocation));
    CHECK_OK(ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_ALLOCATED, stay_inside, NULL, NULL, &second));
    CHECK_OK(record_named(tracker, "known", 1, &allocation));
    CHECK_OK(ckpt_memory_tracker_unsubscribe(tracker, second));
    call_everything();
    ckpt_memory_tracker_release(tracker);
    _exit(0);
  }
  expect_end(child);
  CHECK(pthread_create(&remover, NULL, unsubscribe_it, &first) == 0);
  child = fork_child();
  if (child == 0) {
    call_everything();
    ckpt_memory_tracker_release(tracker); /* does not wait for a thread, either */
    _exit(0);
  }
  expect_end(child);
  CHECK(write(pipe_in[1], &byte, 1) == 1);
  CHECK(pthread_join(recorder, NULL) == 0);
  CHECK(pthread_join(remover, NULL) == 0);
  ckpt_memory_tracker_release(tracker);
}

int main(void) {
  alarm(HANG_SECONDS);
  inside_a_handler();
  busy_thread();
  return 0;
}
