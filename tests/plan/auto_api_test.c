/* The planner "auto" through the public API: never worse than any other planner, within its limits, for every chain.
 */
#include <stdlib.h>

#include "check.h"
#include "planner.h"

/* Layers of unrelated sizes. */
static ckpt_profile* unlike_chain(int layers, unsigned seed) {
  ckpt_profile* profile = NULL;
  int i;
  srand(seed);
  CHECK_OK(ckpt_profile_create(1000 + rand() % 5000, &profile));
  for (i = 0; i < layers; ++i) {
    ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
    ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    char name[32];
    snprintf(name, sizeof name, "layer%d", i);
    layer.output_bytes = 1000 + rand() % 9000;
    option.tape_bytes = 1000 + rand() % 20000;
    option.forward_seconds = 0.001 * (1 + rand() % 100);
    option.backward_seconds = 0.001 * (1 + rand() % 200);
    CHECK_OK(ckpt_profile_add_layer(profile, name, &layer));
    CHECK_OK(ckpt_profile_add_option(profile, &option));
  }
  return profile;
}

static int64_t reserved_by(const ckpt_profile* profile, const ckpt_schedule* schedule) {
  int64_t bytes = 0;
  CHECK_OK(ckpt_schedule_place(schedule, profile, 0, &bytes));
  return bytes;
}

static double seconds_by(const ckpt_profile* profile, const ckpt_schedule* schedule) {
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
  return report.step_seconds;
}

/* Returns the step's seconds with a planner within the budget; negative if it has no schedule that fits. */
static double seconds_within(const ckpt_profile* profile, const char* planner, int64_t budget) {
  ckpt_schedule* schedule = NULL;
  double seconds = -1;
  if (ckpt_schedule_create(profile, planner, &schedule) != CKPT_OK) return -1;
  if (reserved_by(profile, schedule) <= budget) seconds = seconds_by(profile, schedule);
  ckpt_schedule_release(schedule);
  return seconds;
}

/* The smallest budget named in the message works, and one byte less does not. */
static int64_t smallest_budget(const ckpt_profile* profile) {
  static const char marker[] = "for this chain is ";
  ckpt_schedule* schedule = NULL;
  const char* said;
  int64_t smallest;
  CHECK(ckpt_schedule_create(profile, "auto:1", &schedule) == CKPT_E_OVER_BUDGET);
  said = strstr(ckpt_last_error(), marker);
  CHECK(said != NULL);
  smallest = strtoll(said + strlen(marker), NULL, 10);
  CHECK_OK(schedule_by(profile, "auto", smallest, &schedule));
  CHECK(reserved_by(profile, schedule) <= smallest);
  ckpt_schedule_release(schedule);
  schedule = NULL;
  CHECK(schedule_by(profile, "auto", smallest - 1, &schedule) == CKPT_E_OVER_BUDGET && schedule == NULL);
  return smallest;
}

static void beats_them_all(int layers, unsigned seed) {
  static const char* const others[] = {"store-all",  "recompute-all", "sqrt",       "periodic:2", "periodic:3",
                                       "periodic:5", "chain:%lld",    "tapes:%lld", "revolve:3"};
  ckpt_profile* profile = unlike_chain(layers, seed);
  ckpt_schedule* store_all = NULL;
  int64_t smallest = smallest_budget(profile);
  int percent;
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &store_all));
  for (percent = 0; percent <= 100; percent += 20) {
    const int64_t budget = smallest + (reserved_by(profile, store_all) - smallest) * percent / 100;
    ckpt_schedule* schedule = NULL;
    double seconds;
    size_t i;
    CHECK_OK(schedule_by(profile, "auto", budget, &schedule));
    CHECK(reserved_by(profile, schedule) <= budget);
    CHECK(strcmp(schedule_left_out(schedule), "") == 0);
    if (percent == 100) CHECK(strcmp(schedule_name(schedule), "store-all") == 0);
    seconds = seconds_by(profile, schedule);
    for (i = 0; i < sizeof others / sizeof *others; ++i) {
      char planner[64];
      double other;
      snprintf(planner, sizeof planner, others[i], (long long)budget);
      other = seconds_within(profile, planner, budget);
      CHECK(other < 0 || seconds <= other * (1 + 1e-12));
    }
    ckpt_schedule_release(schedule);
  }
  ckpt_schedule_release(store_all);
  ckpt_profile_release(profile);
}

/* Less time and memory for planning: still a schedule, and a report of the omitted planners. */
static void limits(void) {
  ckpt_profile* profile = unlike_chain(30, 3);
  ckpt_schedule* store_all = NULL;
  ckpt_schedule* quick = NULL;
  ckpt_schedule* small = NULL;
  ckpt_schedule* whole = NULL;
  int64_t budget;
  char planner[64];
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &store_all));
  budget = reserved_by(profile, store_all) / 3;
  snprintf(planner, sizeof planner, "auto:%lld,0", (long long)budget);
  CHECK_OK(ckpt_schedule_create(profile, planner, &quick));
  CHECK(strstr(schedule_left_out(quick), "chain and tapes, because planning would take longer than 0 s") != NULL);
  CHECK(strncmp(schedule_name(quick), "periodic(", 9) == 0);
  snprintf(planner, sizeof planner, "auto:%lld,100,64KiB", (long long)budget);
  CHECK_OK(ckpt_schedule_create(profile, planner, &small));
  CHECK(strstr(schedule_left_out(small), "points beyond the table limit") != NULL);
  snprintf(planner, sizeof planner, "auto:%lld,100", (long long)budget);
  CHECK_OK(ckpt_schedule_create(profile, planner, &whole));
  CHECK(strcmp(schedule_left_out(whole), "") == 0);
  CHECK(seconds_by(profile, whole) <= seconds_by(profile, small) && seconds_by(profile, whole) < seconds_by(profile, quick));
  CHECK(reserved_by(profile, quick) <= budget && reserved_by(profile, small) <= budget && reserved_by(profile, whole) <= budget);
  ckpt_schedule_release(whole);
  ckpt_schedule_release(small);
  ckpt_schedule_release(quick);
  ckpt_schedule_release(store_all);

  whole = NULL;
  CHECK_FAILS(ckpt_schedule_create(profile, "auto:1000000,-1", &whole), CKPT_E_INVALID_ARGUMENT,
              "seconds is -1; expected at least 0");
  CHECK_FAILS(ckpt_schedule_create(profile, "auto:1000000,nan", &whole), CKPT_E_INVALID_ARGUMENT, "seconds is nan");
  CHECK_FAILS(ckpt_schedule_create(profile, "auto:1000000,1,0", &whole), CKPT_E_INVALID_ARGUMENT, "table_bytes is 0");
  CHECK_FAILS(ckpt_schedule_create(profile, "auto", &whole), CKPT_E_INVALID_ARGUMENT, "0 values are given");
  CHECK_FAILS(ckpt_schedule_create(profile, "auto:1", &whole), CKPT_E_OVER_BUDGET, "the smallest that works for this chain is");
  CHECK(whole == NULL);
  ckpt_profile_release(profile);
}

static ckpt_profile* time_steps(int64_t steps) {
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  ckpt_profile* profile = NULL;
  layer.output_bytes = 1000;
  option.tape_bytes = 3000;
  option.forward_seconds = 1;
  option.backward_seconds = 2;
  CHECK_OK(ckpt_profile_create_uniform(steps, &layer, &option, &profile));
  return profile;
}

/* For any number of time steps: planned at once, with as many slots as fit. */
static void adjoint_codes(void) {
  const int64_t budget = 32 * 1024;
  ckpt_profile* long_run = time_steps(1000000000);
  ckpt_profile* short_run = time_steps(100000);
  ckpt_schedule* schedule = NULL;
  ckpt_schedule* same = NULL;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  int slots;
  CHECK_OK(schedule_by(long_run, "auto", budget, &schedule));
  CHECK(sscanf(schedule_name(schedule), "revolve(%d)", &slots) == 1);
  CHECK(strstr(schedule_left_out(schedule), "all planners except revolve") != NULL);
  ckpt_schedule_release(schedule);
  CHECK_OK(schedule_by(short_run, "auto", budget, &schedule));
  CHECK_OK(schedule_by(short_run, "revolve", slots, &same));
  CHECK(strcmp(schedule_name(schedule), schedule_name(same)) == 0);
  CHECK_OK(ckpt_schedule_verify(schedule, short_run, &report));
  CHECK(report.peak_bytes[0] <= budget && reserved_by(short_run, schedule) <= budget);
  ckpt_schedule_release(same);
  CHECK_OK(schedule_by(short_run, "revolve", slots + 1, &same));
  CHECK(reserved_by(short_run, same) > budget);
  ckpt_schedule_release(same);
  ckpt_schedule_release(schedule);
  schedule = NULL;
  CHECK_FAILS(ckpt_schedule_create(long_run, "auto:1", &schedule), CKPT_E_OVER_BUDGET, "the smallest that works for this chain is");
  ckpt_profile_release(short_run);
  short_run = time_steps(300);
  smallest_budget(short_run);
  ckpt_profile_release(short_run);
  ckpt_profile_release(long_run);
}

/* Twelve transformer blocks within a tenth of store-all's memory: half as much time more, where simple schedules take several times
 * as much. */
static void a_tenth_of_a_transformer(void) {
  ckpt_profile* profile = NULL;
  ckpt_schedule* store_all = NULL;
  ckpt_schedule* schedule = NULL;
  double more;
  int i;
  CHECK_OK(ckpt_profile_create(4000000, &profile));
  for (i = 0; i < 24; ++i) {
    ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
    ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    layer.output_bytes = 4000000;
    option.tape_bytes = i % 2 == 0 ? 24000000 : 16000000;
    option.forward_seconds = i % 2 == 0 ? 0.0101 : 0.013;
    option.backward_seconds = i % 2 == 0 ? 0.022 : 0.027;
    CHECK_OK(ckpt_profile_add_layer(profile, "layer", &layer));
    CHECK_OK(ckpt_profile_add_option(profile, &option));
  }
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &store_all));
  CHECK_OK(schedule_by(profile, "auto", reserved_by(profile, store_all) / 10, &schedule));
  more = seconds_by(profile, schedule) / seconds_by(profile, store_all);
  printf("12 blocks within a tenth of the memory: %.3f times the time, by %s\n", more, schedule_name(schedule));
  CHECK(more < 1.6);
  ckpt_schedule_release(schedule);
  ckpt_schedule_release(store_all);
  ckpt_profile_release(profile);
}

static void sqrt_of_the_layers(void) {
  ckpt_profile* profile = unlike_chain(17, 1);
  ckpt_schedule* schedule = NULL;
  CHECK_OK(ckpt_schedule_create(profile, "sqrt", &schedule));
  CHECK(strcmp(schedule_name(schedule), "periodic(4)") == 0);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
}

int main(void) {
  beats_them_all(1, 1);
  beats_them_all(8, 2);
  beats_them_all(20, 3);
  limits();
  adjoint_codes();
  a_tenth_of_a_transformer();
  sqrt_of_the_layers();
  return 0;
}
