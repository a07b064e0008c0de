/* A forked child of a process with a pipeline: its calls return FORKED, and a release returns. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  const int64_t shape[2] = {4, 2};
  ckpt_tensor_spec input = {CKPT_DTYPE_F32, 2, {4, 2}};
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_pipeline_stats stats = CKPT_PIPELINE_STATS_INIT;
  ckpt_step step = CKPT_STEP_INIT;
  ckpt_chain* chain = NULL;
  ckpt_layer* layer = NULL;
  ckpt_tensor* x = NULL;
  ckpt_pipeline* pipeline = NULL;
  pid_t process;
  int status = -1;
  CHECK_OK(ckpt_chain_create(0, &chain));
  CHECK_OK(ckpt_layer_create("a", "relu", &layer));
  CHECK_OK(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
  CHECK_OK(ckpt_layer_create("b", "relu", &layer));
  CHECK_OK(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &x));
  CHECK_OK(ckpt_tensor_fill(x, 1.0));
  options.stages = 2;
  options.micro_batches = 2;
  CHECK_OK(ckpt_pipeline_create(chain, &input, &options, &pipeline));
  step.input = x;
  step.output_gradient = x;
  CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL));

  process = fork();
  CHECK(process >= 0);
  if (process == 0) {
    CHECK_FAILS(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL), CKPT_E_FORKED, "forked child");
    CHECK_FAILS(ckpt_pipeline_cancel(pipeline), CKPT_E_FORKED, "forked child");
    CHECK_FAILS(ckpt_pipeline_get_stats(pipeline, 0, &stats), CKPT_E_FORKED, "forked child");
    ckpt_pipeline_release(pipeline);
    ckpt_chain_release(chain);
    _exit(0);
  }
  CHECK(waitpid(process, &status, 0) == process);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL));
  ckpt_pipeline_release(pipeline);
  ckpt_tensor_release(x);
  ckpt_chain_release(chain);
  return 0;
}
