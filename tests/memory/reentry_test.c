/* Event handlers and clocks that call every function of memory.h on the tracker that called them: it works, or returns
 * INVALID_STATE at once. An alarm ends the test on a deadlock. */
#include <unistd.h>

#include "check.h"
#include "named.h"

static ckpt_memory_tracker* tracker = NULL;
static ckpt_status expected = CKPT_OK; /* status of calls that read the clock */
static int calls = 0;
static int depth = 0;

#define RETURNS(status, call)                                                                                   \
  do {                                                                                                          \
    const ckpt_status returned = (call);                                                                        \
    ++calls;                                                                                                    \
    if (returned != (status)) {                                                                                 \
      fprintf(stderr, "line %d: %s: %s, %s\n", __LINE__, #call, ckpt_status_name(returned), ckpt_last_error()); \
      exit(1);                                                                                                  \
    }                                                                                                           \
  } while (0)

static int32_t quiet(const ckpt_memory_event* event, void* user_data) {
  (void)event;
  (void)user_data;
  return 0;
}

static void call_everything(void) {
  static char text[1 << 16];
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  ckpt_memory_layer_stats layer_stats = CKPT_MEMORY_LAYER_STATS_INIT;
  ckpt_memory_allocation live = CKPT_MEMORY_ALLOCATION_INIT;
  ckpt_memory_scope_stats scope_stats = CKPT_MEMORY_SCOPE_STATS_INIT;
  ckpt_memory_event event = CKPT_MEMORY_EVENT_INIT;
  const char* name = NULL;
  uint64_t allocation = 0, scope = 0;
  int64_t number = 0, subscription = 0, needed = 0;
  int32_t layer = 0, got = 0;
  const int asks = expected == CKPT_OK;
  char own_name[20]; /* nested handlers free only their own allocations */
  snprintf(own_name, sizeof own_name, "inside %d", ++depth);
  ckpt_memory_tracker_retain(tracker);
  RETURNS(CKPT_OK, ckpt_memory_tracker_add_layer(tracker, own_name, &layer));
  RETURNS(CKPT_OK, ckpt_memory_tracker_find_layer(tracker, own_name, &layer));
  RETURNS(CKPT_OK, ckpt_memory_tracker_get_layer_name(tracker, layer, &name));
  RETURNS(expected, ckpt_memory_tracker_record_allocation(tracker, layer, 8, &allocation));
  if (asks) RETURNS(CKPT_OK, ckpt_memory_tracker_record_deallocation(tracker, allocation));
  if (!asks) RETURNS(expected, ckpt_memory_tracker_record_deallocation(tracker, 1));
  RETURNS(expected, record_named(tracker, own_name, 8, &allocation));
  RETURNS(CKPT_OK, ckpt_memory_tracker_clear_limit(tracker));
  RETURNS(expected, ckpt_memory_tracker_try_reserve(tracker, layer, 8, &allocation));
  RETURNS(expected, reserve_named(tracker, own_name, 8, &allocation));
  RETURNS(expected, ckpt_memory_tracker_get_stats(tracker, &stats));
  RETURNS(expected, ckpt_memory_tracker_get_layer_stats(tracker, layer, &layer_stats));
  RETURNS(expected, stats_named(tracker, own_name, &layer_stats));
  RETURNS(expected, ckpt_memory_tracker_get_snapshot(tracker, 0, &stats, &layer_stats, 1, &number));
  RETURNS(expected, ckpt_memory_tracker_list_allocations(tracker, &live, 1, &number));
  RETURNS(expected, ckpt_memory_tracker_get_savings(tracker, 1, &number, NULL));
  RETURNS(CKPT_OK, ckpt_memory_tracker_reset_stats(tracker));
  RETURNS(expected, ckpt_memory_tracker_push_scope(tracker, "scope", &scope));
  if (asks) {
    RETURNS(CKPT_OK, ckpt_memory_tracker_get_scope_stats(tracker, scope, &scope_stats));
    RETURNS(CKPT_OK, ckpt_memory_tracker_pop_scope(tracker, scope, &scope_stats));
  } else {
    RETURNS(expected, ckpt_memory_tracker_get_scope_stats(tracker, 1, &scope_stats));
    RETURNS(expected, ckpt_memory_tracker_pop_scope(tracker, 1, &scope_stats));
  }
  RETURNS(expected, ckpt_memory_tracker_set_limit(tracker, 1, 0)); /* far below the live bytes: an event at once */
  RETURNS(CKPT_OK, ckpt_memory_tracker_get_limit(tracker, &number, NULL));
  RETURNS(CKPT_OK, ckpt_memory_tracker_clear_limit(tracker));
  RETURNS(CKPT_OK, ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_ALL, quiet, NULL, NULL, &subscription));
  RETURNS(CKPT_OK, ckpt_memory_tracker_unsubscribe(tracker, subscription));
  RETURNS(CKPT_OK, ckpt_memory_tracker_subscribe_queue(tracker, CKPT_MEMORY_EVENT_KIND_FREED, 2, &subscription));
  RETURNS(CKPT_OK, ckpt_memory_tracker_poll_event(tracker, subscription, &event, &got));
  RETURNS(CKPT_OK, ckpt_memory_tracker_get_dropped_events(tracker, subscription, &number));
  RETURNS(CKPT_OK, ckpt_memory_tracker_unsubscribe(tracker, subscription));
  RETURNS(CKPT_OK, ckpt_memory_tracker_enable_events(tracker, 1));
  RETURNS(CKPT_OK, ckpt_memory_tracker_set_peak_granularity(tracker, 1));
  RETURNS(expected, ckpt_memory_tracker_get_json(tracker, 0, text, sizeof text, &needed));
  RETURNS(expected, ckpt_memory_tracker_get_prometheus(tracker, 0, text, sizeof text, &needed));
  RETURNS(expected, ckpt_memory_tracker_record_deallocation_layer(tracker, layer, &number));
  --depth;
  ckpt_memory_tracker_release(tracker);
}

static int32_t call_all(const ckpt_memory_event* event, void* user_data) {
  (void)event;
  ++*(int*)user_data;
  call_everything();
  return 0;
}

static void handlers(void) {
  uint64_t allocation = 0;
  int64_t first = 0, second = 0;
  int one = 0, other = 0;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_memory_tracker_set_limit(tracker, 10, 0));
  CHECK_OK(ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_ALL, call_all, &one, NULL, &first));
  CHECK_OK(ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_ALL, call_all, &other, NULL, &second));
  CHECK_OK(record_named(tracker, "x", 100, &allocation)); /* three kinds of events */
  CHECK_OK(ckpt_memory_tracker_record_deallocation(tracker, allocation));
  CHECK(one > 3 && other > 3);
  CHECK_OK(ckpt_memory_tracker_unsubscribe(tracker, first));
  CHECK_OK(ckpt_memory_tracker_unsubscribe(tracker, second));
  ckpt_memory_tracker_release(tracker);
}

static int ended = 0;
static int64_t own = 0;

static void count_end(void* user_data) {
  (void)user_data;
  ++ended;
}

static int32_t leave(const ckpt_memory_event* event, void* user_data) {
  (void)event;
  (void)user_data;
  CHECK_OK(ckpt_memory_tracker_unsubscribe(tracker, own));
  CHECK(ended == 0); /* destroy waits until this has returned */
  CHECK_FAILS(ckpt_memory_tracker_unsubscribe(tracker, own), CKPT_E_NOT_FOUND, "unknown subscription");
  ckpt_memory_tracker_release(tracker); /* the last reference */
  return 0;
}

static void the_last_reference(void) {
  uint64_t allocation = 0;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_ALLOCATED, leave, NULL, count_end, &own));
  CHECK_OK(record_named(tracker, "x", 100, &allocation));
  CHECK(ended == 1);
}

static int clock_calls = 0;

static int64_t ask_back(void* user_data) {
  (void)user_data;
  ++clock_calls;
  if (tracker != NULL) call_everything();
  return clock_calls;
}

static void clocks(void) {
  ckpt_memory_tracker_options options = CKPT_MEMORY_TRACKER_OPTIONS_INIT;
  ckpt_memory_tracker* created = NULL;
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  ckpt_clock* clock = NULL;
  uint64_t allocation = 0;
  CHECK_OK(ckpt_clock_create_custom(ask_back, NULL, NULL, &clock));
  options.clock = clock;
  tracker = NULL;
  CHECK_OK(ckpt_memory_tracker_create(&options, &created));
  tracker = created;
  expected = CKPT_E_INVALID_STATE;
  CHECK_OK(record_named(created, "x", 100, &allocation));
  CHECK_OK(ckpt_memory_tracker_get_stats(created, &stats));
  CHECK(clock_calls == 2 && stats.taken_at_ns == 2 && stats.current_bytes == 100);
  ckpt_clock_release(clock);
  ckpt_memory_tracker_release(created);
}

int main(void) {
  alarm(HANG_SECONDS);
  handlers();
  the_last_reference();
  clocks();
  CHECK(calls > 200);
  return 0;
}
