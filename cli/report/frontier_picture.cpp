#include "report/frontier_picture.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <nlohmann/json.hpp>

#include "frontier.h"
#include "report/plot.h"
#include "text.h"

namespace ckpt::cli::report {
namespace {

using nlohmann::json;

constexpr double max_times = 20;         // slower points appear only in the table
constexpr std::size_t max_values = 400;  // per plot

double bytes_of(const json& cost) { return cost.at("reserved_bytes").get<double>(); }
double times_of(const json& cost) { return cost.at("times_store_all").get<double>(); }

// Returns the points that are not dominated in reserved bytes and time, by rising bytes. The frontier itself is one of live bytes.
std::vector<json> drawn(const json& frontier) {
  std::vector<json> points;
  for (const json& point : frontier.at("points")) {
    if (times_of(point) <= max_times) points.push_back(point);
  }
  std::stable_sort(points.begin(), points.end(), [](const json& a, const json& b) { return bytes_of(a) < bytes_of(b); });
  std::vector<json> kept;
  for (json& point : points) {
    if (kept.empty() || times_of(point) < times_of(kept.back())) kept.push_back(std::move(point));
  }
  return kept;
}

// A step curve: with memory between two points a step takes as long as at the lower one.
Curve step_curve(const std::vector<json>& points, double end) {
  Curve curve;
  for (std::size_t i = 0; i < points.size(); ++i) {
    curve.emplace_back(bytes_of(points[i]), times_of(points[i]));
    curve.emplace_back(i + 1 < points.size() ? bytes_of(points[i + 1]) : end, times_of(points[i]));
  }
  return curve;
}

std::string value_text(const std::string& name, const json& cost, bool timed) {
  return cat(name, ": ", bytes_text(cost.at("reserved_bytes").get<std::int64_t>()), " reserved, ",
             timed ? duration_text(cost.at("step_seconds").get<double>())
                   : cat(count_text(cost.at("forwards").get<std::int64_t>()), " forwards"),
             " per step, ", fixed_text(times_of(cost), 3), " times storing everything; ",
             count_text(cost.at("recomputed_forwards").get<std::int64_t>()), " recomputed forwards");
}

struct Drawn {
  std::string name;
  std::vector<json> points;
};

class Pictures {
 public:
  explicit Pictures(const Figures& figures)
      : chosen_(figures.at("/chosen")),
        label_(planner_label(chosen_)),
        timed_(figures.at("/timed").get<bool>()),
        budget_(figures.has("/budget_bytes") ? figures.value("/budget_bytes") : 0),
        end_(std::max(figures.value("/store_all/reserved_bytes"), bytes_of(chosen_))) {
    for (const json& frontier : figures.at("/frontiers")) {
      Drawn planner = {frontier.at("planner").get<std::string>(), drawn(frontier)};
      if (planner.points.size() > 1) all_.push_back(std::move(planner));  // a single schedule is not a curve
    }
    if (budget_ < 1.5 * end_) end_ = std::max(end_, budget_);
    end_ *= 1.03;
    low_ = high_ = std::min(times_of(chosen_), max_times);
    for (const Drawn& each : all_) {
      for (const json& point : each.points) {
        low_ = std::min(low_, times_of(point));
        high_ = std::max(high_, times_of(point));
      }
    }
  }

  std::string html() const {
    const std::string own = planner_name(chosen_.at("planner").get<std::string>());
    std::string large;
    std::string small;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].name == own) {
        large = plot(i, cat("Step time by memory, ", all_[i].name), 320);
      } else {
        small += cat("<div><h3>", escaped(all_[i].name), "</h3>\n", plot(i, cat("Step time by memory, ", all_[i].name), 150),
                     "</div>\n");
      }
    }
    if (large.empty()) large = plot(all_.size(), "Step time by memory, all planners", 320);
    return cat(legend(roles()), large, small.empty() ? std::string() : cat("<div class=\"multiples\">\n", small, "</div>\n"));
  }

 private:
  bool shows_budget() const { return budget_ > 0 && budget_ <= end_; }

  std::vector<std::pair<std::string, std::string>> roles() const {
    std::vector<std::pair<std::string, std::string>> roles = {
        {"line kept", "this planner"}, {"line also aside", "other planners"}, {"fill kept", "chosen schedule"}};
    if (shows_budget()) roles.emplace_back("level budget", "budget");
    return roles;
  }

  // index: of the planner to emphasize; past the last: none.
  std::string plot(std::size_t index, const std::string& name, int height) const {
    Scale x = Scale::bytes(end_);
    const std::string unit = x.unit();
    const std::string min = index < all_.size() ? value_text("Least memory", all_[index].points.front(), timed_) : label_;
    Plot plot(name, min + ".", std::move(x), Scale::times(low_, high_), height);
    plot.units("time relative to storing everything", unit + " reserved").find_by("x");
    for (std::size_t other = 0; other < all_.size(); ++other) {
      if (other != index) plot.also(id(other));
    }
    if (index < all_.size()) add_curve(plot, index);
    if (shows_budget())
      plot.upright(budget_, "budget", height > 200 ? cat("budget ", bytes_text(static_cast<std::int64_t>(budget_))) : "");
    if (times_of(chosen_) <= max_times) plot.dot(bytes_of(chosen_), times_of(chosen_), "kept");
    if (index >= all_.size())
      plot.value(bytes_of(chosen_), std::min(times_of(chosen_), max_times), value_text(label_, chosen_, timed_));
    return plot.html();
  }

  void add_curve(Plot& plot, std::size_t index) const {
    const Drawn& planner = all_[index];
    plot.named(id(index)).line(step_curve(planner.points, end_), "kept");
    const std::size_t every = (planner.points.size() + max_values - 1) / max_values;
    for (std::size_t i = 0; i < planner.points.size(); ++i) {
      const json& point = planner.points[i];
      if (i % every != 0 && i + 1 != planner.points.size() && point.at("reserved_bytes") != chosen_.at("reserved_bytes")) continue;
      const std::string text = point.contains("schedule") ? planner_label(point) : planner.name;
      plot.value(bytes_of(point), times_of(point), value_text(text, point, timed_));
    }
  }

  static std::string id(std::size_t index) { return cat("frontier-", index); }

  const json& chosen_;
  std::string label_;
  bool timed_;
  double budget_;
  double end_;
  std::vector<Drawn> all_;
  double low_;
  double high_;
};

}  // namespace

std::string frontier_pictures(const Figures& figures) { return Pictures(figures).html(); }

}  // namespace ckpt::cli::report
