/* Valid schedules with random damage: actions dropped, duplicated, swapped, moved, changed, inserted. The verifier, the placement
 * and the executor agree about each of them, none returns INTERNAL, and every accepted schedule trains to the bits of store-all.
 * Layers differ in what they read, whether they may be recomputed, in ambient state and in their records. The seed is fixed.
 */
#define _POSIX_C_SOURCE 200809L

#include <unistd.h>

#include "check.h"
#include "planner.h"

enum { LAYERS = 5, ELEMENTS = 3, MOST_ACTIONS = 256, CHAINS = 40, MUTANTS = 700 };

/* ---- Layers ---- */

typedef struct noisy {
  uint32_t flags;
  int has_ambient;
  uint64_t generator; /* ambient state, or the source of differences in a nondeterministic layer */
  double factor_gradient;
} noisy;

static int32_t noisy_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) {
  (void)user_data;
  *output = *input;
  return 0;
}

/* Option 0 records the noise, and the input if backward does not get it; option 1 always records the input. */
static int records_input(const noisy* self, int32_t option) {
  return option == 1 || (self->flags & (CKPT_LAYER_FLAG_NEEDS_INPUT | CKPT_LAYER_FLAG_NEEDS_OUTPUT)) == 0;
}

static int32_t noisy_option(const ckpt_tensor_spec* input, int32_t option, ckpt_layer_option* out, void* user_data) {
  (void)input;
  out->tape_bytes = (int64_t)sizeof(double) * (records_input((const noisy*)user_data, option) ? 1 + ELEMENTS : 1);
  out->forward_workspace_bytes = 8 * option;
  out->backward_workspace_bytes = 8;
  return 0;
}

static int32_t noisy_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                             void* user_data) {
  noisy* self = (noisy*)user_data;
  const double* x = (const double*)input;
  double noise = 1;
  int i;
  (void)workspace;
  if (self->has_ambient || (self->flags & CKPT_LAYER_FLAG_DETERMINISTIC) == 0) {
    self->generator = self->generator * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    noise += (double)(self->generator >> 40) * 1e-9;
  }
  for (i = 0; i < ELEMENTS; ++i) ((double*)output)[i] = 1.25 * noise * x[i] + 0.125;
  if (tape == NULL) return 0;
  ((double*)tape)[0] = noise;
  if (records_input(self, context->option)) memcpy((double*)tape + 1, x, sizeof(double) * ELEMENTS);
  return 0;
}

static int32_t noisy_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                              const void* grad_output, void* grad_input, void* workspace, void* user_data) {
  noisy* self = (noisy*)user_data;
  const double* record = (const double*)tape;
  const double* g = (const double*)grad_output;
  int i;
  memset(workspace, 1, 8);
  CHECK((input != NULL) == ((self->flags & CKPT_LAYER_FLAG_NEEDS_INPUT) != 0));
  CHECK((output != NULL) == ((self->flags & CKPT_LAYER_FLAG_NEEDS_OUTPUT) != 0));
  for (i = 0; i < ELEMENTS; ++i) {
    const double from_output = output == NULL ? 0 : (((const double*)output)[i] - 0.125) / (1.25 * record[0]);
    /* The same value from every source, except for the rounding of the division: so one source for one set of flags. */
    const double x = output != NULL ? from_output : input != NULL ? ((const double*)input)[i] : record[1 + i];
    self->factor_gradient += g[i] * record[0] * x;
    if (grad_input != NULL) ((double*)grad_input)[i] = g[i] * 1.25 * record[0];
  }
  (void)context;
  return 0;
}

static int32_t noisy_save(void* state, void* user_data) {
  memcpy(state, &((noisy*)user_data)->generator, sizeof(uint64_t));
  return 0;
}

static int32_t noisy_restore(const void* state, void* user_data) {
  memcpy(&((noisy*)user_data)->generator, state, sizeof(uint64_t));
  return 0;
}

/* ---- Random numbers and schedules ---- */

static uint64_t random_state = 20240229;

static int64_t below(int64_t limit) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (int64_t)(random_state % (uint64_t)limit);
}

typedef struct recipe {
  ckpt_schedule_action actions[MOST_ACTIONS];
  int count;
} recipe;

static void insert(recipe* list, int at, const ckpt_schedule_action* action) {
  if (list->count == MOST_ACTIONS) return;
  memmove(&list->actions[at + 1], &list->actions[at], (size_t)(list->count - at) * sizeof(ckpt_schedule_action));
  list->actions[at] = *action;
  ++list->count;
}

static void erase(recipe* list, int at) {
  memmove(&list->actions[at], &list->actions[at + 1], (size_t)(list->count - at - 1) * sizeof(ckpt_schedule_action));
  --list->count;
}

static ckpt_schedule_action action_of(int32_t kind, int64_t first, int32_t item, int32_t slot, int64_t transfer) {
  ckpt_schedule_action action;
  memset(&action, 0, sizeof action);
  action.kind = kind;
  action.first = first;
  action.last = kind <= CKPT_ACTION_KIND_BACKWARD ? first + 1 : 0;
  action.item = item;
  action.slot = slot;
  action.transfer = transfer;
  if (kind == CKPT_ACTION_KIND_STORE_BEGIN || kind == CKPT_ACTION_KIND_LOAD_BEGIN || (kind == CKPT_ACTION_KIND_DROP && item == 0))
    action.tier = 1;
  return action;
}

/* Returns a random action that is usually plausible: single layers, small numbers. */
static ckpt_schedule_action made_up(void) {
  return action_of((int32_t)(1 + below(10)), below(LAYERS + 1), (int32_t)below(4), (int32_t)below(2), below(3));
}

/* The items read by a backward are stored in slots, loaded after it, and the backward runs once more. */
static void run_backward_twice(recipe* list, int at) {
  const ckpt_schedule_action backward = list->actions[at];
  const int64_t layer = backward.first;
  const int32_t items[2] = {CKPT_ITEM_GRAD, CKPT_ITEM_TAPE};
  ckpt_schedule_action action;
  int k;
  for (k = 0; k < 2; ++k) { /* from the last one to the first, since each is inserted at the same position */
    action = action_of(CKPT_ACTION_KIND_AWAIT, 0, 0, 0, 90 + k);
    insert(list, at, &action);
    action = action_of(CKPT_ACTION_KIND_STORE_BEGIN, items[k] == CKPT_ITEM_GRAD ? layer + 1 : layer, items[k], 50 + k, 90 + k);
    action.option = items[k] == CKPT_ITEM_TAPE ? backward.option : 0;
    insert(list, at, &action);
  }
  at += 5; /* after the backward */
  insert(list, at, &backward);
  for (k = 0; k < 2; ++k) {
    action = action_of(CKPT_ACTION_KIND_DROP, 0, 0, 50 + k, 0);
    insert(list, at, &action);
    action = action_of(CKPT_ACTION_KIND_AWAIT, 0, 0, 0, 90 + k);
    insert(list, at, &action);
    action = action_of(CKPT_ACTION_KIND_LOAD_BEGIN, items[k] == CKPT_ITEM_GRAD ? layer + 1 : layer, items[k], 50 + k, 90 + k);
    action.option = items[k] == CKPT_ITEM_TAPE ? backward.option : 0;
    insert(list, at, &action);
  }
  action = action_of(CKPT_ACTION_KIND_DROP, layer, CKPT_ITEM_GRAD, 0, 0);
  insert(list, at, &action);
}

/* A layer runs forward once more, and its results are dropped. */
static void run_forward_again(recipe* list, int at) {
  const int64_t layer = below(LAYERS);
  ckpt_schedule_action action = action_of(CKPT_ACTION_KIND_DROP, layer + 1, CKPT_ITEM_INPUT, 0, 0);
  insert(list, at, &action);
  action = action_of(CKPT_ACTION_KIND_FORWARD, layer, 0, 0, 0);
  insert(list, at, &action);
}

/* An item is moved to a slot and back. */
static void move_an_item(recipe* list, int at) {
  const int32_t kinds[6] = {CKPT_ACTION_KIND_DROP,  CKPT_ACTION_KIND_AWAIT, CKPT_ACTION_KIND_LOAD_BEGIN,
                            CKPT_ACTION_KIND_AWAIT, CKPT_ACTION_KIND_DROP,  CKPT_ACTION_KIND_STORE_BEGIN};
  const int32_t item = (int32_t)(1 + below(3));
  const int64_t index = below(LAYERS + 1);
  int k;
  for (k = 0; k < 6; ++k) {
    const int32_t dropped = k == 0 ? 0 : item; /* inserted first, so it runs last: the slot is emptied */
    ckpt_schedule_action action = action_of(kinds[k], index, kinds[k] == CKPT_ACTION_KIND_AWAIT ? 0 : dropped, 7, 70);
    insert(list, at, &action);
  }
}

static void change_a_field(ckpt_schedule_action* action) {
  switch (below(9)) {
    case 0: action->kind = (int32_t)(1 + below(10)); break;
    case 1: action->first = below(LAYERS + 3) - 1; break;
    case 2: action->last = below(LAYERS + 3) - 1; break;
    case 3: action->option = (int32_t)(below(4) - 1); break;
    case 4: action->item = (int32_t)below(5); break;
    case 5: action->tier = (int32_t)(below(6) - 1); break;
    case 6: action->slot = (int32_t)(below(4) - 1); break;
    case 7: action->transfer = below(3); break;
    default: action->micro_batch = (int32_t)(below(3) - 1); break;
  }
}

static void mutate(recipe* list) {
  const int at = (int)below(list->count - 1); /* END keeps its position */
  const int other = (int)below(list->count - 1);
  const ckpt_schedule_action action = list->actions[at];
  ckpt_schedule_action fresh;
  int i;
  switch (below(10)) {
    case 0: erase(list, at); break;
    case 1: insert(list, other, &action); break;
    case 2:
      list->actions[at] = list->actions[other];
      list->actions[other] = action;
      break;
    case 3:
      erase(list, at);
      insert(list, (int)below(list->count), &action);
      break;
    case 4: change_a_field(&list->actions[at]); break;
    case 5:
      fresh = made_up();
      insert(list, at, &fresh);
      break;
    case 6: run_forward_again(list, at); break;
    case 7: move_an_item(list, at); break;
    case 8: /* the same option for all actions of a layer */
      for (i = 0; i < list->count; ++i) {
        const int32_t kind = list->actions[i].kind;
        if (list->actions[i].first == action.first && (kind == CKPT_ACTION_KIND_FORWARD_TAPE || kind == CKPT_ACTION_KIND_BACKWARD))
          list->actions[i].option = 1;
      }
      break;
    default:
      for (i = 0; i < list->count; ++i) {
        if (list->actions[i].kind == CKPT_ACTION_KIND_BACKWARD && list->count + 16 < MOST_ACTIONS && below(LAYERS) == 0) {
          run_backward_twice(list, i);
          break;
        }
      }
  }
}

/* ---- One chain ---- */

typedef struct outcome {
  double output[ELEMENTS];
  double input_gradient[ELEMENTS];
  double factor_gradients[LAYERS];
  uint64_t generators[LAYERS];
} outcome;

typedef struct world {
  noisy layers[LAYERS];
  ckpt_chain* chain;
  ckpt_profile* profile;
  ckpt_worker_pool* pool;
  ckpt_tensor *x, *output, *output_gradient, *input_gradient;
} world;

static const ckpt_tensor_spec spec = {CKPT_DTYPE_F64, 2, {1, ELEMENTS}};

static void make_world(world* self) {
  int i;
  memset(self, 0, sizeof *self);
  CHECK_OK(ckpt_chain_create(0, &self->chain));
  for (i = 0; i < LAYERS; ++i) {
    noisy* one = &self->layers[i];
    ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
    ckpt_layer* layer = NULL;
    char name[32];
    one->flags = (uint32_t)below(4); /* CKPT_LAYER_FLAG_NEEDS_INPUT and CKPT_LAYER_FLAG_NEEDS_OUTPUT, either, both or none */
    if (below(6) > 0) one->flags |= CKPT_LAYER_FLAG_DETERMINISTIC;
    if (i == 0 && below(3) == 0) one->flags |= CKPT_LAYER_FLAG_NO_INPUT_GRADIENT;
    one->has_ambient = below(3) == 0;
    callbacks.flags = one->flags;
    callbacks.options = 2;
    callbacks.ambient_bytes = one->has_ambient ? (int64_t)sizeof(uint64_t) : 0;
    callbacks.output = noisy_output;
    callbacks.option = noisy_option;
    callbacks.forward = noisy_forward;
    callbacks.backward = noisy_backward;
    callbacks.save_ambient = noisy_save;
    callbacks.restore_ambient = noisy_restore;
    snprintf(name, sizeof name, "noisy%d", i);
    CHECK_OK(ckpt_layer_create_custom(name, &callbacks, one, NULL, &layer));
    CHECK_OK(ckpt_chain_add(self->chain, layer));
    ckpt_layer_release(layer);
  }
  CHECK_OK(ckpt_profile_create_from_chain(self->chain, &spec, 0, NULL, &self->profile));
  CHECK_OK(ckpt_worker_pool_create(1, &self->pool));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F64, spec.shape, 2, NULL, &self->x));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F64, spec.shape, 2, NULL, &self->output));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F64, spec.shape, 2, NULL, &self->output_gradient));
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F64, spec.shape, 2, NULL, &self->input_gradient));
  CHECK_OK(ckpt_tensor_fill(self->x, 0.7));
  CHECK_OK(ckpt_tensor_fill(self->output_gradient, 0.3));
}

static void free_world(world* self) {
  ckpt_tensor_release(self->x);
  ckpt_tensor_release(self->output);
  ckpt_tensor_release(self->output_gradient);
  ckpt_tensor_release(self->input_gradient);
  ckpt_worker_pool_release(self->pool);
  ckpt_profile_release(self->profile);
  ckpt_chain_release(self->chain);
}

static ckpt_status run(world* self, ckpt_schedule* schedule, outcome* result) {
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_schedule_executor* executor = NULL;
  ckpt_step step = CKPT_STEP_INIT;
  ckpt_status status = CKPT_OK;
  int i;
  options.pool = self->pool;
  status = ckpt_schedule_executor_create(self->chain, schedule, &spec, &options, &executor);
  if (status != CKPT_OK) return status;
  for (i = 0; i < LAYERS; ++i) {
    self->layers[i].generator = (uint64_t)i + 1;
    self->layers[i].factor_gradient = 0;
  }
  memset(result, 0, sizeof *result);
  CHECK_OK(ckpt_tensor_fill(self->output, 0));
  CHECK_OK(ckpt_tensor_fill(self->input_gradient, 0));
  step.input = self->x;
  step.output = self->output;
  step.output_gradient = self->output_gradient;
  if ((self->layers[0].flags & CKPT_LAYER_FLAG_NO_INPUT_GRADIENT) == 0) step.input_gradient = self->input_gradient;
  CHECK_OK(ckpt_schedule_executor_run(executor, &step, NULL));
  memcpy(result->output, ckpt_tensor_get_data(self->output), sizeof result->output);
  memcpy(result->input_gradient, ckpt_tensor_get_data(self->input_gradient), sizeof result->input_gradient);
  for (i = 0; i < LAYERS; ++i) {
    result->factor_gradients[i] = self->layers[i].factor_gradient;
    result->generators[i] = self->layers[i].generator;
  }
  ckpt_schedule_executor_release(executor);
  return CKPT_OK;
}

static void read_recipe(ckpt_schedule* schedule, recipe* list) {
  ckpt_cursor* cursor = NULL;
  int64_t count = 0;
  CHECK_OK(ckpt_cursor_create(schedule, &cursor));
  CHECK_OK(ckpt_cursor_next_many(cursor, list->actions, MOST_ACTIONS, &count));
  list->count = (int)count;
  ckpt_cursor_release(cursor);
}

static void print(const recipe* list) {
  int i;
  for (i = 0; i < list->count; ++i) {
    const ckpt_schedule_action* a = &list->actions[i];
    fprintf(stderr, "%3d %s [%d, %d) option %d item %d tier %d slot %d transfer %d\n", i, ckpt_action_kind_name(a->kind),
            (int)a->first, (int)a->last, (int)a->option, (int)a->item, (int)a->tier, (int)a->slot, (int)a->transfer);
  }
}

static int accepted = 0;
static int refused = 0;

static void judge(world* self, const recipe* list, const outcome* expected) {
  ckpt_schedule* schedule = NULL;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  outcome result;
  int64_t reserved = 0;
  ckpt_status status = CKPT_OK;
  CHECK_OK(ckpt_schedule_create_list(LAYERS, list->actions, list->count, &schedule));
  status = ckpt_schedule_verify(schedule, self->profile, &report);
  if (status != CKPT_OK) {
    if (status != CKPT_E_INVALID_SCHEDULE) {
      print(list);
      fprintf(stderr, "the verifier: %s '%s'\n", ckpt_status_name(status), ckpt_last_error());
      exit(1);
    }
    CHECK(ckpt_schedule_place(schedule, self->profile, 0, &reserved) == CKPT_E_INVALID_SCHEDULE);
    CHECK(run(self, schedule, &result) == CKPT_E_INVALID_SCHEDULE);
    ++refused;
  } else {
    CHECK_OK(ckpt_schedule_place(schedule, self->profile, 0, &reserved));
    CHECK(reserved >= report.peak_bytes[0]);
    CHECK_OK(run(self, schedule, &result));
    if (memcmp(&result, expected, sizeof result) != 0) {
      print(list);
      fprintf(stderr, "the verifier accepts this, and it does not train as store-all does\n");
      exit(1);
    }
    ++accepted;
  }
  ckpt_schedule_release(schedule);
}

/* Returns a random valid schedule; recomputing ones are refused if a layer may run only once, and then store-all is used. */
static void base_recipe(world* self, recipe* list) {
  ckpt_schedule* schedule = NULL;
  const int64_t choice = below(LAYERS + 2);
  if (choice == LAYERS + 1) {
    CHECK_OK(ckpt_schedule_create(self->profile, "recompute-all", &schedule));
  } else {
    CHECK_OK(schedule_by(self->profile, "periodic", choice == 0 ? 1 : choice, &schedule));
  }
  read_recipe(schedule, list);
  ckpt_schedule_release(schedule);
}

int main(void) {
  static recipe mutant;
  int chain;
  int i;
  alarm(HANG_SECONDS);
  for (chain = 0; chain < CHAINS; ++chain) {
    world self;
    outcome expected;
    ckpt_schedule* schedule = NULL;
    make_world(&self);
    CHECK_OK(ckpt_schedule_create(self.profile, "store-all", &schedule));
    CHECK_OK(run(&self, schedule, &expected));
    ckpt_schedule_release(schedule);
    for (i = 0; i < MUTANTS; ++i) {
      int64_t mutations = below(4);
      base_recipe(&self, &mutant);
      while (mutations-- > 0) mutate(&mutant);
      judge(&self, &mutant, &expected);
    }
    free_world(&self);
  }
  printf("%d accepted, %d refused\n", accepted, refused);
  CHECK(accepted > 3000 && refused > 3000);
  return 0;
}
