/* The reports of a pipeline's own managers during training, against a model of each policy and against the tracker's live bytes. */
#include "probe_chain.h"

enum { micro_batches = 8, layers = 4 };

typedef struct watch {
  ckpt_pipeline* pipeline;
  ckpt_memory_tracker* tracker;
  ckpt_activation_manager* first;          /* manager of stage 0 */
  ckpt_activation_manager* second;         /* manager of stage 1 */
  int32_t kind;                            /* kind of the policy */
  int64_t held_bytes;                      /* of one micro-batch on stage 0; 0: not yet known */
  int32_t gpipe;                           /* the sets match the model, which describes GPipe */
  int32_t fails_at;                        /* micro-batch with a failing backward; -1: none */
  int64_t seen[micro_batches];             /* kept by stage 0 at its first layer in forward */
  int64_t seen_in_backward[micro_batches]; /* the same in backward */
  int64_t max;                             /* maximum of stage 0 at once */
  int64_t max_of_second;
} watch;

/* Returns whether stage 0 keeps micro-batch j right after it has taken m, according to the policy's description. */
static int keeps(const watch* state, int64_t j, int64_t m) {
  if (j > m) return 0;
  switch (state->kind) {
    case CKPT_ACTIVATION_POLICY_KIND_STORE_ALL: return 1;
    case CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL: return 0;
    case CKPT_ACTIVATION_POLICY_KIND_SELECTIVE: return j % 3 == 0 || j == micro_batches - 1;
    case CKPT_ACTIVATION_POLICY_KIND_STRATEGY: return j % 2 == 0;
    default: return j == 0 || j + 1 >= m; /* memory for three: the first and the two newest */
  }
}

static int64_t live_bytes(const watch* state, const char* layer) {
  ckpt_memory_layer_stats stats = CKPT_MEMORY_LAYER_STATS_INIT;
  int32_t number = -1;
  CHECK_OK(ckpt_memory_tracker_add_layer(state->tracker, layer, &number));
  CHECK_OK(ckpt_memory_tracker_get_layer_stats(state->tracker, number, &stats));
  return stats.current_bytes;
}

/* Checks that all queries agree; returns the number of kept micro-batches. */
static int64_t check_manager(ckpt_activation_manager* manager, int32_t* list, int64_t* bytes) {
  ckpt_activation_metadata metadata = CKPT_ACTIVATION_METADATA_INIT;
  int64_t count = -1;
  int64_t listed = -1;
  int64_t sum = 0;
  int32_t i;
  int64_t at = 0;
  CHECK_OK(ckpt_activation_manager_get_memory_usage(manager, bytes, &count));
  CHECK_OK(ckpt_activation_manager_list(manager, list, micro_batches, &listed));
  CHECK(listed == count);
  for (i = 0; i < micro_batches; ++i) {
    int32_t has = -1;
    CHECK_OK(ckpt_activation_manager_has_activation(manager, i, &has));
    if (at < count && list[at] == i) {
      CHECK(has == 1);
      CHECK_OK(ckpt_activation_manager_get_metadata(manager, i, &metadata));
      CHECK(metadata.micro_batch == i && metadata.bytes > 0 && metadata.stored_at_ns > 0 && metadata.hits == 0);
      CHECK(metadata.dtype == CKPT_DTYPE_U8 && metadata.ndim == 1 && metadata.shape[0] == metadata.bytes);
      sum += metadata.bytes;
      ++at;
    } else {
      CHECK(has == 0);
      CHECK_FAILS(ckpt_activation_manager_get_metadata(manager, i, &metadata), CKPT_E_NOT_FOUND, "is not stored");
    }
  }
  CHECK(at == count && sum == *bytes);
  return count;
}

static void check_nothing_kept(ckpt_activation_manager* manager) {
  int32_t list[micro_batches];
  int64_t bytes = -1;
  CHECK(check_manager(manager, list, &bytes) == 0 && bytes == 0);
}

/* Runs on stage 0's thread, inside its first layer. */
static void check_first_stage(watch* state, const ckpt_layer_context* context, int32_t forward) {
  const int64_t output_bytes = (int64_t)probe_bytes(context->input);
  int32_t list[micro_batches];
  int64_t bytes = -1;
  const int64_t count = check_manager(state->first, list, &bytes);
  int64_t expected = 0;
  int32_t j;
  if (count > state->max) state->max = count;
  if (forward && !context->recomputation) {
    /* Next to the kept activations, only this layer's results are live: its output, and a tape if it will be kept. */
    const int64_t others = live_bytes(state, "probe0") + live_bytes(state, state->gpipe >= 0 ? "probe1" : "probe2") - bytes;
    CHECK(others == output_bytes || others == output_bytes + tape_bytes);
    state->seen[context->micro_batch] = count;
  }
  if (!forward) state->seen_in_backward[context->micro_batch] = count;
  if (state->gpipe <= 0) return;
  for (j = 0; j < micro_batches; ++j) {
    /* All forwards run before all backwards; a micro-batch is kept until the end of its backward. */
    const int is_kept = forward && !context->recomputation ? j != context->micro_batch && keeps(state, j, context->micro_batch)
                                                           : j >= context->micro_batch && keeps(state, j, micro_batches - 1);
    int32_t has = -1;
    CHECK_OK(ckpt_activation_manager_has_activation(state->first, j, &has));
    CHECK(has == is_kept);
    expected += is_kept;
  }
  CHECK(count == expected);
  if (count > 0 && state->held_bytes == 0) state->held_bytes = bytes / count;
  CHECK(bytes == count * state->held_bytes);
}

/* Runs on stage 1's thread, in its last forward, if that precedes its first backward: stage 0 has run all forwards. */
static void check_across(watch* state) {
  int32_t list[micro_batches];
  int64_t bytes = -1;
  int64_t expected = 0;
  int32_t j;
  for (j = 0; j < micro_batches; ++j) expected += keeps(state, j, micro_batches - 1);
  CHECK(check_manager(state->first, list, &bytes) == expected && bytes == expected * state->held_bytes);
}

static int32_t look(const ckpt_layer_context* context, int32_t forward, void* user_data) {
  watch* const state = (watch*)user_data;
  if (state->first == NULL) return 0; /* the pipeline is being created */
  if (context->layer == 0) check_first_stage(state, context, forward);
  if (context->layer == layers - 1) {
    int32_t list[micro_batches];
    int64_t bytes = -1;
    const int64_t count = check_manager(state->second, list, &bytes);
    if (count > state->max_of_second) state->max_of_second = count;
    if (state->gpipe > 0 && forward && context->micro_batch == micro_batches - 1 &&
        keeps(state, micro_batches - 1, micro_batches - 1))
      check_across(state);
  }
  if (!forward && context->micro_batch == state->fails_at && context->layer == 0) return ckpt_callback_error("no luck"), 1;
  return 0;
}

static watch begin(probe* look_in, watch state, const ckpt_pipeline_options* options, ckpt_chain* chain) {
  static const int64_t begins[2] = {0, 2};
  const ckpt_tensor_spec spec = probe_spec();
  ckpt_pipeline_options used = *options;
  if (used.chunks == 1) {
    used.begins = begins;
    used.begins_count = 2;
  }
  CHECK_OK(ckpt_memory_tracker_create(NULL, &state.tracker));
  used.tracker = state.tracker;
  CHECK_OK(ckpt_pipeline_create(chain, &spec, &used, &state.pipeline));
  CHECK_OK(ckpt_pipeline_get_manager(state.pipeline, 0, &state.first));
  CHECK_OK(ckpt_pipeline_get_manager(state.pipeline, 1, &state.second));
  check_nothing_kept(state.first);
  look_in->hook = look;
  return state;
}

static void end(watch* state) {
  check_nothing_kept(state->first);
  check_nothing_kept(state->second);
  ckpt_activation_manager_release(state->first);
  ckpt_activation_manager_release(state->second);
  ckpt_pipeline_release(state->pipeline);
  ckpt_memory_tracker_release(state->tracker);
}

/* Runs two steps and checks that the second one sees the same; returns the bytes of one micro-batch. */
static int64_t run_policy(int32_t kind, int64_t held_bytes, int32_t fails_at) {
  watch state = {NULL, NULL, NULL, NULL, 0, 0, 1, -1, {0}, {0}, 0, 0};
  probe look_in = {NULL, NULL};
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 2, micro_batches);
  ckpt_pipeline_stats stats = CKPT_PIPELINE_STATS_INIT;
  ckpt_chain* const chain = probe_chain(layers, &look_in);
  ckpt_tensor* const x = probe_tensor(probe_samples);
  const ckpt_step step = probe_step(x);
  ckpt_strategy* strategy = NULL;
  int64_t kept = 0;
  int32_t j;
  CHECK_OK(ckpt_strategy_create("interval:2", &strategy));
  look_in.user_data = &state;
  state.kind = kind;
  state.held_bytes = held_bytes;
  policy.kind = kind;
  policy.interval = 3;
  policy.threshold_bytes = 3 * held_bytes;
  policy.strategy = strategy;
  options.policy = &policy;
  state = begin(&look_in, state, &options, chain);
  for (j = 0; j < micro_batches; ++j) kept += keeps(&state, j, micro_batches - 1);
  CHECK_OK(ckpt_pipeline_run(state.pipeline, &step, -1, NULL, NULL));
  check_nothing_kept(state.first);
  CHECK_OK(ckpt_pipeline_get_stats(state.pipeline, 0, &stats));
  CHECK(stats.kept_micro_batches == kept && stats.recomputed_micro_batches == micro_batches - kept);
  state.fails_at = fails_at;
  if (fails_at >= 0) {
    CHECK_FAILS(ckpt_pipeline_run(state.pipeline, &step, -1, NULL, NULL), CKPT_E_CALLBACK, "no luck");
    check_nothing_kept(state.first);
    check_nothing_kept(state.second);
    state.fails_at = -1;
  }
  CHECK_OK(ckpt_pipeline_run(state.pipeline, &step, -1, NULL, NULL));
  CHECK(state.max == kept || kind == CKPT_ACTIVATION_POLICY_KIND_MEMORY_BASED);
  held_bytes = state.held_bytes;
  end(&state);
  ckpt_strategy_release(strategy);
  ckpt_tensor_release(x);
  ckpt_chain_release(chain);
  return held_bytes;
}

static void test_each_policy(void) {
  const int64_t held_bytes = run_policy(CKPT_ACTIVATION_POLICY_KIND_STORE_ALL, 0, 5);
  CHECK(held_bytes >= 2 * tape_bytes);
  run_policy(CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL, held_bytes, 0);
  run_policy(CKPT_ACTIVATION_POLICY_KIND_SELECTIVE, held_bytes, 3);
  run_policy(CKPT_ACTIVATION_POLICY_KIND_MEMORY_BASED, held_bytes, 7);
  run_policy(CKPT_ACTIVATION_POLICY_KIND_STRATEGY, held_bytes, 4);
}

/* With 1F1B stage 0 holds the micro-batches in flight there, the last stage one; with chunks the bytes are those of the chunks that
 * ran. */
static void test_other_orders(int32_t schedule, int32_t chunks) {
  watch state = {NULL, NULL, NULL, NULL, CKPT_ACTIVATION_POLICY_KIND_STORE_ALL, 0, 0, -1, {0}, {0}, 0, 0};
  probe look_in = {NULL, NULL};
  ckpt_pipeline_options options = probe_options(schedule, 2, micro_batches);
  ckpt_chain* const chain = probe_chain(layers, &look_in);
  ckpt_tensor* const x = probe_tensor(probe_samples);
  const ckpt_step step = probe_step(x);
  int32_t in_flight = 0;
  int i;
  look_in.user_data = &state;
  options.chunks = chunks;
  state.gpipe = chunks > 1 ? -1 : 0;
  state = begin(&look_in, state, &options, chain);
  CHECK_OK(ckpt_pipeline_run(state.pipeline, &step, -1, NULL, NULL));
  CHECK_OK(ckpt_pipeline_get_in_flight(&options, 0, &in_flight));
  CHECK(state.max == in_flight && state.max_of_second >= 1);
  for (i = 0; i < micro_batches; ++i) CHECK(state.seen_in_backward[i] >= 1);
  CHECK(state.seen[0] == 0 && state.seen[1] == 1);
  end(&state);
  ckpt_tensor_release(x);
  ckpt_chain_release(chain);
}

int main(void) {
  test_each_policy();
  test_other_orders(CKPT_PIPELINE_ORDER_1F1B, 1);
  test_other_orders(CKPT_PIPELINE_ORDER_INTERLEAVED, 2);
  return 0;
}
