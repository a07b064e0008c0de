// Generated from include/ckpt by tools/api: do not edit.
// memory.hpp - the values of memory.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_MEMORY_HPP
#define CKPT_VALUES_MEMORY_HPP

#include <ckpt/memory.h>
#include <ckpt/values/value.hpp>

namespace ckpt {

// The order of layers in a snapshot.
enum class MemoryOrder : std::int32_t {
  // layers in the order of their numbers, the lowest first
  id = CKPT_MEMORY_ORDER_ID,
  // layers in the order of their live bytes, the most first
  current = CKPT_MEMORY_ORDER_CURRENT,
  // layers in the order of their peaks, the highest first
  peak = CKPT_MEMORY_ORDER_PEAK,
};

// Kind of an event of a memory tracker. A subscription is for a sum of kinds.
enum class MemoryEventKind : std::int32_t {
  // an allocation of a layer was recorded
  allocated = CKPT_MEMORY_EVENT_KIND_ALLOCATED,
  // an allocation was freed
  freed = CKPT_MEMORY_EVENT_KIND_FREED,
  // the live total reached a new peak
  new_peak = CKPT_MEMORY_EVENT_KIND_NEW_PEAK,
  // the live total rose above the limit, or a limit was set below it
  limit_exceeded = CKPT_MEMORY_EVENT_KIND_LIMIT_EXCEEDED,
  // the sum of all kinds of events
  all = CKPT_MEMORY_EVENT_KIND_ALL,
};
template <>
struct IsFlags<MemoryEventKind> : std::true_type {};

// Options for creating a memory tracker.
struct MemoryTrackerOptions {
  // clock for the times of allocations and frees; nullptr: the system's coarse monotonic clock. The tracker keeps it alive
  detail::Borrowed<ckpt_clock> clock = {};
  // minimum increase, in bytes, of the peak over the last reported one for an event of a new peak, > 0; default 1
  std::int64_t peak_granularity_bytes = 1;
};
namespace detail {
inline ckpt_memory_tracker_options to_c(const MemoryTrackerOptions& from) {
  ckpt_memory_tracker_options to = CKPT_MEMORY_TRACKER_OPTIONS_INIT;
  put(from.clock, to.clock);
  put(from.peak_granularity_bytes, to.peak_granularity_bytes);
  return to;
}
}  // namespace detail

// The totals of a memory tracker at one moment.
struct MemoryStats {
  // number of layers
  std::int64_t layer_count = 0;
  // bytes live now
  std::int64_t current_bytes = 0;
  // highest live total, in bytes, since creation or reset of the statistics
  std::int64_t peak_bytes = 0;
  // bytes of all allocations since creation or reset of the statistics
  std::int64_t total_allocated_bytes = 0;
  // bytes freed since creation or reset of the statistics: total_allocated_bytes - current_bytes
  std::int64_t total_freed_bytes = 0;
  // number of allocations live now
  std::int64_t live_allocations = 0;
  // number of allocations since creation or reset of the statistics
  std::int64_t allocations = 0;
  // allocations - live_allocations: a free by layer counts each allocation that it frees
  std::int64_t frees = 0;
  // current_bytes / live_allocations, rounded down; 0 when none is live
  std::int64_t average_bytes = 0;
  // recording calls refused for an unknown layer or allocation, double frees included
  std::int64_t not_found = 0;
  // reservations refused by the limit
  std::int64_t refused = 0;
  // event handlers that failed
  std::int64_t handler_failures = 0;
  // time of the snapshot, in nanoseconds on the tracker's clock
  std::chrono::nanoseconds taken_at = std::chrono::nanoseconds(0);
  // number of allocations and frees since the tracker was created; a reset does not change it
  std::uint64_t sequence = 0;
  // time of the snapshot, in UTC
  std::chrono::system_clock::time_point taken_utc = {};
};
namespace detail {
inline MemoryStats from_c(const ckpt_memory_stats& from) {
  MemoryStats to;
  take(to.layer_count, from.layer_count);
  take(to.current_bytes, from.current_bytes);
  take(to.peak_bytes, from.peak_bytes);
  take(to.total_allocated_bytes, from.total_allocated_bytes);
  take(to.total_freed_bytes, from.total_freed_bytes);
  take(to.live_allocations, from.live_allocations);
  take(to.allocations, from.allocations);
  take(to.frees, from.frees);
  take(to.average_bytes, from.average_bytes);
  take(to.not_found, from.not_found);
  take(to.refused, from.refused);
  take(to.handler_failures, from.handler_failures);
  take(to.taken_at, from.taken_at_ns);
  take(to.sequence, from.sequence);
  take(to.taken_utc, from.taken_utc_ns);
  return to;
}
}  // namespace detail

// The counts of one layer in a memory tracker.
struct MemoryLayerStats {
  // number of the layer, 0 or more
  std::int32_t layer_id = 0;
  // name of the layer; valid as long as the tracker
  std::string name = {};
  // bytes of the layer that are live now
  std::int64_t current_bytes = 0;
  // highest number of live bytes of this layer alone, since creation or reset of the statistics
  std::int64_t peak_bytes = 0;
  // bytes of all allocations of the layer since creation or reset of the statistics
  std::int64_t total_allocated_bytes = 0;
  // bytes of the layer freed since creation or reset of the statistics
  std::int64_t total_freed_bytes = 0;
  // number of allocations of the layer that are live now
  std::int64_t live_allocations = 0;
  // number of allocations of the layer since creation or reset of the statistics
  std::int64_t allocations = 0;
  // number of allocations of the layer freed since creation or reset of the statistics
  std::int64_t frees = 0;
  // bytes of the layer's largest single allocation since creation or reset of the statistics
  std::int64_t largest_bytes = 0;
  // total_allocated_bytes / allocations, rounded down; 0 when there was none
  std::int64_t average_bytes = 0;
  // when the layer last allocated, in nanoseconds on the tracker's clock; 0 when allocations is 0, but a custom clock can also
  // return 0
  std::chrono::nanoseconds last_allocated_at = std::chrono::nanoseconds(0);
  // when the layer last freed, in nanoseconds on the tracker's clock; 0 when frees is 0, but a custom clock can also return 0
  std::chrono::nanoseconds last_freed_at = std::chrono::nanoseconds(0);
  // when the layer last allocated, in UTC; 0: never
  std::chrono::system_clock::time_point last_allocated_utc = {};
  // when the layer last freed, in UTC; 0: never
  std::chrono::system_clock::time_point last_freed_utc = {};
};
namespace detail {
inline MemoryLayerStats from_c(const ckpt_memory_layer_stats& from) {
  MemoryLayerStats to;
  take(to.layer_id, from.layer_id);
  take(to.name, from.name);
  take(to.current_bytes, from.current_bytes);
  take(to.peak_bytes, from.peak_bytes);
  take(to.total_allocated_bytes, from.total_allocated_bytes);
  take(to.total_freed_bytes, from.total_freed_bytes);
  take(to.live_allocations, from.live_allocations);
  take(to.allocations, from.allocations);
  take(to.frees, from.frees);
  take(to.largest_bytes, from.largest_bytes);
  take(to.average_bytes, from.average_bytes);
  take(to.last_allocated_at, from.last_allocated_at_ns);
  take(to.last_freed_at, from.last_freed_at_ns);
  take(to.last_allocated_utc, from.last_allocated_utc_ns);
  take(to.last_freed_utc, from.last_freed_utc_ns);
  return to;
}
}  // namespace detail

// One live allocation of a memory tracker.
struct MemoryAllocation {
  // number of the layer of the allocation
  std::int32_t layer_id = 0;
  // id of the allocation, never 0
  std::uint64_t allocation = 0;
  // size of the allocation in bytes
  std::int64_t bytes = 0;
  // time since the allocation was recorded, with the resolution of the tracker's clock
  std::chrono::nanoseconds age = std::chrono::nanoseconds(0);
  // position of its recording in the order of all allocations and frees: lower is older
  std::uint64_t sequence = 0;
};
namespace detail {
inline MemoryAllocation from_c(const ckpt_memory_allocation& from) {
  MemoryAllocation to;
  take(to.layer_id, from.layer_id);
  take(to.allocation, from.allocation);
  take(to.bytes, from.bytes);
  take(to.age, from.age_ns);
  take(to.sequence, from.sequence);
  return to;
}
}  // namespace detail

// The counts of a scope of a memory tracker since it was pushed, for all layers and threads.
struct MemoryScopeStats {
  // number of open scopes around it
  std::int32_t depth = 0;
  // id of the scope
  std::uint64_t scope = 0;
  // bytes that were live when the scope was pushed
  std::int64_t start_bytes = 0;
  // highest live total in bytes since the scope was pushed; the increase within the scope is peak_bytes - start_bytes
  std::int64_t peak_bytes = 0;
  // bytes live now - start_bytes; may be negative
  std::int64_t net_bytes = 0;
  // bytes allocated since the scope was pushed, unaffected by resets of the statistics; at most 2^63 - 1
  std::int64_t total_allocated_bytes = 0;
  // when the scope was pushed, in nanoseconds on the tracker's clock
  std::chrono::nanoseconds pushed_at = std::chrono::nanoseconds(0);
  // when the scope was pushed, in UTC
  std::chrono::system_clock::time_point pushed_utc = {};
};
namespace detail {
inline MemoryScopeStats from_c(const ckpt_memory_scope_stats& from) {
  MemoryScopeStats to;
  take(to.depth, from.depth);
  take(to.scope, from.scope);
  take(to.start_bytes, from.start_bytes);
  take(to.peak_bytes, from.peak_bytes);
  take(to.net_bytes, from.net_bytes);
  take(to.total_allocated_bytes, from.total_allocated_bytes);
  take(to.pushed_at, from.pushed_at_ns);
  take(to.pushed_utc, from.pushed_utc_ns);
  return to;
}
}  // namespace detail

// One event of a memory tracker, with the values right after it.
struct MemoryEvent {
  // kind of the event
  MemoryEventKind kind = MemoryEventKind{0};
  // position in the order of all allocations and frees; events of the same allocation or free share it and are delivered in
  // the order of their kinds
  std::uint64_t sequence = 0;
  // id of the allocation; 0 when a limit was set below the live total
  std::uint64_t allocation = 0;
  // size of the allocation in bytes
  std::int64_t bytes = 0;
  // bytes live right after the event
  std::int64_t current_bytes = 0;
  // highest live total in bytes right after the event
  std::int64_t peak_bytes = 0;
  // limit of the live total in bytes; 0: no limit
  std::int64_t limit_bytes = 0;
  // when it happened, in nanoseconds on the tracker's clock
  std::chrono::nanoseconds occurred_at = std::chrono::nanoseconds(0);
  // name of the layer; valid as long as the tracker; empty when a limit was set below the live total
  std::string_view layer_name = {};
  // id of the layer; std::nullopt when a limit was set below the live total
  std::optional<std::int32_t> layer_id = std::nullopt;
  // when it was delivered to the subscriptions, in UTC
  std::chrono::system_clock::time_point occurred_utc = {};
};
namespace detail {
inline MemoryEvent from_c(const ckpt_memory_event& from) {
  MemoryEvent to;
  take(to.kind, from.kind);
  take(to.sequence, from.sequence);
  take(to.allocation, from.allocation);
  take(to.bytes, from.bytes);
  take(to.current_bytes, from.current_bytes);
  take(to.peak_bytes, from.peak_bytes);
  take(to.limit_bytes, from.limit_bytes);
  take(to.occurred_at, from.occurred_at_ns);
  take(to.layer_name, from.layer_name);
  take(to.layer_id, from.layer_id, from.has_layer);
  take(to.occurred_utc, from.occurred_utc_ns);
  return to;
}
}  // namespace detail

// Physical memory available to this process.
struct MemorySystem {
  // physical memory of the machine in bytes, at most the limit of the process's control group
  std::int64_t total_bytes = 0;
  // bytes that can be allocated now without swapping, also within the control group's limit
  std::int64_t available_bytes = 0;
  // physical memory of the machine in bytes
  std::int64_t machine_bytes = 0;
  // smallest control group limit in bytes that applies to this process; 0: none
  std::int64_t limit_bytes = 0;
};
namespace detail {
inline MemorySystem from_c(const ckpt_memory_system& from) {
  MemorySystem to;
  take(to.total_bytes, from.total_bytes);
  take(to.available_bytes, from.available_bytes);
  take(to.machine_bytes, from.machine_bytes);
  take(to.limit_bytes, from.limit_bytes);
  return to;
}
}  // namespace detail

}  // namespace ckpt

#endif
