// Generated from include/ckpt by tools/api: do not edit.
// adaptive.hpp - the values of adaptive.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_ADAPTIVE_HPP
#define CKPT_VALUES_ADAPTIVE_HPP

#include <ckpt/adaptive.h>
#include <ckpt/values/value.hpp>

namespace ckpt {

// The policy by which a controller decides when to save.
enum class Policy : std::int32_t {
  // a weighted combination of estimators of the failure rate; weights follow the cost that each would have had on every gap so
  // far
  auto_ = CKPT_POLICY_AUTO,
  // the threshold rule, applied to the last observed task; a commit consumes the slot
  threshold = CKPT_POLICY_THRESHOLD,
  // the interval at which the expected loss and the cost of a checkpoint are equal, with the estimated failure rate
  expected_value = CKPT_POLICY_EXPECTED_VALUE,
  // Young's interval with a given mean time between failures and the measured cost
  young = CKPT_POLICY_YOUNG,
  // Daly's interval with a given mean time between failures and the measured cost
  daly = CKPT_POLICY_DALY,
  // Daly's interval for the mean of a Gamma posterior: prior 1 failure in 1 h
  bayes = CKPT_POLICY_BAYES,
  // the interval for a Weibull distribution fitted to the last 512 gaps, at the age of the current gap
  weibull = CKPT_POLICY_WEIBULL,
  // a fixed, given interval
  fixed = CKPT_POLICY_FIXED,
};

// The kind of an event for Controller::record.
enum class ControllerEventKind : std::int32_t {
  // a run begins: budgets and windows start again. Status::invalid_state during a run
  run_began = CKPT_CONTROLLER_EVENT_KIND_RUN_BEGAN,
  // this process continues the run that Controller::restore loaded. A run that was in progress there counts as failed, half an
  // interval after its last event, but not later than now; record its recovery next. Without such a run: as
  // ControllerEventKind::run_began. The time may be on another clock than in the previous process
  run_resumed = CKPT_CONTROLLER_EVENT_KIND_RUN_RESUMED,
  // a save starts: no other save is requested until it is committed or aborted. Status::invalid_state while a save is in
  // flight
  save_began = CKPT_CONTROLLER_EVENT_KIND_SAVE_BEGAN,
  // the save in flight is durable: uses stall_seconds and durable_seconds. Status::invalid_state without a save in flight
  save_committed = CKPT_CONTROLLER_EVENT_KIND_SAVE_COMMITTED,
  // the save in flight failed: it is not used as a measurement. Status::invalid_state without a save in flight
  save_aborted = CKPT_CONTROLLER_EVENT_KIND_SAVE_ABORTED,
  // a task is done: uses name and duration_seconds, and not now_seconds; as Threshold::observe_task. The mean duration
  // replaces ControllerOptions.poll_seconds if that is 0
  task_done = CKPT_CONTROLLER_EVENT_KIND_TASK_DONE,
  // the machine failed: unsaved work is lost. The run continues
  failure = CKPT_CONTROLLER_EVENT_KIND_FAILURE,
  // work continues after a failure: uses saved_seconds and overhead_seconds
  recovery = CKPT_CONTROLLER_EVENT_KIND_RECOVERY,
  // the run ends without a failure: its last gap is censored, and the cost of saves that no recovery has accounted for counts
  // as overhead without benefit
  clean_exit = CKPT_CONTROLLER_EVENT_KIND_CLEAN_EXIT,
  // the process will be terminated: uses left_seconds. A save is requested at once if earlier saves became durable within that
  // time
  preemption = CKPT_CONTROLLER_EVENT_KIND_PREEMPTION,
};

// The reason for a decision of a controller.
enum class Reason : std::int32_t {
  // no: no save is due yet
  not_due = CKPT_REASON_NOT_DUE,
  // yes: this poll is the nearest to the target
  due = CKPT_REASON_DUE,
  // yes: early, to measure the cost of a save
  first_save = CKPT_REASON_FIRST_SAVE,
  // yes, by the threshold rule: the task is long enough
  task_is_long = CKPT_REASON_TASK_IS_LONG,
  // no, by the threshold rule: the task is too short, or no slot is left
  task_is_short = CKPT_REASON_TASK_IS_SHORT,
  // no: the previous save is not durable yet
  save_in_flight = CKPT_REASON_SAVE_IN_FLIGHT,
  // no: the budget of this window is spent
  budget_is_spent = CKPT_REASON_BUDGET_IS_SPENT,
  // yes: the process will be terminated
  preemption = CKPT_REASON_PREEMPTION,
  // no: the process will be terminated before a save could be durable
  preemption_short = CKPT_REASON_PREEMPTION_SHORT,
  // no: the process will be terminated, and a save after the notice is durable
  preemption_saved = CKPT_REASON_PREEMPTION_SAVED,
};

// Options for creating a threshold rule.
struct ThresholdOptions {
  // initial threshold: a share of the longest task, 0.05 .. 1; default 0.35
  double threshold = 0.35;
  // maximum change of the threshold by one recovery, > 0, <= 1; default 0.1
  double learning_rate = 0.1;
  // number of checkpoints of a run, >= 0; default 3
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

// The state of a threshold rule.
struct ThresholdInfo {
  // current threshold: a share of the longest task, 0.05 .. 1
  double threshold = 0;
  // duration of the longest task observed, in seconds
  double longest_seconds = 0;
  // number of checkpoints of a run
  std::int64_t budget = 0;
  // number of checkpoints used in this run
  std::int64_t used = 0;
  // number of stored tasks: at most the last 256
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

// One observed task.
struct TaskObservation {
  // true when a checkpoint followed it, else false
  bool checkpointed = false;
  // duration of the task in seconds
  double duration_seconds = 0;
  // true when it failed, or a failure occurred while it was the last task, else false
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

// Options for creating a controller.
struct ControllerOptions {
  // policy that decides about saves: one of Policy; default Policy::auto_
  Policy policy = Policy::auto_;
  // for Policy::young and Policy::daly: mean time between failures in seconds, > 0
  double mtbf_seconds = 0;
  // for Policy::fixed: interval between saves in seconds, > 0
  double interval_seconds = 0;
  // for Policy::bayes and Policy::expected_value: factor by which each failure discounts earlier observations, > 0, <= 1; 1
  // (the default): no discount
  double keep = 1;
  // cost of a save in seconds until one was measured; 0: unknown
  double initial_cost_seconds = 0;
  // if the cost of a save is unknown, latest time of the first save in seconds, to measure it; default 600
  double first_seconds = 600;
  // seconds between two polls; 0: the mean duration of observed tasks. A save is requested at the poll nearest to the target
  double poll_seconds = 0;
  // shortest interval between saves in seconds, >= 0
  double min_interval_seconds = 0;
  // longest interval between saves in seconds; 0: no maximum
  double max_interval_seconds = 0;
  // share of the time that saves may take, > 0, <= 1; default 1. Takes precedence over max_interval_seconds
  double max_overhead_share = 1;
  // maximum number of saves in each window, >= 0; 0: no limit
  std::int64_t budget_saves = 0;
  // length of the consecutive windows in seconds, from the begin of the run; 0: one window for the whole run
  double budget_window_seconds = 0;
  // for Policy::threshold: initial threshold, a share of the longest task, 0.05 .. 1; default 0.35
  double threshold = 0.35;
  // for Policy::threshold: maximum change of the threshold by one recovery, > 0, <= 1; default 0.1
  double threshold_learning_rate = 0.1;
  // for Policy::threshold: number of checkpoints of a run, >= 0; default 3
  std::int64_t threshold_budget = 3;
  // clock of Controller::now; kept alive; nullptr: the monotonic clock
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

// An event of a run. Each kind uses the fields that its comment names, and now_seconds.
struct ControllerEvent {
  // kind of the event
  ControllerEventKind kind = ControllerEventKind::run_began;
  // time of the event in seconds, on the caller's clock
  double now_seconds = 0;
  // name of the task: UTF-8, not blank, at most 95 bytes
  std::string name = {};
  // duration of the task in seconds: finite, >= 0
  double duration_seconds = 0;
  // seconds for which work was stopped for the save: the cost of the save
  double stall_seconds = 0;
  // seconds from the begin of the save until it was durable; used after preemption notices
  double durable_seconds = 0;
  // seconds of work that need not be repeated because of the loaded checkpoint
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

// A controller's decision whether to save now.
struct Decision {
  // true: save now; false: do not
  bool checkpoint = false;
  // reason for the decision
  Reason reason = Reason::not_due;
  // the policy that decided
  Policy policy = Policy::auto_;
  // current target interval between saves, in seconds; 0 for Policy::threshold
  double interval_seconds = 0;
  // probability of a failure within the target interval, 0 .. 1
  double risk = 0;
  // cost of a save in seconds: measured, set, or assumed (60 s)
  double cost_seconds = 0;
  // seconds since the last save, or since work began
  double since_last_seconds = 0;
  // when the next save is due, in seconds on the caller's clock; 0 for Policy::threshold
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

// The state of a controller.
struct ControllerInfo {
  // true while a run is in progress, else false
  bool running = false;
  // true while a save has begun and is neither committed nor aborted, else false
  bool save_in_flight = false;
  // number of failures recorded
  std::int64_t failures = 0;
  // number of saves committed
  std::int64_t saves = 0;
  // mean stall of the last eight saves in seconds; 0 when there was none
  double cost_seconds = 0;
  // mean time in seconds until the last eight saves were durable; 0 when there was none
  double durable_seconds = 0;
  // cost in seconds of saves that no recovery or clean exit has accounted for yet
  double unjudged_overhead_seconds = 0;
  // time of the last recorded event, in seconds on the caller's clock
  double last_seen_seconds = 0;
  // mean time between failures in seconds at last_seen_seconds, as the policy estimates it: 1 / failure rate
  double mtbf_seconds = 0;
  // current threshold of the threshold rule: a share of the longest task
  double threshold = 0;
  // number of slots of this run that the threshold rule has used
  std::int64_t threshold_used = 0;
  // number of stored tasks
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

// Options of a simulation: failures to replay, and policies.
struct SimulationOptions {
  // text with the seconds between failures, one number per line, # begins a comment; empty: a distribution is used
  std::string trace = {};
  // distribution of the failures of one node, in seconds: "exponential:MTBF" or "weibull:SHAPE:MTBF"; empty: a trace is used
  std::string law = {};
  // the policies, separated by commas: auto, threshold, expected-value, young, daly (both with the true MTBF), bayes,
  // bayes:KEEP, weibull, fixed:SECONDS; empty: all but fixed
  std::string policies = {};
  // number of nodes: they fail independently, and each failure stops all; 1 .. 1000000; default 1
  std::int64_t nodes = 1;
  // number of failures to draw in each run, 1 .. 1000000; default 200
  std::int64_t failures = 200;
  // number of runs to draw, 1 .. 100000; default 20
  std::int64_t replicas = 20;
  // seed of all random draws; default 1
  std::uint64_t seed = 1;
  // cost of a save in seconds, > 0; default 30
  double cost_seconds = 30;
  // duration of a restart after a failure, in seconds, >= 0; default 300
  double restart_seconds = 300;
  // seconds between polls, > 0; default 30
  double poll_seconds = 30;
  // n, where every n-th save is remote and costs cost_seconds, and the others are local; >= 1; 1 (the default): all are remote
  std::int64_t remote_every = 1;
  // cost of a local save in seconds, > 0 if saves are local
  double local_cost_seconds = 0;
  // share of the failures that destroy local saves, 0 .. 1
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
