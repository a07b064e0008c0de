// The report page: one self-contained HTML file, a table and two charts drawn as SVG.
#include <algorithm>
#include <array>
#include <cmath>

#include "adaptive/bounds.h"
#include "adaptive/simulation.h"
#include "base/text.h"

namespace ckpt::adaptive {
namespace {

using base::cat;

constexpr double width = 860;
constexpr double height = 360;
constexpr double margin = 60;
constexpr double label_height = 11;
constexpr std::array<const char*, 8> colours = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728",
                                                "#9467bd", "#8c564b", "#e377c2", "#17becf"};

const char* colour(std::size_t index) { return colours[index % colours.size()]; }

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// Three digits behind the point.
std::string short_number(double value) {
  if (!std::isfinite(value)) return "-";
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 3).ptr;
  return {digits, end};
}

std::string percent(double share) { return cat(short_number(100 * share), "%"); }

// A chart with a logarithmic x axis.
class Chart {
 public:
  Chart(double first_x, double last_x, double low_y, double high_y)
      : first_(std::log(std::max(first_x, least_above_zero))), last_(std::log(last_x)), low_(low_y), high_(high_y) {
    if (!(last_ > first_)) last_ = first_ + 1;
    if (!(high_ > low_)) high_ = low_ + 1;
  }

  void line(const std::vector<std::pair<double, double>>& points, const char* stroke) {
    body_ += cat("<polyline fill='none' stroke='", stroke, "' stroke-width='1.5' points='");
    for (const auto& [px, py] : points) {
      if (std::isfinite(py)) body_ += cat(short_number(x(px)), ",", short_number(y(py)), " ");
    }
    body_ += "'/>\n";
  }
  // The label is left out where it would lie on another: the table shows the colours too.
  void level(double value, const char* stroke, std::string_view label) {
    line({{std::exp(first_), value}, {std::exp(last_), value}}, stroke);
    const double at = y(value);
    if (std::any_of(labels_.begin(), labels_.end(), [&](double taken) { return std::abs(taken - at) < label_height; })) return;
    labels_.push_back(at);
    body_ += cat("<text x='", width - margin, "' y='", short_number(at - 3), "' text-anchor='end' fill='", stroke, "'>",
                 escaped(label), "</text>\n");
  }
  std::string svg(std::string_view x_title) const {
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

// Failures at which curves have points: about 60 in each power of ten.
std::vector<std::size_t> sample_points(std::size_t failures) {
  std::vector<std::size_t> points;
  double at = 1;
  while (at <= static_cast<double>(failures)) {
    const auto point = static_cast<std::size_t>(at);
    if (points.empty() || point > points.back()) points.push_back(point);
    at *= 1.04;
  }
  if (!points.empty() && points.back() != failures) points.push_back(failures);
  return points;
}

std::string extra_chart(const SimulationResult& result) {
  const auto failures = static_cast<double>(result.wall.size());
  Chart chart(1, failures, -0.05, 0.05);
  chart.level(0, "#000", "daly, true MTBF and cost");
  for (std::size_t i = 0; i < result.policies.size(); ++i) {
    std::vector<std::pair<double, double>> points;
    for (const std::size_t at : sample_points(result.wall.size())) {
      points.emplace_back(static_cast<double>(at), extra_wall(result.policies[i], result.daly, 0, at));
    }
    chart.line(points, colour(i));
  }
  return chart.svg("failures so far (cut at 5%)");
}

std::string interval_chart(const SimulationResult& result) {
  double low = 1;
  double high = 0;
  const double wall = result.wall.back();
  for (const auto& [interval, efficiency] : result.fixed) high = std::max(high, efficiency);
  high = std::max(high, result.clairvoyant.work.back() / wall);
  for (const PolicyResult& policy : result.policies) low = std::min(low, policy.work.back() / wall);
  Chart chart(result.fixed.front().first, result.fixed.back().first, std::max(0.0, std::min(low, high - 0.1)), high);
  chart.line(result.fixed, "#000");
  for (std::size_t i = 0; i < result.policies.size(); ++i) {
    chart.level(result.policies[i].work.back() / wall, colour(i), result.policies[i].name);
  }
  chart.level(result.clairvoyant.work.back() / wall, "#888", result.clairvoyant.name);
  return chart.svg("fixed interval in seconds (the black curve); levels: policies");
}

std::string row(const PolicyResult& policy, const SimulationResult& result, const char* stroke) {
  const std::size_t failures = policy.work.size();
  const auto extra = [&](std::size_t first, std::size_t last) {
    return last > failures || first >= last ? std::string("-") : percent(extra_wall(policy, result.daly, first, last));
  };
  return cat("<tr><td style='color:", stroke, "'>", escaped(policy.name), "</td><td>",
             percent(policy.work.back() / result.wall.back()), "</td><td>", extra(0, failures), "</td><td>", extra(0, 10),
             "</td><td>", extra(0, 100), "</td><td>", extra(100, failures), "</td></tr>\n");
}

}  // namespace

std::string to_html(const SimulationResult& result) {
  std::string out = cat(
      "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>When to checkpoint</title><style>body{font:14px "
      "sans-serif;"
      "margin:2em}td,th{padding:2px 12px;text-align:right}td:first-child{text-align:left}</style></head><body>\n<h1>When to "
      "checkpoint</h1>\n<p>",
      escaped(result.source), ": ", result.wall.size(), " failures, ", result.replicas, " run(s), MTBF ", short_number(result.mtbf),
      " s; a save costs ", result.machine.cost, " s, a restart ", result.machine.restart, " s, polls every ", result.machine.poll,
      " s.</p>\n<table><tr><th></th><th>efficiency</th><th>extra wall</th><th>first 10</th><th>first 100</th><th>after "
      "100</th></tr>\n");
  for (std::size_t i = 0; i < result.policies.size(); ++i) out += row(result.policies[i], result, colour(i));
  for (const PolicyResult* policy : {&result.daly, &result.best_fixed, &result.clairvoyant}) out += row(*policy, result, "#000");
  return cat(out, "</table>\n<p>Extra wall time is against Daly's interval (", short_number(result.daly_interval),
             " s) with the true MTBF. The best fixed interval in hindsight is ", short_number(result.best_interval),
             " s.</p>\n<h2>Extra wall time</h2>\n", extra_chart(result), "<h2>Efficiency</h2>\n", interval_chart(result),
             "</body></html>\n");
}

}  // namespace ckpt::adaptive
