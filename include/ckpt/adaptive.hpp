// adaptive.hpp - the C++17 face of adaptive.h: the controller that says when to save, the threshold rule, and the simulator.
#ifndef CKPT_ADAPTIVE_HPP
#define CKPT_ADAPTIVE_HPP

#include <ckpt/async.hpp>
#include <ckpt/methods/adaptive.hpp>
#include <ckpt/state.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ckpt {

// ---- Formulas ----

inline double young_interval(double cost_seconds, double mtbf_seconds) {
  return detail::result_of<double>(ckpt_interval_young, cost_seconds, mtbf_seconds);
}
inline double daly_interval(double cost_seconds, double mtbf_seconds) {
  return detail::result_of<double>(ckpt_interval_daly, cost_seconds, mtbf_seconds);
}
inline double expected_value_interval(double cost_seconds, double mtbf_seconds) {
  return detail::result_of<double>(ckpt_interval_expected_value, cost_seconds, mtbf_seconds);
}
inline double weibull_interval(double cost_seconds, double weibull_shape, double scale_seconds, double age_seconds) {
  return detail::result_of<double>(ckpt_interval_weibull, cost_seconds, weibull_shape, scale_seconds, age_seconds);
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

// ---- The controller ----

// Synchronised.
class Controller : public ControllerMethods<Controller> {
 public:
  using ControllerMethods::ControllerMethods;

  // Short forms of record for single kinds of events.
  void begin_run(double now) { record(at(ControllerEventKind::run_began, now)); }
  void resume(double now) { record(at(ControllerEventKind::run_resumed, now)); }

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
};

}  // namespace ckpt

#endif  // CKPT_ADAPTIVE_HPP
