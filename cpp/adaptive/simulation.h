// Simulates each policy on a machine's failures: controllers, fixed intervals, and a clairvoyant bound that knows the future.
// Times are seconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adaptive/controller.h"
#include "adaptive/trace.h"

namespace ckpt::adaptive {

// The failures of a machine and the cost of saves on it. The failure clock always runs: a failure can hit work, a save or a
// restart. With levels, of `remote_every` saves all except the last are local; a share of the failures destroys local saves.
struct Machine {
  double cost = 30;      // of a save; with levels, of a remote one
  double restart = 300;  // after each failure, until work continues
  double poll = 30;      // between queries to a policy
  std::int64_t remote_every = 1;
  double local_cost = 0;    // of a local save
  double remote_share = 0;  // share of the failures that need a remote checkpoint
  std::uint64_t seed = 1;   // determines which failures those are
  double mean_cost() const;
};

struct SimulationOptions {
  std::string trace_csv;        // the failures, or
  std::string law;              // the law to draw them from, see parse_law
  std::int64_t nodes = 1;       // of the law: its MTBF is that of one node
  std::int64_t failures = 200;  // to draw
  std::int64_t replicas = 20;   // runs to draw
  std::string policies = "auto,bayes,weibull,expected-value,young,daly,threshold";
  Machine machine;
};

// Finished work after each failure: the work stored in checkpoints.
using Progress = std::vector<double>;

// "auto", "threshold", "expected-value", "young", "daly", "bayes", "bayes:KEEP", "weibull", "fixed:SECONDS".
ControllerOptions parse_policy(std::string_view text, double true_mtbf);
std::string policy_name(Policy policy);

// Runs a controller on a trace; it learns about the machine only from events.
Progress run_controller(const ControllerOptions& given, const Machine& machine, const Trace& trace, std::uint64_t replica = 0);
// Saves after every `interval` of work, rounded to the nearest number of whole polls.
Progress run_fixed(double interval, const Machine& machine, const Trace& trace, std::uint64_t replica = 0);
// Saves once directly before each failure that leaves time for it: an upper bound for every policy.
Progress run_clairvoyant(const Machine& machine, const Trace& trace);

struct PolicyResult {
  std::string name;
  Progress work;  // summed over replicas
};

// Counts the times between failures of at least `from` and less than `to` seconds.
struct GapBin {
  double from;
  double to;
  std::int64_t count;
};
// Bins of equal logarithmic width, six per power of ten, that cover all gaps of all traces. Gaps shorter than a millionth of the
// longest one are in the first bin, which then begins at 0.
std::vector<GapBin> gap_histogram(const std::vector<Trace>& traces);

struct SimulationResult {
  Machine machine;
  std::string source;  // description of the simulated failures
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

// For all policies and intervals together: seconds to minutes of work.
constexpr double max_events = 1e9;

// Fails with Error(out_of_range) if the simulation takes more than max_events polls, failures to learn from, or lives of nodes
// to draw: the message names the argument to change.
SimulationResult simulate(const SimulationOptions& options);

// Returns extra wall time against the baseline for the same work, over the failures first .. last-1; infinity if no work was
// finished.
double extra_wall(const PolicyResult& policy, const PolicyResult& baseline, std::size_t first, std::size_t last);

// The figures and curves as JSON.
std::string to_json(const SimulationResult& result);

}  // namespace ckpt::adaptive
