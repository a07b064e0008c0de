// The read side of the tracker, and scopes: everything here takes `control` first and holds the spin lock only to copy.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "memory/state.h"

namespace ckpt::memory {
namespace {

// Returns the age for any values of a user's clock: 0 if it went backwards, at most INT64_MAX.
std::int64_t age_ns(std::int64_t now_ns, std::int64_t then_ns) {
  std::int64_t age = 0;
  if (now_ns > then_ns && __builtin_sub_overflow(now_ns, then_ns, &age)) age = INT64_MAX;
  return std::max<std::int64_t>(0, age);
}

Stats stats_of(const Totals& totals, std::int64_t handler_failures, const Moment& now) {
  Stats stats;
  stats.current_bytes = totals.current_bytes;
  stats.peak_bytes = totals.peak_bytes;
  stats.total_allocated_bytes = totals.total_allocated_bytes;
  stats.total_freed_bytes = totals.total_allocated_bytes - totals.current_bytes;
  stats.live_allocations = totals.live;
  stats.allocations = totals.allocations;
  stats.frees = totals.allocations - totals.live;
  stats.layer_count = totals.layers;
  stats.not_found = totals.not_found;
  stats.refused = totals.refused;
  stats.handler_failures = handler_failures;
  stats.taken_at_ns = now.now_ns;
  stats.taken_utc_ns = now.utc_ns;
  stats.sequence = totals.sequence;
  return stats;
}

LayerStats layer_stats_of(LayerId id, std::string_view name, const LayerState& layer, const Moment& now) {
  LayerStats stats;
  stats.layer_id = id;
  stats.name = name;
  stats.current_bytes = layer.current_bytes;
  stats.peak_bytes = layer.peak_bytes;
  stats.total_allocated_bytes = layer.total_allocated_bytes;
  stats.total_freed_bytes = layer.total_allocated_bytes - layer.current_bytes;
  stats.live_allocations = layer.live;
  stats.allocations = layer.allocations;
  stats.frees = layer.allocations - layer.live;
  stats.largest_bytes = layer.largest_bytes;
  if (stats.allocations > 0) {
    stats.last_allocated_at_ns = layer.last_allocated_at_ns;
    stats.last_allocated_utc_ns = now.utc_of(layer.last_allocated_at_ns);
  }
  if (stats.frees > 0) {
    stats.last_freed_at_ns = layer.last_freed_at_ns;
    stats.last_freed_utc_ns = now.utc_of(layer.last_freed_at_ns);
  }
  return stats;
}

void add(LayerStats& sum, const LayerStats& layer) {
  // A time is valid only after an event.
  if (layer.allocations > 0) {
    const bool is_first = sum.allocations == 0;
    sum.last_allocated_at_ns =
        is_first ? layer.last_allocated_at_ns : std::max(sum.last_allocated_at_ns, layer.last_allocated_at_ns);
    sum.last_allocated_utc_ns =
        is_first ? layer.last_allocated_utc_ns : std::max(sum.last_allocated_utc_ns, layer.last_allocated_utc_ns);
  }
  if (layer.frees > 0) {
    const bool is_first = sum.frees == 0;
    sum.last_freed_at_ns = is_first ? layer.last_freed_at_ns : std::max(sum.last_freed_at_ns, layer.last_freed_at_ns);
    sum.last_freed_utc_ns = is_first ? layer.last_freed_utc_ns : std::max(sum.last_freed_utc_ns, layer.last_freed_utc_ns);
  }
  sum.current_bytes += layer.current_bytes;
  sum.total_allocated_bytes += layer.total_allocated_bytes;
  sum.total_freed_bytes += layer.total_freed_bytes;
  sum.live_allocations += layer.live_allocations;
  sum.allocations += layer.allocations;
  sum.frees += layer.frees;
  sum.largest_bytes = std::max(sum.largest_bytes, layer.largest_bytes);
}

std::int64_t saturating_add(std::int64_t a, std::int64_t b) { return a > largest_bytes - b ? largest_bytes : a + b; }

}  // namespace

// ---- Reading ----

Stats Tracker::stats() const {
  const Moment now = state_->moment();
  Totals then;
  {
    const std::lock_guard guard(state_->lock);
    then = state_->totals;
  }
  return stats_of(then, state_->hub.failures(), now);
}

LayerStats Tracker::layer_stats(LayerId layer) const {
  const std::string_view name = layer_name(layer);
  const Moment now = state_->moment();
  LayerState then;
  {
    const std::lock_guard guard(state_->lock);
    then = state_->layer_at(layer);
  }
  return layer_stats_of(layer, name, then, now);
}

Snapshot Tracker::snapshot(LayerOrder order, std::int64_t max_layers) const {
  State& state = *state_;
  Snapshot snapshot;
  std::vector<LayerState> layers;
  const Moment now = state.moment();  // the clock may be user code, so no lock is held
  {
    const std::lock_guard reading(state.control);  // prevents new layers
    // The memory is allocated and touched before the spin lock is taken: writers wait only for the copy.
    layers.resize(static_cast<std::size_t>(state.names.count()));
    Totals then;
    {
      const std::lock_guard guard(state.lock);
      then = state.totals;
      state.layers.copy_to(layers.data(), then.layers);
    }
    snapshot.stats = stats_of(then, state.hub.failures(), now);
    snapshot.limit = then.limit;
    for (std::size_t i = 0; i < state.scopes.size(); ++i) {
      snapshot.scopes.push_back(state.describe_scope(i, state.scopes[i].name, then, now));
    }
  }
  snapshot.layers.reserve(layers.size());
  for (const LayerState& layer : layers) {
    const auto id = static_cast<LayerId>(snapshot.layers.size());
    snapshot.layers.push_back(layer_stats_of(id, state.names.name(id), layer, now));
  }
  const auto key = [order](const LayerStats& layer) {
    return order == LayerOrder::by_current ? layer.current_bytes : order == LayerOrder::by_peak ? layer.peak_bytes : 0;
  };
  const auto before = [&](const LayerStats& a, const LayerStats& b) {
    return key(a) != key(b) ? key(a) > key(b) : a.layer_id < b.layer_id;
  };
  const auto all = static_cast<std::int64_t>(snapshot.layers.size());
  const std::int64_t kept = max_layers < 0 ? all : std::min(max_layers, all);
  const auto middle = snapshot.layers.begin() + kept;
  if (order != LayerOrder::by_id) std::partial_sort(snapshot.layers.begin(), middle, snapshot.layers.end(), before);
  std::for_each(middle, snapshot.layers.end(), [&](const LayerStats& layer) { add(snapshot.rest, layer); });
  snapshot.layers.erase(middle, snapshot.layers.end());
  return snapshot;
}

std::vector<LiveAllocation> Tracker::live_allocations() const {
  State& state = *state_;
  std::vector<Slot> slots;
  std::int64_t used = 0;
  {
    const std::lock_guard reading(state.control);
    // The chunks grow only under control, so the buffer still suffices when the spin lock is held.
    {
      const std::lock_guard guard(state.lock);
      used = state.slots.chunks().capacity();
    }
    slots.resize(static_cast<std::size_t>(used));
    const std::lock_guard guard(state.lock);
    used = state.slots.used();
    state.slots.chunks().copy_to(slots.data(), used);
  }
  const std::int64_t now_ns = state.now();
  std::vector<LiveAllocation> live;
  for (std::int64_t i = 0; i < used; ++i) {
    const Slot& slot = slots[static_cast<std::size_t>(i)];
    if (slot.generation % 2 == 0) continue;
    const AllocationId id = AllocationId{slot.generation} << 32 | static_cast<std::uint32_t>(i);
    live.push_back({id, slot.layer, slot.bytes, age_ns(now_ns, slot.allocated_ns), slot.sequence});
  }
  std::sort(live.begin(), live.end(), [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
  return live;
}

Savings Tracker::savings(std::int64_t store_all_bytes) const {
  base::require(store_all_bytes >= 0, "store_all_bytes is ", store_all_bytes, "; expected at least 0");
  Savings savings;
  savings.bytes = store_all_bytes - stats().current_bytes;
  if (store_all_bytes > 0) savings.fraction = static_cast<double>(savings.bytes) / static_cast<double>(store_all_bytes);
  return savings;
}

void Tracker::reset_stats() {
  State& state = *state_;
  const std::lock_guard resetting(state.control);
  const std::lock_guard guard(state.lock);
  Totals& totals = state.totals;
  for (Scope& scope : state.scopes) {
    scope.carried_total_bytes = saturating_add(scope.carried_total_bytes, totals.total_allocated_bytes - scope.start_total_bytes);
    scope.start_total_bytes = totals.current_bytes;
  }
  for (std::uint32_t id = 0; id < totals.layers; ++id) {
    LayerState& layer = state.layers[id];
    layer.peak_bytes = layer.total_allocated_bytes = layer.current_bytes;
    layer.allocations = layer.live;
    layer.largest_bytes = 0;
    layer.last_allocated_at_ns = layer.last_freed_at_ns = before_all_ns;
    for (std::uint32_t index = layer.head; index != no_slot; index = state.slots[index].next) {
      layer.largest_bytes = std::max(layer.largest_bytes, state.slots[index].bytes);
      layer.last_allocated_at_ns = std::max(layer.last_allocated_at_ns, state.slots[index].allocated_ns);
    }
  }
  totals.peak_bytes = totals.total_allocated_bytes = totals.reported_peak_bytes = totals.current_bytes;
  totals.allocations = totals.live;
  totals.not_found = totals.refused = 0;
  state.hub.reset_failures();
}

// ---- Scopes ----

ScopeStats Tracker::State::describe_scope(std::size_t index, std::string name, const Totals& then, const Moment& now) const {
  const Scope& scope = scopes[index];
  ScopeStats stats;
  stats.scope = scope.id;
  stats.name = std::move(name);
  stats.depth = static_cast<std::int64_t>(index);
  stats.start_bytes = scope.start_bytes;
  stats.peak_bytes = then.scope_peak_bytes;  // of the innermost scope; earlier peaks are stored in the enclosing scopes
  for (std::size_t i = index; i + 1 < scopes.size(); ++i) stats.peak_bytes = std::max(stats.peak_bytes, scopes[i].peak_bytes);
  stats.net_bytes = then.current_bytes - scope.start_bytes;
  stats.total_allocated_bytes = saturating_add(scope.carried_total_bytes, then.total_allocated_bytes - scope.start_total_bytes);
  stats.pushed_at_ns = scope.pushed_at_ns;
  stats.pushed_utc_ns = now.utc_of(scope.pushed_at_ns);
  return stats;
}

ScopeId Tracker::push_scope(std::string_view name) {
  base::require_name("name", name);
  State& state = *state_;
  Scope scope;
  scope.name = name;
  scope.pushed_at_ns = state.now();
  const std::lock_guard changing(state.control);
  state.scopes.reserve(state.scopes.size() + 1);
  scope.id = ++state.last_scope;
  {
    const std::lock_guard guard(state.lock);
    Totals& totals = state.totals;
    scope.start_bytes = totals.current_bytes;
    scope.start_total_bytes = totals.total_allocated_bytes;
    if (!state.scopes.empty()) state.scopes.back().peak_bytes = totals.scope_peak_bytes;
    totals.scope_peak_bytes = totals.current_bytes;
  }
  state.scopes.push_back(std::move(scope));
  return state.last_scope;
}

ScopeStats Tracker::pop_scope(ScopeId scope) {
  State& state = *state_;
  const Moment now = state.moment();
  const std::lock_guard changing(state.control);
  const auto found = std::find_if(state.scopes.begin(), state.scopes.end(), [&](const Scope& each) { return each.id == scope; });
  if (found == state.scopes.end()) base::fail(base::Status::not_found, "scope is ", scope, "; unknown or closed scope");
  const Scope& innermost = state.scopes.back();
  if (innermost.id != scope) {
    base::fail(base::Status::invalid_state, "scope is ", scope, " (", base::quote(found->name), "); the nested scope ",
               innermost.id, " (", base::quote(innermost.name), ") is still open");
  }
  std::string name = found->name;  // nothing may fail after the parent's peak is updated
  Totals then;
  {
    const std::lock_guard guard(state.lock);
    then = state.totals;
    if (state.scopes.size() > 1) {
      const Scope& parent = state.scopes[state.scopes.size() - 2];
      state.totals.scope_peak_bytes = std::max(then.scope_peak_bytes, parent.peak_bytes);
    }
  }
  ScopeStats stats = state.describe_scope(state.scopes.size() - 1, std::move(name), then, now);
  state.scopes.pop_back();
  return stats;
}

ScopeStats Tracker::scope_stats(ScopeId scope) const {
  State& state = *state_;
  const Moment now = state.moment();
  const std::lock_guard reading(state.control);
  const auto found = std::find_if(state.scopes.begin(), state.scopes.end(), [&](const Scope& each) { return each.id == scope; });
  if (found == state.scopes.end()) base::fail(base::Status::not_found, "scope is ", scope, "; unknown or closed scope");
  Totals then;
  {
    const std::lock_guard guard(state.lock);
    then = state.totals;
  }
  return state.describe_scope(static_cast<std::size_t>(found - state.scopes.begin()), found->name, then, now);
}

}  // namespace ckpt::memory
