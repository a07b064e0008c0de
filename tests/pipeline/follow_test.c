/* An adaptive strategy is called again before each step of a pipeline, with the last step's memory: plans of layers, and policies
 * of managers. */
#include "memory/named.h"
#include "probe_chain.h"
#include "strategy/given.h"

enum { micro_batches = 8, layers = 8, large_tape = 64 << 10 };

static int32_t large_option(const ckpt_tensor_spec* input, int32_t option, ckpt_layer_option* needs, void* user_data) {
  (void)input;
  (void)option;
  (void)user_data;
  needs->tape_bytes = large_tape;
  return 0;
}

/* A pipeline of two stages, its data, and the tracker that its strategy reads. */
typedef struct run {
  ckpt_memory_tracker* tracker;
  ckpt_chain* chain;
  ckpt_pipeline* pipeline;
  ckpt_tensor* x;
  int64_t recomputed_before;
} run;

static run make_run(ckpt_strategy* strategy, const ckpt_activation_policy* policy, ckpt_memory_tracker* tracker) {
  static probe none = {NULL, NULL};
  const ckpt_tensor_spec spec = probe_spec();
  ckpt_layer_callbacks callbacks = probe_callbacks();
  ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 2, micro_batches);
  run created = {NULL, NULL, NULL, NULL, 0};
  callbacks.option = large_option;
  created.tracker = tracker;
  created.chain = custom_chain(0, "large", layers, &callbacks, &none, 0);
  options.strategy = strategy;
  options.policy = policy;
  CHECK_OK(ckpt_pipeline_create(created.chain, &spec, &options, &created.pipeline));
  created.x = probe_tensor(probe_samples);
  return created;
}

static void end_run(run* created) {
  ckpt_pipeline_release(created->pipeline);
  ckpt_tensor_release(created->x);
  ckpt_chain_release(created->chain);
}

/* Runs one step while the tracker has other_bytes more. *recomputed: number of recomputed layer forwards. Returns the verified peak
 * of both stages. */
static int64_t step(run* created, int64_t other_bytes, int64_t* recomputed) {
  const ckpt_step one = probe_step(created->x);
  uint64_t id = 0;
  int64_t peak = 0;
  int64_t sum = 0;
  int32_t stage;
  if (other_bytes > 0) CHECK_OK(record_named(created->tracker, "other", other_bytes, &id));
  CHECK_OK(ckpt_pipeline_run(created->pipeline, &one, -1, NULL, NULL));
  if (other_bytes > 0) CHECK_OK(ckpt_memory_tracker_record_deallocation(created->tracker, id));
  for (stage = 0; stage < 2; ++stage) {
    ckpt_pipeline_stats stats = CKPT_PIPELINE_STATS_INIT;
    ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
    ckpt_schedule* schedule = NULL;
    ckpt_profile* profile = NULL;
    CHECK_OK(ckpt_pipeline_get_stats(created->pipeline, stage, &stats));
    CHECK_OK(ckpt_pipeline_get_schedule(created->pipeline, stage, &schedule));
    CHECK_OK(ckpt_pipeline_get_profile(created->pipeline, stage, &profile));
    CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
    peak += report.peak_bytes[0];
    sum += stats.recomputed_forwards;
    ckpt_schedule_release(schedule);
    ckpt_profile_release(profile);
  }
  *recomputed = sum - created->recomputed_before;
  created->recomputed_before = sum;
  return peak;
}

/* Returns the peak with a fixed interval as the layers' plans. */
static int64_t peak_of_interval(int64_t interval) {
  ckpt_strategy* strategy = NULL;
  int64_t recomputed = 0;
  int64_t peak = 0;
  run created;
  char text[40];
  snprintf(text, sizeof text, "interval:%lld", (long long)interval);
  CHECK_OK(ckpt_strategy_create(text, &strategy));
  CHECK_OK(ckpt_strategy_set_chosen(strategy, CKPT_STRATEGY_CHOSEN_RECOMPUTE));
  created = make_run(strategy, NULL, NULL);
  peak = step(&created, 0, &recomputed);
  end_run(&created);
  ckpt_strategy_release(strategy);
  return peak;
}

/* The process's memory is total_bytes, and the share is all of it. */
static ckpt_strategy* memory_aware(ckpt_memory_tracker* tracker, int64_t total_bytes) {
  ckpt_strategy* strategy = NULL;
  CHECK_OK(create_memory_aware("memory-aware:1", tracker, total_bytes, NULL, &strategy));
  return strategy;
}

static void test_plans_follow_the_memory(void) {
  const int64_t min = peak_of_interval(1);
  const int64_t roomy = peak_of_interval(10);
  ckpt_memory_tracker* tracker = NULL;
  ckpt_strategy* strategy = NULL;
  int64_t recomputed = 0;
  int64_t relaxed = 0;
  run created;
  int i;
  CHECK(min < roomy / 2);
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  strategy = memory_aware(tracker, 2 * roomy);
  created = make_run(strategy, NULL, tracker);
  for (i = 0; i < 12; ++i) CHECK(step(&created, 0, &relaxed) <= roomy);
  CHECK(step(&created, 0, &relaxed) == roomy); /* memory is available: the interval has grown */
  /* Other memory fills the rest: the very next step uses only what still fits, and no later step uses more. */
  for (i = 0; i < 8; ++i) CHECK(step(&created, 2 * roomy - min, &recomputed) == min);
  CHECK(recomputed > relaxed);
  for (i = 0; i < 12; ++i) CHECK(step(&created, 0, &recomputed) <= roomy);
  CHECK(recomputed == relaxed); /* and it recovers */
  end_run(&created);
  ckpt_strategy_release(strategy);
  ckpt_memory_tracker_release(tracker);
}

/* From the first step on: the first decision uses the profile. */
static void test_no_step_exceeds_the_memory(void) {
  const int64_t min = peak_of_interval(1);
  const int64_t roomy = peak_of_interval(10);
  int64_t total;
  for (total = min; total <= roomy; total += (roomy - min) / 4) {
    ckpt_strategy* const strategy = memory_aware(NULL, total);
    int64_t recomputed = 0;
    run created = make_run(strategy, NULL, NULL);
    int i;
    for (i = 0; i < 10; ++i) CHECK(step(&created, 0, &recomputed) <= total);
    end_run(&created);
    ckpt_strategy_release(strategy);
  }
}

/* Returns the status of creating a manager with this strategy as its policy. */
static ckpt_status try_policy(ckpt_strategy* strategy) {
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_activation_manager* manager = NULL;
  ckpt_status status;
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_STRATEGY;
  policy.strategy = strategy;
  status = ckpt_activation_manager_create(&policy, NULL, NULL, NULL, NULL, &manager);
  ckpt_activation_manager_release(manager);
  return status;
}

/* Composites count as the memory-aware strategy that they contain, inverted by each "not" around it. */
static void test_composites(ckpt_strategy* aware, ckpt_strategy* inverse) {
  static const char* const refused[] = {"any(memory-aware,interval:4)", "all(interval:4,memory-aware)",
                                        "first(stage*=memory-aware,interval:4)", "not(not(memory-aware))",
                                        "not(any(interval:4,not(memory-aware)))"};
  static const char* const accepted[] = {"any(not(memory-aware),interval:4)", "not(all(memory-aware,interval:4))",
                                         "first(stage*=interval:2,not(memory-aware))", "not(interval:4)"};
  ckpt_strategy* strategy = NULL;
  size_t i;
  CHECK(try_policy(aware) == CKPT_E_INVALID_ARGUMENT);
  CHECK_OK(try_policy(inverse));
  for (i = 0; i < sizeof refused / sizeof *refused; ++i) {
    CHECK_OK(ckpt_strategy_create(refused[i], &strategy));
    CHECK_FAILS(try_policy(strategy), CKPT_E_INVALID_ARGUMENT, "policy.strategy contains memory-aware");
    ckpt_strategy_release(strategy);
  }
  for (i = 0; i < sizeof accepted / sizeof *accepted; ++i) {
    CHECK_OK(ckpt_strategy_create(accepted[i], &strategy));
    CHECK_OK(try_policy(strategy));
    ckpt_strategy_release(strategy);
  }
}

/* A micro-batch is kept if the policy's strategy returns yes: not(memory-aware) keeps fewer of them the less memory is available.
 * */
static void test_policies_follow_the_memory(void) {
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_memory_tracker* tracker = NULL;
  ckpt_strategy* strategy = NULL;
  ckpt_strategy* inverse = NULL;
  int64_t recomputed = 0;
  int64_t relaxed = 0;
  int64_t max = 0;
  int64_t min = 0;
  run created;
  int i;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  strategy = memory_aware(tracker, (int64_t)1 << 30);
  CHECK_OK(create_of("not($0)", &strategy, 1, &inverse));
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_STRATEGY;
  policy.strategy = inverse;
  created = make_run(NULL, &policy, tracker);
  for (i = 0; i < 12; ++i) max = step(&created, 0, &relaxed);
  for (i = 0; i < 4; ++i) min = step(&created, ((int64_t)1 << 30) - max / 2, &recomputed);
  CHECK(min < max && recomputed > relaxed);
  for (i = 0; i < 12; ++i) CHECK(step(&created, 0, &recomputed) <= max);
  CHECK(recomputed == relaxed);
  end_run(&created);
  /* Without "not" it would keep more of them under pressure. */
  policy.strategy = strategy;
  {
    ckpt_activation_manager* manager = NULL;
    CHECK_FAILS(ckpt_activation_manager_create(&policy, NULL, NULL, NULL, NULL, &manager), CKPT_E_INVALID_ARGUMENT,
                "policy.strategy is memory-aware");
  }
  test_composites(strategy, inverse);
  ckpt_strategy_release(inverse);
  ckpt_strategy_release(strategy);
  ckpt_memory_tracker_release(tracker);
}

int main(void) {
  test_plans_follow_the_memory();
  test_no_step_exceeds_the_memory();
  test_policies_follow_the_memory();
  return 0;
}
