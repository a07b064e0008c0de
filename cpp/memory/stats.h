// The tracker's counters, as plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ckpt::memory {

// A dense number for a layer's name, assigned by Tracker::layer.
using LayerId = std::int32_t;
// Identifies an allocation; never 0.
using AllocationId = std::uint64_t;
// Identifies a pushed scope; never 0.
using ScopeId = std::uint64_t;

constexpr LayerId no_layer = -1;

// Returns sum / count, 0 if count is 0.
constexpr std::int64_t average(std::int64_t sum, std::int64_t count) { return count > 0 ? sum / count : 0; }

struct Stats {
  std::int64_t current_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t total_allocated_bytes = 0;
  std::int64_t total_freed_bytes = 0;
  std::int64_t live_allocations = 0;
  std::int64_t allocations = 0;
  std::int64_t frees = 0;
  std::int64_t layer_count = 0;       // known layers
  std::int64_t not_found = 0;         // calls refused for an unknown layer or allocation, double frees included
  std::int64_t refused = 0;           // reservations refused by the limit
  std::int64_t handler_failures = 0;  // event handlers that failed or threw
  std::int64_t taken_at_ns = 0;       // time of the snapshot, on the tracker's clock
  std::uint64_t sequence = 0;         // allocations and frees since the tracker was created; never reset
  std::int64_t taken_utc_ns = 0;      // taken_at_ns by the system's clock

  std::int64_t average_bytes() const { return average(current_bytes, live_allocations); }
};

struct LayerStats {
  LayerId layer_id = no_layer;
  std::string_view name;  // lives as long as the tracker
  std::int64_t current_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t total_allocated_bytes = 0;
  std::int64_t total_freed_bytes = 0;
  std::int64_t live_allocations = 0;
  std::int64_t allocations = 0;
  std::int64_t frees = 0;
  std::int64_t largest_bytes = 0;          // largest single allocation
  std::int64_t last_allocated_at_ns = 0;   // on the tracker's clock; 0 if allocations is 0
  std::int64_t last_freed_at_ns = 0;       // on the tracker's clock; 0 if frees is 0
  std::int64_t last_allocated_utc_ns = 0;  // last_allocated_at_ns on the system's clock: now less the age
  std::int64_t last_freed_utc_ns = 0;

  std::int64_t average_bytes() const { return average(total_allocated_bytes, allocations); }
};

struct ScopeStats {
  ScopeId scope = 0;
  std::string name;
  std::int64_t depth = 0;        // number of enclosing scopes
  std::int64_t start_bytes = 0;  // live bytes when it was pushed
  std::int64_t peak_bytes = 0;   // highest live total since then, of the whole tracker
  std::int64_t net_bytes = 0;    // live now less live at the push; may be negative
  std::int64_t total_allocated_bytes = 0;
  std::int64_t pushed_at_ns = 0;
  std::int64_t pushed_utc_ns = 0;  // on the system's clock: now less the age
};

struct LiveAllocation {
  AllocationId allocation = 0;
  LayerId layer_id = no_layer;
  std::int64_t bytes = 0;
  std::int64_t age_ns = 0;
  std::uint64_t sequence = 0;  // of the allocation: a lower number is older
};

// bytes 0: no limit.
struct Limit {
  std::int64_t bytes = 0;
  std::int64_t hysteresis_bytes = 0;
};

struct Savings {
  std::int64_t bytes = 0;  // negative if more is live than storing everything would take
  double fraction = 0;     // of the size of storing everything; 0 if that size is 0
};

enum class LayerOrder : std::int32_t { by_id = 0, by_current = 1, by_peak = 2 };

// The state at one moment: the sum over all layers is stats.current_bytes.
struct Snapshot {
  Stats stats;
  Limit limit;
  std::vector<LayerStats> layers;  // in the requested order, at most the requested number
  LayerStats rest;                 // sum of the omitted layers; its peak_bytes is 0 because peaks do not add up
  std::vector<ScopeStats> scopes;  // open scopes, outermost first
};

}  // namespace ckpt::memory
