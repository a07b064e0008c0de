/* A framework's description of a chain, from C99: inputs that the caller keeps, a backward's own peak, and memory from the
 * framework's allocator. */
#include "check.h"

enum { BYTES = 100, TAPE = 10, WORKSPACE = 30, OWN_PEAK = 150 };

static ckpt_profile* make_profile(int64_t backward_peak_bytes) {
  ckpt_profile* profile = NULL;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  layer.flags = CKPT_LAYER_FLAG_DETERMINISTIC;
  layer.output_bytes = BYTES;
  option.tape_bytes = TAPE;
  option.backward_workspace_bytes = WORKSPACE;
  option.backward_peak_bytes = backward_peak_bytes;
  CHECK_OK(ckpt_profile_create(BYTES, &profile));
  CHECK_OK(ckpt_profile_add_layer(profile, "first", &layer));
  CHECK_OK(ckpt_profile_add_option(profile, &option));
  CHECK_OK(ckpt_profile_add_layer(profile, "second", &layer));
  CHECK_OK(ckpt_profile_add_option(profile, &option));
  return profile;
}

static ckpt_schedule_action action(ckpt_action_kind kind, int64_t first) {
  ckpt_schedule_action created;
  memset(&created, 0, sizeof created);
  created.kind = kind;
  created.first = first;
  created.last = first + 1;
  return created;
}

static ckpt_schedule_action drop(int64_t index) {
  ckpt_schedule_action created = action(CKPT_ACTION_KIND_DROP, index);
  created.item = CKPT_ITEM_INPUT;
  return created;
}

/* Every layer records, and its input is dropped at once. */
static ckpt_schedule* make_schedule(void) {
  ckpt_schedule_action actions[9];
  ckpt_schedule* schedule = NULL;
  int n = 0;
  actions[n++] = action(CKPT_ACTION_KIND_FORWARD_TAPE, 0);
  actions[n++] = drop(0);
  actions[n++] = action(CKPT_ACTION_KIND_FORWARD_TAPE, 1);
  actions[n++] = drop(1);
  actions[n++] = action(CKPT_ACTION_KIND_TURN, 0);
  actions[n++] = drop(2);
  actions[n++] = action(CKPT_ACTION_KIND_BACKWARD, 1);
  actions[n++] = action(CKPT_ACTION_KIND_BACKWARD, 0);
  actions[n++] = action(CKPT_ACTION_KIND_END, 0);
  CHECK_OK(ckpt_schedule_create_list(2, actions, n, &schedule));
  return schedule;
}

static int64_t peak_of(ckpt_schedule* schedule, ckpt_profile* profile, ckpt_profile_flag flags) {
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  CHECK_OK(ckpt_profile_set_flags(profile, flags));
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  return report.peak_bytes[0];
}

static int64_t reserved_of(ckpt_schedule* schedule, ckpt_profile* profile) {
  int64_t reserved = 0;
  CHECK_OK(ckpt_schedule_place(schedule, profile, 0, &reserved));
  return reserved;
}

static void what_stays(void) {
  ckpt_profile* profile = make_profile(0);
  ckpt_schedule* schedule = make_schedule();
  /* during the second layer's backward: two tapes, two gradients, workspace */
  const int64_t plain = 2 * TAPE + 2 * BYTES + WORKSPACE;
  int64_t reserved;
  CHECK(peak_of(schedule, profile, 0) == plain);
  reserved = reserved_of(schedule, profile);
  CHECK(peak_of(schedule, profile, CKPT_PROFILE_FLAG_KEEPS_INPUT) == plain + BYTES);
  CHECK(reserved_of(schedule, profile) >= reserved + BYTES);
  CHECK(peak_of(schedule, profile, CKPT_PROFILE_FLAG_KEEPS_OUTPUT) == plain + BYTES);
  CHECK(reserved_of(schedule, profile) >= reserved + BYTES);
  CHECK(peak_of(schedule, profile, CKPT_PROFILE_FLAG_KEEPS_INPUT | CKPT_PROFILE_FLAG_KEEPS_OUTPUT) == plain + 2 * BYTES);
  CHECK(peak_of(schedule, profile, CKPT_PROFILE_FLAG_OWN_ALLOCATOR) == plain);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
}

static void own_peak(void) {
  ckpt_profile* profile = make_profile(OWN_PEAK);
  ckpt_profile* low = make_profile(1);
  ckpt_profile* sum = make_profile(0);
  ckpt_schedule* schedule = make_schedule();
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  const ckpt_profile_flag stays = CKPT_PROFILE_FLAG_KEEPS_INPUT | CKPT_PROFILE_FLAG_KEEPS_OUTPUT;
  /* the peak is at TURN: two tapes, output and gradient */
  CHECK(peak_of(schedule, profile, 0) == 2 * TAPE + 2 * BYTES);
  /* with both ends kept, during the second layer's backward */
  CHECK(peak_of(schedule, profile, stays) == TAPE + OWN_PEAK + 2 * BYTES);
  /* a reported peak below the bytes before and after the backward */
  CHECK(peak_of(schedule, low, stays) == 2 * TAPE + 3 * BYTES);
  /* the arena is sized for the sum */
  CHECK_OK(ckpt_profile_set_flags(sum, stays));
  CHECK(reserved_of(schedule, profile) == reserved_of(schedule, sum));

  option.backward_peak_bytes = -1;
  CHECK_FAILS(ckpt_profile_add_option(profile, &option), CKPT_E_INVALID_ARGUMENT, "backward_peak_bytes is -1; expected at least 0");
  option.backward_peak_bytes = 77;
  CHECK_OK(ckpt_profile_add_option(profile, &option));
  option.backward_peak_bytes = 0;
  CHECK_OK(ckpt_profile_get_option(profile, 1, 1, &option));
  CHECK(option.backward_peak_bytes == 77);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(sum);
  ckpt_profile_release(low);
  ckpt_profile_release(profile);
}

static void budgets(void) {
  static const char* const planners[] = {"auto:360", "chain:360", "tapes:360"};
  ckpt_profile* profile = make_profile(OWN_PEAK);
  const ckpt_profile_flag stays = CKPT_PROFILE_FLAG_KEEPS_INPUT | CKPT_PROFILE_FLAG_KEEPS_OUTPUT;
  size_t i;
  for (i = 0; i < sizeof planners / sizeof planners[0]; ++i) {
    ckpt_schedule* schedule = NULL;
    CHECK_OK(ckpt_profile_set_flags(profile, stays));
    CHECK_FAILS(ckpt_schedule_create(profile, planners[i], &schedule), CKPT_E_OVER_BUDGET, "budget_bytes is 360");
    CHECK_OK(ckpt_profile_set_flags(profile, stays | CKPT_PROFILE_FLAG_OWN_ALLOCATOR));
    CHECK_OK(ckpt_schedule_create(profile, planners[i], &schedule));
    CHECK(peak_of(schedule, profile, stays | CKPT_PROFILE_FLAG_OWN_ALLOCATOR) <= 360);
    CHECK(reserved_of(schedule, profile) > 360);
    ckpt_schedule_release(schedule);
  }
  ckpt_profile_release(profile);
}

static void flags(void) {
  ckpt_profile* profile = make_profile(0);
  ckpt_profile* again = NULL;
  ckpt_profile_flag got = 77;
  char json[4096];
  CHECK_OK(ckpt_profile_get_flags(profile, &got));
  CHECK(got == 0);
  CHECK_OK(ckpt_profile_get_json(profile, json, sizeof json, NULL));
  CHECK(strstr(json, "keeps") == NULL && strstr(json, "backward_peak_bytes") == NULL);
  CHECK_OK(ckpt_profile_set_flags(profile, CKPT_PROFILE_FLAG_KEEPS_OUTPUT | CKPT_PROFILE_FLAG_OWN_ALLOCATOR));
  CHECK_FAILS(ckpt_profile_set_flags(profile, 8), CKPT_E_INVALID_ARGUMENT, "flags is 8; unknown bits");
  CHECK_FAILS(ckpt_profile_set_flags(NULL, 0), CKPT_E_INVALID_ARGUMENT, "profile is NULL");
  CHECK_FAILS(ckpt_profile_get_flags(profile, NULL), CKPT_E_INVALID_ARGUMENT, "flags is NULL");
  CHECK_OK(ckpt_profile_get_flags(profile, &got));
  CHECK(got == (CKPT_PROFILE_FLAG_KEEPS_OUTPUT | CKPT_PROFILE_FLAG_OWN_ALLOCATOR));
  CHECK_OK(ckpt_profile_get_json(profile, json, sizeof json, NULL));
  CHECK(strstr(json, "\"flags\":[\"keeps_output\",\"own_allocator\"]") != NULL);
  CHECK_OK(ckpt_profile_create_from_json(json, &again));
  CHECK_OK(ckpt_profile_get_flags(again, &got));
  CHECK(got == (CKPT_PROFILE_FLAG_KEEPS_OUTPUT | CKPT_PROFILE_FLAG_OWN_ALLOCATOR));
  ckpt_profile_release(again);
  ckpt_profile_release(profile);
}

static void uniform(void) {
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  layer.output_bytes = BYTES;
  CHECK_OK(ckpt_profile_create_uniform(50, &layer, &option, &profile));
  CHECK_OK(ckpt_schedule_create(profile, "revolve:3", &schedule));
  /* x_50 exists while the rest is reversed: the states in their slots, the current one, gradients */
  CHECK(peak_of(schedule, profile, CKPT_PROFILE_FLAG_KEEPS_OUTPUT) == peak_of(schedule, profile, 0) + BYTES);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
}

int main(void) {
  what_stays();
  own_peak();
  budgets();
  flags();
  uniform();
  return 0;
}
