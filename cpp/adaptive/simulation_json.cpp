// The figures and curves of a simulation: everything needed to draw them.
#include <limits>
#include <utility>

#include "adaptive/simulation.h"
#include "base/json_writer.h"

namespace ckpt::adaptive {
namespace {

using base::JsonWriter;

// Written as null if no work was finished or the trace is too short.
double extra(const PolicyResult& policy, const PolicyResult& baseline, std::size_t first, std::size_t last) {
  if (last > policy.work.size() || first >= last) return std::numeric_limits<double>::quiet_NaN();
  return extra_wall(policy, baseline, first, last);
}

void write_row(JsonWriter& out, const PolicyResult& policy, const SimulationResult& result) {
  const std::size_t failures = result.wall.size();
  out.begin_object()
      .member("policy", policy.name)
      .member("efficiency", policy.work.back() / result.wall.back())
      .member("extra_wall", extra(policy, result.daly, 0, failures))
      .member("extra_wall_first_10", extra(policy, result.daly, 0, 10))
      .member("extra_wall_first_100", extra(policy, result.daly, 0, 100))
      .member("extra_wall_after_100", extra(policy, result.daly, 100, failures))
      .end_object();
}

// Failures at which curves have points: about 60 per power of ten.
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

void write_curve(JsonWriter& out, const PolicyResult& policy, const SimulationResult& result) {
  out.begin_object().member("policy", policy.name).key("points").begin_list();
  for (const std::size_t at : sample_points(result.wall.size())) out.list(at, extra(policy, result.daly, 0, at));
  out.end_list().end_object();
}

}  // namespace

std::string to_json(const SimulationResult& result) {
  constexpr std::size_t indent = 2;
  const Machine& machine = result.machine;
  JsonWriter out(base::NotUtf8::refused, indent);
  out.begin_object()
      .member("source", result.source)
      .member("replicas", result.replicas)
      .member("failures", result.wall.size())
      .member("mtbf_seconds", result.mtbf)
      .member("cost_seconds", machine.cost)
      .member("restart_seconds", machine.restart)
      .member("poll_seconds", machine.poll)
      .member("remote_every", machine.remote_every)
      .member("local_cost_seconds", machine.local_cost)
      .member("remote_share", machine.remote_share)
      .member("daly_interval_seconds", result.daly_interval)
      .member("best_fixed_interval_seconds", result.best_interval);
  out.key("policies").begin_list();
  for (const PolicyResult& policy : result.policies) write_row(out, policy, result);
  for (const PolicyResult* const policy : {&result.daly, &result.best_fixed, &result.clairvoyant}) write_row(out, *policy, result);
  out.end_list().key("extra_wall_curves").begin_list();
  for (const PolicyResult& policy : result.policies) write_curve(out, policy, result);
  out.end_list().member("fixed_intervals", result.fixed).key("failure_gaps").begin_list();
  for (const GapBin& bin : result.gaps) out.list(bin.from, bin.to, bin.count);
  return std::move(out.end_list().end_object()).text();
}

}  // namespace ckpt::adaptive
