#include <ckpt/adaptive.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "adaptive/background.h"
#include "adaptive/controller.h"
#include "adaptive/intervals.h"
#include "adaptive/simulation.h"
#include "adaptive/threshold.h"
#include "async.h"
#include "base.h"
#include "guard.h"
#include "handle.h"
#include "state.h"
#include "structs.h"

using namespace ckpt::base;
using namespace ckpt::capi;
namespace adaptive = ckpt::adaptive;

#define CKPT_SAME(constant, value) static_assert((constant) == static_cast<int>(value))
CKPT_SAME(CKPT_POLICY_AUTO, adaptive::Policy::automatic);
CKPT_SAME(CKPT_POLICY_THRESHOLD, adaptive::Policy::threshold);
CKPT_SAME(CKPT_POLICY_EXPECTED_VALUE, adaptive::Policy::expected_value);
CKPT_SAME(CKPT_POLICY_YOUNG, adaptive::Policy::young);
CKPT_SAME(CKPT_POLICY_DALY, adaptive::Policy::daly);
CKPT_SAME(CKPT_POLICY_BAYES, adaptive::Policy::bayes);
CKPT_SAME(CKPT_POLICY_WEIBULL, adaptive::Policy::weibull);
CKPT_SAME(CKPT_POLICY_FIXED, adaptive::Policy::fixed);
CKPT_SAME(CKPT_REASON_NOT_DUE, adaptive::Reason::not_due);
CKPT_SAME(CKPT_REASON_DUE, adaptive::Reason::due);
CKPT_SAME(CKPT_REASON_FIRST_SAVE, adaptive::Reason::first_save);
CKPT_SAME(CKPT_REASON_TASK_IS_LONG, adaptive::Reason::task_is_long);
CKPT_SAME(CKPT_REASON_TASK_IS_SHORT, adaptive::Reason::task_is_short);
CKPT_SAME(CKPT_REASON_SAVE_IN_FLIGHT, adaptive::Reason::save_in_flight);
CKPT_SAME(CKPT_REASON_BUDGET_IS_SPENT, adaptive::Reason::budget_is_spent);
CKPT_SAME(CKPT_REASON_PREEMPTION, adaptive::Reason::preemption);
CKPT_SAME(CKPT_REASON_PREEMPTION_SHORT, adaptive::Reason::preemption_short);
CKPT_SAME(CKPT_REASON_PREEMPTION_SAVED, adaptive::Reason::preemption_saved);
CKPT_SAME(CKPT_TASK_NAME_BYTES, adaptive::Threshold::longest_name + 1);
#undef CKPT_SAME

struct ckpt_threshold : Handle<Kind::threshold> {
  std::unique_ptr<adaptive::Threshold> object;
};

struct ckpt_controller : Handle<Kind::controller> {
  std::shared_ptr<adaptive::Controller> object;
  std::shared_ptr<const Clock> clock;
};

struct ckpt_simulation : Handle<Kind::simulation> {
  std::unique_ptr<adaptive::SimulationResult> object;
};

namespace {

double positive_argument(double value, const char* argument) {
  require(std::isfinite(value) && value > 0, argument, " is ", value, "; expected a finite number above 0");
  return value;
}

template <class Formula>
ckpt_status interval_of(Formula formula, double cost, double mtbf, double* interval) {
  return guard([&] {
    positive_argument(cost, "cost_seconds");
    positive_argument(mtbf, "mtbf_seconds");
    *not_null(interval, "interval_seconds") = formula(cost, mtbf);
  });
}

adaptive::Threshold& object_of(const ckpt_threshold* threshold) { return *checked(threshold, "threshold")->object; }
adaptive::Controller& object_of(const ckpt_controller* controller) { return *checked(controller, "controller")->object; }

double or_unlimited(double value) {
  if (value == 0) return adaptive::unlimited;
  return value;
}

adaptive::ControllerOptions to_cpp(const ckpt_controller_options& given) {
  adaptive::ControllerOptions options;
  copy_from_c<3>(given, options);  // those of the threshold
  options.max_interval_seconds = or_unlimited(given.max_interval_seconds);
  options.budget_saves = given.budget_saves == 0 ? std::numeric_limits<int64_t>::max() : given.budget_saves;
  options.budget_window_seconds = or_unlimited(given.budget_window_seconds);
  options.threshold_options = {given.threshold, given.threshold_learning_rate, given.threshold_budget};
  return options;
}

void fill_decision(ckpt_decision* out, const adaptive::Decision& decision) {
  fill_struct(out, struct_of<ckpt_decision>(decision), "decision");
}

ckpt_task_observation observation(const adaptive::Threshold::Task& task) { return struct_of<ckpt_task_observation>(task); }

void list_tasks(const std::vector<adaptive::Threshold::Task>& found, ckpt_task_observation* tasks, int64_t capacity,
                int64_t* count) {
  check_array(tasks, capacity, "tasks");
  *not_null(count, "count") = static_cast<int64_t>(found.size());
  fill_array(tasks, capacity, found, observation);
}

}  // namespace

// ---- Formulas ----

ckpt_status ckpt_interval_young(double cost, double mtbf, double* interval) {
  return interval_of(adaptive::young_interval, cost, mtbf, interval);
}

ckpt_status ckpt_interval_daly(double cost, double mtbf, double* interval) {
  return interval_of(adaptive::daly_interval, cost, mtbf, interval);
}

ckpt_status ckpt_interval_expected_value(double cost, double mtbf, double* interval) {
  return interval_of(adaptive::expected_value_interval, cost, mtbf, interval);
}

ckpt_status ckpt_interval_weibull(double cost, double weibull_shape, double scale, double age, double* interval) {
  return guard([&] {
    positive_argument(cost, "cost_seconds");
    positive_argument(weibull_shape, "weibull_shape");
    positive_argument(scale, "scale_seconds");
    positive_argument(age, "age_seconds");
    *not_null(interval, "interval_seconds") = adaptive::weibull_interval(cost, weibull_shape, scale, age);
  });
}

ckpt_status ckpt_weibull_fit(const double* gaps, const int32_t* failed, int64_t count, double* weibull_shape, double* scale) {
  return guard([&] {
    const auto seconds = array_argument(gaps, count, "gap_seconds");
    not_null(weibull_shape, "weibull_shape");
    not_null(scale, "scale_seconds");
    std::vector<adaptive::Gap> all(seconds.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      adaptive::require_seconds(cat("gap_seconds[", i, "]"), seconds[i]);
      all[i] = {seconds[i], failed == nullptr || failed[i] != 0};
    }
    const auto fit = adaptive::fit_weibull(all);
    require(fit.has_value(), "gap_seconds has less than two failures of different lengths");
    *weibull_shape = fit->shape;
    *scale = fit->scale;
  });
}

// ---- The threshold rule ----

ckpt_status ckpt_threshold_create(const ckpt_threshold_options* options, ckpt_threshold** out) {
  return guard([&] {
    not_null(out, "threshold");
    const auto given = options_argument(options, "options");
    hand_out(out,
             std::make_unique<adaptive::Threshold>(adaptive::ThresholdOptions{given.threshold, given.learning_rate, given.budget}));
  });
}

ckpt_status ckpt_threshold_observe_task(ckpt_threshold* threshold, const char* name, double duration_seconds) {
  return guard([&] { object_of(threshold).observe_task(name_argument(name, "name"), duration_seconds); });
}

ckpt_status ckpt_threshold_observe_failure(ckpt_threshold* threshold, const char* name, double duration_seconds) {
  return guard([&] { object_of(threshold).observe_failure(name_argument(name, "name"), duration_seconds); });
}

ckpt_status ckpt_threshold_should_checkpoint(ckpt_threshold* threshold, const char* name, double cost, int32_t* answer) {
  return guard([&] {
    adaptive::Threshold& object = object_of(threshold);
    not_null(answer, "answer");
    *answer = object.should_checkpoint(name_argument(name, "name"), cost) ? 1 : 0;
  });
}

ckpt_status ckpt_threshold_adjust_policy(ckpt_threshold* threshold, double saved, double overhead) {
  return guard([&] { object_of(threshold).adjust_policy(saved, overhead); });
}

ckpt_status ckpt_threshold_begin_run(ckpt_threshold* threshold) {
  return guard([&] { object_of(threshold).begin_run(); });
}

ckpt_status ckpt_threshold_get_info(const ckpt_threshold* threshold, ckpt_threshold_info* info) {
  return guard([&] {
    const adaptive::Threshold& object = object_of(threshold);
    auto values = struct_of<ckpt_threshold_info, 2>(object);
    values.budget = object.options().budget;
    values.tasks = object.history_size();
    fill_struct(info, values, "info");
  });
}

ckpt_status ckpt_threshold_list_tasks(const ckpt_threshold* threshold, ckpt_task_observation* tasks, int64_t capacity,
                                      int64_t* count) {
  return guard([&] { list_tasks(object_of(threshold).all_tasks(), tasks, capacity, count); });
}

void ckpt_threshold_release(ckpt_threshold* threshold) { release(threshold); }

// ---- The controller ----

ckpt_status ckpt_controller_create(const ckpt_controller_options* options, ckpt_controller** out) {
  return guard([&] {
    not_null(out, "controller");
    const auto given = options_argument(options, "options");
    auto handle = std::make_unique<ckpt_controller>();
    handle->clock = clock_argument(given.clock, "options.clock");
    handle->object = std::make_shared<adaptive::Controller>(to_cpp(given));
    *out = handle.release();
  });
}

ckpt_status ckpt_controller_get_now(const ckpt_controller* controller, double* now) {
  return guard([&] {
    checked(controller, "controller");
    not_null(now, "now_seconds");
    *now = static_cast<double>(controller->clock->now_ns()) * 1e-9;
  });
}

ckpt_status ckpt_controller_record(ckpt_controller* controller, const ckpt_controller_event* event) {
  return guard([&] {
    adaptive::Controller& object = object_of(controller);
    const auto given = struct_argument(event, "event");
    const double now = given.now_seconds;
    switch (given.kind) {
      case CKPT_CONTROLLER_EVENT_KIND_RUN_BEGAN: return object.begin_run(now);
      case CKPT_CONTROLLER_EVENT_KIND_RUN_RESUMED: return object.resume(now);
      case CKPT_CONTROLLER_EVENT_KIND_SAVE_BEGAN: return object.begin_save(now);
      case CKPT_CONTROLLER_EVENT_KIND_SAVE_COMMITTED: return object.commit_save(now, given.stall_seconds, given.durable_seconds);
      case CKPT_CONTROLLER_EVENT_KIND_SAVE_ABORTED: return object.abort_save(now);
      case CKPT_CONTROLLER_EVENT_KIND_TASK_DONE:
        return object.observe_task(name_argument(given.name, "event.name"), given.duration_seconds);
      case CKPT_CONTROLLER_EVENT_KIND_FAILURE: return object.record_failure(now);
      case CKPT_CONTROLLER_EVENT_KIND_RECOVERY: return object.record_recovery(now, given.saved_seconds, given.overhead_seconds);
      case CKPT_CONTROLLER_EVENT_KIND_CLEAN_EXIT: return object.record_clean_exit(now);
      case CKPT_CONTROLLER_EVENT_KIND_PREEMPTION: return object.preemption_notice(now, given.left_seconds);
      default: fail(Status::invalid_argument, "event.kind is ", given.kind, "; expected 0 .. 9");
    }
  });
}

ckpt_status ckpt_controller_should_checkpoint(const ckpt_controller* controller, double now, ckpt_decision* decision) {
  return guard([&] {
    const adaptive::Controller& object = object_of(controller);
    check_struct(decision, "decision");
    fill_decision(decision, object.decide(now));
  });
}

ckpt_status ckpt_controller_decide_all(const ckpt_controller* controller, ckpt_coordinator* coordinator, double now,
                                       int64_t timeout_ns, ckpt_decision* decision) {
  return guard([&] {
    const auto all = checked(coordinator, "coordinator")->object;
    const adaptive::Decision decided = adaptive::Controller::decide_all(*all, std::chrono::nanoseconds(timeout_ns), [&] {
      check_struct(decision, "decision");
      return adaptive::Controller::DecideArguments{&object_of(controller), now};
    });
    fill_decision(decision, decided);
  });
}

ckpt_status ckpt_controller_save_async(ckpt_controller* controller, double now, ckpt_async_manager* handle, ckpt_state* what,
                                       const ckpt_save_options* options, const ckpt_checkpoint_task_options* task, int64_t* id) {
  return guard([&] {
    const auto manager = manager_of(handle);
    TaskArgument given;
    const int64_t begun = adaptive::save_in_background(*manager, now, [&] {
      checked(controller, "controller");
      checked(what, "state");
      not_null(id, "id");
      ckpt::state::SaveOptions wanted = save_options_argument(options);
      given = task_argument(task);
      return adaptive::ControlledSave{controller->object, what->object.get(), std::move(wanted), std::move(given.options)};
    });
    *id = begun;
    given.adopt();
  });
}

ckpt_status ckpt_controller_get_info(const ckpt_controller* controller, ckpt_controller_info* info) {
  return guard([&] {
    const adaptive::Controller& object = object_of(controller);
    auto values = struct_of<ckpt_controller_info, 1>(object.info());
    values.tasks = static_cast<int64_t>(object.tasks().size());
    fill_struct(info, values, "info");
  });
}

ckpt_status ckpt_controller_list_tasks(const ckpt_controller* controller, ckpt_task_observation* tasks, int64_t capacity,
                                       int64_t* count) {
  return guard([&] { list_tasks(object_of(controller).tasks(), tasks, capacity, count); });
}

ckpt_status ckpt_controller_get_json(const ckpt_controller* controller, char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] { copy_text(object_of(controller).to_json(), buffer, capacity, needed); });
}

ckpt_status ckpt_controller_restore(ckpt_controller* controller, const char* json) {
  return guard([&] { object_of(controller).from_json(not_null(json, "json")); });
}

void ckpt_controller_release(ckpt_controller* controller) { release(controller); }

// ---- The simulator ----

ckpt_status ckpt_simulation_create(const ckpt_simulation_options* options, ckpt_simulation** out) {
  return guard([&] {
    not_null(out, "simulation");
    not_null(options, "options");
    const auto given = options_argument(options, "options");
    adaptive::SimulationOptions wanted;
    if (given.trace != nullptr) wanted.trace_csv = given.trace;
    if (given.law != nullptr) wanted.law = given.law;
    if (given.policies != nullptr) wanted.policies = given.policies;
    wanted.nodes = given.nodes;
    wanted.failures = given.failures;
    wanted.replicas = given.replicas;
    wanted.machine = {given.cost_seconds,       given.restart_seconds, given.poll_seconds, given.remote_every,
                      given.local_cost_seconds, given.remote_share,    given.seed};
    hand_out(out, std::make_unique<adaptive::SimulationResult>(adaptive::simulate(wanted)));
  });
}

ckpt_status ckpt_simulation_get_json(const ckpt_simulation* simulation, char* buffer, int64_t capacity, int64_t* needed) {
  return guard([&] { copy_text(adaptive::to_json(*checked(simulation, "simulation")->object), buffer, capacity, needed); });
}

void ckpt_simulation_release(ckpt_simulation* simulation) { release(simulation); }
