#include "memory/tracker.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/error.h"

namespace ckpt::memory {

struct Tracker::State {
  struct Allocation {
    LayerId layer;
    std::int64_t bytes;
  };
  mutable std::mutex mutex;
  std::unordered_map<std::string, LayerId> layers;
  std::unordered_map<AllocationId, Allocation> live;
  AllocationId last_id = 0;
  Stats stats;
};

Tracker::Tracker() : state_(std::make_unique<State>()) {}
Tracker::~Tracker() = default;

LayerId Tracker::layer(std::string_view name) {
  base::require_name("name", name);
  const std::lock_guard lock(state_->mutex);
  return state_->layers.try_emplace(std::string(name), static_cast<LayerId>(state_->layers.size())).first->second;
}

AllocationId Tracker::allocate(LayerId layer, std::int64_t bytes) {
  base::require(bytes > 0, "bytes is ", bytes, "; at least 1");
  const std::lock_guard lock(state_->mutex);
  Stats& stats = state_->stats;
  if (stats.total_allocated_bytes > std::numeric_limits<std::int64_t>::max() - bytes) {
    base::fail(base::Status::out_of_range, "bytes is ", bytes, "; the total would pass INT64_MAX");
  }
  const AllocationId id = ++state_->last_id;
  state_->live.emplace(id, State::Allocation{layer, bytes});
  stats.current_bytes += bytes;
  stats.total_allocated_bytes += bytes;
  stats.peak_bytes = std::max(stats.peak_bytes, stats.current_bytes);
  ++stats.live_allocations;
  ++stats.allocations;
  return id;
}

void Tracker::free(AllocationId allocation) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->live.find(allocation);
  if (found == state_->live.end()) base::fail(base::Status::not_found, "allocation is ", allocation, "; no such live allocation");
  Stats& stats = state_->stats;
  stats.current_bytes -= found->second.bytes;
  stats.total_freed_bytes += found->second.bytes;
  --stats.live_allocations;
  ++stats.frees;
  state_->live.erase(found);
}

Stats Tracker::stats() const {
  const std::lock_guard lock(state_->mutex);
  return state_->stats;
}

}  // namespace ckpt::memory
