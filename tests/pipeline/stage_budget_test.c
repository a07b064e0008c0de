/* Pipelines with a budget: several micro-batches in flight, each of which keeps little between its forward and its backward. */
#include "check.h"
#include "planner.h"

enum { BLOCKS = 8, SAMPLES = 16, WIDTH = 64, MICRO_BATCHES = 4, STAGES = 2 };

static const ckpt_tensor_spec input = {CKPT_DTYPE_F32, 2, {SAMPLES, WIDTH}};

static void add(ckpt_chain* chain, const char* name, int block, const char* kind) {
  ckpt_layer* layer = NULL;
  char whole[32];
  snprintf(whole, sizeof whole, "%s%d", name, block);
  CHECK_OK(ckpt_layer_create(whole, kind, &layer));
  CHECK_OK(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
}

/* Blocks of linear, GELU and linear layers, the inner ones four times as wide, and dropout. */
static ckpt_chain* make_chain(void) {
  ckpt_chain* chain = NULL;
  int block;
  CHECK_OK(ckpt_chain_create(7, &chain));
  for (block = 0; block < BLOCKS; ++block) {
    add(chain, "up", block, "linear:64,256");
    add(chain, "gelu", block, "gelu");
    add(chain, "down", block, "linear:256,64");
    add(chain, "dropout", block, "dropout:0.1");
  }
  return chain;
}

static int64_t peak_of(ckpt_pipeline* pipeline) {
  int64_t peak = 0;
  int32_t stage;
  for (stage = 0; stage < STAGES; ++stage) {
    ckpt_pipeline_stats stats = CKPT_PIPELINE_STATS_INIT;
    CHECK_OK(ckpt_pipeline_get_stats(pipeline, stage, &stats));
    if (stats.peak_live_bytes > peak) peak = stats.peak_live_bytes;
  }
  return peak;
}

static double forwards_of(ckpt_pipeline* pipeline, int32_t stage, int64_t* reserved) {
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  ckpt_schedule* schedule = NULL;
  ckpt_profile* profile = NULL;
  CHECK_OK(ckpt_pipeline_get_schedule(pipeline, stage, &schedule));
  CHECK_OK(ckpt_pipeline_get_profile(pipeline, stage, &profile));
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  CHECK_OK(ckpt_schedule_place(schedule, profile, 0, reserved));
  ckpt_profile_release(profile);
  ckpt_schedule_release(schedule);
  return (double)report.forwards;
}

/* Returns the gradients of one step, concatenated. */
static void run(ckpt_chain* chain, ckpt_pipeline* pipeline, float* gradients, int64_t capacity) {
  ckpt_step step = CKPT_STEP_INIT;
  const int64_t shape[] = {SAMPLES, WIDTH};
  int64_t count = 0;
  int64_t used = 0;
  int64_t i;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &step.input));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &step.output_gradient));
  for (i = 0; i < SAMPLES * WIDTH; ++i) {
    ((float*)ckpt_tensor_get_data(step.input))[i] = (float)((i * 37) % 101) / 101.0F - 0.5F;
    ((float*)ckpt_tensor_get_data(step.output_gradient))[i] = (float)((i * 53) % 97) / 97.0F - 0.5F;
  }
  step.seed = 11;
  CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL));
  CHECK_OK(ckpt_chain_get_parameter_count(chain, &count));
  for (i = 0; i < count; ++i) {
    ckpt_tensor* gradient = NULL;
    int64_t bytes;
    CHECK_OK(ckpt_chain_get_parameter(chain, i, NULL, NULL, &gradient));
    bytes = ckpt_tensor_get_bytes(gradient);
    CHECK(used + bytes <= capacity);
    memcpy((char*)gradients + used, ckpt_tensor_get_const_data(gradient), (size_t)bytes);
    used += bytes;
    ckpt_tensor_release(gradient);
  }
  ckpt_tensor_release(step.output_gradient);
  ckpt_tensor_release(step.input);
}

static ckpt_pipeline* make_pipeline(ckpt_chain* chain, ckpt_pipeline_order order, int64_t budget) {
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_pipeline* pipeline = NULL;
  options.order = order;
  options.stages = STAGES;
  options.micro_batches = MICRO_BATCHES;
  options.measured_steps = 0;
  options.budget_bytes = budget;
  CHECK_OK(ckpt_pipeline_create(chain, &input, &options, &pipeline));
  return pipeline;
}

enum { CAPACITY = BLOCKS * 4 * (64 * 256 + 256) * 4 };

/* 1F1B within a third of the peak of GPipe with store-all: the same bits, within the budget. */
static void a_third(void) {
  static float all[CAPACITY / 4];
  static float few[CAPACITY / 4];
  ckpt_chain* chain = make_chain();
  ckpt_pipeline* store_all = make_pipeline(chain, CKPT_PIPELINE_ORDER_GPIPE, 0);
  ckpt_pipeline* planned = NULL;
  int64_t peak;
  int64_t reserved = 0;
  double forwards;
  run(chain, store_all, all, CAPACITY);
  peak = peak_of(store_all);
  forwards = forwards_of(store_all, 0, &reserved) + forwards_of(store_all, 1, &reserved);
  ckpt_pipeline_release(store_all);
  planned = make_pipeline(chain, CKPT_PIPELINE_ORDER_1F1B, peak / 3);
  run(chain, planned, few, CAPACITY);
  CHECK(memcmp(all, few, sizeof all) == 0);
  CHECK(peak_of(planned) * 3 <= peak);
  printf("GPipe, store-all: %lld bytes; 1F1B within a third: %lld bytes, %.2f times the forwards\n", (long long)peak,
         (long long)peak_of(planned), (forwards_of(planned, 0, &reserved) + forwards_of(planned, 1, &reserved)) / forwards);
  CHECK(reserved <= peak / 3);
  ckpt_pipeline_release(planned);
  ckpt_chain_release(chain);
}

/* Returns the forwards of a stage with a simple plan for its pieces, if that fits the budget; otherwise a negative number. */
static double simple_within(ckpt_chain* chain, const char* planner, int64_t budget, int32_t stage) {
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_schedule* schedules[STAGES] = {NULL, NULL};
  ckpt_pipeline* pipeline = NULL;
  ckpt_profile* profile = NULL;
  int64_t begins[STAGES + 1];
  int64_t count = 0;
  int64_t reserved = 0;
  double forwards;
  int i;
  ckpt_pipeline* any = make_pipeline(chain, CKPT_PIPELINE_ORDER_1F1B, 0);
  CHECK_OK(ckpt_pipeline_get_begins(any, begins, STAGES, &count));
  for (i = 0; i < STAGES; ++i) {
    CHECK_OK(ckpt_pipeline_get_profile(any, i, &profile));
    CHECK_OK(ckpt_schedule_create(profile, planner, &schedules[i]));
    ckpt_profile_release(profile);
  }
  ckpt_pipeline_release(any);
  options.stages = STAGES;
  options.micro_batches = MICRO_BATCHES;
  options.measured_steps = 0;
  options.schedules = schedules;
  options.schedules_count = STAGES;
  CHECK_OK(ckpt_pipeline_create(chain, &input, &options, &pipeline));
  forwards = forwards_of(pipeline, stage, &reserved);
  ckpt_pipeline_release(pipeline);
  for (i = 0; i < STAGES; ++i) ckpt_schedule_release(schedules[i]);
  return reserved <= budget ? forwards : -1;
}

static void never_worse_than_simple(void) {
  static const char* const simple[] = {"store-all", "periodic:2", "periodic:3", "periodic:4", "periodic:8", "recompute-all"};
  ckpt_chain* chain = make_chain();
  ckpt_pipeline* store_all = make_pipeline(chain, CKPT_PIPELINE_ORDER_1F1B, 0);
  int64_t whole = 0;
  int percent;
  forwards_of(store_all, 0, &whole);
  ckpt_pipeline_release(store_all);
  for (percent = 30; percent <= 100; percent += 10) {
    ckpt_pipeline* pipeline = make_pipeline(chain, CKPT_PIPELINE_ORDER_1F1B, whole * percent / 100);
    int32_t stage;
    for (stage = 0; stage < STAGES; ++stage) {
      int64_t reserved = 0;
      const double forwards = forwards_of(pipeline, stage, &reserved);
      double best = -1;
      size_t i;
      CHECK(reserved <= whole * percent / 100);
      for (i = 0; i < sizeof simple / sizeof *simple; ++i) {
        const double other = simple_within(chain, simple[i], whole * percent / 100, stage);
        if (other >= 0 && (best < 0 || other < best)) best = other;
      }
      printf("stage %d within %d%%: %.0f forwards, %.0f by the best simple plan\n", (int)stage, percent, forwards, best);
      CHECK(best < 0 || forwards <= best);
    }
    ckpt_pipeline_release(pipeline);
  }
  ckpt_chain_release(chain);
}

/* The smallest budget named in the message works, and one byte less does not. */
static void smallest(void) {
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_chain* chain = make_chain();
  ckpt_pipeline* pipeline = NULL;
  const char* said;
  options.stages = STAGES;
  options.micro_batches = MICRO_BATCHES;
  options.measured_steps = 0;
  options.budget_bytes = 1;
  CHECK_FAILS(ckpt_pipeline_create(chain, &input, &options, &pipeline), CKPT_E_OVER_BUDGET, "the smallest that works for stage 0");
  said = strstr(ckpt_last_error(), " in flight is ");
  CHECK(said != NULL);
  options.budget_bytes = strtoll(said + strlen(" in flight is "), NULL, 10) - 1;
  CHECK_FAILS(ckpt_pipeline_create(chain, &input, &options, &pipeline), CKPT_E_OVER_BUDGET, "the smallest that works for stage 0");
  CHECK(pipeline == NULL);
  options.budget_bytes += 1;
  {
    const ckpt_status status = ckpt_pipeline_create(chain, &input, &options, &pipeline);
    CHECK(status == CKPT_OK || strstr(ckpt_last_error(), "for stage 1") != NULL);
  }
  ckpt_pipeline_release(pipeline);
  ckpt_chain_release(chain);
}

int main(void) {
  a_third();
  never_worse_than_simple();
  smallest();
  return 0;
}
