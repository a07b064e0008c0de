// What is inside a Tracker. Only tracker.cpp and snapshot.cpp include it.
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
// Before the first event of a layer. A custom clock may begin at 0 or below, so 0 would be a time like any other.
constexpr std::int64_t before_all_ns = std::numeric_limits<std::int64_t>::min();

// One cache line: what an event of a layer touches. Freed bytes and frees follow: what was allocated less what is live.
struct alignas(64) LayerState {
  std::int64_t current_bytes;
  std::int64_t peak_bytes;
  std::int64_t total_allocated_bytes;
  std::int64_t allocations;
  std::int64_t largest_bytes;
  std::int64_t last_allocated_at_ns;  // counts if allocations > 0
  std::int64_t last_freed_at_ns;      // counts if more were allocated than are live
  std::uint32_t live;
  std::uint32_t head;  // newest live slot
};
static_assert(sizeof(LayerState) == 64);

// The totals, in the order in which an event needs them: the first seven share the lock's cache line.
struct Totals {
  std::int64_t current_bytes = 0;
  std::int64_t total_allocated_bytes = 0;
  std::int64_t allocations = 0;
  std::int64_t live = 0;
  std::uint64_t sequence = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t scope_peak_bytes = 0;         // of the innermost scope
  std::int64_t limit_bytes = largest_bytes;  // INT64_MAX, which nothing passes, also when there is no limit
  std::int64_t rearm_below_bytes = 0;        // limit less hysteresis
  std::uint32_t layers = 0;
  bool limit_armed = true;
  std::int64_t peak_granularity_bytes = 1;
  std::int64_t reported_peak_bytes = 0;
  std::int64_t not_found = 0;
  std::int64_t refused = 0;
  Limit limit;  // as it was set
};

struct Scope {
  ScopeId id = 0;
  std::string name;
  std::int64_t start_bytes = 0;
  std::int64_t peak_bytes = 0;           // not kept while it is the innermost
  std::int64_t start_total_bytes = 0;    // total_allocated_bytes at the push or the last reset
  std::int64_t carried_total_bytes = 0;  // allocated in it before the last reset
  std::int64_t pushed_at_ns = 0;
};

// Writes only what changes: a store less is a store less for the next taking of the lock to wait for.
template <class T>
void raise(T& highest, T value) noexcept {
  if (value > highest) highest = value;
}

// What one transition has to report: filled under the lock, delivered after it.
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

// In EventList's place while there are no listeners: costs nothing.
struct NoEvents {
  static constexpr bool wants(EventKind) noexcept { return false; }
  static void add(const Event&) noexcept {}
};

// A moment on the tracker's clock and on the world's: dates what is reported, at no cost for what is recorded.
struct Moment {
  std::int64_t now_ns = 0;
  std::int64_t utc_ns = 0;
  // The world's time of another moment of the tracker's clock; a user's clock may have said anything: the sum must not overflow.
  std::int64_t utc_of(std::int64_t then_ns) const noexcept {
    const std::uint64_t age = static_cast<std::uint64_t>(now_ns) - static_cast<std::uint64_t>(then_ns);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(utc_ns) - age);
  }
};

// Two locks. `control` is a mutex for everything that is rare: names, scopes, growing, snapshots. `lock` guards totals, layers and
// slots, is taken inside control or alone, and covers nothing that can allocate, block or throw. Where a thread of the parent held
// one of them at a fork, the child gets Error(forked) from what needs it.
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
    return ask_clock();
  }
  // The clock may be the user's: who asks this tracker from inside it would ask the clock again.
  [[gnu::noinline]] std::int64_t ask_clock() const {
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
  std::int64_t free_all(LayerId id, std::vector<Event>* events);  // events: nullptr when there are no listeners
  void grow_slots();
  [[noreturn]] static void refuse_bytes(std::int64_t bytes);
  // Release `lock` and throw; what was not found is counted.
  [[noreturn]] void refuse_layer(LayerId layer);
  [[noreturn]] void refuse_empty(LayerId layer);
  [[noreturn]] void refuse_allocation(AllocationId allocation);
  [[noreturn]] void refuse_total(std::int64_t bytes);
  ScopeStats describe_scope(std::size_t index, std::string name, const Totals& then, const Moment& now) const;  // under control

  // The layer of a name, whose counts are on their way into the cache; no_layer. Takes no lock: the chunk that a name's layer is in
  // was there before the name.
  LayerId find_and_fetch(std::string_view name) const noexcept {
    return names.find(name, [this](LayerId layer) { __builtin_prefetch(&layers[static_cast<std::uint32_t>(layer)], 1); });
  }

  // The calls below are made under `lock`.

  LayerState& layer_at(LayerId layer) noexcept { return layers[static_cast<std::uint32_t>(layer)]; }
  bool knows(LayerId layer) const noexcept { return static_cast<std::uint32_t>(layer) < totals.layers; }
  [[gnu::always_inline]] void book(std::uint32_t index, LayerId id, std::int64_t bytes, std::int64_t now_ns) noexcept;
  [[gnu::always_inline]] void unbook(std::uint32_t index, std::int64_t now_ns) noexcept;

  Event event_now(EventKind kind, AllocationId allocation, LayerId layer, std::int64_t bytes, std::int64_t now_ns) const noexcept {
    return {kind,   layer, "", totals.sequence, allocation, bytes, totals.current_bytes, totals.peak_bytes, totals.limit.bytes,
            now_ns, 0};
  }

  // Outside of every lock.
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
