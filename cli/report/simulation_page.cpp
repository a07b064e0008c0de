#include "report/simulation_page.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/markup.h"
#include "report/plot.h"
#include "text.h"

namespace ckpt::cli::report {
namespace {

using nlohmann::json;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double value_or_nothing(const json& value) { return value.is_null() ? nothing : value.get<double>(); }

std::string policy_place(std::size_t index, const char* key) { return cat("/policies/", index, "/", key); }

// The last policies are Daly's interval, the best fixed interval in hindsight, and perfect knowledge of the future.
constexpr std::size_t baselines = 3;

std::size_t policies_of(const Figures& figures) { return figures.at("/policies").size() - baselines; }

std::string policy_of(const Figures& figures, std::size_t index) {
  return figures.at(policy_place(index, "policy")).get<std::string>();
}

double extra_of(const Figures& figures, std::size_t index) {
  return value_or_nothing(figures.at(policy_place(index, "extra_wall")));
}

// Returns the best of the requested policies; 0 if several are equal.
std::size_t best_policy(const Figures& figures) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < policies_of(figures); ++i) {
    if (figures.value(policy_place(i, "efficiency")) > figures.value(policy_place(best, "efficiency"))) best = i;
  }
  return best;
}

// Returns the power of ten below which differences count as small: that of the smallest difference, within four powers of the
// largest.
double small_share(const std::vector<double>& shares) {
  double min = 1;
  double max = 1e-4;
  for (const double share : shares) {
    if (!std::isfinite(share)) continue;
    if (std::abs(share) > 1e-7) min = std::min(min, std::abs(share));
    max = std::max(max, std::abs(share));
  }
  return std::max(std::pow(10, std::floor(std::log10(min))), std::pow(10, std::floor(std::log10(max)) - 4));
}

// ---- Text ----

std::string lede(const Figures& figures, const SimulateOptions& options) {
  const bool law = figures.at("/source") != "trace";
  const std::string machine =
      law ? cat(count_text(options.nodes), options.nodes == 1 ? " node that fails" : " nodes that fail", ", distribution ",
                escaped(printable(options.trace)), ", ", figures.count("/replicas"),
                figures.value("/replicas") == 1 ? " run of " : " runs of ", figures.count("/failures"), " failures each")
          : cat(figures.count("/failures"), " failures from the trace ",
                escaped(printable(options.trace.substr(options.trace.rfind('/') + 1))));
  const std::string levels = figures.value("/remote_every") > 1
                                 ? cat(" One in ", figures.count("/remote_every"), " saves is remote; a local save costs ",
                                       figures.duration("/local_cost_seconds"), " and is destroyed by ",
                                       figures.percent("/remote_share", 1), " of the failures.")
                                 : std::string();
  return cat("<p class=\"lede\">Each policy was simulated with ", machine, "; the MTBF is ", figures.duration("/mtbf_seconds"),
             ". A save costs ", figures.duration("/cost_seconds"), ", a restart ", figures.duration("/restart_seconds"),
             "; a policy is queried every ", figures.duration("/poll_seconds"), ".", levels, "</p>\n");
}

std::string simulation_facts(const Figures& figures) {
  const std::size_t best = best_policy(figures);
  const std::size_t bound = figures.at("/policies").size() - 1;
  return facts(
      {{"Best policy", escaped(policy_of(figures, best)),
        cat(figures.percent(policy_place(best, "efficiency"), 3), " efficiency (useful work per time)")},
       {"Daly's interval", figures.duration("/daly_interval_seconds"), "with the true MTBF and cost"},
       {"Best fixed interval", figures.duration("/best_fixed_interval_seconds"), "in hindsight"},
       {"Upper bound", figures.percent(policy_place(bound, "efficiency"), 3), "efficiency if all failures were known in advance"}});
}

// ---- Policies compared with Daly's interval ----

std::string policies_plot(const Figures& figures) {
  std::vector<std::size_t> order(figures.at("/policies").size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t index) {
    const double extra = extra_of(figures, index);
    return std::isfinite(extra) ? extra : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<double> extras;
  double low = 0;
  double high = 0;
  for (const std::size_t index : order) {
    extras.push_back(extra_of(figures, index));
    if (!std::isfinite(extras.back())) continue;
    low = std::min(low, extras.back());
    high = std::max(high, extras.back());
  }
  constexpr int lane_height = 42;
  const double min = small_share(extras);
  Plot plot("Extra time of each policy", "Relative to Daly's interval with the true MTBF and cost; less is better.",
            Scale::signed_shares(std::min(low * 2.5, -min), std::max(high * 2.5, min), min), Scale::lanes(order.size()),
            lane_height * static_cast<int>(order.size()));
  plot.units("", "extra time for the same work (logarithmic axis)").find_by("y").wide();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t index = order[i];
    const auto lane = static_cast<double>(i);
    const std::string extra = std::isfinite(extras[i]) ? percent_text(extras[i], 3, "+") : std::string("no work finished");
    const std::string efficiency = percent_text(figures.value(policy_place(index, "efficiency")), 3);
    const bool baseline = index >= policies_of(figures);
    plot.label(-1e9, lane + 0.5, policy_of(figures, index), "start", -6).label(1e9, lane + 0.5, extra, "end", -6);
    plot.bar(-1e9, 1e9, lane + 0.715, lane + 0.745, "track");
    if (std::isfinite(extras[i])) plot.dot(extras[i], lane + 0.73, baseline ? "aside" : "kept");
    plot.value(
        std::isfinite(extras[i]) ? extras[i] : 0, lane + 0.73,
        cat(policy_of(figures, index), ": ", extra, std::isfinite(extras[i]) ? " time" : "", "; ", efficiency, " efficiency"));
  }
  return plot.html() + legend({{"fill kept", "policies"}, {"fill aside", "for comparison"}});
}

std::string policies_table(const Figures& figures) {
  Table table("Policies", {"policy", "efficiency", "extra time", "first 10 failures", "first 100", "after 100"});
  for (std::size_t i = 0; i < figures.at("/policies").size(); ++i) {
    table.row({escaped(policy_of(figures, i)), figures.percent(policy_place(i, "efficiency"), 3),
               figures.percent(policy_place(i, "extra_wall"), 3, "+"),
               figures.percent(policy_place(i, "extra_wall_first_10"), 3, "+"),
               figures.percent(policy_place(i, "extra_wall_first_100"), 3, "+"),
               figures.percent(policy_place(i, "extra_wall_after_100"), 3, "+")});
  }
  return table.html();
}

// ---- Efficiency by interval ----

std::string interval_plot(const Figures& figures) {
  Curve curve;
  double low = 1;
  double high = 0;
  for (const json& point : figures.at("/fixed_intervals")) {
    curve.emplace_back(point.at(0).get<double>(), point.at(1).get<double>());
    low = std::min(low, curve.back().second);
    high = std::max(high, curve.back().second);
  }
  const std::size_t policies = figures.at("/policies").size();
  const double bound = figures.value(policy_place(policies - 1, "efficiency"));
  const double best = figures.value(policy_place(policies - 2, "efficiency"));
  const double daly = figures.value(policy_place(policies - 3, "efficiency"));
  const double best_interval = figures.value("/best_fixed_interval_seconds");
  const double daly_interval = figures.value("/daly_interval_seconds");
  Plot plot("Efficiency by interval", cat("Best at ", duration_text(best_interval), ", with ", percent_text(best, 3), "."),
            Scale::durations(curve.front().first, curve.back().first),
            Scale::nines(std::max(0.0, low - 0.02), 1 - (1 - std::max(bound, high)) * 0.8), 280);
  plot.units("efficiency", "interval between saves").line(curve, "kept");
  plot.level(bound, "aside", cat("all failures known ", percent_text(bound, 2)));
  plot.dot(daly_interval, daly, "aside").dot(best_interval, best, "kept");
  for (const auto& [interval, efficiency] : curve)
    plot.value(interval, efficiency, cat("interval ", duration_text(interval), ": ", percent_text(efficiency, 3)));
  return plot.html() +
         legend({{"line kept", "fixed intervals"}, {"fill kept", "the best of them"}, {"fill aside", "Daly's interval"}});
}

// ---- Learning curves ----

std::string learning_curves(const Figures& figures) {
  const json& curves = figures.at("/extra_wall_curves");
  std::vector<Curve> all;
  double low = -1e-3;
  double high = 1e-3;
  for (const json& each : curves) {
    Curve curve;
    for (const json& point : each.at("points")) {
      curve.emplace_back(point.at(0).get<double>(), value_or_nothing(point.at(1)));
      if (!std::isfinite(curve.back().second)) continue;
      low = std::min(low, curve.back().second);
      high = std::max(high, curve.back().second);
    }
    all.push_back(std::move(curve));
  }
  std::string out = "<div class=\"multiples\">\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = curves.at(i).at("policy").get<std::string>();
    const double end = all[i].back().second;
    Plot plot(cat("Extra time of ", name),
              cat("After all failures: ", std::isfinite(end) ? percent_text(end, 3, "+") : std::string("no work finished"), "."),
              Scale::counts(1, std::max(2.0, figures.value("/failures"))), Scale::signed_shares(low * 1.5, high * 1.5, 1e-3), 160);
    plot.units("extra time", "failures so far");
    for (std::size_t other = 0; other < all.size(); ++other) {
      if (other != i) plot.also(cat("curve-", other));
    }
    plot.named(cat("curve-", i)).line(all[i], "kept");
    for (const auto& [failures, extra] : all[i]) {
      if (std::isfinite(extra)) {
        plot.value(failures, extra,
                   cat("after ", count_text(static_cast<std::int64_t>(failures)), ": ", percent_text(extra, 3, "+")));
      }
    }
    out += cat("<div><h3>", escaped(name), "</h3>\n", plot.html(), "</div>\n");
  }
  return out + "</div>\n";
}

// ---- Failures ----

std::string failures_plot(const Figures& figures) {
  const json& bins = figures.at("/failure_gaps");
  if (bins.empty()) return "";
  const double mtbf = figures.value("/mtbf_seconds");
  double total = 0;
  for (const json& bin : bins) total += bin.at(2).get<double>();
  const double first =
      bins.front().at(0).get<double>() > 0 ? bins.front().at(0).get<double>() : bins.front().at(1).get<double>() / 1.5;
  double max = 0;
  Curve memoryless;
  for (const json& bin : bins) {
    const double from = std::max(first, bin.at(0).get<double>());
    const double to = bin.at(1).get<double>();
    const double expected = total * (std::exp(-bin.at(0).get<double>() / mtbf) - std::exp(-to / mtbf));
    memoryless.emplace_back(from, expected);
    memoryless.emplace_back(to, expected);
    max = std::max({max, expected, bin.at(2).get<double>()});
  }
  Plot plot("Times between failures",
            cat(count_text(static_cast<std::int64_t>(total)), " in total; MTBF ", duration_text(mtbf), "."),
            Scale::durations(first, bins.back().at(1).get<double>()), Scale::linear(0, max, 0), 240);
  plot.units("failures", "time since the previous failure");
  for (const json& bin : bins) {
    const double from = std::max(first, bin.at(0).get<double>());
    const double to = bin.at(1).get<double>();
    const double count = bin.at(2).get<double>();
    if (count > 0) plot.bar(from, to, 0, count, "failure edged");
    plot.value(
        std::sqrt(from * to), count,
        cat(duration_text(bin.at(0).get<double>()), " to ", duration_text(to), ": ", count_text(bin.at(2).get<std::int64_t>()),
            count == 1 ? " failure (" : " failures (", percent_text(count / total, 2), ")"));
  }
  plot.line(memoryless, "budget");
  return plot.html() + legend({{"fill failure", "failures"}, {"line budget", "exponential distribution with the same MTBF"}});
}

std::string failures_table(const Figures& figures) {
  Table table("Times between failures", {"from", "to", "failures"});
  for (std::size_t i = 0; i < figures.at("/failure_gaps").size(); ++i) {
    table.row({figures.duration(cat("/failure_gaps/", i, "/0")), figures.duration(cat("/failure_gaps/", i, "/1")),
               figures.count(cat("/failure_gaps/", i, "/2"))});
  }
  return table.html();
}

std::string simulation_title(const Figures& figures) {
  const std::size_t best = best_policy(figures);
  return cat("Checkpoint policies: ", policy_of(figures, best), " reaches ",
             percent_text(figures.value(policy_place(best, "efficiency")), 2), " efficiency");
}

}  // namespace

std::string simulation_page(const json& result, const SimulateOptions& options) {
  const Figures figures(result);
  std::string body = cat(lede(figures, options), simulation_facts(figures),
                         "<section><h2>Policies</h2>\n<p>Extra time for the same work, relative to Daly&#39;s interval (",
                         figures.duration("/daly_interval_seconds"), ") with the true MTBF and cost. Further left is better.</p>\n",
                         policies_plot(figures), details("Policies as a table", policies_table(figures)),
                         "</section>\n<div class=\"columns\"><section><h2>Efficiency by interval</h2>\n", interval_plot(figures),
                         "</section>\n<section><h2>Failures</h2>\n", failures_plot(figures),
                         details("Times between failures as a table", failures_table(figures)), "</section></div>\n");
  if (policies_of(figures) > 0) {
    body +=
        cat("<section><h2>Learning curves</h2>\n<p>Extra time by number of failures, over all runs. Grey: the other "
            "policies.</p>\n",
            learning_curves(figures), "</section>\n");
  }
  body += cat("<section><h2>Configuration</h2>\n",
              definitions({{"failures", cat(figures.count("/failures"), " in each of ", figures.count("/replicas"), " runs")},
                           {"source", figures.at("/source") == "trace" ? "a trace" : escaped(printable(options.trace))},
                           {"nodes", count_text(options.nodes)},
                           {"seed", cat(options.seed)},
                           {"cost of a save", figures.duration("/cost_seconds")},
                           {"restart", figures.duration("/restart_seconds")},
                           {"query interval", figures.duration("/poll_seconds")}}),
              details("All figures (JSON)", cat("<pre tabindex=\"0\">", escaped(result.dump(2)), "</pre>")), "</section>\n");
  return page(simulation_title(figures), "ckpt simulate", body, result);
}

}  // namespace ckpt::cli::report
