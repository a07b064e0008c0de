// memory.hpp - the C++17 interface of memory.h: a tracker of the memory of checkpoints, and scopes and subscriptions that end in
// their destructors.
#ifndef CKPT_MEMORY_HPP
#define CKPT_MEMORY_HPP

#include <ckpt/methods/memory.hpp>
#include <ckpt/methods/memory_callbacks.hpp>

namespace ckpt {

class MemoryTracker;

// The id of an allocation; 0 is not an id.
using AllocationId = std::uint64_t;

// Receives an event. An exception is counted in handler_failures and has no other effect.
using MemoryEventHandler = std::function<void(const MemoryEvent&)>;

// A subscription. Its destructor ends it; after that its handler is no longer running on another thread. Keeps the tracker alive.
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

  // For subscriptions with a queue: removes and returns the oldest event, std::nullopt if the queue is empty.
  std::optional<MemoryEvent> poll() {
    ckpt_memory_event event = CKPT_MEMORY_EVENT_INIT;
    ckpt_bool got = 0;
    check(ckpt_memory_tracker_poll_event(tracker_.get(), id_, &event, &got));
    return got != 0 ? std::optional(detail::from_c(event)) : std::nullopt;
  }
  std::int64_t dropped() const {
    return detail::result_of<std::int64_t>(ckpt_memory_tracker_get_dropped_events, tracker_.get(), id_);
  }
  // Ends the subscription. A failure (two handlers that end each other) is thrown here and ignored by the destructor.
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

// An open scope. Its destructor closes it; scopes must be closed in the reverse order of opening. Keeps the tracker alive.
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
  // Closes the scope and returns its counts.
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

// Totals and layers in one consistent snapshot.
struct MemorySnapshot {
  MemoryStats totals;
  std::vector<MemoryLayerStats> layers;
};

class MemoryTracker : public MemoryTrackerMethods<MemoryTracker> {
 public:
  using MemoryTrackerMethods::MemoryTrackerMethods;
  // Returns another reference to a tracker of the C API.
  explicit MemoryTracker(ckpt_memory_tracker* tracker) : MemoryTrackerMethods(another_reference(tracker)) {}

  // ---- Recording ----

  using MemoryTrackerMethods::record_allocation;
  AllocationId record_allocation(const std::string& name, std::int64_t bytes) { return record_allocation(add_layer(name), bytes); }
  using MemoryTrackerMethods::try_reserve;
  std::optional<AllocationId> try_reserve(const std::string& name, std::int64_t bytes) {
    return try_reserve(add_layer(name), bytes);
  }
  using MemoryTrackerMethods::free_layer;
  std::int64_t free_layer(const std::string& name) {
    const std::optional<std::int32_t> layer = find_layer(name);
    if (layer) return free_layer(*layer);
    ckpt_memory_tracker_record_deallocation_layer(handle(), -1, nullptr);  // counted in MemoryStats::not_found
    return known_layer(name);
  }

  // ---- Reading ----

  using MemoryTrackerMethods::layer_stats;
  MemoryLayerStats layer_stats(const std::string& name) const { return layer_stats(known_layer(name)); }
  // Returns the first max_layers layers in that order; 0: all.
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
    scope.tracker_ = another_reference(handle());
    return scope;
  }
  std::optional<MemoryLimit> limit() const {
    MemoryLimit limit;
    check(ckpt_memory_tracker_get_limit(handle(), &limit.bytes, &limit.hysteresis_bytes));
    return limit.bytes > 0 ? std::optional<MemoryLimit>(limit) : std::nullopt;
  }

  // ---- Events ----

  // handler runs on the threads that cause the events; kinds: a sum of kinds
  [[nodiscard]] MemorySubscription subscribe(MemoryEventKind kinds, MemoryEventHandler handler) {
    if (!handler) throw Error(Status::invalid_argument, "handler is empty");
    MemorySubscription subscription;
    subscription.tracker_ = another_reference(handle());
    detail::pass(std::move(handler), [&](MemoryEventHandler* owned) {
      const ckpt_memory_event_fn call = detail::call_memory_event<&MemoryEventHandler::operator()>;
      return ckpt_memory_tracker_subscribe(handle(), static_cast<ckpt_memory_event_kind>(kinds), call, owned,
                                           detail::destroy<MemoryEventHandler>, &subscription.id_);
    });
    return subscription;
  }
  [[nodiscard]] MemorySubscription subscribe_queue(MemoryEventKind kinds, std::int64_t capacity) {
    MemorySubscription subscription;
    subscription.tracker_ = another_reference(handle());
    check(ckpt_memory_tracker_subscribe_queue(handle(), static_cast<ckpt_memory_event_kind>(kinds), capacity, &subscription.id_));
    return subscription;
  }

 private:
  std::int32_t known_layer(const std::string& name) const {
    if (const auto layer = find_layer(name)) return *layer;
    throw Error(Status::not_found, ckpt_last_error());
  }
  static Reference another_reference(ckpt_memory_tracker* tracker) {
    ckpt_memory_tracker_retain(tracker);
    return Reference(tracker);
  }
};

}  // namespace ckpt

#endif  // CKPT_MEMORY_HPP
