#include "report/plan_page.h"

#include <nlohmann/json.hpp>

#include "frontier.h"
#include "model.h"
#include "planner.h"
#include "report/frontier_picture.h"
#include "report/markup.h"
#include "report/plan_sections.h"
#include "report/scale.h"
#include "text.h"

namespace ckpt::cli::report {
namespace {

using nlohmann::json;

bool plan_is_timed(const Figures& figures) { return figures.at("/timed").get<bool>(); }

std::string length_of(const Figures& figures, const std::string& cost) {
  return plan_is_timed(figures) ? figures.duration(cost + "/step_seconds") : figures.count(cost + "/forwards");
}

// ---- Text ----

std::string chain_name(const Figures& figures) {
  if (figures.all().contains("profile")) return escaped(printable(figures.at("/profile").get<std::string>()));
  return cat("the model of ckpt train (", model_text(figures.all()), ") with ", figures.count("/batch"), " samples per step");
}

std::string lede(const Figures& figures, const PlanOptions& options) {
  const char* const forwards = plan_is_timed(figures) ? "" : " forwards";
  const bool percent = !options.budget.empty() && options.budget.back() == '%';
  return cat("<p class=\"lede\">The chain is ", chain_name(figures), ", ", figures.count("/layer_count"),
             " layers. Storing everything would reserve ", figures.bytes("/store_all/reserved_bytes"), " and take ",
             length_of(figures, "/store_all"), forwards, " per step. ",
             figures.has("/budget_bytes")
                 ? cat("Within a budget of ", figures.bytes("/budget_bytes"),
                       percent ? cat(", ", escaped(printable(options.budget)), " of that") : std::string(), ", the ")
                 : std::string("The "),
             "schedule of ", escaped(printable(planner_label(figures.at("/chosen")))), " reserves ",
             figures.bytes("/chosen/reserved_bytes"), " and takes ", length_of(figures, "/chosen"), forwards, ": ",
             figures.number("/chosen/times_store_all", 2), " times as long as storing everything.</p>\n");
}

// Joins a number and its unit with a no-break space.
std::string unbroken(std::string text) {
  for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at)) text.replace(at, 1, "\u00a0");
  return text;
}

std::string plan_title(const json& figures) {
  const json& chosen = figures.at("chosen");
  const std::string memory = bytes_text(chosen.at("reserved_bytes").get<std::int64_t>());
  const std::string length = figures.at("timed").get<bool>() ? duration_text(chosen.at("step_seconds").get<double>())
                                                             : count_text(chosen.at("forwards").get<std::int64_t>()) + " forwards";
  const std::string budget = figures.contains("budget_bytes")
                                 ? cat(", in a budget of ", unbroken(bytes_text(figures.at("budget_bytes").get<std::int64_t>())))
                                 : std::string();
  return cat(unbroken(memory), " of activations and ", unbroken(length), " per step", budget);
}

std::string plan_facts(const Figures& figures) {
  return facts(
      {{"Memory for activations", figures.bytes("/chosen/reserved_bytes"),
        cat("storing everything: ", figures.bytes("/store_all/reserved_bytes"))},
       {plan_is_timed(figures) ? "Time per step" : "Forwards per step", length_of(figures, "/chosen"),
        cat(figures.number("/chosen/times_store_all", 3), " times that of storing everything")},
       {"Recomputed forwards", figures.count("/chosen/recomputed_forwards"), cat("of ", figures.count("/chosen/forwards"))},
       {"Planned in", figures.duration("/chosen/planning_seconds"), escaped(printable(planner_label(figures.at("/chosen"))))}});
}

// ---- Planners ----

std::vector<std::string> columns(const Figures& figures) {
  return {"planner",
          "peak live",
          "reserved",
          "share of storing everything",
          plan_is_timed(figures) ? "time per step" : "forwards per step",
          "relative to storing everything",
          "recomputed forwards"};
}

std::vector<std::string> cells(const Figures& figures, const std::string& name, const std::string& cost) {
  return {escaped(printable(name)),
          figures.bytes(cost + "/live_bytes"),
          figures.bytes(cost + "/reserved_bytes"),
          figures.percent(cost + "/store_all_share", 1),
          length_of(figures, cost),
          figures.number(cost + "/times_store_all", 3),
          figures.count(cost + "/recomputed_forwards")};
}

std::string comparison(const Figures& figures) {
  if (!figures.all().contains("comparison")) return "";
  Table table("Planners at this budget", columns(figures));
  Definitions refused;
  const json& rows = figures.at("/comparison");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.at(i).contains("refused")) {
      refused.emplace_back(planner_name(rows.at(i).at("planner").get<std::string>()),
                           escaped(rows.at(i).at("refused").get<std::string>()));
      continue;
    }
    const bool fits = rows.at(i).at("fits").get<bool>();
    table.row(cells(figures, cat(planner_label(rows.at(i)), fits ? "" : " (exceeds the budget)"), cat("/comparison/", i)));
  }
  return cat(
      "<section><h2>Planners at this budget</h2>\n<p>Fastest first. Planners with slots use the largest number that fits.</p>\n",
      table.html(),
      refused.empty() ? std::string() : details("Planners not applicable to this chain and budget", definitions(refused)),
      "</section>\n");
}

// The table of the chosen planner. The values of the others are in the plots, and all are in the JSON.
std::string frontier_table(const Figures& figures) {
  constexpr std::size_t max_rows = 24;
  const std::string own = planner_name(figures.at("/chosen/planner").get<std::string>());
  const json& frontiers = figures.at("/frontiers");
  for (std::size_t f = 0; f < frontiers.size(); ++f) {
    if (frontiers.at(f).at("planner") != own) continue;
    const json& points = frontiers.at(f).at("points");
    const std::size_t every = (points.size() + max_rows - 1) / max_rows;
    Table table(cat("Frontier of ", own), columns(figures));
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool chosen = is_chosen(points.at(i), frontiers.at(f), figures.all());
      if (i % every != 0 && i + 1 != points.size() && !chosen) continue;
      table.row(cells(figures, cat(own, chosen ? " (this schedule)" : ""), cat("/frontiers/", f, "/points/", i)));
    }
    return details(cat("The frontier of ", own, " as a table"), table.html());
  }
  return "";
}

std::string time_over_memory(const Figures& figures) {
  return cat(
      "<section><h2>Step time by memory</h2>\n<p>The step time of each planner at every budget: lower is faster, further right "
      "uses "
      "more memory. A budget limits reserved bytes.</p>\n",
      frontier_pictures(figures), frontier_table(figures), "</section>\n");
}

// ---- Run ----

std::string configuration_section(const Figures& figures) {
  const auto left_out = figures.at("/chosen/left_out").get<std::string>();
  Definitions all = {{"chain", cat(chain_name(figures), ", ", figures.count("/layer_count"), " layers")},
                     {"planner", escaped(printable(figures.at("/chosen/planner").get<std::string>()))},
                     {"schedule", escaped(printable(figures.at("/chosen/schedule").get<std::string>()))}};
  if (figures.has("/budget_bytes")) all.emplace_back("budget", cat(figures.plain("/budget_bytes"), " bytes"));
  if (figures.value("/chosen/stored_bytes") > 0) {
    all.emplace_back("slower tiers", cat(figures.bytes("/chosen/stored_bytes"), " written, ", figures.bytes("/chosen/loaded_bytes"),
                                         " read back; total wait ", figures.duration("/chosen/wait_seconds"), " per step"));
  }
  if (!left_out.empty()) all.emplace_back("not considered", escaped(printable(left_out)));
  all.emplace_back("library", escaped(figures.at("/library").get<std::string>()));
  return cat("<section><h2>Configuration</h2>\n", definitions(all),
             details("All figures (JSON)", cat("<pre tabindex=\"0\">", escaped(figures.all().dump(2)), "</pre>")), "</section>\n");
}

}  // namespace

std::string plan_page(const json& result, const PlanOptions& options, const Plan& plan) {
  const Figures figures(result);
  const std::string body = cat(lede(figures, options), plan_facts(figures), time_over_memory(figures), comparison(figures),
                               step_section(figures, plan), layers_section(figures, 1, false, ""), configuration_section(figures));
  return page(plan_title(result), "ckpt plan", body, result);
}

}  // namespace ckpt::cli::report
