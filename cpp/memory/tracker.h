// Exact live and peak bytes, in total and per layer, at a few nanoseconds per event. Thread-safe.
//
// Every change is one short critical section under one spin lock, so the peak is the true maximum of the live total and every
// snapshot is consistent. Event handlers run on the thread that made the change, after the lock is released; they may call the
// tracker.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "memory/events.h"
#include "memory/stats.h"

namespace ckpt::memory {

class Tracker {
 public:
  // clock: timestamps for events; the system's monotonic clock is read through its coarse form.
  explicit Tracker(std::shared_ptr<const base::Clock> clock = base::monotonic_clock());
  ~Tracker();
  Tracker(const Tracker&) = delete;
  Tracker& operator=(const Tracker&) = delete;

  // ---- Layers ----

  // Returns the layer's number, assigned at the first call with this name.
  LayerId layer(std::string_view name);
  // Fails with Error(not_found) for an unknown name.
  LayerId find_layer(std::string_view name) const;
  // NUL-terminated; lives as long as the tracker. Fails with Error(not_found).
  std::string_view layer_name(LayerId layer) const;

  // ---- Recording ----

  // Errors: invalid_argument (bytes), not_found (layer; counted), out_of_range (a sum would exceed INT64_MAX).
  AllocationId allocate(LayerId layer, std::int64_t bytes);
  AllocationId allocate(std::string_view name, std::int64_t bytes);
  // Like allocate, but returns 0 if the live total would exceed the limit.
  AllocationId try_reserve(LayerId layer, std::int64_t bytes);
  AllocationId try_reserve(std::string_view name, std::int64_t bytes);
  // Fails with Error(not_found), counted, for an id that is not live.
  void free(AllocationId allocation);
  // Frees all live allocations of a layer at once and returns their number. Fails with Error(not_found), counted, if there are
  // none.
  std::int64_t free_layer(LayerId layer);
  std::int64_t free_layer(std::string_view name);

  // ---- Reading ----

  Stats stats() const;
  LayerStats layer_stats(LayerId layer) const;
  // Returns the first max_layers layers in that order; all if max_layers is negative.
  Snapshot snapshot(LayerOrder order = LayerOrder::by_id, std::int64_t max_layers = -1) const;
  // Oldest first.
  std::vector<LiveAllocation> live_allocations() const;
  // Compares the live bytes with store_all_bytes (>= 0).
  Savings savings(std::int64_t store_all_bytes) const;

  // Resets the statistics as if the live allocations had just been made. Open scopes, the limit and the sequence are kept.
  void reset_stats();

  // ---- Scopes ----

  ScopeId push_scope(std::string_view name);
  // Errors: not_found, invalid_state if a nested scope is still open.
  ScopeStats pop_scope(ScopeId scope);
  ScopeStats scope_stats(ScopeId scope) const;

  // ---- Limit ----

  // bytes > 0, 0 <= hysteresis_bytes < bytes. limit_exceeded is reported when the live total rises above the limit, and again
  // only after it was below limit - hysteresis. It is reported at once if the live total already exceeds the limit.
  void set_limit(std::int64_t bytes, std::int64_t hysteresis_bytes = 0);
  void clear_limit();
  Limit limit() const;

  // ---- Events ----

  EventHub& events();
  // Reports a new peak only if it exceeds the last reported one by at least this much; the default of 1 reports every peak.
  void set_peak_granularity(std::int64_t bytes);

 private:
  struct State;
  template <bool within_limit>
  AllocationId admit(LayerId layer, std::int64_t bytes);
  template <bool within_limit>
  AllocationId admit_and_notify(LayerId layer, std::int64_t bytes, std::uint32_t wanted);
  std::int64_t free_layer_and_notify(LayerId layer);
  void free_and_notify(AllocationId allocation, std::uint32_t wanted);
  template <bool within_limit>
  AllocationId admit(std::string_view name, std::int64_t bytes);
  LayerId known_layer(std::string_view name) const;

  // Shared, so that a handler may release the tracker that called it.
  std::shared_ptr<State> state_;
};

}  // namespace ckpt::memory
