/* Tests the engine from C99, through the library alone: a model trains, schedules agree bit for bit, and a custom layer with
 * options, ambient state and errors. */
#include <math.h>

#include "check.h"
#include "make_layer.h"
#include "planner.h"

enum { SAMPLES = 24, CONTEXT = 4, WIDTH = 16, VOCABULARY = 32 };

/* ---- A custom layer: y = a x^3 with noise from a generator that is ambient state; the caller owns parameter a ---- */

typedef struct cube {
  double a;
  double a_gradient;
  uint64_t generator; /* ambient state: every forward draws one number from it */
  int forwards;
  int recomputations;
  int fail_at_forward; /* 0: never */
  int destroyed;
} cube;

static int64_t elements(const ckpt_tensor_spec* spec) {
  int64_t count = 1;
  int32_t i;
  for (i = 0; i < spec->ndim; ++i) count *= spec->shape[i];
  return count;
}

static int32_t cube_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  (void)user_data;
  if (input->dtype != CKPT_DTYPE_F64) {
    ckpt_callback_error("the cube needs F64");
    return 1;
  }
  *output = *input;
  return 0;
}

/* Option 0 records the noise, option 1 the noise and 3 a x^2. */
static int32_t cube_option(const ckpt_tensor_spec* input, int32_t option, ckpt_layer_option* out, void* user_data) {
  (void)user_data;
  out->tape_bytes = (int64_t)sizeof(double) * (option == 0 ? 1 : 1 + elements(input));
  out->forward_workspace_bytes = 8;
  out->backward_workspace_bytes = 16;
  return 0;
}

static double next_noise(cube* self) {
  self->generator = self->generator * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return 1.0 + (double)(self->generator >> 40) * 1e-9;
}

static int32_t cube_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                            void* user_data) {
  cube* self = (cube*)user_data;
  const double* x = (const double*)input;
  double* y = (double*)output;
  double noise = 0;
  int64_t i;
  CHECK(context->struct_size > 0 && workspace != NULL && ((uintptr_t)output & 63) == 0);
  CHECK(context->step == 5 && context->seed == 77 && context->first_sample == 100 && context->layer == 11);
  ++self->forwards;
  self->recomputations += context->recomputation;
  if (self->forwards == self->fail_at_forward) {
    ckpt_callback_error("the cube is tired");
    return 3;
  }
  noise = next_noise(self);
  *(double*)workspace = noise;
  for (i = 0; i < elements(context->input); ++i) y[i] = self->a * noise * x[i] * x[i] * x[i];
  if (tape != NULL) {
    double* record = (double*)tape;
    record[0] = noise;
    if (context->option == 1) {
      for (i = 0; i < elements(context->input); ++i) record[1 + i] = 3 * self->a * noise * x[i] * x[i];
    }
  }
  return 0;
}

static int32_t cube_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                             const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  cube* self = (cube*)user_data;
  const double* x = (const double*)input;
  const double* g = (const double*)grad_output;
  const double* record = (const double*)tape;
  double* gx = (double*)grad_input;
  int64_t i;
  CHECK(output == NULL && workspace != NULL); /* the output was not requested */
  for (i = 0; i < elements(context->input); ++i) {
    self->a_gradient += g[i] * record[0] * x[i] * x[i] * x[i];
    gx[i] = g[i] * (context->option == 1 ? record[1 + i] : 3 * self->a * record[0] * x[i] * x[i]);
  }
  return 0;
}

static int32_t cube_save(void* state, void* user_data) {
  memcpy(state, &((cube*)user_data)->generator, sizeof(uint64_t));
  return 0;
}

static int32_t cube_restore(const void* state, void* user_data) {
  memcpy(&((cube*)user_data)->generator, state, sizeof(uint64_t));
  return 0;
}

static void cube_destroy(void* user_data) { ++((cube*)user_data)->destroyed; }

static ckpt_layer_callbacks cube_callbacks(void) {
  ckpt_layer_callbacks callbacks;
  CKPT_INIT(ckpt_layer_callbacks, &callbacks);
  callbacks.options = 2;
  callbacks.ambient_bytes = sizeof(uint64_t);
  callbacks.output = cube_output;
  callbacks.option = cube_option;
  callbacks.forward = cube_forward;
  callbacks.backward = cube_backward;
  callbacks.save_ambient = cube_save;
  callbacks.restore_ambient = cube_restore;
  return callbacks;
}

/* linear (10), cube (11), linear (12): the chain is a piece of a longer one. */
static ckpt_chain* cube_chain(cube* self) {
  const ckpt_layer_callbacks callbacks = cube_callbacks();
  ckpt_chain* chain = NULL;
  ckpt_layer* layer = NULL;
  CHECK_OK(ckpt_chain_create(10, &chain));
  CHECK_OK(ckpt_layer_create("first", "linear:3,4,F64", &layer));
  CHECK_OK(ckpt_chain_add(chain, layer));
  CHECK_FAILS(ckpt_chain_add(chain, layer), CKPT_E_INVALID_STATE, "layer 'first' belongs to a chain already");
  ckpt_layer_release(layer);
  CHECK_OK(ckpt_layer_create_custom("cube", &callbacks, self, cube_destroy, &layer));
  CHECK_OK(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
  CHECK_OK(ckpt_layer_create("last", "linear:4,2,F64", &layer));
  CHECK_OK(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
  CHECK_OK(ckpt_chain_initialize(chain, 1));
  return chain;
}

typedef struct cube_result {
  double output[10];
  double input_gradient[15];
  double a_gradient;
  uint64_t generator;
  int recomputations;
} cube_result;

static void run_cube(int segments, int32_t option, cube_result* result) {
  static const double x[15] = {0.5, -1, 0.25, 1, 2, -0.5, 0.1, 0.2, 0.3, -0.7, 0.9, 1.1, -1.2, 0.4, 0.6};
  static const int64_t out_shape[] = {5, 2};
  cube self = {0.5, 0, 42, 0, 0, 0, 0};
  ckpt_chain* chain = cube_chain(&self);
  ckpt_tensor_spec input = {CKPT_DTYPE_F64, 2, {5, 3}};
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_schedule_executor* executor = NULL;
  ckpt_step step;
  ckpt_schedule_executor_stats stats;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  ckpt_tensor *tensor_x = NULL, *output = NULL, *output_gradient = NULL, *input_gradient = NULL;
  double loss = 0;
  CHECK_OK(ckpt_profile_create_from_chain(chain, &input, 0, NULL, &profile));
  CHECK_OK(schedule_by(profile, "periodic", segments, &schedule));
  if (option == 1) { /* the same actions with the other option of the cube */
    ckpt_schedule_action actions[64];
    ckpt_cursor* cursor = NULL;
    int64_t count = 0;
    int64_t i;
    CHECK_OK(ckpt_cursor_create(schedule, &cursor));
    CHECK_OK(ckpt_cursor_next_many(cursor, actions, 64, &count));
    for (i = 0; i < count; ++i) {
      const int runs = actions[i].kind == CKPT_ACTION_KIND_FORWARD_TAPE || actions[i].kind == CKPT_ACTION_KIND_BACKWARD;
      if (runs && actions[i].first == 1) actions[i].option = 1;
    }
    ckpt_cursor_release(cursor);
    ckpt_schedule_release(schedule);
    CHECK_OK(ckpt_schedule_create_list(3, actions, count, &schedule));
  }
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &input, NULL, &executor));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F64, input.shape, 2, NULL, &tensor_x));
  memcpy(ckpt_tensor_get_data(tensor_x), x, sizeof x);
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F64, out_shape, 2, NULL, &output));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F64, out_shape, 2, NULL, &output_gradient));
  CHECK_OK(ckpt_tensor_fill(output_gradient, 0.75));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F64, input.shape, 2, NULL, &input_gradient));
  CKPT_INIT(ckpt_step, &step);
  step.step = 5;
  step.seed = 77;
  step.first_sample = 100;
  step.input = tensor_x;
  CHECK_FAILS(ckpt_schedule_executor_run(executor, &step, &loss), CKPT_E_INVALID_ARGUMENT, "output_gradient is NULL");
  step.output_gradient = output_gradient;
  step.output = output;
  step.input_gradient = input_gradient;
  CHECK_OK(ckpt_schedule_executor_run(executor, &step, &loss));
  CHECK(isnan(loss)); /* ten numbers are not a loss */
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  CKPT_INIT(ckpt_schedule_executor_stats, &stats);
  CHECK_OK(ckpt_schedule_executor_get_stats(executor, &stats));
  CHECK(stats.steps == 1 && stats.live_bytes == 0 && stats.peak_live_bytes == report.peak_bytes[0]);
  CHECK(stats.recomputed_forwards == report.recomputed_forwards && stats.reserved_bytes >= stats.peak_live_bytes);
  memcpy(result->output, ckpt_tensor_get_data(output), sizeof result->output);
  memcpy(result->input_gradient, ckpt_tensor_get_data(input_gradient), sizeof result->input_gradient);
  result->a_gradient = self.a_gradient;
  result->generator = self.generator;
  result->recomputations = self.recomputations;

  self.fail_at_forward = self.forwards + 1;
  CHECK_FAILS(ckpt_schedule_executor_run(executor, &step, &loss), CKPT_E_CALLBACK, "layer 'cube' forward: the cube is tired");
  CHECK_OK(ckpt_schedule_executor_get_stats(executor, &stats));
  CHECK(stats.live_bytes == 0 && stats.steps == 1);
  CHECK_OK(ckpt_schedule_executor_run(executor, &step, &loss)); /* the next step works */

  /* Released in any order: the executor keeps its dependencies alive. */
  ckpt_chain_release(chain);
  ckpt_profile_release(profile);
  ckpt_schedule_release(schedule);
  CHECK(self.destroyed == 0);
  CHECK_OK(ckpt_schedule_executor_run(executor, &step, &loss));
  ckpt_schedule_executor_release(executor);
  CHECK(self.destroyed == 1);
  ckpt_tensor_release(tensor_x);
  ckpt_tensor_release(output);
  ckpt_tensor_release(output_gradient);
  ckpt_tensor_release(input_gradient);
}

static void custom_layers(void) {
  cube_result stored;
  cube_result other;
  int segments;
  int32_t option;
  run_cube(1, 0, &stored);
  CHECK(stored.recomputations == 0);
  for (segments = 1; segments <= 3; ++segments) {
    for (option = 0; option < 2; ++option) {
      run_cube(segments, option, &other);
      CHECK(memcmp(other.output, stored.output, sizeof stored.output) == 0);
      CHECK(memcmp(other.input_gradient, stored.input_gradient, sizeof stored.input_gradient) == 0);
      CHECK(memcmp(&other.a_gradient, &stored.a_gradient, sizeof(double)) == 0);
      CHECK(other.generator == stored.generator);             /* a recomputation does not change the ambient state */
      CHECK(other.recomputations == (segments == 3 ? 1 : 0)); /* with three segments, the cube is its own segment */
    }
  }
}

static void custom_layer_rules(void) {
  ckpt_layer_callbacks callbacks = cube_callbacks();
  ckpt_layer* layer = NULL;
  cube self = {0.5, 0, 42, 0, 0, 0, 0};
  callbacks.save_ambient = NULL;
  CHECK_FAILS(ckpt_layer_create_custom("c", &callbacks, &self, cube_destroy, &layer), CKPT_E_INVALID_ARGUMENT, "save_ambient");
  callbacks = cube_callbacks();
  callbacks.forward = NULL;
  CHECK_FAILS(ckpt_layer_create_custom("c", &callbacks, &self, cube_destroy, &layer), CKPT_E_INVALID_ARGUMENT, "forward is NULL");
  callbacks = cube_callbacks();
  callbacks.options = 0;
  CHECK_FAILS(ckpt_layer_create_custom("c", &callbacks, &self, cube_destroy, &layer), CKPT_E_INVALID_ARGUMENT, "options is 0");
  callbacks.options = 1;
  callbacks.flags = 512;
  CHECK_FAILS(ckpt_layer_create_custom("c", &callbacks, &self, cube_destroy, &layer), CKPT_E_INVALID_ARGUMENT, "flags is 512");
  CHECK(layer == NULL && self.destroyed == 0); /* a failed call does not take user_data */

  { /* an input that the layer refuses; a layer that may not run twice */
    ckpt_chain* chain = NULL;
    ckpt_profile* profile = NULL;
    ckpt_schedule* schedule = NULL;
    ckpt_schedule_executor* executor = NULL;
    ckpt_tensor_spec spec = {CKPT_DTYPE_F32, 1, {4}};
    callbacks = cube_callbacks();
    callbacks.flags = CKPT_LAYER_FLAG_NEEDS_INPUT;
    CHECK_OK(ckpt_chain_create(0, &chain));
    CHECK_OK(ckpt_layer_create_custom("once", &callbacks, &self, cube_destroy, &layer));
    CHECK_OK(ckpt_chain_add(chain, layer));
    ckpt_layer_release(layer);
    CHECK_OK(ckpt_layer_create("relu", "relu", &layer));
    CHECK_OK(ckpt_chain_add(chain, layer));
    ckpt_layer_release(layer);
    CHECK_FAILS(ckpt_profile_create_from_chain(chain, &spec, 0, NULL, &profile), CKPT_E_CALLBACK,
                "layer 'once' output: the cube needs F64");
    spec.dtype = CKPT_DTYPE_F64;
    CHECK_OK(ckpt_profile_create_from_chain(chain, &spec, 0, NULL, &profile));
    CHECK_OK(ckpt_schedule_create(profile, "periodic:2", &schedule));
    CHECK_FAILS(ckpt_schedule_executor_create(chain, schedule, &spec, NULL, &executor), CKPT_E_INVALID_SCHEDULE,
                "is not deterministic");
    CHECK(executor == NULL);
    ckpt_schedule_release(schedule);
    ckpt_profile_release(profile);
    ckpt_chain_release(chain);
    CHECK(self.destroyed == 1);
  }
}

/* ---- A model of built-in layers ---- */

static ckpt_chain* byte_model(void) {
  ckpt_chain* chain = NULL;
  ckpt_layer* layers[7];
  int i;
  CHECK_OK(ckpt_chain_create(0, &chain));
  CHECK_OK(make_layer(&layers[0], "embedding", "embedding:%d,%d,%d", VOCABULARY, CONTEXT, WIDTH / CONTEXT));
  CHECK_OK(make_layer(&layers[1], "hidden", "linear:%d,%d", WIDTH, WIDTH));
  CHECK_OK(ckpt_layer_create("gelu", "gelu", &layers[2]));
  CHECK_OK(ckpt_layer_create("dropout", "dropout:0.1", &layers[3]));
  CHECK_OK(ckpt_layer_create("relu", "relu", &layers[4]));
  CHECK_OK(make_layer(&layers[5], "head", "linear:%d,%d", WIDTH, VOCABULARY));
  CHECK_OK(ckpt_layer_create("loss", "softmax_cross_entropy", &layers[6]));
  for (i = 0; i < 7; ++i) {
    CHECK_OK(ckpt_chain_add(chain, layers[i]));
    ckpt_layer_release(layers[i]);
  }
  CHECK_OK(ckpt_chain_initialize(chain, 3));
  return chain;
}

static double train(int segments, int use_adamw, int32_t threads) {
  ckpt_chain* chain = byte_model();
  ckpt_tensor_spec input = {CKPT_DTYPE_U8, 2, {SAMPLES, CONTEXT}};
  static const int64_t target_shape[] = {SAMPLES};
  ckpt_worker_pool* pool = NULL;
  ckpt_memory_tracker* tracker = NULL;
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_schedule_executor* executor = NULL;
  ckpt_schedule_executor_options options;
  ckpt_optimizer* optimizer = NULL;
  ckpt_tensor *tokens = NULL, *targets = NULL;
  ckpt_step step = CKPT_STEP_INIT;
  double loss = 0, first = 0, norm = 0;
  int64_t steps = 0;
  int i;
  CHECK_OK(ckpt_worker_pool_create(threads, &pool));
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_profile_create_from_chain(chain, &input, 2, pool, &profile));
  CHECK_OK(schedule_by(profile, "periodic", segments, &schedule));
  CKPT_INIT(ckpt_schedule_executor_options, &options);
  options.pool = pool;
  options.tracker = tracker;
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &input, &options, &executor));
  if (use_adamw) {
    ckpt_adamw_options adamw;
    CKPT_INIT(ckpt_adamw_options, &adamw);
    adamw.learning_rate = 0.01;
    CHECK_OK(ckpt_optimizer_create_adamw(chain, &adamw, &optimizer));
  } else {
    CHECK_OK(ckpt_optimizer_create_sgd(chain, 0.05, 0.9, &optimizer));
  }
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_U8, input.shape, 2, NULL, &tokens));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_U8, target_shape, 1, NULL, &targets));
  for (i = 0; i < SAMPLES * CONTEXT; ++i) ((unsigned char*)ckpt_tensor_get_data(tokens))[i] = (unsigned char)(i * 7 % VOCABULARY);
  for (i = 0; i < SAMPLES; ++i) ((unsigned char*)ckpt_tensor_get_data(targets))[i] = (unsigned char)(i * 5 % VOCABULARY);
  step.seed = 9;
  step.input = tokens;
  step.targets = targets;
  for (i = 0; i < 40; ++i) {
    step.step = i;
    CHECK_OK(ckpt_schedule_executor_run(executor, &step, &loss));
    if (i == 0) first = loss;
    if (threads == 2) { /* in one pass over the parameters */
      CHECK_OK(ckpt_optimizer_step_and_zero(optimizer, 1.0, &norm));
      step.accumulate = 1;
    } else {
      CHECK_OK(ckpt_chain_clip_gradients(chain, 1.0, &norm));
      CHECK_OK(ckpt_optimizer_step(optimizer));
    }
    CHECK(norm > 0);
  }
  CHECK(loss < first);
  CHECK_OK(ckpt_optimizer_get_step_count(optimizer, &steps));
  CHECK(steps == 40);
  CHECK_OK(ckpt_optimizer_set_step_count(optimizer, 7));
  CHECK_OK(ckpt_optimizer_get_step_count(optimizer, &steps));
  CHECK(steps == 7);
  ckpt_worker_pool_release(pool);
  ckpt_memory_tracker_release(tracker);
  ckpt_profile_release(profile);
  ckpt_schedule_release(schedule);
  ckpt_chain_release(chain);
  CHECK_OK(ckpt_optimizer_step(optimizer)); /* the optimizer keeps the chain alive */
  ckpt_optimizer_release(optimizer);
  ckpt_schedule_executor_release(executor);
  ckpt_tensor_release(tokens);
  ckpt_tensor_release(targets);
  return loss;
}

static void training(void) {
  const double sgd = train(1, 0, 1);
  const double adamw = train(1, 1, 2);
  CHECK(train(3, 0, 3) == sgd); /* the same bits under another schedule and number of threads */
  CHECK(train(7, 1, 1) == adamw);
}

static void names_and_tensors(void) {
  ckpt_chain* chain = byte_model();
  ckpt_optimizer* optimizer = NULL;
  ckpt_tensor *value = NULL, *gradient = NULL;
  const char* name = NULL;
  int64_t count = 0;
  CHECK_OK(ckpt_chain_get_layer_count(chain, &count));
  CHECK(count == 7);
  CHECK_OK(ckpt_chain_get_parameter_count(chain, &count));
  CHECK(count == 5);
  CHECK_OK(ckpt_chain_get_parameter(chain, 1, &name, &value, &gradient));
  CHECK(strcmp(name, "hidden.weight") == 0 && ckpt_tensor_get_bytes(value) == WIDTH * WIDTH * 4 &&
        ckpt_tensor_get_bytes(gradient) == ckpt_tensor_get_bytes(value));
  ckpt_tensor_release(value);
  ckpt_tensor_release(gradient);
  CHECK_FAILS(ckpt_chain_get_parameter(chain, 5, &name, NULL, NULL), CKPT_E_OUT_OF_RANGE, "parameter is 5");
  CHECK_OK(ckpt_optimizer_create_adamw(chain, NULL, &optimizer));
  CHECK_OK(ckpt_optimizer_get_tensor_count(optimizer, &count));
  CHECK(count == 10);
  CHECK_OK(ckpt_optimizer_get_tensor(optimizer, 3, &name, &value));
  CHECK(strcmp(name, "hidden.weight.v") == 0);
  ckpt_tensor_release(value);
  CHECK_FAILS(ckpt_optimizer_get_tensor(optimizer, -1, &name, NULL), CKPT_E_OUT_OF_RANGE, "tensor is -1");
  CHECK_FAILS(ckpt_optimizer_set_step_count(optimizer, -1), CKPT_E_INVALID_ARGUMENT, "step_count is -1");
  ckpt_optimizer_release(optimizer);
  ckpt_chain_release(chain);
}

/* Layers by text: omitted values have defaults, blanks are ignored, and every invalid text is reported with its error. */
static void kinds(void) {
  static const char* const wrong[] = {
      "linear",      "linear:",     "linear:4",   "linear:4,4,F32,1", "linear:0,4",   "linear:4,x",  "linear:4,,4", "linear:4,4,I8",
      "linear:4,4,", "relu:1",      "relu:",      "gelu:0.1",         "dropout",      "dropout:",    "dropout:0,1", "dropout:1",
      "dropout:p",   "dropout:inf", "dropout:-1", "embedding:4,4",    "linear:4:4,4", "linear:4.5,4"};
  static const char* const unknown[] = {"", ":", "Linear:4,4", "linear 4,4", "softmax"};
  static const char* const known[] = {"linear:INPUTS,OUTPUTS[,DTYPE] - ",
                                      "\nrelu - ",
                                      "\ngelu - ",
                                      "\nembedding:VOCABULARY,CONTEXT,WIDTH[,DTYPE] - ",
                                      "\ndropout:PROBABILITY - ",
                                      "\nsoftmax_cross_entropy - "};
  ckpt_layer* layer = NULL;
  ckpt_chain* chain = NULL;
  ckpt_tensor* value = NULL;
  char text[2048];
  int64_t needed = 0;
  size_t i;
  CHECK_OK(ckpt_chain_create(0, &chain));
  CHECK_OK(ckpt_layer_create("a", "linear:3,4", &layer));
  CHECK_OK(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
  CHECK_OK(ckpt_layer_create("b", " linear : 4 , 2 , F64 ", &layer));
  CHECK_OK(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
  CHECK_OK(ckpt_chain_get_parameter(chain, 0, NULL, &value, NULL));
  CHECK(ckpt_tensor_get_bytes(value) == 3 * 4 * 4);
  ckpt_tensor_release(value);
  CHECK_OK(ckpt_chain_get_parameter(chain, 2, NULL, &value, NULL));
  CHECK(ckpt_tensor_get_bytes(value) == 4 * 2 * 8);
  ckpt_tensor_release(value);
  ckpt_chain_release(chain);

  layer = NULL;
  for (i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    CHECK_FAILS(ckpt_layer_create("a", wrong[i], &layer), CKPT_E_INVALID_ARGUMENT, wrong[i]);
    CHECK(layer == NULL);
  }
  for (i = 0; i < sizeof unknown / sizeof *unknown; ++i) {
    CHECK_FAILS(ckpt_layer_create("a", unknown[i], &layer), CKPT_E_NOT_FOUND, "known: linear:INPUTS,OUTPUTS[,DTYPE], relu, gelu, ");
  }
  CHECK_FAILS(ckpt_layer_create("a", "linear:4", &layer), CKPT_E_INVALID_ARGUMENT,
              "layer 'linear:4': the layer is linear:INPUTS,OUTPUTS[,DTYPE]; 1 value is given");
  CHECK_FAILS(ckpt_layer_create("a", "\xff", &layer), CKPT_E_INVALID_ARGUMENT, "not valid UTF-8");
  CHECK_FAILS(ckpt_layer_create("a", NULL, &layer), CKPT_E_INVALID_ARGUMENT, "kind is NULL");
  CHECK_FAILS(ckpt_layer_create(NULL, "relu", &layer), CKPT_E_INVALID_ARGUMENT, "name is NULL");
  CHECK_FAILS(ckpt_layer_create(" ", "relu", &layer), CKPT_E_INVALID_ARGUMENT, "name");
  CHECK_FAILS(ckpt_layer_create("a", "relu", NULL), CKPT_E_INVALID_ARGUMENT, "layer is NULL");
  CHECK(layer == NULL);

  CHECK_OK(ckpt_layer_get_known_kinds(NULL, 0, &needed));
  CHECK_OK(ckpt_layer_get_known_kinds(text, sizeof text, NULL));
  CHECK(needed == (int64_t)strlen(text));
  for (i = 0; i < sizeof known / sizeof *known; ++i) CHECK(strstr(text, known[i]) != NULL);
}

static void bad_arguments(void) {
  ckpt_chain* chain = byte_model();
  ckpt_layer* layer = NULL;
  ckpt_profile* profile = NULL;
  ckpt_optimizer* optimizer = NULL;
  ckpt_adamw_options adamw = CKPT_ADAMW_OPTIONS_INIT;
  ckpt_blas blas;
  ckpt_tensor_spec spec = {CKPT_DTYPE_U8, 2, {SAMPLES, CONTEXT}};
  char text[256];
  int64_t needed = 0;
  CHECK_FAILS(ckpt_chain_create(-1, &chain), CKPT_E_INVALID_ARGUMENT, "first_layer is -1");
  CHECK_FAILS(ckpt_layer_create("a", "linear:-4,1", &layer), CKPT_E_INVALID_ARGUMENT, "inputs is -4");
  CHECK_FAILS(ckpt_layer_create("a", "linear:4,1,BF16", &layer), CKPT_E_INVALID_ARGUMENT, "dtype is 'BF16'");
  CHECK_FAILS(ckpt_layer_create("a", "linear:4611686018427387903,4", &layer), CKPT_E_OUT_OF_RANGE, "INT64_MAX");
  CHECK_FAILS(ckpt_layer_create("a", "dropout:nan", &layer), CKPT_E_INVALID_ARGUMENT, "probability is nan");
  CHECK_FAILS(ckpt_layer_create("\xff", "gelu", &layer), CKPT_E_INVALID_ARGUMENT, "name is not valid UTF-8");
  CHECK(layer == NULL);
  spec.ndim = 9;
  CHECK_FAILS(ckpt_profile_create_from_chain(chain, &spec, 0, NULL, &profile), CKPT_E_INVALID_ARGUMENT, "input.ndim is 9");
  spec.ndim = 2;
  spec.shape[0] = 0;
  CHECK_FAILS(ckpt_profile_create_from_chain(chain, &spec, 0, NULL, &profile), CKPT_E_INVALID_ARGUMENT, "at least one sample");
  spec.shape[0] = 2;
  spec.shape[1] = 5;
  CHECK_FAILS(ckpt_profile_create_from_chain(chain, &spec, 0, NULL, &profile), CKPT_E_INVALID_ARGUMENT,
              "layer 'embedding': the input is U8[2, 5]");
  spec.shape[1] = CONTEXT;
  CHECK_FAILS(ckpt_profile_create_from_chain(chain, &spec, -1, NULL, &profile), CKPT_E_INVALID_ARGUMENT, "measured_steps is -1");
  CHECK(profile == NULL);
  CHECK_FAILS(ckpt_optimizer_create_sgd(chain, -1, 0, &optimizer), CKPT_E_INVALID_ARGUMENT, "learning_rate is -1");
  adamw.beta2 = 1;
  CHECK_FAILS(ckpt_optimizer_create_adamw(chain, &adamw, &optimizer), CKPT_E_INVALID_ARGUMENT, "beta2 is 1");
  CHECK(optimizer == NULL);
  CHECK_FAILS(ckpt_chain_clip_gradients(chain, (double)NAN, NULL), CKPT_E_INVALID_ARGUMENT, "max_norm is nan");
  CHECK_FAILS(ckpt_optimizer_step_and_zero(NULL, 1.0, NULL), CKPT_E_INVALID_ARGUMENT, "optimizer is NULL");
  CHECK_OK(ckpt_optimizer_create_sgd(chain, 1, 0, &optimizer));
  CHECK_FAILS(ckpt_optimizer_step_and_zero(optimizer, (double)NAN, NULL), CKPT_E_INVALID_ARGUMENT, "max_norm is nan");
  CHECK_FAILS(ckpt_optimizer_step_and_zero(optimizer, 0, NULL), CKPT_E_INVALID_ARGUMENT, "max_norm is 0");
  CHECK_OK(ckpt_optimizer_step_and_zero(optimizer, (double)INFINITY, NULL));
  ckpt_optimizer_release(optimizer);
  CHECK_OK(ckpt_blas_get_info(text, sizeof text, &needed));
  CHECK(needed == (int64_t)strlen(text) && needed > 0);
  CHECK_FAILS(ckpt_blas_get_info(text, 2, NULL), CKPT_E_OUT_OF_RANGE, "capacity is 2");
  CKPT_INIT(ckpt_blas, &blas);
  CHECK_FAILS(ckpt_blas_set(&blas), CKPT_E_INVALID_ARGUMENT, "sgemm and dgemm");
  ckpt_chain_release(chain);
}

/* ---- A head that shares the embedding's weight, losses without steps, and learning rates ---- */

enum { SENTENCES = 6, TOKENS = 4, WORDS = 16 };

typedef struct language {
  ckpt_chain* chain;
  ckpt_schedule_executor* executor;
  ckpt_tensor* tokens;
  ckpt_tensor* weight;
  ckpt_tensor* gradient;
  ckpt_step step;
} language;

/* A language model that repeats each token: something to learn for one weight used at both ends. */
static language make_language(ckpt_worker_pool* pool, ckpt_bool check_finite) {
  static const char* const kinds[] = {"token_embedding:16,4,8", "attention:8,2,dropout=0.1", "dropout:0.5", NULL,
                                      "softmax_cross_entropy"};
  const ckpt_tensor_spec input = {CKPT_DTYPE_U8, 2, {SENTENCES, TOKENS}};
  ckpt_layer* layers[5] = {NULL, NULL, NULL, NULL, NULL};
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  const char* name = NULL;
  language created;
  int i;
  memset(&created, 0, sizeof created);
  CHECK_OK(ckpt_chain_create(0, &created.chain));
  for (i = 0; i < 5; ++i) {
    if (kinds[i] != NULL) {
      CHECK_OK(ckpt_layer_create(kinds[i], kinds[i], &layers[i]));
    } else {
      CHECK_FAILS(ckpt_layer_create_tied_head("head", layers[1], &layers[i]), CKPT_E_INVALID_ARGUMENT, "embedding");
      CHECK_FAILS(ckpt_layer_create_tied_head("head", NULL, &layers[i]), CKPT_E_INVALID_ARGUMENT, "embedding is NULL");
      CHECK(layers[i] == NULL);
      CHECK_OK(ckpt_layer_create_tied_head("head", layers[0], &layers[i]));
    }
    CHECK_OK(ckpt_chain_add(created.chain, layers[i]));
  }
  for (i = 0; i < 5; ++i) ckpt_layer_release(layers[i]);
  CHECK_OK(ckpt_chain_initialize(created.chain, 3));
  CHECK_OK(ckpt_chain_get_parameter(created.chain, 0, &name, &created.weight, &created.gradient));
  CHECK(strstr(name, "tokens.weight") != NULL && ckpt_tensor_get_bytes(created.weight) == WORDS * 8 * 4);
  CHECK_FAILS(ckpt_chain_set_worker_pool(created.chain, (ckpt_worker_pool*)(void*)created.chain), CKPT_E_INVALID_ARGUMENT, "pool");
  CHECK_OK(ckpt_chain_set_worker_pool(created.chain, pool));
  CHECK_OK(ckpt_profile_create_from_chain(created.chain, &input, 0, NULL, &profile));
  CHECK_OK(ckpt_schedule_create(profile, "recompute-all", &schedule));
  options.check_finite = 2;
  CHECK_FAILS(ckpt_schedule_executor_create(created.chain, schedule, &input, &options, &created.executor), CKPT_E_INVALID_ARGUMENT,
              "options.check_finite is 2");
  options.check_finite = check_finite;
  options.pool = pool;
  CHECK_OK(ckpt_schedule_executor_create(created.chain, schedule, &input, &options, &created.executor));
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_U8, input.shape, 2, NULL, &created.tokens));
  for (i = 0; i < SENTENCES * TOKENS; ++i)
    ((unsigned char*)ckpt_tensor_get_data(created.tokens))[i] = (unsigned char)(i * 5 % WORDS);
  CKPT_INIT(ckpt_step, &created.step);
  created.step.seed = 9;
  created.step.input = created.tokens;
  created.step.targets = created.tokens;
  return created;
}

static void release_language(language* used) {
  ckpt_schedule_executor_release(used->executor);
  ckpt_chain_release(used->chain);
  ckpt_tensor_release(used->tokens);
  ckpt_tensor_release(used->weight);
  ckpt_tensor_release(used->gradient);
}

static double train_language(int32_t threads) {
  ckpt_worker_pool* pool = NULL;
  ckpt_optimizer* optimizer = NULL;
  double loss = 0, first = 0, last = 0, again = 0, rate = 0;
  unsigned char before[WORDS * 8 * 4];
  language used;
  CHECK_OK(ckpt_worker_pool_create(threads, &pool));
  used = make_language(pool, 1);
  ckpt_worker_pool_release(pool); /* the chain keeps it alive */
  CHECK_OK(ckpt_optimizer_create_sgd(used.chain, 0.5, 0.9, &optimizer));
  CHECK_OK(ckpt_optimizer_get_learning_rate(optimizer, &rate));
  CHECK(rate == 0.5);
  CHECK_OK(ckpt_optimizer_set_learning_rate(optimizer, 0.125));
  CHECK_OK(ckpt_schedule_executor_evaluate(used.executor, &used.step, 5, &first));
  for (used.step.step = 0; used.step.step < 40; ++used.step.step) {
    CHECK_OK(ckpt_schedule_executor_run(used.executor, &used.step, &loss));
    CHECK_OK(ckpt_chain_clip_gradients(used.chain, 1.0, NULL));
    CHECK_OK(ckpt_optimizer_step(optimizer));
  }

  /* No dropout, so the number of the step does not matter; and evaluation leaves the gradient unchanged. */
  memcpy(before, ckpt_tensor_get_data(used.gradient), sizeof before);
  CHECK_OK(ckpt_schedule_executor_evaluate(used.executor, &used.step, 5, &last));
  used.step.step = 7;
  CHECK_OK(ckpt_schedule_executor_evaluate(used.executor, &used.step, 5, &again));
  CHECK(last < first && last == again);
  CHECK(memcmp(before, ckpt_tensor_get_data(used.gradient), sizeof before) == 0);
  CHECK_OK(ckpt_schedule_executor_evaluate(used.executor, &used.step, 4, &again));
  CHECK(isnan(again)); /* the head's output has more than one element */
  CHECK_FAILS(ckpt_schedule_executor_evaluate(used.executor, &used.step, 0, &again), CKPT_E_INVALID_ARGUMENT, "layer_count is 0");
  CHECK_FAILS(ckpt_schedule_executor_evaluate(used.executor, &used.step, 6, &again), CKPT_E_INVALID_ARGUMENT, "layer_count is 6");
  CHECK_FAILS(ckpt_schedule_executor_evaluate(used.executor, NULL, 5, &again), CKPT_E_INVALID_ARGUMENT, "step is NULL");

  /* At a rate of zero a step changes nothing. */
  memcpy(before, ckpt_tensor_get_data(used.weight), sizeof before);
  CHECK_OK(ckpt_optimizer_set_learning_rate(optimizer, 0));
  CHECK_OK(ckpt_optimizer_step(optimizer));
  CHECK(memcmp(before, ckpt_tensor_get_data(used.weight), sizeof before) == 0);
  CHECK_FAILS(ckpt_optimizer_set_learning_rate(optimizer, -1), CKPT_E_INVALID_ARGUMENT, "learning_rate is -1");
  CHECK_FAILS(ckpt_optimizer_set_learning_rate(optimizer, (double)NAN), CKPT_E_INVALID_ARGUMENT, "learning_rate is nan");
  CHECK_FAILS(ckpt_optimizer_get_learning_rate(optimizer, NULL), CKPT_E_INVALID_ARGUMENT, "learning_rate is NULL");
  CHECK_OK(ckpt_optimizer_get_learning_rate(optimizer, &rate));
  CHECK(rate == 0);
  ckpt_optimizer_release(optimizer);
  release_language(&used);
  return last;
}

static void languages(void) { CHECK(train_language(1) == train_language(3)); }

static void non_finite_values(void) {
  ckpt_bool checks;
  for (checks = 0; checks < 2; ++checks) {
    double loss = 0;
    language used = make_language(NULL, checks);
    CHECK_OK(ckpt_tensor_fill(used.weight, (double)INFINITY));
    CHECK_FAILS(ckpt_schedule_executor_run(used.executor, &used.step, &loss), CKPT_E_OUT_OF_RANGE,
                checks ? "token_embedding:16,4,8" : "loss");
    CHECK_OK(ckpt_chain_initialize(used.chain, 3));
    CHECK_OK(ckpt_schedule_executor_run(used.executor, &used.step, &loss));
    CHECK(loss > 0);
    release_language(&used);
  }
}

static void learning_rates(void) {
  ckpt_learning_rate_schedule schedule;
  double rate = 0;
  CKPT_INIT(ckpt_learning_rate_schedule, &schedule);
  CHECK_OK(ckpt_learning_rate_at(&schedule, 1000000, &rate));
  CHECK(rate == 1e-3);
  schedule.kind = CKPT_LEARNING_RATE_KIND_COSINE;
  schedule.peak_rate = 1;
  schedule.last_rate = 0.25;
  schedule.warm_up_steps = 3;
  schedule.step_count = 11;
  CHECK_OK(ckpt_learning_rate_at(&schedule, 0, &rate));
  CHECK(rate == 0.25);
  CHECK_OK(ckpt_learning_rate_at(&schedule, 2, &rate));
  CHECK(rate == 0.75);
  CHECK_OK(ckpt_learning_rate_at(&schedule, 3, &rate));
  CHECK(rate == 1);
  CHECK_OK(ckpt_learning_rate_at(&schedule, 7, &rate));
  CHECK(fabs(rate - 0.625) < 1e-12);
  CHECK_OK(ckpt_learning_rate_at(&schedule, 5, &rate));
  CHECK(rate > 0.25 + 0.75 * 0.75); /* above the straight line */
  CHECK_OK(ckpt_learning_rate_at(&schedule, 11, &rate));
  CHECK(rate == 0.25);
  schedule.kind = CKPT_LEARNING_RATE_KIND_LINEAR;
  CHECK_OK(ckpt_learning_rate_at(&schedule, 5, &rate));
  CHECK(rate == 0.25 + 0.75 * 0.75);
  CHECK_FAILS(ckpt_learning_rate_at(&schedule, -1, &rate), CKPT_E_INVALID_ARGUMENT, "step is -1");
  CHECK_FAILS(ckpt_learning_rate_at(&schedule, 1, NULL), CKPT_E_INVALID_ARGUMENT, "learning_rate is NULL");
  CHECK_FAILS(ckpt_learning_rate_at(NULL, 1, &rate), CKPT_E_INVALID_ARGUMENT, "schedule is NULL");
  schedule.peak_rate = -1;
  CHECK_FAILS(ckpt_learning_rate_at(&schedule, 1, &rate), CKPT_E_INVALID_ARGUMENT, "peak_rate is -1");
  CKPT_INIT(ckpt_learning_rate_schedule, &schedule);
  schedule.kind = 3;
  CHECK_FAILS(ckpt_learning_rate_at(&schedule, 1, &rate), CKPT_E_INVALID_ARGUMENT, "kind is 3");
  schedule.struct_size = 4;
  CHECK_FAILS(ckpt_learning_rate_at(&schedule, 1, &rate), CKPT_E_INVALID_ARGUMENT, "schedule.struct_size is 4");
}

/* Gradients are zero, so only decay changes values. */
static void decay(void) {
  ckpt_bool matrices_only;
  for (matrices_only = 0; matrices_only < 2; ++matrices_only) {
    ckpt_chain* chain = byte_model();
    ckpt_optimizer* optimizer = NULL;
    ckpt_tensor *weight = NULL, *bias = NULL;
    ckpt_adamw_options options = CKPT_ADAMW_OPTIONS_INIT;
    options.decay_matrices_only = 2;
    CHECK_FAILS(ckpt_optimizer_create_adamw(chain, &options, &optimizer), CKPT_E_INVALID_ARGUMENT,
                "options.decay_matrices_only is 2");
    options.decay_matrices_only = matrices_only;
    CHECK_OK(ckpt_optimizer_create_adamw(chain, &options, &optimizer));
    CHECK_OK(ckpt_chain_get_parameter(chain, 1, NULL, &weight, NULL));
    CHECK_OK(ckpt_chain_get_parameter(chain, 2, NULL, &bias, NULL));
    CHECK_OK(ckpt_tensor_fill(weight, 1));
    CHECK_OK(ckpt_tensor_fill(bias, 1));
    CHECK_OK(ckpt_optimizer_step(optimizer));
    CHECK(*(const float*)ckpt_tensor_get_const_data(weight) < 1);
    CHECK((*(const float*)ckpt_tensor_get_const_data(bias) < 1) == !matrices_only);
    ckpt_tensor_release(weight);
    ckpt_tensor_release(bias);
    ckpt_optimizer_release(optimizer);
    ckpt_chain_release(chain);
  }
}

/* ---- Graphs: value 1 skips two layers, and is read by three ---- */

static uint64_t checksum_of(const ckpt_tensor* tensor) {
  const unsigned char* bytes = (const unsigned char*)ckpt_tensor_get_const_data(tensor);
  uint64_t sum = UINT64_C(14695981039346656037);
  int64_t i;
  for (i = 0; i < ckpt_tensor_get_bytes(tensor); ++i) sum = (sum ^ bytes[i]) * UINT64_C(1099511628211);
  return sum;
}

static void add_reading(ckpt_chain* chain, const char* name, const char* kind, const int64_t* inputs, int64_t count) {
  ckpt_layer* layer = NULL;
  CHECK_OK(ckpt_layer_create(name, kind, &layer));
  CHECK_OK(ckpt_chain_add_with_inputs(chain, layer, inputs, count));
  ckpt_layer_release(layer);
}

static ckpt_chain* skip_model(void) {
  static const int64_t input[] = {0}, first[] = {1}, second[] = {2}, third[] = {3}, joined[] = {4, 1}, scaled[] = {1, 5},
                       cut[] = {6}, head[] = {7}, loss[] = {8};
  ckpt_chain* chain = NULL;
  CHECK_OK(ckpt_chain_create(0, &chain));
  add_reading(chain, "in", "linear:4,16", input, 1);
  add_reading(chain, "a", "linear:16,16", first, 1);
  add_reading(chain, "gelu", "gelu", second, 1);
  add_reading(chain, "b", "linear:16,16", third, 1);
  add_reading(chain, "skip", "add", joined, 2);
  add_reading(chain, "join", "concatenate", scaled, 2);
  add_reading(chain, "cut", "slice:8,24", cut, 1);
  add_reading(chain, "head", "linear:16,3", head, 1);
  add_reading(chain, "loss", "softmax_cross_entropy", loss, 1);
  CHECK_OK(ckpt_chain_initialize(chain, 5));
  return chain;
}

/* Returns the loss and a checksum of the gradients under a schedule; *recomputed receives the forwards that it repeats. */
static double run_skips(ckpt_chain* chain, const ckpt_profile* profile, const char* planner, uint64_t* gradients,
                        int64_t* recomputed, int64_t* reserved) {
  ckpt_tensor_spec spec = {CKPT_DTYPE_F32, 2, {SAMPLES, 4}};
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_schedule_executor_stats stats = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  ckpt_schedule* schedule = NULL;
  ckpt_schedule_executor* executor = NULL;
  ckpt_tensor *x = NULL, *classes = NULL;
  ckpt_step step = CKPT_STEP_INIT;
  int64_t shape[2] = {SAMPLES, 4}, count = 0, i;
  double loss = 0;
  CHECK_OK(ckpt_schedule_create(profile, planner, &schedule));
  options.recompute_check = CKPT_RECOMPUTE_CHECK_BITWISE;
  options.check_writes = 1;
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &spec, &options, &executor));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &x));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_I32, shape, 1, NULL, &classes));
  for (i = 0; i < SAMPLES * 4; ++i) ((float*)ckpt_tensor_get_data(x))[i] = (float)((i * 37) % 11) - 5.0f;
  for (i = 0; i < SAMPLES; ++i) ((int32_t*)ckpt_tensor_get_data(classes))[i] = (int32_t)(i % 3);
  step.input = x;
  step.targets = classes;
  CHECK_OK(ckpt_schedule_executor_run(executor, &step, &loss));
  CHECK_OK(ckpt_schedule_executor_get_stats(executor, &stats));
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  CHECK(stats.peak_live_bytes == report.peak_bytes[0]);
  CHECK(stats.recomputed_forwards == report.recomputed_forwards);
  *recomputed = stats.recomputed_forwards;
  *reserved = stats.reserved_bytes;
  *gradients = 0;
  CHECK_OK(ckpt_chain_get_parameter_count(chain, &count));
  for (i = 0; i < count; ++i) {
    ckpt_tensor* gradient = NULL;
    CHECK_OK(ckpt_chain_get_parameter(chain, i, NULL, NULL, &gradient));
    *gradients = *gradients * UINT64_C(31) + checksum_of(gradient);
    ckpt_tensor_release(gradient);
  }
  ckpt_tensor_release(classes);
  ckpt_tensor_release(x);
  ckpt_schedule_executor_release(executor);
  ckpt_schedule_release(schedule);
  return loss;
}

static void graphs(void) {
  static const int64_t both[] = {0, 9}, beyond[] = {10}, twice[] = {1, 1};
  ckpt_tensor_spec spec = {CKPT_DTYPE_F32, 2, {SAMPLES, 4}};
  ckpt_chain* chain = skip_model();
  ckpt_layer* layer = NULL;
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_pipeline* pipeline = NULL;
  uint64_t expected = 0, gradients = 0;
  int64_t recomputed = 0, reserved = 0, most = 0, layers = 0;
  double loss;
  char planner[64];

  CHECK_OK(ckpt_layer_create("late", "relu", &layer));
  CHECK_FAILS(ckpt_chain_add_with_inputs(chain, layer, beyond, 1), CKPT_E_INVALID_ARGUMENT, "inputs[0] is 10; expected 0 .. 9");
  CHECK_FAILS(ckpt_chain_add_with_inputs(chain, layer, twice, 2), CKPT_E_INVALID_ARGUMENT, "inputs has value 1 twice");
  CHECK_FAILS(ckpt_chain_add_with_inputs(chain, layer, NULL, 0), CKPT_E_INVALID_ARGUMENT, "inputs_count is 0");
  CHECK_FAILS(ckpt_chain_add_with_inputs(chain, layer, NULL, 1), CKPT_E_INVALID_ARGUMENT, "inputs is NULL");
  CHECK_FAILS(ckpt_chain_add_with_inputs(chain, layer, both, -1), CKPT_E_INVALID_ARGUMENT, "inputs");
  CHECK_FAILS(ckpt_chain_add_with_inputs(NULL, layer, both, 1), CKPT_E_INVALID_ARGUMENT, "chain is NULL");
  CHECK_FAILS(ckpt_chain_add_with_inputs(chain, NULL, both, 1), CKPT_E_INVALID_ARGUMENT, "layer is NULL");
  CHECK_OK(ckpt_chain_get_layer_count(chain, &layers));
  CHECK(layers == 9);

  CHECK_OK(ckpt_profile_create_from_chain(chain, &spec, 0, NULL, &profile));
  loss = run_skips(chain, profile, "store-all", &expected, &recomputed, &most);
  CHECK(recomputed == 0);
  snprintf(planner, sizeof planner, "auto:%lld", (long long)(most * 8 / 10));
  CHECK(run_skips(chain, profile, planner, &gradients, &recomputed, &reserved) == loss);
  CHECK(gradients == expected);
  CHECK(recomputed > 0);
  CHECK(reserved <= most * 8 / 10);
  CHECK_FAILS(ckpt_schedule_create(profile, "chain:1MiB", &schedule), CKPT_E_UNSUPPORTED, "graph:BYTES");
  CHECK_FAILS(ckpt_pipeline_create(chain, &spec, NULL, &pipeline), CKPT_E_UNSUPPORTED, "profile is a graph");
  /* A refused layer belongs to no chain; one that is added after the executor is refused. */
  CHECK_FAILS(ckpt_chain_add_with_inputs(chain, layer, both, 1), CKPT_E_INVALID_STATE, "used by an executor");
  ckpt_layer_release(layer);
  ckpt_profile_release(profile);
  ckpt_chain_release(chain);
}

int main(void) {
  custom_layers();
  custom_layer_rules();
  training();
  names_and_tensors();
  kinds();
  bad_arguments();
  languages();
  non_finite_values();
  learning_rates();
  decay();
  graphs();
  return 0;
}
