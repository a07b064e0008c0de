#include "timeline_picture.h"

#include <algorithm>

#include "text.h"

namespace ckpt::cli {
namespace {

struct Style {
  const char* name;
  const char* colour;
};

Style style_of(IntervalKind kind) {
  switch (kind) {
    case IntervalKind::forward: return {"forward", "#4c78a8"};
    case IntervalKind::recompute: return {"recompute", "#eeca3b"};
    case IntervalKind::backward: return {"backward", "#54a24b"};
    case IntervalKind::wait: return {"wait", "#d9d9d9"};
    default: return {"", ""};
  }
}

// With three digits, whatever the locale.
std::string thousandths(std::int64_t value) {
  const std::string digits = std::to_string(value % 1000);
  return cat(value / 1000, ".", std::string(3 - digits.size(), '0'), digits);
}

constexpr std::int64_t plot_width = 1000;
constexpr std::int64_t left = 70;
constexpr std::int64_t top = 34;
constexpr std::int64_t lane = 34;
constexpr std::int64_t bar = 26;

void append_bar(std::string& out, const PipelineInterval& each, std::int64_t step_ns) {
  const Style style = style_of(each.kind);
  const auto x_of = [&](std::int64_t ns) {  // in thousandths of a pixel
    return static_cast<std::int64_t>(static_cast<double>(ns) / static_cast<double>(std::max<std::int64_t>(1, step_ns)) *
                                     static_cast<double>(plot_width * 1000));
  };
  const std::int64_t x = x_of(each.begin_at.count());
  const std::int64_t width = std::max<std::int64_t>(x_of(each.end_at.count()) - x, 200);
  const std::int64_t y = top + each.stage * lane;
  out += cat("<rect x=\"", thousandths(x + left * 1000), "\" y=\"", y, "\" width=\"", thousandths(width), "\" height=\"", bar,
             "\" fill=\"", style.colour, "\" stroke=\"#fff\" stroke-width=\"0.5\"><title>stage ", each.stage, ", ", style.name,
             " of micro-batch ", each.micro_batch, each.chunk > 0 ? cat(", chunk ", each.chunk) : std::string(), ": ",
             thousandths((each.end_at - each.begin_at).count() / 1000), " ms</title></rect>\n");
  constexpr std::int64_t readable = 16000;
  if (each.kind == IntervalKind::wait || width < readable) return;
  out += cat("<text x=\"", thousandths(x + left * 1000 + width / 2), "\" y=\"", y + bar / 2 + 4, "\" text-anchor=\"middle\">",
             each.micro_batch, "</text>\n");
}

}  // namespace

std::string timeline_picture(const std::vector<PipelineInterval>& intervals, std::int32_t stages,
                             std::chrono::nanoseconds step_time) {
  const std::int64_t step_ns = step_time.count();
  const std::int64_t height = top + stages * lane + 24;
  const std::int64_t width = left + plot_width + 10;
  std::string out =
      cat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width, " ", height, "\" width=\"", width, "\" height=\"",
          height, "\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>Timeline of a pipeline step</title>\n");
  std::int64_t x = left;
  for (const IntervalKind kind : {IntervalKind::forward, IntervalKind::recompute, IntervalKind::backward, IntervalKind::wait}) {
    const Style style = style_of(kind);
    out += cat("<rect x=\"", x, "\" y=\"8\" width=\"12\" height=\"12\" fill=\"", style.colour, "\"/><text x=\"", x + 17,
               "\" y=\"18\">", style.name, "</text>\n");
    x += 110;
  }
  for (std::int32_t stage = 0; stage < stages; ++stage) {
    const std::int64_t y = top + stage * lane;
    out += cat("<text x=\"8\" y=\"", y + bar / 2 + 4, "\">stage ", stage, "</text><rect x=\"", left, "\" y=\"", y, "\" width=\"",
               plot_width, "\" height=\"", bar, "\" fill=\"#f4f4f4\"/>\n");
  }
  for (const PipelineInterval& each : intervals) append_bar(out, each, step_ns);
  out += cat("<text x=\"", left, "\" y=\"", height - 6, "\">0</text><text x=\"", left + plot_width, "\" y=\"", height - 6,
             "\" text-anchor=\"end\">", thousandths(step_ns / 1000), " ms</text>\n</svg>\n");
  return out;
}

}  // namespace ckpt::cli
