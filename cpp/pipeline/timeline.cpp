#include "pipeline/timeline.h"

#include <algorithm>

#include "base/text.h"

namespace ckpt::pipeline {
namespace {

using IntervalKind = Interval::Kind;

struct Style {
  const char* name;
  char letter;
};

Style style_of(IntervalKind kind) {
  switch (kind) {
    case IntervalKind::forward: return {"forward", 'F'};
    case IntervalKind::recompute: return {"recompute", 'R'};
    case IntervalKind::backward: return {"backward", 'B'};
    case IntervalKind::wait: return {"wait", 'W'};
  }
  return {"", '?'};
}

// Formats with three decimals, in any locale.
std::string thousandths(std::int64_t value) {
  const std::string digits = std::to_string(value % 1000);
  return base::cat(value / 1000, ".", std::string(3 - digits.size(), '0'), digits);
}

}  // namespace

double Timeline::bubble_fraction() const {
  std::int64_t busy = 0;
  for (const Interval& each : intervals) {
    if (each.kind != IntervalKind::wait) busy += each.end_at_ns - each.begin_at_ns;
  }
  const double all = static_cast<double>(step_ns) * stages;
  return all > 0 ? std::clamp(1 - static_cast<double>(busy) / all, 0.0, 1.0) : 0;
}

std::string trace_json(const Timeline& timeline) {
  std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  for (std::int32_t stage = 0; stage < timeline.stages; ++stage) {
    out += base::cat(R"({"name":"thread_name","ph":"M","pid":1,"tid":)", stage, R"(,"args":{"name":"stage )", stage, "\"}},\n");
  }
  for (const Interval& each : timeline.intervals) {
    const Style style = style_of(each.kind);
    out += base::cat(R"({"name":")", style.letter, each.micro_batch, R"(","cat":")", style.name, R"(","ph":"X","pid":1,"tid":)",
                     each.stage, ",\"ts\":", thousandths(each.begin_at_ns),
                     ",\"dur\":", thousandths(each.end_at_ns - each.begin_at_ns), R"(,"args":{"micro_batch":)", each.micro_batch,
                     ",\"chunk\":", each.chunk, "}},\n");
  }
  out += base::cat(R"({"name":"step","cat":"step","ph":"X","pid":1,"tid":)", timeline.stages,
                   ",\"ts\":0.000,\"dur\":", thousandths(timeline.step_ns), ",\"args\":{}}\n]}\n");
  return out;
}

}  // namespace ckpt::pipeline
