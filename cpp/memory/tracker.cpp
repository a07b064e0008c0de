#include "memory/tracker.h"

#include <utility>

#include "base/error.h"
#include "memory/state.h"

namespace ckpt::memory {

// ---- Bookkeeping, under the lock ----

inline void Tracker::State::book(std::uint32_t index, LayerId id, std::int64_t bytes, std::int64_t now_ns) noexcept {
  LayerState& layer = layer_at(id);
  Slot& slot = slots[index];
  slot.bytes = bytes;
  slot.allocated_ns = now_ns;
  slot.sequence = ++totals.sequence;
  slot.layer = id;
  slot.previous = no_slot;
  slot.next = layer.head;
  if (layer.head != no_slot) slots[layer.head].previous = index;
  layer.head = index;

  ++layer.live;
  ++layer.allocations;
  layer.current_bytes += bytes;
  layer.total_allocated_bytes += bytes;
  raise(layer.peak_bytes, layer.current_bytes);
  raise(layer.largest_bytes, bytes);
  raise(layer.last_allocated_at_ns, now_ns);

  ++totals.live;
  ++totals.allocations;
  totals.current_bytes += bytes;
  totals.total_allocated_bytes += bytes;
  raise(totals.scope_peak_bytes, totals.current_bytes);
}

inline void Tracker::State::unbook(std::uint32_t index, std::int64_t now_ns) noexcept {
  const Slot& slot = slots[index];
  LayerState& layer = layer_at(slot.layer);
  if (slot.next != no_slot) slots[slot.next].previous = slot.previous;
  if (slot.previous != no_slot) {
    slots[slot.previous].next = slot.next;
  } else {
    layer.head = slot.next;
  }
  --layer.live;
  layer.current_bytes -= slot.bytes;
  raise(layer.last_freed_at_ns, now_ns);

  --totals.live;
  ++totals.sequence;
  totals.current_bytes -= slot.bytes;
  if (totals.current_bytes < totals.rearm_below_bytes) totals.limit_armed = true;
  slots.release(index);
}

// ---- Recording ----

// Errors are thrown out of line, so that the fast path keeps its registers.

void Tracker::State::refuse_bytes(std::int64_t bytes) {
  base::fail(base::Status::invalid_argument, "bytes is ", bytes, "; expected at least 1");
}

// Called with the lock held. If bytes do not fit, releases the lock and throws, or returns false if the limit is exceeded.
template <bool within_limit>
bool Tracker::State::fits(std::int64_t bytes) {
  if (bytes > largest_bytes - totals.total_allocated_bytes) [[unlikely]]
    refuse_total(bytes);
  if constexpr (within_limit) {
    if (bytes > totals.limit_bytes - totals.current_bytes) {
      ++totals.refused;
      lock.unlock();
      return false;
    }
  }
  return true;
}

template <bool within_limit>
bool Tracker::State::has_room(std::int64_t bytes) {
  if (bytes <= 0) refuse_bytes(bytes);
  lock.lock();
  if (!fits<within_limit>(bytes)) return false;
  lock.unlock();
  return true;
}

template <bool within_limit, class Events>
inline AllocationId Tracker::State::admit(LayerId layer, std::int64_t bytes, Events& events) {
  if (bytes <= 0) [[unlikely]]
    refuse_bytes(bytes);
  const std::int64_t now_ns = now();
  std::uint32_t index = no_slot;
  for (;;) {
    lock.lock();
    if (!knows(layer)) [[unlikely]]
      refuse_layer(layer);
    if (!fits<within_limit>(bytes)) return 0;
    index = slots.take();
    if (index != no_slot) [[likely]]
      break;
    lock.unlock();
    grow_slots();
  }
  book(index, layer, bytes, now_ns);
  const AllocationId id = slots.id_of(index);
  const bool new_peak = totals.current_bytes > totals.peak_bytes;
  if (new_peak) totals.peak_bytes = totals.current_bytes;
  const bool crossed = totals.current_bytes > totals.limit_bytes && totals.limit_armed;
  if (crossed) [[unlikely]]
    totals.limit_armed = false;

  if (events.wants(EventKind::allocated)) events.add(event_now(EventKind::allocated, id, layer, bytes, now_ns));
  if (events.wants(EventKind::new_peak) && new_peak &&
      totals.peak_bytes - totals.reported_peak_bytes >= totals.peak_granularity_bytes) {
    totals.reported_peak_bytes = totals.peak_bytes;
    events.add(event_now(EventKind::new_peak, id, layer, bytes, now_ns));
  }
  if (events.wants(EventKind::limit_exceeded) && crossed) {
    events.add(event_now(EventKind::limit_exceeded, id, layer, bytes, now_ns));
  }
  lock.unlock();
  return id;
}

template <class Events>
inline void Tracker::State::free(AllocationId allocation, Events& events) {
  const std::int64_t now_ns = now();
  lock.lock();
  const std::uint32_t index = slots.find(allocation);
  if (index == no_slot) [[unlikely]]
    refuse_allocation(allocation);
  const Slot& slot = slots[index];
  const LayerId layer = slot.layer;
  const std::int64_t bytes = slot.bytes;
  unbook(index, now_ns);
  if (events.wants(EventKind::freed)) events.add(event_now(EventKind::freed, allocation, layer, bytes, now_ns));
  lock.unlock();
}

std::int64_t Tracker::State::free_all(LayerId id, std::vector<Event>* events) {
  const std::int64_t now_ns = now();
  for (;;) {
    lock.lock();
    if (!knows(id)) [[unlikely]]
      refuse_layer(id);
    LayerState& layer = layer_at(id);
    const std::uint32_t live = layer.live;
    if (live == 0) [[unlikely]]
      refuse_empty(id);
    if (events != nullptr && events->capacity() < live) {
      lock.unlock();
      events->reserve(std::size_t{live} + live / 4);
      continue;
    }
    while (layer.head != no_slot) {
      const std::uint32_t index = layer.head;
      const AllocationId allocation = slots.id_of(index);
      const std::int64_t bytes = slots[index].bytes;
      unbook(index, now_ns);
      if (events != nullptr) events->push_back(event_now(EventKind::freed, allocation, id, bytes, now_ns));
    }
    lock.unlock();
    return live;
  }
}

void Tracker::State::refuse_layer(LayerId layer) {
  ++totals.not_found;
  lock.unlock();
  base::fail(base::Status::not_found, "layer_id is ", layer, "; unknown layer");
}

void Tracker::State::refuse_allocation(AllocationId allocation) {
  ++totals.not_found;
  lock.unlock();
  base::fail(base::Status::not_found, "allocation is ", allocation, "; unknown or freed allocation");
}

void Tracker::State::refuse_empty(LayerId layer) {
  ++totals.not_found;
  lock.unlock();
  base::fail(base::Status::not_found, "layer_id is ", layer, " (", base::quote(names.name(layer)),
             "); the layer has no live allocation");
}

void Tracker::State::refuse_total(std::int64_t bytes) {
  lock.unlock();
  base::fail(base::Status::out_of_range, "bytes is ", bytes, "; the total of all allocations would exceed INT64_MAX");
}

void Tracker::State::grow_slots() {
  const std::lock_guard growing(control);
  {
    const std::lock_guard guard(lock);
    if (slots.has_place()) return;  // another thread has grown the table
  }
  auto prepared = slots.chunks().prepare();  // the chunks change only under control
  const std::lock_guard guard(lock);
  slots.chunks().add(std::move(prepared));
}

Tracker::Tracker(std::shared_ptr<const base::Clock> clock) : state_(std::make_shared<State>(std::move(clock))) {}
Tracker::~Tracker() = default;

// Without listeners the fast path runs; the other path is kept out of its registers and stack frame.
template <bool within_limit>
inline AllocationId Tracker::admit(LayerId layer, std::int64_t bytes) {
  State& state = *state_;
  const std::uint32_t wanted = state.hub.wanted();
  if (wanted != 0) [[unlikely]]
    return admit_and_notify<within_limit>(layer, bytes, wanted);
  NoEvents no_events;
  return state.admit<within_limit>(layer, bytes, no_events);
}

template <bool within_limit>
[[gnu::noinline]] AllocationId Tracker::admit_and_notify(LayerId layer, std::int64_t bytes, std::uint32_t wanted) {
  EventList events(wanted);
  const auto state = state_;
  const AllocationId id = state->admit<within_limit>(layer, bytes, events);
  state->deliver(events.events());
  return id;
}

AllocationId Tracker::allocate(LayerId layer, std::int64_t bytes) { return admit<false>(layer, bytes); }
AllocationId Tracker::try_reserve(LayerId layer, std::int64_t bytes) { return admit<true>(layer, bytes); }

AllocationId Tracker::allocate(std::string_view name, std::int64_t bytes) { return admit<false>(name, bytes); }
AllocationId Tracker::try_reserve(std::string_view name, std::int64_t bytes) { return admit<true>(name, bytes); }

template <bool within_limit>
AllocationId Tracker::admit(std::string_view name, std::int64_t bytes) {
  LayerId layer_id = state_->find_and_prefetch(name);
  if (layer_id == no_layer) [[unlikely]] {
    base::require_name("name", name);
    // A refused reservation must not register the name.
    if (!state_->has_room<within_limit>(bytes)) return 0;
    layer_id = layer(name);
  }
  return admit<within_limit>(layer_id, bytes);
}

void Tracker::free(AllocationId allocation) {
  State& state = *state_;
  const std::uint32_t wanted = state.hub.wanted();
  if (wanted != 0) [[unlikely]]
    return free_and_notify(allocation, wanted);
  NoEvents no_events;
  state.free(allocation, no_events);
}

[[gnu::noinline]] void Tracker::free_and_notify(AllocationId allocation, std::uint32_t wanted) {
  EventList events(wanted);
  const auto state = state_;
  state->free(allocation, events);
  state->deliver(events.events());
}

std::int64_t Tracker::free_layer(LayerId layer) {
  State& state = *state_;
  if ((state.hub.wanted() & bit(EventKind::freed)) != 0) [[unlikely]]
    return free_layer_and_notify(layer);
  return state.free_all(layer, nullptr);
}

[[gnu::noinline]] std::int64_t Tracker::free_layer_and_notify(LayerId layer) {
  std::vector<Event> freed_events;
  const auto state = state_;
  const std::int64_t freed = state->free_all(layer, &freed_events);
  state->deliver(freed_events);
  return freed;
}

std::int64_t Tracker::free_layer(std::string_view name) { return free_layer(known_layer(name)); }

LayerId Tracker::known_layer(std::string_view name) const {
  const LayerId layer = state_->find_and_prefetch(name);
  if (layer != no_layer) [[likely]]
    return layer;
  base::require_name("name", name);
  {
    const std::lock_guard guard(state_->lock);
    ++state_->totals.not_found;
  }
  base::fail(base::Status::not_found, "name is ", base::quote(name), "; unknown layer");
}

// ---- Layers ----

LayerId Tracker::layer(std::string_view name) {
  State& state = *state_;
  if (const LayerId known = state.names.find(name); known != no_layer) [[likely]]
    return known;
  base::require_name("name", name);
  const std::lock_guard adding(state.control);
  if (const LayerId known = state.names.find(name); known != no_layer) return known;
  if (state.names.count() >= state.layers.capacity()) {
    auto prepared = state.layers.prepare();
    const std::lock_guard guard(state.lock);
    state.layers.add(std::move(prepared));
  }
  return state.names.add(name, [&](LayerId layer) {
    const std::lock_guard guard(state.lock);
    state.layer_at(layer) = {0, 0, 0, 0, 0, before_all_ns, before_all_ns, 0, no_slot};
    ++state.totals.layers;
  });
}

LayerId Tracker::find_layer(std::string_view name) const {
  const LayerId layer = state_->names.find(name);
  if (layer == no_layer) {
    base::require_name("name", name);
    base::fail(base::Status::not_found, "name is ", base::quote(name), "; unknown layer");
  }
  return layer;
}

std::string_view Tracker::layer_name(LayerId layer) const {
  if (layer < 0 || layer >= state_->names.count()) base::fail(base::Status::not_found, "layer_id is ", layer, "; unknown layer");
  return state_->names.name(layer);
}

// ---- Limit and events ----

void Tracker::set_limit(std::int64_t bytes, std::int64_t hysteresis_bytes) {
  base::require(bytes > 0, "limit_bytes is ", bytes, "; expected at least 1");
  base::require(hysteresis_bytes >= 0 && hysteresis_bytes < bytes, "hysteresis_bytes is ", hysteresis_bytes,
                "; expected 0 .. limit_bytes - 1");
  const auto state = state_;
  const std::int64_t now_ns = state->now();
  EventList events(state->hub.wanted());
  {
    const std::lock_guard guard(state->lock);
    Totals& totals = state->totals;
    totals.limit = {bytes, hysteresis_bytes};
    totals.limit_bytes = bytes;
    totals.rearm_below_bytes = bytes - hysteresis_bytes;
    totals.limit_armed = totals.current_bytes <= bytes;
    if (!totals.limit_armed && events.wants(EventKind::limit_exceeded)) {
      ++totals.sequence;
      events.add(state->event_now(EventKind::limit_exceeded, 0, no_layer, 0, now_ns));
    }
  }
  state->deliver(events.events());
}

void Tracker::clear_limit() {
  const std::lock_guard guard(state_->lock);
  state_->totals.limit = {};
  state_->totals.limit_bytes = largest_bytes;
  state_->totals.rearm_below_bytes = 0;
  state_->totals.limit_armed = true;
}

Limit Tracker::limit() const {
  const std::lock_guard guard(state_->lock);
  return state_->totals.limit;
}

EventHub& Tracker::events() { return state_->hub; }

void Tracker::set_peak_granularity(std::int64_t bytes) {
  base::require(bytes > 0, "granularity_bytes is ", bytes, "; expected at least 1");
  const std::lock_guard guard(state_->lock);
  state_->totals.peak_granularity_bytes = bytes;
}

}  // namespace ckpt::memory
