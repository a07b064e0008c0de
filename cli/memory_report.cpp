#include "memory_report.h"

namespace ckpt::cli {
namespace {

// A step of the model has a few hundred events: this covers the first steps and keeps the file small.
constexpr std::size_t longest_timeline = 4096;
constexpr std::int64_t top_layers = 20;

}  // namespace

MemoryReport::MemoryReport(const MemoryTracker& tracker) : tracker_(tracker.handle()) {
  points_.reserve(longest_timeline);
  subscription_ = tracker_.subscribe(CKPT_MEMORY_EVENT_KIND_ALLOCATED | CKPT_MEMORY_EVENT_KIND_FREED, [this](const ckpt_memory_event& event) {
    const std::lock_guard lock(mutex_);
    if (points_.size() == longest_timeline) return tracker_.enable_events(false);
    const std::int64_t bytes = event.kind == CKPT_MEMORY_EVENT_KIND_ALLOCATED ? event.bytes : -event.bytes;
    points_.push_back({event.time_ns, event.current_bytes, bytes, event.layer});
  });
}

nlohmann::json MemoryReport::finish() {
  subscription_.unsubscribe();
  nlohmann::json report = nlohmann::json::parse(tracker_.json(top_layers));
  const MemorySnapshot snapshot = tracker_.snapshot();
  nlohmann::json timeline = nlohmann::json::array();
  for (const Point& point : points_) {
    timeline.push_back({{"ns", point.time_ns - points_.front().time_ns},
                        {"current_bytes", point.current_bytes},
                        {"bytes", point.bytes},
                        {"layer", snapshot.layers.at(static_cast<std::size_t>(point.layer)).name}});
  }
  report["timeline"] = std::move(timeline);
  return report;
}

}  // namespace ckpt::cli
