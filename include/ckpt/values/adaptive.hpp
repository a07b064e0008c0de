// Generated from include/ckpt by tools/api: do not edit.
// adaptive.hpp - the values of adaptive.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_ADAPTIVE_HPP
#define CKPT_VALUES_ADAPTIVE_HPP

#include <ckpt/adaptive.h>
#include <ckpt/values/value.hpp>

namespace ckpt {

// How a controller decides when to save.
enum class Policy : std::int32_t {
  // experts on the failure rate, weighted by what each would have cost on every gap so far
  auto_ = CKPT_POLICY_AUTO,
  // the threshold rule on the last observed task; a commit consumes the slot
  threshold = CKPT_POLICY_THRESHOLD,
  // the interval at which expected loss and cost of a checkpoint are equal, with the learned failure rate
  expected_value = CKPT_POLICY_EXPECTED_VALUE,
  // Young's interval with a set mean time between failures and the measured cost
  young = CKPT_POLICY_YOUNG,
  // Daly's interval with a set mean time between failures and the measured cost
  daly = CKPT_POLICY_DALY,
  // Daly's interval for the mean of a Gamma posterior: prior 1 failure in 1 h
  bayes = CKPT_POLICY_BAYES,
  // the interval for a Weibull law fitted to the last 512 gaps, at the age of the current one
  weibull = CKPT_POLICY_WEIBULL,
  // a set interval
  fixed = CKPT_POLICY_FIXED,
};

// What happened, for Controller::record.
enum class ControllerEventKind : std::int32_t {
  // a run begins: budgets and windows start again. Status::invalid_state during a run
  run_began = CKPT_CONTROLLER_EVENT_KIND_RUN_BEGAN,
  // this process continues what Controller::restore loaded. If a run was in progress there, it has failed: half an interval
  // after its last event, but not later than now; record its recovery next. Without such a run: as
  // ControllerEventKind::run_began. The time may be on another clock than in the process before
  run_resumed = CKPT_CONTROLLER_EVENT_KIND_RUN_RESUMED,
  // a save starts: no other one is asked for until it is committed or aborted. Status::invalid_state while one is in flight
  save_began = CKPT_CONTROLLER_EVENT_KIND_SAVE_BEGAN,
  // the save in flight is durable: uses stall_seconds and durable_seconds. Status::invalid_state without a save in flight
  save_committed = CKPT_CONTROLLER_EVENT_KIND_SAVE_COMMITTED,
  // the save in flight failed: nothing is learned from it. Status::invalid_state without a save in flight
  save_aborted = CKPT_CONTROLLER_EVENT_KIND_SAVE_ABORTED,
  // a task is done: uses name and duration_seconds, and not now_seconds; as Threshold::observe_task. The mean duration also
  // stands for ControllerOptions.poll_seconds when that is 0
  task_done = CKPT_CONTROLLER_EVENT_KIND_TASK_DONE,
  // the machine failed: what was not saved is lost. The run continues
  failure = CKPT_CONTROLLER_EVENT_KIND_FAILURE,
  // work continues after a failure: uses saved_seconds and overhead_seconds
  recovery = CKPT_CONTROLLER_EVENT_KIND_RECOVERY,
  // the run ends without a failure: its last gap is censored, and the cost of saves that no recovery has judged was spent for
  // nothing
  clean_exit = CKPT_CONTROLLER_EVENT_KIND_CLEAN_EXIT,
  // the process will be terminated: uses left_seconds. A save is asked for at once if those before became durable within that
  // time
  preemption = CKPT_CONTROLLER_EVENT_KIND_PREEMPTION,
};

// Why a controller answered as it did.
enum class Reason : std::int32_t {
  // no: no save is wanted yet
  not_due = CKPT_REASON_NOT_DUE,
  // yes: this poll is the nearest to the target
  due = CKPT_REASON_DUE,
  // yes: early, to learn what a save costs
  first_save = CKPT_REASON_FIRST_SAVE,
  // yes, by the threshold rule: the task is long enough
  task_is_long = CKPT_REASON_TASK_IS_LONG,
  // no, by the threshold rule: the task is too short, or it has no slot left
  task_is_short = CKPT_REASON_TASK_IS_SHORT,
  // no: the save before is not durable yet
  save_in_flight = CKPT_REASON_SAVE_IN_FLIGHT,
  // no: the budget of this window is spent
  budget_is_spent = CKPT_REASON_BUDGET_IS_SPENT,
  // yes: the process will be ended
  preemption = CKPT_REASON_PREEMPTION,
  // no: the process will be ended before a save could be durable
  preemption_short = CKPT_REASON_PREEMPTION_SHORT,
  // no: the process will be ended, and a save after the notice is durable
  preemption_saved = CKPT_REASON_PREEMPTION_SAVED,
};

// How a threshold rule is made.
struct ThresholdOptions {
  // first value of the threshold: a share of the longest task, 0.05 .. 1; default 0.35
  double threshold = 0.35;
  // how far one recovery moves the threshold at most, above 0, at most 1; default 0.1
  double learning_rate = 0.1;
  // number of checkpoints of a run, at least 0; default 3
  std::int64_t budget = 3;
};
namespace detail {
inline ckpt_threshold_options to_c(const ThresholdOptions& from) {
  ckpt_threshold_options to = CKPT_THRESHOLD_OPTIONS_INIT;
  put(from.threshold, to.threshold);
  put(from.learning_rate, to.learning_rate);
  put(from.budget, to.budget);
  return to;
}
}  // namespace detail

// What a threshold rule knows.
struct ThresholdInfo {
  // value of the threshold now: a share of the longest task, 0.05 .. 1
  double threshold = 0;
  // duration of the longest task observed, in seconds
  double longest_seconds = 0;
  // number of checkpoints of a run
  std::int64_t budget = 0;
  // number of checkpoints used in this run
  std::int64_t used = 0;
  // number of tasks that can be read: the last 256 at most
  std::int64_t tasks = 0;
};
namespace detail {
inline ThresholdInfo from_c(const ckpt_threshold_info& from) {
  ThresholdInfo to;
  take(to.threshold, from.threshold);
  take(to.longest_seconds, from.longest_seconds);
  take(to.budget, from.budget);
  take(to.used, from.used);
  take(to.tasks, from.tasks);
  return to;
}
}  // namespace detail

// One task that was observed.
struct TaskObservation {
  // true when a checkpoint was made of it, else false
  bool checkpointed = false;
  // duration of the task in seconds
  double duration_seconds = 0;
  // true when it failed, or a failure came while it was the last one, else false
  bool failed = false;
  // name of the task: UTF-8, not blank
  std::string name = {};
};
namespace detail {
inline TaskObservation from_c(const ckpt_task_observation& from) {
  TaskObservation to;
  take(to.checkpointed, from.checkpointed);
  take(to.duration_seconds, from.duration_seconds);
  take(to.failed, from.failed);
  take(to.name, from.name);
  return to;
}
}  // namespace detail

// How a controller is made.
struct ControllerOptions {
  // how saves are decided: one of Policy; default Policy::auto_
  Policy policy = Policy::auto_;
  // for Policy::young and Policy::daly: mean time between failures in seconds, above 0
  double mtbf_seconds = 0;
  // for Policy::fixed: interval between saves in seconds, above 0
  double interval_seconds = 0;
  // for Policy::bayes and Policy::expected_value: share of what is known that each failure leaves, above 0, at most 1; 1 (the
  // default): nothing is forgotten
  double keep = 1;
  // what a save costs, in seconds, until one was measured; 0: unknown
  double initial_cost_seconds = 0;
  // when the cost of a save is unknown the first save comes no later than this, in seconds, to learn it; default 600
  double first_seconds = 600;
  // seconds between two questions; 0: as long as observed tasks last on average. A save is asked for at the poll nearest to
  // the target
  double poll_seconds = 0;
  // shortest interval between saves in seconds, at least 0
  double min_interval_seconds = 0;
  // longest interval between saves in seconds; 0: no maximum
  double max_interval_seconds = 0;
  // share of the time that saves may take, above 0, at most 1; default 1. Goes before max_interval_seconds
  double max_overhead_share = 1;
  // number of saves in each window, at least 0; 0: no limit
  std::int64_t budget_saves = 0;
  // length of the windows in seconds, which follow one another from the run's begin; 0: one for the whole run
  double budget_window_seconds = 0;
  // for Policy::threshold: first value of the threshold, a share of the longest task, 0.05 .. 1; default 0.35
  double threshold = 0.35;
  // for Policy::threshold: how far one recovery moves the threshold at most, above 0, at most 1; default 0.1
  double threshold_learning_rate = 0.1;
  // for Policy::threshold: number of checkpoints of a run, at least 0; default 3
  std::int64_t threshold_budget = 3;
  // source of time of Controller::now; kept alive; nullptr: the monotonic clock
  detail::Borrowed<ckpt_clock> clock = {};
};
namespace detail {
inline ckpt_controller_options to_c(const ControllerOptions& from) {
  ckpt_controller_options to = CKPT_CONTROLLER_OPTIONS_INIT;
  put(from.policy, to.policy);
  put(from.mtbf_seconds, to.mtbf_seconds);
  put(from.interval_seconds, to.interval_seconds);
  put(from.keep, to.keep);
  put(from.initial_cost_seconds, to.initial_cost_seconds);
  put(from.first_seconds, to.first_seconds);
  put(from.poll_seconds, to.poll_seconds);
  put(from.min_interval_seconds, to.min_interval_seconds);
  put(from.max_interval_seconds, to.max_interval_seconds);
  put(from.max_overhead_share, to.max_overhead_share);
  put(from.budget_saves, to.budget_saves);
  put(from.budget_window_seconds, to.budget_window_seconds);
  put(from.threshold, to.threshold);
  put(from.threshold_learning_rate, to.threshold_learning_rate);
  put(from.threshold_budget, to.threshold_budget);
  put(from.clock, to.clock);
  return to;
}
}  // namespace detail

// An event of a run, as a controller learns from it. Each kind uses the fields that it names, and now_seconds.
struct ControllerEvent {
  // what happened
  ControllerEventKind kind = ControllerEventKind::run_began;
  // time of the event in seconds, on the caller's clock
  double now_seconds = 0;
  // name of the task: UTF-8, not blank, at most 95 bytes
  std::string name = {};
  // duration of the task in seconds: finite, at least 0
  double duration_seconds = 0;
  // seconds that work stood still for the save: the cost of the save
  double stall_seconds = 0;
  // seconds from the begin of the save until it was durable; used after preemption notices
  double durable_seconds = 0;
  // seconds of work that the loaded checkpoint makes unnecessary to repeat
  double saved_seconds = 0;
  // cost of the loaded checkpoint in seconds
  double overhead_seconds = 0;
  // seconds until the process is terminated
  double left_seconds = 0;
};
namespace detail {
inline ckpt_controller_event to_c(const ControllerEvent& from) {
  ckpt_controller_event to = CKPT_CONTROLLER_EVENT_INIT;
  put(from.kind, to.kind);
  put(from.now_seconds, to.now_seconds);
  put(from.name, to.name);
  put(from.duration_seconds, to.duration_seconds);
  put(from.stall_seconds, to.stall_seconds);
  put(from.durable_seconds, to.durable_seconds);
  put(from.saved_seconds, to.saved_seconds);
  put(from.overhead_seconds, to.overhead_seconds);
  put(from.left_seconds, to.left_seconds);
  return to;
}
}  // namespace detail

// A controller's answer to the question whether to save now.
struct Decision {
  // true: save now; false: do not
  bool checkpoint = false;
  // why
  Reason reason = Reason::not_due;
  // the policy that decided
  Policy policy = Policy::auto_;
  // interval wanted between saves now, in seconds; 0 for Policy::threshold
  double interval_seconds = 0;
  // probability of a failure within the interval wanted, 0 .. 1
  double risk = 0;
  // cost of a save in seconds: measured, set, or assumed (60 s)
  double cost_seconds = 0;
  // seconds since the last save, or since work began
  double since_last_seconds = 0;
  // when a save is wanted, in seconds on the caller's clock; 0 for Policy::threshold
  double due_seconds = 0;
};
namespace detail {
inline Decision from_c(const ckpt_decision& from) {
  Decision to;
  take(to.checkpoint, from.checkpoint);
  take(to.reason, from.reason);
  take(to.policy, from.policy);
  take(to.interval_seconds, from.interval_seconds);
  take(to.risk, from.risk);
  take(to.cost_seconds, from.cost_seconds);
  take(to.since_last_seconds, from.since_last_seconds);
  take(to.due_seconds, from.due_seconds);
  return to;
}
}  // namespace detail

// What a controller knows.
struct ControllerInfo {
  // true while a run is going on, else false
  bool running = false;
  // true while a save is begun and neither committed nor aborted, else false
  bool save_in_flight = false;
  // number of failures recorded
  std::int64_t failures = 0;
  // number of saves committed
  std::int64_t saves = 0;
  // mean stall of the last eight saves in seconds; 0 when there was none
  double cost_seconds = 0;
  // mean time in seconds until the last eight saves were durable; 0 when there was none
  double durable_seconds = 0;
  // cost in seconds of saves that neither a recovery nor a clean exit has judged
  double unjudged_overhead_seconds = 0;
  // the last sign of life, in seconds on the caller's clock
  double last_seen_seconds = 0;
  // mean time between failures in seconds at the last sign of life, as the policy sees it: 1 / failure rate
  double mtbf_seconds = 0;
  // value of the threshold rule's threshold now: a share of the longest task
  double threshold = 0;
  // number of checkpoints of this run that the threshold rule used
  std::int64_t threshold_used = 0;
  // number of tasks that can be read
  std::int64_t tasks = 0;
};
namespace detail {
inline ControllerInfo from_c(const ckpt_controller_info& from) {
  ControllerInfo to;
  take(to.running, from.running);
  take(to.save_in_flight, from.save_in_flight);
  take(to.failures, from.failures);
  take(to.saves, from.saves);
  take(to.cost_seconds, from.cost_seconds);
  take(to.durable_seconds, from.durable_seconds);
  take(to.unjudged_overhead_seconds, from.unjudged_overhead_seconds);
  take(to.last_seen_seconds, from.last_seen_seconds);
  take(to.mtbf_seconds, from.mtbf_seconds);
  take(to.threshold, from.threshold);
  take(to.threshold_used, from.threshold_used);
  take(to.tasks, from.tasks);
  return to;
}
}  // namespace detail

// What a simulation of failures replays, and against which policies.
struct SimulationOptions {
  // text with the seconds between failures, one number a line, # begins a comment; empty: a law is used
  std::string trace = {};
  // law of the failures of one node, in seconds: "exponential:MTBF" or "weibull:SHAPE:MTBF"; empty: a trace is used
  std::string law = {};
  // the policies, separated by commas: auto, threshold, expected-value, young, daly (both with the true MTBF), bayes,
  // bayes:KEEP, weibull, fixed:SECONDS; empty: all but fixed
  std::string policies = {};
  // number of nodes of the law: they fail one by one, each stops all; 1 .. 1000000; default 1
  std::int64_t nodes = 1;
  // number of failures to draw in each run, 1 .. 1000000; default 200
  std::int64_t failures = 200;
  // number of runs to draw, 1 .. 100000; default 20
  std::int64_t replicas = 20;
  // seed of all random draws; default 1
  std::uint64_t seed = 1;
  // cost of a save in seconds, above 0; default 30
  double cost_seconds = 30;
  // duration of a restart after a failure, in seconds, at least 0; default 300
  double restart_seconds = 300;
  // seconds between questions, above 0; default 30
  double poll_seconds = 30;
  // each so many-th save is remote and costs cost_seconds, the others are local; at least 1; 1 (the default): all are remote
  std::int64_t remote_every = 1;
  // cost of a local save in seconds, above 0 where saves are local
  double local_cost_seconds = 0;
  // share of the failures that destroy what is local, 0 .. 1
  double remote_share = 0;
};
namespace detail {
inline ckpt_simulation_options to_c(const SimulationOptions& from) {
  ckpt_simulation_options to = CKPT_SIMULATION_OPTIONS_INIT;
  put(from.trace, to.trace);
  put(from.law, to.law);
  put(from.policies, to.policies);
  put(from.nodes, to.nodes);
  put(from.failures, to.failures);
  put(from.replicas, to.replicas);
  put(from.seed, to.seed);
  put(from.cost_seconds, to.cost_seconds);
  put(from.restart_seconds, to.restart_seconds);
  put(from.poll_seconds, to.poll_seconds);
  put(from.remote_every, to.remote_every);
  put(from.local_cost_seconds, to.local_cost_seconds);
  put(from.remote_share, to.remote_share);
  return to;
}
}  // namespace detail

}  // namespace ckpt

#endif
