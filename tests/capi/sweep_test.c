/* Calls every function of the API with NULL and 0 everywhere, then with one bad argument at a time: a handle of the wrong kind,
 * the limits of an integer's range, NaN. Nothing may crash; every returned status is known, and a handle of the wrong kind is
 * always refused. The calls are generated from the headers, so a new function is swept automatically. Bad arguments combined with
 * good ones are covered by the tests of each part. */
#include <math.h>

#include "check.h"

#define NOT_A_NUMBER ((double)NAN)

static int calls = 0;

static void any_status(const char* function, ckpt_status status) {
  ++calls;
  if (strcmp(ckpt_status_name(status), "UNKNOWN") == 0 || status == CKPT_E_INTERNAL ||
      (status != CKPT_OK && ckpt_last_error()[0] == '\0')) {
    fprintf(stderr, "%s: status %d, '%s'\n", function, (int)status, ckpt_last_error());
    exit(1);
  }
}

static void refused(const char* function, ckpt_status status) {
  ++calls;
  if (status != CKPT_E_INVALID_ARGUMENT || ckpt_last_error()[0] == '\0') {
    fprintf(stderr, "%s took a handle of the wrong kind: %s, '%s'\n", function, ckpt_status_name(status), ckpt_last_error());
    exit(1);
  }
}

#define ANY_STATUS(function, call) any_status((function), (call))
#define REFUSED(function, call) refused((function), (call))

int main(void) {
  ckpt_clock* clock = NULL;
  ckpt_worker_pool* pool = NULL;
  void* wrong = NULL;
  void* wrong_for_clock = NULL;
  CHECK_OK(ckpt_clock_create_manual(7, &clock));
  CHECK_OK(ckpt_worker_pool_create(2, &pool));
  wrong = clock;
  wrong_for_clock = pool;

#include "sweep_calls.h"

  /* No call changed or freed the given handles. */
  {
    int64_t now = 0;
    int32_t thread_count = 0;
    CHECK_OK(ckpt_clock_get_now(clock, &now));
    CHECK(now == 7);
    CHECK_OK(ckpt_worker_pool_get_thread_count(pool, &thread_count));
    CHECK(thread_count == 2);
  }
  ckpt_clock_release(clock);
  ckpt_worker_pool_release(pool);
  CHECK(calls > 50);
  return 0;
}
