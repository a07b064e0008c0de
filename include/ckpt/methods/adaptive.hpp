// Generated from include/ckpt by tools/api: do not edit.
// adaptive.hpp - the classes and functions that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_ADAPTIVE_HPP
#define CKPT_METHODS_ADAPTIVE_HPP

#include <ckpt/adaptive.h>
#include <ckpt/base.hpp>
#include <ckpt/state.hpp>
#include <ckpt/values/adaptive.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ckpt {

// A rule that checkpoints after tasks with a large enough share of the duration of the longest task, while slots are left. It
// adjusts that share by the savings of recoveries. One thread at a time. Weaknesses: it ignores the time since the last
// checkpoint and the failure rate, and its steps depend on the unit of time. One outlier stays the longest task permanently, and
// the slots of a long run are used up.
class Threshold : public detail::Object<Threshold, ckpt_threshold, ckpt_threshold_release> {
 public:
  using Object::Object;
  Threshold() : Threshold(ThresholdOptions()) {}
  // Creates a threshold rule. options: {} for the defaults.
  explicit Threshold(const ThresholdOptions& options) : Object(detail::Empty()) {
    const ckpt_threshold_options given_options = detail::to_c(options);
    check(ckpt_threshold_create(&given_options, this->out()));
  }
  // Records the duration of a task. name: UTF-8, not blank, at most 95 bytes. duration_seconds: finite, >= 0.
  void observe_task(const std::string& name, double duration_seconds) {
    check(ckpt_threshold_observe_task(handle(), name.c_str(), duration_seconds));
  }
  // Records that a task failed after this duration. It is stored, with failed = 1 in TaskObservation, and is never the longest
  // task, because it was not completed. name: UTF-8, not blank, at most 95 bytes. duration_seconds: finite, >= 0. Record the
  // savings of the recovery with Threshold::adjust_policy.
  void observe_failure(const std::string& name, double duration_seconds) {
    check(ckpt_threshold_observe_failure(handle(), name.c_str(), duration_seconds));
  }
  // Returns true when a slot is left and cost_seconds / max(longest task, 1e-6) reaches the threshold, which consumes the slot;
  // else false.
  bool should_checkpoint(const std::string& name, double cost_seconds) {
    ckpt_bool result = 0;
    check(ckpt_threshold_should_checkpoint(handle(), name.c_str(), cost_seconds, &result));
    return result != 0;
  }
  // Adds -sign(b) * learning_rate * |b| / (|b| + 1) to the threshold, b = saved - overhead, and keeps it within 0.05 .. 1.
  void adjust_policy(double saved_seconds, double overhead_seconds) {
    check(ckpt_threshold_adjust_policy(handle(), saved_seconds, overhead_seconds));
  }
  // Frees all slots for a new run; the threshold and the longest task are kept.
  void begin_run() {
    check(ckpt_threshold_begin_run(handle()));
  }
  // Returns the state of the rule.
  ThresholdInfo info() const {
    ckpt_threshold_info result = CKPT_THRESHOLD_INFO_INIT;
    check(ckpt_threshold_get_info(handle(), &result));
    return detail::from_c(result);
  }
  // Lists the stored tasks, the oldest first.
  std::vector<TaskObservation> list_tasks() const {
    const auto ask = [&](ckpt_task_observation* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_threshold_list_tasks(handle(), list, capacity, count);
    };
    const auto listed = detail::list_of<ckpt_task_observation>(CKPT_TASK_OBSERVATION_INIT, ask);
    return detail::values_of(listed, [](const auto& each) { return detail::from_c(each); });
  }
};

template <class Self>
class ControllerMethods : public detail::Object<Self, ckpt_controller, ckpt_controller_release> {
  using Base = detail::Object<Self, ckpt_controller, ckpt_controller_release>;

 public:
  using Base::Base;
  using Base::handle;
  ControllerMethods() : ControllerMethods(ControllerOptions()) {}
  // Creates a controller. options: {} for the defaults. Status::invalid_argument names the option that is out of range.
  explicit ControllerMethods(const ControllerOptions& options) : Base(detail::Empty()) {
    const ckpt_controller_options given_options = detail::to_c(options);
    check(ckpt_controller_create(&given_options, this->out()));
  }
  // Returns the time on the controller's clock, for callers without a separate clock.
  double now() const {
    double result = 0;
    check(ckpt_controller_get_now(handle(), &result));
    return result;
  }
  // Records an event. Status::invalid_argument for an unknown kind and for a time that is not finite; Status::invalid_state as
  // the kinds document, and without a run for kinds that need one.
  void record(const ControllerEvent& event) {
    const ckpt_controller_event given_event = detail::to_c(event);
    check(ckpt_controller_record(handle(), &given_event));
  }
  // Decides whether to save now, and reports the reason. Changes nothing, so it may be called at any rate. Status::invalid_state
  // when no run is in progress.
  Decision should_checkpoint(double now_seconds) const {
    ckpt_decision result = CKPT_DECISION_INIT;
    check(ckpt_controller_should_checkpoint(handle(), now_seconds, &result));
    return detail::from_c(result);
  }
  // Decides as Controller::should_checkpoint, with the same decision on all processes, which must all call it: rank 0 decides
  // and broadcasts. Each rank records the begin and commit of every save in its own controller; the cost of a save is the
  // longest stall of all ranks. After a save this call gathers the stalls on rank 0, and its controller records the longest
  // before it decides; this is repeated in later calls until no rank is still in that save. The controllers of other ranks keep
  // their own stalls. now_seconds is only used on rank 0. If rank 0 cannot decide, or the arguments of one rank are invalid, all
  // return the status and message of that rank. Only a rank with a coordinator that is nullptr or another handle fails alone;
  // the others time out. Status::timeout and Status::callback as Coordinator::all_gather, Coordinator::gather and
  // Coordinator::broadcast. Status::corrupt if they return invalid data instead of a decision or stalls. timeout: >= 0, for the
  // call as a whole.
  Decision decide_all(const Coordinator& coordinator, double now_seconds, std::chrono::nanoseconds timeout) const {
    ckpt_decision result = CKPT_DECISION_INIT;
    check(ckpt_controller_decide_all(handle(), coordinator.handle(), now_seconds, timeout.count(), &result));
    return detail::from_c(result);
  }
  // Returns the state of the controller.
  ControllerInfo info() const {
    ckpt_controller_info result = CKPT_CONTROLLER_INFO_INIT;
    check(ckpt_controller_get_info(handle(), &result));
    return detail::from_c(result);
  }
  // Lists the stored tasks, the oldest first.
  std::vector<TaskObservation> list_tasks() const {
    const auto ask = [&](ckpt_task_observation* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_controller_list_tasks(handle(), list, capacity, count);
    };
    const auto listed = detail::list_of<ckpt_task_observation>(CKPT_TASK_OBSERVATION_INIT, ask);
    return detail::values_of(listed, [](const auto& each) { return detail::from_c(each); });
  }
  // Returns the complete state of the controller as JSON. For State::set_json with the key "controller", after
  // ControllerEventKind::save_began, so that the estimates survive a crash. Numbers are restored to the same bits.
  std::string json() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_controller_get_json(handle(), buffer, capacity, needed);
    });
  }
  // Restores the state that Controller::json wrote, also of a controller with other options; the options of this controller are
  // kept. In the same process the controller continues from the state of the other one; after a restart record
  // ControllerEventKind::run_resumed. Status::corrupt if json is not the state of a controller, Status::unsupported if it is of
  // a later version; then nothing changes.
  void restore(const std::string& json) {
    check(ckpt_controller_restore(handle(), json.c_str()));
  }
  // A run begins: budgets and windows start again. Status::invalid_state during a run.
  void begin_run(double now_seconds) {
    ControllerEvent event;
    event.kind = ControllerEventKind::run_began;
    event.now_seconds = now_seconds;
    record(event);
  }
  // This process continues the run that Controller::restore loaded. A run that was in progress there counts as failed, half an
  // interval after its last event, but not later than now; record its recovery next. Without such a run: as
  // ControllerEventKind::run_began. The time may be on another clock than in the previous process.
  void resume(double now_seconds) {
    ControllerEvent event;
    event.kind = ControllerEventKind::run_resumed;
    event.now_seconds = now_seconds;
    record(event);
  }
  // A save starts: no other save is requested until it is committed or aborted. Status::invalid_state while a save is in flight.
  void begin(double now_seconds) {
    ControllerEvent event;
    event.kind = ControllerEventKind::save_began;
    event.now_seconds = now_seconds;
    record(event);
  }
  // The save in flight is durable. Status::invalid_state without a save in flight.
  void commit(double now_seconds, double stall_seconds, double durable_seconds) {
    ControllerEvent event;
    event.kind = ControllerEventKind::save_committed;
    event.now_seconds = now_seconds;
    event.stall_seconds = stall_seconds;
    event.durable_seconds = durable_seconds;
    record(event);
  }
  // The save in flight failed: it is not used as a measurement. Status::invalid_state without a save in flight.
  void abort(double now_seconds) {
    ControllerEvent event;
    event.kind = ControllerEventKind::save_aborted;
    event.now_seconds = now_seconds;
    record(event);
  }
  // A task is done; as Threshold::observe_task. The mean duration replaces ControllerOptions.poll_seconds if that is 0.
  void observe_task(const std::string& name, double duration_seconds) {
    ControllerEvent event;
    event.kind = ControllerEventKind::task_done;
    event.name = name;
    event.duration_seconds = duration_seconds;
    record(event);
  }
  // The machine failed: unsaved work is lost. The run continues.
  void record_failure(double now_seconds) {
    ControllerEvent event;
    event.kind = ControllerEventKind::failure;
    event.now_seconds = now_seconds;
    record(event);
  }
  // Work continues after a failure.
  void record_recovery(double now_seconds, double saved_seconds, double overhead_seconds) {
    ControllerEvent event;
    event.kind = ControllerEventKind::recovery;
    event.now_seconds = now_seconds;
    event.saved_seconds = saved_seconds;
    event.overhead_seconds = overhead_seconds;
    record(event);
  }
  // The run ends without a failure: its last gap is censored, and the cost of saves that no recovery has accounted for counts as
  // overhead without benefit.
  void record_clean_exit(double now_seconds) {
    ControllerEvent event;
    event.kind = ControllerEventKind::clean_exit;
    event.now_seconds = now_seconds;
    record(event);
  }
  // The process will be terminated. A save is requested at once if earlier saves became durable within that time.
  void notify_preemption(double now_seconds, double left_seconds) {
    ControllerEvent event;
    event.kind = ControllerEventKind::preemption;
    event.now_seconds = now_seconds;
    event.left_seconds = left_seconds;
    record(event);
  }
};

// A completed simulation.
class Simulation : public detail::Object<Simulation, ckpt_simulation, ckpt_simulation_release> {
 public:
  using Object::Object;
  // Replays failures against each policy and each fixed interval. It compares them with Daly's interval (computed from the true
  // MTBF and cost), and with an oracle that has the time of the next failure. Failures interrupt work, saves and restarts; only
  // finished saves count. options: not nullptr, because it has the failures. Status::invalid_argument names the invalid option,
  // or the line of a trace. Status::out_of_range names the argument to change if there would be more than 10^9 polls, gaps for
  // the estimators, or node lifetimes: up to that limit a simulation takes seconds to minutes.
  explicit Simulation(const SimulationOptions& options) : Object(detail::Empty()) {
    const ckpt_simulation_options given_options = detail::to_c(options);
    check(ckpt_simulation_create(&given_options, this->out()));
  }
  // Returns the results as JSON: for each policy its efficiency (finished work per wall time), and its extra wall time against
  // Daly's interval for the same work. The periods are all failures, the first 10, the first 100, and those after 100; null if
  // there are none. "extra_wall_curves" has the extra wall time after 1, 2, ... failures, as [failures, share] points for each
  // policy. "fixed_intervals" has the efficiency of each fixed interval, as [seconds, efficiency]. "failure_gaps" is a histogram
  // of the times between failures, as [from seconds, to seconds, count].
  std::string json() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_simulation_get_json(handle(), buffer, capacity, needed);
    });
  }
};

// Returns the work between two checkpoints that cost cost_seconds each on a machine with this mean time between failures:
// sqrt(2 C M). Both > 0 and finite. Source: Young, "A first order approximation to the optimum checkpoint interval", CACM
// 17(9), 1974.
inline double young_interval(double cost_seconds, double mtbf_seconds) {
  double result = 0;
  check(ckpt_interval_young(cost_seconds, mtbf_seconds, &result));
  return result;
}

// Returns the work between two checkpoints as young_interval, to a higher order: sqrt(2CM) (1 + sqrt(C/2M)/3 + (C/2M)/9) - C
// for C < 2M, else M. Source: Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future
// Generation Computer Systems 22(3), 2006.
inline double daly_interval(double cost_seconds, double mtbf_seconds) {
  double result = 0;
  check(ckpt_interval_daly(cost_seconds, mtbf_seconds, &result));
  return result;
}

// Returns the work W at which P(failure before the next checkpoint, another W away) * W = (1 - P) * cost, for exponential
// failures. Both arguments > 0 and finite.
inline double expected_value_interval(double cost_seconds, double mtbf_seconds) {
  double result = 0;
  check(ckpt_interval_expected_value(cost_seconds, mtbf_seconds, &result));
  return result;
}

// Returns sqrt(2 C / h(age)), h(age) = shape/scale (age/scale)^(shape - 1): the hazard rate of a Weibull distribution. All > 0
// and finite.
inline double weibull_interval(double cost_seconds, double weibull_shape, double scale_seconds, double age_seconds) {
  double result = 0;
  check(ckpt_interval_weibull(cost_seconds, weibull_shape, scale_seconds, age_seconds, &result));
  return result;
}

}  // namespace ckpt

#endif
