/* Measured profiles: layers timed in the chain, refined by the steps of an executor, as JSON and back. How close a prediction is to
 * the measured step is printed but not checked: all checks are independent of the machine. */
#include "check.h"
#include "planner.h"

enum { SAMPLES = 64, WIDTH = 192, BLOCKS = 4 };

static const ckpt_tensor_spec input_spec = {CKPT_DTYPE_F32, 2, {SAMPLES, WIDTH}};

typedef struct fixture {
  ckpt_chain* chain;
  ckpt_tensor* x;
  ckpt_tensor* targets;
  ckpt_step step;
} fixture;

static void append(ckpt_chain* chain, const char* name, const char* kind) {
  ckpt_layer* layer = NULL;
  CHECK_OK(ckpt_layer_create(name, kind, &layer));
  CHECK_OK(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
}

static fixture make_fixture(void) {
  fixture f = {NULL, NULL, NULL, CKPT_STEP_INIT};
  const int64_t samples[1] = {SAMPLES};
  int64_t i;
  CHECK_OK(ckpt_chain_create(0, &f.chain));
  for (i = 0; i < BLOCKS; ++i) {
    char name[32];
    char kind[32];
    snprintf(name, sizeof name, "linear%d", (int)i);
    snprintf(kind, sizeof kind, "linear:%d,%d", WIDTH, WIDTH);
    append(f.chain, name, kind);
    snprintf(name, sizeof name, "gelu%d", (int)i);
    append(f.chain, name, "gelu");
    snprintf(name, sizeof name, "dropout%d", (int)i);
    append(f.chain, name, "dropout:0.1");
  }
  append(f.chain, "loss", "softmax_cross_entropy");
  CHECK_OK(ckpt_chain_initialize(f.chain, 1));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, input_spec.shape, 2, NULL, &f.x));
  for (i = 0; i < SAMPLES * WIDTH; ++i) ((float*)ckpt_tensor_get_data(f.x))[i] = (float)(i % 17) / 17;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_U8, samples, 1, NULL, &f.targets));
  for (i = 0; i < SAMPLES; ++i) ((unsigned char*)ckpt_tensor_get_data(f.targets))[i] = (unsigned char)i;
  f.step.input = f.x;
  f.step.targets = f.targets;
  return f;
}

static void release_fixture(fixture* f) {
  ckpt_tensor_release(f->x);
  ckpt_tensor_release(f->targets);
  ckpt_chain_release(f->chain);
}

static ckpt_option_profile option_of(const ckpt_profile* profile, int64_t layer, int32_t option) {
  ckpt_option_profile out = CKPT_OPTION_PROFILE_INIT;
  CHECK_OK(ckpt_profile_get_option(profile, layer, option, &out));
  return out;
}

static int32_t option_count(const ckpt_profile* profile, int64_t layer) {
  ckpt_layer_profile out = CKPT_LAYER_PROFILE_INIT;
  int32_t count = 0;
  CHECK_OK(ckpt_profile_get_layer(profile, layer, &out, NULL, &count));
  return count;
}

/* Returns the text of a profile; the caller frees it. */
static char* json_of(const ckpt_profile* profile) {
  int64_t needed = 0;
  char* text = NULL;
  CHECK_OK(ckpt_profile_get_json(profile, NULL, 0, &needed));
  text = (char*)malloc((size_t)needed + 1);
  CHECK(text != NULL);
  CHECK_OK(ckpt_profile_get_json(profile, text, needed + 1, &needed));
  CHECK((int64_t)strlen(text) == needed);
  return text;
}

static double predicted_seconds(const ckpt_schedule* schedule, const ckpt_profile* profile) {
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  return report.step_seconds;
}

/* Returns the seconds of a step as measured by the executor. */
static double run_steps(ckpt_schedule_executor* executor, const fixture* f, int steps) {
  ckpt_schedule_executor_stats before = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
  ckpt_schedule_executor_stats after = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
  int i;
  CHECK_OK(ckpt_schedule_executor_get_stats(executor, &before));
  for (i = 0; i < steps; ++i) CHECK_OK(ckpt_schedule_executor_run(executor, &f->step, NULL));
  CHECK_OK(ckpt_schedule_executor_get_stats(executor, &after));
  return (double)(after.run_ns - before.run_ns) * 1e-9 / steps;
}

/* Every option of every layer has seconds, and the chain's contents are unchanged. */
static void test_measured_in_chain(void) {
  fixture f = make_fixture();
  ckpt_profile* bytes_only = NULL;
  ckpt_profile* profile = NULL;
  ckpt_tensor *gradient = NULL, *value = NULL;
  float* g = NULL;
  float first_value = 0;
  int64_t layers = 0;
  int64_t i;
  int32_t o;
  CHECK_OK(ckpt_chain_get_parameter(f.chain, 0, NULL, &value, &gradient));
  g = (float*)ckpt_tensor_get_data(gradient);
  g[0] = 42;
  first_value = ((const float*)ckpt_tensor_get_const_data(value))[0];
  CHECK_OK(ckpt_profile_create_from_chain(f.chain, &input_spec, 0, NULL, &bytes_only));
  CHECK_OK(ckpt_profile_create_measured(f.chain, &f.step, 3, NULL, &profile));
  CHECK(g[0] == 42 && ((const float*)ckpt_tensor_get_const_data(value))[0] == first_value);
  CHECK_OK(ckpt_profile_get_layer_count(profile, &layers));
  CHECK(layers == 3 * BLOCKS + 1);
  for (i = 0; i < layers; ++i) {
    CHECK(option_count(profile, i) == option_count(bytes_only, i));
    for (o = 0; o < option_count(profile, i); ++o) {
      const ckpt_option_profile is = option_of(profile, i, o);
      const ckpt_option_profile was = option_of(bytes_only, i, o);
      CHECK(is.tape_bytes == was.tape_bytes && is.has_record == was.has_record);
      CHECK(was.forward_seconds == 0 && is.forward_seconds > 0 && is.backward_seconds > 0);
      CHECK((is.record_seconds > 0) == (is.has_record == 1));
    }
  }
  ckpt_tensor_release(gradient);
  ckpt_tensor_release(value);
  ckpt_profile_release(bytes_only);
  ckpt_profile_release(profile);
  release_fixture(&f);
}

/* Replaces the seconds of the layers and options that the schedule runs, and nothing else. */
static void test_refine(void) {
  fixture f = make_fixture();
  ckpt_profile *bytes_only = NULL, *refined = NULL, *other = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_schedule_executor* executor = NULL;
  char *text = NULL, *again_text = NULL;
  ckpt_profile* again = NULL;
  int64_t i;
  CHECK_OK(ckpt_profile_create_from_chain(f.chain, &input_spec, 0, NULL, &bytes_only));
  CHECK_OK(ckpt_schedule_create(bytes_only, "periodic:3", &schedule));
  CHECK_OK(ckpt_schedule_executor_create(f.chain, schedule, &input_spec, NULL, &executor));
  CHECK_FAILS(ckpt_schedule_executor_refine(executor, bytes_only, &refined), CKPT_E_INVALID_STATE, "executor has no measured step");
  run_steps(executor, &f, 2);
  CHECK_OK(ckpt_schedule_executor_refine(executor, bytes_only, &refined));
  for (i = 0; i < 3 * BLOCKS + 1; ++i) {
    const ckpt_option_profile option = option_of(refined, i, 0);
    CHECK(option.forward_seconds > 0 && option.backward_seconds > 0);
    CHECK(option_of(bytes_only, i, 0).forward_seconds == 0);
  }
  CHECK(option_of(refined, 2, 1).forward_seconds == 0); /* dropout's other option, which was not run */
  CHECK(predicted_seconds(schedule, bytes_only) == 0 && predicted_seconds(schedule, refined) > 0);

  text = json_of(refined);
  CHECK_OK(ckpt_profile_create_from_json(text, &again));
  again_text = json_of(again);
  CHECK(strcmp(text, again_text) == 0);
  CHECK(predicted_seconds(schedule, again) == predicted_seconds(schedule, refined));
  free(text);
  free(again_text);

  CHECK_OK(ckpt_profile_create(8, &other));
  CHECK_FAILS(ckpt_schedule_executor_refine(executor, other, &again), CKPT_E_INVALID_ARGUMENT,
              "profile does not match the executor's chain");
  CHECK_FAILS(ckpt_schedule_executor_refine(executor, NULL, &again), CKPT_E_INVALID_ARGUMENT, "profile is NULL");
  CHECK_FAILS(ckpt_schedule_executor_refine(executor, refined, NULL), CKPT_E_INVALID_ARGUMENT, "refined is NULL");
  ckpt_profile_release(other);
  ckpt_profile_release(again);
  ckpt_profile_release(refined);
  ckpt_profile_release(bytes_only);
  ckpt_schedule_executor_release(executor);
  ckpt_schedule_release(schedule);
  release_fixture(&f);
}

static void test_bad_arguments(void) {
  fixture f = make_fixture();
  ckpt_profile* profile = NULL;
  ckpt_step step = f.step;
  ckpt_chain* empty = NULL;
  CHECK_FAILS(ckpt_profile_create_measured(f.chain, &step, 0, NULL, &profile), CKPT_E_INVALID_ARGUMENT, "measured_steps is 0");
  CHECK_FAILS(ckpt_profile_create_measured(f.chain, &step, 33, NULL, &profile), CKPT_E_INVALID_ARGUMENT, "measured_steps is 33");
  CHECK_FAILS(ckpt_profile_create_measured(f.chain, NULL, 1, NULL, &profile), CKPT_E_INVALID_ARGUMENT, "step is NULL");
  step.targets = NULL;
  CHECK_FAILS(ckpt_profile_create_measured(f.chain, &step, 1, NULL, &profile), CKPT_E_INVALID_ARGUMENT, "targets is NULL");
  step.input = NULL;
  CHECK_FAILS(ckpt_profile_create_measured(f.chain, &step, 1, NULL, &profile), CKPT_E_INVALID_ARGUMENT, "step.input is NULL");
  CHECK_OK(ckpt_chain_create(0, &empty));
  CHECK_FAILS(ckpt_profile_create_measured(empty, &f.step, 1, NULL, &profile), CKPT_E_INVALID_STATE, "no layers");
  CHECK_FAILS(ckpt_profile_create_from_json("{", &profile), CKPT_E_CORRUPT, "the profile's JSON is not usable");
  CHECK_FAILS(ckpt_profile_create_from_json(NULL, &profile), CKPT_E_INVALID_ARGUMENT, "json is NULL");
  CHECK_FAILS(ckpt_profile_create_from_json("{}", NULL), CKPT_E_INVALID_ARGUMENT, "profile is NULL");
  CHECK(profile == NULL);
  ckpt_chain_release(empty);
  release_fixture(&f);
}

/* Prints predicted and measured seconds of schedules, with a profile measured before and with a refined one. */
static void print_predictions(void) {
  static const char* const planners[] = {"store-all", "periodic:4", "recompute-all"};
  fixture f = make_fixture();
  ckpt_profile* profile = NULL;
  size_t i;
  CHECK_OK(ckpt_profile_create_measured(f.chain, &f.step, 9, NULL, &profile));
  for (i = 0; i < sizeof planners / sizeof *planners; ++i) {
    ckpt_schedule* schedule = NULL;
    ckpt_schedule_executor* executor = NULL;
    ckpt_profile* refined = NULL;
    double before = 0;
    double after = 0;
    double measured = 0;
    CHECK_OK(ckpt_schedule_create(profile, planners[i], &schedule));
    CHECK_OK(ckpt_schedule_executor_create(f.chain, schedule, &input_spec, NULL, &executor));
    run_steps(executor, &f, 3);
    measured = run_steps(executor, &f, 15);
    CHECK_OK(ckpt_schedule_executor_refine(executor, profile, &refined));
    before = predicted_seconds(schedule, profile);
    after = predicted_seconds(schedule, refined);
    printf("%-14s measured %.3f ms, predicted %.3f ms (%+.1f%%), refined %.3f ms (%+.1f%%)\n", planners[i], measured * 1e3,
           before * 1e3, 100 * (before / measured - 1), after * 1e3, 100 * (after / measured - 1));
    ckpt_profile_release(refined);
    ckpt_schedule_executor_release(executor);
    ckpt_schedule_release(schedule);
  }
  ckpt_profile_release(profile);
  release_fixture(&f);
}

int main(void) {
  test_measured_in_chain();
  test_refine();
  test_bad_arguments();
  print_predictions();
  return 0;
}
