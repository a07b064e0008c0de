/* Runs schedules on its own memory, without the library's engine: a chain of layers y = tanh(x W) in plain C, one allocation for
 * a whole step, and copies to slower tiers that run as early or as late as allowed.
 *
 * ckpt_program gives the position of every buffer in its tier's arena, and the buffers that every operation reads and writes. Dead
 * buffers are overwritten with NaNs at once, so the gradients would differ if a step read a byte too late or too early. */
#include <ckpt/ckpt.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 12, BATCH = 8, WIDTH = 16, ITEM = BATCH * WIDTH * (int)sizeof(double) };

typedef struct Gradients {
  double of_weights[LAYERS][WIDTH * WIDTH];
  double of_input[BATCH * WIDTH];
} Gradients;

/* A program and the memory that its steps need. */
typedef struct Machine {
  char* arenas[CKPT_TIERS];
  ckpt_program_buffer* buffers;
  ckpt_program_operation* operations;
  int64_t buffer_count;
  int64_t operation_count;
  int64_t bytes[CKPT_TIERS];
  void* memory; /* the one allocation */
} Machine;

static double weights[LAYERS][WIDTH * WIDTH];
static double input[BATCH * WIDTH];

static void check(ckpt_status status) {
  if (status == CKPT_OK) return;
  fprintf(stderr, "%s: %s\n", ckpt_status_name(status), ckpt_last_error());
  exit(1);
}

/* ---- The layers ---- */

static double next_random(void) {
  static unsigned long long state = 42;
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(state >> 11) / 9007199254740992.0 - 0.5;
}

/* tape: receives 1 - y^2 if the layer records */
static void forward(int64_t layer, const double* x, double* y, double* tape) {
  const double* const w = weights[layer];
  int row, column, k;
  for (row = 0; row < BATCH; ++row) {
    for (column = 0; column < WIDTH; ++column) {
      double sum = 0;
      for (k = 0; k < WIDTH; ++k) sum += x[row * WIDTH + k] * w[k * WIDTH + column];
      y[row * WIDTH + column] = tanh(sum);
      if (tape != NULL) tape[row * WIDTH + column] = 1 - y[row * WIDTH + column] * y[row * WIDTH + column];
    }
  }
}

static void backward(int64_t layer, const double* x, const double* tape, const double* grad_y, double* workspace, double* grad_x,
                     double* grad_w) {
  const double* const w = weights[layer];
  int row, column, k;
  for (k = 0; k < BATCH * WIDTH; ++k) workspace[k] = grad_y[k] * tape[k];
  for (row = 0; row < BATCH; ++row) {
    for (k = 0; k < WIDTH; ++k) {
      double sum = 0;
      for (column = 0; column < WIDTH; ++column) sum += workspace[row * WIDTH + column] * w[k * WIDTH + column];
      grad_x[row * WIDTH + k] = sum;
    }
  }
  for (k = 0; k < WIDTH; ++k) {
    for (column = 0; column < WIDTH; ++column) {
      double sum = 0;
      for (row = 0; row < BATCH; ++row) sum += x[row * WIDTH + k] * workspace[row * WIDTH + column];
      grad_w[k * WIDTH + column] = sum;
    }
  }
}

/* ---- The profile of the layers ---- */

static ckpt_profile* make_profile(void) {
  ckpt_profile* profile = NULL;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  ckpt_tier_profile tier = CKPT_TIER_PROFILE_INIT;
  int i;
  layer.flags = CKPT_LAYER_FLAG_NEEDS_INPUT | CKPT_LAYER_FLAG_DETERMINISTIC;
  layer.output_bytes = ITEM;
  option.tape_bytes = ITEM;
  option.backward_workspace_bytes = ITEM;
  option.forward_seconds = 1;
  option.backward_seconds = 2;
  tier.latency_seconds = 0.25;
  check(ckpt_profile_create(ITEM, &profile));
  for (i = 0; i < LAYERS; ++i) {
    check(ckpt_profile_add_layer(profile, "linear and tanh", &layer));
    check(ckpt_profile_add_option(profile, &option));
  }
  check(ckpt_profile_set_tier(profile, 1, &tier));
  check(ckpt_profile_set_tier(profile, 2, &tier));
  return profile;
}

/* ---- A program's memory: all arenas and both lists in one block ---- */

static Machine make_machine(const ckpt_profile* profile, const char* planner) {
  Machine machine;
  ckpt_schedule* schedule = NULL;
  ckpt_program* program = NULL;
  int64_t bytes = 0;
  char* next;
  int tier;
  check(ckpt_schedule_create(profile, planner, &schedule));
  check(ckpt_program_create(schedule, profile, &program));
  check(ckpt_program_get_buffers(program, NULL, 0, &machine.buffer_count));
  check(ckpt_program_get_operations(program, NULL, 0, &machine.operation_count));
  for (tier = 0; tier < CKPT_TIERS; ++tier) {
    check(ckpt_program_get_arena_bytes(program, tier, &machine.bytes[tier])); /* a multiple of 64 */
    bytes += machine.bytes[tier];
  }
  bytes += machine.buffer_count * (int64_t)sizeof(ckpt_program_buffer);
  bytes += machine.operation_count * (int64_t)sizeof(ckpt_program_operation);
  machine.memory = malloc((size_t)bytes + 63);
  if (machine.memory == NULL) exit(1);
  next = (char*)machine.memory + (64 - (uintptr_t)machine.memory % 64) % 64; /* arenas begin at a multiple of 64 */
  for (tier = 0; tier < CKPT_TIERS; ++tier) {
    machine.arenas[tier] = next;
    next += machine.bytes[tier];
  }
  machine.buffers = (ckpt_program_buffer*)(void*)next;
  machine.operations = (ckpt_program_operation*)(void*)(next + machine.buffer_count * (int64_t)sizeof(ckpt_program_buffer));
  check(ckpt_program_get_buffers(program, machine.buffers, machine.buffer_count, &machine.buffer_count));
  check(ckpt_program_get_operations(program, machine.operations, machine.operation_count, &machine.operation_count));
  ckpt_program_release(program);
  ckpt_schedule_release(schedule);
  return machine;
}

/* ---- A step ---- */

static double* at(const Machine* machine, int64_t number) {
  const ckpt_program_buffer* buffer = NULL;
  if (number < 0) return NULL;
  buffer = &machine->buffers[number];
  return (double*)(void*)(machine->arenas[buffer->tier] + buffer->offset);
}

/* Sets all bits, which makes NaNs. The bytes of a buffer that is overwritten in place already belong to another; this chain has
 * none. */
static void poison_dead(const Machine* machine, int64_t operation) {
  int64_t i;
  for (i = 0; i < machine->buffer_count; ++i) {
    const ckpt_program_buffer* const buffer = &machine->buffers[i];
    if (buffer->last == operation && buffer->bytes > 0) memset(at(machine, i), 0xff, (size_t)buffer->bytes);
  }
}

static void copy(const Machine* machine, const ckpt_program_operation* operation) {
  memcpy(at(machine, operation->output), at(machine, operation->input), (size_t)machine->buffers[operation->input].bytes);
}

/* Runs a stream's pending copies in order, up to the awaited one. */
static void copy_late(const Machine* machine, int64_t* ran, int64_t await) {
  const int64_t transfer = machine->operations[await].transfer;
  int64_t begin = await;
  int64_t i;
  int stream;
  do --begin;
  while (machine->operations[begin].kind == CKPT_ACTION_KIND_AWAIT || machine->operations[begin].transfer != transfer ||
         machine->operations[begin].stream == 0);
  stream = machine->operations[begin].stream;
  for (i = ran[stream]; i <= begin; ++i) {
    if (machine->operations[i].stream == stream) copy(machine, &machine->operations[i]);
  }
  if (begin >= ran[stream]) ran[stream] = begin + 1;
}

static void step(const Machine* machine, int late, Gradients* out) {
  int64_t ran[2 * CKPT_TIERS - 1] = {0}; /* by stream: operations before this one were examined */
  int64_t i;
  int tier;
  for (tier = 0; tier < CKPT_TIERS; ++tier) memset(machine->arenas[tier], 0xff, (size_t)machine->bytes[tier]);
  for (i = 0; i < machine->buffer_count; ++i) {
    if (machine->buffers[i].first == -1) memcpy(at(machine, i), input, sizeof input);
  }
  for (i = 0; i < machine->operation_count; ++i) {
    const ckpt_program_operation* const operation = &machine->operations[i];
    switch (operation->kind) {
      case CKPT_ACTION_KIND_FORWARD:
      case CKPT_ACTION_KIND_FORWARD_TAPE:
        forward(operation->layer, at(machine, operation->input), at(machine, operation->output), at(machine, operation->tape));
        break;
      case CKPT_ACTION_KIND_BACKWARD:
        backward(operation->layer, at(machine, operation->input), at(machine, operation->tape), at(machine, operation->grad_output),
                 at(machine, operation->workspace), at(machine, operation->grad_input), out->of_weights[operation->layer]);
        break;
      case CKPT_ACTION_KIND_TURN: /* the loss is half the sum of squares: its gradient is the output */
        memcpy(at(machine, operation->grad_output), at(machine, operation->input), ITEM);
        break;
      case CKPT_ACTION_KIND_STORE_BEGIN:
      case CKPT_ACTION_KIND_LOAD_BEGIN:
        if (!late) copy(machine, operation);
        break;
      case CKPT_ACTION_KIND_AWAIT:
        if (late) copy_late(machine, ran, i);
        break;
      default: fprintf(stderr, "operation of kind %d\n", (int)operation->kind); exit(1);
    }
    poison_dead(machine, i);
  }
  for (i = 0; i < machine->buffer_count; ++i) {
    if (machine->buffers[i].last == machine->operation_count) memcpy(out->of_input, at(machine, i), sizeof out->of_input);
  }
}

int main(void) {
  static const char* const planners[] = {"store-all",   "recompute-all", "revolve:3",
                                         "chain:12KiB", "two-level:2,2", "three-level:1,1,2"};
  static Gradients expected;
  static Gradients found;
  ckpt_profile* profile = make_profile();
  size_t i;
  int k, late;
  for (i = 0; i < LAYERS; ++i) {
    for (k = 0; k < WIDTH * WIDTH; ++k) weights[i][k] = next_random();
  }
  for (k = 0; k < BATCH * WIDTH; ++k) input[k] = next_random();

  for (i = 0; i < sizeof planners / sizeof planners[0]; ++i) {
    Machine machine = make_machine(profile, planners[i]);
    int64_t forwards = 0, copies = 0, o;
    for (o = 0; o < machine.operation_count; ++o) {
      forwards += (machine.operations[o].flags & CKPT_OPERATION_FLAG_AGAIN) != 0;
      copies += machine.operations[o].stream != 0;
    }
    for (late = 0; late < 2; ++late) {
      memset(&found, 0, sizeof found);
      step(&machine, late, &found);
      if (i == 0 && late == 0) expected = found;
      if (memcmp(&found, &expected, sizeof found) != 0 || isnan(found.of_input[0])) {
        fprintf(stderr, "%s: other gradients than store-all's\n", planners[i]);
        return 1;
      }
    }
    printf("%-18s %6lld bytes of memory, %2lld forwards again, %lld copies\n", planners[i], (long long)machine.bytes[0],
           (long long)forwards, (long long)copies);
    free(machine.memory);
  }
  ckpt_profile_release(profile);
  printf("every step: the same gradients to the last bit, copies early or late\n");
  return 0;
}
