/* The automatic policy chooses each of the four policies, by a tracker's limit and by resident memory, in managers and in
 * pipelines; checked by the kept micro-batches, in counts and bytes, and by the log. */
#define _POSIX_C_SOURCE 200809L
#include "memory/named.h"
#include "probe_chain.h"

enum { micro_batches = 8, ballast_bytes = 96 << 20 };

/* ---- The log ---- */

static char log_text[65536];
static size_t log_length;

static void take_log(int32_t level, const char* component, const char* message, void* user_data) {
  (void)user_data;
  if (strcmp(component, "pipeline") != 0) return;
  CHECK(level == CKPT_LOG_LEVEL_INFO);
  CHECK(log_length + strlen(message) + 2 < sizeof log_text);
  log_length += (size_t)sprintf(log_text + log_length, "%s\n", message);
}

static void clear_log(void) {
  log_length = 0;
  log_text[0] = '\0';
}

static void check_logged(const char* text) {
  if (strstr(log_text, text) != NULL) return;
  fprintf(stderr, "no '%s' in the log:\n%s", text, log_text);
  exit(1);
}

/* ---- Expected choices ---- */

typedef struct choice {
  int32_t kind;
  const char* name; /* name in the log */
  double pressure;  /* the middle of its range of pressures */
  int64_t interval; /* the interval in use */
  int64_t kept;     /* kept micro-batches, with a threshold of three */
} choice;

static const choice choices[4] = {
    {CKPT_ACTIVATION_POLICY_KIND_STORE_ALL, "store-all", 0.25, 1, 8},
    {CKPT_ACTIVATION_POLICY_KIND_SELECTIVE, "selective(2)", 0.6, 2, 5},     /* 0, 2, 4, 6 and the last */
    {CKPT_ACTIVATION_POLICY_KIND_MEMORY_BASED, "memory-based(", 0.8, 2, 3}, /* 0, 2, 4 */
    {CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL, "recompute-all", 1.5, 1, 0},
};

static int64_t resident_bytes(void) {
  FILE* const file = fopen("/proc/self/status", "r");
  char line[256];
  long long kilobytes = 0;
  CHECK(file != NULL);
  while (fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "VmRSS: %lld kB", &kilobytes) == 1) break;
  }
  fclose(file);
  CHECK(kilobytes > 0);
  return kilobytes * 1024;
}

static ckpt_activation_policy automatic(int64_t held_bytes, double pressure) {
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_AUTOMATIC;
  policy.threshold_bytes = 3 * held_bytes;
  policy.memory_limit_bytes = pressure > 0 ? (int64_t)((double)resident_bytes() / pressure) : 0;
  return policy;
}

static void check_in_force(const ckpt_activation_manager* manager, const choice* chosen) {
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  CHECK_OK(ckpt_activation_manager_get_policy(manager, &policy));
  CHECK(policy.kind == chosen->kind && policy.interval == chosen->interval);
}

/* ---- A separate manager ---- */

static void check_step(ckpt_activation_manager* manager, const choice* chosen, const char* reason) {
  ckpt_tensor* const x = probe_tensor(1);
  const int64_t bytes = (int64_t)ckpt_tensor_get_bytes(x);
  int64_t stored = -1;
  int64_t count = -1;
  int32_t i;
  CHECK_OK(ckpt_activation_manager_begin_step(manager, micro_batches));
  check_in_force(manager, chosen);
  for (i = 0; i < micro_batches; ++i) CHECK_OK(ckpt_activation_manager_store(manager, i, x, NULL));
  CHECK_OK(ckpt_activation_manager_get_memory_usage(manager, &stored, &count));
  CHECK(count == chosen->kept && stored == chosen->kept * bytes);
  check_logged("automatic policy selects ");
  check_logged(chosen->name);
  check_logged(reason);
  /* Choosing the same policy again is not logged. */
  clear_log();
  CHECK_OK(ckpt_activation_manager_begin_step(manager, micro_batches));
  check_in_force(manager, chosen);
  CHECK(log_length == 0);
  ckpt_tensor_release(x);
}

static void test_manager_by_resident_memory(void) {
  const int64_t held_bytes = probe_width * (int64_t)sizeof(float);
  int i;
  for (i = 0; i < 4; ++i) {
    const ckpt_activation_policy policy = automatic(held_bytes, choices[i].pressure);
    ckpt_activation_manager* manager = NULL;
    CHECK_OK(ckpt_activation_manager_create(&policy, NULL, NULL, NULL, NULL, &manager));
    check_step(manager, &choices[i], " bytes resident");
    ckpt_activation_manager_release(manager);
  }
}

/* A tracker's limit, if any, decides, whatever memory the process uses. */
static void test_manager_by_a_trackers_limit(void) {
  const int64_t held_bytes = probe_width * (int64_t)sizeof(float);
  ckpt_activation_policy policy = automatic(held_bytes, 100); /* resident memory alone would keep nothing */
  ckpt_activation_manager_options options = CKPT_ACTIVATION_MANAGER_OPTIONS_INIT;
  ckpt_memory_tracker* tracker = NULL;
  ckpt_activation_manager* manager = NULL;
  int i;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_memory_tracker_set_limit(tracker, 1000000, 0));
  options.tracker = tracker;
  CHECK_OK(ckpt_activation_manager_create(&policy, &options, NULL, NULL, NULL, &manager));
  for (i = 0; i < 4; ++i) {
    uint64_t id = 0;
    CHECK_OK(record_named(tracker, "other", (int64_t)(choices[i].pressure * 1000000), &id));
    check_step(manager, &choices[i], "of 1000000 bytes live in the tracker");
    CHECK_OK(ckpt_memory_tracker_record_deallocation(tracker, id));
  }
  ckpt_activation_manager_release(manager);
  ckpt_memory_tracker_release(tracker);
}

/* By default the limit is the memory available to the process, of which a test uses little. */
static void test_manager_by_default(void) {
  const ckpt_activation_policy policy = automatic(100, 0);
  ckpt_memory_system memory = CKPT_MEMORY_SYSTEM_INIT;
  ckpt_activation_manager* manager = NULL;
  char text[64];
  CHECK_OK(ckpt_memory_probe(&memory));
  CHECK(policy.memory_limit_bytes == 0);
  CHECK_OK(ckpt_activation_manager_create(&policy, NULL, NULL, NULL, NULL, &manager));
  sprintf(text, " of %lld bytes resident", (long long)memory.total_bytes);
  if (resident_bytes() < memory.total_bytes / 2) check_step(manager, &choices[0], text);
  ckpt_activation_manager_release(manager);
}

/* ---- Pipelines ---- */

/* Two stages, GPipe, three steps; returns the bytes reserved by stage 0. */
static int64_t run_pipeline(const ckpt_activation_policy* policy, const choice* chosen, ckpt_memory_tracker* tracker) {
  static const int64_t begins[2] = {0, 2};
  const ckpt_tensor_spec spec = probe_spec();
  ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 2, micro_batches);
  ckpt_pipeline_stats stats = CKPT_PIPELINE_STATS_INIT;
  ckpt_activation_manager* manager = NULL;
  ckpt_pipeline* pipeline = NULL;
  probe none = {NULL, NULL};
  ckpt_chain* const chain = probe_chain(4, &none);
  ckpt_tensor* const x = probe_tensor(probe_samples);
  const ckpt_step step = probe_step(x);
  char text[128];
  int i;
  options.begins = begins;
  options.begins_count = 2;
  options.policy = policy;
  options.tracker = tracker;
  clear_log();
  CHECK_OK(ckpt_pipeline_create(chain, &spec, &options, &pipeline));
  check_logged("4 layers in 2 stages of 1 chunks, 8 micro-batches under GPipe, queues of ");
  check_logged("pieces begin at 0, 2, as given");
  check_logged("stage 1: layers 2 to 3 by store-all");
  CHECK_OK(ckpt_pipeline_get_manager(pipeline, 0, &manager));
  check_in_force(manager, chosen);
  for (i = 0; i < 3; ++i) CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL));
  check_in_force(manager, chosen); /* its own arena must not change the choice */
  CHECK_OK(ckpt_pipeline_get_stats(pipeline, 0, &stats));
  CHECK(stats.kept_micro_batches == 3 * chosen->kept && stats.recomputed_micro_batches == 3 * (micro_batches - chosen->kept));
  CHECK(stats.recomputed_forwards == 3 * 2 * (micro_batches - chosen->kept));
  sprintf(text, "keeps %d of 8 micro-batches from forward to backward; the arena is %lld bytes", (int)chosen->kept,
          (long long)stats.reserved_bytes);
  check_logged(text);
  check_logged(chosen->name);
  ckpt_activation_manager_release(manager);
  ckpt_pipeline_release(pipeline);
  ckpt_tensor_release(x);
  ckpt_chain_release(chain);
  return stats.reserved_bytes;
}

static void test_pipelines(void) {
  const ckpt_activation_policy store_all = CKPT_ACTIVATION_POLICY_INIT;
  const int64_t held_bytes = 2 * tape_bytes;
  const int64_t max = run_pipeline(&store_all, &choices[0], NULL);
  int64_t last = INT64_MAX;
  int i;
  for (i = 0; i < 4; ++i) {
    const ckpt_activation_policy policy = automatic(held_bytes, choices[i].pressure);
    const int64_t reserved = run_pipeline(&policy, &choices[i], NULL);
    CHECK(i == 0 ? reserved == max : reserved < last);
    check_logged(" bytes resident");
    last = reserved;
  }
  for (i = 0; i < 4; ++i) {
    const ckpt_activation_policy policy = automatic(held_bytes, 0);
    ckpt_memory_tracker* tracker = NULL;
    uint64_t id = 0;
    CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
    CHECK_OK(ckpt_memory_tracker_set_limit(tracker, 1 << 30, 0));
    CHECK_OK(record_named(tracker, "other", (int64_t)(choices[i].pressure * (1 << 30)), &id));
    run_pipeline(&policy, &choices[i], tracker);
    check_logged(" bytes live in the tracker");
    ckpt_memory_tracker_release(tracker);
  }
}

/* ---- A pipeline with large arenas ---- */

#if !defined(__SANITIZE_THREAD__) /* its shadow memory is resident, too */
enum { large_tape = 2 << 20 };

static int32_t large_option(const ckpt_tensor_spec* input, int32_t option, ckpt_layer_option* needs, void* user_data) {
  (void)input;
  (void)option;
  (void)user_data;
  needs->tape_bytes = large_tape;
  return 0;
}

static int32_t large_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                             void* user_data) {
  if (tape != NULL) memset(tape, 7, large_tape); /* makes it resident */
  return probe_forward(context, input, output, tape, workspace, user_data);
}

static volatile char* resident(int64_t bytes) {
  volatile char* const memory = malloc((size_t)bytes);
  int64_t i;
  CHECK(memory != NULL);
  for (i = 0; i < bytes; i += 4096) memory[i] = 1;
  return memory;
}

/* Most of the process's growth is its own arenas, which must not change the choice: otherwise it would alternate from step to step.
 */
static void test_own_arenas_do_not_count(void) {
  enum { held_bytes = 96 << 20 }; /* next to these, the pipeline's threads do not count */
  volatile char* const held = resident(held_bytes);
  const ckpt_activation_policy policy = automatic(1 << 30, 0.42);
  const ckpt_tensor_spec spec = probe_spec();
  ckpt_layer_callbacks callbacks = probe_callbacks();
  ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 2, micro_batches);
  ckpt_pipeline_stats stats = CKPT_PIPELINE_STATS_INIT;
  ckpt_pipeline* pipeline = NULL;
  probe none = {NULL, NULL};
  ckpt_chain* chain = NULL;
  ckpt_tensor* const x = probe_tensor(probe_samples);
  const ckpt_step step = probe_step(x);
  const int64_t before = resident_bytes();
  int i;
  callbacks.option = large_option;
  callbacks.forward = large_forward;
  chain = custom_chain(0, "large", 4, &callbacks, &none, 0);
  options.policy = &policy;
  CHECK_OK(ckpt_pipeline_create(chain, &spec, &options, &pipeline));
  for (i = 0; i < 4; ++i) CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL));
  CHECK((double)resident_bytes() > 0.5 * (double)policy.memory_limit_bytes && resident_bytes() > before + (32 << 20));
  CHECK_OK(ckpt_pipeline_get_stats(pipeline, 0, &stats));
  CHECK(stats.kept_micro_batches == 4 * micro_batches && stats.recomputed_micro_batches == 0);
  ckpt_pipeline_release(pipeline);
  ckpt_tensor_release(x);
  ckpt_chain_release(chain);
  free((void*)held);
}
#endif

/* ---- The budget ---- */

static void test_budget_is_logged(void) {
  const ckpt_tensor_spec spec = probe_spec();
  ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_1F1B, 2, micro_batches);
  ckpt_pipeline* pipeline = NULL;
  probe none = {NULL, NULL};
  ckpt_chain* const chain = probe_chain(8, &none);
  options.budget_bytes = 1 << 20;
  clear_log();
  CHECK_OK(ckpt_pipeline_create(chain, &spec, &options, &pipeline));
  check_logged("stage 0: store-all reserves ");
  check_logged("the fastest plan within the budget of 1048576");
  check_logged("by bytes only");
  ckpt_pipeline_release(pipeline);
  options.budget_bytes = 10;
  clear_log();
  pipeline = NULL;
  CHECK_FAILS(ckpt_pipeline_create(chain, &spec, &options, &pipeline), CKPT_E_OVER_BUDGET, "the smallest that works for stage 0");
  check_logged("over budget: budget_bytes is 10; the smallest that works for stage 0");
  ckpt_chain_release(chain);
}

/* ---- More pressure never keeps more ---- */

/* Returns how many bytes of the activations a manager keeps next to other_bytes, and checks that they fit into the limit. */
static int64_t kept_next_to(int64_t other_bytes, int64_t limit_bytes, int64_t interval, ckpt_bool is_counted,
                            ckpt_tensor* const activations[16]) {
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_activation_manager_options options = CKPT_ACTIVATION_MANAGER_OPTIONS_INIT;
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  ckpt_memory_tracker* tracker = NULL;
  ckpt_activation_manager* manager = NULL;
  int64_t kept_bytes = -1;
  int32_t i;
  clear_log();
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_memory_tracker_set_limit(tracker, limit_bytes, 0));
  if (other_bytes > 0) {
    uint64_t id = 0;
    CHECK_OK(record_named(tracker, "other", other_bytes, &id));
  }
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_AUTOMATIC;
  policy.interval = interval;
  options.tracker = tracker;
  CHECK_OK(ckpt_activation_manager_create(&policy, &options, NULL, NULL, NULL, &manager));
  CHECK_OK(ckpt_activation_manager_begin_step(manager, is_counted ? 16 : 0));
  for (i = 0; i < 16; ++i) CHECK_OK(ckpt_activation_manager_store(manager, i, activations[i], NULL));
  CHECK_OK(ckpt_activation_manager_get_memory_usage(manager, &kept_bytes, NULL));
  CHECK_OK(ckpt_memory_tracker_get_stats(tracker, &stats));
  CHECK(kept_bytes == 0 || stats.current_bytes <= limit_bytes);
  ckpt_activation_manager_release(manager);
  ckpt_memory_tracker_release(tracker);
  return kept_bytes;
}

/* Micro-batches of equal and of different sizes: a large one that does not fit must not make room for more bytes of smaller ones.
 */
static void test_more_pressure_never_keeps_more(void) {
  uint32_t random = 1;
  int trial;
  for (trial = 0; trial < 60; ++trial) {
    ckpt_tensor* activations[16];
    int64_t interval;
    int64_t all_bytes = 0;
    int64_t i;
    int64_t percent_of_all = 0;
    for (i = 0; i < 16; ++i) {
      random = random * 1664525U + 1013904223U;
      activations[i] = probe_tensor(trial < 3 ? 1 : 1 + (int64_t)(random >> 16) % (trial % 2 == 0 ? 4 : 40));
      all_bytes += ckpt_tensor_get_bytes(activations[i]);
    }
    percent_of_all = trial % 3 == 0 ? 300 : 40 + trial;
    for (interval = 0; interval <= 3; ++interval) {
      int64_t before = INT64_MAX;
      int64_t percent;
      for (percent = 0; percent <= 120; ++percent) {
        const int64_t limit = all_bytes * percent_of_all / 100;
        const int64_t kept = kept_next_to(limit * percent / 100, limit, interval, trial % 5 != 0, activations);
        CHECK(kept <= before);
        before = kept;
      }
      CHECK(before == 0);
    }
    for (i = 0; i < 16; ++i) ckpt_tensor_release(activations[i]);
  }
}

static void test_refusals(void) {
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_activation_manager* manager = NULL;
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_AUTOMATIC;
  policy.memory_limit_bytes = -1;
  CHECK_FAILS(ckpt_activation_manager_create(&policy, NULL, NULL, NULL, NULL, &manager), CKPT_E_INVALID_ARGUMENT,
              "memory_limit_bytes is -1");
}

int main(void) {
  char* const ballast = malloc(ballast_bytes); /* large, so that the memory of a step hardly changes the pressure */
  CHECK(ballast != NULL);
  memset(ballast, 1, ballast_bytes);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_INFO, take_log, NULL, NULL));
  test_manager_by_resident_memory();
  test_manager_by_a_trackers_limit();
  test_manager_by_default();
  test_pipelines();
#if !defined(__SANITIZE_THREAD__)
  test_own_arenas_do_not_count();
#endif
  test_more_pressure_never_keeps_more();
  test_budget_is_logged();
  test_refusals();
  CHECK(ballast[ballast_bytes - 1] == 1);
  free(ballast);
  return 0;
}
