/* The context of a custom layer's step: targets of its micro-batch's samples and threads to share, in a chain and in a pipeline,
 * with a loss known to the bit; and handles that a callback releases, retains or stores cause no errors. */
#include "custom_chain.h"

enum { SAMPLES = 16, CLASSES = 4, BODY = 3, MICRO_BATCHES = 4, FIRST_SAMPLE = 100 };

typedef enum misuse { none, releases, retains, keeps } misuse;

/* y = 2x in the body, then the mean over the samples of -x[target]. Every number is exact in 32 bits. */
typedef struct state {
  misuse misuse;
  int32_t micro_batches; /* number in the step */
  int has_targets;
  int forwards;
  int recomputations;
  ckpt_tensor* targets; /* of the last run: retained by "retains" the first time, otherwise no longer valid */
  ckpt_worker_pool* pool;
} state;

static int32_t target_of(int64_t sample) { return (int32_t)((7 * sample + 3) % CLASSES); }
static float value_of(int64_t sample, int64_t class_number) { return (float)(((sample * 5 + class_number * 3) % 17) - 6) / 4; }

static void misuse_handles(const ckpt_layer_context* context, state* self) {
  ckpt_tensor* const targets = (ckpt_tensor*)context->targets;
  int i;
  if (self->misuse == retains && self->targets == NULL) {
    ckpt_tensor_retain(targets);
    self->targets = targets;
  }
  for (i = 0; self->misuse == releases && i < 3; ++i) {
    ckpt_tensor_release(targets);
    ckpt_worker_pool_release(context->pool);
  }
  if (self->misuse == keeps) self->targets = targets;
  self->pool = context->pool;
}

/* Checks that the context is consistent: micro-batch, samples and targets belong together. */
static void check_context(const ckpt_layer_context* context, state* self) {
  const int64_t samples = SAMPLES / self->micro_batches;
  const int32_t* targets = NULL;
  int32_t threads = 0;
  int64_t i;
  CHECK(context->input->shape[0] == samples);
  CHECK(context->first_sample == FIRST_SAMPLE + context->micro_batch * samples);
  CHECK(context->micro_batch >= 0 && context->micro_batch < self->micro_batches);
  CHECK_OK(ckpt_worker_pool_get_thread_count(context->pool, &threads));
  CHECK(threads >= 1);
  if (!self->has_targets) {
    CHECK(context->targets == NULL);
    return;
  }
  CHECK(ckpt_tensor_get_dtype(context->targets) == CKPT_DTYPE_I32 && ckpt_tensor_get_ndim(context->targets) == 1);
  CHECK(ckpt_tensor_get_shape(context->targets)[0] == samples);
  targets = (const int32_t*)ckpt_tensor_get_const_data(context->targets);
  for (i = 0; i < samples; ++i) CHECK(targets[i] == target_of(context->first_sample + i));
}

typedef struct part {
  const float* from;
  float* to;
} part;

static int32_t double_row(int64_t row, void* user_data) {
  const part* self = (const part*)user_data;
  int64_t i;
  for (i = 0; i < CLASSES; ++i) self->to[row * CLASSES + i] = 2 * self->from[row * CLASSES + i];
  return 0;
}

static int32_t begin(const ckpt_layer_context* context, state* self) {
  check_context(context, self);
  misuse_handles(context, self);
  return 0;
}

static int32_t double_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  (void)user_data;
  *output = *input;
  return 0;
}

static int32_t double_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                              void* user_data) {
  state* self = (state*)user_data;
  part rows = {NULL, NULL};
  (void)tape;
  (void)workspace;
  begin(context, self);
  ++self->forwards;
  self->recomputations += context->recomputation;
  rows.from = (const float*)input;
  rows.to = (float*)output;
  return ckpt_worker_pool_run(context->pool, context->input->shape[0], double_row, &rows);
}

static int32_t double_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                               const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  part rows = {NULL, NULL};
  (void)input;
  (void)output;
  (void)tape;
  (void)workspace;
  begin(context, (state*)user_data);
  rows.from = (const float*)grad_output;
  rows.to = (float*)grad_input;
  return ckpt_worker_pool_run(context->pool, context->input->shape[0], double_row, &rows);
}

static int32_t pick_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  (void)input;
  (void)user_data;
  output->dtype = CKPT_DTYPE_F32;
  output->ndim = 1;
  output->shape[0] = 1;
  return 0;
}

static int32_t pick_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                            void* user_data) {
  const int32_t* targets = NULL;
  float sum = 0;
  int64_t i;
  (void)tape;
  (void)workspace;
  begin(context, (state*)user_data);
  targets = (const int32_t*)ckpt_tensor_get_const_data(context->targets);
  for (i = 0; i < context->input->shape[0]; ++i) sum -= ((const float*)input)[i * CLASSES + targets[i]];
  *(float*)output = sum / (float)context->input->shape[0];
  return 0;
}

static int32_t pick_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                             const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  const int64_t samples = context->input->shape[0];
  const int32_t* targets = NULL;
  int64_t i;
  (void)input;
  (void)output;
  (void)tape;
  (void)workspace;
  begin(context, (state*)user_data);
  targets = (const int32_t*)ckpt_tensor_get_const_data(context->targets);
  memset(grad_input, 0, (size_t)(samples * CLASSES) * sizeof(float));
  for (i = 0; i < samples; ++i) ((float*)grad_input)[i * CLASSES + targets[i]] = -*(const float*)grad_output / (float)samples;
  return 0;
}

static ckpt_chain* chain_of(state* states, int has_loss) {
  ckpt_layer_callbacks body = CKPT_LAYER_CALLBACKS_INIT;
  ckpt_layer_callbacks loss;
  ckpt_chain* chain = NULL;
  body.flags = CKPT_LAYER_FLAG_DETERMINISTIC;
  body.output = double_output;
  body.forward = double_forward;
  body.backward = double_backward;
  loss = body;
  loss.output = pick_output;
  loss.forward = pick_forward;
  loss.backward = pick_backward;
  chain = custom_chain(0, "double", BODY, &body, states, sizeof *states);
  if (has_loss) add_custom_layers(chain, "pick", 1, &loss, &states[BODY], sizeof *states);
  return chain;
}

static ckpt_tensor* created(ckpt_dtype dtype, int32_t ndim) {
  const int64_t shape[2] = {SAMPLES, CLASSES};
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_tensor_create(dtype, shape, ndim, NULL, &tensor));
  return tensor;
}

/* Data of a step, its expected results, and its actual results. */
typedef struct data {
  ckpt_step step;
  ckpt_tensor *x, *targets, *gradient;
  float loss;
  float gradients[SAMPLES * CLASSES];
} data;

static data data_of(void) {
  const ckpt_step init = CKPT_STEP_INIT;
  const float scale = (float)(1 << BODY);
  data all;
  int64_t i, j;
  memset(&all, 0, sizeof all);
  all.x = created(CKPT_DTYPE_F32, 2);
  all.gradient = created(CKPT_DTYPE_F32, 2);
  all.targets = created(CKPT_DTYPE_I32, 1);
  for (i = 0; i < SAMPLES; ++i) {
    const int32_t target = target_of(FIRST_SAMPLE + i);
    ((int32_t*)ckpt_tensor_get_data(all.targets))[i] = target;
    for (j = 0; j < CLASSES; ++j) ((float*)ckpt_tensor_get_data(all.x))[i * CLASSES + j] = value_of(i, j);
    all.loss -= scale * value_of(i, target) / (float)SAMPLES;
    all.gradients[i * CLASSES + target] = -scale / (float)SAMPLES;
  }
  all.step = init;
  all.step.first_sample = FIRST_SAMPLE;
  all.step.input = all.x;
  all.step.targets = all.targets;
  all.step.input_gradient = all.gradient;
  return all;
}

static void release_data(data* all) {
  ckpt_tensor_release(all->x);
  ckpt_tensor_release(all->targets);
  ckpt_tensor_release(all->gradient);
}

static void check_results(const data* all, double loss) {
  CHECK((float)loss == all->loss && all->loss != 0);
  CHECK(memcmp(ckpt_tensor_get_const_data(all->gradient), all->gradients, sizeof all->gradients) == 0);
  CHECK_OK(ckpt_tensor_fill(all->gradient, 0));
}

static void prepare(state* states, misuse how, int32_t micro_batches, int has_targets) {
  int i;
  memset(states, 0, (BODY + 1) * sizeof *states);
  for (i = 0; i <= BODY; ++i) {
    states[i].misuse = how;
    states[i].micro_batches = micro_batches;
    states[i].has_targets = has_targets;
  }
}

/* A retained handle outlives step and chain, with its elements; a stored one is refused, as long as its layer exists. */
static void check_kept(const state* states, int layers) {
  int i;
  for (i = 0; i < layers; ++i) {
    if (states[i].misuse == retains)
      CHECK(((const int32_t*)ckpt_tensor_get_const_data(states[i].targets))[0] == target_of(FIRST_SAMPLE));
    if (states[i].misuse == keeps) {
      int32_t threads = 0;
      CHECK(ckpt_tensor_get_bytes(states[i].targets) == -1);
      ckpt_tensor_retain(states[i].targets);
      CHECK_FAILS(ckpt_worker_pool_get_thread_count(states[i].pool, &threads), CKPT_E_INVALID_ARGUMENT, "pool");
    }
  }
}

static void release_kept(state* states, int layers) {
  int i;
  for (i = 0; i < layers; ++i) {
    if (states[i].misuse == retains) ckpt_tensor_release(states[i].targets);
  }
}

static ckpt_schedule* schedule_of(ckpt_chain* chain, const char* planner, const ckpt_tensor_spec* input) {
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  CHECK_OK(ckpt_profile_create_from_chain(chain, input, 0, NULL, &profile));
  CHECK_OK(ckpt_schedule_create(profile, planner, &schedule));
  ckpt_profile_release(profile);
  return schedule;
}

static const ckpt_tensor_spec batch = {CKPT_DTYPE_F32, 2, {SAMPLES, CLASSES}};

static void in_a_chain(const char* planner, misuse how) {
  state states[BODY + 1];
  data all = data_of();
  ckpt_chain* chain = chain_of(states, 1);
  ckpt_schedule* schedule = schedule_of(chain, planner, &batch);
  ckpt_schedule_executor* executor = NULL;
  const ckpt_tensor* first = NULL;
  int i;
  prepare(states, how, 1, 1);
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &batch, NULL, &executor));
  for (i = 0; i < 3; ++i) {
    double loss = 0;
    CHECK_OK(ckpt_schedule_executor_run(executor, &all.step, &loss));
    check_results(&all, loss);
    if (how == keeps) CHECK(i == 0 || states[0].targets == first); /* one handle for all calls */
    first = states[0].targets;
  }
  if (how == keeps) check_kept(states, BODY + 1);
  ckpt_schedule_executor_release(executor);
  ckpt_schedule_release(schedule);
  ckpt_chain_release(chain);
  release_data(&all);
  if (how == retains) check_kept(states, BODY + 1);
  release_kept(states, BODY + 1);
}

static void in_a_pipeline(ckpt_pipeline_order order, int32_t stages, int32_t chunks, misuse how) {
  const ckpt_activation_policy_kind kind = CKPT_ACTIVATION_POLICY_KIND_SELECTIVE;
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  state states[BODY + 1];
  data all = data_of();
  ckpt_chain* chain = chain_of(states, 1);
  ckpt_pipeline* pipeline = NULL;
  int i, recomputations = 0;
  prepare(states, how, MICRO_BATCHES, 1);
  policy.kind = kind;
  policy.interval = 3;
  options.order = order;
  options.stages = stages;
  options.chunks = chunks;
  options.micro_batches = MICRO_BATCHES;
  options.threads_per_stage = 2;
  options.measured_steps = 0;
  options.policy = &policy;
  CHECK_OK(ckpt_pipeline_create(chain, &batch, &options, &pipeline));
  for (i = 0; i < 3; ++i) {
    double loss = 0;
    CHECK_OK(ckpt_pipeline_run(pipeline, &all.step, -1, &loss, NULL));
    check_results(&all, loss);
  }
  for (i = 0; i < BODY; ++i) recomputations += states[i].recomputations;
  CHECK(recomputations > 0);
  if (how == keeps) check_kept(states, BODY + 1);
  ckpt_pipeline_release(pipeline);
  ckpt_chain_release(chain);
  if (how == retains) {
    release_data(&all); /* the slices keep the whole tensor alive */
    check_kept(states, BODY + 1);
    release_kept(states, BODY + 1);
  } else {
    release_data(&all);
  }
}

/* A step without targets reports that, and a profiler without data provides zeros large enough for 32 bits per sample. */
static void without_targets(void) {
  state states[BODY + 1];
  data all = data_of();
  ckpt_chain* chain = chain_of(states, 0);
  ckpt_schedule* schedule = schedule_of(chain, "store-all", &batch);
  ckpt_schedule_executor* executor = NULL;
  prepare(states, none, 1, 0);
  all.step.targets = NULL;
  all.step.output_gradient = all.x;
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &batch, NULL, &executor));
  CHECK_OK(ckpt_schedule_executor_run(executor, &all.step, NULL));
  CHECK(states[0].forwards == 1);
  ckpt_schedule_executor_release(executor);
  ckpt_schedule_release(schedule);
  ckpt_chain_release(chain);
  release_data(&all);
}

static int32_t measured_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                                void* user_data) {
  (void)tape;
  (void)workspace;
  CHECK(context->targets != NULL && context->pool != NULL);
  CHECK(ckpt_tensor_get_bytes(context->targets) == SAMPLES * 4 && ckpt_tensor_get_dtype(context->targets) == CKPT_DTYPE_I32);
  CHECK(((const int32_t*)ckpt_tensor_get_const_data(context->targets))[SAMPLES - 1] == 0);
  ++((state*)user_data)->forwards;
  memcpy(output, input, SAMPLES * CLASSES * sizeof(float));
  return 0;
}

static int32_t measured_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                                 const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  (void)context;
  (void)input;
  (void)output;
  (void)tape;
  (void)workspace;
  (void)user_data;
  memcpy(grad_input, grad_output, SAMPLES * CLASSES * sizeof(float));
  return 0;
}

static void measured(void) {
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  state one;
  ckpt_chain* chain = NULL;
  ckpt_profile* profile = NULL;
  memset(&one, 0, sizeof one);
  callbacks.output = double_output;
  callbacks.forward = measured_forward;
  callbacks.backward = measured_backward;
  chain = custom_chain(0, "measured", 1, &callbacks, &one, sizeof one);
  CHECK_OK(ckpt_profile_create_from_chain(chain, &batch, 2, NULL, &profile));
  CHECK(one.forwards == 2);
  ckpt_profile_release(profile);
  ckpt_chain_release(chain);
}

int main(void) {
  static const misuse all[] = {none, releases, retains, keeps};
  size_t i;
  for (i = 0; i < sizeof all / sizeof *all; ++i) {
    in_a_chain("store-all", all[i]);
    in_a_chain("recompute-all", all[i]);
    in_a_pipeline(CKPT_PIPELINE_ORDER_GPIPE, 2, 1, all[i]);
    in_a_pipeline(CKPT_PIPELINE_ORDER_1F1B, 4, 1, all[i]);
    in_a_pipeline(CKPT_PIPELINE_ORDER_INTERLEAVED, 2, 2, all[i]);
  }
  without_targets();
  measured();
  return 0;
}
