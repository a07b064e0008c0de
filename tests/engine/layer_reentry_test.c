/* A layer's callbacks run inside the operation on their chain. A nested call that would use this chain, or this executor, is
 * refused with INVALID_STATE at once; other objects work there, and handles may be released. */

#define _POSIX_C_SOURCE 200809L

#include <unistd.h>

#include "check.h"
#include "make_layer.h"

enum { SAMPLES = 3, WIDTH = 2, PLACES = 6 };

enum place { IN_OUTPUT, IN_OPTION, IN_FORWARD, IN_BACKWARD, IN_SAVE, IN_RESTORE };

typedef struct world {
  ckpt_chain* chain;
  ckpt_schedule_executor* executor;
  ckpt_optimizer* optimizer;
  ckpt_schedule* schedule;
  ckpt_layer* spare;
  ckpt_step step;
  int inside_step;     /* a step of the executor is running, not only an operation on its chain */
  int nested;          /* the nested operations started by callbacks */
  int seen[PLACES];    /* callbacks that tried everything */
  int release_handles; /* in the next forward */
  int destroyed;
} world;

static const ckpt_tensor_spec input_spec = {CKPT_DTYPE_F32, 2, {SAMPLES, WIDTH}};

#define IN_USE(call) CHECK_FAILS(call, CKPT_E_INVALID_STATE, "is in use by the operation that runs this callback")

static void another_chain_works(void) {
  ckpt_chain* chain = NULL;
  ckpt_layer* layer = NULL;
  ckpt_profile* profile = NULL;
  int64_t layers = 0;
  CHECK_OK(ckpt_chain_create(0, &chain));
  CHECK_OK(make_layer(&layer, "linear", "linear:%d,%d", WIDTH, WIDTH));
  CHECK_OK(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
  CHECK_OK(ckpt_profile_create_from_chain(chain, &input_spec, 1, NULL, &profile));
  CHECK_OK(ckpt_profile_get_layer_count(profile, &layers));
  CHECK(layers == 1);
  ckpt_profile_release(profile);
  ckpt_chain_release(chain);
}

static void try_everything(world* self, enum place place) {
  ckpt_profile* profile = NULL;
  ckpt_schedule_executor* executor = NULL;
  ckpt_optimizer* optimizer = NULL;
  ckpt_schedule_executor_stats stats = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
  ckpt_tensor* value = NULL;
  const char* name = NULL;
  int64_t number = 0;
  double norm = 0;
  if (self->nested) return;
  self->nested = 1;
  ++self->seen[place];
  IN_USE(ckpt_chain_add(self->chain, self->spare));
  IN_USE(ckpt_chain_get_layer_count(self->chain, &number));
  IN_USE(ckpt_chain_initialize(self->chain, 1));
  IN_USE(ckpt_chain_get_parameter_count(self->chain, &number));
  IN_USE(ckpt_chain_get_parameter(self->chain, 0, &name, &value, NULL));
  IN_USE(ckpt_chain_clip_gradients(self->chain, 1.0, &norm));
  IN_USE(ckpt_profile_create_from_chain(self->chain, &input_spec, 0, NULL, &profile));
  IN_USE(ckpt_profile_create_from_chain(self->chain, &input_spec, 1, NULL, &profile));
  IN_USE(ckpt_schedule_executor_create(self->chain, self->schedule, &input_spec, NULL, &executor));
  IN_USE(ckpt_optimizer_create_sgd(self->chain, 0.1, 0.0, &optimizer));
  IN_USE(ckpt_optimizer_create_adamw(self->chain, NULL, &optimizer));
  CHECK(profile == NULL && executor == NULL && optimizer == NULL && value == NULL);
  if (self->optimizer != NULL) IN_USE(ckpt_optimizer_step(self->optimizer));
  if (self->optimizer != NULL) IN_USE(ckpt_optimizer_step_and_zero(self->optimizer, 1.0, &norm));
  if (self->executor != NULL) IN_USE(ckpt_schedule_executor_run(self->executor, &self->step, NULL));
  if (self->inside_step) IN_USE(ckpt_schedule_executor_get_stats(self->executor, &stats));
  another_chain_works();
  self->nested = 0;
}

static int32_t layer_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  *output = *input;
  try_everything((world*)user_data, IN_OUTPUT);
  return 0;
}

static int32_t layer_option(const ckpt_tensor_spec* input, int32_t option, ckpt_layer_option* out, void* user_data) {
  (void)input;
  (void)option;
  (void)out;
  try_everything((world*)user_data, IN_OPTION);
  return 0;
}

static int32_t layer_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                             void* user_data) {
  world* self = (world*)user_data;
  (void)context;
  (void)tape;
  (void)workspace;
  if (self->release_handles) {
    self->release_handles = 0;
    ckpt_chain_release(self->chain);
    ckpt_schedule_executor_release(self->executor);
    CHECK(self->destroyed == 0);
  } else if (self->executor == NULL || self->inside_step) {
    try_everything(self, IN_FORWARD);
  }
  memcpy(output, input, sizeof(float) * SAMPLES * WIDTH);
  return 0;
}

static int32_t layer_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                              const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  world* self = (world*)user_data;
  (void)context;
  (void)input;
  (void)output;
  (void)tape;
  (void)workspace;
  if (self->executor == NULL || self->inside_step) try_everything(self, IN_BACKWARD);
  memcpy(grad_input, grad_output, sizeof(float) * SAMPLES * WIDTH);
  return 0;
}

static int32_t layer_save(void* state, void* user_data) {
  world* self = (world*)user_data;
  memset(state, 1, 8);
  if (self->executor == NULL || self->inside_step) try_everything(self, IN_SAVE);
  return 0;
}

static int32_t layer_restore(const void* state, void* user_data) {
  world* self = (world*)user_data;
  (void)state;
  if (self->executor == NULL || self->inside_step) try_everything(self, IN_RESTORE);
  return 0;
}

static void layer_destroy(void* user_data) { ++((world*)user_data)->destroyed; }

static void make_chain(world* self) {
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  ckpt_layer* layer = NULL;
  CHECK_OK(ckpt_chain_create(0, &self->chain));
  CHECK_OK(make_layer(&layer, "before", "linear:%d,%d", WIDTH, WIDTH));
  CHECK_OK(ckpt_chain_add(self->chain, layer));
  ckpt_layer_release(layer);
  callbacks.ambient_bytes = 8;
  callbacks.output = layer_output;
  callbacks.option = layer_option;
  callbacks.forward = layer_forward;
  callbacks.backward = layer_backward;
  callbacks.save_ambient = layer_save;
  callbacks.restore_ambient = layer_restore;
  CHECK_OK(ckpt_layer_create_custom("nosy", &callbacks, self, layer_destroy, &layer));
  CHECK_OK(ckpt_chain_add(self->chain, layer));
  ckpt_layer_release(layer);
  CHECK_OK(ckpt_layer_create("after", "relu", &layer));
  CHECK_OK(ckpt_chain_add(self->chain, layer));
  ckpt_layer_release(layer);
  CHECK_OK(ckpt_chain_initialize(self->chain, 1));
}

static void every_callback_every_function(void) {
  static const int64_t shape[2] = {SAMPLES, WIDTH};
  world self;
  ckpt_profile* profile = NULL;
  ckpt_tensor* x = NULL;
  int64_t number = 0;
  int i;
  memset(&self, 0, sizeof self);
  CKPT_INIT(ckpt_step, &self.step);
  make_chain(&self);
  CHECK_OK(ckpt_layer_create("spare", "relu", &self.spare));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &x));
  CHECK_OK(ckpt_tensor_fill(x, 1));
  self.step.input = x;
  self.step.output_gradient = x;

  /* The profiler's callbacks. */
  CHECK_OK(ckpt_optimizer_create_sgd(self.chain, 0.1, 0.0, &self.optimizer));
  CHECK_OK(ckpt_profile_create_from_chain(self.chain, &input_spec, 1, NULL, &profile));
  for (i = 0; i < PLACES; ++i) CHECK(self.seen[i] > 0);
  memset(self.seen, 0, sizeof self.seen);

  /* Three segments: the layer is recomputed, so its ambient state is restored. */
  CHECK_OK(ckpt_schedule_create(profile, "periodic:3", &self.schedule));
  {
    ckpt_schedule_executor* executor = NULL;
    CHECK_OK(ckpt_schedule_executor_create(self.chain, self.schedule, &input_spec, NULL, &executor));
    CHECK(self.seen[IN_OUTPUT] == 1 && self.seen[IN_OPTION] == 1);
    self.executor = executor;
  }
  {
    ckpt_profile* again = NULL; /* the executor does not run now, but its chain is in use */
    CHECK_OK(ckpt_profile_create_from_chain(self.chain, &input_spec, 0, NULL, &again));
    CHECK(self.seen[IN_OUTPUT] == 2 && self.seen[IN_OPTION] == 2);
    ckpt_profile_release(again);
  }
  self.inside_step = 1;
  CHECK_OK(ckpt_schedule_executor_run(self.executor, &self.step, NULL));
  self.inside_step = 0;
  for (i = 0; i < PLACES; ++i) CHECK(self.seen[i] > 0);

  /* Refused calls changed nothing, and everything works again outside. */
  CHECK_OK(ckpt_chain_get_layer_count(self.chain, &number));
  CHECK(number == 3);
  CHECK_OK(ckpt_optimizer_step(self.optimizer));

  /* Releasing the handles inside a callback: the step continues, and the layer is destroyed after it. */
  ckpt_optimizer_release(self.optimizer);
  self.release_handles = 1;
  CHECK_OK(ckpt_schedule_executor_run(self.executor, &self.step, NULL));
  CHECK(self.release_handles == 0 && self.destroyed == 1);
  ckpt_layer_release(self.spare);
  ckpt_profile_release(profile);
  ckpt_schedule_release(self.schedule);
  ckpt_tensor_release(x);
}

/* ---- Handles released inside a callback of an operation on them ---- */

typedef struct releaser {
  ckpt_chain* chain;
  ckpt_schedule* schedule;
  int destroyed;
} releaser;

static int32_t releasing_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  releaser* self = (releaser*)user_data;
  *output = *input;
  ckpt_chain_release(self->chain);
  ckpt_schedule_release(self->schedule);
  self->chain = NULL;
  self->schedule = NULL;
  CHECK(self->destroyed == 0);
  return 0;
}

static int32_t idle_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                            void* user_data) {
  (void)context;
  (void)input;
  (void)output;
  (void)tape;
  (void)workspace;
  (void)user_data;
  return 0;
}

static int32_t idle_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                             const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  (void)context;
  (void)input;
  (void)output;
  (void)tape;
  (void)grad_output;
  (void)grad_input;
  (void)workspace;
  (void)user_data;
  return 0;
}

static void releaser_destroy(void* user_data) { ++((releaser*)user_data)->destroyed; }

static void handles_go_while_they_are_used(int operation) {
  releaser self = {NULL, NULL, 0};
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  ckpt_layer* layer = NULL;
  ckpt_profile* profile = NULL;
  ckpt_schedule_executor* executor = NULL;
  ckpt_profile* one = NULL;
  const ckpt_layer_profile row = CKPT_LAYER_PROFILE_INIT;
  const ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  callbacks.output = releasing_output;
  callbacks.forward = idle_forward;
  callbacks.backward = idle_backward;
  CHECK_OK(ckpt_chain_create(0, &self.chain));
  CHECK_OK(ckpt_layer_create_custom("releaser", &callbacks, &self, releaser_destroy, &layer));
  CHECK_OK(ckpt_chain_add(self.chain, layer));
  ckpt_layer_release(layer);
  CHECK_OK(ckpt_profile_create(1, &one));
  CHECK_OK(ckpt_profile_add_layer(one, "x", &row));
  CHECK_OK(ckpt_profile_add_option(one, &option));
  CHECK_OK(ckpt_schedule_create(one, "store-all", &self.schedule));
  ckpt_profile_release(one);
  if (operation == 2) {
    CHECK_OK(ckpt_schedule_executor_create(self.chain, self.schedule, &input_spec, NULL, &executor));
  } else {
    CHECK_OK(ckpt_profile_create_from_chain(self.chain, &input_spec, operation, NULL, &profile));
    CHECK(self.destroyed == 1); /* the chain was destroyed after the operation */
  }
  CHECK(self.chain == NULL && self.schedule == NULL);
  ckpt_schedule_executor_release(executor);
  CHECK(self.destroyed == 1);
  ckpt_profile_release(profile);
}

/* ---- Strategies asked for a schedule ---- */

typedef struct asker {
  ckpt_profile* profile;
  ckpt_strategy* strategy;
  int release;
  int asked;
} asker;

static int32_t asker_decide(const ckpt_strategy_question* question, int32_t* answer, void* user_data) {
  asker* self = (asker*)user_data;
  const ckpt_layer_profile row = CKPT_LAYER_PROFILE_INIT;
  const ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  (void)question;
  *answer = 1;
  if (self->asked++ > 0) return 0;
  if (self->release) {
    ckpt_profile_release(self->profile);
    ckpt_strategy_release(self->strategy);
  } else {
    IN_USE(ckpt_profile_add_layer(self->profile, "more", &row));
    IN_USE(ckpt_profile_add_option(self->profile, &option));
  }
  return 0;
}

static void called_strategy(int release) {
  asker self = {NULL, NULL, 0, 0};
  ckpt_strategy_callbacks callbacks = CKPT_STRATEGY_CALLBACKS_INIT;
  ckpt_schedule* schedule = NULL;
  const ckpt_layer_profile row = CKPT_LAYER_PROFILE_INIT;
  const ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  int64_t layers = 0;
  int i;
  self.release = release;
  CHECK_OK(ckpt_profile_create(1, &self.profile));
  for (i = 0; i < 3; ++i) {
    CHECK_OK(ckpt_profile_add_layer(self.profile, "x", &row));
    CHECK_OK(ckpt_profile_add_option(self.profile, &option));
  }
  callbacks.decide = asker_decide;
  CHECK_OK(ckpt_strategy_create_custom("asker", &callbacks, &self, NULL, &self.strategy));
  CHECK_OK(ckpt_schedule_create_from_strategy(self.profile, self.strategy, &schedule));
  CHECK(self.asked == 3);
  CHECK_OK(ckpt_schedule_get_layer_count(schedule, &layers));
  CHECK(layers == 3);
  ckpt_schedule_release(schedule);
  if (release) return;
  CHECK_OK(ckpt_profile_add_layer(self.profile, "more", &row));
  ckpt_profile_release(self.profile);
  ckpt_strategy_release(self.strategy);
}

/* ---- A pipeline's stages run on separate threads: their layers' callbacks are inside the pipeline's chain ---- */

static int32_t chain_is_in_use(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                               void* user_data) {
  ckpt_chain** chain = (ckpt_chain**)user_data;
  int64_t number = 0;
  (void)context;
  (void)tape;
  (void)workspace;
  IN_USE(ckpt_chain_get_layer_count(*chain, &number));
  IN_USE(ckpt_chain_initialize(*chain, 1));
  memcpy(output, input, sizeof(float) * WIDTH);
  return 0;
}

static int32_t pass_back(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                         const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  ckpt_chain** chain = (ckpt_chain**)user_data;
  double norm = 0;
  (void)context;
  (void)input;
  (void)output;
  (void)tape;
  (void)workspace;
  IN_USE(ckpt_chain_clip_gradients(*chain, 1.0, &norm));
  memcpy(grad_input, grad_output, sizeof(float) * WIDTH);
  return 0;
}

static int32_t as_it_came(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  (void)user_data;
  *output = *input;
  return 0;
}

static void stages_of_a_pipeline(void) {
  static const int64_t shape[2] = {2, WIDTH};
  const ckpt_tensor_spec batch = {CKPT_DTYPE_F32, 2, {2, WIDTH}};
  ckpt_chain* chain = NULL;
  ckpt_pipeline* pipeline = NULL;
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_step step = CKPT_STEP_INIT;
  ckpt_tensor* x = NULL;
  int i;
  CHECK_OK(ckpt_chain_create(0, &chain));
  for (i = 0; i < 2; ++i) {
    ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
    ckpt_layer* layer = NULL;
    callbacks.output = as_it_came;
    callbacks.forward = chain_is_in_use;
    callbacks.backward = pass_back;
    CHECK_OK(ckpt_layer_create_custom(i == 0 ? "first" : "second", &callbacks, &chain, NULL, &layer));
    CHECK_OK(ckpt_chain_add(chain, layer));
    ckpt_layer_release(layer);
  }
  options.stages = 2;
  options.micro_batches = 2;
  CHECK_OK(ckpt_pipeline_create(chain, &batch, &options, &pipeline)); /* measures, too */
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &x));
  CHECK_OK(ckpt_tensor_fill(x, 1));
  step.input = x;
  step.output_gradient = x;
  CHECK_OK(ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL));
  ckpt_tensor_release(x);
  ckpt_pipeline_release(pipeline);
  ckpt_chain_release(chain);
}

/* ---- A strategy that an executor reports to ---- */

typedef struct reporter {
  ckpt_schedule_executor* executor;
  ckpt_step step;
  int accesses;
} reporter;

static int32_t reporter_decide(const ckpt_strategy_question* question, int32_t* answer, void* user_data) {
  (void)question;
  (void)user_data;
  *answer = 0;
  return 0;
}

static int32_t reporter_access(const char* layer_name, void* user_data) {
  reporter* self = (reporter*)user_data;
  ckpt_schedule_executor_stats stats = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
  (void)layer_name;
  ++self->accesses;
  IN_USE(ckpt_schedule_executor_run(self->executor, &self->step, NULL));
  IN_USE(ckpt_schedule_executor_get_stats(self->executor, &stats));
  return 0;
}

static void reports_to_a_strategy(void) {
  static const int64_t shape[2] = {SAMPLES, WIDTH};
  reporter self;
  ckpt_strategy_callbacks callbacks = CKPT_STRATEGY_CALLBACKS_INIT;
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_strategy* strategy = NULL;
  ckpt_follower* follower = NULL;
  ckpt_chain* chain = NULL;
  ckpt_layer* layer = NULL;
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_tensor* x = NULL;
  memset(&self, 0, sizeof self);
  CKPT_INIT(ckpt_step, &self.step);
  callbacks.decide = reporter_decide;
  callbacks.access = reporter_access;
  CHECK_OK(ckpt_strategy_create_custom("reporter", &callbacks, &self, NULL, &strategy));
  CHECK_OK(ckpt_chain_create(0, &chain));
  CHECK_OK(ckpt_layer_create("relu", "relu", &layer));
  CHECK_OK(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
  CHECK_OK(ckpt_profile_create_from_chain(chain, &input_spec, 0, NULL, &profile));
  CHECK_OK(ckpt_follower_create(profile, strategy, &follower));
  CHECK_OK(ckpt_follower_next(follower, &schedule, NULL));
  options.follower = follower;
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &input_spec, &options, &self.executor));
  ckpt_follower_release(follower); /* the executor keeps the follower alive */
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &x));
  CHECK_OK(ckpt_tensor_fill(x, 1));
  self.step.input = x;
  self.step.output_gradient = x;
  CHECK_OK(ckpt_schedule_executor_run(self.executor, &self.step, NULL));
  CHECK(self.accesses > 0);
  ckpt_schedule_executor_release(self.executor);
  ckpt_tensor_release(x);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
  ckpt_chain_release(chain);
  ckpt_strategy_release(strategy);
}

/* ---- Events of an executor's tracker ---- */

typedef struct watcher {
  ckpt_schedule_executor* executor;
  ckpt_step step;
  int events;
} watcher;

static int32_t watch(const ckpt_memory_event* event, void* user_data) {
  watcher* self = (watcher*)user_data;
  ckpt_schedule_executor_stats stats = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
  (void)event;
  if (self->executor == NULL) return 0;
  ++self->events;
  IN_USE(ckpt_schedule_executor_run(self->executor, &self->step, NULL));
  IN_USE(ckpt_schedule_executor_get_stats(self->executor, &stats));
  return 0;
}

static void events_of_a_step(void) {
  static const int64_t shape[2] = {SAMPLES, WIDTH};
  watcher self;
  ckpt_memory_tracker* tracker = NULL;
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_chain* chain = NULL;
  ckpt_layer* layer = NULL;
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_tensor* x = NULL;
  int64_t subscription = 0;
  memset(&self, 0, sizeof self);
  CKPT_INIT(ckpt_step, &self.step);
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_ALL, watch, &self, NULL, &subscription));
  CHECK_OK(ckpt_chain_create(0, &chain));
  CHECK_OK(ckpt_layer_create("relu", "relu", &layer));
  CHECK_OK(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
  CHECK_OK(ckpt_profile_create_from_chain(chain, &input_spec, 0, NULL, &profile));
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &schedule));
  options.tracker = tracker;
  CHECK_OK(ckpt_schedule_executor_create(chain, schedule, &input_spec, &options, &self.executor));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &x));
  CHECK_OK(ckpt_tensor_fill(x, 1));
  self.step.input = x;
  self.step.output_gradient = x;
  CHECK_OK(ckpt_schedule_executor_run(self.executor, &self.step, NULL));
  CHECK(self.events > 0);
  ckpt_schedule_executor_release(self.executor);
  self.executor = NULL;
  ckpt_tensor_release(x);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
  ckpt_chain_release(chain);
  ckpt_memory_tracker_release(tracker);
}

int main(void) {
  alarm(HANG_SECONDS); /* refused at once: nothing here may wait */
  every_callback_every_function();
  handles_go_while_they_are_used(0);
  handles_go_while_they_are_used(1);
  handles_go_while_they_are_used(2);
  called_strategy(0);
  called_strategy(1);
  stages_of_a_pipeline();
  reports_to_a_strategy();
  events_of_a_step();
  return 0;
}
