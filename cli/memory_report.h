// The file of `ckpt train --memory-report`: the layers with the most memory, and the timeline of the first steps.
#pragma once

#include <cstdint>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

class MemoryReport {
 public:
  // Records the tracker's events until the timeline is full.
  explicit MemoryReport(const MemoryTracker& tracker);

  // {"totals": ..., "layers": [most first], "timeline": [{"ns", "bytes", "layer", "event"}]}
  nlohmann::json finish();

 private:
  struct Point {
    std::chrono::nanoseconds at;
    std::int64_t current_bytes;
    std::int64_t bytes;  // negative: freed
    std::int32_t layer;
  };

  MemoryTracker tracker_;  // shares the caller's tracker
  std::mutex mutex_;
  std::vector<Point> points_;
  MemorySubscription subscription_;
};

}  // namespace ckpt::cli
