// adaptive.hpp - the C++17 interface of adaptive.h: the controller that decides when to save, the threshold rule, and the
// simulator.
#ifndef CKPT_ADAPTIVE_HPP
#define CKPT_ADAPTIVE_HPP

#include <ckpt/async.hpp>
#include <ckpt/methods/adaptive.hpp>
#include <ckpt/state.hpp>

namespace ckpt {

// ---- Formulas ----

struct WeibullLaw {
  double shape = 1;
  double scale_seconds = 0;
};

// failed: empty if all gaps ended in a failure, else as long as gap_seconds.
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

// Synchronized.
class Controller : public ControllerMethods<Controller> {
 public:
  using ControllerMethods::ControllerMethods;

  // Begins a background save that records its commit or abort itself; returns the task's id.
  std::int64_t save_async(double now, AsyncManager& manager, State& state, const SaveOptions& options,
                          const CheckpointTaskOptions& task = {}, CheckpointTaskFunctions functions = {}) {
    const ckpt_save_options given = detail::to_c(options);
    return AsyncManager::start(task, std::move(functions), [&](const ckpt_checkpoint_task_options& how, std::int64_t* id) {
      return ckpt_controller_save_async(handle(), now, manager.handle(), state.handle(), &given, &how, id);
    });
  }
};

}  // namespace ckpt

#endif  // CKPT_ADAPTIVE_HPP
