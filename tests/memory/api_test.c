/* The memory part from C99, as an external program uses it; also the worked example of docs/reference/memory.md. */
#include "check.h"
#include "named.h"

typedef struct seen {
  ckpt_memory_tracker* tracker;
  int64_t subscription;
  int64_t events;
  int64_t peak;
  int64_t destroyed;
} seen;

static int32_t on_peak(const ckpt_memory_event* event, void* user_data) {
  seen* mine = (seen*)user_data;
  mine->events++;
  mine->peak = event->peak_bytes;
  return 0;
}

static void on_destroy(void* user_data) { ((seen*)user_data)->destroyed++; }

static void example(void) {
  ckpt_memory_tracker* tracker = NULL;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));

  /* Once per layer. */
  int32_t attention = 0;
  CHECK_OK(ckpt_memory_tracker_add_layer(tracker, "block0.attention", &attention));

  /* Notified of every new peak. */
  seen mine = {NULL, 0, 0, 0, 0};
  int64_t subscription = 0;
  CHECK_OK(ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_NEW_PEAK, on_peak, &mine, on_destroy, &subscription));

  /* One step in its own scope. */
  uint64_t step = 0;
  CHECK_OK(ckpt_memory_tracker_push_scope(tracker, "step", &step));
  uint64_t activations = 0;
  CHECK_OK(ckpt_memory_tracker_record_allocation(tracker, attention, 4096, &activations));
  CHECK_OK(record_named(tracker, "block0.mlp", 8192, &activations));
  CHECK_OK(ckpt_memory_tracker_record_deallocation(tracker, activations));
  CHECK_OK(free_named(tracker, "block0.attention", NULL));
  ckpt_memory_scope_stats during = CKPT_MEMORY_SCOPE_STATS_INIT;
  CHECK_OK(ckpt_memory_tracker_pop_scope(tracker, step, &during));
  CHECK(during.peak_bytes == 12288 && during.net_bytes == 0);

  /* The ten layers with the highest peaks, and the totals at the same moment. */
  ckpt_memory_stats totals = CKPT_MEMORY_STATS_INIT;
  ckpt_memory_layer_stats top[10] = {CKPT_MEMORY_LAYER_STATS_INIT};
  int64_t layers = 0;
  CHECK_OK(ckpt_memory_tracker_get_snapshot(tracker, CKPT_MEMORY_ORDER_PEAK, &totals, top, 10, &layers));
  CHECK(layers == 2 && totals.peak_bytes == 12288 && totals.frees == 2);
  CHECK(strcmp(top[0].name, "block0.mlp") == 0 && top[0].peak_bytes == 8192);
  CHECK(strcmp(top[1].name, "block0.attention") == 0 && top[1].live_allocations == 0);

  CHECK_OK(ckpt_memory_tracker_unsubscribe(tracker, subscription));
  CHECK(mine.events == 2 && mine.peak == 12288 && mine.destroyed == 1);
  ckpt_memory_tracker_release(tracker);
}

static void reading(void) {
  ckpt_clock* clock = NULL;
  ckpt_memory_tracker* tracker = NULL;
  CHECK_OK(ckpt_clock_create_manual(5, &clock));
  ckpt_memory_tracker_options options = CKPT_MEMORY_TRACKER_OPTIONS_INIT;
  options.clock = clock;
  options.peak_granularity_bytes = 50;
  CHECK_OK(ckpt_memory_tracker_create(&options, &tracker));
  int32_t a = -1;
  int32_t b = -1;
  CHECK_OK(ckpt_memory_tracker_add_layer(tracker, "a", &a));
  CHECK_OK(ckpt_memory_tracker_add_layer(tracker, "b", &b));
  CHECK(a == 0 && b == 1);
  CHECK_OK(ckpt_memory_tracker_find_layer(tracker, "b", &a));
  CHECK(a == 1);
  const char* name = NULL;
  CHECK_OK(ckpt_memory_tracker_get_layer_name(tracker, 1, &name));
  CHECK(strcmp(name, "b") == 0);

  uint64_t ids[3] = {0, 0, 0};
  CHECK_OK(ckpt_memory_tracker_record_allocation(tracker, 0, 10, &ids[0]));
  CHECK_OK(ckpt_clock_advance(clock, 100));
  CHECK_OK(ckpt_memory_tracker_record_allocation(tracker, 1, 20, &ids[1]));
  CHECK_OK(ckpt_memory_tracker_record_allocation(tracker, 1, 40, &ids[2]));
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  CHECK_OK(ckpt_memory_tracker_get_stats(tracker, &stats));
  CHECK(stats.current_bytes == 70 && stats.peak_bytes == 70 && stats.total_allocated_bytes == 70 && stats.total_freed_bytes == 0);
  CHECK(stats.live_allocations == 3 && stats.allocations == 3 && stats.frees == 0 && stats.average_bytes == 23);
  CHECK(stats.layer_count == 2 && stats.sequence == 3 && stats.taken_at_ns == 105);
  CHECK(stats.not_found == 0 && stats.refused == 0 && stats.handler_failures == 0);

  ckpt_memory_layer_stats layer = CKPT_MEMORY_LAYER_STATS_INIT;
  CHECK_OK(ckpt_memory_tracker_get_layer_stats(tracker, 1, &layer));
  CHECK(layer.layer_id == 1 && strcmp(layer.name, "b") == 0 && layer.current_bytes == 60 && layer.peak_bytes == 60);
  CHECK(layer.largest_bytes == 40 && layer.average_bytes == 30 && layer.last_allocated_at_ns == 105 && layer.last_freed_at_ns == 0);
  CHECK(layer.allocations == 2 && layer.frees == 0 && layer.live_allocations == 2 && layer.total_allocated_bytes == 60);
  CHECK_OK(stats_named(tracker, "a", &layer));
  CHECK(layer.layer_id == 0 && layer.current_bytes == 10);

  ckpt_memory_allocation live[2] = {CKPT_MEMORY_ALLOCATION_INIT};
  int64_t count = 0;
  CHECK_OK(ckpt_memory_tracker_list_allocations(tracker, live, 2, &count));
  CHECK(count == 3 && live[0].allocation == ids[0] && live[0].age_ns == 100 && live[0].bytes == 10 && live[0].sequence == 1);
  CHECK(live[1].allocation == ids[1] && live[1].layer_id == 1 && live[1].struct_size == sizeof live[0]);
  CHECK_OK(ckpt_memory_tracker_list_allocations(tracker, NULL, 0, &count));
  CHECK(count == 3);

  int64_t saved = 0;
  double fraction = 0;
  CHECK_OK(ckpt_memory_tracker_get_savings(tracker, 140, &saved, &fraction));
  CHECK(saved == 70 && fraction == 0.5);
  CHECK_OK(ckpt_memory_tracker_get_savings(tracker, 0, &saved, NULL));
  CHECK(saved == -70);

  int64_t freed = 0;
  CHECK_OK(ckpt_memory_tracker_record_deallocation_layer(tracker, 1, &freed));
  CHECK(freed == 2);
  CHECK_OK(ckpt_memory_tracker_reset_stats(tracker));
  CHECK_OK(ckpt_memory_tracker_get_stats(tracker, &stats));
  CHECK(stats.peak_bytes == 10 && stats.allocations == 1 && stats.frees == 0 && stats.sequence == 5);

  /* An array of an older caller's shorter structs: only that many bytes are written, each where that caller expects it. */
  ckpt_memory_layer_stats two[2] = {CKPT_MEMORY_LAYER_STATS_INIT, CKPT_MEMORY_LAYER_STATS_INIT};
  CHECK_OK(ckpt_memory_tracker_get_snapshot(tracker, CKPT_MEMORY_ORDER_CURRENT, NULL, two, 2, &count));
  CHECK(count == 2 && two[0].layer_id == 0 && two[1].layer_id == 1 && two[1].struct_size == sizeof two[1]);

  /* Released in any order. */
  ckpt_clock_release(clock);
  CHECK_OK(ckpt_memory_tracker_record_deallocation(tracker, ids[0]));
  ckpt_memory_tracker_retain(tracker);
  ckpt_memory_tracker_release(tracker);
  CHECK_OK(ckpt_memory_tracker_get_stats(tracker, &stats));
  ckpt_memory_tracker_release(tracker);
}

static void limit(void) {
  ckpt_memory_tracker* tracker = NULL;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  int64_t bytes = -1;
  int64_t hysteresis = -1;
  CHECK_OK(ckpt_memory_tracker_get_limit(tracker, &bytes, &hysteresis));
  CHECK(bytes == 0 && hysteresis == 0);
  CHECK_OK(ckpt_memory_tracker_set_limit(tracker, 100, 10));
  CHECK_OK(ckpt_memory_tracker_get_limit(tracker, &bytes, &hysteresis));
  CHECK(bytes == 100 && hysteresis == 10);
  uint64_t id = 0;
  CHECK_OK(reserve_named(tracker, "x", 90, &id));
  const uint64_t first = id;
  CHECK_FAILS(ckpt_memory_tracker_try_reserve(tracker, 0, 11, &id), CKPT_E_OVER_BUDGET,
              "bytes is 11; the live total would exceed the limit of 100");
  CHECK_FAILS(reserve_named(tracker, "y", 11, &id), CKPT_E_OVER_BUDGET, "limit of 100");
  CHECK(id == first);
  CHECK_OK(ckpt_memory_tracker_try_reserve(tracker, 0, 10, &id));
  CHECK_OK(ckpt_memory_tracker_clear_limit(tracker));
  CHECK_OK(ckpt_memory_tracker_get_limit(tracker, &bytes, NULL));
  CHECK(bytes == 0);
  CHECK_OK(ckpt_memory_tracker_try_reserve(tracker, 0, 1000, &id));
  ckpt_memory_tracker_release(tracker);
}

static int32_t end_myself(const ckpt_memory_event* event, void* user_data) {
  seen* mine = (seen*)user_data;
  mine->events++;
  CHECK_OK(ckpt_memory_tracker_record_deallocation(mine->tracker, event->allocation));
  CHECK_OK(ckpt_memory_tracker_unsubscribe(mine->tracker, mine->subscription));
  CHECK(mine->destroyed == 0);
  ckpt_callback_error("has seen enough");
  return 1;
}

static int32_t let_go(const ckpt_memory_event* event, void* user_data) {
  seen* mine = (seen*)user_data;
  mine->events += event->bytes;
  ckpt_memory_tracker_release(mine->tracker);
  return 0;
}

static void events(void) {
  ckpt_memory_tracker* tracker = NULL;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  int64_t queue = 0;
  CHECK_OK(ckpt_memory_tracker_subscribe_queue(tracker, CKPT_MEMORY_EVENT_KIND_ALL, 3, &queue));
  seen mine = {tracker, 0, 0, 0, 0};
  CHECK_OK(
      ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_ALLOCATED, end_myself, &mine, on_destroy, &mine.subscription));
  uint64_t id = 0;
  CHECK_OK(record_named(tracker, "x", 5, &id));
  CHECK(mine.events == 1 && mine.destroyed == 1);
  CHECK_FAILS(ckpt_memory_tracker_record_deallocation(tracker, id), CKPT_E_NOT_FOUND, "allocation is ");
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  CHECK_OK(ckpt_memory_tracker_get_stats(tracker, &stats));
  CHECK(stats.handler_failures == 1 && stats.current_bytes == 0 && stats.not_found == 1);

  ckpt_memory_event event = CKPT_MEMORY_EVENT_INIT;
  int32_t got = 0;
  CHECK_OK(ckpt_memory_tracker_poll_event(tracker, queue, &event, &got));
  CHECK(got == 1 && event.kind == CKPT_MEMORY_EVENT_KIND_ALLOCATED && event.bytes == 5 && event.current_bytes == 5 &&
        event.sequence == 1);
  CHECK(event.has_layer == 1 && event.layer_id == 0 && strcmp(event.layer_name, "x") == 0 && event.allocation == id &&
        event.limit_bytes == 0);
  CHECK(event.struct_size == sizeof event);
  CHECK_OK(ckpt_memory_tracker_set_peak_granularity(tracker, 1000));
  CHECK_OK(ckpt_memory_tracker_enable_events(tracker, 0));
  CHECK_OK(ckpt_memory_tracker_record_allocation(tracker, 0, 1, &id));
  CHECK_OK(ckpt_memory_tracker_enable_events(tracker, 1));
  CHECK_OK(ckpt_memory_tracker_record_deallocation(tracker, id));
  CHECK_OK(ckpt_memory_tracker_record_allocation(tracker, 0, 1, &id));
  int64_t dropped = -1;
  CHECK_OK(ckpt_memory_tracker_get_dropped_events(tracker, queue, &dropped));
  CHECK(dropped == 1);
  int32_t drained = 0;
  do {
    CHECK_OK(ckpt_memory_tracker_poll_event(tracker, queue, &event, &got));
    drained += got;
  } while (got != 0);
  CHECK(drained == 3);
  CHECK_OK(ckpt_memory_tracker_unsubscribe(tracker, queue));
  CHECK_FAILS(ckpt_memory_tracker_unsubscribe(tracker, queue), CKPT_E_NOT_FOUND, "subscription is 1");

  /* Released inside a handler: the call still completes, and destroy runs once. */
  seen last = {tracker, 0, 0, 0, 0};
  CHECK_OK(ckpt_memory_tracker_subscribe(tracker, CKPT_MEMORY_EVENT_KIND_ALLOCATED, let_go, &last, on_destroy, &last.subscription));
  CHECK_OK(ckpt_memory_tracker_record_allocation(tracker, 0, 7, &id));
  CHECK(last.events == 7 && last.destroyed == 1);

  /* A failed subscribe does not take user_data; a destroyed tracker ends its subscriptions. */
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  seen other = {tracker, 0, 0, 0, 0};
  CHECK_FAILS(ckpt_memory_tracker_subscribe(tracker, 0, on_peak, &other, on_destroy, &queue), CKPT_E_INVALID_ARGUMENT,
              "kinds is 0");
  CHECK(other.destroyed == 0);
  CHECK_OK(ckpt_memory_tracker_subscribe(tracker, 1, on_peak, &other, on_destroy, &queue));
  ckpt_memory_tracker_release(tracker);
  CHECK(other.destroyed == 1);
}

/* An event without a layer reports has_layer 0; its layer_id 0 does not refer to the first layer. */
static void event_without_a_layer(void) {
  ckpt_memory_tracker* tracker = NULL;
  ckpt_memory_event event = CKPT_MEMORY_EVENT_INIT;
  int64_t queue = 0;
  uint64_t id = 0;
  ckpt_bool got = 0;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_memory_tracker_subscribe_queue(tracker, CKPT_MEMORY_EVENT_KIND_LIMIT_EXCEEDED, 4, &queue));
  CHECK_OK(record_named(tracker, "first", 10, &id));
  CHECK_OK(ckpt_memory_tracker_set_limit(tracker, 5, 0)); /* below the live bytes: fires at once */
  event.has_layer = event.layer_id = 77;
  CHECK_OK(ckpt_memory_tracker_poll_event(tracker, queue, &event, &got));
  CHECK(got == 1 && event.kind == CKPT_MEMORY_EVENT_KIND_LIMIT_EXCEEDED && event.limit_bytes == 5 && event.current_bytes == 10);
  CHECK(event.has_layer == 0 && event.layer_id == 0 && event.layer_name[0] == '\0' && event.allocation == 0);
  CHECK(event.occurred_utc_ns > 0);

  CHECK_OK(ckpt_memory_tracker_set_limit(tracker, 100, 0));
  CHECK_OK(record_named(tracker, "second", 95, &id));
  CHECK_OK(ckpt_memory_tracker_poll_event(tracker, queue, &event, &got));
  CHECK(got == 1 && event.has_layer == 1 && event.layer_id == 1 && strcmp(event.layer_name, "second") == 0 &&
        event.allocation == id);
  CHECK_OK(ckpt_memory_tracker_record_deallocation(tracker, id));
  CHECK_OK(record_named(tracker, "first", 95, &id));
  CHECK_OK(ckpt_memory_tracker_poll_event(tracker, queue, &event, &got));
  CHECK(got == 1 && event.has_layer == 1 && event.layer_id == 0 && strcmp(event.layer_name, "first") == 0);
  CHECK_OK(ckpt_memory_tracker_poll_event(tracker, queue, &event, &got));
  CHECK(got == 0);
  ckpt_memory_tracker_release(tracker);
}

/* max_layers 0 means no limit: all layers are listed, and none is aggregated. */
static void layers_without_a_limit(void) {
  ckpt_memory_tracker* tracker = NULL;
  char text[8192];
  int64_t needed = 0;
  uint64_t id = 0;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(record_named(tracker, "x", 5, &id));
  CHECK_OK(record_named(tracker, "y", 6, &id));
  CHECK_OK(ckpt_memory_tracker_get_json(tracker, 0, text, (int64_t)sizeof text, &needed));
  CHECK(strstr(text, "\"x\"") != NULL && strstr(text, "\"y\"") != NULL);
  CHECK_OK(ckpt_memory_tracker_get_json(tracker, 1, text, (int64_t)sizeof text, &needed));
  CHECK(strstr(text, "\"x\"") == NULL && strstr(text, "\"y\"") != NULL); /* the larger layer */
  CHECK_OK(ckpt_memory_tracker_get_prometheus(tracker, 0, text, (int64_t)sizeof text, &needed));
  CHECK(strstr(text, "{layer=\"x\"}") != NULL && strstr(text, "{layer=\"y\"}") != NULL &&
        strstr(text, "{layer=\"other\"}") == NULL);
  CHECK_OK(ckpt_memory_tracker_get_prometheus(tracker, 1, text, (int64_t)sizeof text, &needed));
  CHECK(strstr(text, "{layer=\"x\"}") != NULL && strstr(text, "{layer=\"y\"}") == NULL &&
        strstr(text, "{layer=\"other\"}") != NULL);
  ckpt_memory_tracker_release(tracker);
}

static void export_and_probe(void) {
  ckpt_memory_tracker* tracker = NULL;
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  uint64_t id = 0;
  CHECK_OK(record_named(tracker, "x", 5, &id));
  char text[8192];
  int64_t needed = 0;
  CHECK_OK(ckpt_memory_tracker_get_json(tracker, 0, NULL, 0, &needed));
  CHECK(needed > 0 && needed < (int64_t)sizeof text);
  CHECK_OK(ckpt_memory_tracker_get_json(tracker, 0, text, (int64_t)sizeof text, &needed));
  CHECK((int64_t)strlen(text) == needed && strstr(text, "\"current_bytes\":5") != NULL);
  CHECK_FAILS(ckpt_memory_tracker_get_json(tracker, 0, text, 3, &needed), CKPT_E_OUT_OF_RANGE, "capacity is 3");
  CHECK_OK(ckpt_memory_tracker_get_prometheus(tracker, 10, text, (int64_t)sizeof text, &needed));
  CHECK(strstr(text, "\nckpt_memory_layer_current_bytes{layer=\"x\"} 5\n") != NULL);
  ckpt_memory_tracker_release(tracker);

  ckpt_memory_system system = CKPT_MEMORY_SYSTEM_INIT;
  CHECK_OK(ckpt_memory_probe(&system));
  CHECK(system.total_bytes > 0 && system.total_bytes <= system.machine_bytes && system.available_bytes <= system.total_bytes);
}

static void init_functions(void) {
  ckpt_memory_tracker_options options;
  ckpt_memory_stats stats;
  ckpt_memory_layer_stats layer;
  ckpt_memory_allocation allocation;
  ckpt_memory_scope_stats scope;
  ckpt_memory_event event;
  ckpt_memory_system system;
  CKPT_INIT(ckpt_memory_tracker_options, &options);
  CKPT_INIT(ckpt_memory_stats, &stats);
  CKPT_INIT(ckpt_memory_layer_stats, &layer);
  CKPT_INIT(ckpt_memory_allocation, &allocation);
  CKPT_INIT(ckpt_memory_scope_stats, &scope);
  CKPT_INIT(ckpt_memory_event, &event);
  CKPT_INIT(ckpt_memory_system, &system);
  CHECK(options.struct_size == sizeof options && options.clock == NULL && options.peak_granularity_bytes == 1);
  CHECK(stats.struct_size == sizeof stats && layer.struct_size == sizeof layer && allocation.struct_size == sizeof allocation);
  CHECK(scope.struct_size == sizeof scope && event.struct_size == sizeof event && system.struct_size == sizeof system);
}

int main(void) {
  example();
  reading();
  limit();
  events();
  event_without_a_layer();
  layers_without_a_limit();
  export_and_probe();
  init_functions();
  return 0;
}
