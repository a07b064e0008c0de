/* Bad arguments mixed with good ones: the right status, a message that names the argument, and no change of state. */
#include <math.h>

#include "check.h"
#include "events.h"

static ckpt_controller* running(void) {
  ckpt_controller* controller = NULL;
  CHECK_OK(ckpt_controller_create(NULL, &controller));
  CHECK_OK(record_begin_run(controller, 100));
  return controller;
}

static void times(void) {
  const double bad[4] = {NAN, INFINITY, -1, 99};
  ckpt_controller* const controller = running();
  ckpt_decision decision = CKPT_DECISION_INIT;
  ckpt_coordinator* alone = NULL;
  int i;
  CHECK_OK(ckpt_coordinator_create_single(&alone));
  for (i = 0; i < 4; ++i) {
    CHECK_FAILS(ckpt_controller_should_checkpoint(controller, bad[i], &decision), CKPT_E_INVALID_ARGUMENT, "now_seconds is");
    CHECK_FAILS(ckpt_controller_decide_all(controller, alone, bad[i], 0, &decision), CKPT_E_INVALID_ARGUMENT, "now_seconds is");
    CHECK_FAILS(record_begin(controller, bad[i]), CKPT_E_INVALID_ARGUMENT, "now_seconds is");
    CHECK_FAILS(record_failure(controller, bad[i]), CKPT_E_INVALID_ARGUMENT, "now_seconds is");
    CHECK_FAILS(record_clean_exit(controller, bad[i]), CKPT_E_INVALID_ARGUMENT, "now_seconds is");
    CHECK_FAILS(record_recovery(controller, bad[i], 1, 1), CKPT_E_INVALID_ARGUMENT, "now_seconds is");
    CHECK_FAILS(record_preemption(controller, bad[i], 1), CKPT_E_INVALID_ARGUMENT, "now_seconds is");
  }
  for (i = 0; i < 3; ++i) {
    CHECK_FAILS(record_recovery(controller, 200, bad[i], 1), CKPT_E_INVALID_ARGUMENT, "saved_seconds is");
    CHECK_FAILS(record_recovery(controller, 200, 1, bad[i]), CKPT_E_INVALID_ARGUMENT, "overhead_seconds is");
    CHECK_FAILS(record_task(controller, "a", bad[i]), CKPT_E_INVALID_ARGUMENT, "duration_seconds is");
    CHECK_FAILS(record_preemption(controller, 200, bad[i]), CKPT_E_INVALID_ARGUMENT, "left_seconds is");
  }
  CHECK_FAILS(record_at(controller, -1, 200), CKPT_E_INVALID_ARGUMENT, "event.kind is -1; expected 0 .. 9");
  CHECK_FAILS(record_at(controller, 10, 200), CKPT_E_INVALID_ARGUMENT, "event.kind is 10; expected 0 .. 9");
  CHECK_FAILS(record_task(controller, NULL, 1), CKPT_E_INVALID_ARGUMENT, "event.name is NULL");
  CHECK_FAILS(record_task(controller, " ", 1), CKPT_E_INVALID_ARGUMENT, "event.name is");
  CHECK_FAILS(ckpt_controller_record(controller, NULL), CKPT_E_INVALID_ARGUMENT, "event is NULL");
  CHECK_FAILS(record_commit(controller, 200, 1, 1), CKPT_E_INVALID_STATE, "commit without begin");
  CHECK_FAILS(record_abort(controller, 200), CKPT_E_INVALID_STATE, "abort without begin");
  CHECK_FAILS(record_begin_run(controller, 200), CKPT_E_INVALID_STATE, "a run is active");
  CHECK_FAILS(record_resume(controller, NAN), CKPT_E_INVALID_ARGUMENT, "now_seconds is nan");
  CHECK_FAILS(ckpt_controller_decide_all(controller, alone, 200, -1, &decision), CKPT_E_INVALID_ARGUMENT, "timeout_ns is -1");
  CHECK_FAILS(ckpt_controller_decide_all(controller, NULL, 200, 0, &decision), CKPT_E_INVALID_ARGUMENT, "coordinator is NULL");
  CHECK_OK(record_begin(controller, 200));
  CHECK_FAILS(record_begin(controller, 201), CKPT_E_INVALID_STATE, "in flight");
  CHECK_FAILS(record_commit(controller, 201, NAN, 1), CKPT_E_INVALID_ARGUMENT, "stall_seconds is nan");
  CHECK_FAILS(record_commit(controller, 201, 1, -1), CKPT_E_INVALID_ARGUMENT, "durable_seconds is -1");
  CHECK_OK(record_commit(controller, 201, 1, 1)); /* none of the above was recorded */
  ckpt_coordinator_release(alone);
  ckpt_controller_release(controller);
}

static void options_and_outputs(void) {
  ckpt_controller* controller = NULL;
  ckpt_controller_options options = CKPT_CONTROLLER_OPTIONS_INIT;
  ckpt_threshold* rule = NULL;
  ckpt_threshold_options rule_options = CKPT_THRESHOLD_OPTIONS_INIT;
  ckpt_decision decision = CKPT_DECISION_INIT;
  ckpt_threshold_info rule_info = CKPT_THRESHOLD_INFO_INIT;
  ckpt_controller_info info = CKPT_CONTROLLER_INFO_INIT;
  ckpt_task_observation task = CKPT_TASK_OBSERVATION_INIT;
  int64_t count = -7;
  int32_t yes = 5;
  options.policy = 99;
  CHECK_FAILS(ckpt_controller_create(&options, &controller), CKPT_E_INVALID_ARGUMENT, "policy is 99");
  options.policy = CKPT_POLICY_DALY;
  CHECK_FAILS(ckpt_controller_create(&options, &controller), CKPT_E_INVALID_ARGUMENT, "mtbf_seconds is 0");
  options = (ckpt_controller_options)CKPT_CONTROLLER_OPTIONS_INIT;
  options.threshold_learning_rate = 1.01;
  CHECK_FAILS(ckpt_controller_create(&options, &controller), CKPT_E_INVALID_ARGUMENT, "learning_rate is 1.01");
  options = (ckpt_controller_options)CKPT_CONTROLLER_OPTIONS_INIT;
  options.struct_size = 4;
  CHECK_FAILS(ckpt_controller_create(&options, &controller), CKPT_E_INVALID_ARGUMENT, "struct_size is 4");
  CHECK(controller == NULL);
  CHECK_FAILS(ckpt_controller_create(NULL, NULL), CKPT_E_INVALID_ARGUMENT, "controller is NULL");
  rule_options.learning_rate = 0;
  CHECK_FAILS(ckpt_threshold_create(&rule_options, &rule), CKPT_E_INVALID_ARGUMENT, "learning_rate is 0");
  rule_options.learning_rate = 0.1;
  rule_options.budget = -1;
  CHECK_FAILS(ckpt_threshold_create(&rule_options, &rule), CKPT_E_INVALID_ARGUMENT, "budget is -1");

  CHECK_OK(ckpt_threshold_create(NULL, &rule));
  CHECK_OK(ckpt_threshold_observe_task(rule, "a", 1));
  CHECK_FAILS(ckpt_threshold_should_checkpoint(rule, "a", 1, NULL), CKPT_E_INVALID_ARGUMENT, "answer is NULL");
  CHECK_FAILS(ckpt_threshold_should_checkpoint(rule, "a", NAN, &yes), CKPT_E_INVALID_ARGUMENT, "cost_seconds is nan");
  CHECK_FAILS(ckpt_threshold_adjust_policy(rule, -1, 0), CKPT_E_INVALID_ARGUMENT, "saved_seconds is -1");
  CHECK_FAILS(ckpt_threshold_list_tasks(rule, &task, -1, &count), CKPT_E_INVALID_ARGUMENT, "capacity is -1");
  CHECK_FAILS(ckpt_threshold_list_tasks(rule, NULL, 1, &count), CKPT_E_INVALID_ARGUMENT, "tasks is NULL");
  CHECK_FAILS(ckpt_threshold_list_tasks(rule, &task, 1, NULL), CKPT_E_INVALID_ARGUMENT, "count is NULL");
  CHECK_FAILS(ckpt_threshold_list_tasks(NULL, &task, 1, &count), CKPT_E_INVALID_ARGUMENT, "threshold is NULL");
  CHECK(count == -7 && task.name[0] == '\0');
  CHECK_OK(ckpt_threshold_get_info(rule, &rule_info));
  CHECK(yes == 5 && rule_info.used == 0);
  ckpt_threshold_release(rule);

  controller = running();
  decision.struct_size = 3;
  CHECK_FAILS(ckpt_controller_should_checkpoint(controller, 200, &decision), CKPT_E_INVALID_ARGUMENT, "struct_size is 3");
  info.struct_size = 3;
  CHECK_FAILS(ckpt_controller_get_info(controller, &info), CKPT_E_INVALID_ARGUMENT, "struct_size is 3");
  CHECK_FAILS(ckpt_controller_list_tasks(controller, &task, -1, &count), CKPT_E_INVALID_ARGUMENT, "capacity is -1");
  CHECK_FAILS(ckpt_controller_list_tasks(controller, NULL, 1, &count), CKPT_E_INVALID_ARGUMENT, "tasks is NULL");
  CHECK_FAILS(ckpt_controller_list_tasks(controller, &task, 1, NULL), CKPT_E_INVALID_ARGUMENT, "count is NULL");
  task.struct_size = 3;
  CHECK_FAILS(ckpt_controller_list_tasks(controller, &task, 1, &count), CKPT_E_INVALID_ARGUMENT, "struct_size is 3");
  CHECK(count == -7);
  CHECK_FAILS(ckpt_controller_get_now(controller, NULL), CKPT_E_INVALID_ARGUMENT, "now_seconds is NULL");
  CHECK_FAILS(ckpt_controller_restore(controller, NULL), CKPT_E_INVALID_ARGUMENT, "json is NULL");
  CHECK_FAILS(ckpt_controller_restore(controller, "{nonsense"), CKPT_E_CORRUPT, "not JSON");
  CHECK_FAILS(ckpt_controller_restore(controller, "{\"format\":\"a calendar\"}"), CKPT_E_CORRUPT, "format");
  CHECK_FAILS(ckpt_controller_restore(controller, "{\"format\":\"ckpt-adaptive-controller\",\"version\":7}"), CKPT_E_UNSUPPORTED,
              "version 7");
  decision = (ckpt_decision)CKPT_DECISION_INIT;
  CHECK_OK(ckpt_controller_should_checkpoint(controller, 200, &decision)); /* the run still continues */
  ckpt_controller_release(controller);
}

static void formulas_and_simulator(void) {
  double interval = 5;
  double shape = 5;
  const double gaps[2] = {1, NAN};
  ckpt_simulation* simulation = NULL;
  ckpt_simulation_options options = CKPT_SIMULATION_OPTIONS_INIT;
  int64_t needed = 0;
  CHECK_FAILS(ckpt_interval_young(0, 1, &interval), CKPT_E_INVALID_ARGUMENT, "cost_seconds is 0");
  CHECK_FAILS(ckpt_interval_daly(1, NAN, &interval), CKPT_E_INVALID_ARGUMENT, "mtbf_seconds is nan");
  CHECK_FAILS(ckpt_interval_expected_value(1, INFINITY, &interval), CKPT_E_INVALID_ARGUMENT, "mtbf_seconds is inf");
  CHECK_FAILS(ckpt_interval_weibull(1, 1, 1, 0, &interval), CKPT_E_INVALID_ARGUMENT, "age_seconds is 0");
  CHECK_FAILS(ckpt_interval_young(1, 1, NULL), CKPT_E_INVALID_ARGUMENT, "interval_seconds is NULL");
  CHECK_FAILS(ckpt_weibull_fit(gaps, NULL, 2, &shape, &interval), CKPT_E_INVALID_ARGUMENT, "gap_seconds[1] is nan");
  CHECK_FAILS(ckpt_weibull_fit(gaps, NULL, 1, &shape, &interval), CKPT_E_INVALID_ARGUMENT, "less than two failures");
  CHECK_FAILS(ckpt_weibull_fit(gaps, NULL, -1, &shape, &interval), CKPT_E_INVALID_ARGUMENT, "count is -1");
  CHECK(interval == 5 && shape == 5);
  CHECK_FAILS(ckpt_simulation_create(NULL, &simulation), CKPT_E_INVALID_ARGUMENT, "options is NULL");
  CHECK_FAILS(ckpt_simulation_create(&options, &simulation), CKPT_E_INVALID_ARGUMENT, "trace and law are empty");
  options.trace = "5\nfive\n";
  CHECK_FAILS(ckpt_simulation_create(&options, &simulation), CKPT_E_INVALID_ARGUMENT, "line 2: 'five'");
  options.trace = "5\n";
  options.law = "exponential:5";
  CHECK_FAILS(ckpt_simulation_create(&options, &simulation), CKPT_E_INVALID_ARGUMENT, "both set");
  options.trace = NULL;
  options.poll_seconds = 0;
  CHECK_FAILS(ckpt_simulation_create(&options, &simulation), CKPT_E_INVALID_ARGUMENT, "poll_seconds is 0");
  CHECK(simulation == NULL);
  CHECK_FAILS(ckpt_simulation_get_json(NULL, NULL, 0, &needed), CKPT_E_INVALID_ARGUMENT, "simulation is NULL");
}

int main(void) {
  times();
  options_and_outputs();
  formulas_and_simulator();
  return 0;
}
