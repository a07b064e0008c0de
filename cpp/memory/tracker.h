// Exact live and peak bytes, in total and per layer. Synchronised.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace ckpt::memory {

// A dense number for a layer's name, given by Tracker::layer.
using LayerId = std::int32_t;
// Names one allocation; 0 is never one.
using AllocationId = std::uint64_t;

struct Stats {
  std::int64_t current_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t total_allocated_bytes = 0;
  std::int64_t total_freed_bytes = 0;
  std::int64_t live_allocations = 0;
  std::int64_t allocations = 0;
  std::int64_t frees = 0;
};

class Tracker {
 public:
  Tracker();
  ~Tracker();
  LayerId layer(std::string_view name);
  AllocationId allocate(LayerId layer, std::int64_t bytes);
  void free(AllocationId allocation);
  Stats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ckpt::memory
