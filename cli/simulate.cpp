#include "simulate.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include <ckpt/ckpt.hpp>

#include "output.h"
#include "report/simulation_page.h"
#include "text.h"
#include "text_file.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;

bool is_law(const std::string& trace) { return trace.rfind("exponential:", 0) == 0 || trace.rfind("weibull:", 0) == 0; }

std::string percent(const json& value, const char* sign) {
  if (value.is_null()) return "-";
  const double hundredths = 100 * value.get<double>();
  return (hundredths > 0 ? sign : "") + fixed_text(hundredths, 3) + "%";
}

void print(const json& result) {
  std::printf("MTBF %s s, %lld failures, %lld run(s); Daly's interval %s s, best fixed interval in hindsight %s s\n",
              fixed_text(result["mtbf_seconds"].get<double>(), 0).c_str(),
              static_cast<long long>(result["failures"].get<std::int64_t>()),
              static_cast<long long>(result["replicas"].get<std::int64_t>()),
              fixed_text(result["daly_interval_seconds"].get<double>(), 0).c_str(),
              fixed_text(result["best_fixed_interval_seconds"].get<double>(), 0).c_str());
  std::printf("%-26s %10s %11s %11s %11s %11s\n", "", "efficiency", "extra wall", "first 10", "first 100", "after 100");
  for (const json& row : result["policies"]) {
    std::printf("%-26s %10s %11s %11s %11s %11s\n", row["policy"].get<std::string>().c_str(),
                percent(row["efficiency"], "").c_str(), percent(row["extra_wall"], "+").c_str(),
                percent(row["extra_wall_first_10"], "+").c_str(), percent(row["extra_wall_first_100"], "+").c_str(),
                percent(row["extra_wall_after_100"], "+").c_str());
  }
}

}  // namespace

void simulate(const SimulateOptions& options) {
  require_outputs({options.json, options.report});
  SimulationOptions given;
  if (is_law(options.trace)) {
    given.law = options.trace;
  } else {
    given.trace = read_text_file(options.trace);
  }
  given.policies = options.policies;
  given.nodes = options.nodes;
  given.failures = options.failures;
  given.replicas = options.replicas;
  given.seed = options.seed;
  given.cost_seconds = options.cost;
  given.restart_seconds = options.restart;
  given.poll_seconds = options.poll;
  given.remote_every = options.remote_every;
  given.local_cost_seconds = options.local_cost;
  given.remote_share = options.remote_share;
  const Simulation simulation(given);
  const std::string result = simulation.json();
  const json figures = json::parse(result);
  print(figures);
  if (!options.json.empty()) write_text(options.json, result + "\n");
  if (!options.report.empty()) write_text(options.report, report::simulation_page(figures, options));
}

}  // namespace ckpt::cli
