// The internals of Tracker. Only tracker.cpp and snapshot.cpp include it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/entered.h"
#include "base/fork_mutex.h"
#include "base/os/clocks.h"
#include "memory/events.h"
#include "memory/names.h"
#include "memory/slots.h"
#include "memory/spin_lock.h"
#include "memory/stats.h"
#include "memory/tracker.h"

namespace ckpt::memory {

constexpr std::int64_t largest_bytes = std::numeric_limits<std::int64_t>::max();
// The time before the first event of a layer. A custom clock may start at 0 or below, so 0 would be ambiguous.
constexpr std::int64_t before_all_ns = std::numeric_limits<std::int64_t>::min();

// One cache line with the counters that an event of a layer changes. Freed bytes and frees are derived: allocated less live.
struct alignas(64) LayerState {
  std::int64_t current_bytes;
  std::int64_t peak_bytes;
  std::int64_t total_allocated_bytes;
  std::int64_t allocations;
  std::int64_t largest_bytes;
  std::int64_t last_allocated_at_ns;  // valid if allocations > 0
  std::int64_t last_freed_at_ns;      // valid if fewer are live than were allocated
  std::uint32_t live;
  std::uint32_t head;  // newest live slot
};
static_assert(sizeof(LayerState) == 64);

// The totals, in the order in which an event reads them: the first seven share the lock's cache line.
struct Totals {
  std::int64_t current_bytes = 0;
  std::int64_t total_allocated_bytes = 0;
  std::int64_t allocations = 0;
  std::int64_t live = 0;
  std::uint64_t sequence = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t scope_peak_bytes = 0;         // of the innermost scope
  std::int64_t limit_bytes = largest_bytes;  // INT64_MAX, which is never exceeded, without a limit
  std::int64_t rearm_below_bytes = 0;        // limit less hysteresis
  std::uint32_t layers = 0;
  bool limit_armed = true;
  std::int64_t peak_granularity_bytes = 1;
  std::int64_t reported_peak_bytes = 0;
  std::int64_t not_found = 0;
  std::int64_t refused = 0;
  Limit limit;  // as set by the caller
};

struct Scope {
  ScopeId id = 0;
  std::string name;
  std::int64_t start_bytes = 0;
  std::int64_t peak_bytes = 0;           // not maintained while it is the innermost scope
  std::int64_t start_total_bytes = 0;    // total_allocated_bytes at the push or the last reset
  std::int64_t carried_total_bytes = 0;  // allocated in the scope before the last reset
  std::int64_t pushed_at_ns = 0;
};

// Stores only changed values: each avoided store is one less to wait for at the next lock acquisition.
template <class T>
void raise(T& highest, T value) noexcept {
  if (value > highest) highest = value;
}

// The events of one transition: filled under the lock, delivered after it.
class EventList {
 public:
  explicit EventList(std::uint32_t wanted) : wanted_(wanted) {}
  bool wants(EventKind kind) const noexcept { return (wanted_ & bit(kind)) != 0; }
  void add(const Event& event) noexcept { events_[count_++] = event; }
  std::span<Event> events() noexcept { return {events_.data(), count_}; }

 private:
  std::uint32_t wanted_;
  std::size_t count_ = 0;
  std::array<Event, 3> events_;
};

// Replaces EventList without listeners; compiles to nothing.
struct NoEvents {
  static constexpr bool wants(EventKind) noexcept { return false; }
  static void add(const Event&) noexcept {}
};

// A moment on the tracker's clock and on the system's: converts reported times, so that recording needs only one clock.
struct Moment {
  std::int64_t now_ns = 0;
  std::int64_t utc_ns = 0;
  // Converts another time of the tracker's clock. A user's clock may return anything: the sum must not overflow.
  std::int64_t utc_of(std::int64_t then_ns) const noexcept {
    const std::uint64_t age = static_cast<std::uint64_t>(now_ns) - static_cast<std::uint64_t>(then_ns);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(utc_ns) - age);
  }
};

// Two locks. `control` is a mutex for rare operations: names, scopes, growth, snapshots. `lock` guards totals, layers and slots;
// it is taken alone or while `control` is held, and no code under it allocates, blocks or throws. If a thread of the parent held
// one of them at a fork, operations of the child that need it fail with Error(forked).
struct Tracker::State {
  explicit State(std::shared_ptr<const base::Clock> the_clock)
      : coarse(the_clock == base::monotonic_clock()), clock(std::move(the_clock)) {}

  alignas(64) SpinLock lock;
  Totals totals;
  Slots slots;
  Chunks<LayerState> layers;

  const bool coarse;  // the clock is the system's
  EventHub hub;
  base::ForkMutex control;
  Names names;
  std::vector<Scope> scopes;  // innermost last
  ScopeId last_scope = 0;
  std::shared_ptr<const base::Clock> clock;

  std::int64_t now() const {
    if (coarse) [[likely]]
      return base::coarse_now_ns();
    return read_clock();
  }
  // The clock may be user code: if it calls this tracker, that call would read the clock again.
  [[gnu::noinline]] std::int64_t read_clock() const {
    base::Entered::refuse(this, "the tracker");
    const base::Entered entered(this);
    return clock->now_ns();
  }
  Moment moment() const { return {now(), base::utc_ns()}; }

  template <bool within_limit>
  bool fits(std::int64_t bytes);
  template <bool within_limit>
  bool has_room(std::int64_t bytes);
  template <bool within_limit, class Events>
  [[gnu::always_inline]] AllocationId admit(LayerId layer, std::int64_t bytes, Events& events);
  template <class Events>
  [[gnu::always_inline]] void free(AllocationId allocation, Events& events);
  std::int64_t free_all(LayerId id, std::vector<Event>* events);  // events: nullptr without listeners
  void grow_slots();
  [[noreturn]] static void refuse_bytes(std::int64_t bytes);
  // Release `lock` and throw; not_found errors are counted.
  [[noreturn]] void refuse_layer(LayerId layer);
  [[noreturn]] void refuse_empty(LayerId layer);
  [[noreturn]] void refuse_allocation(AllocationId allocation);
  [[noreturn]] void refuse_total(std::int64_t bytes);
  ScopeStats describe_scope(std::size_t index, std::string name, const Totals& then, const Moment& now) const;  // under control

  // Returns the layer of a name and prefetches its counters; no_layer if unknown. Takes no lock: a layer's chunk is published
  // before its name.
  LayerId find_and_prefetch(std::string_view name) const noexcept {
    return names.find(name, [this](LayerId layer) { __builtin_prefetch(&layers[static_cast<std::uint32_t>(layer)], 1); });
  }

  // The functions below are called under `lock`.

  LayerState& layer_at(LayerId layer) noexcept { return layers[static_cast<std::uint32_t>(layer)]; }
  bool knows(LayerId layer) const noexcept { return static_cast<std::uint32_t>(layer) < totals.layers; }
  [[gnu::always_inline]] void book(std::uint32_t index, LayerId id, std::int64_t bytes, std::int64_t now_ns) noexcept;
  [[gnu::always_inline]] void unbook(std::uint32_t index, std::int64_t now_ns) noexcept;

  Event event_now(EventKind kind, AllocationId allocation, LayerId layer, std::int64_t bytes, std::int64_t now_ns) const noexcept {
    return {kind,   layer, "", totals.sequence, allocation, bytes, totals.current_bytes, totals.peak_bytes, totals.limit.bytes,
            now_ns, 0};
  }

  // Called with no lock held.
  void deliver(std::span<Event> events) noexcept {
    if (events.empty()) return;
    const std::int64_t utc_ns = base::utc_ns();
    for (Event& event : events) {
      event.occurred_utc_ns = utc_ns;
      if (event.layer_id != no_layer) event.layer_name = names.name(event.layer_id).data();
    }
    hub.deliver(events);
  }
};

}  // namespace ckpt::memory
