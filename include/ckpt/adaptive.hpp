// adaptive.hpp - the C++17 face of adaptive.h: the controller that says when to save, the threshold rule, and the simulator.
//
// Everything here is inline and calls only the C API. Names and rules are those of adaptive.h; structs are values here.
#ifndef CKPT_ADAPTIVE_HPP
#define CKPT_ADAPTIVE_HPP

#include <ckpt/adaptive.h>
#include <ckpt/async.hpp>
#include <ckpt/base.hpp>
#include <ckpt/methods/adaptive.hpp>
#include <ckpt/state.hpp>
#include <ckpt/values/adaptive.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ckpt {

// ---- Formulas ----

inline double young_interval(double cost_seconds, double mtbf_seconds) {
  double interval = 0;
  check(ckpt_interval_young(cost_seconds, mtbf_seconds, &interval));
  return interval;
}

inline double daly_interval(double cost_seconds, double mtbf_seconds) {
  double interval = 0;
  check(ckpt_interval_daly(cost_seconds, mtbf_seconds, &interval));
  return interval;
}

inline double expected_value_interval(double cost_seconds, double mtbf_seconds) {
  double interval = 0;
  check(ckpt_interval_expected_value(cost_seconds, mtbf_seconds, &interval));
  return interval;
}

inline double weibull_interval(double cost_seconds, double weibull_shape, double scale_seconds, double age_seconds) {
  double interval = 0;
  check(ckpt_interval_weibull(cost_seconds, weibull_shape, scale_seconds, age_seconds, &interval));
  return interval;
}

struct WeibullLaw {
  double shape = 1;
  double scale_seconds = 0;
};

// failed: empty when all gaps ended in a failure, else as long as gap_seconds.
inline WeibullLaw fit_weibull(const std::vector<double>& gap_seconds, const std::vector<std::int32_t>& failed = {}) {
  if (!failed.empty() && failed.size() != gap_seconds.size()) {
    throw Error(Status::invalid_argument, "failed and gap_seconds have different lengths");
  }
  WeibullLaw law;
  check(ckpt_weibull_fit(gap_seconds.data(), failed.empty() ? nullptr : failed.data(),
                         static_cast<std::int64_t>(gap_seconds.size()), &law.shape, &law.scale_seconds));
  return law;
}

// ---- The threshold rule ----

class Threshold : public ThresholdMethods<Threshold> {
 public:
  Threshold() { check(ckpt_threshold_create(nullptr, threshold_.out())); }
  explicit Threshold(const ThresholdOptions& options) {
    const ckpt_threshold_options given = detail::to_c(options);
    check(ckpt_threshold_create(&given, threshold_.out()));
  }
  ckpt_threshold* handle() const noexcept { return threshold_.get(); }

 private:
  detail::Handle<ckpt_threshold, ckpt_threshold_release> threshold_;
};

// ---- The controller ----

// Synchronised.
class Controller : public ControllerMethods<Controller> {
 public:
  Controller() { check(ckpt_controller_create(nullptr, controller_.out())); }
  explicit Controller(const ControllerOptions& options) {
    const ckpt_controller_options given = detail::to_c(options);
    check(ckpt_controller_create(&given, controller_.out()));
  }
  ckpt_controller* handle() const noexcept { return controller_.get(); }

  // Records what happened. The functions for single kinds of events are short forms of this.
  void record(const ControllerEvent& event) {
    const ckpt_controller_event given = detail::to_c(event);
    check(ckpt_controller_record(handle(), &given));
  }
  void begin_run(double now) { record(at(ControllerEventKind::run_began, now)); }
  void resume(double now) { record(at(ControllerEventKind::run_resumed, now)); }

  // Rank 0 decides for all, with the longest stall of all ranks as the cost of a save; all must call it.
  Decision decide_all(const Coordinator& coordinator, double now, std::chrono::nanoseconds timeout) const {
    ckpt_decision decision = CKPT_DECISION_INIT;
    check(ckpt_controller_decide_all(handle(), coordinator.handle(), now, timeout.count(), &decision));
    return detail::from_c(decision);
  }

  void begin(double now) { record(at(ControllerEventKind::save_began, now)); }
  void commit(double now, double stall_seconds, double durable_seconds) {
    ControllerEvent event = at(ControllerEventKind::save_committed, now);
    event.stall_seconds = stall_seconds;
    event.durable_seconds = durable_seconds;
    record(event);
  }
  void abort(double now) { record(at(ControllerEventKind::save_aborted, now)); }
  // Begins a save in the background that commits or aborts by itself; the task's id.
  std::int64_t save_async(double now, AsyncManager& manager, State& state, const SaveOptions& options,
                          const CheckpointTaskOptions& task = {}, CheckpointTaskFunctions functions = {}) {
    const ckpt_save_options given = detail::to_c(options);
    return AsyncManager::start(task, std::move(functions), [&](const ckpt_checkpoint_task_options& how, std::int64_t* id) {
      return ckpt_controller_save_async(handle(), now, manager.handle(), state.handle(), &given, &how, id);
    });
  }

  void observe_task(const std::string& name, double duration_seconds) {
    ControllerEvent event = at(ControllerEventKind::task_done, 0);
    event.name = name;
    event.duration_seconds = duration_seconds;
    record(event);
  }
  void record_failure(double now) { record(at(ControllerEventKind::failure, now)); }
  void record_recovery(double now, double saved_seconds, double overhead_seconds) {
    ControllerEvent event = at(ControllerEventKind::recovery, now);
    event.saved_seconds = saved_seconds;
    event.overhead_seconds = overhead_seconds;
    record(event);
  }
  void record_clean_exit(double now) { record(at(ControllerEventKind::clean_exit, now)); }
  void notify_preemption(double now, double left_seconds) {
    ControllerEvent event = at(ControllerEventKind::preemption, now);
    event.left_seconds = left_seconds;
    record(event);
  }

 private:
  static ControllerEvent at(ControllerEventKind kind, double now) {
    ControllerEvent event;
    event.kind = kind;
    event.now_seconds = now;
    return event;
  }

  detail::Handle<ckpt_controller, ckpt_controller_release> controller_;
};

// ---- The simulator ----

class Simulation : public SimulationMethods<Simulation> {
 public:
  explicit Simulation(const SimulationOptions& options) {
    const ckpt_simulation_options given = detail::to_c(options);
    check(ckpt_simulation_create(&given, simulation_.out()));
  }
  ckpt_simulation* handle() const noexcept { return simulation_.get(); }

 private:
  detail::Handle<ckpt_simulation, ckpt_simulation_release> simulation_;
};

}  // namespace ckpt

#endif  // CKPT_ADAPTIVE_HPP
