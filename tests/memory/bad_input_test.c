/* Every public function of the memory part with wrong arguments: a status and a message, no change of state, no crash. */
#include <limits.h>

#include "check.h"
#include "named.h"

#define BAD(call, text) CHECK_FAILS(call, CKPT_E_INVALID_ARGUMENT, text)

static int32_t quiet(const ckpt_memory_event* event, void* user_data) {
  (void)event;
  (void)user_data;
  return 0;
}

/* Handles: NULL and a handle of another kind. */
static void handles(ckpt_memory_tracker* bad, const char* text) {
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  ckpt_memory_layer_stats layer = CKPT_MEMORY_LAYER_STATS_INIT;
  ckpt_memory_scope_stats scope = CKPT_MEMORY_SCOPE_STATS_INIT;
  ckpt_memory_event event = CKPT_MEMORY_EVENT_INIT;
  const char* name = NULL;
  int32_t number = 7;
  int64_t count = 7;
  uint64_t id = 7;
  double fraction = 7;
  BAD(ckpt_memory_tracker_add_layer(bad, "x", &number), text);
  BAD(ckpt_memory_tracker_find_layer(bad, "x", &number), text);
  BAD(ckpt_memory_tracker_get_layer_name(bad, 0, &name), text);
  BAD(ckpt_memory_tracker_record_allocation(bad, 0, 1, &id), text);
  BAD(ckpt_memory_tracker_try_reserve(bad, 0, 1, &id), text);
  BAD(ckpt_memory_tracker_record_deallocation(bad, 1), text);
  BAD(ckpt_memory_tracker_record_deallocation_layer(bad, 0, &count), text);
  BAD(ckpt_memory_tracker_get_stats(bad, &stats), text);
  BAD(ckpt_memory_tracker_get_layer_stats(bad, 0, &layer), text);
  BAD(ckpt_memory_tracker_get_snapshot(bad, 0, &stats, &layer, 1, &count), text);
  BAD(ckpt_memory_tracker_list_allocations(bad, NULL, 0, &count), text);
  BAD(ckpt_memory_tracker_get_savings(bad, 1, &count, &fraction), text);
  BAD(ckpt_memory_tracker_reset_stats(bad), text);
  BAD(ckpt_memory_tracker_push_scope(bad, "x", &id), text);
  BAD(ckpt_memory_tracker_pop_scope(bad, 1, &scope), text);
  BAD(ckpt_memory_tracker_get_scope_stats(bad, 1, &scope), text);
  BAD(ckpt_memory_tracker_set_limit(bad, 1, 0), text);
  BAD(ckpt_memory_tracker_clear_limit(bad), text);
  BAD(ckpt_memory_tracker_get_limit(bad, &count, &count), text);
  BAD(ckpt_memory_tracker_subscribe(bad, 1, quiet, NULL, NULL, &count), text);
  BAD(ckpt_memory_tracker_subscribe_queue(bad, 1, 1, &count), text);
  BAD(ckpt_memory_tracker_unsubscribe(bad, 1), text);
  BAD(ckpt_memory_tracker_poll_event(bad, 1, &event, &number), text);
  BAD(ckpt_memory_tracker_get_dropped_events(bad, 1, &count), text);
  BAD(ckpt_memory_tracker_enable_events(bad, 1), text);
  BAD(ckpt_memory_tracker_set_peak_granularity(bad, 1), text);
  BAD(ckpt_memory_tracker_get_json(bad, 0, NULL, 0, &count), text);
  BAD(ckpt_memory_tracker_get_prometheus(bad, 0, NULL, 0, &count), text);
  ckpt_memory_tracker_retain(bad);
  ckpt_memory_tracker_release(bad);
  CHECK(number == 7 && count == 7 && id == 7 && fraction == 7);
}

static void null_pointers(ckpt_memory_tracker* tracker) {
  int32_t number = 0;
  int64_t count = 0;
  uint64_t id = 0;
  ckpt_memory_event event = CKPT_MEMORY_EVENT_INIT;
  BAD(ckpt_memory_tracker_create(NULL, NULL), "tracker is NULL");
  BAD(ckpt_memory_tracker_add_layer(tracker, NULL, &number), "name is NULL");
  BAD(ckpt_memory_tracker_add_layer(tracker, "never made", NULL), "layer_id is NULL");
  BAD(ckpt_memory_tracker_find_layer(tracker, NULL, &number), "name is NULL");
  BAD(ckpt_memory_tracker_find_layer(tracker, "x", NULL), "layer_id is NULL");
  BAD(ckpt_memory_tracker_get_layer_name(tracker, 0, NULL), "name is NULL");
  BAD(ckpt_memory_tracker_record_allocation(tracker, 0, 1, NULL), "allocation is NULL");
  BAD(ckpt_memory_tracker_try_reserve(tracker, 0, 1, NULL), "allocation is NULL");
  BAD(ckpt_memory_tracker_get_stats(tracker, NULL), "stats is NULL");
  BAD(ckpt_memory_tracker_get_layer_stats(tracker, 0, NULL), "stats is NULL");
  BAD(ckpt_memory_tracker_get_snapshot(tracker, 0, NULL, NULL, 1, &count), "layers is NULL");
  BAD(ckpt_memory_tracker_get_snapshot(tracker, 0, NULL, NULL, 0, NULL), "count is NULL");
  BAD(ckpt_memory_tracker_list_allocations(tracker, NULL, 1, &count), "allocations is NULL");
  BAD(ckpt_memory_tracker_list_allocations(tracker, NULL, 0, NULL), "count is NULL");
  BAD(ckpt_memory_tracker_get_savings(tracker, 1, NULL, NULL), "both NULL");
  BAD(ckpt_memory_tracker_push_scope(tracker, NULL, &id), "name is NULL");
  BAD(ckpt_memory_tracker_push_scope(tracker, "s", NULL), "scope is NULL");
  BAD(ckpt_memory_tracker_get_limit(tracker, NULL, &count), "limit_bytes is NULL");
  BAD(ckpt_memory_tracker_subscribe(tracker, 1, NULL, NULL, NULL, &count), "fn is NULL");
  BAD(ckpt_memory_tracker_subscribe(tracker, 1, quiet, NULL, NULL, NULL), "subscription is NULL");
  BAD(ckpt_memory_tracker_subscribe_queue(tracker, 1, 1, NULL), "subscription is NULL");
  BAD(ckpt_memory_tracker_poll_event(tracker, 1, NULL, &number), "event is NULL");
  BAD(ckpt_memory_tracker_poll_event(tracker, 1, &event, NULL), "got is NULL");
  BAD(ckpt_memory_tracker_get_dropped_events(tracker, 1, NULL), "NULL");
  BAD(ckpt_memory_tracker_get_json(tracker, 0, NULL, 0, NULL), "both NULL");
  BAD(ckpt_memory_tracker_get_prometheus(tracker, 0, NULL, 9, &count), "buffer is NULL");
  BAD(ckpt_memory_probe(NULL), "system is NULL");
  ckpt_memory_tracker_retain(NULL);
  ckpt_memory_tracker_release(NULL);
}

static void values(ckpt_memory_tracker* tracker) {
  int32_t number = 0;
  int64_t count = 0;
  uint64_t id = 0;
  ckpt_memory_layer_stats layer = CKPT_MEMORY_LAYER_STATS_INIT;
  BAD(ckpt_memory_tracker_add_layer(tracker, "", &number), "name is blank");
  BAD(ckpt_memory_tracker_add_layer(tracker, "\xc3", &number), "UTF-8");
  BAD(ckpt_memory_tracker_find_layer(tracker, " ", &number), "name is blank");
  CHECK_FAILS(ckpt_memory_tracker_find_layer(tracker, "y", &number), CKPT_E_NOT_FOUND, "'y'");
  BAD(ckpt_memory_tracker_record_allocation(tracker, 0, 0, &id), "bytes is 0");
  BAD(ckpt_memory_tracker_record_allocation(tracker, 0, INT64_MIN, &id), "bytes is -9223372036854775808");
  CHECK_FAILS(ckpt_memory_tracker_record_allocation(tracker, -1, 1, &id), CKPT_E_NOT_FOUND, "layer_id is -1");
  CHECK_FAILS(ckpt_memory_tracker_record_allocation(tracker, INT_MAX, 1, &id), CKPT_E_NOT_FOUND, "layer_id is 2147483647");
  CHECK_FAILS(ckpt_memory_tracker_record_allocation(tracker, 0, INT64_MAX, &id), CKPT_E_OUT_OF_RANGE, "INT64_MAX");
  CHECK_FAILS(ckpt_memory_tracker_try_reserve(tracker, 5, 1, &id), CKPT_E_NOT_FOUND, "layer_id is 5");
  CHECK_FAILS(ckpt_memory_tracker_record_deallocation(tracker, 0), CKPT_E_NOT_FOUND, "allocation is 0");
  CHECK_FAILS(ckpt_memory_tracker_record_deallocation(tracker, UINT64_MAX), CKPT_E_NOT_FOUND, "allocation is 18446744073709551615");
  CHECK_FAILS(free_named(tracker, "y", NULL), CKPT_E_NOT_FOUND, "'y'");
  CHECK_FAILS(ckpt_memory_tracker_record_deallocation_layer(tracker, -9, NULL), CKPT_E_NOT_FOUND, "layer_id is -9");
  CHECK_FAILS(ckpt_memory_tracker_get_layer_stats(tracker, 3, &layer), CKPT_E_NOT_FOUND, "layer_id is 3");
  CHECK_FAILS(stats_named(tracker, "y", &layer), CKPT_E_NOT_FOUND, "'y'");
  BAD(ckpt_memory_tracker_get_snapshot(tracker, 3, NULL, NULL, 0, &count), "order is 3");
  BAD(ckpt_memory_tracker_get_snapshot(tracker, -1, NULL, NULL, 0, &count), "order is -1");
  BAD(ckpt_memory_tracker_get_snapshot(tracker, 0, NULL, &layer, -1, &count), "capacity is -1");
  BAD(ckpt_memory_tracker_list_allocations(tracker, NULL, -1, &count), "capacity is -1");
  BAD(ckpt_memory_tracker_get_savings(tracker, -1, &count, NULL), "store_all_bytes is -1");
  BAD(ckpt_memory_tracker_push_scope(tracker, "", &id), "name is blank");
  CHECK_FAILS(ckpt_memory_tracker_pop_scope(tracker, 99, NULL), CKPT_E_NOT_FOUND, "scope is 99");
  BAD(ckpt_memory_tracker_set_limit(tracker, 0, 0), "limit_bytes is 0");
  BAD(ckpt_memory_tracker_set_limit(tracker, 5, 5), "hysteresis_bytes is 5");
  BAD(ckpt_memory_tracker_set_limit(tracker, 5, INT64_MIN), "hysteresis_bytes is -9223372036854775808");
  BAD(ckpt_memory_tracker_subscribe(tracker, 16, quiet, NULL, NULL, &count), "kinds is 16");
  BAD(ckpt_memory_tracker_subscribe_queue(tracker, 1, 0, &count), "capacity is 0");
  BAD(ckpt_memory_tracker_subscribe_queue(tracker, 1, INT64_MAX, &count), "capacity is 9223372036854775807");
  CHECK_FAILS(ckpt_memory_tracker_unsubscribe(tracker, -4), CKPT_E_NOT_FOUND, "subscription is -4");
  CHECK_FAILS(ckpt_memory_tracker_get_dropped_events(tracker, 4, &count), CKPT_E_NOT_FOUND, "subscription is 4");
  BAD(ckpt_memory_tracker_enable_events(tracker, 2), "enabled is 2");
  BAD(ckpt_memory_tracker_set_peak_granularity(tracker, 0), "granularity_bytes is 0");
  BAD(ckpt_memory_tracker_get_json(tracker, -1, NULL, 0, &count), "max_layers is -1");
  BAD(ckpt_memory_tracker_get_prometheus(tracker, INT64_MIN, NULL, 0, &count), "max_layers is");

  ckpt_memory_tracker_options options = CKPT_MEMORY_TRACKER_OPTIONS_INIT;
  ckpt_memory_tracker* other = NULL;
  options.peak_granularity_bytes = 0;
  BAD(ckpt_memory_tracker_create(&options, &other), "is 0");
  options.struct_size = 4;
  BAD(ckpt_memory_tracker_create(&options, &other), "struct_size is 4");
  CKPT_INIT(ckpt_memory_tracker_options, &options);
  options.clock = (const ckpt_clock*)(const void*)tracker;
  BAD(ckpt_memory_tracker_create(&options, &other), "options.clock: expected a handle of kind 'clock', found memory tracker");
  CHECK(other == NULL);
}

/* A struct without its size is refused before anything happens. */
static void struct_sizes(ckpt_memory_tracker* tracker) {
  ckpt_memory_stats stats = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  ckpt_memory_layer_stats layer = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  ckpt_memory_allocation allocation = {0, 0, 0, 0, 0, 0};
  ckpt_memory_scope_stats scope_stats = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  ckpt_memory_event event = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  ckpt_memory_system system = {0, 0, 0, 0, 0, 0};
  int64_t count = 0;
  int64_t queue = 0;
  int32_t got = 0;
  uint64_t scope = 0;
  uint64_t id = 0;
  BAD(ckpt_memory_tracker_get_stats(tracker, &stats), "stats.struct_size is 0");
  BAD(ckpt_memory_tracker_get_layer_stats(tracker, 0, &layer), "stats.struct_size is 0");
  BAD(ckpt_memory_tracker_get_snapshot(tracker, 0, &stats, NULL, 0, &count), "stats.struct_size is 0");
  BAD(ckpt_memory_tracker_get_snapshot(tracker, 0, NULL, &layer, 1, &count), "layers.struct_size is 0");
  BAD(ckpt_memory_tracker_list_allocations(tracker, &allocation, 1, &count), "allocations.struct_size is 0");
  BAD(ckpt_memory_probe(&system), "system.struct_size is 0");
  CHECK_OK(ckpt_memory_tracker_push_scope(tracker, "s", &scope));
  BAD(ckpt_memory_tracker_pop_scope(tracker, scope, &scope_stats), "stats.struct_size is 0");
  CHECK_OK(ckpt_memory_tracker_pop_scope(tracker, scope, NULL)); /* it was still open */
  CHECK_OK(ckpt_memory_tracker_subscribe_queue(tracker, CKPT_MEMORY_EVENT_KIND_ALLOCATED, 1, &queue));
  CHECK_OK(ckpt_memory_tracker_record_allocation(tracker, 0, 1, &id));
  BAD(ckpt_memory_tracker_poll_event(tracker, queue, &event, &got), "event.struct_size is 0");
  event.struct_size = sizeof event;
  CHECK_OK(ckpt_memory_tracker_poll_event(tracker, queue, &event, &got)); /* the event remained in the queue */
  CHECK(got == 1);
  CHECK_OK(ckpt_memory_tracker_poll_event(tracker, queue, &event, &got));
  CHECK(got == 0);
  CHECK_OK(ckpt_memory_tracker_unsubscribe(tracker, queue));
  CHECK_OK(ckpt_memory_tracker_record_deallocation(tracker, id));
}

int main(void) {
  ckpt_memory_tracker* tracker = NULL;
  ckpt_clock* clock = NULL;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_clock_create_manual(0, &clock));
  uint64_t id = 0;
  CHECK_OK(record_named(tracker, "x", 1, &id));
  handles(NULL, "tracker is NULL");
  handles((ckpt_memory_tracker*)(void*)clock, "tracker: expected a handle of kind 'memory tracker', found clock");
  null_pointers(tracker);
  values(tracker);
  struct_sizes(tracker);
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  CHECK_OK(ckpt_memory_tracker_get_stats(tracker, &stats));
  CHECK(stats.layer_count == 1 && stats.current_bytes == 1 && stats.allocations == 2 && stats.frees == 1);
  ckpt_memory_tracker_release(tracker);
  ckpt_clock_release(clock);
  return 0;
}
