/* Wall-clock times next to those of the tracker's clock: in events, totals, layers and scopes, on the system's clock and on one
 * controlled by the test. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <stddef.h>
#include <time.h>

#include "check.h"
#include "named.h"

#define SECOND INT64_C(1000000000)

static int64_t utc_now(void) {
  struct timespec now;
  CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
  return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

static ckpt_memory_event last = CKPT_MEMORY_EVENT_INIT;

static int32_t keep(const ckpt_memory_event* event, void* user_data) {
  (void)user_data;
  CHECK(event->struct_size > 0);
  last = *event;
  return 0;
}

/* Within the error of a coarse clock on a loaded machine. */
static void is_near(int64_t utc_ns, int64_t before, int64_t after) { CHECK(utc_ns >= before - SECOND && utc_ns <= after + SECOND); }

static void on_the_systems_clock(void) {
  ckpt_memory_tracker* tracker = NULL;
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  ckpt_memory_layer_stats layer = CKPT_MEMORY_LAYER_STATS_INIT;
  ckpt_memory_scope_stats scope = CKPT_MEMORY_SCOPE_STATS_INIT;
  ckpt_memory_event polled = CKPT_MEMORY_EVENT_INIT;
  const int64_t before = utc_now();
  uint64_t allocation = 0, id = 0;
  int64_t handler = 0, queue = 0, count = 0;
  int32_t got = 0;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_ALLOCATED, keep, NULL, NULL, &handler));
  CHECK_OK(ckpt_memory_tracker_subscribe_queue(tracker, CKPT_MEMORY_EVENT_KIND_ALLOCATED, 2, &queue));
  CHECK_OK(ckpt_memory_tracker_push_scope(tracker, "scope", &id));
  CHECK_OK(record_named(tracker, "x", 5, &allocation));
  is_near(last.occurred_utc_ns, before, utc_now());
  CHECK_OK(ckpt_memory_tracker_poll_event(tracker, queue, &polled, &got));
  CHECK(got == 1 && polled.occurred_utc_ns == last.occurred_utc_ns);
  CHECK_OK(ckpt_memory_tracker_get_stats(tracker, &stats));
  is_near(stats.taken_utc_ns, before, utc_now());
  CHECK_OK(stats_named(tracker, "x", &layer));
  is_near(layer.last_allocated_utc_ns, before, utc_now());
  CHECK(layer.last_freed_utc_ns == 0); /* never */
  CHECK_OK(ckpt_memory_tracker_record_deallocation(tracker, allocation));
  layer.last_freed_utc_ns = 0;
  CHECK_OK(ckpt_memory_tracker_get_snapshot(tracker, CKPT_MEMORY_ORDER_ID, &stats, &layer, 1, &count));
  is_near(layer.last_freed_utc_ns, before, utc_now());
  CHECK_OK(ckpt_memory_tracker_pop_scope(tracker, id, &scope));
  is_near(scope.pushed_utc_ns, before, utc_now());
  ckpt_memory_tracker_release(tracker);
}

/* A clock that begins at 0: an event at 0 has a date, and an event that has not occurred has none. */
static void at_the_beginning_of_a_clock(void) {
  ckpt_memory_tracker_options options = CKPT_MEMORY_TRACKER_OPTIONS_INIT;
  ckpt_memory_tracker* tracker = NULL;
  ckpt_memory_layer_stats layer = CKPT_MEMORY_LAYER_STATS_INIT;
  ckpt_clock* clock = NULL;
  const int64_t before = utc_now();
  uint64_t allocation = 0;
  CHECK_OK(ckpt_clock_create_manual(0, &clock));
  options.clock = clock;
  CHECK_OK(ckpt_memory_tracker_create(&options, &tracker));
  CHECK_OK(record_named(tracker, "x", 5, &allocation));
  CHECK_OK(stats_named(tracker, "x", &layer));
  CHECK(layer.last_allocated_at_ns == 0 && layer.last_freed_utc_ns == 0);
  is_near(layer.last_allocated_utc_ns, before, utc_now());
  CHECK_OK(ckpt_memory_tracker_record_deallocation(tracker, allocation));
  CHECK_OK(stats_named(tracker, "x", &layer));
  CHECK(layer.last_freed_at_ns == 0);
  is_near(layer.last_freed_utc_ns, before, utc_now());
  ckpt_memory_tracker_release(tracker);
  ckpt_clock_release(clock);
}

/* An hour passes on the tracker's clock: earlier events happened an hour ago. */
static void on_a_manual_clock(void) {
  const int64_t hour = 3600 * SECOND;
  ckpt_memory_tracker_options options = CKPT_MEMORY_TRACKER_OPTIONS_INIT;
  ckpt_memory_tracker* tracker = NULL;
  ckpt_memory_layer_stats layer = CKPT_MEMORY_LAYER_STATS_INIT;
  ckpt_memory_scope_stats scope = CKPT_MEMORY_SCOPE_STATS_INIT;
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  ckpt_clock* clock = NULL;
  uint64_t allocation = 0, id = 0;
  const int64_t before = utc_now();
  CHECK_OK(ckpt_clock_create_manual(7, &clock));
  options.clock = clock;
  CHECK_OK(ckpt_memory_tracker_create(&options, &tracker));
  CHECK_OK(ckpt_memory_tracker_push_scope(tracker, "scope", &id));
  CHECK_OK(record_named(tracker, "x", 5, &allocation));
  CHECK_OK(ckpt_clock_advance(clock, hour));
  CHECK_OK(stats_named(tracker, "x", &layer));
  CHECK(layer.last_allocated_at_ns == 7);
  is_near(layer.last_allocated_utc_ns, before - hour, utc_now() - hour);
  CHECK_OK(ckpt_memory_tracker_get_scope_stats(tracker, id, &scope));
  is_near(scope.pushed_utc_ns, before - hour, utc_now() - hour);
  CHECK_OK(ckpt_memory_tracker_get_stats(tracker, &stats));
  is_near(stats.taken_utc_ns, before, utc_now());
  CHECK(stats.taken_at_ns == 7 + hour);
  ckpt_clock_release(clock);
  ckpt_memory_tracker_release(tracker);
}

int main(void) {
  on_the_systems_clock();
  on_a_manual_clock();
  at_the_beginning_of_a_clock();
  return 0;
}
