/* Computes the gradient of a time-stepping code under schedules: 400 Runge-Kutta steps of the Lorenz-96 model, too many to keep all
 * states. Revolve keeps ten states; mixed keeps ten states or recordings; two-level keeps four states in memory and others in
 * a file. All run the same steps, so their gradients are equal to the last bit; finite differences confirm the gradient.
 */
#include <ckpt/ckpt.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES = 40, STEPS = 400, STAGES = 4, BUFFERS = 16 };
static const double step_length = 0.005;

typedef double state[VARIABLES];
typedef state recording[STAGES]; /* the points where the step evaluated slopes: all that its backward reads */

static void ok(ckpt_status status) {
  if (status == CKPT_OK) return;
  fprintf(stderr, "%s: %s\n", ckpt_status_name(status), ckpt_last_error());
  exit(1);
}

static void need(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}

/* ---- The model ----------------------------------------------------------------------------------------------------------- */

/* dx_i/dt = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + 8, on a ring. */
static void slope(const double* x, double* out) {
  int i;
  for (i = 0; i < VARIABLES; ++i) {
    const double before = x[(i + VARIABLES - 1) % VARIABLES];
    out[i] = (x[(i + 1) % VARIABLES] - x[(i + VARIABLES - 2) % VARIABLES]) * before - x[i] + 8.0;
  }
}

/* Computes the gradient of x from the gradient of the slope at x. */
static void slope_backward(const double* x, const double* of_slope, double* out) {
  int i;
  memset(out, 0, sizeof(state));
  for (i = 0; i < VARIABLES; ++i) {
    const int next = (i + 1) % VARIABLES;
    const int before = (i + VARIABLES - 1) % VARIABLES;
    const int second = (i + VARIABLES - 2) % VARIABLES;
    out[next] += of_slope[i] * x[before];
    out[second] -= of_slope[i] * x[before];
    out[before] += of_slope[i] * (x[next] - x[second]);
    out[i] -= of_slope[i];
  }
}

/* Runs one step. out may be x; recorded may be NULL; out may be NULL if only the recording is needed. */
static void run_step(const double* x, double* out, recording* recorded) {
  static const double offset[STAGES] = {0.0, 0.5, 0.5, 1.0};
  static const double weight[STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  state slopes;
  state sum;
  int stage;
  int i;
  memset(slopes, 0, sizeof slopes);
  memcpy(sum, x, sizeof sum);
  for (stage = 0; stage < STAGES; ++stage) {
    state at;
    for (i = 0; i < VARIABLES; ++i) at[i] = x[i] + offset[stage] * step_length * slopes[i];
    if (recorded != NULL) memcpy((*recorded)[stage], at, sizeof at);
    slope(at, slopes);
    for (i = 0; i < VARIABLES; ++i) sum[i] += weight[stage] * step_length * slopes[i];
  }
  if (out != NULL) memcpy(out, sum, sizeof sum);
}

/* Replaces the gradient of the step's result by the gradient of its state. */
static void run_step_backward(recording* recorded, double* gradient) {
  static const double offset[STAGES] = {0.0, 0.5, 0.5, 1.0};
  static const double weight[STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  state of_result;
  state of_next_stage; /* gradient of the point where the next stage evaluated its slopes */
  int stage;
  int i;
  memcpy(of_result, gradient, sizeof of_result);
  memset(of_next_stage, 0, sizeof of_next_stage);
  for (stage = STAGES - 1; stage >= 0; --stage) {
    const double next_offset = stage + 1 < STAGES ? offset[stage + 1] : 0.0;
    state of_slope;
    for (i = 0; i < VARIABLES; ++i) of_slope[i] = step_length * (weight[stage] * of_result[i] + next_offset * of_next_stage[i]);
    slope_backward((*recorded)[stage], of_slope, of_next_stage);
    for (i = 0; i < VARIABLES; ++i) gradient[i] += of_next_stage[i];
  }
}

static double loss_of(const double* x) {
  double loss = 0.0;
  int i;
  for (i = 0; i < VARIABLES; ++i) loss += 0.5 * x[i] * x[i];
  return loss;
}

static void set_initial(double* x) {
  int i;
  for (i = 0; i < VARIABLES; ++i) x[i] = 8.0 + sin(0.7 * i);
}

/* ---- Callbacks of the driver ------------------------------------------------------------------------------------------------ */

/* Storage for the items of a schedule; handles are pointers into it. Gradients are states, too. */
typedef struct adjoint_code {
  state states[BUFFERS];
  int state_used[BUFFERS];
  recording recordings[BUFFERS];
  int recording_used[BUFFERS];
  double loss;
  FILE* tier; /* the slots, one after another */
} adjoint_code;

static int free_place(int* used) {
  int place = 0;
  while (place < BUFFERS && used[place]) ++place;
  need(place < BUFFERS, "the schedule keeps more items than predicted");
  used[place] = 1;
  return place;
}

static double* new_state(adjoint_code* code) { return code->states[free_place(code->state_used)]; }
static void end_state(adjoint_code* code, void* x) { code->state_used[(state*)x - code->states] = 0; }
static void end_recording(adjoint_code* code, void* tape) { code->recording_used[(recording*)tape - code->recordings] = 0; }

/* If the call owns its input, the steps run in place. */
static int32_t forward(const ckpt_drive_call* call, void* input, void** output, void* user_data) {
  double* to = (call->flags & CKPT_DRIVE_FLAG_TAKE_INPUT) != 0 ? input : new_state(user_data);
  int64_t step;
  run_step(input, to, NULL);
  for (step = call->first + 1; step < call->last; ++step) run_step(to, to, NULL);
  *output = to;
  return 0;
}

static int32_t record(const ckpt_drive_call* call, void* input, void** output, void** tape, void* user_data) {
  adjoint_code* code = user_data;
  recording* recorded = &code->recordings[free_place(code->recording_used)];
  double* to = (call->flags & CKPT_DRIVE_FLAG_NO_OUTPUT) != 0 ? NULL : new_state(code);
  run_step(input, to, recorded);
  if ((call->flags & CKPT_DRIVE_FLAG_TAKE_INPUT) != 0) end_state(code, input);
  *output = to;
  *tape = recorded;
  return 0;
}

/* In place: the call owns its gradient. */
static int32_t backward(const ckpt_drive_call* call, void* input, void* output, void* tape, void* grad_output, void** grad_input,
                        void* user_data) {
  (void)call, (void)input, (void)output;
  run_step_backward(tape, grad_output);
  end_recording(user_data, tape);
  *grad_input = grad_output;
  return 0;
}

/* The gradient of the loss is the state itself. */
static int32_t turn(const ckpt_drive_call* call, void* output, void** grad_output, void* user_data) {
  adjoint_code* code = user_data;
  (void)call;
  code->loss = loss_of(output);
  *grad_output = memcpy(new_state(code), output, sizeof(state));
  return 0;
}

static int in_file(adjoint_code* code, const ckpt_drive_call* call) {
  return fseek(code->tier, (long)call->slot * (long)sizeof(state), SEEK_SET) == 0;
}

/* Completes synchronously, so there is nothing to await. A failure fails the step, and the driver drops the remaining items. */
static int32_t store(const ckpt_drive_call* call, void* item, void* user_data) {
  adjoint_code* code = user_data;
  return in_file(code, call) && fwrite(item, sizeof(state), 1, code->tier) == 1 ? 0 : 1;
}

static int32_t load(const ckpt_drive_call* call, void** item, void* user_data) {
  adjoint_code* code = user_data;
  *item = new_state(code);
  if (in_file(code, call) && fread(*item, sizeof(state), 1, code->tier) == 1) return 0;
  end_state(code, *item);
  return 1;
}

static int32_t nothing_to_wait_for(const ckpt_drive_call* call, void* user_data) {
  (void)call, (void)user_data;
  return 0;
}

static void drop(const ckpt_drive_call* call, void* item, void* user_data) {
  if (call->tier > 0) return; /* a slot of the file */
  if (call->item == CKPT_ITEM_TAPE) {
    end_recording(user_data, item);
  } else {
    end_state(user_data, item);
  }
}

static void run_schedule(ckpt_schedule* schedule, adjoint_code* code, double* gradient) {
  ckpt_driver_callbacks callbacks = CKPT_DRIVER_CALLBACKS_INIT;
  ckpt_driver* driver = NULL;
  double* x0 = new_state(code);
  void* g0 = NULL;
  int i;
  callbacks.forward = forward;
  callbacks.record = record;
  callbacks.backward = backward;
  callbacks.turn = turn;
  callbacks.store = store;
  callbacks.load = load;
  callbacks.await = nothing_to_wait_for;
  callbacks.drop = drop;
  set_initial(x0);
  ok(ckpt_driver_create(schedule, &callbacks, code, NULL, &driver));
  ok(ckpt_driver_run(driver, x0, &g0));
  ckpt_driver_release(driver);
  memcpy(gradient, g0, sizeof(state));
  end_state(code, g0);
  for (i = 0; i < BUFFERS; ++i) need(!code->state_used[i] && !code->recording_used[i], "something is left");
}

/* ---- Comparison ----------------------------------------------------------------------------------------------------------- */

/* Returns the largest difference from central finite differences, relative to the gradient's largest value. */
static double gradient_error(const double* gradient) {
  const double width = 1e-6;
  double largest = 0.0;
  double error = 0.0;
  int i;
  for (i = 0; i < VARIABLES; ++i) {
    double loss[2];
    int side;
    for (side = 0; side < 2; ++side) {
      state x;
      int step;
      set_initial(x);
      x[i] += side == 0 ? -width : width;
      for (step = 0; step < STEPS; ++step) run_step(x, x, NULL);
      loss[side] = loss_of(x);
    }
    error = fmax(error, fabs((loss[1] - loss[0]) / (2 * width) - gradient[i]));
    largest = fmax(largest, fabs(gradient[i]));
  }
  return error / largest;
}

/* All steps cost the same: a forward takes 1, writing or reading a state takes 2; the file has no limit. */
static ckpt_profile* profile_of_steps(void) {
  ckpt_profile* profile = NULL;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  ckpt_tier_profile file = CKPT_TIER_PROFILE_INIT;
  layer.flags = CKPT_LAYER_FLAG_DETERMINISTIC; /* backward reads only the recording */
  layer.output_bytes = (int64_t)sizeof(state);
  option.tape_bytes = (int64_t)sizeof(recording);
  option.forward_seconds = 1.0;
  option.backward_seconds = 2.0;
  file.write_bytes_per_second = file.read_bytes_per_second = (double)sizeof(state) / 2.0;
  ok(ckpt_profile_create_uniform(STEPS, &layer, &option, &profile));
  ok(ckpt_profile_set_tier(profile, 1, &file));
  return profile;
}

int main(void) {
  static const char* const planners[] = {"revolve:10", "mixed:10", "two-level:4"};
  ckpt_profile* profile = profile_of_steps();
  adjoint_code* code = calloc(1, sizeof *code);
  state first_gradient;
  state gradient;
  int i;
  need(code != NULL, "no memory");
  code->tier = tmpfile();
  need(code->tier != NULL, "no file can be made");
  for (i = 0; i < 3; ++i) {
    ckpt_schedule* schedule = NULL;
    ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
    ok(ckpt_schedule_create(profile, planners[i], &schedule));
    ok(ckpt_schedule_verify(schedule, profile, &report));
    run_schedule(schedule, code, gradient);
    printf("%-11s  %4lld forwards, %5.0f s, at most %2lld states in memory and %2lld in the file; loss %.9g\n", planners[i],
           (long long)report.forwards, report.step_seconds, (long long)report.peak_inputs[0], (long long)report.peak_inputs[1],
           code->loss);
    if (i == 0) memcpy(first_gradient, gradient, sizeof first_gradient);
    need(memcmp(first_gradient, gradient, sizeof first_gradient) == 0, "the gradients differ");
    ckpt_schedule_release(schedule);
  }
  need(gradient_error(first_gradient) < 1e-6, "the gradient differs from finite differences");
  printf("the gradients are the same to the last bit, and finite differences agree\n");
  fclose(code->tier);
  free(code);
  ckpt_profile_release(profile);
  return 0;
}
