#include "frontier.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include "text.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;

// In longer chains a schedule with few slots has too many actions for a table of all of them to be computed in reasonable time.
constexpr std::int64_t max_layers = 1024;

json whole_frontier(const std::string& name, const Profile& profile) {
  json points = json::array();
  std::vector<FrontierPoint> frontier;
  try {
    frontier = profile.frontier(name);
  } catch (const Error&) {  // the planner returns schedules of other planners, or does not apply to this chain
  }
  for (const FrontierPoint& point : frontier) {
    points.push_back({{"planner", cat(name, ":", point.reserved_bytes)},
                      {"live_bytes", point.live_bytes},
                      {"reserved_bytes", point.reserved_bytes},
                      {"step_seconds", point.step_seconds},
                      {"recomputed_forwards", point.recomputed_forwards},
                      {"lost_seconds", point.lost_seconds}});
  }
  return points;
}

// Returns 1 .. most: all up to 24, then increasingly sparse; at most about 70 values.
std::vector<std::int64_t> some_values(std::int64_t max) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = 1; value < max; value += std::max<std::int64_t>(1, value / 8)) values.push_back(value);
  values.push_back(max);
  return values;
}

bool takes_longer(const json& a, const json& b) {
  const auto cost = [](const json& point) {
    return std::pair(point.at("step_seconds").get<double>(), point.at("recomputed_forwards").get<std::int64_t>());
  };
  return cost(b) < cost(a);
}

// Sorts by rising bytes and drops points that are not faster than all points before.
json without_dominated(std::vector<json> points) {
  std::stable_sort(points.begin(), points.end(), [](const json& a, const json& b) {
    const auto bytes_a = a.at("reserved_bytes").get<std::int64_t>();
    const auto bytes_b = b.at("reserved_bytes").get<std::int64_t>();
    return bytes_a != bytes_b ? bytes_a < bytes_b : takes_longer(b, a);
  });
  json kept = json::array();
  for (json& point : points) {
    if (kept.empty() || takes_longer(kept.back(), point)) kept.push_back(std::move(point));
  }
  return kept;
}

bool takes_bytes(const std::string& name) {
  const std::vector<PlannerForm> forms = planner_forms();
  return std::any_of(forms.begin(), forms.end(), [&](const PlannerForm& form) { return form.name == name && form.takes_bytes(); });
}

}  // namespace

json cost_json(const std::string& planner, const Schedule& schedule, const Profile& profile) {
  const PlanReport report = schedule.verify(profile);
  return {{"planner", planner},
          {"schedule", schedule.name()},
          {"live_bytes", report.peak_bytes[0]},
          {"reserved_bytes", schedule.reserved_bytes(profile)},
          {"step_seconds", report.step_seconds},
          {"forwards", report.forwards},
          {"recomputed_forwards", report.recomputed_forwards},
          {"stored_bytes", std::accumulate(report.stored_bytes.begin(), report.stored_bytes.end(), std::int64_t{0})},
          {"loaded_bytes", std::accumulate(report.loaded_bytes.begin(), report.loaded_bytes.end(), std::int64_t{0})},
          {"wait_seconds", report.wait_seconds}};
}

json frontier_json(const PlannerForm& planner, const Profile& profile) {
  std::vector<json> points;
  const auto try_planner = [&](const std::string& text) {
    try {
      points.push_back(cost_json(text, Schedule::create(profile, text), profile));
    } catch (const Error&) {  // not applicable to this chain; the error is reported if the user names the planner
    }
  };
  json frontier = {{"planner", planner.name}};
  if (planner.takes_bytes()) {
    frontier["points"] = whole_frontier(planner.name, profile);
    return frontier;
  }
  if (planner.required.empty()) {
    try_planner(planner.name);
  } else if (planner.required.size() == 1 && profile.layer_count() <= max_layers) {
    for (const std::int64_t value : some_values(profile.layer_count())) try_planner(cat(planner.name, ":", value));
  }
  frontier["points"] = without_dominated(std::move(points));
  return frontier;
}

std::string planner_label(const json& cost) {
  const auto planner = cost.at("planner").get<std::string>();
  const auto schedule = cost.at("schedule").get<std::string>();
  const std::string name = planner_name(planner);
  const std::string base = schedule.substr(0, schedule.find('('));
  if (base == name) return takes_bytes(name) ? name : planner;
  return cat(name, ": ", takes_bytes(base) ? base : schedule);
}

bool is_chosen(const json& point, const json& frontier, const json& figures) {
  if (!figures.contains("chosen")) return false;
  const json& chosen = figures.at("chosen");
  const auto name = frontier.at("planner").get<std::string>();
  const auto schedule = chosen.at("schedule").get<std::string>();  // with auto: names the planner that auto chose
  return (planner_name(chosen.at("planner").get<std::string>()) == name || schedule.substr(0, schedule.find('(')) == name) &&
         point.at("reserved_bytes") == chosen.at("reserved_bytes") &&
         point.at("recomputed_forwards") == chosen.at("recomputed_forwards");
}

}  // namespace ckpt::cli
