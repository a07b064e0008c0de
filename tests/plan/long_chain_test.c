/* Chains of 10,000 layers are planned and placed in memory that does not grow with the length of their schedules: recompute-all
 * runs layers fifty million times there. The test fails by memory, or by an alarm if planning does not end, but not by time. */
#define _POSIX_C_SOURCE 200809L

#include <sys/resource.h>
#include <unistd.h>

#include "check.h"
#include "planner.h"

#ifdef CKPT_SANITIZED
enum { LAYERS = 3000, MEMORY_COUNTS = 0 }; /* the work grows quadratically; a shorter schedule would fit in a list */
#else
enum { LAYERS = 10000, MEMORY_COUNTS = 1 };
#endif
enum { UNIT = 6400 };

static void check_memory(const char* what) {
  const long max_kilobytes = 500L * 1024;
  struct rusage usage;
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  if (!MEMORY_COUNTS || usage.ru_maxrss <= max_kilobytes) return;
  fprintf(stderr, "after %s the process has taken %ld KB\n", what, usage.ru_maxrss);
  exit(1);
}

static ckpt_profile* long_profile(int64_t layers, int64_t once) {
  ckpt_profile* profile = NULL;
  int64_t i;
  CHECK_OK(ckpt_profile_create(UNIT, &profile));
  for (i = 0; i < layers; ++i) {
    char name[32];
    ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
    ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    snprintf(name, sizeof name, "layer%d", (int)i);
    layer.output_bytes = UNIT;
    if (i == once) layer.flags = CKPT_LAYER_FLAG_NEEDS_INPUT;
    option.tape_bytes = UNIT;
    option.forward_seconds = 1.0;
    option.backward_seconds = 2.0;
    CHECK_OK(ckpt_profile_add_layer(profile, name, &layer));
    CHECK_OK(ckpt_profile_add_option(profile, &option));
  }
  return profile;
}

static void recompute_all(const ckpt_profile* profile) {
  ckpt_schedule* schedule = NULL;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  int64_t reserved = 0;
  CHECK_OK(ckpt_schedule_create(profile, "recompute-all", &schedule));
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  CHECK(report.recomputed_forwards == (int64_t)LAYERS * (LAYERS - 1) / 2);
  check_memory("verifying recompute-all");
  CHECK_OK(ckpt_schedule_place(schedule, profile, 0, &reserved));
  /* x_0, x_i, x_{i+1}, a tape, two gradients; all sizes are multiples of 64, so no padding is needed. */
  CHECK(report.peak_bytes[0] == 5 * UNIT && reserved == report.peak_bytes[0]);
  check_memory("placing recompute-all");
  ckpt_schedule_release(schedule);
}

static void planned(const ckpt_profile* profile, int64_t budget) {
  ckpt_schedule* store_all = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  int64_t store_all_bytes = 0;
  int64_t reserved = 0;
  const char* left_out = NULL;
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &store_all));
  CHECK_OK(ckpt_schedule_place(store_all, profile, 0, &store_all_bytes));
  check_memory("placing store-all");
  CHECK_OK(schedule_by(profile, "auto", store_all_bytes, &schedule));
  CHECK(strcmp(schedule_name(schedule), "store-all") == 0);
  ckpt_schedule_release(schedule);

  CHECK_OK(schedule_by(profile, "auto", budget, &schedule));
  CHECK_OK(ckpt_schedule_place(schedule, profile, 0, &reserved));
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  CHECK(reserved <= budget && report.recomputed_forwards < LAYERS);
  left_out = schedule_left_out(schedule);
  CHECK(strstr(left_out, "recompute-all") != NULL && strstr(left_out, "periodic schedules") != NULL);
  check_memory("planning for a budget");
  ckpt_schedule_release(schedule);
  ckpt_schedule_release(store_all);

  schedule = NULL;
  CHECK_FAILS(ckpt_schedule_create(profile, "auto:1", &schedule), CKPT_E_OVER_BUDGET, "the smallest that works for this chain is");
  CHECK(strstr(ckpt_last_error(), "left out: ") != NULL);
  CHECK(schedule == NULL);
  check_memory("planning for a budget that nothing fits");
}

/* A schedule too long for a list is refused by every function that needs a list, before memory runs out. */
static int32_t same_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  (void)user_data;
  *output = *input;
  return 0;
}

static int32_t no_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                          void* user_data) {
  (void)context;
  (void)input;
  (void)output;
  (void)tape;
  (void)workspace;
  (void)user_data;
  return 1;
}

static int32_t no_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                           const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  (void)context;
  (void)input;
  (void)output;
  (void)tape;
  (void)grad_output;
  (void)grad_input;
  (void)workspace;
  (void)user_data;
  return 1;
}

static void executors(const ckpt_profile* profile) {
  const ckpt_tensor_spec spec = {CKPT_DTYPE_F32, 2, {1, 1}};
  ckpt_chain* chain = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_schedule_executor* executor = NULL;
  int64_t i;
  CHECK_OK(ckpt_chain_create(0, &chain));
  for (i = 0; i < LAYERS; ++i) {
    ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
    ckpt_layer* layer = NULL;
    char name[32];
    snprintf(name, sizeof name, "layer%d", (int)i);
    callbacks.output = same_output;
    callbacks.forward = no_forward;
    callbacks.backward = no_backward;
    CHECK_OK(ckpt_layer_create_custom(name, &callbacks, NULL, NULL, &layer));
    CHECK_OK(ckpt_chain_add(chain, layer));
    ckpt_layer_release(layer);
  }
  CHECK_OK(ckpt_schedule_create(profile, "recompute-all", &schedule));
  CHECK_FAILS(ckpt_schedule_executor_create(chain, schedule, &spec, NULL, &executor), CKPT_E_OUT_OF_RANGE, "recompute-all");
  CHECK(executor == NULL);
  check_memory("refusing to list recompute-all");
  ckpt_schedule_release(schedule);
  CHECK_OK(ckpt_schedule_create(profile, "periodic:100", &schedule));
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &spec, NULL, &executor));
  ckpt_schedule_executor_release(executor);
  ckpt_schedule_release(schedule);
  ckpt_chain_release(chain);
}

int main(void) {
  ckpt_profile* profile = long_profile(LAYERS, -1);
  alarm(HANG_SECONDS);
  planned(profile, (int64_t)UNIT * LAYERS / 10);
  recompute_all(profile);
  ckpt_profile_release(profile);
  profile = long_profile(LAYERS, LAYERS / 2); /* many options that do not fit the chain */
  planned(profile, (int64_t)UNIT * LAYERS * 3 / 2);
  executors(profile);
  ckpt_profile_release(profile);
  return 0;
}
