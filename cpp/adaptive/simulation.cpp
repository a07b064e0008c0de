#include "adaptive/simulation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "adaptive/bounds.h"
#include "adaptive/intervals.h"
#include "adaptive/replay.h"
#include "base/error.h"

namespace ckpt::adaptive {
namespace {

using base::require;

constexpr const char* names[] = {"auto", "threshold", "expected-value", "young", "daly", "bayes", "weibull", "fixed"};
constexpr std::uint64_t level_stream = ~std::uint64_t{0};

// The work stored in checkpoints, by level.
class Saved {
 public:
  Saved(const Machine& machine, std::uint64_t replica) : machine_(machine), replica_(replica) {}

  double next_cost() const { return next_is_remote() ? machine_.cost : machine_.local_cost; }
  void save(double work) {
    local_ += work;
    if (next_is_remote()) remote_ = local_;
    ++saves_;
  }
  // Returns the remaining work.
  double fail(std::uint64_t failure) {
    const bool lost = machine_.remote_every > 1 && uniform(machine_.seed, replica_, level_stream, failure) < machine_.remote_share;
    if (lost) local_ = remote_;
    return local_;
  }
  double work() const { return local_; }

 private:
  bool next_is_remote() const { return (saves_ + 1) % machine_.remote_every == 0; }

  const Machine& machine_;
  std::uint64_t replica_;
  std::int64_t saves_ = 0;
  double local_ = 0;
  double remote_ = 0;
};

// Returns the number of polls nearest to a target, at least one.
double polls_to(double seconds, double poll) { return std::max(1.0, std::ceil(seconds / poll - 0.5)); }

// One life of the controller between two failures: works from `now` on, saves when it decides to.
void live(Controller& controller, const Machine& machine, Saved& saved, double now, double failure) {
  while (now < failure) {
    const double begin = now;
    Decision decision = controller.decide(now);
    const bool is_threshold = decision.policy == Policy::threshold;
    now = begin + machine.poll * (is_threshold ? 1 : polls_to(decision.due_seconds - begin, machine.poll));
    while (now < failure) {
      if (is_threshold) controller.observe_task("poll", machine.poll);
      decision = controller.decide(now);
      if (decision.checkpoint) break;
      now += machine.poll;
    }
    if (now >= failure) return;
    const double cost = saved.next_cost();
    controller.begin_save(now);
    if (now + cost > failure) return;
    saved.save(now - begin);
    now += cost;
    controller.commit_save(now, cost, cost);
  }
}

void check(const Machine& machine) {
  require_seconds("cost_seconds", machine.cost);
  require(machine.cost > 0, "cost_seconds is ", machine.cost, "; expected a number above 0");
  require_seconds("restart_seconds", machine.restart);
  require_seconds("poll_seconds", machine.poll);
  require(machine.poll > 0, "poll_seconds is ", machine.poll, "; expected a number above 0");
  require(machine.remote_every >= 1, "remote_every is ", machine.remote_every, "; expected at least 1");
  require_seconds("local_cost_seconds", machine.local_cost);
  require(machine.remote_every == 1 || machine.local_cost > 0, "local_cost_seconds is ", machine.local_cost,
          "; expected a number above 0 with levels");
  require(machine.remote_share >= 0 && machine.remote_share <= 1, "remote_share is ", machine.remote_share, "; expected 0 .. 1");
}

void add_to(Progress& sum, const Progress& progress) {
  if (sum.empty()) sum.assign(progress.size(), 0);
  for (std::size_t i = 0; i < progress.size(); ++i) sum[i] += progress[i];
}

template <class Run>
Progress sum_over(const std::vector<Trace>& traces, const Run& run) {
  Progress sum;
  for (std::size_t i = 0; i < traces.size(); ++i) add_to(sum, run(traces[i], i));
  return sum;
}

double number_after(std::string_view text, std::size_t begin) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + begin, end, value);
  require(error == std::errc() && stop == end && std::isfinite(value) && value > 0, "policy is ", base::quote(text),
          "; expected a number above 0 after the colon");
  return value;
}

std::vector<Trace> make_traces(const SimulationOptions& options) {
  if (options.law.empty()) return {parse_trace(options.trace_csv)};
  require(options.trace_csv.empty(), "trace and law are both set; expected one of them");
  const FailureLaw law = parse_law(options.law);
  std::vector<Trace> traces;
  for (std::int64_t i = 0; i < options.replicas; ++i) {
    traces.push_back(draw_trace(law, options.nodes, options.failures, options.machine.seed, static_cast<std::uint64_t>(i)));
  }
  return traces;
}

// Daly's interval, and a geometric series of intervals, with steps of a seventh, from one poll to far beyond every formula's
// result.
std::vector<double> fixed_intervals(const SimulationResult& result) {
  std::vector<double> intervals = {result.daly_interval};
  const double longest = bounded(std::max(64 * result.daly_interval, 2 * result.machine.poll));
  double interval = std::max(result.machine.poll, min_above_zero);
  while (interval < longest) {
    intervals.push_back(interval);
    interval *= 8.0 / 7;
  }
  std::sort(intervals.begin(), intervals.end());
  return intervals;
}

void find_best_fixed(SimulationResult& result, const std::vector<Trace>& traces, const std::vector<double>& intervals) {
  double best = -1;
  for (const double interval : intervals) {
    Progress work = sum_over(
        traces, [&](const Trace& trace, std::uint64_t replica) { return run_fixed(interval, result.machine, trace, replica); });
    result.fixed.emplace_back(interval, work.back() / result.wall.back());
    if (work.back() <= best) continue;
    best = work.back();
    result.best_interval = interval;
    result.best_fixed = {"best fixed in hindsight", std::move(work)};
  }
}

// Limits a simulation's size before anything runs; events of every kind count.
void check_events(const SimulationResult& result, const std::vector<Policy>& policies, std::size_t intervals) {
  const Machine& machine = result.machine;
  const auto refuse_above = [](double events, auto&&... what) {
    if (!(events <= max_events)) base::fail(base::Status::out_of_range, what..., events, " events; expected at most ", max_events);
  };
  // Every policy may be queried at every poll, and the fixed intervals together save about eight times per poll.
  const auto askers = static_cast<double>(policies.size() + 8);
  const double polls = result.wall.back() / machine.poll * askers;
  refuse_above(polls, "poll_seconds is ", machine.poll, ": the failures span ", result.wall.back(), " s, which makes ");
  // The automatic policy learns from each failure by replaying the gap before it for each expert, save by save.
  const auto learners = static_cast<double>(std::count(policies.begin(), policies.end(), Policy::automatic));
  const double saves = std::min(result.mtbf / (result.daly_interval + machine.mean_cost()), 1.0 * saves_one_by_one) + 1;
  const double lives = static_cast<double>(result.wall.size()) * static_cast<double>(result.replicas);
  refuse_above(lives * (learners * saves * Hedge::experts + static_cast<double>(intervals)), "cost_seconds is ", machine.cost, ": ",
               lives, " failures with about ", saves, " saves before each make ");
}

void check(const SimulationOptions& options) {
  require(!options.law.empty() || !options.trace_csv.empty(), "trace and law are empty; expected one of them");
  require(options.nodes >= 1 && options.nodes <= 1'000'000, "nodes is ", options.nodes, "; expected 1 .. 1000000");
  require(options.failures >= 1 && options.failures <= 1'000'000, "failures is ", options.failures, "; expected 1 .. 1000000");
  require(options.replicas >= 1 && options.replicas <= 100'000, "replicas is ", options.replicas, "; expected 1 .. 100000");
  require(options.failures <= 100'000'000 / options.replicas, "failures is ", options.failures, " in each of ", options.replicas,
          " replicas; expected at most 100000000 in total");
  const double drawn = static_cast<double>(options.nodes + options.failures) * static_cast<double>(options.replicas);
  if (!options.law.empty() && drawn > max_events) {
    base::fail(base::Status::out_of_range, "nodes is ", options.nodes, ": ", options.replicas, " replicas draw ", drawn,
               " lives; expected at most ", max_events);
  }
  check(options.machine);
}

}  // namespace

double Machine::mean_cost() const {
  const auto every = static_cast<double>(remote_every);
  return bounded(cost + (every - 1) * local_cost) / every;
}

std::string policy_name(Policy policy) { return names[static_cast<std::size_t>(policy)]; }

ControllerOptions parse_policy(std::string_view text, double true_mtbf) {
  const std::size_t colon = text.find(':');
  const auto* const found = std::find(std::begin(names), std::end(names), text.substr(0, colon));
  require(found != std::end(names), "policy is ", base::quote(text),
          "; expected auto, threshold, expected-value, young, daly, bayes, bayes:KEEP, weibull or fixed:SECONDS");
  ControllerOptions options;
  options.policy = static_cast<Policy>(found - std::begin(names));
  options.mtbf_seconds = true_mtbf;
  options.threshold_options.budget = std::numeric_limits<std::int64_t>::max();
  const bool takes_number = options.policy == Policy::bayes || options.policy == Policy::fixed;
  const bool has_number = colon != std::string_view::npos;
  require(takes_number || !has_number, "policy is ", base::quote(text), "; expected no number");
  require(has_number || options.policy != Policy::fixed, "policy is 'fixed'; expected fixed:SECONDS");
  if (!has_number) return options;
  const double value = number_after(text, colon + 1);
  if (options.policy == Policy::fixed) options.interval_seconds = value;
  if (options.policy == Policy::bayes) options.keep = value;
  return options;
}

Progress run_controller(const ControllerOptions& given, const Machine& machine, const Trace& trace, std::uint64_t replica) {
  ControllerOptions options = given;
  options.poll_seconds = machine.poll;
  options.weighs_experts = options.policy == Policy::automatic;
  Controller controller(options);
  Saved saved(machine, replica);
  Progress progress;
  double failed_at = 0;
  double kept = 0;  // at the last restart of the run
  controller.begin_run(0);
  for (const double gap : trace) {
    const double next_failure = failed_at + gap;
    double now = failed_at;
    if (!progress.empty()) now += machine.restart;
    if (now < next_failure) {
      if (!progress.empty()) {
        const double gained = std::max(0.0, saved.work() - kept);
        controller.record_recovery(now, gained, gained > 0 ? machine.mean_cost() : 0);
        kept = saved.work();
      }
      live(controller, machine, saved, now, next_failure);
    }
    controller.record_failure(next_failure);
    progress.push_back(saved.fail(progress.size()));
    failed_at = next_failure;
  }
  return progress;
}

Progress run_fixed(double interval, const Machine& machine, const Trace& trace, std::uint64_t replica) {
  Saved saved(machine, replica);
  Progress progress;
  const double work = machine.poll * polls_to(interval, machine.poll);
  for (const double gap : trace) {
    double age = progress.empty() ? 0 : machine.restart;
    while (age + work + saved.next_cost() <= gap) {
      age += work + saved.next_cost();
      saved.save(work);
    }
    progress.push_back(saved.fail(progress.size()));
  }
  return progress;
}

Progress run_clairvoyant(const Machine& machine, const Trace& trace) {
  const double cost = machine.remote_every > 1 ? std::min(machine.local_cost, machine.cost) : machine.cost;
  Progress progress;
  double work = 0;
  for (const double gap : trace) {
    work += std::max(0.0, gap - (progress.empty() ? 0 : machine.restart) - cost);
    progress.push_back(work);
  }
  return progress;
}

double extra_wall(const PolicyResult& policy, const PolicyResult& baseline, std::size_t first, std::size_t last) {
  const auto work = [&](const Progress& progress) { return progress[last - 1] - (first == 0 ? 0 : progress[first - 1]); };
  const double done = work(policy.work);
  return done > 0 ? work(baseline.work) / done - 1 : std::numeric_limits<double>::infinity();
}

std::vector<GapBin> gap_histogram(const std::vector<Trace>& traces) {
  constexpr double bins_a_decade = 6;
  constexpr double decades = 6;
  double min = std::numeric_limits<double>::infinity();
  double max = 0;
  for (const Trace& trace : traces) {
    for (const double gap : trace) {
      min = std::min(min, gap);
      max = std::max(max, gap);
    }
  }
  if (!(max > 0)) return {};
  const double last = std::floor(std::log10(max) * bins_a_decade);
  const double shortest = last - decades * bins_a_decade;
  const double first = min > 0 ? std::max(shortest, std::floor(std::log10(min) * bins_a_decade)) : shortest;
  std::vector<GapBin> bins;
  for (double bin = first; bin <= last || bins.back().to <= max; ++bin)
    bins.push_back({std::pow(10, bin / bins_a_decade), std::pow(10, (bin + 1) / bins_a_decade), 0});
  if (min < bins.front().from) bins.front().from = 0;
  for (const Trace& trace : traces) {
    for (const double gap : trace) {
      const auto bin =
          std::upper_bound(bins.begin(), bins.end() - 1, gap, [](double g, const GapBin& each) { return g < each.to; });
      ++bin->count;
    }
  }
  return bins;
}

SimulationResult simulate(const SimulationOptions& options) {
  check(options);
  SimulationResult result;
  result.machine = options.machine;
  const std::vector<Trace> traces = make_traces(options);
  result.replicas = static_cast<std::int64_t>(traces.size());
  result.source = options.law.empty() ? "trace" : options.law;
  if (!options.law.empty()) {
    result.mtbf = parse_law(options.law).mtbf_seconds / static_cast<double>(options.nodes);
  } else {
    result.mtbf = std::accumulate(traces[0].begin(), traces[0].end(), 0.0) / static_cast<double>(traces[0].size());
  }
  require(result.mtbf > 0, "trace contains only zeros");
  std::vector<std::string_view> policies;
  std::vector<Policy> kinds;
  for (std::string_view rest = options.policies; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    policies.push_back(rest.substr(0, comma));
    kinds.push_back(parse_policy(policies.back(), result.mtbf).policy);  // refused before anything runs
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }

  result.wall = sum_over(traces, [](const Trace& trace, std::uint64_t) {
    Progress wall(trace.size());
    std::partial_sum(trace.begin(), trace.end(), wall.begin());
    return wall;
  });
  result.gaps = gap_histogram(traces);
  result.daly_interval = daly_interval(options.machine.mean_cost(), result.mtbf);
  const std::vector<double> intervals = fixed_intervals(result);
  check_events(result, kinds, intervals.size());
  result.daly = {"daly, true MTBF and cost", sum_over(traces, [&](const Trace& trace, std::uint64_t replica) {
                   return run_fixed(result.daly_interval, result.machine, trace, replica);
                 })};
  result.clairvoyant = {"clairvoyant bound", sum_over(traces, [&](const Trace& trace, std::uint64_t) {
                          return run_clairvoyant(result.machine, trace);
                        })};
  find_best_fixed(result, traces, intervals);
  for (const std::string_view text : policies) {
    const ControllerOptions controller = parse_policy(text, result.mtbf);
    result.policies.push_back({std::string(text), sum_over(traces, [&](const Trace& trace, std::uint64_t replica) {
                                 return run_controller(controller, result.machine, trace, replica);
                               })});
  }
  return result;
}

}  // namespace ckpt::adaptive
