/* Invalid results from forward functions, layers and profiles: an error status, and nothing is overrun or released twice.
 */
#define _POSIX_C_SOURCE 200809L
#include "probe_chain.h"

#include <math.h>
#include <unistd.h>

/* ---- Forward functions ---- */

enum { gives_nothing, gives_input, gives_retained_input, gives_and_fails, gives_another_kind, gives_empty };

static int32_t answers(ckpt_tensor* input, int32_t micro_batch, ckpt_tensor** output, void* user_data) {
  const int64_t no_elements[1] = {0};
  CHECK(*output == NULL);
  switch (micro_batch) {
    case gives_nothing: return 0;
    case gives_input: *output = input; return 0;
    case gives_retained_input:
      ckpt_tensor_retain(input);
      *output = input;
      return 0;
    case gives_and_fails: CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, no_elements, 1, NULL, output)); return INT32_MIN;
    case gives_another_kind: *output = (ckpt_tensor*)user_data; return 0;
    default: CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, no_elements, 1, NULL, output)); return 0;
  }
}

static void test_forward_functions(void) {
  ckpt_clock* clock = NULL; /* a handle of another kind */
  ckpt_activation_manager* manager = NULL;
  ckpt_tensor* const input = probe_tensor(1);
  ckpt_tensor* created = NULL;
  int64_t now = 0;
  CHECK_OK(ckpt_clock_create_manual(3, &clock));
  CHECK_OK(ckpt_activation_manager_create(NULL, NULL, answers, clock, NULL, &manager));
  CHECK_FAILS(ckpt_activation_manager_recompute(manager, input, gives_nothing, &created), CKPT_E_INVALID_ARGUMENT,
              "expected a tensor");
  CHECK_FAILS(ckpt_activation_manager_recompute(manager, input, gives_input, &created), CKPT_E_INVALID_ARGUMENT,
              "expected a retained input");
  CHECK_FAILS(ckpt_activation_manager_recompute(manager, input, gives_and_fails, &created), CKPT_E_CALLBACK, "-2147483648");
  CHECK_FAILS(ckpt_activation_manager_recompute(manager, input, gives_another_kind, &created), CKPT_E_INVALID_ARGUMENT,
              "expected a tensor");
  CHECK(created == NULL);
  CHECK_OK(ckpt_activation_manager_recompute(manager, input, gives_retained_input, &created));
  CHECK(ckpt_tensor_get_const_data(created) == ckpt_tensor_get_const_data(input));
  ckpt_tensor_release(created);
  CHECK_OK(ckpt_activation_manager_get_or_compute(manager, input, gives_empty, &created));
  CHECK(ckpt_tensor_get_bytes(created) == 0);
  ckpt_tensor_release(created);
  CHECK_OK(ckpt_clock_get_now(clock, &now)); /* the foreign handle is untouched */
  CHECK(now == 3 && ((const float*)ckpt_tensor_get_const_data(input))[0] == 1.0F);
  ckpt_activation_manager_release(manager);
  ckpt_tensor_release(input);
  ckpt_clock_release(clock);
}

/* ---- Profiles ---- */

static ckpt_profile* profile_of(int layers, double seconds, int64_t bytes) {
  ckpt_profile* profile = NULL;
  int i;
  CHECK_OK(ckpt_profile_create(8, &profile));
  for (i = 0; i < layers; ++i) {
    ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
    ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    char name[32];
    snprintf(name, sizeof name, "l%d", i);
    layer.output_bytes = bytes;
    CHECK_OK(ckpt_profile_add_layer(profile, name, &layer));
    option.forward_seconds = seconds;
    option.backward_seconds = seconds;
    option.tape_bytes = bytes;
    CHECK_OK(ckpt_profile_add_option(profile, &option));
  }
  return profile;
}

/* Equal layers, whatever their cost: equal pieces. */
static void check_even_split(double seconds, int64_t bytes) {
  const ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 4, 4);
  ckpt_profile* const profile = profile_of(8, seconds, bytes);
  int64_t begins[4] = {-1, -1, -1, -1};
  int64_t count = -1;
  int64_t i;
  CHECK_OK(ckpt_pipeline_split(profile, &options, begins, 4, &count));
  CHECK(count == 4);
  for (i = 0; i < 4; ++i) CHECK(begins[i] == 2 * i);
  ckpt_profile_release(profile);
}

static void test_costs(void) {
  static const double seconds[] = {0, 4.9406564584124654e-324, 1e-300, 1e-3, 1e300, 8.9e307, 1.7976931348623157e308};
  size_t i;
  for (i = 0; i < sizeof seconds / sizeof seconds[0]; ++i) {
    check_even_split(seconds[i], INT64_C(1) << 40);
    check_even_split(seconds[i], 1);
  }
  check_even_split(1.0, 0);
}

/* The sum of two such costs overflows, but the heavy layers are still not put together. */
static void test_costs_with_an_overflowing_sum(void) {
  const ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 2, 2);
  ckpt_profile* const profile = profile_of(2, 1.7e308, 1);
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  int64_t begins[2] = {-1, -1};
  int64_t count = -1;
  layer.output_bytes = 1 << 20;
  CHECK_OK(ckpt_profile_add_layer(profile, "light", &layer));
  CHECK_OK(ckpt_profile_add_option(profile, &option));
  CHECK_OK(ckpt_pipeline_split(profile, &options, begins, 2, &count));
  CHECK(count == 2 && begins[0] == 0 && begins[1] == 1);
  ckpt_profile_release(profile);
}

static void test_costs_that_are_none(void) {
  static const double seconds[] = {-1.0, -4.9406564584124654e-324};
  ckpt_profile* const profile = profile_of(1, 0, 0);
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  size_t i;
  for (i = 0; i < 2; ++i) {
    option.forward_seconds = seconds[i];
    CHECK_FAILS(ckpt_profile_add_option(profile, &option), CKPT_E_INVALID_ARGUMENT, "forward_seconds");
  }
  option.forward_seconds = (double)NAN;
  CHECK_FAILS(ckpt_profile_add_option(profile, &option), CKPT_E_INVALID_ARGUMENT, "forward_seconds");
  option.forward_seconds = (double)INFINITY;
  CHECK_FAILS(ckpt_profile_add_option(profile, &option), CKPT_E_INVALID_ARGUMENT, "forward_seconds");
  ckpt_profile_release(profile);
}

/* ---- Options ---- */

static void test_options(void) {
  static const int32_t numbers[] = {INT32_MIN, -1, 0, 1025, 65537, INT32_MAX};
  const ckpt_tensor_spec spec = probe_spec();
  probe none = {NULL, NULL};
  ckpt_chain* const chain = probe_chain(2, &none);
  ckpt_pipeline* pipeline = NULL;
  int64_t begins[2] = {0, INT64_MAX};
  size_t i;
  for (i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, numbers[i], 2);
    CHECK(ckpt_pipeline_create(chain, &spec, &options, &pipeline) == CKPT_E_INVALID_ARGUMENT);
    options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 2, numbers[i]);
    CHECK(ckpt_pipeline_create(chain, &spec, &options, &pipeline) == CKPT_E_INVALID_ARGUMENT);
    options = probe_options(CKPT_PIPELINE_ORDER_INTERLEAVED, 1, 2);
    options.chunks = numbers[i];
    CHECK(ckpt_pipeline_create(chain, &spec, &options, &pipeline) == CKPT_E_INVALID_ARGUMENT);
    options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 2, 2);
    options.threads_per_stage = numbers[i];
    CHECK(ckpt_pipeline_create(chain, &spec, &options, &pipeline) == CKPT_E_INVALID_ARGUMENT);
  }
  for (i = 0; i < 4; ++i) {
    static const int64_t second[4] = {INT64_MIN, -1, 0, INT64_MAX};
    ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 2, 2);
    begins[1] = second[i];
    options.begins = begins;
    options.begins_count = 2;
    CHECK_FAILS(ckpt_pipeline_create(chain, &spec, &options, &pipeline), CKPT_E_INVALID_ARGUMENT, "begins[1]");
    options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 2, 2);
    options.budget_bytes = INT64_MIN;
    CHECK_FAILS(ckpt_pipeline_create(chain, &spec, &options, &pipeline), CKPT_E_INVALID_ARGUMENT, "budget_bytes");
    options.budget_bytes = 0;
    options.queue_places = INT64_MAX;
    CHECK_FAILS(ckpt_pipeline_create(chain, &spec, &options, &pipeline), CKPT_E_INVALID_ARGUMENT, "queue_places");
  }
  CHECK(pipeline == NULL);
  ckpt_chain_release(chain);
}

/* ---- Layers that change their sizes ---- */

typedef struct fickle {
  probe probe; /* first, since the other callbacks cast to it */
  int calls;
  int from; /* this call and later ones return another size */
  int64_t factors[2];
} fickle;

static int32_t fickle_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  fickle* const state = (fickle*)user_data;
  *output = *input;
  output->shape[1] = probe_width * state->factors[state->calls++ >= state->from];
  return 0;
}

/* A size that differs from the one used for the queues between stages is detected before or in the first step: otherwise the
 * tensors passed between stages would overrun one side or the other. */
static void test_layers_that_change_their_sizes(int64_t first, int64_t later) {
  int from;
  for (from = 0; from < 12; ++from) {
    ckpt_layer_callbacks callbacks = probe_callbacks();
    const ckpt_tensor_spec spec = probe_spec();
    const ckpt_pipeline_options options = probe_options(CKPT_PIPELINE_ORDER_GPIPE, 2, 2);
    fickle state = {{NULL, NULL}, 0, from, {first, later}};
    probe none = {NULL, NULL};
    ckpt_chain* chain = NULL;
    ckpt_layer* layer = NULL;
    ckpt_pipeline* pipeline = NULL;
    ckpt_tensor* const x = probe_tensor(probe_samples);
    ckpt_tensor* gradient = NULL;
    ckpt_step step = probe_step(x);
    const int64_t shape[2] = {probe_samples, probe_width * (from == 0 ? later : first)};
    ckpt_status status;
    CHECK_OK(ckpt_chain_create(0, &chain));
    callbacks.output = fickle_output;
    CHECK_OK(ckpt_layer_create_custom("fickle", &callbacks, &state, NULL, &layer));
    CHECK_OK(ckpt_chain_add(chain, layer));
    ckpt_layer_release(layer);
    callbacks = probe_callbacks();
    CHECK_OK(ckpt_layer_create_custom("steady", &callbacks, &none, NULL, &layer));
    CHECK_OK(ckpt_chain_add(chain, layer));
    ckpt_layer_release(layer);
    CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &gradient));
    step.output_gradient = gradient;
    status = ckpt_pipeline_create(chain, &spec, &options, &pipeline);
    if (status == CKPT_OK) status = ckpt_pipeline_run(pipeline, &step, -1, NULL, NULL);
    if (from == 1 || from == 2) CHECK(status != CKPT_OK || state.calls <= from);
    if (from == 0 || state.calls <= from) CHECK_OK(status);
    ckpt_pipeline_release(pipeline);
    ckpt_tensor_release(gradient);
    ckpt_tensor_release(x);
    ckpt_chain_release(chain);
  }
}

int main(void) {
  alarm(HANG_SECONDS);
  test_forward_functions();
  test_costs();
  test_costs_with_an_overflowing_sum();
  test_costs_that_are_none();
  test_options();
  test_layers_that_change_their_sizes(1, 64);
  test_layers_that_change_their_sizes(64, 1);
  return 0;
}
