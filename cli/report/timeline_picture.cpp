#include "report/timeline_picture.h"

#include <algorithm>

#include "report/markup.h"
#include "report/plot.h"
#include "report/schedule_picture.h"
#include "text.h"

namespace ckpt::cli::report {
namespace {

const char* interval_role(IntervalKind kind) {
  return kind == IntervalKind::forward ? "kept" : kind == IntervalKind::recompute ? "recomputed" : "gradient";
}

const char* interval_name(IntervalKind kind) {
  return kind == IntervalKind::forward ? "forward" : kind == IntervalKind::recompute ? "recompute" : "backward";
}

}  // namespace

std::string timeline_picture(const std::vector<PipelineInterval>& intervals, std::int32_t stages,
                             std::chrono::nanoseconds step_time) {
  constexpr int lane_height = 40;
  constexpr double readable = 0.035;  // fraction of the width that a number needs
  const double seconds = std::chrono::duration<double>(step_time).count();
  Scale x = Scale::seconds(seconds);
  const std::string& unit = x.unit();
  Plot plot("Stages over time", cat(stages, " lanes; the step took ", duration_text(seconds), "."), x,
            Scale::lanes(static_cast<std::size_t>(stages)), lane_height * stages);
  plot.units("", unit + " from the start of the step; the numbers are micro-batches").find_by("both");
  for (std::int32_t stage = 0; stage < stages; ++stage) {
    plot.bar(0, seconds, stage + 0.1, stage + 0.9, "lane");
    plot.lane_name(stage + 0.5, cat("stage ", stage));
  }
  std::size_t drawn = 0;
  for (const PipelineInterval& each : intervals) {
    if (each.kind == IntervalKind::wait || ++drawn > max_operations) continue;
    const double begin = std::chrono::duration<double>(each.begin_at).count();
    const double end = std::chrono::duration<double>(each.end_at).count();
    const double middle = (begin + end) / 2;
    plot.bar(begin, end, each.stage + 0.1, each.stage + 0.9, cat(interval_role(each.kind), " edged"));
    plot.value(middle, each.stage + 0.5,
               cat("stage ", each.stage, ", ", interval_name(each.kind), " of micro-batch ", each.micro_batch,
                   each.chunk > 0 ? cat(", chunk ", each.chunk) : std::string(), ": ", duration_text(end - begin), " from ",
                   duration_text(begin)));
    if (end - begin >= readable * seconds) plot.label(middle, each.stage + 0.5, cat(each.micro_batch), "middle", 4, true);
  }
  return plot.html() +
         legend(
             {{"fill kept", "forward"}, {"fill recomputed", "recompute"}, {"fill gradient", "backward"}, {"fill lane", "idle"}}) +
         (drawn > max_operations
              ? cat("<p class=\"note\">The first ", max_operations, " of ", drawn, " operations are drawn.</p>\n")
              : std::string());
}

}  // namespace ckpt::cli::report
