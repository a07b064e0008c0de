/* Decisions of planner and engine are logged at INFO, in one line each, without a lock; steps log nothing. */
#define _POSIX_C_SOURCE 200809L

#include <unistd.h>

#include "check.h"
#include "make_layer.h"

enum { MOST = 64, SAMPLES = 4, WIDTH = 8 };

typedef struct line {
  int32_t level;
  char component[16];
  char text[512];
} line;

static line lines[MOST];
static int count = 0;
static ckpt_chain* chain = NULL;

static void take(int32_t level, const char* component, const char* message, void* user_data) {
  char blas[512];
  int64_t layers = 0;
  (void)user_data;
  CHECK(count < MOST);
  lines[count].level = level;
  snprintf(lines[count].component, sizeof lines[count].component, "%s", component);
  snprintf(lines[count].text, sizeof lines[count].text, "%s", message);
  ++count;
  CHECK(strchr(message, '\n') == NULL);
  /* The callback may call any function: no lock is held. */
  CHECK_OK(ckpt_blas_get_info(blas, sizeof blas, NULL));
  CHECK_OK(ckpt_chain_get_layer_count(chain, &layers));
}

/* Checks that exactly one message of the component contains text. */
static void expect_one_at(int32_t level, const char* component, const char* text) {
  int found = 0;
  int i;
  for (i = 0; i < count; ++i) {
    if (strcmp(lines[i].component, component) == 0 && strstr(lines[i].text, text) != NULL) {
      ++found;
      CHECK(lines[i].level == level);
    }
  }
  if (found == 1) return;
  for (i = 0; i < count; ++i) fprintf(stderr, "%s: %s\n", lines[i].component, lines[i].text);
  fprintf(stderr, "%d messages of %s contain '%s'\n", found, component, text);
  exit(1);
}

static void expect_one(const char* component, const char* text) { expect_one_at(CKPT_LOG_LEVEL_INFO, component, text); }

int main(void) {
  const ckpt_tensor_spec input = {CKPT_DTYPE_F32, 2, {SAMPLES, WIDTH}};
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_schedule_executor* executor = NULL;
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_schedule_executor_stats stats = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  ckpt_worker_pool* pool = NULL;
  ckpt_tensor* x = NULL;
  ckpt_step step = CKPT_STEP_INIT;
  char expected[640];
  char blas[512];
  int64_t reserved = 0;
  int i;
  alarm(HANG_SECONDS);
  CHECK_OK(ckpt_chain_create(0, &chain));
  for (i = 0; i < 4; ++i) {
    ckpt_layer* layer = NULL;
    char name[32];
    snprintf(name, sizeof name, "linear%d", i);
    CHECK_OK(make_layer(&layer, name, "linear:%d,%d", WIDTH, WIDTH));
    CHECK_OK(ckpt_chain_add(chain, layer));
    ckpt_layer_release(layer);
  }
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_INFO, take, NULL, NULL));

  CHECK_OK(ckpt_blas_get_info(blas, sizeof blas, NULL)); /* loads it */
  snprintf(expected, sizeof expected, "BLAS: %s", blas);
  /* A warning if OpenBLAS has chosen narrower kernels than this processor supports. */
  expect_one_at(strstr(blas, "; its kernels are ") == NULL ? CKPT_LOG_LEVEL_INFO : CKPT_LOG_LEVEL_WARNING, "engine", expected);
  CHECK(count == 1);

  count = 0;
  CHECK_OK(ckpt_profile_create_from_chain(chain, &input, 2, NULL, &profile));
  expect_one("engine", "profile of 4 layers for F32[4, 8]");
  CHECK(count == 1);

  count = 0;
  CHECK_OK(ckpt_schedule_create(profile, "auto:1MiB", &schedule));
  CHECK_OK(ckpt_schedule_place(schedule, profile, 0, &reserved));
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  snprintf(expected, sizeof expected, "schedule 'store-all' for a budget of 1048576 bytes: reserves %d, live at most %d, ",
           (int)reserved, (int)report.peak_bytes[0]);
  expect_one("plan", expected);
  CHECK(count == 1);

  count = 0;
  CHECK_OK(ckpt_worker_pool_create(3, &pool));
  options.pool = pool;
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &input, &options, &executor));
  CHECK_OK(ckpt_schedule_executor_get_stats(executor, &stats));
  snprintf(expected, sizeof expected, "executor of schedule 'store-all': 4 layers, reserves %d bytes, live at most %d, 3 threads",
           (int)stats.reserved_bytes, (int)report.peak_bytes[0]);
  expect_one("engine", expected);
  CHECK(count == 1);

  count = 0; /* no hot loop logs */
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, input.shape, 2, NULL, &x));
  CHECK_OK(ckpt_tensor_fill(x, 1));
  step.input = x;
  step.output_gradient = x;
  for (i = 0; i < 3; ++i) CHECK_OK(ckpt_schedule_executor_run(executor, &step, NULL));
  CHECK(count == 0);

  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_WARNING, take, NULL, NULL)); /* decisions are not warnings */
  ckpt_schedule_release(schedule);
  CHECK_OK(ckpt_schedule_create(profile, "auto:1MiB", &schedule));
  CHECK(count == 0);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_INFO, NULL, NULL, NULL));

  ckpt_schedule_executor_release(executor);
  ckpt_worker_pool_release(pool);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
  ckpt_tensor_release(x);
  ckpt_chain_release(chain);
  return 0;
}
