/* Custom layers that write outside of their buffers: the executor's check of writes reports the layer and the position; the page
 * after the arena stops overruns in every build; a build with AddressSanitizer stops at the first dead byte. */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { SAMPLES = 3, WIDTH = 5, LAYERS = 4, CULPRIT = 1, BYTES = SAMPLES * WIDTH * 4, TAPE_BYTES = 8 };

typedef enum bad_write {
  none,
  after_output,
  after_tape,
  far_after_output,
  into_input,
  into_other_tape,
  after_grad_input,
  into_grad_output,
  read_after_output,
  past_the_arena
} bad_write;

typedef struct shared_state {
  bad_write bad_write;
  unsigned char* first_tape; /* the tape of layer 0 */
  int64_t arena_bytes;
} shared_state;

static shared_state shared = {none, NULL, 0};

static int32_t same_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  (void)user_data;
  *output = *input;
  return 0;
}

static int32_t small_tape(const ckpt_tensor_spec* input, int32_t option, ckpt_layer_option* out, void* user_data) {
  (void)input;
  (void)option;
  (void)user_data;
  out->tape_bytes = TAPE_BYTES;
  return 0;
}

static int32_t forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                       void* user_data) {
  const bad_write write_kind = context->layer == CULPRIT ? shared.bad_write : none;
  volatile unsigned char* const y = (volatile unsigned char*)output;
  int i;
  (void)workspace;
  (void)user_data;
  for (i = 0; i < SAMPLES * WIDTH; ++i) ((float*)output)[i] = 2 * ((const float*)input)[i];
  if (tape != NULL) memset(tape, 7, TAPE_BYTES);
  if (context->layer == 0) shared.first_tape = (unsigned char*)tape;
  if (write_kind == after_output) y[BYTES] = 1;
  if (write_kind == after_tape) ((volatile unsigned char*)tape)[TAPE_BYTES + 1] = 1;
  if (write_kind == far_after_output) y[BYTES + 3] = 1;
  if (write_kind == into_input) *(float*)(uintptr_t)input = 3;
  if (write_kind == into_other_tape) shared.first_tape[2] = 1;
  if (write_kind == read_after_output) ((float*)output)[0] = (float)y[BYTES];
  if (write_kind == past_the_arena) {
    int64_t at;
    for (at = 0; at <= shared.arena_bytes; at += 64) y[at] = 1;
  }
  return 0;
}

static int32_t backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                        const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  const bad_write write_kind = context->layer == CULPRIT ? shared.bad_write : none;
  int i;
  (void)input;
  (void)output;
  (void)tape;
  (void)workspace;
  (void)user_data;
  for (i = 0; i < SAMPLES * WIDTH; ++i) ((float*)grad_input)[i] = 2 * ((const float*)grad_output)[i];
  if (write_kind == after_grad_input) ((volatile unsigned char*)grad_input)[BYTES] = 1;
  if (write_kind == into_grad_output) *(float*)(uintptr_t)grad_output = 3;
  return 0;
}

typedef struct run {
  ckpt_chain* chain;
  ckpt_schedule_executor* executor;
  ckpt_tensor *x, *x_gradient;
  ckpt_step step;
} run;

static run make_run(const char* planner, ckpt_bool check_writes) {
  static const ckpt_tensor_spec spec = {CKPT_DTYPE_F32, 2, {SAMPLES, WIDTH}};
  run r = {NULL, NULL, NULL, NULL, CKPT_STEP_INIT};
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_schedule_executor_stats stats = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  int i;
  CHECK_OK(ckpt_chain_create(0, &r.chain));
  for (i = 0; i < LAYERS; ++i) {
    ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
    ckpt_layer* layer = NULL;
    char name[32];
    snprintf(name, sizeof name, "double%d", i);
    callbacks.output = same_output;
    callbacks.option = small_tape;
    callbacks.forward = forward;
    callbacks.backward = backward;
    CHECK_OK(ckpt_layer_create_custom(name, &callbacks, NULL, NULL, &layer));
    CHECK_OK(ckpt_chain_add(r.chain, layer));
    ckpt_layer_release(layer);
  }
  CHECK_OK(ckpt_profile_create_from_chain(r.chain, &spec, 0, NULL, &profile));
  CHECK_OK(ckpt_schedule_create(profile, planner, &schedule));
  options.check_writes = check_writes;
  CHECK_OK(ckpt_schedule_executor_create(r.chain, schedule, &spec, &options, &r.executor));
  CHECK_OK(ckpt_schedule_executor_get_stats(r.executor, &stats));
  shared.arena_bytes = stats.reserved_bytes;
  CHECK_OK(ckpt_tensor_create(spec.dtype, spec.shape, spec.ndim, NULL, &r.x));
  CHECK_OK(ckpt_tensor_fill(r.x, 1));
  CHECK_OK(ckpt_tensor_create(spec.dtype, spec.shape, spec.ndim, NULL, &r.x_gradient));
  r.step.input = r.x;
  r.step.output_gradient = r.x;
  r.step.input_gradient = r.x_gradient;
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
  return r;
}

static void release_run(run* r) {
  ckpt_schedule_executor_release(r->executor);
  ckpt_tensor_release(r->x);
  ckpt_tensor_release(r->x_gradient);
  ckpt_chain_release(r->chain);
}

/* Checks that the step is refused and the layer is named; the next step, without the bad write, succeeds. */
static void expect_found(bad_write write_kind, const char* planner, const char* text) {
  run r = make_run(planner, 1);
  char whole[256];
  snprintf(whole, sizeof whole, "layer 1 'double1', micro-batch 0: its %s", text);
  shared.bad_write = write_kind;
  CHECK_FAILS(ckpt_schedule_executor_run(r.executor, &r.step, NULL), CKPT_E_CORRUPT, whole);
  shared.bad_write = none;
  CHECK_OK(ckpt_schedule_executor_run(r.executor, &r.step, NULL));
  CHECK(((const float*)ckpt_tensor_get_const_data(r.x_gradient))[0] == 16);
  release_run(&r);
}

/* Returns 1 if a process with this bad write, without the check, crashes. */
static int crashes(bad_write write_kind) {
  int status = 0;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    run r = make_run("store-all", 0);
    shared.bad_write = write_kind;
    ckpt_schedule_executor_run(r.executor, &r.step, NULL);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_permitted_writes(void) {
  static const char* const planners[] = {"store-all", "recompute-all", "periodic:2"};
  size_t i;
  shared.bad_write = none;
  for (i = 0; i < sizeof planners / sizeof *planners; ++i) {
    run r = make_run(planners[i], 1);
    CHECK_OK(ckpt_schedule_executor_run(r.executor, &r.step, NULL));
    CHECK(((const float*)ckpt_tensor_get_const_data(r.x_gradient))[SAMPLES * WIDTH - 1] == 16);
    release_run(&r);
  }
  CHECK(!crashes(none));
}

static void test_live_bytes(void) {
  expect_found(into_input, "store-all", "forward changed the output of layer 'double0', which it may not write");
  expect_found(into_input, "recompute-all", "forward changed the output of layer 'double0', which it may not write");
  expect_found(into_other_tape, "store-all", "forward changed the tape of layer 'double0', which it may not write");
  expect_found(into_grad_output, "store-all",
               "backward changed the gradient of the output of layer 'double1', which it may not write");
}

static void test_past_the_arena(void) { CHECK(crashes(past_the_arena)); }

#if defined(__SANITIZE_ADDRESS__)
static void test_dead_bytes(void) {
  CHECK(crashes(after_output) && crashes(after_tape) && crashes(far_after_output) && crashes(after_grad_input));
  CHECK(crashes(read_after_output));
}
#else
static void test_dead_bytes(void) {
  expect_found(after_output, "store-all", "forward wrote byte 60 of its output, which has 60");
  expect_found(after_output, "recompute-all", "forward wrote byte 60 of its output, which has 60");
  expect_found(far_after_output, "periodic:2", "forward wrote byte 63 of its output, which has 60");
  expect_found(after_tape, "store-all", "forward wrote byte 9 of its tape, which has 8");
  expect_found(after_grad_input, "store-all", "backward wrote byte 60 of its grad_input, which has 60");
  CHECK(!crashes(after_output)); /* not detected without the check */
}
#endif

static void test_options(void) {
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  const ckpt_tensor_spec spec = {CKPT_DTYPE_F32, 2, {SAMPLES, WIDTH}};
  run r = make_run("store-all", 0);
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_schedule_executor* executor = NULL;
  CHECK(options.check_writes == 0);
  options.check_writes = 2;
  CHECK_OK(ckpt_profile_create_from_chain(r.chain, &spec, 0, NULL, &profile));
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &schedule));
  CHECK_FAILS(ckpt_schedule_executor_create(r.chain, schedule, &spec, &options, &executor), CKPT_E_INVALID_ARGUMENT,
              "options.check_writes is 2");
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
  release_run(&r);
}

int main(void) {
  test_past_the_arena(); /* these fork, and so run before any thread starts */
  test_permitted_writes();
  test_dead_bytes();
  test_live_bytes();
  test_options();
  return 0;
}
