/* Every function of pipeline.h from inside every kind of callback of a manager or a pipeline: the call returns at once, with the
 * status documented in the header. */
#define _POSIX_C_SOURCE 200809L
#include "probe_chain.h"

#include <pthread.h>
#include <unistd.h>

static ckpt_activation_manager* manager;
static ckpt_pipeline* pipeline;
static ckpt_tensor* slice; /* slice of one micro-batch */
static ckpt_tensor* batch;

/* ---- The functions ---- */

static ckpt_status set_policy(void) {
  const ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  return ckpt_activation_manager_set_policy(manager, &policy);
}
static ckpt_status get_policy(void) {
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  return ckpt_activation_manager_get_policy(manager, &policy);
}
static ckpt_status begin_step(void) { return ckpt_activation_manager_begin_step(manager, 2); }
static ckpt_status should_checkpoint(void) {
  int32_t answer = 0;
  return ckpt_activation_manager_should_checkpoint(manager, 0, 8, &answer);
}
static ckpt_status store(void) { return ckpt_activation_manager_store(manager, 1, slice, NULL); }
static ckpt_status store_moved(void) {
  ckpt_tensor* const given = probe_tensor(1);
  const ckpt_status status = ckpt_activation_manager_store_moved(manager, 1, given, NULL);
  if (status != CKPT_OK) ckpt_tensor_release(given);
  return status;
}
static ckpt_status get(void) {
  ckpt_tensor* found = NULL;
  const ckpt_status status = ckpt_activation_manager_get_activation(manager, 1, &found);
  ckpt_tensor_release(found);
  return status == CKPT_E_UNSUPPORTED ? CKPT_OK : status; /* a stage's activations are reported, but not returned */
}
static ckpt_status has(void) {
  int32_t found = 0;
  return ckpt_activation_manager_has_activation(manager, 1, &found);
}
static ckpt_status recompute(void) {
  ckpt_tensor* created = NULL;
  const ckpt_status status = ckpt_activation_manager_recompute(manager, slice, 0, &created);
  ckpt_tensor_release(created);
  return status;
}
static ckpt_status get_or_compute(void) {
  ckpt_tensor* created = NULL;
  const ckpt_status status = ckpt_activation_manager_get_or_compute(manager, slice, 0, &created);
  ckpt_tensor_release(created);
  return status;
}
static ckpt_status clear(void) { return ckpt_activation_manager_clear(manager); }
static ckpt_status memory_usage(void) {
  int64_t bytes = 0;
  int64_t count = 0;
  return ckpt_activation_manager_get_memory_usage(manager, &bytes, &count);
}
static ckpt_status metadata(void) {
  ckpt_activation_metadata found = CKPT_ACTIVATION_METADATA_INIT;
  const ckpt_status status = ckpt_activation_manager_get_metadata(manager, 1, &found);
  return status == CKPT_E_NOT_FOUND ? CKPT_OK : status;
}
static ckpt_status list(void) {
  int32_t found[4];
  int64_t count = 0;
  return ckpt_activation_manager_list(manager, found, 4, &count);
}
static ckpt_status pipeline_run(void) {
  const ckpt_step step = probe_step(batch);
  return ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL);
}
static ckpt_status pipeline_schedule(void) {
  ckpt_schedule* schedule = NULL;
  const ckpt_status status = ckpt_pipeline_get_schedule(pipeline, 0, &schedule);
  ckpt_schedule_release(schedule);
  return status;
}
static ckpt_status pipeline_profile(void) {
  ckpt_profile* profile = NULL;
  const ckpt_status status = ckpt_pipeline_get_profile(pipeline, 0, &profile);
  ckpt_profile_release(profile);
  return status;
}
static ckpt_status pipeline_stats(void) {
  ckpt_pipeline_stats stats = CKPT_PIPELINE_STATS_INIT;
  return ckpt_pipeline_get_stats(pipeline, 0, &stats);
}
static ckpt_status pipeline_timeline(void) {
  int64_t count = 0;
  return ckpt_pipeline_get_timeline(pipeline, NULL, 0, &count, NULL);
}
static ckpt_status pipeline_trace(void) {
  int64_t needed = 0;
  return ckpt_pipeline_get_trace_json(pipeline, NULL, 0, &needed);
}
static ckpt_status pipeline_begins(void) {
  int64_t count = 0;
  return ckpt_pipeline_get_begins(pipeline, NULL, 0, &count);
}
static ckpt_status pipeline_manager(void) {
  ckpt_activation_manager* found = NULL;
  const ckpt_status status = ckpt_pipeline_get_manager(pipeline, 0, &found);
  ckpt_activation_manager_release(found);
  return status;
}
static ckpt_status pipeline_in_flight(void) {
  const ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_1F1B, 2, 2);
  int32_t in_flight = 0;
  return ckpt_pipeline_get_in_flight(&options, 0, &in_flight);
}
static ckpt_status pipeline_create_and_split(void) {
  const ckpt_tensor_spec spec = probe_spec();
  const ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_1F1B, 2, 2);
  probe none = {NULL, NULL};
  ckpt_chain* const chain = probe_chain(2, &none);
  ckpt_pipeline* other = NULL;
  ckpt_profile* profile = NULL;
  int64_t count = 0;
  CHECK_OK(ckpt_profile_create_from_chain(chain, &spec, 0, NULL, &profile));
  CHECK_OK(ckpt_pipeline_split(profile, &options, NULL, 0, &count));
  CHECK_OK(ckpt_pipeline_create(chain, &spec, &options, &other));
  ckpt_pipeline_release(other);
  ckpt_profile_release(profile);
  ckpt_chain_release(chain);
  return CKPT_OK;
}

/* The effect of a function on its object. */
enum { reads, changes, asks, takes, free_of_it };

typedef struct entry {
  const char* name;
  ckpt_status (*call)(void);
  int group;
} entry;

static const entry of_manager[] = {
    {"set_policy", set_policy, changes},
    {"policy", get_policy, reads},
    {"begin_step", begin_step, changes},
    {"should_checkpoint", should_checkpoint, asks},
    {"store", store, changes},
    {"store_moved", store_moved, changes},
    {"get", get, reads},
    {"has", has, reads},
    {"recompute", recompute, changes},
    {"get_or_compute", get_or_compute, changes},
    {"clear", clear, changes},
    {"memory_usage", memory_usage, reads},
    {"metadata", metadata, reads},
    {"list", list, reads},
};

static const entry of_pipeline[] = {
    {"run", pipeline_run, takes},
    {"schedule", pipeline_schedule, takes},
    {"profile", pipeline_profile, takes},
    {"get_stats", pipeline_stats, takes},
    {"timeline", pipeline_timeline, takes},
    {"trace_json", pipeline_trace, takes},
    {"begins", pipeline_begins, free_of_it},
    {"manager", pipeline_manager, free_of_it},
    {"in_flight", pipeline_in_flight, free_of_it},
    {"create and split", pipeline_create_and_split, free_of_it},
};

static void expect(const char* where, const entry* each, ckpt_status expected) {
  const ckpt_status status = each->call();
  if (status == expected && (status == CKPT_OK || strstr(ckpt_last_error(), "in use by the operation") != NULL ||
                             strstr(ckpt_last_error(), "is running a step") != NULL))
    return;
  fprintf(stderr, "%s from %s: %s '%s', expected %s\n", each->name, where, ckpt_status_name(status), ckpt_last_error(),
          ckpt_status_name(expected));
  exit(1);
}

static int depth = 0; /* nested callbacks do nothing */
static int checks = 0;

/* changing: the status of functions that change the manager; asking: that of functions that only query it. */
static void check_manager(const char* where, ckpt_status changing, ckpt_status asking) {
  size_t i;
  if (depth > 0) return;
  ++depth;
  for (i = 0; i < sizeof of_manager / sizeof of_manager[0]; ++i) {
    const entry* const each = &of_manager[i];
    expect(where, each, each->group == changes ? changing : each->group == asks ? asking : CKPT_OK);
  }
  --depth;
  ++checks;
}

static void check_pipeline(const char* where, ckpt_status taking) {
  size_t i;
  if (depth > 0) return;
  ++depth;
  for (i = 0; i < sizeof of_pipeline / sizeof of_pipeline[0]; ++i)
    expect(where, &of_pipeline[i], of_pipeline[i].group == takes ? taking : CKPT_OK);
  --depth;
  ++checks;
}

static void expect_checks(int at_least) {
  CHECK(checks >= at_least);
  checks = 0;
}

/* ---- A separate manager ---- */

static int32_t forward_checks(ckpt_tensor* input, int32_t micro_batch, ckpt_tensor** output, void* user_data) {
  (void)micro_batch;
  (void)user_data;
  check_manager("the forward", CKPT_E_INVALID_STATE, CKPT_E_INVALID_STATE);
  ckpt_tensor_retain(input);
  *output = input;
  return 0;
}

static int32_t strategy_checks(const ckpt_strategy_question* question, int32_t* answer, void* user_data) {
  (void)question;
  (void)user_data;
  check_manager("a strategy", CKPT_E_INVALID_STATE, CKPT_E_INVALID_STATE);
  *answer = 1;
  return 0;
}

static int64_t clock_checks(void* user_data) {
  (void)user_data;
  if (manager != NULL) check_manager("a clock", CKPT_E_INVALID_STATE, CKPT_E_INVALID_STATE);
  return 5;
}

static int32_t event_checks(const ckpt_memory_event* event, void* user_data) {
  (void)event;
  (void)user_data;
  check_manager("a memory event", CKPT_OK, CKPT_OK);
  return 0;
}

static void log_checks(int32_t level, const char* component, const char* message, void* user_data) {
  (void)level;
  (void)message;
  (void)user_data;
  if (strcmp(component, "pipeline") == 0 && manager != NULL) check_manager("a log", CKPT_OK, CKPT_OK);
}

static void tensor_destroyed(void* user_data) {
  (void)user_data;
  check_manager("a tensor's end", CKPT_OK, CKPT_OK);
}

static ckpt_strategy* strategy_of(ckpt_strategy_decide_fn decide) {
  ckpt_strategy_callbacks callbacks = CKPT_STRATEGY_CALLBACKS_INIT;
  ckpt_strategy* strategy = NULL;
  callbacks.decide = decide;
  CHECK_OK(ckpt_strategy_create_custom("looks", &callbacks, NULL, NULL, &strategy));
  return strategy;
}

static ckpt_tensor* tensor_that_checks(void) {
  static float values[2];
  const int64_t shape[1] = {2};
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_tensor_create_borrowed(values, CKPT_DTYPE_F32, shape, 1, NULL, tensor_destroyed, &tensor));
  return tensor;
}

static void test_managers_callbacks(void) {
  ckpt_activation_manager_options options = CKPT_ACTIVATION_MANAGER_OPTIONS_INIT;
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_memory_tracker* tracker = NULL;
  ckpt_clock* clock = NULL;
  int64_t subscription = 0;
  int32_t answer = 0;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_clock_create_custom(clock_checks, NULL, NULL, &clock));
  options.tracker = tracker;
  options.clock = clock;
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_STRATEGY;
  policy.strategy = strategy_of(strategy_checks);
  CHECK_OK(ckpt_activation_manager_create(&policy, &options, forward_checks, NULL, NULL, &manager));

  CHECK_OK(ckpt_activation_manager_should_checkpoint(manager, 0, 8, &answer));
  expect_checks(1);
  CHECK_OK(ckpt_activation_manager_store(manager, 0, slice, NULL));
  expect_checks(2); /* the strategy and the clock */
  CHECK_OK(recompute());
  CHECK_OK(ckpt_activation_manager_clear(manager));
  CHECK_OK(get_or_compute());
  expect_checks(2);
  CHECK_OK(ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_ALLOCATED | CKPT_MEMORY_EVENT_KIND_FREED, event_checks,
                                         NULL, NULL, &subscription));
  CHECK_OK(ckpt_activation_manager_store(manager, 0, slice, NULL));
  expect_checks(3);
  CHECK_OK(ckpt_activation_manager_clear(manager));
  expect_checks(1);
  CHECK_OK(ckpt_memory_tracker_unsubscribe(tracker, subscription));

  CHECK_OK(set_policy());
  CHECK_OK(ckpt_activation_manager_store_moved(manager, 0, tensor_that_checks(), NULL));
  checks = 0;
  CHECK_OK(ckpt_activation_manager_clear(manager));
  expect_checks(1);
  CHECK_OK(ckpt_activation_manager_store_moved(manager, 0, tensor_that_checks(), NULL));
  checks = 0;
  CHECK_OK(ckpt_activation_manager_begin_step(manager, 2));
  expect_checks(1);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_INFO, log_checks, NULL, NULL));
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_AUTOMATIC;
  CHECK_OK(ckpt_activation_manager_set_policy(manager, &policy));
  expect_checks(1);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_INFO, NULL, NULL, NULL));
  ckpt_activation_manager_release(manager);
  manager = NULL;
  ckpt_strategy_release(policy.strategy);
  ckpt_clock_release(clock);
  ckpt_memory_tracker_release(tracker);
}

/* ---- Releasing inside ---- */

static int gone = 0;
static void note_destroyed(void* user_data) {
  (void)user_data;
  ++gone;
}

static int32_t forward_releases(ckpt_tensor* input, int32_t micro_batch, ckpt_tensor** output, void* user_data) {
  (void)micro_batch;
  (void)user_data;
  ckpt_activation_manager_release(manager);
  CHECK(gone == 0); /* the current call keeps it alive */
  ckpt_tensor_retain(input);
  *output = input;
  return 0;
}

static void test_release_inside_the_forward(void) {
  ckpt_tensor* created = NULL;
  CHECK_OK(ckpt_activation_manager_create(NULL, NULL, forward_releases, NULL, note_destroyed, &manager));
  CHECK_OK(ckpt_activation_manager_recompute(manager, slice, 0, &created));
  CHECK(gone == 1);
  ckpt_tensor_release(created);
  manager = NULL;
}

/* ---- A pipeline and its managers ---- */

static int32_t layer_checks(const ckpt_layer_context* context, int32_t forward, void* user_data) {
  const char* const where = forward ? "a layer's forward" : "a layer's backward";
  (void)user_data;
  if (pipeline == NULL || context->layer != 0) return 0; /* only stage 0: the other stage has its own thread */
  check_pipeline(where, CKPT_E_INVALID_STATE);
  check_manager(where, CKPT_E_INVALID_STATE, CKPT_OK);
  return 0;
}

static int32_t stage_strategy_checks(const ckpt_strategy_question* question, int32_t* answer, void* user_data) {
  (void)user_data;
  *answer = 1;
  if (pipeline == NULL || strcmp(question->layer_name, "stage 0") != 0) return 0;
  check_pipeline("a stage's strategy", CKPT_E_INVALID_STATE);
  check_manager("a stage's strategy", CKPT_E_INVALID_STATE, CKPT_E_INVALID_STATE);
  return 0;
}

static int32_t stage_event_checks(const ckpt_memory_event* event, void* user_data) {
  (void)user_data;
  if (pipeline == NULL || strcmp(event->layer_name, "probe0") != 0) return 0;
  check_pipeline("a stage's memory event", CKPT_E_INVALID_STATE);
  check_manager("a stage's memory event", CKPT_E_INVALID_STATE, CKPT_OK);
  return 0;
}

static void step_log_checks(int32_t level, const char* component, const char* message, void* user_data) {
  (void)level;
  (void)message;
  (void)user_data;
  if (pipeline == NULL || strcmp(component, "pipeline") != 0) return;
  check_pipeline("a log", CKPT_OK);
  check_manager("a log", CKPT_OK, CKPT_OK);
}

static void* check_from_another_thread(void* where) {
  check_pipeline((const char*)where, CKPT_E_BUSY);
  check_manager((const char*)where, CKPT_E_BUSY, CKPT_OK);
  return NULL;
}

static int32_t layer_lets_another_check(const ckpt_layer_context* context, int32_t forward, void* user_data) {
  static char name[] = "another thread";
  pthread_t other;
  (void)user_data;
  if (pipeline == NULL || context->layer != 0 || context->micro_batch != 1) return 0;
  (void)forward;
  CHECK(pthread_create(&other, NULL, check_from_another_thread, name) == 0);
  CHECK(pthread_join(other, NULL) == 0);
  return 0;
}

static void test_pipelines_callbacks(void) {
  const ckpt_tensor_spec spec = probe_spec();
  ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 2, 2);
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_memory_tracker* tracker = NULL;
  probe look_in = {NULL, NULL};
  ckpt_chain* const chain = probe_chain(2, &look_in);
  int64_t subscription = 0;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  options.tracker = tracker;
  options.policy = &policy;
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_STRATEGY;
  policy.strategy = strategy_of(stage_strategy_checks);
  CHECK_OK(ckpt_pipeline_create(chain, &spec, &options, &pipeline));
  CHECK_OK(ckpt_pipeline_get_manager(pipeline, 0, &manager));

  CHECK_OK(pipeline_run());
  expect_checks(4); /* two micro-batches */
  CHECK_OK(set_policy());
  look_in.hook = layer_checks;
  CHECK_OK(pipeline_run());
  expect_checks(8);
  look_in.hook = layer_lets_another_check;
  CHECK_OK(pipeline_run());
  expect_checks(4);
  look_in.hook = NULL;
  CHECK_OK(ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_ALLOCATED | CKPT_MEMORY_EVENT_KIND_FREED,
                                         stage_event_checks, NULL, NULL, &subscription));
  CHECK_OK(pipeline_run());
  expect_checks(4);
  CHECK_OK(ckpt_memory_tracker_unsubscribe(tracker, subscription));

  /* A step's log records are delivered after it: then everything works. */
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_INFO, step_log_checks, NULL, NULL));
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL;
  CHECK_OK(ckpt_activation_manager_set_policy(manager, &policy));
  CHECK_OK(pipeline_run());
  expect_checks(2);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_INFO, NULL, NULL, NULL));
  check_pipeline("outside", CKPT_OK);
  check_manager("outside", CKPT_OK, CKPT_OK);
  ckpt_activation_manager_release(manager);
  ckpt_pipeline_release(pipeline);
  ckpt_strategy_release(policy.strategy);
  ckpt_memory_tracker_release(tracker);
  ckpt_chain_release(chain);
}

static int32_t layer_releases(const ckpt_layer_context* context, int32_t forward, void* user_data) {
  (void)user_data;
  if (pipeline == NULL || context->layer != 1 || context->micro_batch != 1 || forward) return 0;
  ckpt_pipeline_release(pipeline);
  return 0;
}

static void test_release_inside_a_layer(void) {
  const ckpt_tensor_spec spec = probe_spec();
  const ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 2, 2);
  probe look_in = {NULL, NULL};
  ckpt_chain* const chain = probe_chain(2, &look_in);
  pipeline = NULL;
  CHECK_OK(ckpt_pipeline_create(chain, &spec, &options, &pipeline));
  look_in.hook = layer_releases;
  CHECK_OK(pipeline_run());
  ckpt_chain_release(chain);
}

int main(void) {
  alarm(HANG_SECONDS);
  slice = probe_tensor(probe_samples / 2);
  batch = probe_tensor(probe_samples);
  test_managers_callbacks();
  test_release_inside_the_forward();
  test_pipelines_callbacks();
  test_release_inside_a_layer();
  ckpt_tensor_release(slice);
  ckpt_tensor_release(batch);
  return 0;
}
