/* Pipelines through the C API: the worked example of docs/reference/pipeline.md, all queries, and all refused calls. */
#include <math.h>

#include "check.h"
#include "make_layer.h"
#include "planner.h"

enum { samples = 32, width = 16, classes = 10 };

typedef struct model {
  ckpt_chain* chain;
  ckpt_tensor_spec input;
  ckpt_tensor* x;
  ckpt_tensor* targets;
} model;

static void add(ckpt_chain* chain, ckpt_layer* layer) {
  CHECK_OK(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
}

static model make_model(void) {
  model created;
  ckpt_layer* layer = NULL;
  const int64_t x_shape[2] = {samples, width};
  const int64_t target_shape[1] = {samples};
  int i;
  memset(&created, 0, sizeof created);
  CHECK_OK(ckpt_chain_create(0, &created.chain));
  CHECK_OK(make_layer(&layer, "first", "linear:%d,%d", width, width));
  add(created.chain, layer);
  CHECK_OK(ckpt_layer_create("gelu", "gelu", &layer));
  add(created.chain, layer);
  CHECK_OK(ckpt_layer_create("dropout", "dropout:0.3", &layer));
  add(created.chain, layer);
  CHECK_OK(make_layer(&layer, "head", "linear:%d,%d", width, classes));
  add(created.chain, layer);
  CHECK_OK(ckpt_layer_create("loss", "softmax_cross_entropy", &layer));
  add(created.chain, layer);
  CHECK_OK(ckpt_chain_initialize(created.chain, 5));
  created.input.dtype = CKPT_DTYPE_F32;
  created.input.ndim = 2;
  created.input.shape[0] = samples;
  created.input.shape[1] = width;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, x_shape, 2, NULL, &created.x));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_U8, target_shape, 1, NULL, &created.targets));
  for (i = 0; i < samples * width; ++i) ((float*)ckpt_tensor_get_data(created.x))[i] = (float)(i % 13) * 0.25F - 1.5F;
  for (i = 0; i < samples; ++i) ((unsigned char*)ckpt_tensor_get_data(created.targets))[i] = (unsigned char)(i % classes);
  return created;
}

static void release_model(const model* created) {
  ckpt_tensor_release(created->x);
  ckpt_tensor_release(created->targets);
  ckpt_chain_release(created->chain);
}

static ckpt_step step_of(const model* created) {
  ckpt_step step = CKPT_STEP_INIT;
  step.step = 2;
  step.seed = 9;
  step.input = created->x;
  step.targets = created->targets;
  return step;
}

/* Returns the gradient of the first layer's weights after one step. */
static double run(const model* created, const ckpt_pipeline_options* options, float* gradient) {
  ckpt_pipeline* pipeline = NULL;
  ckpt_tensor* tensor = NULL;
  ckpt_step step = step_of(created);
  double loss = 0;
  CHECK_OK(ckpt_pipeline_create(created->chain, &created->input, options, &pipeline));
  CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, &loss, NULL));
  CHECK_OK(ckpt_chain_get_parameter(created->chain, 0, NULL, NULL, &tensor));
  memcpy(gradient, ckpt_tensor_get_const_data(tensor), sizeof(float) * width * width);
  ckpt_tensor_release(tensor);
  ckpt_pipeline_release(pipeline);
  return loss;
}

static void test_same_bits(void) {
  const model created = make_model();
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_strategy* strategy = NULL;
  float expected[width * width];
  float gradient[width * width];
  double loss;
  CHECK_OK(ckpt_strategy_create("interval:2", &strategy));
  options.micro_batches = 4;
  loss = run(&created, &options, expected);
  options.stages = 2;
  CHECK(run(&created, &options, gradient) == loss && memcmp(gradient, expected, sizeof gradient) == 0);
  options.order = CKPT_PIPELINE_ORDER_GPIPE;
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL;
  options.policy = &policy;
  CHECK(run(&created, &options, gradient) == loss && memcmp(gradient, expected, sizeof gradient) == 0);
  options.order = CKPT_PIPELINE_ORDER_INTERLEAVED;
  options.chunks = 2;
  options.strategy = strategy;
  CHECK(run(&created, &options, gradient) == loss && memcmp(gradient, expected, sizeof gradient) == 0);
  ckpt_strategy_release(strategy);
  release_model(&created);
}

static void test_all_queries(void) {
  const model created = make_model();
  ckpt_pipeline_options options;
  ckpt_pipeline_stats stats;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  ckpt_activation_metadata metadata = CKPT_ACTIVATION_METADATA_INIT;
  ckpt_pipeline* pipeline = NULL;
  ckpt_activation_manager* manager = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_profile* profile = NULL;
  ckpt_memory_tracker* tracker = NULL;
  ckpt_memory_stats memory = CKPT_MEMORY_STATS_INIT;
  ckpt_tensor* x = NULL;
  ckpt_tensor* activation = NULL;
  ckpt_step step = step_of(&created);
  ckpt_pipeline_interval intervals[256];
  const int64_t begins[2] = {0, 2};
  const int64_t x_shape[2] = {samples / 4, width};
  int64_t found[4] = {-1, -1, -1, -1};
  int64_t count = 0;
  int64_t step_ns = -1;
  int32_t in_flight = 0;
  double losses[4] = {0, 0, 0, 0};
  double loss = 0;
  char text[65536];

  CKPT_INIT(ckpt_pipeline_options, &options);
  CKPT_INIT(ckpt_pipeline_stats, &stats);
  CHECK(options.order == CKPT_PIPELINE_ORDER_1F1B && options.stages == 1 && options.micro_batches == 1);
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  options.stages = 2;
  options.micro_batches = 4;
  options.begins = begins;
  options.begins_count = 2;
  options.tracker = tracker;
  CHECK_OK(ckpt_pipeline_get_in_flight(&options, 0, &in_flight));
  CHECK(in_flight == 2);
  CHECK_OK(ckpt_pipeline_create(created.chain, &created.input, &options, &pipeline));
  CHECK_OK(ckpt_pipeline_get_begins(pipeline, found, 4, &count));
  CHECK(count == 2 && found[0] == 0 && found[1] == 2 && found[2] == -1);
  CHECK_OK(ckpt_pipeline_cancel(pipeline));
  CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, &loss, losses));
  CHECK(loss == (losses[0] + losses[1] + losses[2] + losses[3]) / 4 && losses[0] != losses[1]);

  CHECK_OK(ckpt_pipeline_get_stats(pipeline, 0, &stats));
  CHECK(stats.in_flight == 2 && stats.first_layer == 0 && stats.layers == 2 && stats.steps == 1 && stats.kept_micro_batches == 4);
  CHECK(stats.forwards == 8 && stats.recomputed_forwards == 0 && stats.recomputed_micro_batches == 0 && stats.busy_ns > 0);
  CHECK(stats.queue_bytes == 2 * 2 * (samples / 4) * width * (int64_t)sizeof(float));
  CHECK_OK(ckpt_pipeline_get_schedule(pipeline, 0, &schedule));
  CHECK_OK(ckpt_pipeline_get_profile(pipeline, 0, &profile));
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  CHECK(report.peak_bytes[0] == stats.peak_live_bytes && stats.reserved_bytes >= stats.peak_live_bytes);
  CHECK(strstr(schedule_name(schedule), "stage 0 of 2, 4 micro-batches: store-all") != NULL);
  CHECK_OK(ckpt_memory_tracker_get_stats(tracker, &memory));
  CHECK(memory.current_bytes == 0 && memory.peak_bytes >= stats.peak_live_bytes);

  CHECK_OK(ckpt_pipeline_get_timeline(pipeline, intervals, 256, &count, &step_ns));
  CHECK(count >= 16 && count <= 256 && step_ns > 0);
  CHECK(intervals[0].stage == 0 && intervals[0].end_at_ns >= intervals[0].begin_at_ns && intervals[count - 1].stage == 1);
  CHECK_OK(ckpt_pipeline_get_trace_json(pipeline, text, sizeof text, NULL));
  CHECK(strstr(text, "\"traceEvents\"") != NULL);

  /* The manager of stage 0 outlives the pipeline; its forward function does not. */
  CHECK_OK(ckpt_pipeline_get_manager(pipeline, 0, &manager));
  CHECK_OK(ckpt_tensor_create_borrowed(ckpt_tensor_get_data(created.x), CKPT_DTYPE_F32, x_shape, 2, NULL, NULL, &x));
  CHECK_OK(ckpt_activation_manager_recompute(manager, x, 0, &activation));
  CHECK_OK(ckpt_activation_manager_store_moved(manager, 0, activation, NULL));
  CHECK_OK(ckpt_activation_manager_get_metadata(manager, 0, &metadata));
  CHECK(metadata.ndim == 2 && metadata.shape[0] == samples / 4 && metadata.shape[1] == width);
  ckpt_pipeline_release(pipeline);
  CHECK_FAILS(ckpt_activation_manager_recompute(manager, x, 0, &activation), CKPT_E_INVALID_STATE,
              "the stage's pipeline no longer exists");
  ckpt_activation_manager_release(manager);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
  ckpt_tensor_release(x);
  ckpt_memory_tracker_release(tracker);
  release_model(&created);
}

static void test_split_and_refusals(void) {
  const model created = make_model();
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_profile* profile = NULL;
  ckpt_pipeline* pipeline = NULL;
  ckpt_step step = step_of(&created);
  ckpt_schedule* schedules[2] = {NULL, NULL};
  int64_t begins[2] = {-1, -1};
  int64_t count = -1;
  int32_t in_flight = -1;
  double loss = 7;
  options.stages = 2;
  options.micro_batches = 4;
  CHECK_OK(ckpt_profile_create_from_chain(created.chain, &created.input, 0, NULL, &profile));
  CHECK_OK(ckpt_pipeline_split(profile, &options, begins, 2, &count));
  CHECK(count == 2 && begins[0] == 0 && begins[1] >= 1 && begins[1] < 5);
  options.stages = 6;
  CHECK_FAILS(ckpt_pipeline_split(profile, &options, begins, 2, &count), CKPT_E_INVALID_ARGUMENT,
              "expected at most the chain's 5 layers");
  options.stages = 2;
  options.order = 9;
  CHECK_FAILS(ckpt_pipeline_get_in_flight(&options, 0, &in_flight), CKPT_E_INVALID_ARGUMENT, "options.order is 9");
  options.order = CKPT_PIPELINE_ORDER_1F1B;
  CHECK_FAILS(ckpt_pipeline_get_in_flight(&options, 2, &in_flight), CKPT_E_OUT_OF_RANGE, "piece is 2; there are 2");
  options.micro_batches = 5;
  CHECK_FAILS(ckpt_pipeline_create(created.chain, &created.input, &options, &pipeline), CKPT_E_INVALID_ARGUMENT,
              "expected a divisor");
  options.micro_batches = 4;
  options.schedules = schedules;
  options.schedules_count = 2;
  CHECK_FAILS(ckpt_pipeline_create(created.chain, &created.input, &options, &pipeline), CKPT_E_INVALID_ARGUMENT,
              "options.schedules");
  options.schedules_count = 0;
  options.queue_places = -1;
  CHECK_FAILS(ckpt_pipeline_create(created.chain, &created.input, &options, &pipeline), CKPT_E_INVALID_ARGUMENT,
              "queue_places is -1");
  options.queue_places = 0;
  options.budget_bytes = 10;
  CHECK_FAILS(ckpt_pipeline_create(created.chain, &created.input, &options, &pipeline), CKPT_E_OVER_BUDGET, "stage 0");
  options.budget_bytes = 0;
  options.check_finite = -1;
  CHECK_FAILS(ckpt_pipeline_create(created.chain, &created.input, &options, &pipeline), CKPT_E_INVALID_ARGUMENT,
              "options.check_finite is -1");
  options.check_finite = 1;
  CHECK(pipeline == NULL);
  CHECK_OK(ckpt_pipeline_create(created.chain, &created.input, &options, &pipeline));
  ((float*)ckpt_tensor_get_data(created.x))[samples / 4 * width] = (float)INFINITY; /* the first sample of micro-batch 1 */
  CHECK_FAILS(ckpt_pipeline_run(pipeline, &step, -1, &loss, NULL), CKPT_E_OUT_OF_RANGE,
              "layer 'first': element 0 of its output for micro-batch 1 is");
  ((float*)ckpt_tensor_get_data(created.x))[samples / 4 * width] = 0;
  step.accumulate = 2;
  CHECK_FAILS(ckpt_pipeline_run(pipeline, &step, -1, &loss, NULL), CKPT_E_INVALID_ARGUMENT, "accumulate is 2");
  step.accumulate = 0;
  step.targets = NULL;
  CHECK_FAILS(ckpt_pipeline_run(pipeline, &step, -1, &loss, NULL), CKPT_E_INVALID_ARGUMENT, "targets is NULL");
  CHECK(loss == 7);
  ckpt_pipeline_release(pipeline);
  ckpt_profile_release(profile);
  release_model(&created);
}

/* ---- Custom layers on the stages' threads ---- */

typedef struct faulty {
  ckpt_pipeline* pipeline; /* cancelled inside a layer */
  int64_t bad_layer;
  int32_t cancels;
} faulty;

static int32_t same_shape(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  (void)user_data;
  *output = *input;
  return 0;
}

static int32_t pass_on(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                       void* user_data) {
  faulty* const state = (faulty*)user_data;
  (void)tape;
  (void)workspace;
  memcpy(output, input, (size_t)(context->input->shape[0] * context->input->shape[1]) * sizeof(float));
  if (context->layer != state->bad_layer || context->micro_batch != 1) return 0;
  if (state->cancels) {
    CHECK_OK(ckpt_pipeline_cancel(state->pipeline));
    CHECK_FAILS(ckpt_pipeline_run(state->pipeline, NULL, -1, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "step is NULL");
    return 0;
  }
  ckpt_callback_error("the second micro-batch is bad");
  return 1;
}

static int32_t pass_back(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                         const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  (void)input;
  (void)output;
  (void)tape;
  (void)workspace;
  (void)user_data;
  memcpy(grad_input, grad_output, (size_t)(context->input->shape[0] * context->input->shape[1]) * sizeof(float));
  return 0;
}

static void test_custom_layers_fail_and_cancel(void) {
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_step step = CKPT_STEP_INIT;
  const model created = make_model(); /* for its data */
  ckpt_chain* chain = NULL;
  ckpt_layer* layer = NULL;
  faulty state = {NULL, -1, 0};
  int64_t i;
  callbacks.flags = CKPT_LAYER_FLAG_DETERMINISTIC;
  callbacks.output = same_shape;
  callbacks.forward = pass_on;
  callbacks.backward = pass_back;
  CHECK_OK(ckpt_chain_create(0, &chain));
  for (i = 0; i < 3; ++i) {
    const char* const names[3] = {"a", "b", "c"};
    CHECK_OK(ckpt_layer_create_custom(names[i], &callbacks, &state, NULL, &layer));
    add(chain, layer);
  }
  options.stages = 3;
  options.micro_batches = 4;
  CHECK_OK(ckpt_pipeline_create(chain, &created.input, &options, &state.pipeline));
  step.input = created.x;
  step.output_gradient = created.x;
  for (i = 0; i < 3; ++i) {
    state.bad_layer = i;
    state.cancels = 0;
    CHECK_FAILS(ckpt_pipeline_run(state.pipeline, &step, -1, NULL, NULL), CKPT_E_CALLBACK, "the second micro-batch is bad");
    state.cancels = 1;
    CHECK_FAILS(ckpt_pipeline_run(state.pipeline, &step, -1, NULL, NULL), CKPT_E_CANCELLED, "the step was cancelled");
    state.bad_layer = -1;
    CHECK_OK(ckpt_pipeline_run(state.pipeline, &step, -1, NULL, NULL));
  }
  ckpt_pipeline_release(state.pipeline);
  ckpt_chain_release(chain);
  release_model(&created);
}

int main(void) {
  test_custom_layers_fail_and_cancel();
  test_same_bits();
  test_all_queries();
  test_split_and_refusals();
  return 0;
}
