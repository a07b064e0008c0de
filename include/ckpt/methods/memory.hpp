// Generated from include/ckpt by tools/api: do not edit.
// memory.hpp - the classes and functions that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_MEMORY_HPP
#define CKPT_METHODS_MEMORY_HPP

#include <ckpt/memory.h>
#include <ckpt/base.hpp>
#include <ckpt/values/memory.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ckpt {

template <class Self>
class MemoryTrackerMethods : public detail::Object<Self, ckpt_memory_tracker, ckpt_memory_tracker_release> {
  using Base = detail::Object<Self, ckpt_memory_tracker, ckpt_memory_tracker_release>;

 public:
  using Base::Base;
  using Base::handle;
  MemoryTrackerMethods() : MemoryTrackerMethods(MemoryTrackerOptions()) {}
  // Creates a tracker with all counts 0. options: {} for the defaults.
  explicit MemoryTrackerMethods(const MemoryTrackerOptions& options) : Base(detail::Empty()) {
    const ckpt_memory_tracker_options given_options = detail::to_c(options);
    check(ckpt_memory_tracker_create(&given_options, this->out()));
  }
  // Returns the number of the layer of this name: 0, 1, 2, ... in the order of the first use of names. A new name creates a
  // layer.
  std::int32_t add_layer(const std::string& name) {
    std::int32_t result = 0;
    check(ckpt_memory_tracker_add_layer(handle(), name.c_str(), &result));
    return result;
  }
  // Returns the number of the layer of this name. std::nullopt for a name that was never used.
  std::optional<std::int32_t> find_layer(const std::string& name) const {
    std::int32_t result = 0;
    const ckpt_status status = ckpt_memory_tracker_find_layer(handle(), name.c_str(), &result);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return result;
  }
  // Returns the layer's name; valid as long as the tracker. Status::not_found for a number without a layer.
  const char* layer_name(std::int32_t layer_id) const {
    const char* result = nullptr;
    check(ckpt_memory_tracker_get_layer_name(handle(), layer_id, &result));
    return result;
  }
  // Records an allocation of bytes (> 0) by a layer. allocation identifies it and is never 0. Errors: Status::invalid_argument
  // (bytes), Status::not_found (layer; counted), Status::out_of_range when the total of all allocations would exceed 2^63 - 1.
  // Allocates memory only when the number of live allocations reaches a new maximum. Event handlers run before it returns.
  std::uint64_t record_allocation(std::int32_t layer_id, std::int64_t bytes) {
    std::uint64_t result = 0;
    check(ckpt_memory_tracker_record_allocation(handle(), layer_id, bytes, &result));
    return result;
  }
  // Records an allocation of bytes (> 0) by a layer as MemoryTracker::record_allocation, but std::nullopt when the live total
  // would rise above the limit. A refused reservation is never counted as live, not even briefly; MemoryStats.refused counts
  // refusals. Without a limit no reservation is refused.
  std::optional<std::uint64_t> try_reserve(std::int32_t layer_id, std::int64_t bytes) {
    std::uint64_t result = 0;
    const ckpt_status status = ckpt_memory_tracker_try_reserve(handle(), layer_id, bytes, &result);
    if (status == CKPT_E_OVER_BUDGET) return std::nullopt;
    check(status);
    return result;
  }
  // Records the end of an allocation. Status::not_found for an id that is not live (unknown, or freed already): then only the
  // count not_found changes.
  void record_deallocation(std::uint64_t allocation) {
    check(ckpt_memory_tracker_record_deallocation(handle(), allocation));
  }
  // Records the end of all live allocations of a layer in one step; returns their number. Status::not_found, counted, for an
  // unknown layer and for a layer without live allocations.
  std::int64_t free_layer(std::int32_t layer_id) {
    std::int64_t result = 0;
    check(ckpt_memory_tracker_record_deallocation_layer(handle(), layer_id, &result));
    return result;
  }
  // Returns the tracker's totals.
  MemoryStats stats() const {
    ckpt_memory_stats result = CKPT_MEMORY_STATS_INIT;
    check(ckpt_memory_tracker_get_stats(handle(), &result));
    return detail::from_c(result);
  }
  // Returns a layer's numbers. Status::not_found for an unknown layer.
  MemoryLayerStats layer_stats(std::int32_t layer_id) const {
    ckpt_memory_layer_stats result = CKPT_MEMORY_LAYER_STATS_INIT;
    check(ckpt_memory_tracker_get_layer_stats(handle(), layer_id, &result));
    return detail::from_c(result);
  }
  // Lists the live allocations in one consistent snapshot, oldest first: count receives how many there are, allocations the
  // first min(capacity, count). Blocks recording while it copies 40 bytes per allocation, for the highest number of allocations
  // that were ever live at the same time.
  std::vector<MemoryAllocation> list_allocations() const {
    const auto ask = [&](ckpt_memory_allocation* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_memory_tracker_list_allocations(handle(), list, capacity, count);
    };
    const auto listed = detail::list_of<ckpt_memory_allocation>(CKPT_MEMORY_ALLOCATION_INIT, ask);
    return detail::values_of(listed, [](const auto& each) { return detail::from_c(each); });
  }
  // Resets the statistics as if the live allocations had just been recorded: total = peak = live bytes, allocations = live
  // allocations, frees = 0, the same per layer; not_found, refused and handler_failures = 0. Open scopes, the limit and sequence
  // numbers are unchanged.
  void reset_stats() {
    check(ckpt_memory_tracker_reset_stats(handle()));
  }
  // Sets the limit of the live total: limit_bytes > 0, 0 <= hysteresis_bytes < limit_bytes. Allocations above the limit are
  // still recorded. An event is raised when the live total rises above the limit, and again only after it was below limit_bytes
  // - hysteresis_bytes. If more than limit_bytes are live already, the event is raised at once. MemoryTracker::try_reserve
  // refuses allocations that would exceed the limit.
  Self& set_limit(std::int64_t limit_bytes, std::int64_t hysteresis_bytes = 0) {
    check(ckpt_memory_tracker_set_limit(handle(), limit_bytes, hysteresis_bytes));
    return static_cast<Self&>(*this);
  }
  // Removes the limit of the live total; a new tracker has none.
  void clear_limit() {
    check(ckpt_memory_tracker_clear_limit(handle()));
  }
  // Disables (false) or enables (true) all events. They are enabled in a new tracker. Accounting continues while events are
  // disabled; these events are not reported later.
  void enable_events(bool enabled) {
    check(ckpt_memory_tracker_enable_events(handle(), static_cast<ckpt_bool>(enabled)));
  }
  // Sets the minimum increase, in bytes (> 0), of the peak over the last reported one for an event of a new peak; 1 reports
  // every new peak.
  Self& set_peak_granularity(std::int64_t bytes) {
    check(ckpt_memory_tracker_set_peak_granularity(handle(), bytes));
    return static_cast<Self&>(*this);
  }
  // Returns a snapshot as one JSON object (docs/reference/memory.md names its members): totals, limit, open scopes, the
  // max_layers layers (0: all) that hold the most live bytes, and the sum of the others.
  std::string json(std::int64_t max_layers = 0) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_memory_tracker_get_json(handle(), max_layers, buffer, capacity, needed);
    });
  }
  // Returns a snapshot in the Prometheus text format 0.0.4: ckpt_memory_current_bytes, ckpt_memory_peak_bytes,
  // ckpt_memory_allocated_bytes_total and so on, and ckpt_memory_layer_... with the label layer for the first max_layers layers
  // by number (0: all), so that the series of a layer never changes; the others are summed under layer="other". Source:
  // prometheus.io/docs/instrumenting/exposition_formats.
  std::string prometheus(std::int64_t max_layers = 100) const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_memory_tracker_get_prometheus(handle(), max_layers, buffer, capacity, needed);
    });
  }
  // Returns another reference to the same object.
  Self share() const noexcept {
    ckpt_memory_tracker_retain(handle());
    return Self::adopt(handle());
  }
};

// Returns the values of the system, control groups v1 and v2 included: /proc/meminfo, /proc/self/cgroup and the group's files,
// at each level up to the root. A group's page cache on the inactive list counts as available. Status::unsupported if the
// total is not known. Sources: proc(5); the kernel's cgroup-v2.rst and cgroup-v1/memory.rst.
inline MemorySystem probe_memory() {
  ckpt_memory_system result = CKPT_MEMORY_SYSTEM_INIT;
  check(ckpt_memory_probe(&result));
  return detail::from_c(result);
}

}  // namespace ckpt

#endif
