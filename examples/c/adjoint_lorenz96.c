/* The gradient of a time-stepping code, driven by a schedule's cursor: 400 Runge-Kutta steps of the Lorenz-96 model, which cannot
 * all be kept. Revolve keeps ten states; mixed keeps ten states or recordings; two-level keeps four states in memory and others in
 * a file. All run the same steps, so their gradients are the same to the last bit; finite differences say that it is the right one.
 */
#include <ckpt/ckpt.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES = 40, STEPS = 400, STAGES = 4, BUFFERS = 16 };
static const double step_length = 0.005;

typedef double state[VARIABLES];
typedef state recording[STAGES]; /* where the step asked for slopes: all that its backward reads */

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

/* The gradient of x for that of the slope at x. */
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

/* One step. out may be x; recorded may be NULL, and out too when only the recording is wanted. */
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

/* gradient: of the step's result; becomes that of its state. */
static void run_step_backward(recording* recorded, double* gradient) {
  static const double offset[STAGES] = {0.0, 0.5, 0.5, 1.0};
  static const double weight[STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  state of_result;
  state of_next_stage; /* of the place where the next stage asked for its slopes */
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

/* ---- The code that obeys a schedule --------------------------------------------------------------------------------------- */

typedef struct adjoint_code {
  state states[BUFFERS];
  int64_t step_of[BUFFERS]; /* whose state the buffer has; -1: none */
  recording recordings[BUFFERS];
  int64_t recorded_step[BUFFERS];
  state gradient;
  double loss;
  FILE* tier; /* slot after slot */
} adjoint_code;

static int place_of(const int64_t* places, int64_t step) {
  int place = 0;
  while (place < BUFFERS && places[place] != step) ++place;
  need(place < BUFFERS, "the schedule names what is not there");
  return place;
}

static double* state_of(adjoint_code* code, int64_t step) { return code->states[place_of(code->step_of, step)]; }

static double* new_state(adjoint_code* code, int64_t step, int place) {
  need(place < BUFFERS && (code->step_of[place] == -1 || code->step_of[place] == step), "the schedule writes over a state");
  code->step_of[place] = step;
  return code->states[place];
}

static recording* new_recording(adjoint_code* code, int64_t step) {
  const int place = place_of(code->recorded_step, -1);
  code->recorded_step[place] = step;
  return &code->recordings[place];
}

static void seek_slot(adjoint_code* code, const ckpt_schedule_action* action) {
  need(fseek(code->tier, (long)action->slot * (long)sizeof(state), SEEK_SET) == 0, "the file cannot be used");
}

static void obey(adjoint_code* code, const ckpt_schedule_action* action) {
  const int64_t first = action->first;
  int64_t step;
  int place;
  switch (action->kind) {
    case CKPT_ACTION_KIND_FORWARD: {
      const double* from = state_of(code, first);
      double* to = new_state(code, action->last, action->slot);
      run_step(from, to, NULL);
      for (step = first + 1; step < action->last; ++step) run_step(to, to, NULL);
      break;
    }
    case CKPT_ACTION_KIND_ADVANCE: {
      double* at = state_of(code, first);
      for (step = first; step < action->last; ++step) run_step(at, at, NULL);
      code->step_of[action->slot] = action->last;
      break;
    }
    case CKPT_ACTION_KIND_FORWARD_TAPE: { /* the slot behind that of the state is free */
      const double* from = state_of(code, first);
      double* to = new_state(code, action->last, place_of(code->step_of, first) + 1);
      run_step(from, to, new_recording(code, first));
      break;
    }
    case CKPT_ACTION_KIND_RECORD: run_step(state_of(code, first), NULL, new_recording(code, first)); break;
    case CKPT_ACTION_KIND_TURN: /* the gradient of the loss is the state itself */
      memcpy(code->gradient, state_of(code, STEPS), sizeof code->gradient);
      code->loss = loss_of(code->gradient);
      break;
    case CKPT_ACTION_KIND_BACKWARD:
      place = place_of(code->recorded_step, first);
      run_step_backward(&code->recordings[place], code->gradient);
      code->recorded_step[place] = -1;
      break;
    case CKPT_ACTION_KIND_DROP: /* of a slot of the file: nothing to do */
      if (action->tier == 0) code->step_of[place_of(code->step_of, first)] = -1;
      break;
    case CKPT_ACTION_KIND_STORE_BEGIN: /* done at once; the AWAIT has nothing to wait for */
      seek_slot(code, action);
      need(fwrite(state_of(code, first), sizeof(state), 1, code->tier) == 1, "the file cannot be written");
      break;
    case CKPT_ACTION_KIND_LOAD_BEGIN:
      seek_slot(code, action);
      need(fread(new_state(code, first, 0), sizeof(state), 1, code->tier) == 1, "the file cannot be read");
      break;
    default: break;
  }
}

static void run_schedule(ckpt_schedule* schedule, adjoint_code* code) {
  ckpt_cursor* cursor = NULL;
  ckpt_schedule_action actions[256];
  int64_t count = 0;
  int64_t i;
  for (i = 0; i < BUFFERS; ++i) code->step_of[i] = code->recorded_step[i] = -1;
  set_initial(new_state(code, 0, 0));
  ok(ckpt_cursor_create(schedule, &cursor));
  do {
    ok(ckpt_cursor_next_many(cursor, actions, 256, &count));
    for (i = 0; i < count; ++i) obey(code, &actions[i]);
  } while (count == 256);
  ckpt_cursor_release(cursor);
}

/* ---- Comparison ----------------------------------------------------------------------------------------------------------- */

/* The largest difference to central finite differences, as a part of the gradient's largest value. */
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

/* One like another: a forward takes 1, a state is written or read in 2; the file has no limit. */
static ckpt_profile* profile_of_steps(void) {
  ckpt_profile* profile = NULL;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  ckpt_tier_profile file = CKPT_TIER_PROFILE_INIT;
  layer.flags = CKPT_LAYER_FLAG_DETERMINISTIC; /* backward reads the recording alone */
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
  int i;
  need(code != NULL, "no memory");
  code->tier = tmpfile();
  need(code->tier != NULL, "no file can be made");
  for (i = 0; i < 3; ++i) {
    ckpt_schedule* schedule = NULL;
    ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
    ok(ckpt_schedule_create(profile, planners[i], &schedule));
    ok(ckpt_schedule_verify(schedule, profile, &report));
    run_schedule(schedule, code);
    printf("%-11s  %4lld forwards, %5.0f s, at most %2lld states in memory and %2lld in the file; loss %.9g\n", planners[i],
           (long long)report.forwards, report.step_seconds, (long long)report.peak_inputs[0], (long long)report.peak_inputs[1],
           code->loss);
    if (i == 0) memcpy(first_gradient, code->gradient, sizeof first_gradient);
    need(memcmp(first_gradient, code->gradient, sizeof first_gradient) == 0, "the gradients differ");
    ckpt_schedule_release(schedule);
  }
  need(gradient_error(first_gradient) < 1e-6, "finite differences say that the gradient is wrong");
  printf("the gradients are the same to the last bit, and finite differences agree\n");
  fclose(code->tier);
  free(code);
  ckpt_profile_release(profile);
  return 0;
}
