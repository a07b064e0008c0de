/* framework.h - an independent framework for the tests of drive.h: a chain of layers over numbers, with items that are counted
 * records. Layers draw random numbers, so that a recomputation needs the first state; some read their input or output backward. */
#ifndef CKPT_TESTS_PLAN_FRAMEWORK_H
#define CKPT_TESTS_PLAN_FRAMEWORK_H

#include "check.h"

enum { MOST_LAYERS = 64, MOST_SLOTS = 64, MOST_TRANSFERS = 64, INPUT_BYTES = 101 };

typedef struct thing {
  ckpt_item item;
  int64_t index;
  double value;
  int64_t bytes;
  int readers; /* copies in progress */
} thing;

typedef struct copying {
  int64_t id;
  int load;
  int32_t tier;
  int32_t slot;
  thing* item;
} copying;

typedef struct framework {
  int64_t layers;
  ckpt_layer_flag flags[MOST_LAYERS];
  int64_t output_bytes[MOST_LAYERS];
  int64_t tape_bytes[MOST_LAYERS];

  uint64_t generator;
  uint64_t first_state[MOST_LAYERS];
  int ran[MOST_LAYERS];

  int64_t things;     /* live items */
  int64_t live_bytes; /* of live items, and of temporary memory of a call */
  int64_t peak_bytes;
  int64_t forwards;
  int64_t backwards;
  int64_t transfers; /* started transfers */
  copying under_way[MOST_TRANSFERS];
  int32_t copies;
  double slots[CKPT_TIERS][MOST_SLOTS];
  int held[CKPT_TIERS][MOST_SLOTS];
  int slots_held;

  int64_t calls; /* calls of every kind except DROP */
  int64_t fail_at;
  int64_t invalid_at;
  int64_t cancel_at;
  int64_t finalize_at;
  int64_t finalize_to;
  int gives_outputs; /* returns the output of every record, requested or not */
  int invalid_kinds; /* number of kinds of invalid data returned */
  int inner;         /* statuses of calls within a callback */
  ckpt_drive_call last;
  ckpt_driver* driver;
} framework;

static int64_t bytes_of(const framework* g, ckpt_item item, int64_t index) {
  if (item == CKPT_ITEM_TAPE) return g->tape_bytes[index];
  return index == 0 ? INPUT_BYTES : g->output_bytes[index - 1];
}

static void count(framework* g, int64_t bytes) {
  g->live_bytes += bytes;
  if (g->live_bytes > g->peak_bytes) g->peak_bytes = g->live_bytes;
}

static thing* make(framework* g, ckpt_item item, int64_t index, double value) {
  thing* created = (thing*)malloc(sizeof *created);
  CHECK(created != NULL);
  created->item = item;
  created->index = index;
  created->value = value;
  created->bytes = bytes_of(g, item, index);
  created->readers = 0;
  ++g->things;
  count(g, created->bytes);
  return created;
}

static void end(framework* g, thing* it) {
  CHECK(it->readers == 0);
  --g->things;
  g->live_bytes -= it->bytes;
  free(it);
}

static double drawn(framework* g) {
  g->generator = g->generator * 6364136223846793005U + 1442695040888963407U;
  return (double)(g->generator >> 40) / 16777216.0;
}

static double run_layer(framework* g, int64_t layer, double x, double* noise) {
  (void)layer;
  *noise = drawn(g);
  return x * 0.9 + *noise + 0.01 * (double)layer;
}

static double gradient(const framework* g, int64_t layer, double input, double output, double noise, double grad) {
  double slope = 0.9 + 0.01 * noise;
  if (g->flags[layer] & CKPT_LAYER_FLAG_NEEDS_INPUT) slope += 0.001 * input;
  if (g->flags[layer] & CKPT_LAYER_FLAG_NEEDS_OUTPUT) slope += 0.0001 * output;
  return grad * slope;
}

/* Returns the gradient of a step without any schedule. */
static double plain_gradient(framework* g, int64_t layers, uint64_t seed, double x, double* output) {
  double inputs[MOST_LAYERS + 1];
  double noise[MOST_LAYERS];
  double grad = 1.0;
  int64_t i;
  g->generator = seed;
  inputs[0] = x;
  for (i = 0; i < layers; ++i) inputs[i + 1] = run_layer(g, i, inputs[i], &noise[i]);
  *output = inputs[layers];
  for (i = layers - 1; i >= 0; --i) grad = gradient(g, i, inputs[i], inputs[i + 1], noise[i], grad);
  return grad;
}

static void begin_step(framework* g, uint64_t seed) {
  int64_t i;
  g->generator = seed;
  for (i = 0; i < MOST_LAYERS; ++i) g->ran[i] = 0;
  g->calls = 0;
  g->forwards = 0;
  g->backwards = 0;
  g->transfers = 0;
  g->peak_bytes = g->live_bytes;
}

/* Returns 1 if the callback must fail. */
static int must_fail(framework* g, const ckpt_drive_call* call) {
  const int64_t number = g->calls++;
  g->last = *call;
  CHECK(call->reserved == 0 && call->reserved2 == 0 && call->micro_batch == 0);
  if (number == g->cancel_at) CHECK_OK(ckpt_driver_cancel(g->driver));
  if (number == g->finalize_at) CHECK_OK(ckpt_driver_finalize(g->driver, g->finalize_to));
  if (number == g->inner) {
    void* none = NULL;
    CHECK_FAILS(ckpt_driver_forward(g->driver, g, &none), CKPT_E_INVALID_STATE, "within");
    CHECK_FAILS(ckpt_driver_backward(g->driver, g, NULL), CKPT_E_INVALID_STATE, "within");
    CHECK_FAILS(ckpt_driver_run(g->driver, g, NULL), CKPT_E_INVALID_STATE, "within");
  }
  if (number != g->fail_at) return 0;
  ckpt_callback_error("as the test wants it");
  return 1;
}

static int returns_invalid(const framework* g) { return g->calls - 1 == g->invalid_at; }

/* Runs a layer with the generator state of its first run. */
static double run_with_state(framework* g, const ckpt_drive_call* call, int64_t layer, double x, double* noise) {
  const int again = (call->flags & CKPT_DRIVE_FLAG_AGAIN) != 0;
  const uint64_t present = g->generator;
  double y;
  CHECK(again == g->ran[layer]);
  if (again) {
    g->generator = g->first_state[layer];
  } else {
    g->first_state[layer] = present;
    g->ran[layer] = 1;
  }
  y = run_layer(g, layer, x, noise);
  if (again) g->generator = present;
  ++g->forwards;
  return y;
}

static int32_t framework_forward(const ckpt_drive_call* call, void* input, void** output, void* user_data) {
  framework* g = (framework*)user_data;
  thing* in = (thing*)input;
  const int take = (call->flags & CKPT_DRIVE_FLAG_TAKE_INPUT) != 0;
  double x = in->value;
  double noise;
  int64_t layer;
  CHECK(call->kind == CKPT_ACTION_KIND_FORWARD && *output == NULL);
  CHECK(in->item == CKPT_ITEM_INPUT && in->index == call->first);
  CHECK((call->flags | CKPT_DRIVE_FLAG_AGAIN | CKPT_DRIVE_FLAG_TAKE_INPUT) == (CKPT_DRIVE_FLAG_AGAIN | CKPT_DRIVE_FLAG_TAKE_INPUT));
  if (must_fail(g, call)) {
    *output = g; /* must not be dereferenced */
    if (take) end(g, in);
    return 7;
  }
  for (layer = call->first; layer < call->last; ++layer) {
    x = run_with_state(g, call, layer, x, &noise);
    count(g, bytes_of(g, CKPT_ITEM_INPUT, layer + 1));
    if (layer > call->first) g->live_bytes -= bytes_of(g, CKPT_ITEM_INPUT, layer);
  }
  g->live_bytes -= bytes_of(g, CKPT_ITEM_INPUT, call->last);
  if (returns_invalid(g)) {
    if (!take && g->invalid_kinds % 2 == 0) *output = in;
    if (take) end(g, in);
    return 0;
  }
  *output = make(g, CKPT_ITEM_INPUT, call->last, x);
  if (take) end(g, in);
  return 0;
}

static int32_t framework_record(const ckpt_drive_call* call, void* input, void** output, void** tape, void* user_data) {
  framework* g = (framework*)user_data;
  thing* in = (thing*)input;
  const int take = (call->flags & CKPT_DRIVE_FLAG_TAKE_INPUT) != 0;
  const int needs_output = (g->flags[call->first] & CKPT_LAYER_FLAG_NEEDS_OUTPUT) != 0;
  double noise;
  double y;
  CHECK(call->kind == CKPT_ACTION_KIND_RECORD && call->last == call->first + 1);
  CHECK(in->item == CKPT_ITEM_INPUT && in->index == call->first);
  if (must_fail(g, call)) {
    *output = *tape = g;
    if (take) end(g, in);
    return 7;
  }
  y = run_with_state(g, call, call->first, in->value, &noise);
  if (returns_invalid(g) &&
      (g->invalid_kinds == 0 || (g->invalid_kinds == 1 && !take) || (call->flags & CKPT_DRIVE_FLAG_NO_OUTPUT) == 0)) {
    *tape = make(g, CKPT_ITEM_TAPE, call->first, noise);
    if (g->invalid_kinds == 0) *output = *tape;
    if (g->invalid_kinds == 1 && !take) *output = in;
    if (take) end(g, in);
    return 0;
  }
  if (needs_output || g->gives_outputs || (call->flags & CKPT_DRIVE_FLAG_NO_OUTPUT) == 0)
    *output = make(g, CKPT_ITEM_INPUT, call->last, y);
  *tape = make(g, CKPT_ITEM_TAPE, call->first, noise);
  if (take) end(g, in);
  return 0;
}

static int32_t framework_backward(const ckpt_drive_call* call, void* input, void* output, void* tape, void* grad_output,
                                  void** grad_input, void* user_data) {
  framework* g = (framework*)user_data;
  thing* in = (thing*)input;
  thing* out = (thing*)output;
  thing* recorded = (thing*)tape;
  thing* grad = (thing*)grad_output;
  const ckpt_layer_flag flags = g->flags[call->first];
  const int fails = must_fail(g, call);
  CHECK(call->kind == CKPT_ACTION_KIND_BACKWARD && call->last == call->first + 1);
  CHECK(recorded->item == CKPT_ITEM_TAPE && recorded->index == call->first);
  CHECK(grad->item == CKPT_ITEM_GRAD && grad->index == call->last);
  CHECK(in == NULL || (in->item == CKPT_ITEM_INPUT && in->index == call->first));
  CHECK(out == NULL || (out->item == CKPT_ITEM_INPUT && out->index == call->last));
  CHECK(in != NULL || ((flags & CKPT_LAYER_FLAG_NEEDS_INPUT) == 0 && (call->flags & CKPT_DRIVE_FLAG_TAKE_INPUT) == 0));
  CHECK(out != NULL || ((flags & CKPT_LAYER_FLAG_NEEDS_OUTPUT) == 0 && (call->flags & CKPT_DRIVE_FLAG_TAKE_OUTPUT) == 0));
  if (!fails && returns_invalid(g) && in != NULL && (call->flags & CKPT_DRIVE_FLAG_TAKE_INPUT) == 0) {
    *grad_input = in;
  } else if (!fails) {
    *grad_input =
        make(g, CKPT_ITEM_GRAD, call->first,
             gradient(g, call->first, in == NULL ? 0 : in->value, out == NULL ? 0 : out->value, recorded->value, grad->value));
    ++g->backwards;
  }
  end(g, recorded);
  end(g, grad);
  if (call->flags & CKPT_DRIVE_FLAG_TAKE_INPUT) end(g, in);
  if (call->flags & CKPT_DRIVE_FLAG_TAKE_OUTPUT) end(g, out);
  return fails ? 7 : 0;
}

static int32_t framework_turn(const ckpt_drive_call* call, void* output, void** grad_output, void* user_data) {
  framework* g = (framework*)user_data;
  thing* out = (thing*)output;
  CHECK(call->kind == CKPT_ACTION_KIND_TURN && out->item == CKPT_ITEM_INPUT && out->index == call->layers);
  if (must_fail(g, call)) {
    *grad_output = g;
    return 7;
  }
  *grad_output = returns_invalid(g) ? out : make(g, CKPT_ITEM_GRAD, call->layers, 1.0);
  return 0;
}

static int32_t begin_copy(framework* g, const ckpt_drive_call* call, thing* item, int load) {
  copying copy;
  int32_t i;
  for (i = 0; i < g->copies; ++i) CHECK(g->under_way[i].id != call->transfer);
  CHECK(g->copies < MOST_TRANSFERS && call->tier > 0 && call->tier < CKPT_TIERS && call->slot < MOST_SLOTS);
  copy.id = call->transfer;
  copy.load = load;
  copy.tier = call->tier;
  copy.slot = call->slot;
  copy.item = item;
  g->under_way[g->copies++] = copy;
  ++g->transfers;
  return 0;
}

static int32_t framework_store(const ckpt_drive_call* call, void* item, void* user_data) {
  framework* g = (framework*)user_data;
  thing* it = (thing*)item;
  CHECK(call->kind == CKPT_ACTION_KIND_STORE_BEGIN && it->item == call->item && it->index == call->first);
  CHECK(!g->held[call->tier][call->slot]);
  if (must_fail(g, call)) return 7;
  g->held[call->tier][call->slot] = 1;
  ++g->slots_held;
  ++it->readers;
  return begin_copy(g, call, it, 0);
}

static int32_t framework_load(const ckpt_drive_call* call, void** item, void* user_data) {
  framework* g = (framework*)user_data;
  thing* it;
  CHECK(call->kind == CKPT_ACTION_KIND_LOAD_BEGIN && g->held[call->tier][call->slot]);
  if (must_fail(g, call)) {
    *item = g;
    return 7;
  }
  if (returns_invalid(g) && call->item == CKPT_ITEM_INPUT) return begin_copy(g, call, NULL, 1);
  it = make(g, call->item, call->first, -1e9); /* filled later */
  it->readers = 1;
  *item = it;
  return begin_copy(g, call, it, 1);
}

static int32_t framework_await(const ckpt_drive_call* call, void* user_data) {
  framework* g = (framework*)user_data;
  int32_t i = 0;
  copying copy;
  const int fails = must_fail(g, call);
  CHECK(call->kind == CKPT_ACTION_KIND_AWAIT);
  while (i < g->copies && g->under_way[i].id != call->transfer) ++i;
  CHECK(i < g->copies);
  copy = g->under_way[i];
  g->under_way[i] = g->under_way[--g->copies];
  CHECK(call->tier == copy.tier && call->slot == copy.slot);
  if (copy.item != NULL) {
    CHECK(copy.item->item == call->item && copy.item->index == call->first);
    --copy.item->readers;
    if (copy.load) copy.item->value = g->slots[copy.tier][copy.slot];
    if (!copy.load) g->slots[copy.tier][copy.slot] = copy.item->value;
  }
  return fails ? 7 : 0;
}

static void framework_drop(const ckpt_drive_call* call, void* item, void* user_data) {
  framework* g = (framework*)user_data;
  thing* it = (thing*)item;
  CHECK(call->kind == CKPT_ACTION_KIND_DROP && call->flags == 0);
  if (call->tier > 0) {
    CHECK(it == NULL && g->held[call->tier][call->slot]);
    g->held[call->tier][call->slot] = 0;
    --g->slots_held;
    return;
  }
  CHECK(it->item == call->item && it->index == call->first);
  end(g, it);
}

static ckpt_driver_callbacks framework_callbacks(void) {
  ckpt_driver_callbacks callbacks = CKPT_DRIVER_CALLBACKS_INIT;
  callbacks.forward = framework_forward;
  callbacks.record = framework_record;
  callbacks.backward = framework_backward;
  callbacks.turn = framework_turn;
  callbacks.store = framework_store;
  callbacks.load = framework_load;
  callbacks.await = framework_await;
  callbacks.drop = framework_drop;
  return callbacks;
}

/* Layers differ if unlike is 1; every output, tape and gradient has bytes. */
static void make_framework(framework* g, int64_t layers, int unlike, ckpt_layer_flag flags) {
  int64_t i;
  memset(g, 0, sizeof *g);
  g->layers = layers;
  g->fail_at = g->invalid_at = g->cancel_at = g->finalize_at = -1;
  g->inner = -1;
  for (i = 0; i < layers; ++i) {
    g->flags[i] = unlike ? CKPT_LAYER_FLAG_DETERMINISTIC | (i % 3 == 1 ? 0 : CKPT_LAYER_FLAG_NEEDS_INPUT) |
                               (i % 4 == 2 ? CKPT_LAYER_FLAG_NEEDS_OUTPUT : 0)
                         : flags;
    g->output_bytes[i] = unlike ? 50 + 37 * i % 101 : INPUT_BYTES;
    g->tape_bytes[i] = unlike ? 20 + 53 * i % 211 : 211;
  }
}

static ckpt_profile* profile_of(const framework* g) {
  ckpt_profile* profile = NULL;
  int64_t i;
  CHECK_OK(ckpt_profile_create(INPUT_BYTES, &profile));
  for (i = 0; i < g->layers; ++i) {
    ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
    ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    layer.flags = g->flags[i];
    layer.output_bytes = g->output_bytes[i];
    option.tape_bytes = g->tape_bytes[i];
    option.forward_seconds = 1.0;
    option.backward_seconds = 2.0;
    option.has_record = 1;
    option.record_seconds = 1.0;
    CHECK_OK(ckpt_profile_add_layer(profile, "layer", &layer));
    CHECK_OK(ckpt_profile_add_option(profile, &option));
  }
  return profile;
}

#endif /* CKPT_TESTS_PLAN_FRAMEWORK_H */
