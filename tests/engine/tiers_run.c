/* Runs a schedule that moves items through a file; prints the number of bytes that its steps write and read according to the
 * verifier. tiers_run DIRECTORY */
#define _GNU_SOURCE
#include "tiers.h"

enum { SAMPLES = 24, WIDTH = 33, STEPS = 3 }; /* items that fill no block */

int main(int count, char** arguments) {
  model of = make_model(SAMPLES, WIDTH, NULL);
  ckpt_schedule* schedule = make_moving(of.layers, 2);
  ckpt_storage* storage = NULL;
  ckpt_schedule_executor* executor = NULL;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  int i;
  CHECK(count == 2);
  CHECK_OK(ckpt_schedule_verify(schedule, of.profile, &report));
  CHECK_OK(ckpt_storage_create_file_system(arguments[1], NULL, &storage));
  executor = make_executor(&of, schedule, storage);
  for (i = 0; i < STEPS; ++i) CHECK_OK(run_step(&of, executor));
  printf("pread64 %lld\n", (long long)(STEPS * report.loaded_bytes[1]));
  printf("pwrite64 %lld\n", (long long)(STEPS * report.stored_bytes[1]));
  ckpt_schedule_executor_release(executor);
  ckpt_storage_release(storage);
  ckpt_schedule_release(schedule);
  release_model(&of);
  return 0;
}
