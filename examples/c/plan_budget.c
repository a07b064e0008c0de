/* Plans a schedule for a byte budget and prints its cost before anything runs: 32 equal layers, 40% of the memory of store-all.
 */
#include <ckpt/ckpt.h>

#include <stdio.h>
#include <stdlib.h>

static void ok(ckpt_status status) {
  if (status == CKPT_OK) return;
  fprintf(stderr, "%s: %s\n", ckpt_status_name(status), ckpt_last_error());
  exit(1);
}

static void show(const ckpt_schedule* schedule, const ckpt_profile* profile) {
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  const char* name = NULL;
  ok(ckpt_schedule_verify(schedule, profile, &report));
  ok(ckpt_schedule_get_name(schedule, &name));
  printf("%-12s  peak %.4g KiB, %lld recomputed forwards\n", name, (double)report.peak_bytes[0] / 1024,
         (long long)report.recomputed_forwards);
}

int main(void) {
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  int64_t reserved = 0;
  char planner[32];
  int i;
  ok(ckpt_profile_create(2048, &profile));
  for (i = 0; i < 32; ++i) {
    char name[32];
    ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
    ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    layer.output_bytes = 2048;
    option.tape_bytes = 2048;
    option.forward_seconds = 1e-3;
    option.backward_seconds = 2e-3;
    snprintf(name, sizeof name, "layer%d", i);
    ok(ckpt_profile_add_layer(profile, name, &layer));
    ok(ckpt_profile_add_option(profile, &option));
  }

  ok(ckpt_schedule_create(profile, "store-all", &schedule));
  ok(ckpt_schedule_place(schedule, profile, 0, &reserved));
  show(schedule, profile);
  ckpt_schedule_release(schedule);

  snprintf(planner, sizeof planner, "auto:%lld", (long long)(reserved * 40 / 100));
  ok(ckpt_schedule_create(profile, planner, &schedule));
  show(schedule, profile);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
  return 0;
}
