#include "simulation_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "text.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;
using Points = std::vector<std::pair<double, double>>;

constexpr double width = 860;
constexpr double height = 360;
constexpr double margin = 60;
constexpr double label_height = 11;
constexpr std::array<const char*, 8> colours = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728",
                                                "#9467bd", "#8c564b", "#e377c2", "#17becf"};

const char* colour(std::size_t index) { return colours[index % colours.size()]; }

// Three digits behind the point.
std::string short_number(double value) { return std::isfinite(value) ? fixed_text(value, 3) : "-"; }

// What has no finite value is null in JSON.
double number(const json& value) { return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>(); }

std::string percent(double share) { return cat(short_number(100 * share), "%"); }

// A chart with a logarithmic x axis.
class Chart {
 public:
  Chart(double first_x, double last_x, double low_y, double high_y)
      : first_(std::log(std::max(first_x, std::numeric_limits<double>::min()))),
        last_(std::log(last_x)),
        low_(low_y),
        high_(high_y) {
    if (!(last_ > first_)) last_ = first_ + 1;
    if (!(high_ > low_)) high_ = low_ + 1;
  }

  void line(const Points& points, const char* stroke) {
    body_ += cat("<polyline fill='none' stroke='", stroke, "' stroke-width='1.5' points='");
    for (const auto& [px, py] : points) {
      if (std::isfinite(py)) body_ += cat(short_number(x(px)), ",", short_number(y(py)), " ");
    }
    body_ += "'/>\n";
  }
  // The label is left out where it would lie on another: the table shows the colours too.
  void level(double value, const char* stroke, const std::string& label) {
    line({{std::exp(first_), value}, {std::exp(last_), value}}, stroke);
    const double at = y(value);
    if (std::any_of(labels_.begin(), labels_.end(), [&](double taken) { return std::abs(taken - at) < label_height; })) return;
    labels_.push_back(at);
    body_ += cat("<text x='", width - margin, "' y='", short_number(at - 3), "' text-anchor='end' fill='", stroke, "'>",
                 escaped(label), "</text>\n");
  }
  std::string svg(const char* x_title) const {
    std::string out =
        cat("<svg viewBox='0 0 ", width, " ", height, "' width='", width, "' font-size='11' font-family='sans-serif'>\n");
    for (int i = 0; i <= 4; ++i) {
      const double value = low_ + (high_ - low_) * i / 4;
      out += cat("<line x1='", margin, "' x2='", width - margin, "' y1='", short_number(y(value)), "' y2='", short_number(y(value)),
                 "' stroke='#ddd'/><text x='", margin - 5, "' y='", short_number(y(value) + 4), "' text-anchor='end'>",
                 percent(value), "</text>\n");
    }
    for (double mark = std::pow(10, std::ceil(first_ / std::log(10.0))); std::log(mark) <= last_; mark *= 10) {
      out += cat("<line y1='", margin / 2, "' y2='", height - margin, "' x1='", short_number(x(mark)), "' x2='",
                 short_number(x(mark)), "' stroke='#ddd'/><text x='", short_number(x(mark)), "' y='", height - margin + 15,
                 "' text-anchor='middle'>", mark, "</text>\n");
    }
    return cat(out, body_, "<text x='", width / 2, "' y='", height - 15, "' text-anchor='middle'>", x_title, "</text>\n</svg>\n");
  }

 private:
  double x(double value) const { return margin + (std::log(value) - first_) / (last_ - first_) * (width - 2 * margin); }
  double y(double value) const {
    const double share = (std::clamp(value, low_, high_) - low_) / (high_ - low_);
    return height - margin - share * (height - 1.5 * margin);
  }

  double first_;
  double last_;
  double low_;
  double high_;
  std::vector<double> labels_;  // where they stand
  std::string body_;
};

Points points_of(const json& list) {
  Points points;
  for (const json& point : list) points.emplace_back(number(point.at(0)), number(point.at(1)));
  return points;
}

// Behind the policies stand Daly's interval, the best fixed one in hindsight, and what knows the future.
constexpr std::size_t baselines = 3;

std::string extra_chart(const json& result) {
  Chart chart(1, result.at("failures").get<double>(), -0.05, 0.05);
  chart.level(0, "#000", "daly, true MTBF and cost");
  const json& curves = result.at("extra_wall_curves");
  for (std::size_t i = 0; i < curves.size(); ++i) chart.line(points_of(curves.at(i).at("points")), colour(i));
  return chart.svg("failures so far (cut at 5%)");
}

std::string interval_chart(const json& result) {
  const Points fixed = points_of(result.at("fixed_intervals"));
  const json& rows = result.at("policies");
  const json& clairvoyant = rows.back();
  const auto efficiency = [](const json& row) { return number(row.at("efficiency")); };
  double low = 1;
  double high = efficiency(clairvoyant);
  for (const auto& [interval, share] : fixed) high = std::max(high, share);
  for (std::size_t i = 0; i + baselines < rows.size(); ++i) low = std::min(low, efficiency(rows.at(i)));
  Chart chart(fixed.front().first, fixed.back().first, std::max(0.0, std::min(low, high - 0.1)), high);
  chart.line(fixed, "#000");
  for (std::size_t i = 0; i + baselines < rows.size(); ++i)
    chart.level(efficiency(rows.at(i)), colour(i), rows.at(i).at("policy").get<std::string>());
  chart.level(efficiency(clairvoyant), "#888", clairvoyant.at("policy").get<std::string>());
  return chart.svg("fixed interval in seconds (the black curve); levels: policies");
}

std::string row(const json& policy, std::int64_t failures, const char* stroke) {
  const auto extra = [&](const char* name, std::int64_t first, std::int64_t last) {
    return last > failures || first >= last ? std::string("-") : percent(number(policy.at(name)));
  };
  return cat("<tr><td style='color:", stroke, "'>", escaped(policy.at("policy").get<std::string>()), "</td><td>",
             percent(number(policy.at("efficiency"))), "</td><td>", extra("extra_wall", 0, failures), "</td><td>",
             extra("extra_wall_first_10", 0, 10), "</td><td>", extra("extra_wall_first_100", 0, 100), "</td><td>",
             extra("extra_wall_after_100", 100, failures), "</td></tr>\n");
}

}  // namespace

std::string simulation_page(const json& result) {
  const auto of = [&](const char* name) { return result.at(name).get<double>(); };
  const std::int64_t failures = result.at("failures").get<std::int64_t>();
  std::string out =
      cat("<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>When to checkpoint</title><style>body{font:14px "
          "sans-serif;"
          "margin:2em}td,th{padding:2px 12px;text-align:right}td:first-child{text-align:left}</style></head><body>\n<h1>When to "
          "checkpoint</h1>\n<p>",
          escaped(result.at("source").get<std::string>()), ": ", failures, " failures, ", result.at("replicas").get<std::int64_t>(),
          " run(s), MTBF ", short_number(of("mtbf_seconds")), " s; a save costs ", of("cost_seconds"), " s, a restart ",
          of("restart_seconds"), " s, polls every ", of("poll_seconds"),
          " s.</p>\n<table><tr><th></th><th>efficiency</th><th>extra wall</th><th>first 10</th><th>first 100</th><th>after "
          "100</th></tr>\n");
  const json& rows = result.at("policies");
  for (std::size_t i = 0; i < rows.size(); ++i) out += row(rows.at(i), failures, i + baselines < rows.size() ? colour(i) : "#000");
  return cat(out, "</table>\n<p>Extra wall time is against Daly's interval (", short_number(of("daly_interval_seconds")),
             " s) with the true MTBF. The best fixed interval in hindsight is ", short_number(of("best_fixed_interval_seconds")),
             " s.</p>\n<h2>Extra wall time</h2>\n", extra_chart(result), "<h2>Efficiency</h2>\n", interval_chart(result),
             "</body></html>\n");
}

}  // namespace ckpt::cli
