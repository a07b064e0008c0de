/* The sizes that a custom layer reports are requested once per operation and checked: a layer that reports others the next time, or
 * absurd ones, gets an error status, and never more or less memory than promised. AddressSanitizer makes this a proof. */
#include "custom_chain.h"
#include "tensor/sanitizer_options.h"

enum { SAMPLES = 4, SMALL = 8, LARGE = 4096 };

/* A layer that doubles its input; its output is [SAMPLES, width] and its tape takes width bytes. */
typedef struct inconsistent {
  int64_t widths[2]; /* returned in turn by output */
  int64_t tapes[2];  /* returned in turn by option */
  int output_calls;
  int option_calls;
  int64_t tape_bytes;       /* the last size returned by option */
  ckpt_tensor_spec* spec;   /* if set, returned by output instead */
  ckpt_layer_option* needs; /* if set, returned by option instead */
} inconsistent;

static int64_t elements(const ckpt_tensor_spec* spec) {
  int64_t count = 1;
  int32_t i;
  for (i = 0; i < spec->ndim; ++i) count *= spec->shape[i];
  return count;
}

static int32_t inconsistent_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  inconsistent* self = (inconsistent*)user_data;
  *output = *input;
  output->shape[1] = self->widths[self->output_calls++ % 2];
  if (self->spec != NULL) *output = *self->spec;
  return 0;
}

static int32_t inconsistent_option(const ckpt_tensor_spec* input, int32_t option, ckpt_layer_option* out, void* user_data) {
  inconsistent* self = (inconsistent*)user_data;
  (void)input;
  (void)option;
  self->tape_bytes = self->tapes[self->option_calls++ % 2];
  out->tape_bytes = self->tape_bytes;
  if (self->needs != NULL) *out = *self->needs;
  return 0;
}

/* Writes as many bytes as the context and its own reported size specify. */
static int32_t inconsistent_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                                    void* user_data) {
  const float* x = (const float*)input;
  const int64_t inputs = elements(context->input);
  int64_t i;
  (void)workspace;
  for (i = 0; i < elements(context->output); ++i) ((float*)output)[i] = 2 * x[i % inputs];
  if (tape != NULL) memset(tape, 7, (size_t)((inconsistent*)user_data)->tape_bytes);
  return 0;
}

static int32_t inconsistent_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                                     const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  const float* g = (const float*)grad_output;
  const inconsistent* self = (const inconsistent*)user_data;
  float sum = 0;
  int64_t i;
  (void)input;
  (void)output;
  (void)workspace;
  for (i = 0; i < elements(context->output); ++i) sum += g[i];
  for (i = 0; i < self->tape_bytes; ++i) CHECK(((const unsigned char*)tape)[i] == 7);
  for (i = 0; i < elements(context->input); ++i) ((float*)grad_input)[i] = sum;
  return 0;
}

static ckpt_chain* chain_of(inconsistent* layers, int count) {
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  callbacks.output = inconsistent_output;
  callbacks.option = inconsistent_option;
  callbacks.forward = inconsistent_forward;
  callbacks.backward = inconsistent_backward;
  return custom_chain(0, "shifty", count, &callbacks, layers, sizeof *layers);
}

static const ckpt_tensor_spec input_spec = {CKPT_DTYPE_F32, 2, {SAMPLES, SMALL}};

static ckpt_schedule* store_all(int64_t layers) {
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  int64_t i;
  CHECK_OK(ckpt_profile_create(1, &profile));
  for (i = 0; i < layers; ++i) {
    const ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
    const ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    CHECK_OK(ckpt_profile_add_layer(profile, "x", &layer));
    CHECK_OK(ckpt_profile_add_option(profile, &option));
  }
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &schedule));
  ckpt_profile_release(profile);
  return schedule;
}

static inconsistent shifting(int start) {
  inconsistent layer = {{LARGE, SMALL}, {LARGE, 1}, 0, 0, 0, NULL, NULL};
  layer.output_calls = layer.option_calls = start;
  return layer;
}

/* Each operation asks a layer once, and then passes buffers of that size, in either order of the two sizes. */
static void called_once_by_executors(int start) {
  inconsistent layer = shifting(start);
  ckpt_chain* chain = chain_of(&layer, 1);
  ckpt_schedule* schedule = store_all(1);
  ckpt_schedule_executor* executor = NULL;
  ckpt_tensor *x = NULL, *gradient = NULL, *output = NULL;
  ckpt_step step = CKPT_STEP_INIT;
  const int64_t out_shape[2] = {SAMPLES, start % 2 == 0 ? LARGE : SMALL};
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &input_spec, NULL, &executor));
  CHECK(layer.output_calls == start + 1 && layer.option_calls == start + 1);
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, input_spec.shape, 2, NULL, &x));
  CHECK_OK(ckpt_tensor_fill(x, 3));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, out_shape, 2, NULL, &gradient));
  CHECK_OK(ckpt_tensor_fill(gradient, 1));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, out_shape, 2, NULL, &output));
  step.input = x;
  step.output_gradient = gradient;
  step.output = output;
  CHECK_OK(ckpt_schedule_executor_run(executor, &step, NULL));
  CHECK(((const float*)ckpt_tensor_get_data(output))[SAMPLES * out_shape[1] - 1] == 6);
  CHECK(layer.output_calls == start + 1 && layer.option_calls == start + 1); /* a step asks nothing */
  ckpt_tensor_release(x);
  ckpt_tensor_release(gradient);
  ckpt_tensor_release(output);
  ckpt_schedule_executor_release(executor);
  ckpt_schedule_release(schedule);
  ckpt_chain_release(chain);
}

static void called_once_by_profiles(int start, int32_t measured_steps) {
  inconsistent layer = shifting(start);
  ckpt_chain* chain = chain_of(&layer, 1);
  ckpt_profile* profile = NULL;
  ckpt_layer_profile row = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  CHECK_OK(ckpt_profile_create_from_chain(chain, &input_spec, measured_steps, NULL, &profile));
  CHECK(layer.output_calls == start + 1 && layer.option_calls == start + 1);
  CHECK_OK(ckpt_profile_get_layer(profile, 0, &row, NULL, NULL));
  CHECK_OK(ckpt_profile_get_option(profile, 0, 0, &option));
  CHECK(row.output_bytes == SAMPLES * 4 * (start % 2 == 0 ? LARGE : SMALL));
  CHECK(option.tape_bytes == layer.tape_bytes);
  ckpt_profile_release(profile);
  ckpt_chain_release(chain);
}

static void called_once_by_pipelines(int start, int32_t measured_steps, int64_t budget_bytes) {
  enum { LAYERS = 4 };
  inconsistent layers[LAYERS];
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_pipeline* pipeline = NULL;
  ckpt_chain* chain = NULL;
  ckpt_tensor *x = NULL, *gradient = NULL;
  ckpt_step step = CKPT_STEP_INIT;
  const int64_t in_shape[2] = {2 * SAMPLES, SMALL};
  const int64_t out_shape[2] = {2 * SAMPLES, start % 2 == 0 ? LARGE : SMALL};
  ckpt_tensor_spec batch = input_spec;
  int i;
  for (i = 0; i < LAYERS; ++i) layers[i] = shifting(start);
  chain = chain_of(layers, LAYERS);
  batch.shape[0] = 2 * SAMPLES;
  options.stages = 2;
  options.micro_batches = 2;
  options.measured_steps = measured_steps;
  options.budget_bytes = budget_bytes;
  CHECK_OK(ckpt_pipeline_create(chain, &batch, &options, &pipeline));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, in_shape, 2, NULL, &x));
  CHECK_OK(ckpt_tensor_fill(x, 3));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, out_shape, 2, NULL, &gradient));
  CHECK_OK(ckpt_tensor_fill(gradient, 1));
  step.input = x;
  step.output_gradient = gradient;
  CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL));
  for (i = 0; i < LAYERS; ++i) CHECK(layers[i].output_calls == start + 1 && layers[i].option_calls == start + 1);
  ckpt_tensor_release(x);
  ckpt_tensor_release(gradient);
  ckpt_pipeline_release(pipeline);
  ckpt_chain_release(chain);
}

/* ---- Absurd sizes ---- */

static void refused(const char* what, ckpt_status status) {
  const int known = status == CKPT_E_INVALID_ARGUMENT || status == CKPT_E_OUT_OF_RANGE || status == CKPT_E_OUT_OF_MEMORY;
  if (known && ckpt_last_error()[0] != '\0') return;
  fprintf(stderr, "%s: %s '%s'\n", what, ckpt_status_name(status), ckpt_last_error());
  exit(1);
}

static void everything_refuses(inconsistent* layer) {
  ckpt_chain* chain = chain_of(layer, 1);
  ckpt_schedule* schedule = store_all(1);
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_profile* profile = NULL;
  ckpt_schedule_executor* executor = NULL;
  ckpt_pipeline* pipeline = NULL;
  refused("executor", ckpt_schedule_executor_create(chain, schedule, &input_spec, NULL, &executor));
  refused("measured profile", ckpt_profile_create_from_chain(chain, &input_spec, 1, NULL, &profile));
  refused("pipeline", ckpt_pipeline_create(chain, &input_spec, &options, &pipeline));
  options.measured_steps = 0;
  options.budget_bytes = INT64_MAX;
  refused("planned pipeline", ckpt_pipeline_create(chain, &input_spec, &options, &pipeline));
  CHECK(executor == NULL && profile == NULL && pipeline == NULL);
  ckpt_schedule_release(schedule);
  ckpt_chain_release(chain);
}

/* Sizes that each fit in an integer, while their multiples in a pipeline do not: 2^60 bytes for each micro-batch and queue entry.
 */
static void countable_but_huge(void) {
  inconsistent layers[2];
  ckpt_tensor_spec answer = input_spec;
  ckpt_layer_option needs = {INT64_C(1) << 58, 0, 0};
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_pipeline* pipeline = NULL;
  ckpt_chain* chain = NULL;
  int32_t schedule;
  int budget;
  answer.shape[1] = INT64_C(1) << 56;
  for (schedule = CKPT_PIPELINE_ORDER_GPIPE; schedule <= CKPT_PIPELINE_ORDER_1F1B; ++schedule) {
    for (budget = 0; budget < 3; ++budget) {
      ckpt_tensor_spec batch = input_spec;
      layers[0] = layers[1] = shifting(0);
      layers[0].spec = &answer;
      layers[0].needs = layers[1].needs = &needs;
      chain = chain_of(layers, 2);
      batch.shape[0] = 64 * SAMPLES;
      options.order = schedule;
      options.stages = 2;
      options.micro_batches = 64;
      options.measured_steps = 0;
      options.budget_bytes = budget == 0 ? 0 : budget == 1 ? INT64_MAX : 1000;
      { /* too large a plan may also be over the budget */
        const ckpt_status status = ckpt_pipeline_create(chain, &batch, &options, &pipeline);
        if (status != CKPT_E_OVER_BUDGET) refused("huge pipeline", status);
      }
      CHECK(pipeline == NULL);
      ckpt_chain_release(chain);
    }
  }
}

static void absurd_outputs(void) {
  static const int32_t dtypes[] = {0, -1, 99, INT32_MAX, INT32_MIN};
  static const int32_t ndims[] = {-1, 9, INT32_MAX, INT32_MIN};
  static const int64_t shapes[][2] = {{4, -1},        {INT64_MIN, 1},     {INT64_MAX, 2},    {INT64_MAX, INT64_MAX},
                                      {INT64_MAX, 1}, {INT64_MAX / 4, 1}, {INT64_MAX / 8, 1}};
  size_t i;
  for (i = 0; i < sizeof dtypes / sizeof *dtypes + sizeof ndims / sizeof *ndims + sizeof shapes / sizeof *shapes; ++i) {
    ckpt_tensor_spec answer = input_spec;
    inconsistent layer = shifting(0);
    size_t at = i;
    layer.spec = &answer;
    if (at < sizeof dtypes / sizeof *dtypes) {
      answer.dtype = dtypes[at];
    } else if ((at -= sizeof dtypes / sizeof *dtypes) < sizeof ndims / sizeof *ndims) {
      answer.ndim = ndims[at];
    } else {
      memcpy(answer.shape, shapes[at - sizeof ndims / sizeof *ndims], sizeof shapes[0]);
    }
    everything_refuses(&layer);
  }
  { /* the message contains the layer and its size */
    ckpt_tensor_spec answer = input_spec;
    inconsistent layer = shifting(0);
    ckpt_chain* chain = chain_of(&layer, 1);
    ckpt_profile* profile = NULL;
    layer.spec = &answer;
    answer.ndim = 9;
    CHECK_FAILS(ckpt_profile_create_from_chain(chain, &input_spec, 0, NULL, &profile), CKPT_E_INVALID_ARGUMENT,
                "layer 'shifty0' output: ndim is 9");
    answer.ndim = 2;
    answer.shape[0] = answer.shape[1] = INT64_MAX;
    CHECK_FAILS(ckpt_profile_create_from_chain(chain, &input_spec, 0, NULL, &profile), CKPT_E_INVALID_ARGUMENT,
                "layer 'shifty0' output: ");
    CHECK(profile == NULL);
    ckpt_chain_release(chain);
  }
}

static void absurd_needs(void) {
  static const int64_t numbers[] = {
      -1, INT64_MIN, INT64_MAX, INT64_MAX - 1, INT64_MAX - 63, INT64_MAX - 64, INT64_MAX / 2, INT64_MAX / 3};
  size_t i;
  int field;
  for (i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    for (field = 0; field < 4; ++field) {
      ckpt_layer_option answer = {0, 0, 0};
      inconsistent layer = shifting(0);
      layer.needs = &answer;
      if (field == 0 || field == 3) answer.tape_bytes = numbers[i];
      if (field == 1 || field == 3) answer.forward_workspace_bytes = numbers[i];
      if (field == 2 || field == 3) answer.backward_workspace_bytes = numbers[i];
      everything_refuses(&layer);
    }
  }
  {
    ckpt_layer_option answer = {0, 0, -5};
    inconsistent layer = shifting(0);
    ckpt_chain* chain = chain_of(&layer, 1);
    ckpt_profile* profile = NULL;
    layer.needs = &answer;
    CHECK_FAILS(ckpt_profile_create_from_chain(chain, &input_spec, 0, NULL, &profile), CKPT_E_INVALID_ARGUMENT,
                "layer 'shifty0' option: backward_workspace_bytes is -5");
    ckpt_chain_release(chain);
  }
}

int main(void) {
  int start;
  for (start = 0; start < 2; ++start) {
    called_once_by_executors(start);
    called_once_by_profiles(start, 0);
    called_once_by_profiles(start, 1);
    called_once_by_pipelines(start, 0, 0);
    called_once_by_pipelines(start, 1, 0);
    called_once_by_pipelines(start, 0, INT64_C(1) << 30);
  }
  absurd_outputs();
  countable_but_huge();
  absurd_needs();
  return 0;
}
