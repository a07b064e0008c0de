/* Tiers and uniform profiles from C99, through the library alone: values are set and read back, their cost, and bad input. */
#include <math.h>

#include "check.h"

enum { BYTES = 100, SLOT_BYTES = 128 };

static ckpt_profile* make_profile(int64_t layers) {
  ckpt_profile* profile = NULL;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  layer.output_bytes = BYTES;
  option.forward_seconds = 2.0;
  option.backward_seconds = 3.0;
  CHECK_OK(ckpt_profile_create_uniform(layers, &layer, &option, &profile));
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

/* Returns a transfer of INPUT(0) with slot 0 of tier 2, or a DROP of it there. */
static ckpt_schedule_action of_slot(ckpt_action_kind kind) {
  ckpt_schedule_action created = action(kind, 0);
  created.item = CKPT_ITEM_INPUT;
  created.tier = 2;
  created.transfer = 5;
  return created;
}

static ckpt_schedule_action drop(int64_t index) {
  ckpt_schedule_action created = action(CKPT_ACTION_KIND_DROP, index);
  created.item = CKPT_ITEM_INPUT;
  return created;
}

/* Two layers: x_0 moves to tier 2 and back for the backward of layer 0. */
static ckpt_schedule* make_schedule(void) {
  ckpt_schedule_action actions[16];
  ckpt_schedule* schedule = NULL;
  int n = 0;
  actions[n++] = of_slot(CKPT_ACTION_KIND_STORE_BEGIN);
  actions[n++] = of_slot(CKPT_ACTION_KIND_AWAIT);
  actions[n++] = action(CKPT_ACTION_KIND_ADVANCE, 0);
  actions[n++] = action(CKPT_ACTION_KIND_FORWARD_TAPE, 1);
  actions[n++] = action(CKPT_ACTION_KIND_TURN, 0);
  actions[n++] = drop(2);
  actions[n++] = action(CKPT_ACTION_KIND_BACKWARD, 1);
  actions[n++] = drop(1);
  actions[n++] = of_slot(CKPT_ACTION_KIND_LOAD_BEGIN);
  actions[n++] = of_slot(CKPT_ACTION_KIND_AWAIT);
  actions[n++] = of_slot(CKPT_ACTION_KIND_DROP);
  actions[n++] = action(CKPT_ACTION_KIND_RECORD, 0);
  actions[n++] = action(CKPT_ACTION_KIND_BACKWARD, 0);
  actions[n++] = drop(0);
  actions[n++] = action(CKPT_ACTION_KIND_END, 0);
  CHECK_OK(ckpt_schedule_create_list(2, actions, n, &schedule));
  return schedule;
}

static void tiers(void) {
  ckpt_profile* profile = make_profile(2);
  ckpt_schedule* schedule = make_schedule();
  ckpt_tier_profile tier;
  ckpt_tier_profile got;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  int64_t bytes = 0;
  CKPT_INIT(ckpt_tier_profile, &tier);
  CKPT_INIT(ckpt_tier_profile, &got);
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  CHECK(report.step_seconds == 3 * 2.0 + 2 * 3.0 && report.wait_seconds == 0.0);
  CHECK(report.peak_inputs[0] == 2 && report.peak_items[2] == 1 && report.stored_bytes[2] == BYTES);

  tier.capacity_bytes = BYTES;
  tier.write_bytes_per_second = 50.0;
  tier.read_bytes_per_second = 200.0;
  tier.latency_seconds = 1.0;
  CHECK_OK(ckpt_profile_set_tier(profile, 2, &tier));
  CHECK_OK(ckpt_profile_get_tier(profile, 2, &got));
  CHECK(got.capacity_bytes == BYTES && got.write_bytes_per_second == 50.0 && got.read_bytes_per_second == 200.0);
  CHECK(got.latency_seconds == 1.0);
  CHECK_OK(ckpt_profile_get_tier(profile, 1, &got));
  CHECK(got.capacity_bytes == 0 && got.write_bytes_per_second == 0.0 && got.latency_seconds == 0.0);
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  CHECK(report.wait_seconds == (1.0 + 2.0) + (1.0 + 0.5));
  CHECK_OK(ckpt_schedule_place(schedule, profile, 2, &bytes));
  CHECK(bytes == SLOT_BYTES);
  CHECK_OK(ckpt_schedule_place(schedule, profile, 1, &bytes));
  CHECK(bytes == 0);
  tier.capacity_bytes = BYTES - 1;
  CHECK_OK(ckpt_profile_set_tier(profile, 2, &tier));
  CHECK_FAILS(ckpt_schedule_verify(schedule, profile, &report), CKPT_E_INVALID_SCHEDULE, "tier 2 holds 0 of 99 bytes");

  CHECK_FAILS(ckpt_profile_set_tier(profile, 0, &tier), CKPT_E_INVALID_ARGUMENT, "tier is 0");
  CHECK_FAILS(ckpt_profile_set_tier(profile, CKPT_TIERS, &tier), CKPT_E_INVALID_ARGUMENT, "tier is 4");
  CHECK_FAILS(ckpt_profile_get_tier(profile, -1, &got), CKPT_E_INVALID_ARGUMENT, "tier is -1");
  CHECK_FAILS(ckpt_schedule_place(schedule, profile, -1, &bytes), CKPT_E_INVALID_ARGUMENT, "tier is -1");
  CHECK_FAILS(ckpt_schedule_place(schedule, profile, CKPT_TIERS, &bytes), CKPT_E_INVALID_ARGUMENT, "tier is 4");
  tier.capacity_bytes = -1;
  CHECK_FAILS(ckpt_profile_set_tier(profile, 1, &tier), CKPT_E_INVALID_ARGUMENT, "capacity_bytes is -1");
  tier.capacity_bytes = 0;
  tier.latency_seconds = (double)NAN;
  CHECK_FAILS(ckpt_profile_set_tier(profile, 1, &tier), CKPT_E_INVALID_ARGUMENT, "latency_seconds is nan");
  tier.latency_seconds = 0.0;
  tier.read_bytes_per_second = -2.0;
  CHECK_FAILS(ckpt_profile_set_tier(profile, 1, &tier), CKPT_E_INVALID_ARGUMENT, "read_bytes_per_second is -2");
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
}

/* 10^9 layers of 10 GB each: the number of bytes overflows for every planner. */
static void more_bytes_than_a_number(void) {
  static const char* const planners[] = {"store-all",  "recompute-all", "periodic:10", "budget:1TiB",  "chain:1TiB",
                                         "tapes:1TiB", "revolve:3",     "mixed:3",     "two-level:3,3"};
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  size_t i;
  layer.output_bytes = INT64_C(10000000000);
  CHECK_OK(ckpt_profile_create_uniform(1000000000, &layer, &option, &profile));
  for (i = 0; i < sizeof planners / sizeof planners[0]; ++i)
    CHECK_FAILS(ckpt_schedule_create(profile, planners[i], &schedule), CKPT_E_OUT_OF_RANGE,
                "profile: the sum of all bytes exceeds INT64_MAX");
  CHECK(schedule == NULL);
  ckpt_profile_release(profile);
}

static void uniform(void) {
  ckpt_profile* profile = make_profile(1000000000);
  ckpt_profile* none = NULL;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  const char* name = NULL;
  int64_t number = 0;
  CHECK_OK(ckpt_profile_get_layer_count(profile, &number));
  CHECK(number == 1000000000);
  CHECK_OK(ckpt_profile_get_input_bytes(profile, &number));
  CHECK(number == BYTES);
  CHECK_OK(ckpt_profile_get_layer(profile, 999999999, &layer, &name, NULL));
  CHECK(layer.output_bytes == BYTES && strcmp(name, "step") == 0);
  CHECK_FAILS(ckpt_profile_get_layer(profile, 1000000000, &layer, NULL, NULL), CKPT_E_OUT_OF_RANGE, "layer is 1000000000");
  CHECK_FAILS(ckpt_profile_add_layer(profile, "more", &layer), CKPT_E_INVALID_STATE, "uniform");
  CHECK_FAILS(ckpt_profile_add_option(profile, &option), CKPT_E_INVALID_STATE, "uniform");
  ckpt_profile_release(profile);

  CHECK_FAILS(ckpt_profile_create_uniform(0, &layer, &option, &none), CKPT_E_INVALID_ARGUMENT, "layer_count is 0");
  CHECK_FAILS(ckpt_profile_create_uniform(1, NULL, &option, &none), CKPT_E_INVALID_ARGUMENT, "layer is NULL");
  CHECK_FAILS(ckpt_profile_create_uniform(1, &layer, NULL, &none), CKPT_E_INVALID_ARGUMENT, "option is NULL");
  option.backward_seconds = -1.0;
  CHECK_FAILS(ckpt_profile_create_uniform(1, &layer, &option, &none), CKPT_E_INVALID_ARGUMENT, "backward_seconds is -1");
  option.backward_seconds = 0.0;
  layer.flags |= CKPT_LAYER_FLAG_NO_INPUT_GRADIENT;
  CHECK_FAILS(ckpt_profile_create_uniform(2, &layer, &option, &none), CKPT_E_INVALID_ARGUMENT, "only layer 0");
  CHECK_OK(ckpt_profile_create_uniform(1, &layer, &option, &none));
  ckpt_profile_release(none);
}

int main(void) {
  tiers();
  uniform();
  more_bytes_than_a_number();
  return 0;
}
