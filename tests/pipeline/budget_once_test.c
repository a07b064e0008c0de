/* A single layer that may run only once does not make a pipeline's budget unusable: plans that would recompute it are excluded. */
#include "custom_chain.h"

enum { LAYERS = 4, SAMPLES = 4, WIDTH = 64 };

static int32_t same_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  (void)user_data;
  *output = *input;
  return 0;
}

static int32_t copy_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                            void* user_data) {
  (void)tape;
  (void)workspace;
  *(int*)user_data += context->recomputation;
  memcpy(output, input, sizeof(float) * (size_t)(context->input->shape[0] * WIDTH));
  return 0;
}

static int32_t copy_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                             const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  (void)input;
  (void)output;
  (void)tape;
  (void)workspace;
  (void)user_data;
  memcpy(grad_input, grad_output, sizeof(float) * (size_t)(context->input->shape[0] * WIDTH));
  return 0;
}

static ckpt_chain* chain_with_one_that_runs_once(int where, int* recomputations) {
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  ckpt_layer_callbacks once;
  ckpt_chain* chain = NULL;
  callbacks.output = same_output;
  callbacks.forward = copy_forward;
  callbacks.backward = copy_backward;
  once = callbacks;
  once.flags = CKPT_LAYER_FLAG_NEEDS_INPUT;
  chain = custom_chain(0, "before", where, &callbacks, recomputations, sizeof *recomputations);
  add_custom_layers(chain, "layer", 1, &once, &recomputations[where], sizeof *recomputations);
  add_custom_layers(chain, "behind", LAYERS - where - 1, &callbacks, &recomputations[where + 1], sizeof *recomputations);
  return chain;
}

static ckpt_status make(ckpt_chain* chain, int64_t budget_bytes, ckpt_pipeline** pipeline) {
  const ckpt_tensor_spec batch = {CKPT_DTYPE_F32, 2, {2 * SAMPLES, WIDTH}};
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  options.micro_batches = 2;
  options.measured_steps = 0;
  options.budget_bytes = budget_bytes;
  return ckpt_pipeline_create(chain, &batch, &options, pipeline);
}

static void run(ckpt_pipeline* pipeline) {
  static const int64_t shape[2] = {2 * SAMPLES, WIDTH};
  ckpt_step step = CKPT_STEP_INIT;
  ckpt_tensor* x = NULL;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &x));
  CHECK_OK(ckpt_tensor_fill(x, 1));
  step.input = x;
  step.output_gradient = x;
  CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL));
  ckpt_tensor_release(x);
}

int main(void) {
  int recomputations[LAYERS] = {0, 0, 0, 0};
  ckpt_chain* chain = chain_with_one_that_runs_once(0, recomputations);
  ckpt_pipeline* pipeline = NULL;
  ckpt_pipeline_stats stats = CKPT_PIPELINE_STATS_INIT;
  int64_t max = 0;
  CHECK_OK(make(chain, INT64_C(1) << 30, &pipeline));
  run(pipeline);
  CHECK_OK(ckpt_pipeline_get_stats(pipeline, 0, &stats));
  max = stats.reserved_bytes;
  CHECK(stats.recomputed_forwards == 0);
  ckpt_pipeline_release(pipeline);
  ckpt_chain_release(chain);
  pipeline = NULL;

  chain = chain_with_one_that_runs_once(0, recomputations);
  CHECK_FAILS(make(chain, 1, &pipeline), CKPT_E_OVER_BUDGET, "layer 0 (layer0) is not deterministic");
  CHECK(pipeline == NULL);
  CHECK_OK(make(chain, max - 64, &pipeline)); /* it records, and others are recomputed */
  run(pipeline);
  CHECK_OK(ckpt_pipeline_get_stats(pipeline, 0, &stats));
  CHECK(stats.recomputed_forwards > 0 && stats.reserved_bytes < max && recomputations[0] == 0);
  ckpt_pipeline_release(pipeline);
  ckpt_chain_release(chain);
  pipeline = NULL;

  /* As the last but one layer it is not recomputed: less memory than storing all, and it runs once. */
  memset(recomputations, 0, sizeof recomputations);
  chain = chain_with_one_that_runs_once(LAYERS - 2, recomputations);
  CHECK_OK(make(chain, max - 64, &pipeline));
  run(pipeline);
  CHECK_OK(ckpt_pipeline_get_stats(pipeline, 0, &stats));
  CHECK(stats.recomputed_forwards > 0 && stats.reserved_bytes < max);
  CHECK(recomputations[LAYERS - 2] == 0);
  ckpt_pipeline_release(pipeline);
  ckpt_chain_release(chain);
  return 0;
}
