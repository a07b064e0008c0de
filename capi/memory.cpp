#include "memory.h"

#include <cstddef>
#include <string>

#include "base.h"
#include "guard.h"
#include "memory/export.h"
#include "memory/probe.h"
#include "structs.h"

using namespace ckpt::base;
using namespace ckpt::capi;
using namespace ckpt::memory;

#define CKPT_SAME(constant, value) static_assert((constant) == static_cast<int>(value))
CKPT_SAME(CKPT_MEMORY_EVENT_KIND_ALLOCATED, EventKind::allocated);
CKPT_SAME(CKPT_MEMORY_EVENT_KIND_FREED, EventKind::freed);
CKPT_SAME(CKPT_MEMORY_EVENT_KIND_NEW_PEAK, EventKind::new_peak);
CKPT_SAME(CKPT_MEMORY_EVENT_KIND_LIMIT_EXCEEDED, EventKind::limit_exceeded);
CKPT_SAME(CKPT_MEMORY_EVENT_KIND_ALL, all_event_kinds);
CKPT_SAME(CKPT_MEMORY_ORDER_ID, LayerOrder::by_id);
CKPT_SAME(CKPT_MEMORY_ORDER_CURRENT, LayerOrder::by_current);
CKPT_SAME(CKPT_MEMORY_ORDER_PEAK, LayerOrder::by_peak);
#undef CKPT_SAME

namespace {

Tracker& tracker_argument(const ckpt_memory_tracker* tracker) { return *checked(tracker, "tracker")->object; }

// Returns the name unchecked: known names were checked at their first use.
std::string_view text_argument(const char* name) { return not_null(name, "name"); }

ckpt_memory_event to_c(const Event& event) {
  auto values = struct_of<ckpt_memory_event, 1>(event);
  values.has_layer = event.layer_id == no_layer ? 0 : 1;
  if (event.layer_id == no_layer) values.layer_id = 0;
  return values;
}

// Does not throw, because a refusal is a normal result.
ckpt_status over_budget(const Tracker& tracker, std::int64_t bytes) {
  set_last_error(cat("bytes is ", bytes, "; the live total would exceed the limit of ", tracker.limit().bytes).c_str());
  return CKPT_E_OVER_BUDGET;
}

}  // namespace

// ---- Tracker ----

ckpt_status ckpt_memory_tracker_create(const ckpt_memory_tracker_options* options, ckpt_memory_tracker** tracker) {
  return guard([&] {
    const auto chosen = options_argument(options, "options");
    not_null(tracker, "tracker");
    auto object = std::make_shared<Tracker>(clock_argument(chosen.clock, "options.clock"));
    object->set_peak_granularity(chosen.peak_granularity_bytes);
    hand_out(tracker, std::move(object));
  });
}

void ckpt_memory_tracker_retain(ckpt_memory_tracker* tracker) { retain(tracker); }

void ckpt_memory_tracker_release(ckpt_memory_tracker* tracker) { release(tracker); }

// ---- Layers ----

ckpt_status ckpt_memory_tracker_add_layer(ckpt_memory_tracker* tracker, const char* name, int32_t* layer_id) {
  return guard([&] {
    Tracker& object = tracker_argument(tracker);
    not_null(layer_id, "layer_id");  // checked before the call, which creates the layer
    *layer_id = object.layer(text_argument(name));
  });
}

ckpt_status ckpt_memory_tracker_find_layer(const ckpt_memory_tracker* tracker, const char* name, int32_t* layer_id) {
  return guard([&] {
    const Tracker& object = tracker_argument(tracker);
    not_null(layer_id, "layer_id");
    *layer_id = object.find_layer(text_argument(name));
  });
}

ckpt_status ckpt_memory_tracker_get_layer_name(const ckpt_memory_tracker* tracker, int32_t layer_id, const char** name) {
  return guard([&] {
    const Tracker& object = tracker_argument(tracker);
    not_null(name, "name");
    *name = object.layer_name(layer_id).data();
  });
}

// ---- Recording ----

ckpt_status ckpt_memory_tracker_record_allocation(ckpt_memory_tracker* tracker, int32_t layer_id, int64_t bytes,
                                                  uint64_t* allocation) {
  return guard([&] {
    Tracker& object = tracker_argument(tracker);
    not_null(allocation, "allocation");
    *allocation = object.allocate(layer_id, bytes);
  });
}

ckpt_status ckpt_memory_tracker_try_reserve(ckpt_memory_tracker* tracker, int32_t layer_id, int64_t bytes, uint64_t* allocation) {
  return guard([&]() -> ckpt_status {
    Tracker& object = tracker_argument(tracker);
    not_null(allocation, "allocation");
    const AllocationId id = object.try_reserve(layer_id, bytes);
    if (id == 0) return over_budget(object, bytes);
    *allocation = id;
    return CKPT_OK;
  });
}

ckpt_status ckpt_memory_tracker_record_deallocation(ckpt_memory_tracker* tracker, uint64_t allocation) {
  return guard([&] { tracker_argument(tracker).free(allocation); });
}

ckpt_status ckpt_memory_tracker_record_deallocation_layer(ckpt_memory_tracker* tracker, int32_t layer_id, int64_t* freed) {
  return guard([&] {
    const int64_t count = tracker_argument(tracker).free_layer(layer_id);
    if (freed != nullptr) *freed = count;
  });
}

// ---- Reading ----

ckpt_status ckpt_memory_tracker_get_stats(const ckpt_memory_tracker* tracker, ckpt_memory_stats* stats) {
  return guard([&] { fill_struct(stats, struct_of<ckpt_memory_stats>(tracker_argument(tracker).stats()), "stats"); });
}

ckpt_status ckpt_memory_tracker_get_layer_stats(const ckpt_memory_tracker* tracker, int32_t layer_id,
                                                ckpt_memory_layer_stats* stats) {
  return guard(
      [&] { fill_struct(stats, struct_of<ckpt_memory_layer_stats>(tracker_argument(tracker).layer_stats(layer_id)), "stats"); });
}

ckpt_status ckpt_memory_tracker_get_snapshot(const ckpt_memory_tracker* tracker, int32_t order, ckpt_memory_stats* stats,
                                             ckpt_memory_layer_stats* layers, int64_t capacity, int64_t* count) {
  return guard([&] {
    const Tracker& object = tracker_argument(tracker);
    require(order >= CKPT_MEMORY_ORDER_ID && order <= CKPT_MEMORY_ORDER_PEAK, "order is ", order,
            "; expected one of CKPT_MEMORY_ORDER_... (0 .. 2)");
    if (stats != nullptr) check_struct(stats, "stats");
    check_array(layers, capacity, "layers");
    not_null(count, "count");
    const Snapshot snapshot = object.snapshot(static_cast<LayerOrder>(order), capacity);
    if (stats != nullptr) fill_struct(stats, struct_of<ckpt_memory_stats>(snapshot.stats), "stats");
    fill_array(layers, capacity, snapshot.layers,
               [](const LayerStats& layer) { return struct_of<ckpt_memory_layer_stats>(layer); });
    *count = snapshot.stats.layer_count;
  });
}

ckpt_status ckpt_memory_tracker_list_allocations(const ckpt_memory_tracker* tracker, ckpt_memory_allocation* allocations,
                                                 int64_t capacity, int64_t* count) {
  return guard([&] {
    const Tracker& object = tracker_argument(tracker);
    check_array(allocations, capacity, "allocations");
    not_null(count, "count");
    const auto live = object.live_allocations();
    fill_array(allocations, capacity, live, [](const LiveAllocation& each) { return struct_of<ckpt_memory_allocation>(each); });
    *count = static_cast<int64_t>(live.size());
  });
}

ckpt_status ckpt_memory_tracker_get_savings(const ckpt_memory_tracker* tracker, int64_t store_all_bytes, int64_t* saved_bytes,
                                            double* fraction) {
  return guard([&] {
    const Tracker& object = tracker_argument(tracker);
    require(saved_bytes != nullptr || fraction != nullptr, "saved_bytes and fraction are both NULL");
    const Savings savings = object.savings(store_all_bytes);
    if (saved_bytes != nullptr) *saved_bytes = savings.bytes;
    if (fraction != nullptr) *fraction = savings.fraction;
  });
}

ckpt_status ckpt_memory_tracker_reset_stats(ckpt_memory_tracker* tracker) {
  return guard([&] { tracker_argument(tracker).reset_stats(); });
}

// ---- Scopes ----

ckpt_status ckpt_memory_tracker_push_scope(ckpt_memory_tracker* tracker, const char* name, uint64_t* scope) {
  return guard([&] {
    Tracker& object = tracker_argument(tracker);
    not_null(scope, "scope");
    *scope = object.push_scope(text_argument(name));
  });
}

ckpt_status ckpt_memory_tracker_pop_scope(ckpt_memory_tracker* tracker, uint64_t scope, ckpt_memory_scope_stats* stats) {
  return guard([&] {
    Tracker& object = tracker_argument(tracker);
    if (stats != nullptr) check_struct(stats, "stats");
    const ScopeStats popped = object.pop_scope(scope);
    if (stats != nullptr) fill_struct(stats, struct_of<ckpt_memory_scope_stats>(popped), "stats");
  });
}

ckpt_status ckpt_memory_tracker_get_scope_stats(const ckpt_memory_tracker* tracker, uint64_t scope,
                                                ckpt_memory_scope_stats* stats) {
  return guard(
      [&] { fill_struct(stats, struct_of<ckpt_memory_scope_stats>(tracker_argument(tracker).scope_stats(scope)), "stats"); });
}

// ---- Limit ----

ckpt_status ckpt_memory_tracker_set_limit(ckpt_memory_tracker* tracker, int64_t limit_bytes, int64_t hysteresis_bytes) {
  return guard([&] { tracker_argument(tracker).set_limit(limit_bytes, hysteresis_bytes); });
}

ckpt_status ckpt_memory_tracker_clear_limit(ckpt_memory_tracker* tracker) {
  return guard([&] { tracker_argument(tracker).clear_limit(); });
}

ckpt_status ckpt_memory_tracker_get_limit(const ckpt_memory_tracker* tracker, int64_t* limit_bytes, int64_t* hysteresis_bytes) {
  return guard([&] {
    const Limit limit = tracker_argument(tracker).limit();
    *not_null(limit_bytes, "limit_bytes") = limit.bytes;
    if (hysteresis_bytes != nullptr) *hysteresis_bytes = limit.hysteresis_bytes;
  });
}

// ---- Events ----

ckpt_status ckpt_memory_tracker_subscribe(ckpt_memory_tracker* tracker, ckpt_memory_event_kind kinds, ckpt_memory_event_fn fn,
                                          void* user_data, ckpt_destroy_fn destroy, int64_t* subscription) {
  return guard([&] {
    Tracker& object = tracker_argument(tracker);
    not_null(fn, "fn");
    not_null(subscription, "subscription");
    const auto user = std::make_shared<UserData>(user_data, destroy);
    *subscription = object.events().subscribe(static_cast<std::uint32_t>(kinds), [fn, user](const Event& event) {
      // The caller may itself be inside a callback that has already set its reason.
      const std::string outer = take_callback_error();
      const ckpt_memory_event borrowed = to_c(event);
      const int32_t code = user_call([&] { return fn(&borrowed, user->get()); });
      const std::string reason = take_callback_error();
      if (!outer.empty()) set_callback_error(outer.c_str());
      if (code != 0) fail(Status::callback, "the callback returned ", code, reason.empty() ? "" : ": ", reason);
    });
    user->adopt();
  });
}

ckpt_status ckpt_memory_tracker_subscribe_queue(ckpt_memory_tracker* tracker, ckpt_memory_event_kind kinds, int64_t capacity,
                                                int64_t* subscription) {
  return guard([&] {
    Tracker& object = tracker_argument(tracker);
    not_null(subscription, "subscription");
    *subscription = object.events().subscribe_queue(static_cast<std::uint32_t>(kinds), capacity);
  });
}

ckpt_status ckpt_memory_tracker_unsubscribe(ckpt_memory_tracker* tracker, int64_t subscription) {
  return guard([&] { tracker_argument(tracker).events().unsubscribe(subscription); });
}

ckpt_status ckpt_memory_tracker_poll_event(ckpt_memory_tracker* tracker, int64_t subscription, ckpt_memory_event* event,
                                           int32_t* got) {
  return guard([&] {
    Tracker& object = tracker_argument(tracker);
    check_struct(event, "event");
    not_null(got, "got");
    Event polled;
    *got = object.events().poll(subscription, polled) ? 1 : 0;
    if (*got != 0) fill_struct(event, to_c(polled), "event");
  });
}

ckpt_status ckpt_memory_tracker_get_dropped_events(const ckpt_memory_tracker* tracker, int64_t subscription, int64_t* dropped) {
  return guard([&] {
    Tracker& object = tracker_argument(tracker);
    not_null(dropped, "dropped");
    *dropped = object.events().dropped(subscription);
  });
}

ckpt_status ckpt_memory_tracker_enable_events(ckpt_memory_tracker* tracker, int32_t enabled) {
  return guard([&] {
    Tracker& object = tracker_argument(tracker);
    require(enabled == 0 || enabled == 1, "enabled is ", enabled, "; expected 0 or 1");
    object.events().enable(enabled == 1);
  });
}

ckpt_status ckpt_memory_tracker_set_peak_granularity(ckpt_memory_tracker* tracker, int64_t bytes) {
  return guard([&] { tracker_argument(tracker).set_peak_granularity(bytes); });
}

// ---- Export ----

ckpt_status ckpt_memory_tracker_get_json(const ckpt_memory_tracker* tracker, int64_t max_layers, char* buffer, int64_t capacity,
                                         int64_t* needed) {
  return guard([&] {
    const Tracker& object = tracker_argument(tracker);
    require(max_layers >= 0, "max_layers is ", max_layers, "; expected at least 0 (all)");
    copy_text(to_json(object.snapshot(LayerOrder::by_current, max_layers == 0 ? -1 : max_layers)), buffer, capacity, needed);
  });
}

ckpt_status ckpt_memory_tracker_get_prometheus(const ckpt_memory_tracker* tracker, int64_t max_layers, char* buffer,
                                               int64_t capacity, int64_t* needed) {
  return guard([&] {
    const Tracker& object = tracker_argument(tracker);
    require(max_layers >= 0, "max_layers is ", max_layers, "; expected at least 0 (all)");
    copy_text(to_prometheus(object.snapshot(LayerOrder::by_id, max_layers == 0 ? -1 : max_layers)), buffer, capacity, needed);
  });
}

// ---- System ----

ckpt_status ckpt_memory_probe(ckpt_memory_system* system) {
  return guard([&] {
    check_struct(system, "system");
    fill_struct(system, struct_of<ckpt_memory_system>(probe_system_memory()), "system");
  });
}
