/* Tests the base part through the C API. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>

static void count_destroy(void* user_data) { ++*(int*)user_data; }

/* ---- Status and errors ---- */

static void status_names(void) {
  static const char* const names[] = {
      "OK",      "INVALID_ARGUMENT", "OUT_OF_MEMORY", "OUT_OF_RANGE", "INVALID_STATE", "NOT_FOUND",   "ALREADY_EXISTS",
      "BUSY",    "TIMEOUT",          "CANCELLED",     "CALLBACK",     "FORKED",        "QUEUE_FULL",  "CLOSED",
      "IO",      "NO_SPACE",         "PERMISSION",    "CORRUPT",      "UNSUPPORTED",   "OVER_BUDGET", "INVALID_SCHEDULE",
      "INTERNAL"};
  const int count = (int)(sizeof names / sizeof names[0]);
  int i = 0;
  for (i = 0; i < count; ++i) CHECK(strcmp(ckpt_status_name(-i), names[i]) == 0);
  CHECK(CKPT_E_INTERNAL == 1 - count);
  CHECK(strcmp(ckpt_status_name(-count), "UNKNOWN") == 0);
  CHECK(strcmp(ckpt_status_name(1), "UNKNOWN") == 0);
  CHECK(strcmp(ckpt_status_name(INT32_MIN), "UNKNOWN") == 0);
}

static void* error_of_another_thread(void* argument) {
  (void)argument;
  CHECK(strcmp(ckpt_last_error(), "") == 0);
  CHECK(ckpt_clock_create_manual(-3, NULL) == CKPT_E_INVALID_ARGUMENT);
  return NULL;
}

static void last_error(void) {
  ckpt_clock* clock = NULL;
  pthread_t thread;
  CHECK(strcmp(ckpt_last_error(), "") == 0);
  CHECK_FAILS(ckpt_clock_create_manual(-7, &clock), CKPT_E_INVALID_ARGUMENT, "start_ns is -7");
  CHECK(clock == NULL);
  CHECK_OK(ckpt_clock_create_manual(0, &clock)); /* success does not change the message */
  CHECK(strstr(ckpt_last_error(), "start_ns is -7") != NULL);
  CHECK(pthread_create(&thread, NULL, error_of_another_thread, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(strstr(ckpt_last_error(), "start_ns is -7") != NULL);
  ckpt_clock_release(clock);
}

/* ---- Version ---- */

static void version(void) {
  int major = 0;
  int minor = 0;
  int patch = 0;
  CHECK(sscanf(ckpt_version_string(), "%d.%d.%d", &major, &minor, &patch) == 3);
  CHECK(ckpt_version() == major * 1000000 + minor * 1000 + patch);
  CHECK(strlen(ckpt_build_info()) > 0 && strchr(ckpt_build_info(), '/') == NULL && strchr(ckpt_build_info(), '\n') == NULL);
  CHECK(ckpt_feature("threads") == 1);
  CHECK(ckpt_feature("fork-safe") == 1);
  CHECK(ckpt_feature("teleport") == 0);
  CHECK(ckpt_feature("") == 0);
  CHECK(ckpt_feature(NULL) == 0);
}

/* ---- Log ---- */

static void on_log(int32_t level, const char* component, const char* message, void* user_data) {
  (void)level;
  (void)component;
  (void)message;
  (void)user_data;
}

static void log_callback(void) {
  int destroyed = 0;
  int destroyed_too = 0;
  CHECK_FAILS(ckpt_set_log(4, on_log, &destroyed, count_destroy), CKPT_E_INVALID_ARGUMENT, "min_level is 4");
  CHECK(destroyed == 0); /* a failed call does not take user_data */
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, on_log, &destroyed, count_destroy));
  CHECK(destroyed == 0);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, on_log, &destroyed_too, count_destroy));
  CHECK(destroyed == 1 && destroyed_too == 0);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, NULL, NULL, NULL));
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, NULL, NULL, NULL));
  CHECK(destroyed == 1 && destroyed_too == 1);
}

/* tests/async/unreceived_api_test.c checks the records that a fallback receives. */
static void fallback_of_the_log(void) {
  int destroyed = 0;
  int destroyed_too = 0;
  CHECK_OK(ckpt_set_fallback_log(on_log, &destroyed, count_destroy));
  CHECK(destroyed == 0);
  CHECK_OK(ckpt_set_fallback_log(on_log, &destroyed_too, count_destroy));
  CHECK(destroyed == 1 && destroyed_too == 0);
  CHECK_OK(ckpt_set_fallback_log(NULL, NULL, NULL));
  CHECK_OK(ckpt_set_fallback_log(NULL, NULL, NULL));
  CHECK(destroyed == 1 && destroyed_too == 1);
}

/* ---- Thread hooks ---- */

typedef struct hook_record {
  pthread_mutex_t mutex;
  pthread_t started[8];
  int starts;
  int stops;
  int destroyed;
} hook_record;

static void on_start(const char* name, void* user_data) {
  hook_record* record = user_data;
  CHECK(strncmp(name, "ckpt-", 5) == 0);
  pthread_mutex_lock(&record->mutex);
  CHECK(record->starts < 8);
  record->started[record->starts++] = pthread_self();
  pthread_mutex_unlock(&record->mutex);
}

static void on_stop(const char* name, void* user_data) {
  hook_record* record = user_data;
  int known = 0;
  int i = 0;
  (void)name;
  pthread_mutex_lock(&record->mutex);
  for (i = 0; i < record->starts; ++i) known += pthread_equal(record->started[i], pthread_self()) != 0;
  CHECK(known == 1);
  ++record->stops;
  pthread_mutex_unlock(&record->mutex);
}

static void on_destroy(void* user_data) { ++((hook_record*)user_data)->destroyed; }

static void thread_hooks(void) {
  hook_record a = {PTHREAD_MUTEX_INITIALIZER, {0}, 0, 0, 0};
  hook_record b = {PTHREAD_MUTEX_INITIALIZER, {0}, 0, 0, 0};
  int64_t id_a = 0;
  int64_t id_b = 0;
  ckpt_worker_pool* pool = NULL;
  CHECK_OK(ckpt_add_thread_hooks(on_start, on_stop, &a, on_destroy, &id_a));
  CHECK_OK(ckpt_add_thread_hooks(on_start, NULL, &b, on_destroy, &id_b));
  CHECK(id_a != id_b);
  CHECK_OK(ckpt_worker_pool_create(4, &pool));
  ckpt_worker_pool_release(pool);
  CHECK(a.starts == 3 && a.stops == 3 && a.destroyed == 0); /* the calling thread runs no hooks */
  CHECK(b.starts == 3 && b.stops == 0);
  CHECK_OK(ckpt_remove_thread_hooks(id_a));
  CHECK(a.destroyed == 1);
  CHECK_FAILS(ckpt_remove_thread_hooks(id_a), CKPT_E_NOT_FOUND, "id is");
  CHECK_OK(ckpt_remove_thread_hooks(id_b));
  CHECK(b.destroyed == 1);
  CHECK_OK(ckpt_worker_pool_create(2, &pool));
  ckpt_worker_pool_release(pool);
  CHECK(a.starts == 3 && b.starts == 3);
}

/* ---- Clock ---- */

typedef struct test_time {
  int64_t now;
  int destroyed;
} test_time;

static int64_t read_time(void* user_data) { return ((test_time*)user_data)->now; }
static void time_over(void* user_data) { ++((test_time*)user_data)->destroyed; }

static void clocks(void) {
  ckpt_clock* clock = NULL;
  test_time source = {100, 0};
  int64_t now = 0;
  int64_t later = 0;
  CHECK_OK(ckpt_clock_create_manual(5, &clock));
  CHECK_OK(ckpt_clock_advance(clock, 7));
  CHECK_OK(ckpt_clock_get_now(clock, &now));
  CHECK(now == 12);
  ckpt_clock_release(clock);

  CHECK_OK(ckpt_clock_create_custom(read_time, &source, time_over, &clock));
  CHECK_OK(ckpt_clock_get_now(clock, &now));
  CHECK(now == 100);
  source.now = 101;
  CHECK_OK(ckpt_clock_get_now(clock, &now));
  CHECK(now == 101);
  CHECK_FAILS(ckpt_clock_advance(clock, 1), CKPT_E_INVALID_STATE, "not a manual clock");
  CHECK(source.destroyed == 0);
  ckpt_clock_release(clock);
  CHECK(source.destroyed == 1);

  CHECK_OK(ckpt_clock_get_now(NULL, &now));
  CHECK_OK(ckpt_clock_get_now(NULL, &later));
  CHECK(now > 0 && later >= now);
}

/* ---- Random ---- */

static void random_numbers(void) {
  const uint32_t counter[4] = {0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U};
  const uint32_t key[2] = {0xa4093822U, 0x299f31d0U};
  const uint32_t expected[4] = {0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U};
  uint32_t block[4] = {0, 0, 0, 0};
  CHECK_OK(ckpt_random_philox(counter, key, block));
  CHECK(memcmp(block, expected, sizeof block) == 0);
  memcpy(block, counter, sizeof block);
  CHECK_OK(ckpt_random_philox(block, key, block)); /* in place */
  CHECK(memcmp(block, expected, sizeof block) == 0);
}

/* ---- Thread pool ---- */

typedef struct job {
  ckpt_worker_pool* pool;
  int32_t times[64];
  int64_t fails_from; /* parts from here on fail */
  const char* reason;
} job;

static int32_t work(int64_t part, void* user_data) {
  job* mine = user_data;
  ++mine->times[part];
  if (part < mine->fails_from) return 0;
  ckpt_callback_error(mine->reason);
  return (int32_t)part;
}

static int32_t nest(int64_t part, void* user_data) {
  job inner = {NULL, {0}, 64, NULL};
  int i = 0;
  CHECK_OK(ckpt_worker_pool_run(((job*)user_data)->pool, 64, work, &inner));
  for (i = 0; i < 64; ++i) CHECK(inner.times[i] == 1);
  ++((job*)user_data)->times[part];
  return 0;
}

static int32_t release_own_pool(int64_t part, void* user_data) {
  if (part == 3) ckpt_worker_pool_release(((job*)user_data)->pool);
  ++((job*)user_data)->times[part];
  return 0;
}

static int32_t fail_without_reason(int64_t part, void* user_data) {
  (void)part;
  (void)user_data;
  ckpt_callback_error(NULL);
  return -1;
}

static void thread_pool(void) {
  ckpt_worker_pool* pool = NULL;
  job all = {NULL, {0}, 64, NULL};
  job failing = {NULL, {0}, 5, "no more paper"};
  job outer = {NULL, {0}, 64, NULL};
  job last = {NULL, {0}, 64, NULL};
  int32_t thread_count = 0;
  int i = 0;
  CHECK(ckpt_available_threads() >= 1);
  CHECK_OK(ckpt_worker_pool_create(0, &pool));
  CHECK_OK(ckpt_worker_pool_get_thread_count(pool, &thread_count));
  CHECK(thread_count == ckpt_available_threads());
  ckpt_worker_pool_release(pool);

  CHECK_OK(ckpt_worker_pool_create(4, &pool));
  CHECK_OK(ckpt_worker_pool_get_thread_count(pool, &thread_count));
  CHECK(thread_count == 4);
  CHECK_OK(ckpt_worker_pool_run(pool, 64, work, &all));
  for (i = 0; i < 64; ++i) CHECK(all.times[i] == 1);
  CHECK_OK(ckpt_worker_pool_run(pool, 0, work, NULL));

  CHECK_FAILS(ckpt_worker_pool_run(pool, 64, work, &failing), CKPT_E_CALLBACK, "part 5: no more paper");
  failing.reason = NULL;
  CHECK_FAILS(ckpt_worker_pool_run(pool, 64, work, &failing), CKPT_E_CALLBACK, "part 5: the callback returned 5");
  CHECK_FAILS(ckpt_worker_pool_run(pool, 1, fail_without_reason, NULL), CKPT_E_CALLBACK, "part 0: the callback returned -1");

  outer.pool = pool;
  CHECK_OK(ckpt_worker_pool_run(pool, 8, nest, &outer));
  for (i = 0; i < 8; ++i) CHECK(outer.times[i] == 1);

  last.pool = pool;
  CHECK_OK(ckpt_worker_pool_run(pool, 64, release_own_pool, &last));
  for (i = 0; i < 64; ++i) CHECK(last.times[i] == 1);
}

int main(void) {
  last_error(); /* first, before any call has failed */
  status_names();
  version();
  log_callback();
  fallback_of_the_log();
  thread_hooks();
  clocks();
  random_numbers();
  thread_pool();
  return 0;
}
