#include "memory_report.h"

#include <nlohmann/json.hpp>

namespace ckpt::cli {
namespace {

// A step of the model has a few hundred events: the limit covers the first steps and keeps the file small.
constexpr std::size_t longest_timeline = 4096;
constexpr std::int64_t top_layers = 20;

}  // namespace

MemoryReport::MemoryReport(const MemoryTracker& tracker) : tracker_(tracker.share()) {
  points_.reserve(longest_timeline);
  subscription_ = tracker_.subscribe(MemoryEventKind::allocated | MemoryEventKind::freed, [this](const MemoryEvent& event) {
    const std::lock_guard lock(mutex_);
    if (points_.size() == longest_timeline) return tracker_.enable_events(false);
    const std::int64_t bytes = event.kind == MemoryEventKind::allocated ? event.bytes : -event.bytes;
    points_.push_back({event.occurred_at, event.current_bytes, bytes, event.layer_id.value_or(0)});
  });
}

nlohmann::json MemoryReport::finish() {
  subscription_.unsubscribe();
  nlohmann::json report = nlohmann::json::parse(tracker_.json(top_layers));
  const MemorySnapshot snapshot = tracker_.snapshot();
  nlohmann::json timeline = nlohmann::json::array();
  for (const Point& point : points_) {
    timeline.push_back({{"ns", (point.at - points_.front().at).count()},
                        {"current_bytes", point.current_bytes},
                        {"bytes", point.bytes},
                        {"layer", snapshot.layers.at(static_cast<std::size_t>(point.layer)).name}});
  }
  report["timeline"] = std::move(timeline);
  return report;
}

}  // namespace ckpt::cli
