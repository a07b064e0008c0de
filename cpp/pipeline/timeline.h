// A record of each stage's activity in one step, also as trace events for a browser's trace viewer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ckpt::pipeline {

struct Interval {
  // Numbers are those of CKPT_INTERVAL_*.
  enum class Kind : std::int32_t { forward = 1, recompute = 2, backward = 3, wait = 4 };
  Kind kind = Kind::forward;
  std::int32_t stage = 0;
  std::int32_t chunk = 0;
  std::int32_t micro_batch = 0;
  std::int64_t begin_at_ns = 0;  // since the step began
  std::int64_t end_at_ns = 0;
};

struct Timeline {
  std::int32_t stages = 0;
  std::int64_t step_ns = 0;         // duration of the whole step
  std::vector<Interval> intervals;  // by stage, then by time

  // Fraction of all stages' time without computation.
  double bubble_fraction() const;
};

// Format: "Trace Event Format", complete ("X") events, times in microseconds.
std::string trace_json(const Timeline& timeline);

}  // namespace ckpt::pipeline
