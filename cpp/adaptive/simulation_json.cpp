// The figures of a simulation, and the curves through them: whoever draws them needs nothing else.
#include <cmath>

#include "adaptive/simulation.h"
#include "base/json_tree.h"

namespace ckpt::adaptive {
namespace {

using nlohmann::ordered_json;

// Extra wall times are null where nothing was finished or the trace is too short.
ordered_json extra(const PolicyResult& policy, const PolicyResult& baseline, std::size_t first, std::size_t last) {
  if (last > policy.work.size() || first >= last) return nullptr;
  const double value = extra_wall(policy, baseline, first, last);
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json row(const PolicyResult& policy, const SimulationResult& result) {
  const std::size_t failures = result.wall.size();
  return {{"policy", policy.name},
          {"efficiency", policy.work.back() / result.wall.back()},
          {"extra_wall", extra(policy, result.daly, 0, failures)},
          {"extra_wall_first_10", extra(policy, result.daly, 0, 10)},
          {"extra_wall_first_100", extra(policy, result.daly, 0, 100)},
          {"extra_wall_after_100", extra(policy, result.daly, 100, failures)}};
}

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

ordered_json extra_wall_curve(const PolicyResult& policy, const SimulationResult& result) {
  ordered_json points = ordered_json::array();
  for (const std::size_t at : sample_points(result.wall.size())) points.push_back({at, extra(policy, result.daly, 0, at)});
  return {{"policy", policy.name}, {"points", std::move(points)}};
}

}  // namespace

std::string to_json(const SimulationResult& result) {
  ordered_json rows = ordered_json::array();
  for (const PolicyResult& policy : result.policies) rows.push_back(row(policy, result));
  rows.push_back(row(result.daly, result));
  rows.push_back(row(result.best_fixed, result));
  rows.push_back(row(result.clairvoyant, result));
  ordered_json curves = ordered_json::array();
  for (const PolicyResult& policy : result.policies) curves.push_back(extra_wall_curve(policy, result));
  ordered_json gaps = ordered_json::array();
  for (const GapBin& bin : result.gaps) gaps.push_back({bin.from, bin.to, bin.count});
  const Machine& machine = result.machine;
  const ordered_json value = {{"source", result.source},
                              {"replicas", result.replicas},
                              {"failures", result.wall.size()},
                              {"mtbf_seconds", result.mtbf},
                              {"cost_seconds", machine.cost},
                              {"restart_seconds", machine.restart},
                              {"poll_seconds", machine.poll},
                              {"remote_every", machine.remote_every},
                              {"local_cost_seconds", machine.local_cost},
                              {"remote_share", machine.remote_share},
                              {"daly_interval_seconds", result.daly_interval},
                              {"best_fixed_interval_seconds", result.best_interval},
                              {"policies", std::move(rows)},
                              {"extra_wall_curves", std::move(curves)},
                              {"fixed_intervals", result.fixed},
                              {"failure_gaps", std::move(gaps)}};
  return value.dump(2);
}

}  // namespace ckpt::adaptive
