// memory.hpp - the C++17 face of memory.h: a tracker of what checkpoints hold, scopes and subscriptions that end by themselves.
//
// Everything here is inline and calls only the C API. Names and rules are those of memory.h; structs are values here.
#ifndef CKPT_MEMORY_HPP
#define CKPT_MEMORY_HPP

#include <ckpt/memory.h>
#include <ckpt/base.hpp>
#include <ckpt/methods/memory.hpp>
#include <ckpt/values/memory.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ckpt {

class MemoryTracker;

// What an allocation is named by; 0 is none.
using AllocationId = std::uint64_t;

// May throw: that is counted in handler_failures and has no other effect.
using MemoryEventHandler = std::function<void(const MemoryEvent&)>;

// Ends when it is destroyed, and then its handler is no longer running on another thread. Keeps the tracker alive.
class MemorySubscription {
 public:
  MemorySubscription() = default;
  MemorySubscription(MemorySubscription&& other) noexcept : tracker_(std::move(other.tracker_)), id_(std::exchange(other.id_, 0)) {}
  MemorySubscription& operator=(MemorySubscription&& other) noexcept {
    if (this != &other) {
      end();
      tracker_ = std::move(other.tracker_);
      id_ = std::exchange(other.id_, 0);
    }
    return *this;
  }
  ~MemorySubscription() { end(); }

  std::int64_t id() const noexcept { return id_; }

  // For subscriptions with a queue: the oldest event, nothing when it is empty.
  std::optional<MemoryEvent> poll() {
    ckpt_memory_event event = CKPT_MEMORY_EVENT_INIT;
    ckpt_bool got = 0;
    check(ckpt_memory_tracker_poll_event(tracker_.get(), id_, &event, &got));
    return got != 0 ? std::optional(detail::from_c(event)) : std::nullopt;
  }
  std::int64_t dropped() const {
    std::int64_t dropped = 0;
    check(ckpt_memory_tracker_get_dropped_events(tracker_.get(), id_, &dropped));
    return dropped;
  }
  // What the destructor does. A failure (two handlers that end each other) is thrown by unsubscribe and ignored by the destructor.
  void unsubscribe() {
    if (id_ == 0) return;
    check(ckpt_memory_tracker_unsubscribe(tracker_.get(), id_));
    id_ = 0;
  }

 private:
  friend class MemoryTracker;
  void end() noexcept {
    if (id_ != 0) ckpt_memory_tracker_unsubscribe(tracker_.get(), std::exchange(id_, 0));
  }
  detail::Handle<ckpt_memory_tracker, ckpt_memory_tracker_release> tracker_;
  std::int64_t id_ = 0;
};

// An open scope; closes when it is destroyed, which must be the reverse of the order of opening. Keeps the tracker alive.
class MemoryScope {
 public:
  MemoryScope(MemoryScope&& other) noexcept : tracker_(std::move(other.tracker_)), id_(std::exchange(other.id_, 0)) {}
  MemoryScope& operator=(MemoryScope&&) = delete;
  ~MemoryScope() {
    if (id_ != 0) ckpt_memory_tracker_pop_scope(tracker_.get(), id_, nullptr);
  }
  MemoryScopeStats stats() const {
    ckpt_memory_scope_stats stats = CKPT_MEMORY_SCOPE_STATS_INIT;
    check(ckpt_memory_tracker_get_scope_stats(tracker_.get(), id_, &stats));
    return detail::from_c(stats);
  }
  // Closes now and returns what happened.
  MemoryScopeStats pop() {
    ckpt_memory_scope_stats stats = CKPT_MEMORY_SCOPE_STATS_INIT;
    check(ckpt_memory_tracker_pop_scope(tracker_.get(), id_, &stats));
    id_ = 0;
    return detail::from_c(stats);
  }

 private:
  friend class MemoryTracker;
  MemoryScope() = default;
  detail::Handle<ckpt_memory_tracker, ckpt_memory_tracker_release> tracker_;
  std::uint64_t id_ = 0;
};

struct MemorySavings {
  std::int64_t bytes = 0;
  double fraction = 0;
};

struct MemoryLimit {
  std::int64_t bytes = 0;
  std::int64_t hysteresis_bytes = 0;
};

// Totals and layers of one moment.
struct MemorySnapshot {
  MemoryStats totals;
  std::vector<MemoryLayerStats> layers;
};

class MemoryTracker : public MemoryTrackerMethods<MemoryTracker> {
 public:
  MemoryTracker() { check(ckpt_memory_tracker_create(nullptr, handle_.out())); }
  explicit MemoryTracker(const MemoryTrackerOptions& options) {
    const ckpt_memory_tracker_options given = detail::to_c(options);
    check(ckpt_memory_tracker_create(&given, handle_.out()));
  }
  // Another reference to a tracker of the C API.
  explicit MemoryTracker(ckpt_memory_tracker* tracker) {
    ckpt_memory_tracker_retain(tracker);
    handle_ = Owner(tracker);
  }
  // Another reference to the same tracker.
  MemoryTracker share() const { return MemoryTracker(handle()); }
  ckpt_memory_tracker* handle() const noexcept { return handle_.get(); }

  // ---- Layers ----

  // Nothing for a name that was never given.
  std::optional<std::int32_t> find_layer(const std::string& name) const {
    std::int32_t layer = 0;
    const ckpt_status status = ckpt_memory_tracker_find_layer(handle(), name.c_str(), &layer);
    if (status == CKPT_E_NOT_FOUND) return std::nullopt;
    check(status);
    return layer;
  }

  // ---- Recording ----

  AllocationId record_allocation(std::int32_t layer, std::int64_t bytes) {
    AllocationId id = 0;
    check(ckpt_memory_tracker_record_allocation(handle(), layer, bytes, &id));
    return id;
  }
  AllocationId record_allocation(const std::string& name, std::int64_t bytes) { return record_allocation(add_layer(name), bytes); }
  // Nothing when it would pass the limit.
  std::optional<AllocationId> try_reserve(std::int32_t layer, std::int64_t bytes) {
    AllocationId id = 0;
    const ckpt_status status = ckpt_memory_tracker_try_reserve(handle(), layer, bytes, &id);
    return reserved(status, id);
  }
  std::optional<AllocationId> try_reserve(const std::string& name, std::int64_t bytes) {
    return try_reserve(add_layer(name), bytes);
  }
  void record_deallocation(AllocationId id) { check(ckpt_memory_tracker_record_deallocation(handle(), id)); }
  // Frees all live allocations of the layer and returns how many.
  std::int64_t free_layer(std::int32_t layer) {
    std::int64_t freed = 0;
    check(ckpt_memory_tracker_record_deallocation_layer(handle(), layer, &freed));
    return freed;
  }
  std::int64_t free_layer(const std::string& name) {
    const std::optional<std::int32_t> layer = find_layer(name);
    if (layer) return free_layer(*layer);
    ckpt_memory_tracker_record_deallocation_layer(handle(), -1, nullptr);  // counted in MemoryStats::not_found
    return known_layer(name);
  }

  // ---- Reading ----

  MemoryLayerStats layer_stats(std::int32_t layer) const {
    ckpt_memory_layer_stats stats = CKPT_MEMORY_LAYER_STATS_INIT;
    check(ckpt_memory_tracker_get_layer_stats(handle(), layer, &stats));
    return detail::from_c(stats);
  }
  MemoryLayerStats layer_stats(const std::string& name) const {
    ckpt_memory_layer_stats stats = CKPT_MEMORY_LAYER_STATS_INIT;
    check(ckpt_memory_tracker_get_layer_stats(handle(), known_layer(name), &stats));
    return detail::from_c(stats);
  }
  // The first max_layers layers in that order; 0: all.
  MemorySnapshot snapshot(MemoryOrder order = MemoryOrder::id, std::int64_t max_layers = 0) const {
    ckpt_memory_stats totals = CKPT_MEMORY_STATS_INIT;
    auto layers = detail::list_of<ckpt_memory_layer_stats>(
        CKPT_MEMORY_LAYER_STATS_INIT, [&](ckpt_memory_layer_stats* list, std::int64_t capacity, std::int64_t* count) {
          return ckpt_memory_tracker_get_snapshot(handle(), static_cast<ckpt_memory_order>(order), &totals, list, capacity, count);
        });
    if (max_layers > 0 && static_cast<std::size_t>(max_layers) < layers.size()) {
      layers.resize(static_cast<std::size_t>(max_layers), CKPT_MEMORY_LAYER_STATS_INIT);
    }
    return {detail::from_c(totals), detail::values_of(layers, [](const auto& each) { return detail::from_c(each); })};
  }
  MemorySavings savings(std::int64_t store_all_bytes) const {
    MemorySavings savings;
    check(ckpt_memory_tracker_get_savings(handle(), store_all_bytes, &savings.bytes, &savings.fraction));
    return savings;
  }

  // ---- Scopes and limit ----

  MemoryScope push_scope(const std::string& name) {
    MemoryScope scope;
    check(ckpt_memory_tracker_push_scope(handle(), name.c_str(), &scope.id_));
    scope.tracker_ = another_reference();
    return scope;
  }
  void set_limit(std::int64_t limit_bytes, std::int64_t hysteresis_bytes = 0) {
    check(ckpt_memory_tracker_set_limit(handle(), limit_bytes, hysteresis_bytes));
  }
  std::optional<MemoryLimit> limit() const {
    MemoryLimit limit;
    check(ckpt_memory_tracker_get_limit(handle(), &limit.bytes, &limit.hysteresis_bytes));
    return limit.bytes > 0 ? std::optional<MemoryLimit>(limit) : std::nullopt;
  }

  // ---- Events ----

  // handler runs on the threads whose calls cause the events; kinds is a sum of them
  [[nodiscard]] MemorySubscription subscribe(MemoryEventKind kinds, MemoryEventHandler handler) {
    if (!handler) throw Error(Status::invalid_argument, "handler is empty");
    auto owned = std::make_unique<MemoryEventHandler>(std::move(handler));
    const ckpt_memory_event_fn call = [](const ckpt_memory_event* event, void* user_data) noexcept {
      return detail::callback_status([&] { (*static_cast<MemoryEventHandler*>(user_data))(detail::from_c(*event)); });
    };
    MemorySubscription subscription;
    subscription.tracker_ = another_reference();
    check(ckpt_memory_tracker_subscribe(handle(), static_cast<ckpt_memory_event_kind>(kinds), call, owned.get(),
                                        detail::destroy<MemoryEventHandler>, &subscription.id_));
    static_cast<void>(owned.release());
    return subscription;
  }
  [[nodiscard]] MemorySubscription subscribe_queue(MemoryEventKind kinds, std::int64_t capacity) {
    MemorySubscription subscription;
    subscription.tracker_ = another_reference();
    check(ckpt_memory_tracker_subscribe_queue(handle(), static_cast<ckpt_memory_event_kind>(kinds), capacity, &subscription.id_));
    return subscription;
  }

  // ---- Export ----

  // max_layers 0: all.
  std::string json(std::int64_t max_layers = 0) const { return text(ckpt_memory_tracker_get_json, max_layers); }
  std::string prometheus(std::int64_t max_layers = 100) const { return text(ckpt_memory_tracker_get_prometheus, max_layers); }

 private:
  std::int32_t known_layer(const std::string& name) const {
    std::int32_t layer = 0;
    check(ckpt_memory_tracker_find_layer(handle(), name.c_str(), &layer));
    return layer;
  }
  using Owner = detail::Handle<ckpt_memory_tracker, ckpt_memory_tracker_release>;
  using Export = ckpt_status (*)(const ckpt_memory_tracker*, std::int64_t, char*, std::int64_t, std::int64_t*);

  Owner another_reference() const {
    ckpt_memory_tracker_retain(handle());
    return Owner(handle());
  }
  static std::optional<AllocationId> reserved(ckpt_status status, AllocationId id) {
    if (status == CKPT_E_OVER_BUDGET) return std::nullopt;
    check(status);
    return id;
  }
  std::string text(Export function, std::int64_t max_layers) const {
    std::string text;
    std::int64_t needed = 0;
    check(function(handle(), max_layers, nullptr, 0, &needed));
    for (;;) {  // numbers may grow by a digit meanwhile
      text.resize(static_cast<std::size_t>(needed) + 256);
      const ckpt_status status = function(handle(), max_layers, text.data(), static_cast<std::int64_t>(text.size()), &needed);
      if (status == CKPT_E_OUT_OF_RANGE) continue;
      check(status);
      text.resize(static_cast<std::size_t>(needed));
      return text;
    }
  }

  Owner handle_;
};

// Physical memory that this process can have, control groups considered.
inline MemorySystem probe_memory() {
  ckpt_memory_system system = CKPT_MEMORY_SYSTEM_INIT;
  check(ckpt_memory_probe(&system));
  return detail::from_c(system);
}

}  // namespace ckpt

#endif  // CKPT_MEMORY_HPP
