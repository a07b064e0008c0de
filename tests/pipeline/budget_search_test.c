/* A stage's plan for a budget. If the stage is the whole chain and runs one micro-batch, the plan is as good as the chain's own;
 * with several in flight it is never worse than a simple plan, and small budgets that no simple plan meets still work. */
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

static int64_t recomputed(const ckpt_schedule* schedule, const ckpt_profile* profile) {
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  return report.recomputed_forwards;
}

static void as_good_as_the_chains(int layers, int activations) {
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_chain* chain = make_chain(layers);
  const int64_t budget = (int64_t)activations * ACTIVATION;
  ckpt_profile* profile = NULL;
  ckpt_profile* stage_profile = NULL;
  ckpt_schedule* of_chain = NULL;
  ckpt_schedule* with_less = NULL;
  ckpt_schedule* of_stage = NULL;
  ckpt_pipeline* pipeline = NULL;
  int64_t reserved = 0;
  CHECK_OK(ckpt_profile_create_from_chain(chain, &input, 0, NULL, &profile));
  CHECK_OK(schedule_by(profile, "chain", budget, &of_chain));
  CHECK_OK(schedule_by(profile, "chain", budget - 2 * ACTIVATION, &with_less));
  options.stages = 1;
  options.micro_batches = 1;
  options.measured_steps = 0;
  options.budget_bytes = budget;
  CHECK_OK(ckpt_pipeline_create(chain, &input, &options, &pipeline));
  CHECK_OK(ckpt_pipeline_get_schedule(pipeline, 0, &of_stage));
  CHECK_OK(ckpt_pipeline_get_profile(pipeline, 0, &stage_profile));
  CHECK_OK(ckpt_schedule_place(of_stage, stage_profile, 0, &reserved));
  CHECK(reserved <= budget);
  CHECK(recomputed(of_chain, profile) <= recomputed(of_stage, stage_profile));
  CHECK(recomputed(of_stage, stage_profile) <= recomputed(with_less, profile));
  ckpt_profile_release(stage_profile);
  ckpt_schedule_release(of_stage);
  ckpt_pipeline_release(pipeline);
  ckpt_schedule_release(with_less);
  ckpt_schedule_release(of_chain);
  ckpt_profile_release(profile);
  ckpt_chain_release(chain);
}

static void chooses(int layers, int activations, const char* expected) {
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_chain* chain = make_chain(layers);
  ckpt_schedule* of_stage = NULL;
  ckpt_pipeline* pipeline = NULL;
  options.stages = 1;
  options.micro_batches = 1;
  options.measured_steps = 0;
  options.budget_bytes = (int64_t)activations * ACTIVATION;
  CHECK_OK(ckpt_pipeline_create(chain, &input, &options, &pipeline));
  CHECK_OK(ckpt_pipeline_get_schedule(pipeline, 0, &of_stage));
  CHECK(strstr(schedule_name(of_stage), expected) != NULL);
  ckpt_schedule_release(of_stage);
  ckpt_pipeline_release(pipeline);
  ckpt_chain_release(chain);
}

int main(void) {
  chooses(100, 400, "store-all");
  as_good_as_the_chains(100, 80);
  as_good_as_the_chains(100, 25);
  as_good_as_the_chains(100, 10);
  chooses(1100, 10, "recompute-all");
  return 0;
}
