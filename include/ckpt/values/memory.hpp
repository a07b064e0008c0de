// memory.hpp - the values of memory.h in C++: its enums, options and results. Made from include/ckpt by tools/api: do not edit.
// clang-format off
#ifndef CKPT_VALUES_MEMORY_HPP
#define CKPT_VALUES_MEMORY_HPP

#include <ckpt/memory.h>
#include <ckpt/values/value.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ckpt {

// In which order layers come.
enum class MemoryOrder : std::int32_t {
  // layers in the order of their numbers, the lowest first
  id = CKPT_MEMORY_ORDER_ID,
  // layers in the order of their live bytes, the most first
  current = CKPT_MEMORY_ORDER_CURRENT,
  // layers in the order of their peaks, the highest first
  peak = CKPT_MEMORY_ORDER_PEAK,
};

// Kind of an event of a memory tracker. A subscription names a sum of them.
enum class MemoryEventKind : std::int32_t {
  // a layer made an allocation
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

// How a memory tracker is made.
struct MemoryTrackerOptions {
  // dates what is recorded; none: the system's monotonic clock in its coarse form. The tracker keeps it alive
  detail::Borrowed<ckpt_clock> clock = {};
  // bytes, above 0: an event of a new peak comes only when the peak is at least this far above the last one reported
  std::int64_t peak_granularity_bytes = 1;
};

namespace detail {

// Borrows from value: texts and arrays.
inline ckpt_memory_tracker_options to_c(const MemoryTrackerOptions& value) {
  ckpt_memory_tracker_options to = CKPT_MEMORY_TRACKER_OPTIONS_INIT;
  to.clock = value.clock;
  to.peak_granularity_bytes = value.peak_granularity_bytes;
  return to;
}

}  // namespace detail

// The totals of a memory tracker at one moment.
struct MemoryStats {
  // number of layers that were ever named
  std::int64_t layer_count = 0;
  // bytes live now
  std::int64_t current_bytes = 0;
  // highest live total in bytes since the tracker was made or its statistics were reset
  std::int64_t peak_bytes = 0;
  // bytes of all allocations since the tracker was made or its statistics were reset
  std::int64_t total_allocated_bytes = 0;
  // bytes freed since the tracker was made or its statistics were reset: total_allocated_bytes - current_bytes
  std::int64_t total_freed_bytes = 0;
  // number of allocations live now
  std::int64_t live_allocations = 0;
  // number of allocations since the tracker was made or its statistics were reset
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
  // when this was true, in nanoseconds on the tracker's clock
  std::chrono::nanoseconds taken_at = std::chrono::nanoseconds(0);
  // number of allocations and frees since the tracker was made; a reset leaves it alone
  std::uint64_t sequence = 0;
  // when this was true, in UTC
  std::chrono::system_clock::time_point taken_utc = {};
};

namespace detail {

inline MemoryStats from_c(const ckpt_memory_stats& from) {
  MemoryStats value;
  value.layer_count = from.layer_count;
  value.current_bytes = from.current_bytes;
  value.peak_bytes = from.peak_bytes;
  value.total_allocated_bytes = from.total_allocated_bytes;
  value.total_freed_bytes = from.total_freed_bytes;
  value.live_allocations = from.live_allocations;
  value.allocations = from.allocations;
  value.frees = from.frees;
  value.average_bytes = from.average_bytes;
  value.not_found = from.not_found;
  value.refused = from.refused;
  value.handler_failures = from.handler_failures;
  value.taken_at = std::chrono::nanoseconds(from.taken_at_ns);
  value.sequence = from.sequence;
  value.taken_utc = detail::instant(from.taken_utc_ns);
  return value;
}

}  // namespace detail

// What a memory tracker counted for one layer.
struct MemoryLayerStats {
  // number of the layer, 0 or more
  std::int32_t layer_id = 0;
  // name of the layer; valid as long as the tracker
  std::string name = {};
  // bytes of the layer that are live now
  std::int64_t current_bytes = 0;
  // highest number of live bytes of this layer alone, since the tracker was made or its statistics were reset
  std::int64_t peak_bytes = 0;
  // bytes of all allocations of the layer since the tracker was made or its statistics were reset
  std::int64_t total_allocated_bytes = 0;
  // bytes of the layer freed since the tracker was made or its statistics were reset
  std::int64_t total_freed_bytes = 0;
  // number of allocations of the layer that are live now
  std::int64_t live_allocations = 0;
  // number of allocations of the layer since the tracker was made or its statistics were reset
  std::int64_t allocations = 0;
  // number of allocations of the layer freed since the tracker was made or its statistics were reset
  std::int64_t frees = 0;
  // bytes of the layer's largest single allocation since the tracker was made or its statistics were reset
  std::int64_t largest_bytes = 0;
  // total_allocated_bytes / allocations, rounded down; 0 when there was none
  std::int64_t average_bytes = 0;
  // when the layer last allocated, in nanoseconds on the tracker's clock; 0: never
  std::chrono::nanoseconds last_allocated_at = std::chrono::nanoseconds(0);
  // when the layer last freed, in nanoseconds on the tracker's clock; 0: never
  std::chrono::nanoseconds last_freed_at = std::chrono::nanoseconds(0);
  // when the layer last allocated, in UTC; 0: never
  std::chrono::system_clock::time_point last_allocated_utc = {};
  // when the layer last freed, in UTC; 0: never
  std::chrono::system_clock::time_point last_freed_utc = {};
};

namespace detail {

inline MemoryLayerStats from_c(const ckpt_memory_layer_stats& from) {
  MemoryLayerStats value;
  value.layer_id = from.layer_id;
  value.name = detail::text(from.name);
  value.current_bytes = from.current_bytes;
  value.peak_bytes = from.peak_bytes;
  value.total_allocated_bytes = from.total_allocated_bytes;
  value.total_freed_bytes = from.total_freed_bytes;
  value.live_allocations = from.live_allocations;
  value.allocations = from.allocations;
  value.frees = from.frees;
  value.largest_bytes = from.largest_bytes;
  value.average_bytes = from.average_bytes;
  value.last_allocated_at = std::chrono::nanoseconds(from.last_allocated_at_ns);
  value.last_freed_at = std::chrono::nanoseconds(from.last_freed_at_ns);
  value.last_allocated_utc = detail::instant(from.last_allocated_utc_ns);
  value.last_freed_utc = detail::instant(from.last_freed_utc_ns);
  return value;
}

}  // namespace detail

// One live allocation of a memory tracker.
struct MemoryAllocation {
  // number of the layer that made the allocation
  std::int32_t layer_id = 0;
  // id of the allocation, never 0
  std::uint64_t allocation = 0;
  // size of the allocation in bytes
  std::int64_t bytes = 0;
  // time since the allocation was recorded, as coarse as the tracker's clock
  std::chrono::nanoseconds age = std::chrono::nanoseconds(0);
  // place of its recording in the order of all allocations and frees: lower is older
  std::uint64_t sequence = 0;
};

namespace detail {

inline MemoryAllocation from_c(const ckpt_memory_allocation& from) {
  MemoryAllocation value;
  value.layer_id = from.layer_id;
  value.allocation = from.allocation;
  value.bytes = from.bytes;
  value.age = std::chrono::nanoseconds(from.age_ns);
  value.sequence = from.sequence;
  return value;
}

}  // namespace detail

// What happened in a scope of a memory tracker since it was pushed, in all layers and threads.
struct MemoryScopeStats {
  // number of open scopes around it
  std::int32_t depth = 0;
  // id of the scope
  std::uint64_t scope = 0;
  // bytes that were live when the scope was pushed
  std::int64_t start_bytes = 0;
  // highest live total in bytes since the scope was pushed; its own rise is peak_bytes - start_bytes
  std::int64_t peak_bytes = 0;
  // bytes live now - start_bytes; may be negative
  std::int64_t net_bytes = 0;
  // bytes allocated since the scope was pushed, resets of the statistics notwithstanding; at most 2^63 - 1
  std::int64_t total_allocated_bytes = 0;
  // when the scope was pushed, in nanoseconds on the tracker's clock
  std::chrono::nanoseconds pushed_at = std::chrono::nanoseconds(0);
  // when the scope was pushed, in UTC
  std::chrono::system_clock::time_point pushed_utc = {};
};

namespace detail {

inline MemoryScopeStats from_c(const ckpt_memory_scope_stats& from) {
  MemoryScopeStats value;
  value.depth = from.depth;
  value.scope = from.scope;
  value.start_bytes = from.start_bytes;
  value.peak_bytes = from.peak_bytes;
  value.net_bytes = from.net_bytes;
  value.total_allocated_bytes = from.total_allocated_bytes;
  value.pushed_at = std::chrono::nanoseconds(from.pushed_at_ns);
  value.pushed_utc = detail::instant(from.pushed_utc_ns);
  return value;
}

}  // namespace detail

// One event of a memory tracker, with the values that held right after it.
struct MemoryEvent {
  // what happened
  MemoryEventKind kind = MemoryEventKind{0};
  // place in the order of all allocations and frees; events of one share it and come in the order of their kinds
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
  MemoryEvent value;
  value.kind = static_cast<MemoryEventKind>(from.kind);
  value.sequence = from.sequence;
  value.allocation = from.allocation;
  value.bytes = from.bytes;
  value.current_bytes = from.current_bytes;
  value.peak_bytes = from.peak_bytes;
  value.limit_bytes = from.limit_bytes;
  value.occurred_at = std::chrono::nanoseconds(from.occurred_at_ns);
  value.layer_name = detail::text(from.layer_name);
  value.layer_id = from.has_layer != 0 ? std::optional(from.layer_id) : std::nullopt;
  value.occurred_utc = detail::instant(from.occurred_utc_ns);
  return value;
}

}  // namespace detail

// Physical memory that this process can have.
struct MemorySystem {
  // physical memory of the machine in bytes, at most the limit of the process's control group
  std::int64_t total_bytes = 0;
  // bytes that can be allocated now without swapping, also within the control group's limit
  std::int64_t available_bytes = 0;
  // physical memory of the machine in bytes
  std::int64_t machine_bytes = 0;
  // smallest control group limit in bytes that holds for this process; 0: none
  std::int64_t limit_bytes = 0;
};

namespace detail {

inline MemorySystem from_c(const ckpt_memory_system& from) {
  MemorySystem value;
  value.total_bytes = from.total_bytes;
  value.available_bytes = from.available_bytes;
  value.machine_bytes = from.machine_bytes;
  value.limit_bytes = from.limit_bytes;
  return value;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_VALUES_MEMORY_HPP
