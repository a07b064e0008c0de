/* The adaptive part through the C API: formulas, threshold rule, controller with its state in a checkpoint, simulator. */
#include <math.h>

#include "check.h"
#include "events.h"

static int near(double a, double b, double tolerance) { return fabs(a - b) <= tolerance; }

static void formulas(void) {
  double interval = 0;
  double shape = 0;
  double scale = 0;
  const double gaps[5] = {100, 250, 40, 900, 330};
  const int32_t failed[5] = {1, 1, 1, 0, 1};
  CHECK_OK(ckpt_interval_daly(300, 86400, &interval));
  CHECK(near(interval / 60, 116.7, 0.05));
  CHECK_OK(ckpt_interval_daly(300, 21600, &interval));
  CHECK(near(interval / 60, 56.7, 0.05));
  CHECK_OK(ckpt_interval_daly(300, 900, &interval));
  CHECK(near(interval / 60, 9.1, 0.05));
  CHECK_OK(ckpt_interval_young(50, 10000, &interval));
  CHECK(near(interval, 1000, 1e-9));
  CHECK_OK(ckpt_interval_weibull(50, 1, 10000, 5, &interval));
  CHECK(near(interval, 1000, 1e-9));
  CHECK_OK(ckpt_interval_expected_value(100, 1e6, &interval));
  CHECK(near(interval, 1e4, 100)); /* about sqrt(C M) */
  CHECK_OK(ckpt_weibull_fit(gaps, failed, 5, &shape, &scale));
  CHECK(shape > 0.5 && shape < 2 && scale > 200 && scale < 1000);
}

static void threshold_rule(void) {
  ckpt_threshold* rule = NULL;
  ckpt_threshold_options options;
  ckpt_threshold_info info;
  ckpt_task_observation tasks[2];
  int64_t count = -1;
  int32_t yes = 7;
  CKPT_INIT(ckpt_threshold_options, &options);
  CKPT_INIT(ckpt_threshold_info, &info);
  CKPT_INIT(ckpt_task_observation, &tasks[0]);
  CKPT_INIT(ckpt_task_observation, &tasks[1]);
  CHECK(options.budget == 3);
  CHECK_OK(ckpt_threshold_create(&options, &rule));
  CHECK_OK(ckpt_threshold_observe_task(rule, "train_epoch_0", 15.3));
  CHECK_OK(ckpt_threshold_should_checkpoint(rule, "train_epoch_0", 15.3, &yes));
  CHECK(yes == 1);
  CHECK_OK(ckpt_threshold_should_checkpoint(rule, "small", 1, &yes));
  CHECK(yes == 0);
  CHECK_OK(ckpt_threshold_adjust_policy(rule, 15, 1));
  CHECK_OK(ckpt_threshold_get_info(rule, &info));
  CHECK(near(info.threshold, 0.257, 5e-4) && info.used == 1 && info.tasks == 1 && near(info.longest_seconds, 15.3, 0));
  CHECK_OK(ckpt_threshold_list_tasks(rule, tasks, 2, &count));
  CHECK(count == 1 && tasks[1].name[0] == '\0');
  CHECK(strcmp(tasks[0].name, "train_epoch_0") == 0 && tasks[0].checkpointed == 1 && tasks[0].failed == 0);
  CHECK_OK(ckpt_threshold_begin_run(rule));
  CHECK_OK(ckpt_threshold_get_info(rule, &info));
  CHECK(info.used == 0);
  /* A failed task is recorded as failed, does not count as the longest, and is not checkpointed. */
  CHECK_OK(ckpt_threshold_observe_failure(rule, "train_epoch_2", 1000));
  CHECK_OK(ckpt_threshold_get_info(rule, &info));
  CHECK(info.tasks == 2 && near(info.longest_seconds, 15.3, 0));
  CHECK_OK(ckpt_threshold_list_tasks(rule, tasks, 2, &count));
  CHECK(count == 2 && strcmp(tasks[1].name, "train_epoch_2") == 0 && tasks[1].failed == 1 && tasks[1].checkpointed == 0 &&
        tasks[1].duration_seconds == 1000);
  CHECK(tasks[0].failed == 0); /* the previous task succeeded */
  CHECK_OK(ckpt_threshold_should_checkpoint(rule, "train_epoch_2", 15, &yes));
  CHECK_OK(ckpt_threshold_list_tasks(rule, tasks, 2, &count));
  CHECK(yes == 1 && tasks[1].checkpointed == 0 && tasks[0].checkpointed == 1);
  CHECK_FAILS(ckpt_threshold_observe_failure(rule, "x", -1), CKPT_E_INVALID_ARGUMENT, "duration_seconds is -1");
  CHECK_FAILS(ckpt_threshold_observe_failure(rule, " ", 1), CKPT_E_INVALID_ARGUMENT, "name is blank");
  CHECK_OK(ckpt_threshold_get_info(rule, &info));
  CHECK(info.tasks == 2);
  ckpt_threshold_release(rule);
}

/* Saves, with the controller's state in the checkpoint. */
static void save(ckpt_controller* controller, ckpt_state* state, ckpt_checkpoint_manager* checkpoint, double now, int64_t step) {
  char json[65536];
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  options.step = step;
  CHECK_OK(record_begin(controller, now));
  CHECK_OK(ckpt_controller_get_json(controller, json, (int64_t)sizeof json, NULL));
  CHECK_OK(ckpt_state_set_json(state, CKPT_STATE_CONTROLLER, json));
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, state, &options, NULL));
  CHECK_OK(record_commit(controller, now + 20, 20, 20));
}

/* A run that crashes after its second save, and a run that resumes with the learned state. */
static void controller_survives_the_crash(void) {
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_state* state = NULL;
  ckpt_controller* controller = NULL;
  ckpt_coordinator* alone = NULL;
  ckpt_decision decision;
  ckpt_controller_info info;
  char json[65536];
  CKPT_INIT(ckpt_decision, &decision);
  CKPT_INIT(ckpt_controller_info, &info);
  CHECK_OK(ckpt_storage_create_memory(&storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &checkpoint));
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_controller_create(NULL, &controller));
  CHECK_OK(record_begin_run(controller, 0));
  CHECK_OK(record_task(controller, "step", 10));
  CHECK_OK(ckpt_controller_should_checkpoint(controller, 600, &decision));
  CHECK(decision.checkpoint == 1 && decision.reason == CKPT_REASON_FIRST_SAVE && decision.policy == CKPT_POLICY_AUTO);
  save(controller, state, checkpoint, 600, 60);
  CHECK_OK(ckpt_controller_should_checkpoint(controller, 700, &decision));
  CHECK(decision.checkpoint == 0 && decision.reason == CKPT_REASON_NOT_DUE);
  save(controller, state, checkpoint, decision.due_seconds, 120);
  ckpt_controller_release(controller); /* the crash */

  CHECK_OK(ckpt_controller_create(NULL, &controller));
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, state, NULL, NULL));
  CHECK_OK(ckpt_state_get_json(state, CKPT_STATE_CONTROLLER, json, (int64_t)sizeof json, NULL));
  CHECK_OK(ckpt_controller_restore(controller, json));
  CHECK_OK(record_resume(controller, 50000));
  CHECK_OK(record_recovery(controller, 50010, 1180, 20));
  CHECK_OK(ckpt_controller_get_info(controller, &info));
  CHECK(info.failures == 1 && info.running == 1 && info.saves == 1 && near(info.cost_seconds, 20, 0));
  CHECK(info.threshold < 0.26); /* lowered, because the checkpoint was worth its cost */
  CHECK_OK(ckpt_coordinator_create_single(&alone));
  CHECK_OK(ckpt_controller_decide_all(controller, alone, 60000, 0, &decision));
  CHECK(decision.checkpoint == 1 && decision.reason == CKPT_REASON_DUE);
  CHECK_OK(record_begin(controller, 60000));
  CHECK_OK(record_abort(controller, 60001));
  CHECK_OK(record_failure(controller, 60002));
  CHECK_OK(record_preemption(controller, 60003, 30));
  CHECK_OK(ckpt_controller_should_checkpoint(controller, 60003, &decision));
  CHECK(decision.checkpoint == 1 && decision.reason == CKPT_REASON_PREEMPTION);
  CHECK_OK(record_clean_exit(controller, 60004));
  CHECK_OK(ckpt_controller_get_info(controller, &info));
  CHECK(info.running == 0 && info.failures == 2);
  ckpt_coordinator_release(alone);
  ckpt_controller_release(controller);
  ckpt_state_release(state);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
}

static void background_saves(void) {
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_async_manager* async = NULL;
  ckpt_state* state = NULL;
  ckpt_controller* controller = NULL;
  ckpt_controller_info info = CKPT_CONTROLLER_INFO_INIT;
  int64_t id = 0;
  CHECK_OK(ckpt_storage_create_memory(&storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &checkpoint));
  CHECK_OK(ckpt_async_manager_create(checkpoint, NULL, &async));
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_controller_create(NULL, &controller));
  CHECK_FAILS(ckpt_controller_save_async(controller, 5, async, state, NULL, NULL, &id), CKPT_E_INVALID_STATE, "no run");
  CHECK_OK(record_begin_run(controller, 5));
  CHECK_FAILS(ckpt_controller_save_async(controller, 4, async, state, NULL, NULL, &id), CKPT_E_INVALID_ARGUMENT,
              "now_seconds is 4");
  CHECK_FAILS(ckpt_controller_save_async(controller, 6, NULL, state, NULL, NULL, &id), CKPT_E_INVALID_ARGUMENT, "manager is NULL");
  CHECK_FAILS(ckpt_controller_save_async(controller, 6, async, NULL, NULL, NULL, &id), CKPT_E_INVALID_ARGUMENT, "state is NULL");
  CHECK_FAILS(ckpt_controller_save_async(controller, 6, async, state, NULL, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "id is NULL");
  CHECK_OK(ckpt_controller_save_async(controller, 6, async, state, NULL, NULL, &id));
  CHECK_OK(ckpt_async_manager_wait(async, id, -1, NULL));
  CHECK_OK(ckpt_controller_get_info(controller, &info));
  CHECK(info.saves == 1 && info.save_in_flight == 0 && near(info.last_seen_seconds, 6, 0));
  ckpt_controller_release(controller);
  ckpt_async_manager_release(async);
  ckpt_state_release(state);
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_storage_release(storage);
}

static void clocks_and_tasks(void) {
  ckpt_clock* clock = NULL;
  ckpt_controller* controller = NULL;
  ckpt_controller_options options;
  ckpt_task_observation task = CKPT_TASK_OBSERVATION_INIT;
  int64_t count = -1;
  double now = 0;
  CKPT_INIT(ckpt_controller_options, &options);
  CHECK(options.first_seconds == 600);
  CHECK_OK(ckpt_clock_create_manual(1500000000, &clock));
  options.clock = clock;
  CHECK_OK(ckpt_controller_create(&options, &controller));
  ckpt_clock_release(clock);
  CHECK_OK(ckpt_controller_get_now(controller, &now));
  CHECK(near(now, 1.5, 1e-12));
  CHECK_OK(record_task(controller, "step", 2));
  CHECK_OK(ckpt_controller_list_tasks(controller, NULL, 0, &count));
  CHECK(count == 1);
  CHECK_OK(ckpt_controller_list_tasks(controller, &task, 1, &count));
  CHECK(count == 1 && near(task.duration_seconds, 2, 0) && strcmp(task.name, "step") == 0);
  ckpt_controller_release(controller);
}

static void simulator(void) {
  ckpt_simulation* simulation = NULL;
  ckpt_simulation_options options;
  static char text[1 << 20];
  CKPT_INIT(ckpt_simulation_options, &options);
  options.trace = "# seconds\n9000\n400\n70000\n12000\n33000\n";
  options.policies = "auto,daly,fixed:900";
  CHECK_OK(ckpt_simulation_create(&options, &simulation));
  CHECK_OK(ckpt_simulation_get_json(simulation, text, (int64_t)sizeof text, NULL));
  CHECK(strstr(text, "\"failures\": 5") != NULL && strstr(text, "\"policy\": \"fixed:900\"") != NULL);
  CHECK(strstr(text, "\"extra_wall_curves\"") != NULL && strstr(text, "\"fixed_intervals\"") != NULL);
  ckpt_simulation_release(simulation);
}

int main(void) {
  formulas();
  threshold_rule();
  controller_survives_the_crash();
  background_saves();
  clocks_and_tasks();
  simulator();
  return 0;
}
