/* A follower calls its strategy again before each step, and its executors report accesses to the strategy. */
#include "check.h"

enum { LAYERS = 4, SAMPLES = 4, WIDTH = 8 };

typedef struct chooser {
  ckpt_follower* follower; /* if set, called from inside the strategy */
  int32_t every;           /* distance between chosen layers */
  int32_t fails;
  int asked;
  int accesses;
} chooser;

static int32_t decide(const ckpt_strategy_question* question, int32_t* answer, void* user_data) {
  chooser* self = (chooser*)user_data;
  ++self->asked;
  if (self->follower != NULL) {
    ckpt_schedule* schedule = NULL;
    CHECK_FAILS(ckpt_follower_next(self->follower, &schedule, NULL), CKPT_E_INVALID_STATE, "follower is in use");
    CHECK(schedule == NULL);
  }
  *answer = question->layer_index % self->every == 0;
  return self->fails;
}

static int32_t access(const char* layer_name, void* user_data) {
  CHECK(strncmp(layer_name, "layer", 5) == 0);
  ++((chooser*)user_data)->accesses;
  return 0;
}

static ckpt_strategy* make_strategy(chooser* self) {
  ckpt_strategy* strategy = NULL;
  ckpt_strategy_callbacks callbacks = CKPT_STRATEGY_CALLBACKS_INIT;
  callbacks.decide = decide;
  callbacks.access = access;
  memset(self, 0, sizeof *self);
  self->every = 2;
  CHECK_OK(ckpt_strategy_create_custom("chooser", &callbacks, self, NULL, &strategy));
  CHECK_OK(ckpt_strategy_set_chosen(strategy, CKPT_STRATEGY_CHOSEN_RECOMPUTE));
  return strategy;
}

static ckpt_chain* make_chain(void) {
  ckpt_chain* chain = NULL;
  int i;
  CHECK_OK(ckpt_chain_create(0, &chain));
  for (i = 0; i < LAYERS; ++i) {
    ckpt_layer* layer = NULL;
    char name[32];
    snprintf(name, sizeof name, "layer%d", i);
    CHECK_OK(ckpt_layer_create(name, "relu", &layer));
    CHECK_OK(ckpt_chain_add(chain, layer));
    ckpt_layer_release(layer);
  }
  return chain;
}

static const ckpt_tensor_spec input = {CKPT_DTYPE_F32, 2, {SAMPLES, WIDTH}};

static int64_t recomputed(ckpt_schedule* schedule, const ckpt_profile* profile) {
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  ckpt_schedule_release(schedule);
  return report.recomputed_forwards;
}

static void asks_again(const ckpt_profile* profile) {
  chooser self;
  ckpt_strategy* strategy = make_strategy(&self);
  ckpt_follower* follower = NULL;
  ckpt_schedule* schedule = NULL;
  int32_t changed = 7;
  CHECK_OK(ckpt_follower_create(profile, strategy, &follower));
  CHECK(self.asked == 0);
  CHECK_OK(ckpt_follower_next(follower, &schedule, &changed));
  CHECK(self.asked == LAYERS && changed == 1 && recomputed(schedule, profile) == 2);
  CHECK_OK(ckpt_follower_next(follower, &schedule, &changed));
  CHECK(self.asked == 2 * LAYERS && changed == 0 && recomputed(schedule, profile) == 2);
  self.every = 1; /* changes its choice */
  CHECK_OK(ckpt_follower_next(follower, &schedule, &changed));
  CHECK(changed == 1 && recomputed(schedule, profile) == LAYERS - 1);

  /* A failing strategy changes nothing, and one that calls its own follower is refused. */
  self.every = 2;
  self.fails = 1;
  schedule = NULL;
  changed = 7;
  CHECK_FAILS(ckpt_follower_next(follower, &schedule, &changed), CKPT_E_CALLBACK, "chooser");
  CHECK(schedule == NULL && changed == 7);
  self.fails = 0;
  self.every = 1;
  self.follower = follower;
  CHECK_OK(ckpt_follower_next(follower, &schedule, &changed));
  CHECK(changed == 0 && recomputed(schedule, profile) == LAYERS - 1);
  self.follower = NULL;

  ckpt_strategy_release(strategy); /* the follower keeps it alive */
  CHECK_OK(ckpt_follower_next(follower, &schedule, NULL));
  ckpt_schedule_release(schedule);
  ckpt_follower_release(follower);
}

static void learns_what_runs(ckpt_chain* chain, const ckpt_profile* profile) {
  static const int64_t shape[2] = {SAMPLES, WIDTH};
  chooser self;
  ckpt_strategy* strategy = make_strategy(&self);
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_step step = CKPT_STEP_INIT;
  ckpt_follower* follower = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_schedule_executor* executor = NULL;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &step.input));
  CHECK_OK(ckpt_tensor_fill(step.input, 1));
  step.output_gradient = step.input;
  CHECK_OK(ckpt_follower_create(profile, strategy, &follower));
  CHECK_OK(ckpt_follower_next(follower, &schedule, NULL));

  /* The schedule alone reports nothing to the strategy; the follower does, also after its handle is released. */
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &input, NULL, &executor));
  CHECK_OK(ckpt_schedule_executor_run(executor, &step, NULL));
  CHECK(self.accesses == 0);
  ckpt_schedule_executor_release(executor);
  options.follower = follower;
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &input, &options, &executor));
  ckpt_follower_release(follower);
  CHECK_OK(ckpt_schedule_executor_run(executor, &step, NULL));
  CHECK(self.accesses == 2 * LAYERS + 2); /* forward and backward of each, and two recomputed forwards */
  ckpt_schedule_executor_release(executor);
  ckpt_schedule_release(schedule);
  ckpt_strategy_release(strategy);
  ckpt_tensor_release(step.input);
}

static void bad_arguments(ckpt_profile* profile) {
  chooser self;
  ckpt_strategy* strategy = make_strategy(&self);
  ckpt_profile* empty = NULL;
  ckpt_follower* follower = NULL;
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_schedule_executor* executor = NULL;
  ckpt_chain* chain = make_chain();
  ckpt_schedule* schedule = NULL;
  CHECK_OK(ckpt_profile_create(1, &empty));
  CHECK_FAILS(ckpt_follower_create(empty, strategy, &follower), CKPT_E_INVALID_STATE, "layer");
  CHECK_FAILS(ckpt_follower_create(NULL, strategy, &follower), CKPT_E_INVALID_ARGUMENT, "profile is NULL");
  CHECK_FAILS(ckpt_follower_create(profile, NULL, &follower), CKPT_E_INVALID_ARGUMENT, "strategy is NULL");
  CHECK_FAILS(ckpt_follower_create(profile, strategy, NULL), CKPT_E_INVALID_ARGUMENT, "follower is NULL");
  CHECK(follower == NULL);
  CHECK_OK(ckpt_follower_create(profile, strategy, &follower));
  CHECK_FAILS(ckpt_follower_next(NULL, &schedule, NULL), CKPT_E_INVALID_ARGUMENT, "follower is NULL");
  CHECK_FAILS(ckpt_follower_next(follower, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "schedule is NULL");
  CHECK(self.asked == 0);
  CHECK_OK(ckpt_follower_next(follower, &schedule, NULL));
  options.follower = (ckpt_follower*)(void*)strategy;
  CHECK_FAILS(ckpt_schedule_executor_create(chain, schedule, &input, &options, &executor), CKPT_E_INVALID_ARGUMENT,
              "options.follower");
  CHECK(executor == NULL);

  /* The profile was copied: layers added to it later belong to another chain. */
  {
    const ckpt_layer_profile row = CKPT_LAYER_PROFILE_INIT;
    const ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    int64_t layers = 0;
    ckpt_schedule_release(schedule);
    CHECK_OK(ckpt_profile_add_layer(profile, "more", &row));
    CHECK_OK(ckpt_profile_add_option(profile, &option));
    CHECK_OK(ckpt_follower_next(follower, &schedule, NULL));
    CHECK_OK(ckpt_schedule_get_layer_count(schedule, &layers));
    CHECK(layers == LAYERS);
  }
  ckpt_schedule_release(schedule);
  ckpt_follower_release(follower);
  ckpt_follower_release(NULL);
  ckpt_profile_release(empty);
  ckpt_chain_release(chain);
  ckpt_strategy_release(strategy);
}

int main(void) {
  ckpt_chain* chain = make_chain();
  ckpt_profile* profile = NULL;
  CHECK_OK(ckpt_profile_create_from_chain(chain, &input, 0, NULL, &profile));
  asks_again(profile);
  learns_what_runs(chain, profile);
  bad_arguments(profile);
  ckpt_profile_release(profile);
  ckpt_chain_release(chain);
  return 0;
}
