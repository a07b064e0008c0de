/* A planner with a value that a test computes. */
#ifndef CKPT_TESTS_PLANNER_H
#define CKPT_TESTS_PLANNER_H

#include <ckpt/plan.h>
#include <stdio.h>

/* schedule_by(profile, "periodic", 4, &schedule): ckpt_schedule_create with "periodic:4". */
static inline ckpt_status schedule_by(const ckpt_profile* profile, const char* planner, int64_t value, ckpt_schedule** schedule) {
  char text[64];
  snprintf(text, sizeof text, "%s:%lld", planner, (long long)value);
  return ckpt_schedule_create(profile, text, schedule);
}

#endif
