// What each policy would have made of a machine's failures: replays them against controllers, fixed intervals, and one who knows
// the future. Times are seconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adaptive/controller.h"
#include "adaptive/trace.h"

namespace ckpt::adaptive {

// How a machine fails and what saving costs on it. The failure clock always runs: a failure can hit work, a save or a restart.
// With levels, of `remote_every` saves all but the last are local; a share of the failures destroys what is local.
struct Machine {
  double cost = 30;      // of a save; with levels of a remote one
  double restart = 300;  // after each failure, until work goes on
  double poll = 30;      // between questions to a policy
  std::int64_t remote_every = 1;
  double local_cost = 0;    // of a local save
  double remote_share = 0;  // of the failures that need a remote checkpoint
  std::uint64_t seed = 1;   // which failures those are
  double mean_cost() const;
};

struct SimulationOptions {
  std::string trace_csv;        // the failures, or
  std::string law;              // the law by which they are drawn, see parse_law
  std::int64_t nodes = 1;       // of the law: its MTBF is one node's
  std::int64_t failures = 200;  // to draw
  std::int64_t replicas = 20;   // runs to draw
  std::string policies = "auto,bayes,weibull,expected-value,young,daly,threshold";
  Machine machine;
};

// Finished work after each failure: what is safe in checkpoints.
using Progress = std::vector<double>;

// "auto", "threshold", "expected-value", "young", "daly", "bayes", "bayes:KEEP", "weibull", "fixed:SECONDS".
ControllerOptions parse_policy(std::string_view text, double true_mtbf);
std::string policy_name(Policy policy);

// A controller lives through a trace; it knows nothing of the machine but what happens.
Progress run_controller(const ControllerOptions& given, const Machine& machine, const Trace& trace, std::uint64_t replica = 0);
// A save after every `interval` of work, or the number of whole polls nearest to it.
Progress run_fixed(double interval, const Machine& machine, const Trace& trace, std::uint64_t replica = 0);
// One save right before each failure that leaves time for it: no policy can do better.
Progress run_clairvoyant(const Machine& machine, const Trace& trace);

struct PolicyResult {
  std::string name;
  Progress work;  // summed over replicas
};

// How many times between failures were at least `from` and less than `to` seconds.
struct GapBin {
  double from;
  double to;
  std::int64_t count;
};
// Bins of equal width in logarithms, six in each power of ten, which hold all gaps of all traces. What is shorter than a millionth
// of the longest gap is in the first bin, which then begins at 0.
std::vector<GapBin> gap_histogram(const std::vector<Trace>& traces);

struct SimulationResult {
  Machine machine;
  std::string source;  // what was simulated
  std::int64_t replicas = 1;
  double mtbf = 0;           // true
  std::vector<double> wall;  // until each failure, summed over replicas
  std::vector<GapBin> gaps;  // of all replicas
  PolicyResult daly;         // with the true MTBF and cost: the baseline
  double daly_interval = 0;
  PolicyResult clairvoyant;
  PolicyResult best_fixed;  // in hindsight
  double best_interval = 0;
  std::vector<std::pair<double, double>> fixed;  // interval, efficiency
  std::vector<PolicyResult> policies;
};

// Of all policies and intervals together: seconds to minutes of work.
constexpr double most_events = 1e9;

// Error(out_of_range) when that takes more than most_events polls, failures to learn from, or lives of nodes to draw: the message
// names the argument to change.
SimulationResult simulate(const SimulationOptions& options);

// Extra wall time against the baseline for the same work, over the failures first .. last-1; infinite when nothing was finished.
double extra_wall(const PolicyResult& policy, const PolicyResult& baseline, std::size_t first, std::size_t last);

// The figures and curves as JSON.
std::string to_json(const SimulationResult& result);

}  // namespace ckpt::adaptive
