/* probe_chain.h - a chain of layers that pass their input on and call a test's hook. Layers keep their input and a tape of
 * tape_bytes.
 */
#ifndef CKPT_TESTS_PROBE_CHAIN_H
#define CKPT_TESTS_PROBE_CHAIN_H

#include "custom_chain.h"

enum { probe_samples = 16, probe_width = 64, tape_bytes = 512 };

/* Runs in each layer: forward or backward, on its stage's thread. Non-zero makes the layer fail. */
typedef int32_t (*probe_hook)(const ckpt_layer_context* context, int32_t forward, void* user_data);

typedef struct probe {
  probe_hook hook;
  void* user_data;
} probe;

static int32_t probe_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  (void)user_data;
  *output = *input;
  return 0;
}

static int32_t probe_option(const ckpt_tensor_spec* input, int32_t option, ckpt_layer_option* needs, void* user_data) {
  (void)input;
  (void)option;
  (void)user_data;
  needs->tape_bytes = tape_bytes;
  return 0;
}

static size_t probe_bytes(const ckpt_tensor_spec* spec) { return (size_t)(spec->shape[0] * spec->shape[1]) * sizeof(float); }

static int32_t probe_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                             void* user_data) {
  const probe* const state = (const probe*)user_data;
  (void)workspace;
  memcpy(output, input, probe_bytes(context->input));
  if (tape != NULL) memset(tape, 7, tape_bytes);
  return state->hook == NULL ? 0 : state->hook(context, 1, state->user_data);
}

static int32_t probe_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                              const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  const probe* const state = (const probe*)user_data;
  (void)input;
  (void)output;
  (void)workspace;
  if (((const unsigned char*)tape)[tape_bytes - 1] != 7) return ckpt_callback_error("the tape is another one's"), 1;
  memcpy(grad_input, grad_output, probe_bytes(context->input));
  return state->hook == NULL ? 0 : state->hook(context, 0, state->user_data);
}

static ckpt_layer_callbacks probe_callbacks(void) {
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  callbacks.flags = CKPT_LAYER_FLAG_DETERMINISTIC;
  callbacks.output = probe_output;
  callbacks.option = probe_option;
  callbacks.forward = probe_forward;
  callbacks.backward = probe_backward;
  return callbacks;
}

/* state is borrowed. */
static inline ckpt_chain* probe_chain(int layers, probe* state) {
  const ckpt_layer_callbacks callbacks = probe_callbacks();
  return custom_chain(0, "probe", layers, &callbacks, state, 0);
}

static ckpt_tensor_spec probe_spec(void) {
  ckpt_tensor_spec spec = {CKPT_DTYPE_F32, 2, {probe_samples, probe_width}};
  return spec;
}

static ckpt_tensor* probe_tensor(int64_t samples) {
  const int64_t shape[2] = {samples, probe_width};
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &tensor));
  CHECK_OK(ckpt_tensor_fill(tensor, 1.0));
  return tensor;
}

/* Returns a step with x as its input and gradient. */
static ckpt_step probe_step(ckpt_tensor* x) {
  ckpt_step step = CKPT_STEP_INIT;
  step.input = x;
  step.output_gradient = x;
  return step;
}

static ckpt_pipeline_options probe_options(int32_t schedule, int32_t stages, int32_t micro_batches) {
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  options.order = schedule;
  options.stages = stages;
  options.micro_batches = micro_batches;
  options.measured_steps = 0;
  return options;
}

#endif /* CKPT_TESTS_PROBE_CHAIN_H */
