/* The plan part from C99, through the library alone: a hand-written profile, every kind of schedule, cursors, the verifier,
 * placement.
 */
#include <math.h>

#include "check.h"
#include "planner.h"

enum { LAYERS = 6, ACTIVATION_BYTES = 640 };

static ckpt_profile* make_profile(void) {
  ckpt_profile* profile = NULL;
  int i;
  CHECK_OK(ckpt_profile_create(ACTIVATION_BYTES, &profile));
  for (i = 0; i < LAYERS; ++i) {
    char name[32];
    ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
    ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    snprintf(name, sizeof name, "layer%d", i);
    layer.output_bytes = ACTIVATION_BYTES;
    layer.dtype = CKPT_DTYPE_F32;
    layer.ndim = 2;
    layer.shape[0] = 16;
    layer.shape[1] = 10;
    option.tape_bytes = 64;
    option.forward_seconds = 1.0;
    option.backward_seconds = 2.0;
    CHECK_OK(ckpt_profile_add_layer(profile, name, &layer));
    CHECK_OK(ckpt_profile_add_option(profile, &option));
  }
  return profile;
}

static void profiles(void) {
  ckpt_profile* profile = make_profile();
  ckpt_profile* none = NULL;
  int64_t number = 0;
  int32_t options = 0;
  const char* name = NULL;
  ckpt_layer_profile layer;
  ckpt_option_profile option;
  ckpt_schedule* schedule = NULL;
  CKPT_INIT(ckpt_layer_profile, &layer);
  CKPT_INIT(ckpt_option_profile, &option);
  CHECK_OK(ckpt_profile_get_layer_count(profile, &number));
  CHECK(number == LAYERS);
  CHECK_OK(ckpt_profile_get_input_bytes(profile, &number));
  CHECK(number == ACTIVATION_BYTES);
  CHECK_OK(ckpt_profile_get_layer(profile, 2, &layer, &name, &options));
  CHECK(strcmp(name, "layer2") == 0 && options == 1 && layer.output_bytes == ACTIVATION_BYTES && layer.shape[1] == 10);
  CHECK(layer.flags == (CKPT_LAYER_FLAG_NEEDS_INPUT | CKPT_LAYER_FLAG_DETERMINISTIC));
  CHECK_OK(ckpt_profile_get_option(profile, 2, 0, &option));
  CHECK(option.tape_bytes == 64 && option.backward_seconds == 2.0);

  CHECK_FAILS(ckpt_profile_create(-1, &none), CKPT_E_INVALID_ARGUMENT, "input_bytes is -1");
  CHECK_FAILS(ckpt_profile_get_layer(profile, LAYERS, &layer, NULL, NULL), CKPT_E_OUT_OF_RANGE, "layer is 6");
  CHECK_FAILS(ckpt_profile_get_option(profile, 0, 1, &option), CKPT_E_OUT_OF_RANGE, "option is 1");
  CHECK_FAILS(ckpt_profile_add_layer(profile, " ", &layer), CKPT_E_INVALID_ARGUMENT, "name is blank");
  layer.output_bytes = -2;
  CHECK_FAILS(ckpt_profile_add_layer(profile, "x", &layer), CKPT_E_INVALID_ARGUMENT, "output_bytes is -2");
  layer.output_bytes = 7;
  CHECK_FAILS(ckpt_profile_add_layer(profile, "x", &layer), CKPT_E_INVALID_ARGUMENT, "has 640");
  layer.dtype = 99;
  CHECK_FAILS(ckpt_profile_add_layer(profile, "x", &layer), CKPT_E_INVALID_ARGUMENT, "dtype is 99");
  layer.struct_size = 3;
  CHECK_FAILS(ckpt_profile_add_layer(profile, "x", &layer), CKPT_E_INVALID_ARGUMENT, "struct_size is 3");
  option.forward_seconds = (double)NAN;
  CHECK_FAILS(ckpt_profile_add_option(profile, &option), CKPT_E_INVALID_ARGUMENT, "forward_seconds is nan");
  CHECK_OK(ckpt_profile_get_layer_count(profile, &number));
  CHECK(number == LAYERS);

  CHECK_OK(ckpt_profile_create(1, &none));
  CHECK_FAILS(ckpt_schedule_create(none, "store-all", &schedule), CKPT_E_INVALID_STATE, "profile has no layers");
  CHECK(schedule == NULL);
  ckpt_profile_release(none);
  ckpt_profile_release(profile);
}

static void check_report(const ckpt_schedule* schedule, const ckpt_profile* profile, int64_t recomputed) {
  ckpt_plan_report report;
  int64_t reserved = 0;
  CKPT_INIT(ckpt_plan_report, &report);
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  CHECK(report.recomputed_forwards == recomputed);
  CHECK(report.forwards == LAYERS + recomputed);
  CHECK(fabs(report.step_seconds - (double)(report.forwards + 2 * LAYERS)) < 1e-9);
  CHECK_OK(ckpt_schedule_place(schedule, profile, 0, &reserved));
  CHECK(reserved >= report.peak_bytes[0]);
}

static void schedules(void) {
  static const int64_t begins[] = {0, 1, 4};
  ckpt_profile* profile = make_profile();
  ckpt_schedule* schedule = NULL;
  ckpt_strategy* strategy = NULL;
  int64_t layers = 0;
  int64_t store_all_bytes = 0;
  uint64_t segments_fingerprint = 0;
  uint64_t other_fingerprint = 0;
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &schedule));
  CHECK(strcmp(schedule_name(schedule), "store-all") == 0);
  CHECK_OK(ckpt_schedule_get_layer_count(schedule, &layers));
  CHECK(layers == LAYERS);
  check_report(schedule, profile, 0);
  CHECK_OK(ckpt_schedule_place(schedule, profile, 0, &store_all_bytes));
  ckpt_schedule_retain(schedule);
  ckpt_schedule_release(schedule);
  check_report(schedule, profile, 0); /* the other reference keeps it alive */
  ckpt_schedule_release(schedule);

  CHECK_OK(ckpt_schedule_create(profile, "recompute-all", &schedule));
  check_report(schedule, profile, LAYERS * (LAYERS - 1) / 2);
  ckpt_schedule_release(schedule);
  CHECK_OK(ckpt_schedule_create(profile, "periodic:3", &schedule));
  check_report(schedule, profile, 4);
  ckpt_schedule_release(schedule);
  CHECK_OK(ckpt_schedule_create_segments(profile, begins, 3, &schedule));
  check_report(schedule, profile, 4);
  CHECK_OK(ckpt_schedule_get_fingerprint(schedule, &segments_fingerprint));
  ckpt_schedule_release(schedule);
  CHECK_OK(ckpt_schedule_create_segments(profile, begins, 2, &schedule));
  CHECK_OK(ckpt_schedule_get_fingerprint(schedule, &other_fingerprint));
  CHECK(segments_fingerprint != other_fingerprint);
  ckpt_schedule_release(schedule);
  CHECK_OK(ckpt_strategy_create("interval:2", &strategy));
  CHECK_OK(ckpt_schedule_create_from_strategy(profile, strategy, &schedule));
  check_report(schedule, profile, 4);
  ckpt_schedule_release(schedule);
  ckpt_strategy_release(strategy);
  CHECK_OK(schedule_by(profile, "auto", store_all_bytes - 1, &schedule));
  CHECK(strcmp(schedule_name(schedule), "store-all") != 0);
  ckpt_schedule_release(schedule);

  schedule = NULL;
  CHECK_FAILS(ckpt_schedule_create(profile, "auto:1", &schedule), CKPT_E_OVER_BUDGET, "the smallest that works for this chain is");
  CHECK_FAILS(ckpt_schedule_create(profile, "auto:0", &schedule), CKPT_E_INVALID_ARGUMENT,
              "bytes is 0; expected 1 .. 9223372036854775807");
  CHECK_FAILS(ckpt_schedule_create(profile, "periodic:7", &schedule), CKPT_E_INVALID_ARGUMENT, "segments is 7");
  CHECK_FAILS(ckpt_schedule_create_segments(profile, NULL, 2, &schedule), CKPT_E_INVALID_ARGUMENT, "begins is NULL");
  CHECK_FAILS(ckpt_schedule_create_segments(profile, begins, -1, &schedule), CKPT_E_INVALID_ARGUMENT, "the count is -1");
  CHECK_FAILS(ckpt_schedule_create_segments(profile, begins + 1, 2, &schedule), CKPT_E_INVALID_ARGUMENT, "layer 0");
  CHECK(schedule == NULL);
  {
    const char* name = "mine";
    CHECK_FAILS(ckpt_schedule_get_name(NULL, &name), CKPT_E_INVALID_ARGUMENT, "schedule is NULL");
    CHECK_FAILS(ckpt_schedule_get_left_out(NULL, &name), CKPT_E_INVALID_ARGUMENT, "schedule is NULL");
    CHECK(strcmp(name, "mine") == 0);
  }
  ckpt_profile_release(profile);
}

/* A user's own adjoint code drives the cursor: 5 steps, a snapshot of every second one. */
static void cursors(void) {
  ckpt_schedule* schedule = NULL;
  ckpt_cursor* cursor = NULL;
  ckpt_cursor* other = NULL;
  ckpt_schedule_action action;
  ckpt_schedule_action many[64];
  unsigned char bytes[256];
  int64_t count = 0;
  int64_t needed = 0;
  int64_t layers = 0;
  int i;
  CHECK_OK(ckpt_schedule_create_open_ended(2, CKPT_LAYER_FLAG_NEEDS_INPUT | CKPT_LAYER_FLAG_DETERMINISTIC, &schedule));
  CHECK_OK(ckpt_schedule_get_layer_count(schedule, &layers));
  CHECK(layers == 0);
  CHECK_OK(ckpt_cursor_create(schedule, &cursor));
  CHECK_OK(ckpt_cursor_create(schedule, &other));
  ckpt_schedule_release(schedule); /* cursors keep it alive */
  CHECK_OK(ckpt_cursor_next(cursor, &action));
  CHECK(action.kind == CKPT_ACTION_KIND_FORWARD && action.first == 0 && action.last == 1);
  CHECK(strcmp(ckpt_action_kind_name(action.kind), "FORWARD") == 0);
  CHECK(strcmp(ckpt_action_kind_name(77), "UNKNOWN") == 0);
  CHECK_FAILS(ckpt_cursor_finalize(cursor, 0), CKPT_E_INVALID_ARGUMENT, "layer_count is 0");
  CHECK_OK(ckpt_cursor_finalize(cursor, 5));
  CHECK_FAILS(ckpt_cursor_finalize(cursor, 5), CKPT_E_INVALID_STATE, "layer_count is 5");

  CHECK_OK(ckpt_cursor_save(cursor, NULL, 0, &needed));
  CHECK(needed > 0 && needed <= (int64_t)sizeof bytes);
  CHECK_FAILS(ckpt_cursor_save(cursor, bytes, needed - 1, NULL), CKPT_E_OUT_OF_RANGE, "capacity is");
  CHECK_OK(ckpt_cursor_save(cursor, bytes, sizeof bytes, &needed));
  CHECK_OK(ckpt_cursor_restore(other, bytes, needed));
  CHECK_OK(ckpt_cursor_next_many(cursor, many, 64, &count));
  CHECK(count > 10 && many[count - 1].kind == CKPT_ACTION_KIND_END);
  for (i = 0; i < count; ++i) {
    CHECK_OK(ckpt_cursor_next(other, &action));
    CHECK(memcmp(&action, &many[i], sizeof action) == 0);
  }
  CHECK_OK(ckpt_cursor_next_many(cursor, many, 64, &count));
  CHECK(count == 0);
  CHECK_FAILS(ckpt_cursor_next_many(cursor, many, 0, &count), CKPT_E_INVALID_ARGUMENT, "capacity is 0");
  bytes[20] ^= 1;
  CHECK_FAILS(ckpt_cursor_restore(other, bytes, needed), CKPT_E_CORRUPT, "not a saved cursor");
  CHECK_FAILS(ckpt_cursor_restore(other, NULL, 5), CKPT_E_INVALID_ARGUMENT, "data is NULL");
  ckpt_cursor_release(cursor);
  ckpt_cursor_release(other);
}

static void lists(void) {
  ckpt_profile* profile = make_profile();
  ckpt_schedule* schedule = NULL;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  ckpt_schedule_action actions[2];
  memset(actions, 0, sizeof actions);
  actions[0].kind = CKPT_ACTION_KIND_BACKWARD;
  actions[0].last = 1;
  actions[1].kind = CKPT_ACTION_KIND_END;
  CHECK_OK(ckpt_schedule_create_list(LAYERS, actions, 2, &schedule));
  CHECK_FAILS(ckpt_schedule_verify(schedule, profile, &report), CKPT_E_INVALID_SCHEDULE,
              "action 0 (BACKWARD): GRAD(1) does not exist");
  report.struct_size = 8;
  CHECK_FAILS(ckpt_schedule_verify(schedule, profile, &report), CKPT_E_INVALID_ARGUMENT, "struct_size is 8");
  ckpt_schedule_release(schedule);
  schedule = NULL;
  actions[0].kind = 0;
  CHECK_FAILS(ckpt_schedule_create_list(LAYERS, actions, 2, &schedule), CKPT_E_INVALID_ARGUMENT, "actions[0].kind is 0");
  CHECK_FAILS(ckpt_schedule_create_list(0, actions + 1, 1, &schedule), CKPT_E_INVALID_ARGUMENT, "layer_count is 0");
  CHECK_FAILS(ckpt_schedule_create_open_ended(-3, 0, &schedule), CKPT_E_INVALID_ARGUMENT, "period is -3");
  CHECK_FAILS(ckpt_schedule_create_open_ended(1, 1024, &schedule), CKPT_E_INVALID_ARGUMENT, "layer_flags is 1024");
  CHECK(schedule == NULL);
  ckpt_profile_release(profile);
}

/* ---- A layer's backward runs once ---- */

static ckpt_schedule_action on_layers(int32_t kind, int64_t first, int64_t last) {
  ckpt_schedule_action action;
  memset(&action, 0, sizeof action);
  action.kind = kind;
  action.first = first;
  action.last = last;
  return action;
}

static ckpt_schedule_action on_item(int32_t kind, int32_t item, int64_t index, int32_t tier, int32_t slot) {
  ckpt_schedule_action action;
  memset(&action, 0, sizeof action);
  action.kind = kind;
  action.item = item;
  action.first = index;
  action.tier = tier;
  action.slot = slot;
  action.transfer = 100 + slot;
  return action;
}

static ckpt_schedule_action await_slot(int32_t slot) { return on_item(CKPT_ACTION_KIND_AWAIT, 0, 0, 0, slot); }

static ckpt_profile* one_layer(int64_t ambient_bytes) {
  ckpt_profile* profile = NULL;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  const ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  layer.output_bytes = 8;
  layer.ambient_bytes = ambient_bytes;
  CHECK_OK(ckpt_profile_create(8, &profile));
  CHECK_OK(ckpt_profile_add_layer(profile, "only", &layer));
  CHECK_OK(ckpt_profile_add_option(profile, &option));
  return profile;
}

static void check_invalid(const ckpt_schedule_action* actions, int64_t count, const ckpt_profile* profile, const char* reason) {
  ckpt_schedule* schedule = NULL;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  int64_t reserved = -7;
  CHECK_OK(ckpt_schedule_create_list(1, actions, count, &schedule));
  CHECK_FAILS(ckpt_schedule_verify(schedule, profile, &report), CKPT_E_INVALID_SCHEDULE, reason);
  CHECK_FAILS(ckpt_schedule_place(schedule, profile, 0, &reserved), CKPT_E_INVALID_SCHEDULE, reason);
  CHECK(reserved == -7);
  ckpt_schedule_release(schedule);
}

static void backward_runs_once(void) {
  ckpt_profile* profile = one_layer(0);
  const ckpt_schedule_action actions[] = {on_layers(CKPT_ACTION_KIND_FORWARD_TAPE, 0, 1),
                                          on_layers(CKPT_ACTION_KIND_TURN, 0, 0),
                                          on_item(CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 1, 0, 0),
                                          on_item(CKPT_ACTION_KIND_STORE_BEGIN, CKPT_ITEM_GRAD, 1, 1, 0),
                                          await_slot(0),
                                          on_item(CKPT_ACTION_KIND_STORE_BEGIN, CKPT_ITEM_TAPE, 0, 1, 1),
                                          await_slot(1),
                                          on_layers(CKPT_ACTION_KIND_BACKWARD, 0, 1),
                                          on_item(CKPT_ACTION_KIND_DROP, CKPT_ITEM_GRAD, 0, 0, 0),
                                          on_item(CKPT_ACTION_KIND_LOAD_BEGIN, CKPT_ITEM_GRAD, 1, 1, 0),
                                          await_slot(0),
                                          on_item(CKPT_ACTION_KIND_LOAD_BEGIN, CKPT_ITEM_TAPE, 0, 1, 1),
                                          await_slot(1),
                                          on_item(CKPT_ACTION_KIND_DROP, 0, 0, 1, 0),
                                          on_item(CKPT_ACTION_KIND_DROP, 0, 0, 1, 1),
                                          on_layers(CKPT_ACTION_KIND_BACKWARD, 0, 1),
                                          on_item(CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 0, 0, 0),
                                          on_layers(CKPT_ACTION_KIND_END, 0, 0)};
  check_invalid(actions, (int64_t)(sizeof actions / sizeof *actions), profile,
                "action 15 (BACKWARD): layer 0 (only) ran backward already");
  ckpt_profile_release(profile);
}

static void forward_after_backward(void) {
  ckpt_profile* plain = one_layer(0);
  ckpt_profile* random = one_layer(16);
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  ckpt_schedule* schedule = NULL;
  const ckpt_schedule_action actions[] = {on_layers(CKPT_ACTION_KIND_FORWARD_TAPE, 0, 1),
                                          on_layers(CKPT_ACTION_KIND_TURN, 0, 0),
                                          on_item(CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 1, 0, 0),
                                          on_layers(CKPT_ACTION_KIND_BACKWARD, 0, 1),
                                          on_layers(CKPT_ACTION_KIND_FORWARD, 0, 1),
                                          on_item(CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 1, 0, 0),
                                          on_item(CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 0, 0, 0),
                                          on_layers(CKPT_ACTION_KIND_END, 0, 0)};
  const int64_t count = (int64_t)(sizeof actions / sizeof *actions);
  check_invalid(actions, count, random, "action 4 (FORWARD): layer 0 (only) ran backward already, which ended its ambient state");
  CHECK_OK(ckpt_schedule_create_list(1, actions, count, &schedule)); /* useless, but valid */
  CHECK_OK(ckpt_schedule_verify(schedule, plain, &report));
  CHECK(report.forwards == 2 && report.recomputed_forwards == 1);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(plain);
  ckpt_profile_release(random);
}

/* Copies of one item in every slot: their sum overflows, though the chain's own bytes do not. */
static void bytes_past_counting(void) {
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  const ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  const ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  int64_t reserved = 0;
  const ckpt_schedule_action actions[] = {on_item(CKPT_ACTION_KIND_STORE_BEGIN, CKPT_ITEM_INPUT, 0, 1, 0), await_slot(0),
                                          on_item(CKPT_ACTION_KIND_STORE_BEGIN, CKPT_ITEM_INPUT, 0, 1, 1), await_slot(1),
                                          on_layers(CKPT_ACTION_KIND_END, 0, 0)};
  CHECK_OK(ckpt_profile_create(INT64_MAX - 10, &profile));
  CHECK_OK(ckpt_profile_add_layer(profile, "x", &layer));
  CHECK_OK(ckpt_profile_add_option(profile, &option));
  CHECK_OK(ckpt_schedule_create_list(1, actions, 5, &schedule));
  CHECK_FAILS(ckpt_schedule_verify(schedule, profile, &report), CKPT_E_OUT_OF_RANGE, "exceed INT64_MAX");
  ckpt_schedule_release(schedule);
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &schedule)); /* rounding up to the alignment overflows, too */
  CHECK_FAILS(ckpt_schedule_place(schedule, profile, 0, &reserved), CKPT_E_OUT_OF_RANGE, "exceed INT64_MAX");
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
}

/* Only one of two options is live at a time: their sum would exceed INT64_MAX, but the peak does not. */
static void huge_options(void) {
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  const ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  const ckpt_schedule_action actions[] = {on_layers(CKPT_ACTION_KIND_FORWARD_TAPE, 0, 1),
                                          on_layers(CKPT_ACTION_KIND_TURN, 0, 0),
                                          on_layers(CKPT_ACTION_KIND_BACKWARD, 0, 1),
                                          on_item(CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 0, 0, 0),
                                          on_item(CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 1, 0, 0),
                                          on_layers(CKPT_ACTION_KIND_END, 0, 0)};
  int64_t reserved = 0;
  option.tape_bytes = INT64_MAX / 2;
  CHECK_OK(ckpt_profile_create(10, &profile));
  CHECK_OK(ckpt_profile_add_layer(profile, "x", &layer));
  for (int i = 0; i < 3; ++i) CHECK_OK(ckpt_profile_add_option(profile, &option));
  CHECK_OK(ckpt_schedule_create_list(1, actions, 6, &schedule));
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  CHECK(report.peak_bytes[0] == INT64_MAX / 2 + 20); /* x_0, the tape, GRAD(0) */
  CHECK_OK(ckpt_schedule_place(schedule, profile, 0, &reserved));
  CHECK(reserved >= report.peak_bytes[0]);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
}

/* ---- Budgets with unusable schedules ---- */

static ckpt_profile* with_one_that_runs_once(int64_t where) {
  ckpt_profile* profile = NULL;
  int64_t i;
  CHECK_OK(ckpt_profile_create(ACTIVATION_BYTES, &profile));
  for (i = 0; i < LAYERS; ++i) {
    char name[32];
    ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
    ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    snprintf(name, sizeof name, "layer%d", (int)i);
    layer.output_bytes = ACTIVATION_BYTES;
    if (i == where) layer.flags = CKPT_LAYER_FLAG_NEEDS_INPUT; /* not deterministic */
    option.forward_seconds = option.backward_seconds = 1.0;
    CHECK_OK(ckpt_profile_add_layer(profile, name, &layer));
    CHECK_OK(ckpt_profile_add_option(profile, &option));
  }
  return profile;
}

static void budgets_of_a_layer_that_runs_once(void) {
  ckpt_profile* profile = with_one_that_runs_once(0);
  ckpt_schedule* schedule = NULL;
  int64_t store_all_bytes = 0;
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &schedule));
  CHECK(strcmp(schedule_left_out(schedule), "") == 0);
  CHECK_OK(ckpt_schedule_place(schedule, profile, 0, &store_all_bytes));
  ckpt_schedule_release(schedule);

  /* Layer 0 records in the forward part, with any budget; the others may be recomputed. */
  CHECK_OK(schedule_by(profile, "auto", store_all_bytes, &schedule));
  CHECK(strcmp(schedule_name(schedule), "store-all") == 0 && strcmp(schedule_left_out(schedule), "") == 0);
  ckpt_schedule_release(schedule);
  for (int64_t where = 0; where < LAYERS; ++where) {
    ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
    ckpt_profile_release(profile);
    profile = with_one_that_runs_once(where);
    CHECK_OK(schedule_by(profile, "auto", store_all_bytes - 1, &schedule));
    CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
    CHECK(report.recomputed_forwards > 0 && report.peak_bytes[0] < store_all_bytes);
    ckpt_schedule_release(schedule);
  }
  ckpt_profile_release(profile);

  profile = with_one_that_runs_once(0);
  schedule = NULL;
  CHECK_FAILS(schedule_by(profile, "auto", 1, &schedule), CKPT_E_OVER_BUDGET, "layer 0 (layer0) is not deterministic");
  CHECK(schedule == NULL);
  ckpt_profile_release(profile);

  profile = make_profile(); /* nothing is excluded for a short chain without a limit on recomputation */
  CHECK_OK(schedule_by(profile, "auto", store_all_bytes * 10, &schedule));
  CHECK(strcmp(schedule_left_out(schedule), "") == 0);
  CHECK_FAILS(ckpt_schedule_get_left_out(schedule, NULL), CKPT_E_INVALID_ARGUMENT, "left_out is NULL");
  CHECK_FAILS(ckpt_schedule_get_name(schedule, NULL), CKPT_E_INVALID_ARGUMENT, "name is NULL");
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
}

static void planners(void) {
  static const char* const wrong_values[] = {"periodic",
                                             "periodic:",
                                             "periodic:three",
                                             "periodic:3.5",
                                             "periodic:1,2",
                                             "periodic:0",
                                             "periodic:-1",
                                             "periodic:7",
                                             "store-all:1",
                                             "store-all:",
                                             "recompute-all:",
                                             "auto",
                                             "auto:0",
                                             "auto:-1",
                                             "auto:1KB",
                                             "auto:KiB",
                                             "periodic:99999999999999999999",
                                             "auto:64 kib",
                                             "periodic:3:1"};
  static const char* const unknown[] = {"", ":", "Periodic:3", "period:3", "periodic 3", "store-all,periodic:3", "for_budget:1"};
  ckpt_profile* profile = make_profile();
  ckpt_schedule* spelled = NULL;
  ckpt_schedule* schedule = NULL;
  uint64_t first = 0;
  uint64_t second = 1;
  char text[2048];
  int64_t needed = 0;
  size_t i;

  /* Blanks are ignored; sizes have units. */
  CHECK_OK(ckpt_schedule_create(profile, " periodic : 3 ", &spelled));
  CHECK_OK(ckpt_schedule_create(profile, "periodic:3", &schedule));
  CHECK_OK(ckpt_schedule_get_fingerprint(spelled, &first));
  CHECK_OK(ckpt_schedule_get_fingerprint(schedule, &second));
  CHECK(first == second && strcmp(schedule_name(spelled), "periodic(3)") == 0);
  ckpt_schedule_release(spelled);
  ckpt_schedule_release(schedule);
  CHECK_OK(ckpt_schedule_create(profile, "auto:8 KiB", &schedule));
  CHECK_OK(ckpt_schedule_get_fingerprint(schedule, &first));
  ckpt_schedule_release(schedule);
  CHECK_OK(ckpt_schedule_create(profile, " budget : 8192", &schedule)); /* its former name */
  CHECK_OK(ckpt_schedule_get_fingerprint(schedule, &second));
  CHECK(first == second);
  ckpt_schedule_release(schedule);

  schedule = NULL;
  for (i = 0; i < sizeof wrong_values / sizeof *wrong_values; ++i) {
    CHECK_FAILS(ckpt_schedule_create(profile, wrong_values[i], &schedule), CKPT_E_INVALID_ARGUMENT, wrong_values[i]);
    CHECK(schedule == NULL);
  }
  CHECK_FAILS(ckpt_schedule_create(profile, "periodic", &schedule), CKPT_E_INVALID_ARGUMENT,
              "planner 'periodic': the planner is periodic:SEGMENTS; 0 values are given");
  CHECK_FAILS(ckpt_schedule_create(profile, "periodic:9", &schedule), CKPT_E_INVALID_ARGUMENT,
              "segments is 9; expected 1 .. 6 layers");
  CHECK_FAILS(ckpt_schedule_create(profile, "auto:9000000000GiB", &schedule), CKPT_E_OUT_OF_RANGE, "more than INT64_MAX bytes");
  for (i = 0; i < sizeof unknown / sizeof *unknown; ++i) {
    CHECK_FAILS(ckpt_schedule_create(profile, unknown[i], &schedule), CKPT_E_NOT_FOUND,
                "known: store-all, recompute-all, periodic:SEGMENTS, sqrt, auto:BYTES[,SECONDS][,TABLE_BYTES], chain:BYTES");
  }
  CHECK_FAILS(ckpt_schedule_create(profile, "\xff", &schedule), CKPT_E_INVALID_ARGUMENT, "not valid UTF-8");
  CHECK_FAILS(ckpt_schedule_create(profile, NULL, &schedule), CKPT_E_INVALID_ARGUMENT, "planner is NULL");
  CHECK_FAILS(ckpt_schedule_create(NULL, "store-all", &schedule), CKPT_E_INVALID_ARGUMENT, "profile is NULL");
  CHECK_FAILS(ckpt_schedule_create(profile, "store-all", NULL), CKPT_E_INVALID_ARGUMENT, "schedule is NULL");
  CHECK(schedule == NULL);

  /* Each line begins with a form, and the form without its values is the name of a planner. */
  CHECK_OK(ckpt_schedule_get_known_planners(NULL, 0, &needed));
  CHECK_OK(ckpt_schedule_get_known_planners(text, sizeof text, NULL));
  CHECK(needed == (int64_t)strlen(text));
  CHECK(strstr(text, "store-all - ") == text && strstr(text, "\nrecompute-all - ") != NULL);
  CHECK(strstr(text, "\nperiodic:SEGMENTS - ") != NULL && strstr(text, "; SEGMENTS: 1 .. layers\n") != NULL);
  CHECK(strstr(text, "\nauto:BYTES[,SECONDS][,TABLE_BYTES] - ") != NULL &&
        strstr(text, "; BYTES: 1 .. 9223372036854775807") != NULL);
  ckpt_profile_release(profile);
}

/* Layer 3 reads value 1, which is large, and value 3: within a smaller budget value 1 is computed again for the backward of
 * layer 1. */
static void graphs(void) {
  static const int64_t bytes[4][2] = {{100, 0}, {30, 40}, {30, 40}, {20, 0}};
  const int64_t inputs[2] = {3, 1};
  const int64_t needed[1] = {3};
  const int64_t outputs[1] = {4};
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_plan_report stored = CKPT_PLAN_REPORT_INIT;
  ckpt_plan_report planned = CKPT_PLAN_REPORT_INIT;
  char text[64];
  int i;
  CHECK_OK(ckpt_profile_create(10, &profile));
  for (i = 0; i < 4; ++i) {
    ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
    ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    layer.flags = CKPT_LAYER_FLAG_NEEDS_INPUT | CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_ADDS_GRADIENT;
    layer.output_bytes = bytes[i][0];
    option.tape_bytes = bytes[i][1];
    option.forward_seconds = 1.0;
    option.backward_seconds = 2.0;
    CHECK_OK(ckpt_profile_add_layer(profile, "layer", &layer));
    CHECK_OK(ckpt_profile_add_option(profile, &option));
  }
  CHECK_FAILS(ckpt_profile_set_inputs(profile, 4, inputs, 2, needed, 1), CKPT_E_OUT_OF_RANGE, "layer is 4; the profile has 4");
  CHECK_FAILS(ckpt_profile_set_inputs(profile, 3, NULL, 2, needed, 1), CKPT_E_INVALID_ARGUMENT, "inputs is NULL");
  CHECK_FAILS(ckpt_profile_set_inputs(profile, 3, inputs, -1, needed, 1), CKPT_E_INVALID_ARGUMENT, "inputs: the count is -1");
  CHECK_FAILS(ckpt_profile_set_inputs(profile, 2, inputs, 2, NULL, 0), CKPT_E_INVALID_ARGUMENT, "inputs[0] is 3; expected 0 .. 2");
  CHECK_FAILS(ckpt_profile_set_outputs(profile, outputs, 0), CKPT_E_INVALID_ARGUMENT, "values_count is 0");
  CHECK_OK(ckpt_profile_set_inputs(profile, 3, inputs, 2, needed, 1));
  CHECK_OK(ckpt_profile_set_outputs(profile, outputs, 1));
  CHECK_OK(ckpt_profile_set_flags(profile, CKPT_PROFILE_FLAG_OWN_ALLOCATOR));
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &schedule));
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &stored));
  ckpt_schedule_release(schedule);
  snprintf(text, sizeof text, "graph:%lld", (long long)stored.peak_bytes[0] - 1);
  CHECK_OK(ckpt_schedule_create(profile, text, &schedule));
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &planned));
  CHECK(planned.peak_bytes[0] < stored.peak_bytes[0] && planned.recomputed_forwards == 1);
  ckpt_schedule_release(schedule);
  CHECK_FAILS(ckpt_schedule_create(profile, "sqrt", &schedule), CKPT_E_UNSUPPORTED, "graph:BYTES");
  ckpt_profile_release(profile);
}

int main(void) {
  CHECK(sizeof(ckpt_schedule_action) == 64);
  profiles();
  schedules();
  cursors();
  lists();
  backward_runs_once();
  forward_after_backward();
  bytes_past_counting();
  huge_options();
  budgets_of_a_layer_that_runs_once();
  planners();
  graphs();
  return 0;
}
