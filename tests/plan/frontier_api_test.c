/* Frontiers and the planners chain and tapes from C99, through the library alone. */
#include <stdlib.h>

#include "check.h"
#include "planner.h"

enum { LAYERS = 12, MOST_POINTS = 256 };

/* Layers of different bytes and seconds, each with a second option that records less and takes longer. */
static ckpt_profile* make_profile(void) {
  ckpt_profile* profile = NULL;
  int i;
  CHECK_OK(ckpt_profile_create(6400, &profile));
  for (i = 0; i < LAYERS; ++i) {
    ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
    ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    layer.output_bytes = 6400 + 640 * (i % 5);
    CHECK_OK(ckpt_profile_add_layer(profile, "layer", &layer));
    option.tape_bytes = 12800 - 640 * (i % 3);
    option.forward_workspace_bytes = 320;
    option.forward_seconds = 0.001 * (1 + i % 4);
    option.backward_seconds = 0.002 * (1 + i % 4);
    CHECK_OK(ckpt_profile_add_option(profile, &option));
    option.tape_bytes /= 4;
    option.backward_seconds *= 1.25;
    CHECK_OK(ckpt_profile_add_option(profile, &option));
  }
  return profile;
}

static int64_t frontier_of(const ckpt_profile* profile, const char* planner, ckpt_frontier_point* points) {
  int64_t count = 0;
  int64_t i;
  for (i = 0; i < MOST_POINTS; ++i) CKPT_INIT(ckpt_frontier_point, &points[i]);
  CHECK_OK(ckpt_profile_get_frontier(profile, planner, points, MOST_POINTS, &count));
  CHECK(count > 10 && count <= MOST_POINTS);
  return count;
}

/* The frontier's points have the cost of their schedules, and a budget takes the fastest one that fits. */
static void points_are_schedules(const char* planner) {
  static ckpt_frontier_point points[MOST_POINTS];
  static ckpt_frontier_point others[MOST_POINTS]; /* with a budget, tapes takes a schedule of chain if that is faster */
  ckpt_profile* profile = make_profile();
  const int64_t count = frontier_of(profile, planner, points);
  const int64_t others_count = strcmp(planner, "tapes") == 0 ? frontier_of(profile, "chain", others) : 0;
  ckpt_schedule* store_all = NULL;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  int64_t smallest = INT64_MAX;
  int64_t i;
  int64_t k;
  for (k = 0; k < others_count; ++k) {
    if (others[k].reserved_bytes < smallest) smallest = others[k].reserved_bytes;
  }
  for (i = 0; i < count; ++i) {
    const ckpt_frontier_point* point = &points[i];
    ckpt_schedule* schedule = NULL;
    int64_t reserved = 0;
    double best_seconds = point->step_seconds;
    CHECK(point->lost_seconds == 0.0 && point->reserved_bytes >= point->live_bytes);
    if (i > 0) CHECK(point->live_bytes > points[i - 1].live_bytes && point->step_seconds < points[i - 1].step_seconds);
    if (point->reserved_bytes < smallest) smallest = point->reserved_bytes;
    if (i % 9 != 0 && i + 1 < count) continue; /* each one runs the planner again */
    for (k = 0; k < count; ++k) {
      if (points[k].reserved_bytes <= point->reserved_bytes && points[k].step_seconds < best_seconds)
        best_seconds = points[k].step_seconds;
    }
    for (k = 0; k < others_count; ++k) {
      if (others[k].reserved_bytes <= point->reserved_bytes && others[k].step_seconds < best_seconds)
        best_seconds = others[k].step_seconds;
    }
    CHECK_OK(schedule_by(profile, planner, point->reserved_bytes, &schedule));
    CHECK_OK(ckpt_schedule_verify(schedule, profile, &report));
    CHECK_OK(ckpt_schedule_place(schedule, profile, 0, &reserved));
    CHECK(reserved <= point->reserved_bytes && report.step_seconds == best_seconds);
    if (report.peak_bytes[0] == point->live_bytes && report.step_seconds == point->step_seconds) {
      CHECK(report.recomputed_forwards == point->recomputed_forwards);
      CHECK(report.recomputed_seconds == point->recomputed_seconds);
    }
    ckpt_schedule_release(schedule);
  }
  CHECK_OK(ckpt_schedule_create(profile, "store-all", &store_all));
  CHECK_OK(ckpt_schedule_verify(store_all, profile, &report));
  CHECK(points[count - 1].step_seconds <= report.step_seconds && points[count - 1].recomputed_forwards == 0);
  ckpt_schedule_release(store_all);
  {
    ckpt_schedule* schedule = NULL;
    char expected[96];
    snprintf(expected, sizeof expected, "the smallest that works for this chain is %lld", (long long)smallest);
    CHECK_FAILS(schedule_by(profile, planner, smallest - 1, &schedule), CKPT_E_OVER_BUDGET, expected);
    CHECK_OK(schedule_by(profile, planner, smallest, &schedule));
    ckpt_schedule_release(schedule);
  }
  ckpt_profile_release(profile);
}

/* For every budget, tapes has no slower step than chain, and works wherever chain does. */
static void tapes_are_never_worse(void) {
  static const char marker[] = "for this chain is ";
  ckpt_profile* profile = NULL;
  ckpt_schedule* schedule = NULL;
  int64_t smallest;
  int i;
  CHECK_OK(ckpt_profile_create(1 << 20, &profile));
  for (i = 0; i < 20; ++i) {
    ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
    ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
    layer.output_bytes = (int64_t)(1 + i * 7 % 5) << 19;
    option.tape_bytes = layer.output_bytes / 2;
    option.forward_seconds = 0.001 * (1 + i * 3 % 7);
    option.backward_seconds = 0.002 * (1 + i % 4);
    CHECK_OK(ckpt_profile_add_layer(profile, "layer", &layer));
    CHECK_OK(ckpt_profile_add_option(profile, &option));
  }
  CHECK(ckpt_schedule_create(profile, "chain:1", &schedule) == CKPT_E_OVER_BUDGET);
  CHECK(strstr(ckpt_last_error(), marker) != NULL);
  smallest = strtoll(strstr(ckpt_last_error(), marker) + strlen(marker), NULL, 10);
  for (i = 0; i < 12; ++i) {
    const int64_t budget = smallest + i * (smallest / 32);
    ckpt_plan_report by_chain = CKPT_PLAN_REPORT_INIT;
    ckpt_plan_report by_tapes = CKPT_PLAN_REPORT_INIT;
    CHECK_OK(schedule_by(profile, "chain", budget, &schedule));
    CHECK_OK(ckpt_schedule_verify(schedule, profile, &by_chain));
    ckpt_schedule_release(schedule);
    CHECK_OK(schedule_by(profile, "tapes", budget, &schedule));
    CHECK_OK(ckpt_schedule_verify(schedule, profile, &by_tapes));
    ckpt_schedule_release(schedule);
    CHECK(by_tapes.step_seconds <= by_chain.step_seconds);
  }
  ckpt_profile_release(profile);
}

static void refusals(void) {
  ckpt_profile* profile = make_profile();
  ckpt_profile* empty = NULL;
  ckpt_schedule* schedule = NULL;
  ckpt_frontier_point point = CKPT_FRONTIER_POINT_INIT;
  int64_t count = -7;
  CHECK_OK(ckpt_profile_get_frontier(profile, "chain", NULL, 0, &count));
  CHECK(count > 10);
  CHECK_OK(ckpt_profile_get_frontier(profile, "chain", &point, 1, &count));
  CHECK(count > 10 && point.step_seconds > 0);
  count = -7;
  CHECK_FAILS(ckpt_profile_get_frontier(NULL, "chain", &point, 1, &count), CKPT_E_INVALID_ARGUMENT, "profile is NULL");
  CHECK_FAILS(ckpt_profile_get_frontier(profile, NULL, &point, 1, &count), CKPT_E_INVALID_ARGUMENT, "planner is NULL");
  CHECK_FAILS(ckpt_profile_get_frontier(profile, "store-all", &point, 1, &count), CKPT_E_NOT_FOUND, "planner is 'store-all'");
  CHECK_FAILS(ckpt_profile_get_frontier(profile, "chain", NULL, 1, &count), CKPT_E_INVALID_ARGUMENT, "points is NULL");
  CHECK_FAILS(ckpt_profile_get_frontier(profile, "chain", &point, -1, &count), CKPT_E_INVALID_ARGUMENT, "capacity is -1");
  CHECK_FAILS(ckpt_profile_get_frontier(profile, "chain", &point, 1, NULL), CKPT_E_INVALID_ARGUMENT, "count is NULL");
  CHECK_OK(ckpt_profile_create(1, &empty));
  CHECK_FAILS(ckpt_profile_get_frontier(empty, "chain", &point, 1, &count), CKPT_E_INVALID_STATE, "profile has no layers");
  CHECK(count == -7);
  CHECK_FAILS(ckpt_schedule_create(empty, "chain:1", &schedule), CKPT_E_INVALID_STATE, "profile has no layers");
  CHECK_FAILS(ckpt_schedule_create(profile, "chain", &schedule), CKPT_E_INVALID_ARGUMENT, "chain");
  CHECK_FAILS(ckpt_schedule_create(profile, "tapes:0", &schedule), CKPT_E_INVALID_ARGUMENT, "bytes is 0");
  CHECK(schedule == NULL);
  ckpt_profile_release(empty);
  ckpt_profile_release(profile);
}

int main(void) {
  tapes_are_never_worse();
  points_are_schedules("chain");
  points_are_schedules("tapes");
  refusals();
  return 0;
}
