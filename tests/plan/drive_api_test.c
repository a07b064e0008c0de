/* A framework's steps under schedules of every kind: the same gradient bit for bit, the verifier's bytes and counts, and every
 * handle and copy ended exactly once, whichever call fails, returns invalid data or cancels. */
#include "framework.h"

static ckpt_driver* driver_of(framework* g, ckpt_schedule* schedule) {
  const ckpt_driver_callbacks callbacks = framework_callbacks();
  ckpt_driver* driver = NULL;
  CHECK_OK(ckpt_driver_create(schedule, &callbacks, g, NULL, &driver));
  g->driver = driver;
  return driver;
}

static void nothing_is_left(const framework* g) {
  CHECK(g->things == 0 && g->live_bytes == 0 && g->copies == 0 && g->slots_held == 0);
}

/* Runs one complete step and checks that its gradient equals that of the plain loop. */
static void step_is_right(framework* g, int64_t layers, uint64_t seed) {
  void* grad = NULL;
  double output;
  const double expected = plain_gradient(g, layers, seed, 0.5, &output);
  begin_step(g, seed);
  CHECK_OK(ckpt_driver_run(g->driver, make(g, CKPT_ITEM_INPUT, 0, 0.5), &grad));
  CHECK(((thing*)grad)->item == CKPT_ITEM_GRAD && ((thing*)grad)->index == 0);
  CHECK(memcmp(&((thing*)grad)->value, &expected, sizeof expected) == 0);
  CHECK(g->backwards == layers);
  end(g, (thing*)grad);
  nothing_is_left(g);
}

static void no_mischief(framework* g) { g->fail_at = g->invalid_at = g->cancel_at = -1; }

/* Runs a step that must not succeed, and checks that it leaves nothing. */
static ckpt_status broken_step(framework* g) {
  void* grad = NULL;
  ckpt_status status;
  begin_step(g, 5);
  status = ckpt_driver_run(g->driver, make(g, CKPT_ITEM_INPUT, 0, 0.5), &grad);
  if (status == CKPT_OK) end(g, (thing*)grad);
  nothing_is_left(g);
  return status;
}

/* At every call in turn: it fails, returns invalid data, or cancels. Each time everything is ended, and the next step succeeds. */
static void survives_everything(framework* g, int64_t layers) {
  int64_t calls;
  int64_t at;
  step_is_right(g, layers, 3);
  calls = g->calls;
  for (at = 0; at < calls; ++at) {
    ckpt_drive_call call;
    int32_t result = 0;
    g->fail_at = at;
    CHECK(broken_step(g) == CKPT_E_CALLBACK);
    CHECK(strstr(ckpt_last_error(), "as the test wants it") != NULL);
    CHECK_OK(ckpt_driver_get_failure(g->driver, &call, &result));
    CHECK(result == 7 && call.kind != CKPT_ACTION_KIND_DROP);
    CHECK(strstr(ckpt_last_error(), ckpt_action_kind_name(call.kind)) != NULL);
    no_mischief(g);

    for (g->invalid_kinds = 0; g->invalid_kinds < 3; ++g->invalid_kinds) {
      ckpt_status status;
      g->invalid_at = at;
      status = broken_step(g);
      CHECK(status == CKPT_E_CALLBACK || status == CKPT_OK); /* some calls have no invalid data to return */
      if (status == CKPT_E_CALLBACK) {
        CHECK(strstr(ckpt_last_error(), "returned ") != NULL);
        CHECK_OK(ckpt_driver_get_failure(g->driver, NULL, &result));
        CHECK(result == 0);
      }
      no_mischief(g);
    }
    g->invalid_kinds = 0;

    g->cancel_at = at;
    CHECK(broken_step(g) == CKPT_E_CANCELLED);
    CHECK(ckpt_driver_get_failure(g->driver, NULL, NULL) == CKPT_E_NOT_FOUND);
    no_mischief(g);
    if (at % 7 == 0) step_is_right(g, layers, (uint64_t)at);
  }
  step_is_right(g, layers, 4);
}

static void runs_planners(void) {
  static const char* const planners[] = {"store-all", "recompute-all", "periodic:3", "sqrt",        "chain:60%",
                                         "chain:40%", "tapes:50%",     "auto:55%",   "chain:least", "tapes:least"};
  size_t p;
  int unlike;
  for (unlike = 0; unlike < 2; ++unlike) {
    framework g;
    ckpt_profile* profile;
    ckpt_plan_report all = CKPT_PLAN_REPORT_INIT;
    ckpt_schedule* schedule = NULL;
    make_framework(&g, 13, unlike, CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT);
    profile = profile_of(&g);
    CHECK_OK(ckpt_schedule_create(profile, "store-all", &schedule));
    CHECK_OK(ckpt_schedule_verify(schedule, profile, &all));
    ckpt_schedule_release(schedule);
    for (p = 0; p < sizeof planners / sizeof planners[0]; ++p) {
      const char* percent = strchr(planners[p], ':');
      const int with_budget = percent != NULL && (strchr(planners[p], '%') != NULL || strstr(planners[p], "least") != NULL);
      char text[64];
      ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
      snprintf(text, sizeof text, "%s", planners[p]);
      if (with_budget) {
        ckpt_frontier_point points[512];
        int64_t count_of_points = 0;
        int64_t budget = all.peak_bytes[0] * atoi(percent + 1) / 100 + 64;
        const ckpt_frontier_point fresh = CKPT_FRONTIER_POINT_INIT;
        points[0] = fresh;
        CHECK_OK(ckpt_profile_get_frontier(profile, "chain", points, 512, &count_of_points));
        if (strstr(planners[p], "least") != NULL) budget = points[0].reserved_bytes;
        if (budget < points[0].reserved_bytes) budget = points[0].reserved_bytes;
        snprintf(text + (percent - planners[p]) + 1, sizeof text - (size_t)(percent - planners[p]) - 1, "%lld", (long long)budget);
      }
      schedule = NULL;
      CHECK_OK(ckpt_schedule_create(profile, text, &schedule));
      CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
      driver_of(&g, schedule);
      step_is_right(&g, 13, 1);
      CHECK(g.peak_bytes == report.peak_bytes[0]);
      CHECK(g.forwards == report.forwards);
      survives_everything(&g, 13);
      ckpt_driver_release(g.driver);
      ckpt_schedule_release(schedule);
    }
    ckpt_profile_release(profile);
  }
}

/* Time steps: in place, and through slower tiers. */
static void runs_adjoint_planners(void) {
  static const char* const planners[] = {"revolve:2", "revolve:3", "mixed:3", "two-level:2", "two-level:2,3", "three-level:1,2,3"};
  size_t p;
  for (p = 0; p < sizeof planners / sizeof planners[0]; ++p) {
    framework g;
    ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
    ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    ckpt_profile* profile = NULL;
    ckpt_schedule* schedule = NULL;
    ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
    make_framework(&g, 23, 0, CKPT_LAYER_FLAG_DETERMINISTIC);
    layer.flags = g.flags[0];
    layer.output_bytes = g.output_bytes[0];
    option.tape_bytes = g.tape_bytes[0];
    option.forward_seconds = 1.0;
    option.backward_seconds = 2.0;
    option.has_record = 1;
    CHECK_OK(ckpt_profile_create_uniform(23, &layer, &option, &profile));
    CHECK_OK(ckpt_schedule_create(profile, planners[p], &schedule));
    CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
    driver_of(&g, schedule);
    step_is_right(&g, 23, 1);
    CHECK(g.forwards == report.forwards);
    CHECK(strstr(planners[p], "level") == NULL || g.transfers > 0);
    survives_everything(&g, 23);
    ckpt_driver_release(g.driver);
    ckpt_schedule_release(schedule);
    ckpt_profile_release(profile);
  }
}

typedef struct list {
  ckpt_schedule_action actions[256];
  int64_t count;
} list;

static ckpt_schedule_action* add(list* l, ckpt_action_kind kind, int64_t first, int64_t last) {
  ckpt_schedule_action* action = &l->actions[l->count++];
  memset(action, 0, sizeof *action);
  action->kind = kind;
  action->first = first;
  action->last = last;
  return action;
}

static void add_item(list* l, ckpt_action_kind kind, ckpt_item item, int64_t index, int32_t tier, int32_t slot, int64_t transfer) {
  ckpt_schedule_action* action = add(l, kind, index, 0);
  action->item = item;
  action->tier = tier;
  action->slot = slot;
  action->transfer = transfer;
}

static ckpt_schedule* schedule_of(const list* l, int64_t layers) {
  ckpt_schedule* schedule = NULL;
  CHECK_OK(ckpt_schedule_create_list(layers, l->actions, l->count, &schedule));
  return schedule;
}

/* Copies of every kind of item: dropped during the copy, run backward during the copy, recomputed during the copy. */
static void moves_every_item(void) {
  framework g;
  list l = {0};
  ckpt_profile* profile;
  ckpt_schedule* schedule;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  make_framework(&g, 4, 0, CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT);
  add(&l, CKPT_ACTION_KIND_FORWARD, 0, 2);
  add_item(&l, CKPT_ACTION_KIND_STORE_BEGIN, CKPT_ITEM_INPUT, 2, 1, 0, 10);
  add(&l, CKPT_ACTION_KIND_FORWARD_TAPE, 2, 4);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 2, 0, 0, 0); /* during its copy */
  add_item(&l, CKPT_ACTION_KIND_STORE_BEGIN, CKPT_ITEM_TAPE, 2, 2, 1, 11);
  add_item(&l, CKPT_ACTION_KIND_STORE_BEGIN, CKPT_ITEM_INPUT, 3, 1, 1, 12);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_TAPE, 2, 0, 0, 0);
  add(&l, CKPT_ACTION_KIND_TURN, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 4, 0, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_STORE_BEGIN, CKPT_ITEM_GRAD, 4, 3, 0, 13);
  add_item(&l, CKPT_ACTION_KIND_STORE_BEGIN, CKPT_ITEM_TAPE, 3, 3, 1, 16);
  add(&l, CKPT_ACTION_KIND_BACKWARD, 3, 4); /* takes GRAD(4) and TAPE(3), which are being copied */
  add_item(&l, CKPT_ACTION_KIND_AWAIT, CKPT_ITEM_NONE, 0, 0, 0, 16);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_NONE, 0, 3, 1, 0);
  add_item(&l, CKPT_ACTION_KIND_AWAIT, CKPT_ITEM_NONE, 0, 0, 0, 12);
  add_item(&l, CKPT_ACTION_KIND_AWAIT, CKPT_ITEM_NONE, 0, 0, 0, 11);
  add_item(&l, CKPT_ACTION_KIND_AWAIT, CKPT_ITEM_NONE, 0, 0, 0, 10);
  add_item(&l, CKPT_ACTION_KIND_AWAIT, CKPT_ITEM_NONE, 0, 0, 0, 13);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 3, 0, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_LOAD_BEGIN, CKPT_ITEM_TAPE, 2, 2, 1, 14);
  add_item(&l, CKPT_ACTION_KIND_LOAD_BEGIN, CKPT_ITEM_INPUT, 2, 1, 0, 15);
  add_item(&l, CKPT_ACTION_KIND_AWAIT, CKPT_ITEM_NONE, 0, 0, 0, 14);
  add_item(&l, CKPT_ACTION_KIND_AWAIT, CKPT_ITEM_NONE, 0, 0, 0, 15);
  add(&l, CKPT_ACTION_KIND_BACKWARD, 2, 3);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 2, 0, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_NONE, 0, 3, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_NONE, 0, 1, 1, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_NONE, 0, 2, 1, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_NONE, 0, 1, 0, 0);
  add(&l, CKPT_ACTION_KIND_FORWARD_TAPE, 0, 2);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 2, 0, 0, 0);
  add(&l, CKPT_ACTION_KIND_BACKWARD, 0, 2);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 1, 0, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 0, 0, 0, 0);
  add(&l, CKPT_ACTION_KIND_END, 0, 0);
  profile = profile_of(&g);
  schedule = schedule_of(&l, 4);
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  driver_of(&g, schedule);
  step_is_right(&g, 4, 9);
  CHECK(g.transfers == 7 && g.peak_bytes <= report.peak_bytes[0]);
  survives_everything(&g, 4);
  ckpt_driver_release(g.driver);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
}

/* An input that is dropped after its last use is not given away during its copy. */
static void keeps_items_during_copies(void) {
  framework g;
  list l = {0};
  ckpt_schedule* schedule;
  make_framework(&g, 2, 0, CKPT_LAYER_FLAG_DETERMINISTIC);
  add_item(&l, CKPT_ACTION_KIND_STORE_BEGIN, CKPT_ITEM_INPUT, 0, 1, 0, 1);
  add(&l, CKPT_ACTION_KIND_FORWARD, 0, 1);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 0, 0, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_AWAIT, CKPT_ITEM_NONE, 0, 0, 0, 1);
  add(&l, CKPT_ACTION_KIND_FORWARD_TAPE, 1, 2);
  add(&l, CKPT_ACTION_KIND_TURN, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 2, 0, 0, 0);
  add(&l, CKPT_ACTION_KIND_BACKWARD, 1, 2);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 1, 0, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_LOAD_BEGIN, CKPT_ITEM_INPUT, 0, 1, 0, 2);
  add_item(&l, CKPT_ACTION_KIND_AWAIT, CKPT_ITEM_NONE, 0, 0, 0, 2);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_NONE, 0, 1, 0, 0);
  add(&l, CKPT_ACTION_KIND_RECORD, 0, 1);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 0, 0, 0, 0);
  add(&l, CKPT_ACTION_KIND_BACKWARD, 0, 1);
  add(&l, CKPT_ACTION_KIND_END, 0, 0);
  schedule = schedule_of(&l, 2);
  driver_of(&g, schedule);
  step_is_right(&g, 2, 9);
  survives_everything(&g, 2);
  ckpt_driver_release(g.driver);
  ckpt_schedule_release(schedule);
}

/* A framework that returns outputs which the schedule does not know: they are ended with the step, or when they are recomputed. */
static void ends_unrequested_outputs(void) {
  framework g;
  ckpt_profile* profile;
  ckpt_schedule* schedule = NULL;
  make_framework(&g, 9, 0, CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT);
  profile = profile_of(&g);
  CHECK_OK(ckpt_schedule_create(profile, "chain:2000", &schedule));
  ckpt_profile_release(profile);
  driver_of(&g, schedule);
  g.gives_outputs = 1;
  survives_everything(&g, 9);
  ckpt_driver_release(g.driver);
  ckpt_schedule_release(schedule);
}

static void keeps_many_handles(void) {
  framework g;
  ckpt_profile* profile;
  ckpt_schedule* schedule = NULL;
  make_framework(&g, MOST_LAYERS, 1, 0);
  profile = profile_of(&g);
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &schedule));
  ckpt_profile_release(profile);
  driver_of(&g, schedule);
  step_is_right(&g, MOST_LAYERS, 1);
  ckpt_driver_release(g.driver);
  ckpt_schedule_release(schedule);
}

/* A FORWARD over layers of which some already ran is split into two calls, so that each has AGAIN for all of its layers or for
 * none. */
static void splits_runs_of_repeated_layers(void) {
  framework g;
  list l = {0};
  ckpt_schedule* schedule;
  make_framework(&g, 4, 0, CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT);
  add(&l, CKPT_ACTION_KIND_FORWARD, 0, 2);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 2, 0, 0, 0);
  add(&l, CKPT_ACTION_KIND_FORWARD, 0, 4);
  add(&l, CKPT_ACTION_KIND_TURN, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 4, 0, 0, 0);
  add(&l, CKPT_ACTION_KIND_FORWARD_TAPE, 0, 4);
  add(&l, CKPT_ACTION_KIND_BACKWARD, 0, 4);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 1, 0, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 4, 0, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 2, 0, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 3, 0, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 0, 0, 0, 0);
  add(&l, CKPT_ACTION_KIND_END, 0, 0);
  schedule = schedule_of(&l, 4);
  driver_of(&g, schedule);
  step_is_right(&g, 4, 9);
  CHECK(g.forwards == 10);
  CHECK((g.last.flags & (CKPT_DRIVE_FLAG_TAKE_INPUT | CKPT_DRIVE_FLAG_TAKE_OUTPUT)) ==
        (CKPT_DRIVE_FLAG_TAKE_INPUT | CKPT_DRIVE_FLAG_TAKE_OUTPUT)); /* anywhere in the DROPs after it */
  survives_everything(&g, 4);
  ckpt_driver_release(g.driver);
  ckpt_schedule_release(schedule);
}

/* The pause at TURN, and steps that never continue after it. */
static void pauses_at_the_turn(void) {
  framework g;
  ckpt_profile* profile;
  ckpt_schedule* schedule = NULL;
  void* xn = NULL;
  void* grad = NULL;
  double output;
  double expected;
  make_framework(&g, 9, 1, 0);
  profile = profile_of(&g);
  CHECK_OK(ckpt_schedule_create(profile, "sqrt", &schedule));
  ckpt_profile_release(profile);
  driver_of(&g, schedule);
  ckpt_schedule_release(schedule);
  expected = plain_gradient(&g, 9, 2, 0.5, &output);

  CHECK_FAILS(ckpt_driver_backward(g.driver, NULL, &grad), CKPT_E_INVALID_STATE, "expected forward first");
  CHECK_FAILS(ckpt_driver_forward(g.driver, NULL, &xn), CKPT_E_INVALID_ARGUMENT, "x0 is NULL");
  begin_step(&g, 2);
  CHECK_OK(ckpt_driver_forward(g.driver, make(&g, CKPT_ITEM_INPUT, 0, 0.5), &xn));
  CHECK(((thing*)xn)->value == output);
  CHECK_FAILS(ckpt_driver_forward(g.driver, &g, &xn), CKPT_E_INVALID_STATE, "paused");
  CHECK_FAILS(ckpt_driver_run(g.driver, &g, &grad), CKPT_E_INVALID_STATE, "paused");
  CHECK_FAILS(ckpt_driver_finalize(g.driver, 9), CKPT_E_INVALID_STATE, "is already set");
  CHECK_FAILS(ckpt_driver_backward(g.driver, xn, &grad), CKPT_E_INVALID_ARGUMENT, "gn is the handle of another live item");
  CHECK_OK(ckpt_driver_backward(g.driver, make(&g, CKPT_ITEM_GRAD, 9, 1.0), &grad));
  CHECK(((thing*)grad)->value == expected);
  end(&g, (thing*)grad);
  nothing_is_left(&g);

  begin_step(&g, 2); /* the gradient of x0 is not requested */
  CHECK_OK(ckpt_driver_forward(g.driver, make(&g, CKPT_ITEM_INPUT, 0, 0.5), &xn));
  CHECK_OK(ckpt_driver_backward(g.driver, make(&g, CKPT_ITEM_GRAD, 9, 1.0), NULL));
  nothing_is_left(&g);

  begin_step(&g, 2);
  CHECK_OK(ckpt_driver_forward(g.driver, make(&g, CKPT_ITEM_INPUT, 0, 0.5), &xn));
  g.cancel_at = g.calls - 1; /* the last call before the pause cancels */
  CHECK_OK(ckpt_driver_cancel(g.driver));
  begin_step(&g, 2);
  xn = NULL;
  CHECK_FAILS(ckpt_driver_forward(g.driver, make(&g, CKPT_ITEM_INPUT, 0, 0.5), &xn), CKPT_E_CANCELLED, "cancelled");
  CHECK(xn == NULL);
  nothing_is_left(&g);
  no_mischief(&g);

  begin_step(&g, 2);
  CHECK_OK(ckpt_driver_forward(g.driver, make(&g, CKPT_ITEM_INPUT, 0, 0.5), &xn));
  CHECK(g.things > 1);
  CHECK_OK(ckpt_driver_cancel(g.driver));
  nothing_is_left(&g);
  CHECK_OK(ckpt_driver_cancel(g.driver)); /* no effect without a step, now or later */
  CHECK_FAILS(ckpt_driver_backward(g.driver, NULL, &grad), CKPT_E_INVALID_STATE, "expected forward first");
  step_is_right(&g, 9, 6);

  begin_step(&g, 2);
  CHECK_OK(ckpt_driver_forward(g.driver, make(&g, CKPT_ITEM_INPUT, 0, 0.5), &xn));
  ckpt_driver_release(g.driver);
  nothing_is_left(&g);
}

static void steps_of_unknown_number(void) {
  framework g;
  ckpt_schedule* schedule = NULL;
  int64_t layers;
  CHECK_OK(ckpt_schedule_create_open_ended(3, CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT, &schedule));
  make_framework(&g, MOST_LAYERS, 0, CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT);
  driver_of(&g, schedule);
  for (layers = 1; layers < 20; ++layers) {
    CHECK_FAILS(ckpt_driver_finalize(g.driver, 0), CKPT_E_INVALID_ARGUMENT, "layer_count is 0");
    CHECK_OK(ckpt_driver_finalize(g.driver, layers)); /* before the step */
    CHECK_FAILS(ckpt_driver_finalize(g.driver, layers), CKPT_E_INVALID_STATE, "is already set");
    step_is_right(&g, layers, 1);
    CHECK(g.last.layers == layers);
  }
  /* during it: at the last call at which the library still accepts this number */
  for (layers = 2; layers < 40; ++layers) {
    g.finalize_at = layers / 3;
    g.finalize_to = layers;
    step_is_right(&g, layers, 1);
  }
  g.finalize_at = -1;
  g.fail_at = 8; /* the number is never given: the step ends by a failure */
  CHECK(broken_step(&g) == CKPT_E_CALLBACK);
  CHECK(g.last.layers == 0);
  ckpt_driver_release(g.driver);
  ckpt_schedule_release(schedule);
}

/* Invalid schedules, one rule at a time: the message names the rule, and nothing remains. */
static void refuses_broken_schedules(void) {
  static const struct {
    ckpt_schedule_action action;
    const char* text;
  } wrong[] = {
      {{CKPT_ACTION_KIND_FORWARD, 0, 1, 2, 0, 0, 0, 0, 0, {0, 0}}, "INPUT(1) does not exist"},
      {{CKPT_ACTION_KIND_FORWARD, 0, 0, 3, 0, 0, 0, 0, 0, {0, 0}}, "layers [0, 3): expected a range within the chain's 2"},
      {{CKPT_ACTION_KIND_FORWARD, 0, 1, 1, 0, 0, 0, 0, 0, {0, 0}}, "layers [1, 1)"},
      {{CKPT_ACTION_KIND_FORWARD, 1, 0, 1, 0, 0, 0, 0, 0, {0, 0}}, "micro_batch is 1"},
      {{CKPT_ACTION_KIND_RECORD, 0, 0, 2, 0, 0, 0, 0, 0, {0, 0}}, "expected one layer"},
      {{CKPT_ACTION_KIND_BACKWARD, 0, 0, 1, 0, 0, 0, 0, 0, {0, 0}}, "GRAD(1) does not exist"},
      {{CKPT_ACTION_KIND_DROP, 0, 0, 0, 0, CKPT_ITEM_TAPE, 0, 0, 0, {0, 0}}, "TAPE(0, option 0) does not exist"},
      {{CKPT_ACTION_KIND_DROP, 0, 0, 0, 0, 9, 0, 0, 0, {0, 0}}, "item is 9"},
      {{CKPT_ACTION_KIND_DROP, 0, 0, 0, 0, 0, 1, 0, 0, {0, 0}}, "slot 0 of tier 1 is empty"},
      {{CKPT_ACTION_KIND_STORE_BEGIN, 0, 0, 0, 0, CKPT_ITEM_INPUT, 4, 0, 0, {0, 0}}, "tier is 4"},
      {{CKPT_ACTION_KIND_STORE_BEGIN, 0, 0, 0, 0, CKPT_ITEM_INPUT, 1, -1, 0, {0, 0}}, "slot is -1"},
      {{CKPT_ACTION_KIND_LOAD_BEGIN, 0, 0, 0, 0, CKPT_ITEM_INPUT, 1, 0, 0, {0, 0}}, "slot 0 of tier 1 is empty"},
      {{CKPT_ACTION_KIND_AWAIT, 0, 0, 0, 0, 0, 0, 0, 5, {0, 0}}, "transfer 5 is not in progress"},
      {{CKPT_ACTION_KIND_SEND, 0, 0, 0, 0, CKPT_ITEM_INPUT, 0, 0, 0, {0, 0}}, "only a pipeline's stage has neighbours"},
      {{CKPT_ACTION_KIND_TURN, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0}}, "INPUT(2) does not exist"},
      {{CKPT_ACTION_KIND_END, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0}}, "without a TURN"},
  };
  size_t i;
  for (i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    framework g;
    ckpt_schedule* schedule = NULL;
    ckpt_schedule_action actions[2];
    memset(actions, 0, sizeof actions);
    actions[0] = wrong[i].action;
    actions[1].kind = CKPT_ACTION_KIND_END;
    make_framework(&g, 2, 0, CKPT_LAYER_FLAG_DETERMINISTIC);
    CHECK_OK(ckpt_schedule_create_list(2, actions, wrong[i].action.kind == CKPT_ACTION_KIND_END ? 1 : 2, &schedule));
    driver_of(&g, schedule);
    CHECK(broken_step(&g) == CKPT_E_INVALID_SCHEDULE);
    CHECK(strstr(ckpt_last_error(), wrong[i].text) != NULL && strstr(ckpt_last_error(), "action 0") != NULL);
    CHECK(ckpt_driver_get_failure(g.driver, NULL, NULL) == CKPT_E_NOT_FOUND);
    ckpt_driver_release(g.driver);
    ckpt_schedule_release(schedule);
  }
}

/* A DROP after a backward names a missing item: this is detected before the backward gets an item that another DROP names. */
static void refuses_before_giving_items_away(void) {
  framework g;
  list l = {0};
  ckpt_schedule* schedule;
  make_framework(&g, 2, 0, CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT);
  add(&l, CKPT_ACTION_KIND_FORWARD_TAPE, 0, 2);
  add(&l, CKPT_ACTION_KIND_TURN, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 2, 0, 0, 0);
  add(&l, CKPT_ACTION_KIND_BACKWARD, 1, 2);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 1, 0, 0, 0);
  add_item(&l, CKPT_ACTION_KIND_DROP, CKPT_ITEM_INPUT, 2, 0, 0, 0);
  add(&l, CKPT_ACTION_KIND_END, 0, 0);
  schedule = schedule_of(&l, 2);
  driver_of(&g, schedule);
  CHECK(broken_step(&g) == CKPT_E_INVALID_SCHEDULE);
  CHECK(strstr(ckpt_last_error(), "INPUT(2) does not exist") != NULL && g.backwards == 0);
  ckpt_driver_release(g.driver);
  ckpt_schedule_release(schedule);
}

static void refuses_bad_arguments(void) {
  framework g;
  ckpt_profile* profile;
  ckpt_schedule* schedule = NULL;
  ckpt_driver* driver = NULL;
  ckpt_driver_callbacks callbacks = framework_callbacks();
  CKPT_INIT(ckpt_driver_callbacks, &callbacks);
  CHECK(callbacks.struct_size == sizeof callbacks && callbacks.forward == NULL && callbacks.drop == NULL);
  make_framework(&g, 5, 0, CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT);
  profile = profile_of(&g);
  CHECK_OK(ckpt_schedule_create(profile, "recompute-all", &schedule));
  ckpt_profile_release(profile);
  CHECK_FAILS(ckpt_driver_create(schedule, &callbacks, &g, NULL, &driver), CKPT_E_INVALID_ARGUMENT, "callbacks.drop is NULL");
  callbacks = framework_callbacks();
  CHECK_FAILS(ckpt_driver_create(NULL, &callbacks, &g, NULL, &driver), CKPT_E_INVALID_ARGUMENT, "schedule");
  CHECK_FAILS(ckpt_driver_create(schedule, NULL, &g, NULL, &driver), CKPT_E_INVALID_ARGUMENT, "callbacks");
  CHECK_FAILS(ckpt_driver_create(schedule, &callbacks, &g, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "driver");

  callbacks.forward = NULL; /* detected at its first use */
  CHECK_OK(ckpt_driver_create(schedule, &callbacks, &g, NULL, &driver));
  g.driver = driver;
  CHECK(broken_step(&g) == CKPT_E_CALLBACK);
  CHECK(strstr(ckpt_last_error(), "FORWARD of") != NULL && strstr(ckpt_last_error(), "callback for it is missing") != NULL);
  {
    ckpt_drive_call call;
    int32_t result = 5;
    CHECK_OK(ckpt_driver_get_failure(driver, &call, &result));
    CHECK(call.kind == CKPT_ACTION_KIND_FORWARD && result == 0);
  }
  ckpt_driver_release(driver);
  ckpt_driver_release(NULL);
  ckpt_schedule_release(schedule);
}

static int destroyed;
static void destroy(void* user_data) {
  CHECK(((framework*)user_data)->things == 1); /* the gradient, which the caller owns */
  ++destroyed;
}

static int32_t releasing_forward(const ckpt_drive_call* call, void* input, void** output, void* user_data) {
  framework* g = (framework*)user_data;
  if (g->driver != NULL) ckpt_driver_release(g->driver);
  g->driver = NULL;
  return framework_forward(call, input, output, user_data);
}

/* Released by its own callback: the step continues to its end. */
static void may_be_released_within(void) {
  framework g;
  ckpt_profile* profile;
  ckpt_schedule* schedule = NULL;
  void* grad = NULL;
  double output;
  double expected;
  ckpt_driver_callbacks callbacks = framework_callbacks();
  callbacks.forward = releasing_forward;
  make_framework(&g, 5, 0, CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT);
  profile = profile_of(&g);
  CHECK_OK(ckpt_schedule_create(profile, "recompute-all", &schedule));
  CHECK_OK(ckpt_driver_create(schedule, &callbacks, &g, destroy, &g.driver));
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
  expected = plain_gradient(&g, 5, 2, 0.5, &output);
  begin_step(&g, 2);
  CHECK_OK(ckpt_driver_run(g.driver, make(&g, CKPT_ITEM_INPUT, 0, 0.5), &grad));
  CHECK(g.driver == NULL && destroyed == 1);
  CHECK(((thing*)grad)->value == expected);
  end(&g, (thing*)grad);
  nothing_is_left(&g);
}

static void calls_within_are_refused(void) {
  framework g;
  ckpt_profile* profile;
  ckpt_schedule* schedule = NULL;
  make_framework(&g, 5, 0, CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT);
  profile = profile_of(&g);
  CHECK_OK(ckpt_schedule_create(profile, "sqrt", &schedule));
  driver_of(&g, schedule);
  for (g.inner = 0; g.inner < 15; ++g.inner) step_is_right(&g, 5, 2);
  ckpt_driver_release(g.driver);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
}

int main(void) {
  runs_planners();
  runs_adjoint_planners();
  moves_every_item();
  keeps_items_during_copies();
  ends_unrequested_outputs();
  keeps_many_handles();
  splits_runs_of_repeated_layers();
  pauses_at_the_turn();
  steps_of_unknown_number();
  refuses_broken_schedules();
  refuses_before_giving_items_away();
  refuses_bad_arguments();
  may_be_released_within();
  calls_within_are_refused();
  return 0;
}
