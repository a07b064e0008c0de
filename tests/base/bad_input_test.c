/* Bad arguments mixed with good ones: the right status, a message that names argument and value, and no change of state. */
#include "check.h"

#define NOT_OURS ((int64_t)-4711)

static int32_t never(int64_t part, void* user_data) {
  (void)part;
  (void)user_data;
  CHECK(0 && "a part ran");
  return 0;
}

static int64_t zero(void* user_data) {
  (void)user_data;
  return 0;
}

static void hook(const char* name, void* user_data) {
  (void)name;
  (void)user_data;
}

static void never_destroy(void* user_data) {
  (void)user_data;
  CHECK(0 && "destroyed the user_data of a call that failed");
}

static void clocks(ckpt_clock* clock, ckpt_worker_pool* pool) {
  ckpt_clock* out = NULL;
  int64_t now = NOT_OURS;
  int one = 1;
  CHECK_FAILS(ckpt_clock_create_manual(0, NULL), CKPT_E_INVALID_ARGUMENT, "clock is NULL");
  CHECK_FAILS(ckpt_clock_create_manual(-1, &out), CKPT_E_INVALID_ARGUMENT, "start_ns is -1");
  CHECK_FAILS(ckpt_clock_create_manual(INT64_MIN, &out), CKPT_E_INVALID_ARGUMENT, "start_ns is -9223372036854775808");
  CHECK_FAILS(ckpt_clock_create_custom(NULL, &one, never_destroy, &out), CKPT_E_INVALID_ARGUMENT, "now is NULL");
  CHECK_FAILS(ckpt_clock_create_custom(zero, &one, never_destroy, NULL), CKPT_E_INVALID_ARGUMENT, "clock is NULL");
  CHECK(out == NULL);
  CHECK_FAILS(ckpt_clock_advance(NULL, 1), CKPT_E_INVALID_ARGUMENT, "clock is NULL");
  CHECK_FAILS(ckpt_clock_advance((ckpt_clock*)pool, 1), CKPT_E_INVALID_ARGUMENT,
              "clock: expected a handle of kind 'clock', found thread pool");
  CHECK_FAILS(ckpt_clock_advance(clock, -1), CKPT_E_INVALID_ARGUMENT, "duration_ns is -1");
  CHECK_FAILS(ckpt_clock_advance(clock, INT64_MAX), CKPT_E_OUT_OF_RANGE, "duration_ns is 9223372036854775807");
  CHECK_FAILS(ckpt_clock_get_now(clock, NULL), CKPT_E_INVALID_ARGUMENT, "now_ns is NULL");
  CHECK_FAILS(ckpt_clock_get_now((ckpt_clock*)pool, &now), CKPT_E_INVALID_ARGUMENT, "clock: expected a handle");
  CHECK(now == NOT_OURS);
  CHECK_OK(ckpt_clock_get_now(clock, &now));
  CHECK(now == 7);
  ckpt_clock_release(NULL);
  ckpt_clock_release((ckpt_clock*)pool); /* a handle of the wrong kind: ignored */
}

static void pools(ckpt_clock* clock, ckpt_worker_pool* pool) {
  ckpt_worker_pool* out = NULL;
  int32_t thread_count = 77;
  CHECK_FAILS(ckpt_worker_pool_create(1, NULL), CKPT_E_INVALID_ARGUMENT, "pool is NULL");
  CHECK_FAILS(ckpt_worker_pool_create(-1, &out), CKPT_E_INVALID_ARGUMENT, "thread_count is -1");
  CHECK_FAILS(ckpt_worker_pool_create(1025, &out), CKPT_E_INVALID_ARGUMENT, "thread_count is 1025; expected 0 .. 1024");
  CHECK_FAILS(ckpt_worker_pool_create(INT32_MAX, &out), CKPT_E_INVALID_ARGUMENT, "thread_count is 2147483647");
  CHECK(out == NULL);
  CHECK_FAILS(ckpt_worker_pool_run(NULL, 1, never, NULL), CKPT_E_INVALID_ARGUMENT, "pool is NULL");
  CHECK_FAILS(ckpt_worker_pool_run((ckpt_worker_pool*)clock, 1, never, NULL), CKPT_E_INVALID_ARGUMENT, "found clock");
  CHECK_FAILS(ckpt_worker_pool_run(pool, 1, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "fn is NULL");
  CHECK_FAILS(ckpt_worker_pool_run(pool, -1, never, NULL), CKPT_E_INVALID_ARGUMENT, "part_count is -1");
  CHECK_FAILS(ckpt_worker_pool_run(pool, INT64_MIN, never, NULL), CKPT_E_INVALID_ARGUMENT, "part_count is -9223372036854775808");
  CHECK_FAILS(ckpt_worker_pool_get_thread_count(NULL, &thread_count), CKPT_E_INVALID_ARGUMENT, "pool is NULL");
  CHECK_FAILS(ckpt_worker_pool_get_thread_count((ckpt_worker_pool*)clock, &thread_count), CKPT_E_INVALID_ARGUMENT, "found clock");
  CHECK_FAILS(ckpt_worker_pool_get_thread_count(pool, NULL), CKPT_E_INVALID_ARGUMENT, "thread_count is NULL");
  CHECK(thread_count == 77);
  ckpt_worker_pool_release(NULL);
  ckpt_worker_pool_release((ckpt_worker_pool*)clock);
}

static void the_rest(void) {
  int64_t id = NOT_OURS;
  int one = 1;
  const uint32_t words[4] = {1, 2, 3, 4};
  uint32_t block[4] = {9, 9, 9, 9};
  CHECK_FAILS(ckpt_add_thread_hooks(NULL, NULL, &one, never_destroy, &id), CKPT_E_INVALID_ARGUMENT, "start and stop are both NULL");
  CHECK_FAILS(ckpt_add_thread_hooks(hook, hook, &one, never_destroy, NULL), CKPT_E_INVALID_ARGUMENT, "id is NULL");
  CHECK(id == NOT_OURS);
  CHECK_FAILS(ckpt_start_thread(NULL, never_destroy, &one, never_destroy), CKPT_E_INVALID_ARGUMENT, "name is NULL");
  CHECK_FAILS(ckpt_start_thread("thread", NULL, &one, never_destroy), CKPT_E_INVALID_ARGUMENT, "fn is NULL");
  CHECK_FAILS(ckpt_remove_thread_hooks(INT64_MAX), CKPT_E_NOT_FOUND, "id is 9223372036854775807");
  CHECK_FAILS(ckpt_set_log(-1, NULL, &one, never_destroy), CKPT_E_INVALID_ARGUMENT, "min_level is -1");
  CHECK_FAILS(ckpt_random_philox(NULL, words, block), CKPT_E_INVALID_ARGUMENT, "counter is NULL");
  CHECK_FAILS(ckpt_random_philox(words, NULL, block), CKPT_E_INVALID_ARGUMENT, "key is NULL");
  CHECK_FAILS(ckpt_random_philox(words, words, NULL), CKPT_E_INVALID_ARGUMENT, "out is NULL");
  CHECK(block[0] == 9 && block[3] == 9);
  ckpt_callback_error("\xff\xfe not UTF-8\n\x1b[31m");
  ckpt_callback_error(NULL);
}

int main(void) {
  ckpt_clock* clock = NULL;
  ckpt_worker_pool* pool = NULL;
  CHECK_OK(ckpt_clock_create_manual(7, &clock));
  CHECK_OK(ckpt_worker_pool_create(2, &pool));
  clocks(clock, pool);
  pools(clock, pool);
  the_rest();
  ckpt_worker_pool_release(pool);
  ckpt_clock_release(clock);
  return 0;
}
