/* Schedules: a planner with a computed value, and the strings of a schedule. */
#ifndef CKPT_TESTS_PLANNER_H
#define CKPT_TESTS_PLANNER_H

#include "check.h"

#include <stdio.h>

/* schedule_by(profile, "periodic", 4, &schedule): ckpt_schedule_create with "periodic:4". */
static inline ckpt_status schedule_by(const ckpt_profile* profile, const char* planner, int64_t value, ckpt_schedule** schedule) {
  char text[64];
  snprintf(text, sizeof text, "%s:%lld", planner, (long long)value);
  return ckpt_schedule_create(profile, text, schedule);
}

static inline const char* schedule_name(const ckpt_schedule* schedule) {
  const char* name = NULL;
  CHECK_OK(ckpt_schedule_get_name(schedule, &name));
  return name;
}

static inline const char* schedule_left_out(const ckpt_schedule* schedule) {
  const char* left_out = NULL;
  CHECK_OK(ckpt_schedule_get_left_out(schedule, &left_out));
  return left_out;
}

#endif
