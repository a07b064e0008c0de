#include "pipeline/timeline.h"

#include <algorithm>

#include "base/text.h"

namespace ckpt::pipeline {
namespace {

using IntervalKind = Interval::Kind;

struct Style {
  const char* name;
  char letter;
  const char* colour;
};

Style style_of(IntervalKind kind) {
  switch (kind) {
    case IntervalKind::forward: return {"forward", 'F', "#4c78a8"};
    case IntervalKind::recompute: return {"recompute", 'R', "#eeca3b"};
    case IntervalKind::backward: return {"backward", 'B', "#54a24b"};
    case IntervalKind::wait: return {"wait", 'W', "#d9d9d9"};
  }
  return {"", '?', ""};
}

// With three digits, whatever the locale.
std::string thousandths(std::int64_t value) {
  const std::string digits = std::to_string(value % 1000);
  return base::cat(value / 1000, ".", std::string(3 - digits.size(), '0'), digits);
}

constexpr std::int64_t plot_width = 1000;
constexpr std::int64_t left = 70;
constexpr std::int64_t top = 34;
constexpr std::int64_t lane = 34;
constexpr std::int64_t bar = 26;

void append_bar(std::string& out, const Interval& each, std::int64_t step_ns) {
  const Style style = style_of(each.kind);
  const auto x_of = [&](std::int64_t ns) {  // in thousandths of a pixel
    return static_cast<std::int64_t>(static_cast<double>(ns) / static_cast<double>(std::max<std::int64_t>(1, step_ns)) *
                                     static_cast<double>(plot_width * 1000));
  };
  const std::int64_t x = x_of(each.begin_ns);
  const std::int64_t width = std::max<std::int64_t>(x_of(each.end_ns) - x, 200);
  const std::int64_t y = top + each.stage * lane;
  out +=
      base::cat("<rect x=\"", thousandths(x + left * 1000), "\" y=\"", y, "\" width=\"", thousandths(width), "\" height=\"", bar,
                "\" fill=\"", style.colour, "\" stroke=\"#fff\" stroke-width=\"0.5\"><title>stage ", each.stage, ", ", style.name,
                " of micro-batch ", each.micro_batch, each.chunk > 0 ? base::cat(", chunk ", each.chunk) : std::string(), ": ",
                thousandths((each.end_ns - each.begin_ns) / 1000), " ms</title></rect>\n");
  constexpr std::int64_t readable = 16000;
  if (each.kind == IntervalKind::wait || width < readable) return;
  out += base::cat("<text x=\"", thousandths(x + left * 1000 + width / 2), "\" y=\"", y + bar / 2 + 4, "\" text-anchor=\"middle\">",
                   each.micro_batch, "</text>\n");
}

}  // namespace

double Timeline::bubble_fraction() const {
  std::int64_t busy = 0;
  for (const Interval& each : intervals) {
    if (each.kind != IntervalKind::wait) busy += each.end_ns - each.begin_ns;
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
                     each.stage, ",\"ts\":", thousandths(each.begin_ns), ",\"dur\":", thousandths(each.end_ns - each.begin_ns),
                     R"(,"args":{"micro_batch":)", each.micro_batch, ",\"chunk\":", each.chunk, "}},\n");
  }
  out += base::cat(R"({"name":"step","cat":"step","ph":"X","pid":1,"tid":)", timeline.stages,
                   ",\"ts\":0.000,\"dur\":", thousandths(timeline.step_ns), ",\"args\":{}}\n]}\n");
  return out;
}

std::string picture(const Timeline& timeline) {
  const std::int64_t height = top + timeline.stages * lane + 24;
  const std::int64_t width = left + plot_width + 10;
  std::string out = base::cat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width, " ", height, "\" width=\"", width, "\" height=\"", height,
      "\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>Timeline of a pipeline step</title>\n");
  std::int64_t x = left;
  for (const IntervalKind kind : {IntervalKind::forward, IntervalKind::recompute, IntervalKind::backward, IntervalKind::wait}) {
    const Style style = style_of(kind);
    out += base::cat("<rect x=\"", x, "\" y=\"8\" width=\"12\" height=\"12\" fill=\"", style.colour, "\"/><text x=\"", x + 17,
                     "\" y=\"18\">", style.name, "</text>\n");
    x += 110;
  }
  for (std::int32_t stage = 0; stage < timeline.stages; ++stage) {
    const std::int64_t y = top + stage * lane;
    out += base::cat("<text x=\"8\" y=\"", y + bar / 2 + 4, "\">stage ", stage, "</text><rect x=\"", left, "\" y=\"", y,
                     "\" width=\"", plot_width, "\" height=\"", bar, "\" fill=\"#f4f4f4\"/>\n");
  }
  for (const Interval& each : timeline.intervals) append_bar(out, each, timeline.step_ns);
  out += base::cat("<text x=\"", left, "\" y=\"", height - 6, "\">0</text><text x=\"", left + plot_width, "\" y=\"", height - 6,
                   "\" text-anchor=\"end\">", thousandths(timeline.step_ns / 1000), " ms</text>\n</svg>\n");
  return out;
}

}  // namespace ckpt::pipeline
