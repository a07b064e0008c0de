/* A stage's plan for a budget is found by the search that finds a chain's: where the stage is the whole chain and runs one
 * micro-batch, both choose the same. */
#include "check.h"
#include "planner.h"

enum { SAMPLES = 4, WIDTH = 16, ACTIVATION = SAMPLES * WIDTH * 4 };

static const ckpt_tensor_spec input = {CKPT_DTYPE_F32, 2, {SAMPLES, WIDTH}};

static ckpt_chain* make_chain(int layers) {
  ckpt_chain* chain = NULL;
  int i;
  CHECK_OK(ckpt_chain_create(0, &chain));
  for (i = 0; i < layers; ++i) {
    ckpt_layer* layer = NULL;
    char name[32];
    snprintf(name, sizeof name, "layer%d", i);
    CHECK_OK(ckpt_layer_create(name, "relu", &layer));
    CHECK_OK(ckpt_chain_add(chain, layer));
    ckpt_layer_release(layer);
  }
  return chain;
}

static void chooses_alike(int layers, int activations, const char* expected) {
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_chain* chain = make_chain(layers);
  ckpt_profile* profile = NULL;
  ckpt_schedule* of_chain = NULL;
  ckpt_schedule* of_stage = NULL;
  ckpt_pipeline* pipeline = NULL;
  CHECK_OK(ckpt_profile_create_from_chain(chain, &input, 0, NULL, &profile));
  CHECK_OK(schedule_by(profile, "budget", (int64_t)activations * ACTIVATION, &of_chain));
  CHECK(strcmp(schedule_name(of_chain), expected) == 0);
  options.stages = 1;
  options.micro_batches = 1;
  options.measured_steps = 0;
  options.budget_bytes = (int64_t)activations * ACTIVATION;
  CHECK_OK(ckpt_pipeline_create(chain, &input, &options, &pipeline));
  CHECK_OK(ckpt_pipeline_get_schedule(pipeline, 0, &of_stage));
  CHECK(strstr(schedule_name(of_stage), expected) != NULL);
  ckpt_schedule_release(of_stage);
  ckpt_pipeline_release(pipeline);
  ckpt_schedule_release(of_chain);
  ckpt_profile_release(profile);
  ckpt_chain_release(chain);
}

int main(void) {
  chooses_alike(100, 400, "store-all");
  chooses_alike(100, 80, "periodic(2)");
  chooses_alike(100, 25, "periodic(7)");
  chooses_alike(100, 10, "recompute-all");
  chooses_alike(1100, 10, "recompute-all");
  return 0;
}
