/* Planners for adjoint codes through the C API: the verifier's figures equal the promised ones; and bad input. */
#include <math.h>

#include "check.h"

enum { BYTES = 1000 };

/* Steps of one second forward and two backward; a state is written to tier 1 in three seconds and read in two. */
static ckpt_profile* time_steps(int64_t steps, ckpt_layer_flag flags) {
  ckpt_profile* profile = NULL;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  ckpt_tier_profile tier = CKPT_TIER_PROFILE_INIT;
  layer.flags = flags;
  layer.output_bytes = BYTES;
  option.tape_bytes = BYTES;
  option.forward_seconds = 1.0;
  option.backward_seconds = 2.0;
  CHECK_OK(ckpt_profile_create_uniform(steps, &layer, &option, &profile));
  tier.latency_seconds = 1.0;
  tier.write_bytes_per_second = (double)BYTES / 2.0;
  tier.read_bytes_per_second = BYTES;
  CHECK_OK(ckpt_profile_set_tier(profile, 1, &tier));
  return profile;
}

static ckpt_plan_report verified(const ckpt_profile* profile, const char* planner) {
  ckpt_schedule* schedule = NULL;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  CHECK_OK(ckpt_schedule_create(profile, planner, &schedule));
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  ckpt_schedule_release(schedule);
  return report;
}

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/* Returns the forwards beyond the recorded ones, by the formula with the smallest sufficient r. */
static int64_t revolve_forwards(int64_t steps, int64_t slots) {
  int64_t repeats = 0;
  int64_t longest = 1;
  while (longest < steps) {
    ++repeats;
    longest = longest * (slots + repeats) / repeats;
  }
  return repeats * steps - longest * repeats / (slots + 1);
}

static void revolve_keeps_its_promise(void) {
  static const ckpt_layer_flag flags[] = {CKPT_LAYER_FLAG_DETERMINISTIC,
                                          CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT,
                                          CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_OUTPUT};
  int kind;
  int64_t steps;
  int64_t slots;
  for (kind = 0; kind < 3; ++kind) {
    for (steps = 1; steps <= 40; ++steps) {
      ckpt_profile* profile = time_steps(steps, flags[kind]);
      for (slots = 1; slots <= 8; ++slots) {
        const int64_t again = revolve_forwards(steps, slots);
        char planner[32];
        ckpt_plan_report report;
        snprintf(planner, sizeof planner, "revolve:%d", (int)slots);
        report = verified(profile, planner);
        CHECK(report.forwards == steps + again);
        CHECK(report.recomputed_forwards == again);
        CHECK(report.peak_inputs[0] == lesser(steps + 1, slots + 2));
        CHECK(report.peak_inputs[1] == 0);
        CHECK(report.step_seconds == (double)(3 * steps + again));
        if (kind < 2) { /* kept states, the current one, a recording, two gradients */
          CHECK(report.peak_items[0] <= slots + 4);
          CHECK(report.peak_bytes[0] <= (slots + 4) * BYTES);
        }
      }
      ckpt_profile_release(profile);
    }
  }
}

/* Revolve can reverse any chain: layers of all sizes, with a backward that reads anything. */
static void revolve_suits_any_chain(void) {
  int slots;
  for (slots = 1; slots <= 6; ++slots) {
    ckpt_profile* profile = NULL;
    char planner[32];
    int i;
    CHECK_OK(ckpt_profile_create(100, &profile));
    for (i = 0; i < 20; ++i) {
      ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
      ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
      layer.flags = CKPT_LAYER_FLAG_DETERMINISTIC | (ckpt_layer_flag)(i % 4);
      if (i == 0) layer.flags |= CKPT_LAYER_FLAG_NO_INPUT_GRADIENT;
      layer.output_bytes = 100 + 37 * i;
      option.tape_bytes = 10 * i;
      CHECK_OK(ckpt_profile_add_layer(profile, "layer", &layer));
      CHECK_OK(ckpt_profile_add_option(profile, &option));
    }
    snprintf(planner, sizeof planner, "revolve:%d", slots);
    CHECK(verified(profile, planner).recomputed_forwards == revolve_forwards(20, slots));
    ckpt_profile_release(profile);
  }
}

static void a_million_steps_are_verified_whole(void) {
  ckpt_profile* profile = time_steps(1000000, CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT);
  const ckpt_plan_report report = verified(profile, "revolve:20");
  CHECK(report.forwards == 1000000 + revolve_forwards(1000000, 20));
  CHECK(report.peak_inputs[0] == 22);
  ckpt_profile_release(profile);
}

static void mixed_keeps_its_promise(void) {
  int64_t steps;
  for (steps = 1; steps <= 40; ++steps) {
    ckpt_profile* profile = time_steps(steps, CKPT_LAYER_FLAG_DETERMINISTIC);
    CHECK(verified(profile, "mixed:1").forwards == (steps == 1 ? 1 : steps * (steps + 1) / 2 - 1));
    CHECK(verified(profile, "mixed:40").recomputed_forwards == 0);
    CHECK(verified(profile, "mixed:5").peak_items[0] == lesser(steps - 1, 5) + 3);
    CHECK(verified(profile, "mixed:5").forwards <= verified(profile, "revolve:5").forwards);
    ckpt_profile_release(profile);
  }
}

static void levels_keep_their_promise(void) {
  double last = HUGE_VAL;
  int slots;
  ckpt_profile* profile = time_steps(200, CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT);
  for (slots = 1; slots <= 20; ++slots) {
    char planner[32];
    ckpt_plan_report report;
    snprintf(planner, sizeof planner, "two-level:3,%d", slots);
    report = verified(profile, planner);
    CHECK(report.peak_inputs[0] == 5);
    CHECK(report.peak_inputs[1] <= slots);
    CHECK(report.peak_bytes[1] <= (int64_t)slots * BYTES);
    CHECK(report.wait_seconds == 3.0 * (double)(report.stored_bytes[1] / BYTES) + 2.0 * (double)(report.loaded_bytes[1] / BYTES));
    CHECK(report.step_seconds == (double)(report.forwards + 400) + report.wait_seconds);
    CHECK(report.step_seconds <= last);
    last = report.step_seconds;
  }
  CHECK(verified(profile, "two-level:3").step_seconds <= last);
  CHECK(verified(profile, "two-level:3").step_seconds == verified(profile, "two-level:3,0").step_seconds);
  CHECK(verified(profile, "three-level:3,2,2").step_seconds <= verified(profile, "two-level:3,2").step_seconds);
  CHECK(verified(profile, "four-level:3,2,2").peak_inputs[3] > 0);
  ckpt_profile_release(profile);
}

static void cursors_go_on_where_they_were_saved(void) {
  static const char* const planners[] = {"revolve:3", "mixed:3", "two-level:2,3"};
  ckpt_profile* profile = time_steps(50, CKPT_LAYER_FLAG_DETERMINISTIC);
  int i;
  for (i = 0; i < 3; ++i) {
    ckpt_schedule* schedule = NULL;
    ckpt_cursor* one = NULL;
    ckpt_cursor* other = NULL;
    ckpt_schedule_action many[600]; /* not a multiple of the library's batch size */
    ckpt_schedule_action action;
    char place[72];
    int64_t bytes = 0;
    int64_t count = 0;
    int64_t k;
    CHECK_OK(ckpt_schedule_create(profile, planners[i], &schedule));
    CHECK_OK(ckpt_cursor_create(schedule, &one));
    CHECK_OK(ckpt_cursor_create(schedule, &other));
    CHECK_OK(ckpt_cursor_next_many(one, many, 600, &count));
    CHECK(count > 200 && count < 600 && many[count - 1].kind == CKPT_ACTION_KIND_END);
    for (k = 0; k < count; ++k) {
      CHECK_OK(ckpt_cursor_save(other, place, sizeof place, &bytes));
      CHECK(bytes == sizeof place);
      CHECK_OK(ckpt_cursor_restore(one, place, bytes));
      CHECK_OK(ckpt_cursor_next(one, &action));
      CHECK(memcmp(&action, &many[k], sizeof action) == 0);
      CHECK_OK(ckpt_cursor_next(other, &action));
      CHECK(memcmp(&action, &many[k], sizeof action) == 0);
    }
    CHECK(ckpt_cursor_restore(one, place, bytes - 1) == CKPT_E_CORRUPT);
    place[30] ^= 1;
    CHECK(ckpt_cursor_restore(one, place, bytes) == CKPT_E_CORRUPT);
    ckpt_cursor_release(other);
    ckpt_cursor_release(one);
    ckpt_schedule_release(schedule);
  }
  ckpt_profile_release(profile);
}

static void refused(const ckpt_profile* profile, const char* planner, ckpt_status status, const char* said) {
  ckpt_schedule* schedule = NULL;
  CHECK_FAILS(ckpt_schedule_create(profile, planner, &schedule), status, said);
  CHECK(schedule == NULL);
}

static void bad_input(void) {
  ckpt_profile* profile = time_steps(50, CKPT_LAYER_FLAG_DETERMINISTIC | CKPT_LAYER_FLAG_NEEDS_INPUT);
  ckpt_profile* endless = time_steps((int64_t)1 << 40, CKPT_LAYER_FLAG_DETERMINISTIC);
  ckpt_profile* unlike = NULL;
  ckpt_profile* empty = NULL;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  ckpt_tier_profile tier = CKPT_TIER_PROFILE_INIT;
  refused(profile, "revolve", CKPT_E_INVALID_ARGUMENT, "SLOTS");
  refused(profile, "revolve:0", CKPT_E_INVALID_ARGUMENT, "slots is 0");
  refused(profile, "revolve:-3", CKPT_E_INVALID_ARGUMENT, "slots is -3");
  refused(profile, "revolve:many", CKPT_E_INVALID_ARGUMENT, "many");
  refused(profile, "revolve:3,perhaps", CKPT_E_INVALID_ARGUMENT, "initial is 'perhaps'");
  refused(profile, "revolve:99999999999", CKPT_E_INVALID_ARGUMENT, "slots is 99999999999");
  refused(endless, "revolve:1", CKPT_E_OUT_OF_RANGE, "1099511627776 layers with 1 slot");
  refused(profile, "mixed:0", CKPT_E_INVALID_ARGUMENT, "slots is 0");
  refused(profile, "mixed:3", CKPT_E_INVALID_ARGUMENT, "layer 0: flags is 5");
  refused(endless, "mixed:3", CKPT_E_OUT_OF_RANGE, "1099511627776 layers");
  refused(profile, "two-level:0,3", CKPT_E_INVALID_ARGUMENT, "memory_slots is 0");
  refused(profile, "two-level:3,-1", CKPT_E_INVALID_ARGUMENT, "disk_slots is -1");
  refused(profile, "three-level:3", CKPT_E_INVALID_ARGUMENT, "TIER1_SLOTS");
  refused(endless, "two-level:3,3", CKPT_E_OUT_OF_RANGE, "1099511627776 layers");
  tier.capacity_bytes = 4 * BYTES + 1;
  CHECK_OK(ckpt_profile_set_tier(profile, 1, &tier));
  refused(profile, "two-level:3,5", CKPT_E_INVALID_ARGUMENT, "slots of tier 1 are 5; expected at most 4 states of 1000 bytes");
  CHECK(verified(profile, "two-level:3,4").peak_inputs[1] == 4);
  CHECK(verified(profile, "two-level:3").peak_inputs[1] == 4);
  CHECK_OK(ckpt_profile_create(100, &empty));
  refused(empty, "revolve:3", CKPT_E_INVALID_STATE, "no layers");
  CHECK_OK(ckpt_profile_create(100, &unlike));
  layer.output_bytes = 100;
  CHECK_OK(ckpt_profile_add_layer(unlike, "first", &layer));
  CHECK_OK(ckpt_profile_add_option(unlike, &option));
  layer.output_bytes = 104;
  CHECK_OK(ckpt_profile_add_layer(unlike, "second", &layer));
  CHECK_OK(ckpt_profile_add_option(unlike, &option));
  refused(unlike, "two-level:3,3", CKPT_E_INVALID_ARGUMENT, "layer 1: output_bytes is 104");
  ckpt_profile_release(unlike);
  ckpt_profile_release(empty);
  ckpt_profile_release(endless);
  ckpt_profile_release(profile);
}

/* Measured seconds: no two steps take the same time. The levels' choice by the mean is hardly worse than their choice for steps of
 * exactly that length. */
static void measured_seconds(void) {
  ckpt_profile* profiles[2] = {NULL, NULL};
  double seconds[2];
  int which;
  int i;
  for (which = 0; which < 2; ++which) {
    ckpt_tier_profile tier = CKPT_TIER_PROFILE_INIT;
    CHECK_OK(ckpt_profile_create(BYTES, &profiles[which]));
    for (i = 0; i < 60; ++i) {
      ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
      ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
      const double noise = which == 0 ? 0 : 0.01 * (i % 2 == 0 ? 1 : -1);
      layer.output_bytes = BYTES;
      option.forward_seconds = 1 + noise;
      option.backward_seconds = 2 - noise;
      CHECK_OK(ckpt_profile_add_layer(profiles[which], "step", &layer));
      CHECK_OK(ckpt_profile_add_option(profiles[which], &option));
    }
    tier.latency_seconds = 1.5;
    CHECK_OK(ckpt_profile_set_tier(profiles[which], 1, &tier));
    seconds[which] = verified(profiles[which], "two-level:3,6").step_seconds;
    ckpt_profile_release(profiles[which]);
  }
  CHECK(seconds[1] > 0.98 * seconds[0] && seconds[1] < 1.02 * seconds[0]);
}

int main(void) {
  measured_seconds();
  revolve_keeps_its_promise();
  revolve_suits_any_chain();
  a_million_steps_are_verified_whole();
  mixed_keeps_its_promise();
  levels_keep_their_promise();
  cursors_go_on_where_they_were_saved();
  bad_input();
  return 0;
}
