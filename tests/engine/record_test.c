/* A custom layer with its own record callback: RECORD runs that, without an output, with the same results as forward. */
#include "custom_chain.h"

enum { ELEMENTS = 6, LAYERS = 2 };

typedef struct square {
  int forwards;
  int records;
  int fails;
} square;

static int32_t square_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  (void)user_data;
  *output = *input;
  return 0;
}

static int32_t square_option(const ckpt_tensor_spec* input, int32_t option, ckpt_layer_option* out, void* user_data) {
  (void)input;
  (void)option;
  (void)user_data;
  out->tape_bytes = ELEMENTS * (int64_t)sizeof(float);
  out->forward_workspace_bytes = 32;
  return 0;
}

static int32_t square_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                              void* user_data) {
  const float* x = (const float*)input;
  int i;
  (void)context;
  CHECK(output != NULL && workspace != NULL);
  ++((square*)user_data)->forwards;
  for (i = 0; i < ELEMENTS; ++i) ((float*)output)[i] = x[i] * x[i];
  if (tape != NULL) memcpy(tape, input, ELEMENTS * sizeof(float));
  return 0;
}

static int32_t square_record(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                             void* user_data) {
  square* self = (square*)user_data;
  CHECK(context->recomputation == 1 && output == NULL && tape != NULL && workspace != NULL);
  ++self->records;
  memset(workspace, 1, 32);
  memcpy(tape, input, ELEMENTS * sizeof(float));
  if (self->fails) ckpt_callback_error("no ink");
  return self->fails;
}

static int32_t square_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                               const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  int i;
  (void)context;
  (void)workspace;
  (void)user_data;
  CHECK(input == NULL && output == NULL);
  for (i = 0; i < ELEMENTS; ++i) ((float*)grad_input)[i] = 2 * ((const float*)tape)[i] * ((const float*)grad_output)[i];
  return 0;
}

static const ckpt_tensor_spec spec = {CKPT_DTYPE_F32, 1, {ELEMENTS}};

static ckpt_chain* chain_of(square* squares, ckpt_bool has_record) {
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  callbacks.flags = CKPT_LAYER_FLAG_DETERMINISTIC;
  callbacks.output = square_output;
  callbacks.option = square_option;
  callbacks.forward = square_forward;
  callbacks.backward = square_backward;
  CHECK(callbacks.record == NULL);
  if (has_record) callbacks.record = square_record;
  return custom_chain(0, "square", LAYERS, &callbacks, squares, sizeof *squares);
}

static ckpt_schedule_action action(ckpt_action_kind kind, int64_t first, ckpt_item item) {
  ckpt_schedule_action created;
  memset(&created, 0, sizeof created);
  created.kind = kind;
  created.first = first;
  created.last = item == CKPT_ITEM_NONE ? first + 1 : 0;
  created.item = item;
  return created;
}

/* Recomputes layer 0 right before its backward. */
static ckpt_schedule* recording_schedule(void) {
  ckpt_schedule* schedule = NULL;
  ckpt_schedule_action actions[10];
  actions[0] = action(CKPT_ACTION_KIND_FORWARD, 0, CKPT_ITEM_NONE);
  actions[1] = action(CKPT_ACTION_KIND_FORWARD_TAPE, 1, CKPT_ITEM_NONE);
  actions[2] = action(CKPT_ACTION_KIND_DROP, 1, CKPT_ITEM_INPUT);
  actions[3] = action(CKPT_ACTION_KIND_TURN, 0, CKPT_ITEM_NONE);
  actions[4] = action(CKPT_ACTION_KIND_DROP, 2, CKPT_ITEM_INPUT);
  actions[5] = action(CKPT_ACTION_KIND_BACKWARD, 1, CKPT_ITEM_NONE);
  actions[6] = action(CKPT_ACTION_KIND_RECORD, 0, CKPT_ITEM_NONE);
  actions[7] = action(CKPT_ACTION_KIND_DROP, 0, CKPT_ITEM_INPUT);
  actions[8] = action(CKPT_ACTION_KIND_BACKWARD, 0, CKPT_ITEM_NONE);
  actions[9] = action(CKPT_ACTION_KIND_END, 0, CKPT_ITEM_NONE);
  CHECK_OK(ckpt_schedule_create_list(LAYERS, actions, 10, &schedule));
  return schedule;
}

/* Returns the gradient of the input, with counts of the calls. */
static void run(ckpt_bool has_record, int fails, float* gradient, square* squares) {
  ckpt_chain* chain = chain_of(squares, has_record);
  ckpt_schedule* schedule = recording_schedule();
  ckpt_schedule_executor* executor = NULL;
  ckpt_profile* profile = NULL;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_tensor *x = NULL, *g = NULL;
  ckpt_step step = CKPT_STEP_INIT;
  int i;
  squares[0].fails = fails;
  options.recompute_check = CKPT_RECOMPUTE_CHECK_BITWISE;
  options.check_writes = 1;
  CHECK_OK(ckpt_profile_create_from_chain(chain, &spec, 0, NULL, &profile));
  CHECK_OK(ckpt_profile_get_option(profile, 0, 0, &option));
  CHECK(option.has_record == has_record && option.record_workspace_bytes == (has_record ? 32 : 0));
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &spec, &options, &executor));
  CHECK_OK(ckpt_tensor_create(spec.dtype, spec.shape, spec.ndim, NULL, &x));
  CHECK_OK(ckpt_tensor_create(spec.dtype, spec.shape, spec.ndim, NULL, &g));
  for (i = 0; i < ELEMENTS; ++i) ((float*)ckpt_tensor_get_data(x))[i] = (float)(i + 1) / 3;
  step.input = x;
  step.output_gradient = x;
  step.input_gradient = g;
  if (fails) {
    CHECK_FAILS(ckpt_schedule_executor_run(executor, &step, NULL), CKPT_E_CALLBACK, "layer 'square0' record");
    CHECK(strstr(ckpt_last_error(), "no ink") != NULL);
  } else {
    CHECK_OK(ckpt_schedule_executor_run(executor, &step, NULL));
  }
  memcpy(gradient, ckpt_tensor_get_const_data(g), ELEMENTS * sizeof(float));
  ckpt_tensor_release(x);
  ckpt_tensor_release(g);
  ckpt_schedule_executor_release(executor);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
  ckpt_chain_release(chain);
}

int main(void) {
  square by_forward[LAYERS] = {{0, 0, 0}, {0, 0, 0}};
  square by_record[LAYERS] = {{0, 0, 0}, {0, 0, 0}};
  square failing[LAYERS] = {{0, 0, 0}, {0, 0, 0}};
  float expected[ELEMENTS], gradient[ELEMENTS];
  run(0, 0, expected, by_forward);
  CHECK(by_forward[0].forwards == 2 && by_forward[0].records == 0);
  run(1, 0, gradient, by_record);
  CHECK(by_record[0].forwards == 1 && by_record[0].records == 1 && by_record[1].records == 0);
  CHECK(gradient[5] == 2 * 2.0F * 2 * 4.0F * 2.0F && memcmp(expected, gradient, sizeof expected) == 0);
  run(1, 3, gradient, failing);
  CHECK(failing[0].records == 1);
  return 0;
}
