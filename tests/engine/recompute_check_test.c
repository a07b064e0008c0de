/* Checks of recomputation: custom layers that do not repeat their reported sizes or results are detected, and named with the
 * micro-batch; correct layers give the same bits with every check. */
#include "custom_chain.h"
#include "make_layer.h"

enum { SAMPLES = 4, WIDTH = 6, LAYERS = 4, LIAR = 1, FIRST_NUMBER = 10 };

typedef enum fault { correct, other_value, other_nan, other_zero, other_shape, other_tape } fault;

typedef struct layer_state {
  fault fault;
  int32_t micro_batch; /* the micro-batch with the wrong result */
  int asked;           /* calls since the executor was created */
} layer_state;

static int32_t state_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  const layer_state* self = (const layer_state*)user_data;
  *output = *input;
  if (self->fault == other_shape && self->asked) output->shape[1] = WIDTH + 1;
  return 0;
}

static int32_t state_option(const ckpt_tensor_spec* input, int32_t option, ckpt_layer_option* out, void* user_data) {
  const layer_state* self = (const layer_state*)user_data;
  (void)input;
  (void)option;
  out->tape_bytes = self->fault == other_tape && self->asked ? 9 : 8;
  return 0;
}

static void put_bits(float* to, uint32_t bits) { memcpy(to, &bits, sizeof bits); }

static int32_t state_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                             void* user_data) {
  const layer_state* self = (const layer_state*)user_data;
  const int fault_kinds = context->recomputation && context->micro_batch == self->micro_batch;
  const int64_t count = context->input->shape[0] * context->input->shape[1];
  float* y = (float*)output;
  int64_t i;
  (void)workspace;
  if (tape != NULL) memset(tape, 7, 8);
  for (i = 0; i < count; ++i) y[i] = 2 * ((const float*)input)[i];
  if (self->fault == other_value && fault_kinds) y[5] += 1;
  if (self->fault == other_nan) put_bits(&y[3], fault_kinds ? 0x7fc00002U : 0x7fc00001U);
  if (self->fault == other_zero) put_bits(&y[0], fault_kinds ? 0x80000000U : 0U);
  return 0;
}

static int32_t state_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                              const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  const int64_t count = context->input->shape[0] * context->input->shape[1];
  int64_t i;
  (void)input;
  (void)output;
  (void)tape;
  (void)workspace;
  (void)user_data;
  for (i = 0; i < count; ++i) ((float*)grad_input)[i] = 2 * ((const float*)grad_output)[i];
  return 0;
}

static const ckpt_tensor_spec input_spec = {CKPT_DTYPE_F32, 2, {SAMPLES, WIDTH}};

static ckpt_chain* chain_of(layer_state* states) {
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  callbacks.output = state_output;
  callbacks.option = state_option;
  callbacks.forward = state_forward;
  callbacks.backward = state_backward;
  return custom_chain(FIRST_NUMBER, "double", LAYERS, &callbacks, states, sizeof *states);
}

static ckpt_schedule* schedule_of(ckpt_chain* chain, const ckpt_tensor_spec* input, const char* planner) {
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  CHECK_OK(ckpt_profile_create_from_chain(chain, input, 0, NULL, &profile));
  CHECK_OK(ckpt_schedule_create(profile, planner, &schedule));
  ckpt_profile_release(profile);
  return schedule;
}

static ckpt_tensor* ones(const ckpt_tensor_spec* spec) {
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_tensor_create(spec->dtype, spec->shape, spec->ndim, NULL, &tensor));
  CHECK_OK(ckpt_tensor_fill(tensor, 1));
  return tensor;
}

/* Runs a step of a chain with a faulty second layer under a check, and then one in which it is correct. Returns the first status.
 * */
static ckpt_status status_with_fault(fault fault_kind, ckpt_recompute_check check, char* message, size_t capacity) {
  layer_state states[LAYERS] = {{correct, 0, 0}, {correct, 0, 0}, {correct, 0, 0}, {correct, 0, 0}};
  ckpt_chain* chain = chain_of(states);
  ckpt_schedule* schedule = schedule_of(chain, &input_spec, "recompute-all");
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_schedule_executor* executor = NULL;
  ckpt_tensor* x = ones(&input_spec);
  ckpt_step step = CKPT_STEP_INIT;
  ckpt_status status = CKPT_OK;
  options.recompute_check = check;
  states[LIAR].fault = fault_kind;
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &input_spec, &options, &executor));
  states[LIAR].asked = 1;
  step.input = x;
  step.output_gradient = x;
  status = ckpt_schedule_executor_run(executor, &step, NULL);
  snprintf(message, capacity, "%s", status == CKPT_OK ? "" : ckpt_last_error());
  states[LIAR].fault = correct;
  CHECK_OK(ckpt_schedule_executor_run(executor, &step, NULL));
  ckpt_schedule_executor_release(executor);
  ckpt_schedule_release(schedule);
  ckpt_chain_release(chain);
  ckpt_tensor_release(x);
  return status;
}

/* The check that detects the fault, and every stronger one, refuses it with this text; weaker ones do not detect it. */
static void expect_found(fault fault_kind, ckpt_recompute_check by, const char* text, const char* bitwise_text) {
  ckpt_recompute_check check;
  for (check = CKPT_RECOMPUTE_CHECK_NONE; check <= CKPT_RECOMPUTE_CHECK_BITWISE; ++check) {
    char message[512];
    const ckpt_status status = status_with_fault(fault_kind, check, message, sizeof message);
    const char* const expected = check == CKPT_RECOMPUTE_CHECK_BITWISE ? bitwise_text : text;
    const ckpt_status wanted = fault_kind == correct || check < by ? CKPT_OK : CKPT_E_CORRUPT;
    if (status != wanted || (wanted != CKPT_OK && (strstr(message, "layer 11 'double1', micro-batch 0: ") == NULL ||
                                                   strstr(message, expected) == NULL))) {
      fprintf(stderr, "lie %d under check %d: %s '%s'\n", (int)fault_kind, (int)check, ckpt_status_name(status), message);
      exit(1);
    }
  }
}

static void test_faults_are_found(void) {
  const char* const hash = "the recomputed output's hash differs from the first run's";
  const char* const shape = "the recomputed output is F32[4, 7]; expected F32[4, 6]";
  const char* const tape = "tape_bytes of option 0 is 9 in the recomputation; expected 8";
  expect_found(correct, CKPT_RECOMPUTE_CHECK_NONE, "", "");
  expect_found(other_shape, CKPT_RECOMPUTE_CHECK_METADATA, shape, shape);
  expect_found(other_tape, CKPT_RECOMPUTE_CHECK_METADATA, tape, tape);
  expect_found(other_value, CKPT_RECOMPUTE_CHECK_HASH, hash,
               "element 5 of the recomputed output is 5 (0x40a00000); expected 4 (0x40800000)");
  expect_found(other_nan, CKPT_RECOMPUTE_CHECK_HASH, hash,
               "element 3 of the recomputed output is nan (0x7fc00002); expected nan (0x7fc00001)");
  expect_found(other_zero, CKPT_RECOMPUTE_CHECK_HASH, hash,
               "element 0 of the recomputed output is -0 (0x80000000); expected 0 (0x00000000)");
}

/* Built-in layers, dropout among them: no check changes any bit of the gradients. */
static void test_correct_layers_keep_their_bits(void) {
  const ckpt_tensor_spec input = {CKPT_DTYPE_F32, 2, {SAMPLES, WIDTH}};
  float first[WIDTH * WIDTH];
  ckpt_chain* chain = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_tensor *x = ones(&input), *gradient = NULL;
  const char* const kinds[4] = {"linear:6,6", "gelu", "dropout:0.5", "linear:6,6"};
  ckpt_recompute_check check;
  int i;
  CHECK_OK(ckpt_chain_create(0, &chain));
  for (i = 0; i < 4; ++i) {
    ckpt_layer* layer = NULL;
    char name[32];
    snprintf(name, sizeof name, "layer%d", i);
    CHECK_OK(make_layer(&layer, name, "%s", kinds[i]));
    CHECK_OK(ckpt_chain_add(chain, layer));
    ckpt_layer_release(layer);
  }
  CHECK_OK(ckpt_chain_initialize(chain, 3));
  CHECK_OK(ckpt_chain_get_parameter(chain, 0, NULL, NULL, &gradient));
  schedule = schedule_of(chain, &input, "recompute-all");
  for (check = CKPT_RECOMPUTE_CHECK_NONE; check <= CKPT_RECOMPUTE_CHECK_BITWISE; ++check) {
    ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
    ckpt_schedule_executor* executor = NULL;
    ckpt_step step = CKPT_STEP_INIT;
    options.recompute_check = check;
    CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &input, &options, &executor));
    step.input = x;
    step.output_gradient = x;
    CHECK_OK(ckpt_schedule_executor_run(executor, &step, NULL));
    if (check == CKPT_RECOMPUTE_CHECK_NONE) memcpy(first, ckpt_tensor_get_const_data(gradient), sizeof first);
    CHECK(first[0] != 0 && memcmp(first, ckpt_tensor_get_const_data(gradient), sizeof first) == 0);
    ckpt_schedule_executor_release(executor);
  }
  ckpt_tensor_release(gradient);
  ckpt_tensor_release(x);
  ckpt_schedule_release(schedule);
  ckpt_chain_release(chain);
}

static int64_t kept_bytes(const char* planner, ckpt_recompute_check check) {
  layer_state states[LAYERS] = {{correct, 0, 0}, {correct, 0, 0}, {correct, 0, 0}, {correct, 0, 0}};
  ckpt_chain* chain = chain_of(states);
  ckpt_schedule* schedule = schedule_of(chain, &input_spec, planner);
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  ckpt_schedule_executor* executor = NULL;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &options.tracker));
  options.recompute_check = check;
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &input_spec, &options, &executor));
  CHECK_OK(ckpt_memory_tracker_get_stats(options.tracker, &stats));
  ckpt_schedule_executor_release(executor);
  ckpt_memory_tracker_release(options.tracker);
  ckpt_schedule_release(schedule);
  ckpt_chain_release(chain);
  return stats.current_bytes;
}

/* Only outputs that are recomputed are kept, and counted. */
static void test_bytes_that_are_kept(void) {
  const int64_t output_bytes = SAMPLES * WIDTH * (int64_t)sizeof(float);
  CHECK(kept_bytes("recompute-all", CKPT_RECOMPUTE_CHECK_HASH) == 0);
  CHECK(kept_bytes("store-all", CKPT_RECOMPUTE_CHECK_BITWISE) == 0);
  CHECK(kept_bytes("recompute-all", CKPT_RECOMPUTE_CHECK_BITWISE) == (LAYERS - 1) * output_bytes);
}

static void test_options(void) {
  layer_state states[LAYERS] = {{correct, 0, 0}, {correct, 0, 0}, {correct, 0, 0}, {correct, 0, 0}};
  ckpt_chain* chain = chain_of(states);
  ckpt_schedule* schedule = schedule_of(chain, &input_spec, "store-all");
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_schedule_executor* executor = NULL;
  CHECK(options.recompute_check == CKPT_RECOMPUTE_CHECK_NONE);
  options.recompute_check = 4;
  CHECK_FAILS(ckpt_schedule_executor_create(chain, schedule, &input_spec, &options, &executor), CKPT_E_INVALID_ARGUMENT,
              "options.recompute_check is 4");
  options.recompute_check = -1;
  CHECK_FAILS(ckpt_schedule_executor_create(chain, schedule, &input_spec, &options, &executor), CKPT_E_INVALID_ARGUMENT,
              "options.recompute_check is -1");
  ckpt_schedule_release(schedule);
  ckpt_chain_release(chain);
}

/* A pipeline of two stages: the error names the micro-batch, one of four. */
static void test_pipelines_name_the_micro_batch(void) {
  const ckpt_tensor_spec batch = {CKPT_DTYPE_F32, 2, {4 * SAMPLES, WIDTH}};
  const int64_t begins[2] = {0, 2}; /* the last stage runs backward at once, and so recomputes nothing */
  layer_state states[LAYERS] = {{correct, 0, 0}, {correct, 0, 0}, {correct, 0, 0}, {correct, 0, 0}};
  ckpt_chain* chain = chain_of(states);
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_tensor* x = ones(&batch);
  ckpt_step step = CKPT_STEP_INIT;
  ckpt_recompute_check check;
  step.input = x;
  step.output_gradient = x;
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL;
  options.policy = &policy;
  options.stages = 2;
  options.begins = begins;
  options.begins_count = 2;
  options.micro_batches = 4;
  options.measured_steps = 0;
  for (check = CKPT_RECOMPUTE_CHECK_NONE; check <= CKPT_RECOMPUTE_CHECK_BITWISE; ++check) {
    ckpt_pipeline* pipeline = NULL;
    states[LIAR].fault = other_value;
    states[LIAR].micro_batch = 2;
    options.recompute_check = check;
    CHECK_OK(ckpt_pipeline_create(chain, &batch, &options, &pipeline));
    if (check < CKPT_RECOMPUTE_CHECK_HASH) {
      CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL));
    } else {
      CHECK_FAILS(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL), CKPT_E_CORRUPT, "layer 11 'double1', micro-batch 2: ");
    }
    states[LIAR].fault = correct;
    CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL));
    ckpt_pipeline_release(pipeline);
  }
  {
    ckpt_pipeline* pipeline = NULL;
    options.recompute_check = 9;
    CHECK_FAILS(ckpt_pipeline_create(chain, &batch, &options, &pipeline), CKPT_E_INVALID_ARGUMENT, "options.recompute_check is 9");
  }
  ckpt_tensor_release(x);
  ckpt_chain_release(chain);
}

/* Prints the cost of the checks as fractions of a step without them; not checked. */
static void print_costs(void) {
  const ckpt_tensor_spec input = {CKPT_DTYPE_F32, 2, {256, 256}};
  ckpt_chain* chain = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_tensor* x = ones(&input);
  ckpt_schedule_executor* executors[5];
  double min[5] = {0, 0, 0, 0, 0};
  ckpt_step step = CKPT_STEP_INIT;
  int i, check;
  CHECK_OK(ckpt_chain_create(0, &chain));
  for (i = 0; i < 16; ++i) {
    ckpt_layer* layer = NULL;
    char name[32];
    snprintf(name, sizeof name, "layer%d", i);
    CHECK_OK(make_layer(&layer, name, "%s", i % 2 == 0 ? "linear:256,256" : "gelu"));
    CHECK_OK(ckpt_chain_add(chain, layer));
    ckpt_layer_release(layer);
  }
  CHECK_OK(ckpt_chain_initialize(chain, 3));
  schedule = schedule_of(chain, &input, "periodic:4");
  step.input = x;
  step.output_gradient = x;
  for (check = 0; check < 5; ++check) {
    ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
    if (check < 4) options.recompute_check = check;
    options.check_writes = check == 4;
    CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &input, &options, &executors[check]));
  }
  for (i = 0; i < 5 * 20; ++i) { /* interleaved, so that other load on the machine affects all of them */
    ckpt_schedule_executor_stats before = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
    ckpt_schedule_executor_stats after = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
    double seconds = 0;
    check = i % 5;
    CHECK_OK(ckpt_schedule_executor_get_stats(executors[check], &before));
    CHECK_OK(ckpt_schedule_executor_run(executors[check], &step, NULL));
    CHECK_OK(ckpt_schedule_executor_get_stats(executors[check], &after));
    seconds = (double)(after.run_ns - before.run_ns) * 1e-9;
    if (i < 5 || seconds < min[check]) min[check] = seconds;
  }
  for (check = 0; check < 5; ++check) {
    static const char* const names[] = {"none", "metadata", "hash", "bitwise", "writes"};
    printf("check %-8s %.2f ms a step, %.3f of one without\n", names[check], min[check] * 1e3, min[check] / min[0]);
    ckpt_schedule_executor_release(executors[check]);
  }
  ckpt_tensor_release(x);
  ckpt_schedule_release(schedule);
  ckpt_chain_release(chain);
}

int main(void) {
  test_faults_are_found();
  test_correct_layers_keep_their_bits();
  test_bytes_that_are_kept();
  test_options();
  test_pipelines_name_the_micro_batch();
  print_costs();
  return 0;
}
