#include "report/plan_sections.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "report/replay.h"
#include "report/schedule_picture.h"
#include "text.h"

namespace ckpt::cli::report {
namespace {

std::string place(std::size_t layer, const char* key) { return cat("/layers/", layer, "/", key); }

std::string step_words(const Figures& figures) {
  const bool timed = figures.value("/plans/0/plan_seconds") > 0;
  return cat("Schedule ", escaped(figures.at("/plans/0/plan").get<std::string>()), ": peak ",
             figures.bytes("/plans/0/plan_peak_bytes"), " live. ", figures.count("/plans/0/plan_recomputed_forwards"), " of ",
             figures.count("/plans/0/plan_forwards"), " forwards recompute dropped activations",
             timed ? cat(", ", figures.percent("/plans/0/plan_recomputed_share", 1), " of the step&#39;s ",
                         figures.duration("/plans/0/plan_seconds"), ". Times are those of the profile.")
                   : std::string(". The profile has no times: all layer runs are drawn with equal length."),
             figures.has("/plans/0/measured_seconds")
                 ? cat(" Executed steps took ", figures.duration("/plans/0/measured_seconds"),
                       " each; the times of their layers add up to ", figures.duration("/plans/0/refined_seconds"), ".")
                 : std::string());
}

}  // namespace

std::string step_section(const Figures& figures, const Plan& plan) {
  const Replay step = replay(plan.schedule, *plan.profile, plan.stage);
  const std::string out = cat("<section><h2>Planned step</h2>\n<p>", step_words(figures), "</p>\n");
  if (step.operations.size() > max_operations)
    return out + "<p class=\"note\">The step has too many operations for a chart.</p></section>\n";
  const std::int64_t budget = figures.has("/budget_bytes") ? figures.at("/budget_bytes").get<std::int64_t>() : 0;
  return cat(out, "<h3>Memory</h3>\n", memory_legend(budget > 0),
             memory_plot(plan, step, "Memory during a step", budget, 260, "step").html(), "<h3>Layers</h3>\n", lanes_legend(step),
             lanes_plot(plan, step, "step").html(), "</section>\n");
}

std::string layers_section(const Figures& figures, std::int64_t once, bool with_stages, const std::string& words) {
  std::vector<std::string> columns = {"layer", "forwards per step", "output", "tape", "forward", "backward"};
  if (with_stages) columns.insert(columns.begin() + 1, "stage");
  Table table("Layers", columns);
  for (std::size_t i = 0; i < figures.at("/layers").size(); ++i) {
    const bool again = figures.value(place(i, "forwards_per_step")) > static_cast<double>(once);
    std::vector<std::string> cells = {
        cat("<svg class=\"key\" aria-hidden=\"true\" viewBox=\"0 0 10 10\"><rect class=\"fill ", again ? "recomputed" : "kept",
            "\" width=\"10\" height=\"10\"/></svg>", escaped(figures.at(place(i, "layer")).get<std::string>())),
        cat(figures.count(place(i, "forwards_per_step")), again ? "\u00d7 recomputed" : "\u00d7 kept"),
        figures.bytes(place(i, "output_bytes")),
        figures.bytes(place(i, "tape_bytes")),
        figures.duration(place(i, "forward_seconds")),
        figures.duration(place(i, "backward_seconds"))};
    if (with_stages) cells.insert(cells.begin() + 1, figures.count(place(i, "stage")));
    table.row(std::move(cells));
  }
  return cat("<section><h2>Layers</h2>\n<p>Bytes and times as profiled", words, ".</p>\n", table.html(), "</section>\n");
}

}  // namespace ckpt::cli::report
