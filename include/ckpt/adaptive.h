/* adaptive.h - when to save a state checkpoint: a controller that measures the cost of saves and estimates the machine's failure
 * rate; its formulas; the threshold rule; a simulator that replays failures.
 *
 *   ckpt_controller *controller = NULL;
 *   ckpt_controller_event event = CKPT_CONTROLLER_EVENT_INIT;
 *   ckpt_controller_create(NULL, &controller);                     the default policy needs no parameters
 *   event.kind = CKPT_CONTROLLER_EVENT_KIND_RUN_BEGAN;             or RUN_RESUMED after ckpt_controller_restore
 *   event.now_seconds = now;
 *   ckpt_controller_record(controller, &event);
 *   for (each step) {
 *     ckpt_decision decision = CKPT_DECISION_INIT;
 *     ckpt_controller_should_checkpoint(controller, now, &decision);
 *     if (decision.checkpoint) ckpt_controller_save_async(controller, now, manager, state, NULL, NULL, &id);
 *   }
 *   event.kind = CKPT_CONTROLLER_EVENT_KIND_CLEAN_EXIT;
 *   event.now_seconds = now;
 *   ckpt_controller_record(controller, &event);
 *
 * A beginner needs ckpt_controller_create, ckpt_controller_record, ckpt_controller_should_checkpoint and
 * ckpt_controller_save_async.
 *
 * Times are double seconds on any monotonic clock of the caller; ckpt_controller_get_now reads the controller's clock. A time that
 * is NaN, infinite, negative or earlier than a previous one is INVALID_ARGUMENT. Read the general rules at the top of ckpt.h
 * first. */
#ifndef CKPT_ADAPTIVE_H
#define CKPT_ADAPTIVE_H

#include <ckpt/async.h>
#include <ckpt/base.h>
#include <ckpt/state.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Formulas ------------------------------------------------------------------------------------------------------------ */

/* Sets *interval_seconds to the work between two checkpoints that cost cost_seconds each on a machine with this mean time between
 * failures: sqrt(2 C M). Both > 0 and finite. Source: Young, "A first order approximation to the optimum checkpoint interval", CACM
 * 17(9), 1974. */
CKPT_API ckpt_status ckpt_interval_young(double cost_seconds, double mtbf_seconds, double* interval_seconds);

/* Sets *interval_seconds to the work between two checkpoints as ckpt_interval_young, to a higher order: sqrt(2CM) (1 +
 * sqrt(C/2M)/3 + (C/2M)/9) - C for C < 2M, else M.
 * Source: Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future Generation Computer Systems
 * 22(3), 2006. */
CKPT_API ckpt_status ckpt_interval_daly(double cost_seconds, double mtbf_seconds, double* interval_seconds);

/* Sets *interval_seconds to the work W at which P(failure before the next checkpoint, another W away) * W = (1 - P) * cost, for
 * exponential failures. Both arguments > 0 and finite. */
CKPT_API ckpt_status ckpt_interval_expected_value(double cost_seconds, double mtbf_seconds, double* interval_seconds);

/* Sets *interval_seconds to sqrt(2 C / h(age)), h(age) = shape/scale (age/scale)^(shape - 1): the hazard rate of a Weibull
 * distribution. All > 0 and finite. */
CKPT_API ckpt_status ckpt_interval_weibull(double cost_seconds, double weibull_shape, double scale_seconds, double age_seconds,
                                           double* interval_seconds);

/* Fits a Weibull distribution to gap_seconds_count gaps by maximum likelihood. failed[i] 0: gap i ended without a failure
 * (censored); failed NULL: all failed. Gaps below one second count as one second; the shape is limited to 0.2 .. 5.
 * INVALID_ARGUMENT with fewer than two failures, or if all gaps are equal. Source: Cohen, Technometrics 7(4), 1965. */
CKPT_API ckpt_status ckpt_weibull_fit(const double* gap_seconds, const ckpt_bool* failed, int64_t gap_seconds_count,
                                      double* weibull_shape, double* scale_seconds);

/* ---- The threshold rule -------------------------------------------------------------------------------------------------- */

/* A rule that checkpoints after tasks with a large enough share of the duration of the longest task, while slots are left. It
 * adjusts that share by the savings of recoveries. One thread at a time. Weaknesses: it ignores the time since the last checkpoint
 * and the failure rate, and its steps depend on the unit of time. One outlier stays the longest task permanently, and the slots of
 * a long run are used up. */
typedef struct ckpt_threshold ckpt_threshold;

/* Options for creating a threshold rule. */
typedef struct ckpt_threshold_options {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;    /* not used: 0 */
  double threshold;     /* initial threshold: a share of the longest task, 0.05 .. 1; default 0.35 */
  double learning_rate; /* maximum change of the threshold by one recovery, > 0, <= 1; default 0.1 */
  int64_t budget;       /* number of checkpoints of a run, >= 0; default 3 */
} ckpt_threshold_options;

#define CKPT_THRESHOLD_OPTIONS_INIT \
  { sizeof(ckpt_threshold_options), 0, 0.35, 0.1, 3 }

/* Creates a threshold rule. options: NULL for the defaults. */
CKPT_API ckpt_status ckpt_threshold_create(const ckpt_threshold_options* options, ckpt_threshold** threshold);

/* Records the duration of a task. name: UTF-8, not blank, at most 95 bytes. duration_seconds: finite, >= 0. */
CKPT_API ckpt_status ckpt_threshold_observe_task(ckpt_threshold* threshold, const char* name, double duration_seconds);

/* Records that a task failed after this duration. It is stored, with failed = 1 in ckpt_task_observation, and is never the longest
 * task, because it was not completed. name: UTF-8, not blank, at most 95 bytes. duration_seconds: finite, >= 0. Record the savings
 * of the recovery with ckpt_threshold_adjust_policy. */
CKPT_API ckpt_status ckpt_threshold_observe_failure(ckpt_threshold* threshold, const char* name, double duration_seconds);

/* Sets *answer to 1 when a slot is left and cost_seconds / max(longest task, 1e-6) reaches the threshold, which consumes the slot;
 * else 0. */
CKPT_API ckpt_status ckpt_threshold_should_checkpoint(ckpt_threshold* threshold, const char* name, double cost_seconds,
                                                      ckpt_bool* answer);

/* Adds -sign(b) * learning_rate * |b| / (|b| + 1) to the threshold, b = saved - overhead, and keeps it within 0.05 .. 1. */
CKPT_API ckpt_status ckpt_threshold_adjust_policy(ckpt_threshold* threshold, double saved_seconds, double overhead_seconds);

/* Frees all slots for a new run; the threshold and the longest task are kept. */
CKPT_API ckpt_status ckpt_threshold_begin_run(ckpt_threshold* threshold);

/* The state of a threshold rule. */
typedef struct ckpt_threshold_info {
  uint32_t struct_size;   /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;      /* not used: 0 */
  double threshold;       /* current threshold: a share of the longest task, 0.05 .. 1 */
  double longest_seconds; /* duration of the longest task observed, in seconds */
  int64_t budget;         /* number of checkpoints of a run */
  int64_t used;           /* number of checkpoints used in this run */
  int64_t tasks;          /* number of stored tasks: at most the last 256 */
} ckpt_threshold_info;

#define CKPT_THRESHOLD_INFO_INIT \
  { sizeof(ckpt_threshold_info), 0, 0, 0, 0, 0, 0 }

/* Fills *info with the state of the rule. */
CKPT_API ckpt_status ckpt_threshold_get_info(const ckpt_threshold* threshold, ckpt_threshold_info* info);

#define CKPT_TASK_NAME_BYTES 96 /* size of a buffer for the name of any task, its NUL included */

/* One observed task. */
typedef struct ckpt_task_observation {
  uint32_t struct_size;            /* size of this struct in bytes, in the caller's build */
  ckpt_bool checkpointed;          /* 1 when a checkpoint followed it, else 0 */
  double duration_seconds;         /* duration of the task in seconds */
  ckpt_bool failed;                /* 1 when it failed, or a failure occurred while it was the last task, else 0 */
  uint32_t reserved;               /* not used: 0 */
  char name[CKPT_TASK_NAME_BYTES]; /* name of the task: UTF-8, not blank */
} ckpt_task_observation;

#define CKPT_TASK_OBSERVATION_INIT \
  { sizeof(ckpt_task_observation), 0, 0, 0, 0, "" }

/* Lists the stored tasks, the oldest first: tasks receives the first capacity (>= 0) of them, *count how many there are, at most
 * 256. The size of every element is tasks[0].struct_size. tasks may be NULL when capacity is 0. */
CKPT_API ckpt_status ckpt_threshold_list_tasks(const ckpt_threshold* threshold, ckpt_task_observation* tasks, int64_t capacity,
                                               int64_t* count);

/* Releases the rule. NULL does nothing. */
CKPT_API void ckpt_threshold_release(ckpt_threshold* threshold);

/* ---- The controller ------------------------------------------------------------------------------------------------------ */

/* Decides when to save. Uses at most 64 KB. Synchronized. In a forked child it continues with the state of the parent's controller;
 * if another thread of the parent was inside one of its calls at the fork, every call returns FORKED. */
typedef struct ckpt_controller ckpt_controller;

/* The policy by which a controller decides when to save. */
typedef int32_t ckpt_policy;

/* a weighted combination of estimators of the failure rate; weights follow the cost that each would have had on every gap so far */
#define CKPT_POLICY_AUTO 0
#define CKPT_POLICY_THRESHOLD 1 /* the threshold rule, applied to the last observed task; a commit consumes the slot */
/* the interval at which the expected loss and the cost of a checkpoint are equal, with the estimated failure rate */
#define CKPT_POLICY_EXPECTED_VALUE 2
#define CKPT_POLICY_YOUNG 3 /* Young's interval with a given mean time between failures and the measured cost */
#define CKPT_POLICY_DALY 4  /* Daly's interval with a given mean time between failures and the measured cost */
#define CKPT_POLICY_BAYES 5 /* Daly's interval for the mean of a Gamma posterior: prior 1 failure in 1 h */
/* the interval for a Weibull distribution fitted to the last 512 gaps, at the age of the current gap */
#define CKPT_POLICY_WEIBULL 6
#define CKPT_POLICY_FIXED 7 /* a fixed, given interval */

/* Options for creating a controller. */
typedef struct ckpt_controller_options {
  uint32_t struct_size;    /* size of this struct in bytes, in the caller's build */
  ckpt_policy policy;      /* policy that decides about saves: one of CKPT_POLICY_*; default CKPT_POLICY_AUTO */
  double mtbf_seconds;     /* for CKPT_POLICY_YOUNG and CKPT_POLICY_DALY: mean time between failures in seconds, > 0 */
  double interval_seconds; /* for CKPT_POLICY_FIXED: interval between saves in seconds, > 0 */
  /* for CKPT_POLICY_BAYES and CKPT_POLICY_EXPECTED_VALUE: factor by which each failure discounts earlier observations, > 0, <= 1; 1
   * (the default): no discount */
  double keep;
  double initial_cost_seconds; /* cost of a save in seconds until one was measured; 0: unknown */
  /* if the cost of a save is unknown, latest time of the first save in seconds, to measure it; default 600 */
  double first_seconds;
  /* seconds between two polls; 0: the mean duration of observed tasks. A save is requested at the poll nearest to the target */
  double poll_seconds;
  double min_interval_seconds; /* shortest interval between saves in seconds, >= 0 */
  double max_interval_seconds; /* longest interval between saves in seconds; 0: no maximum */
  /* share of the time that saves may take, > 0, <= 1; default 1. Takes precedence over max_interval_seconds */
  double max_overhead_share;
  int64_t budget_saves; /* maximum number of saves in each window, >= 0; 0: no limit */
  /* length of the consecutive windows in seconds, from the begin of the run; 0: one window for the whole run */
  double budget_window_seconds;
  /* for CKPT_POLICY_THRESHOLD: initial threshold, a share of the longest task, 0.05 .. 1; default 0.35 */
  double threshold;
  /* for CKPT_POLICY_THRESHOLD: maximum change of the threshold by one recovery, > 0, <= 1; default 0.1 */
  double threshold_learning_rate;
  int64_t threshold_budget; /* for CKPT_POLICY_THRESHOLD: number of checkpoints of a run, >= 0; default 3 */
  const ckpt_clock* clock;  /* clock of ckpt_controller_get_now; kept alive; NULL: the monotonic clock */
} ckpt_controller_options;

#define CKPT_CONTROLLER_OPTIONS_INIT \
  { sizeof(ckpt_controller_options), 0, 0, 0, 1, 0, 600, 0, 0, 0, 1, 0, 0, 0.35, 0.1, 3, 0 }

/* Creates a controller. options: NULL for the defaults. INVALID_ARGUMENT names the option that is out of range. */
CKPT_API ckpt_status ckpt_controller_create(const ckpt_controller_options* options, ckpt_controller** controller);

/* Sets *now_seconds to the time on the controller's clock, for callers without a separate clock. */
CKPT_API ckpt_status ckpt_controller_get_now(const ckpt_controller* controller, double* now_seconds);

/* The kind of an event for ckpt_controller_record. */
typedef int32_t ckpt_controller_event_kind;

/* a run begins: budgets and windows start again. INVALID_STATE during a run */
#define CKPT_CONTROLLER_EVENT_KIND_RUN_BEGAN 0
/* this process continues the run that ckpt_controller_restore loaded. A run that was in progress there counts as failed, half an
 * interval after its last event, but not later than now; record its recovery next. Without such a run: as
 * CKPT_CONTROLLER_EVENT_KIND_RUN_BEGAN. The time may be on another clock than in the previous process */
#define CKPT_CONTROLLER_EVENT_KIND_RUN_RESUMED 1
/* a save starts: no other save is requested until it is committed or aborted. INVALID_STATE while a save is in flight */
#define CKPT_CONTROLLER_EVENT_KIND_SAVE_BEGAN 2
/* the save in flight is durable: uses stall_seconds and durable_seconds. INVALID_STATE without a save in flight */
#define CKPT_CONTROLLER_EVENT_KIND_SAVE_COMMITTED 3
/* the save in flight failed: it is not used as a measurement. INVALID_STATE without a save in flight */
#define CKPT_CONTROLLER_EVENT_KIND_SAVE_ABORTED 4
/* a task is done: uses name and duration_seconds, and not now_seconds; as ckpt_threshold_observe_task. The mean duration replaces
 * ckpt_controller_options.poll_seconds if that is 0 */
#define CKPT_CONTROLLER_EVENT_KIND_TASK_DONE 5
/* the machine failed: unsaved work is lost. The run continues */
#define CKPT_CONTROLLER_EVENT_KIND_FAILURE 6
/* work continues after a failure: uses saved_seconds and overhead_seconds */
#define CKPT_CONTROLLER_EVENT_KIND_RECOVERY 7
/* the run ends without a failure: its last gap is censored, and the cost of saves that no recovery has accounted for counts as
 * overhead without benefit */
#define CKPT_CONTROLLER_EVENT_KIND_CLEAN_EXIT 8
/* the process will be terminated: uses left_seconds. A save is requested at once if earlier saves became durable within that
 * time */
#define CKPT_CONTROLLER_EVENT_KIND_PREEMPTION 9

/* An event of a run. Each kind uses the fields that its comment names, and now_seconds. */
typedef struct ckpt_controller_event {
  uint32_t struct_size;            /* size of this struct in bytes, in the caller's build */
  ckpt_controller_event_kind kind; /* kind of the event: one of CKPT_CONTROLLER_EVENT_KIND_* */
  double now_seconds;              /* time of the event in seconds, on the caller's clock */
  const char* name;                /* name of the task: UTF-8, not blank, at most 95 bytes */
  double duration_seconds;         /* duration of the task in seconds: finite, >= 0 */
  double stall_seconds;            /* seconds for which work was stopped for the save: the cost of the save */
  double durable_seconds;          /* seconds from the begin of the save until it was durable; used after preemption notices */
  double saved_seconds;            /* seconds of work that need not be repeated because of the loaded checkpoint */
  double overhead_seconds;         /* cost of the loaded checkpoint in seconds */
  double left_seconds;             /* seconds until the process is terminated */
} ckpt_controller_event;

#define CKPT_CONTROLLER_EVENT_INIT \
  { sizeof(ckpt_controller_event), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Records an event. INVALID_ARGUMENT for an unknown kind and for a time that is not finite; INVALID_STATE as the kinds document,
 * and without a run for kinds that need one. */
CKPT_API ckpt_status ckpt_controller_record(ckpt_controller* controller, const ckpt_controller_event* event);

/* The reason for a decision of a controller. */
typedef int32_t ckpt_reason;

#define CKPT_REASON_NOT_DUE 0          /* no: no save is due yet */
#define CKPT_REASON_DUE 1              /* yes: this poll is the nearest to the target */
#define CKPT_REASON_FIRST_SAVE 2       /* yes: early, to measure the cost of a save */
#define CKPT_REASON_TASK_IS_LONG 3     /* yes, by the threshold rule: the task is long enough */
#define CKPT_REASON_TASK_IS_SHORT 4    /* no, by the threshold rule: the task is too short, or no slot is left */
#define CKPT_REASON_SAVE_IN_FLIGHT 5   /* no: the previous save is not durable yet */
#define CKPT_REASON_BUDGET_IS_SPENT 6  /* no: the budget of this window is spent */
#define CKPT_REASON_PREEMPTION 7       /* yes: the process will be terminated */
#define CKPT_REASON_PREEMPTION_SHORT 8 /* no: the process will be terminated before a save could be durable */
#define CKPT_REASON_PREEMPTION_SAVED 9 /* no: the process will be terminated, and a save after the notice is durable */

/* A controller's decision whether to save now. */
typedef struct ckpt_decision {
  uint32_t struct_size;      /* size of this struct in bytes, in the caller's build */
  ckpt_bool checkpoint;      /* 1: save now; 0: do not */
  ckpt_reason reason;        /* reason for the decision: one of CKPT_REASON_* */
  ckpt_policy policy;        /* the policy that decided: one of CKPT_POLICY_* */
  double interval_seconds;   /* current target interval between saves, in seconds; 0 for CKPT_POLICY_THRESHOLD */
  double risk;               /* probability of a failure within the target interval, 0 .. 1 */
  double cost_seconds;       /* cost of a save in seconds: measured, set, or assumed (60 s) */
  double since_last_seconds; /* seconds since the last save, or since work began */
  double due_seconds;        /* when the next save is due, in seconds on the caller's clock; 0 for CKPT_POLICY_THRESHOLD */
} ckpt_decision;

#define CKPT_DECISION_INIT \
  { sizeof(ckpt_decision), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Decides whether to save now, and reports the reason. Changes nothing, so it may be called at any rate. INVALID_STATE when no run
 * is in progress. */
CKPT_API ckpt_status ckpt_controller_should_checkpoint(const ckpt_controller* controller, double now_seconds,
                                                       ckpt_decision* decision);

/* Decides as ckpt_controller_should_checkpoint, with the same decision on all processes, which must all call it: rank 0 decides and
 * broadcasts. Each rank records the begin and commit of every save in its own controller; the cost of a save is the longest stall
 * of all ranks. After a save this call gathers the stalls on rank 0, and its controller records the longest before it decides; this
 * is repeated in later calls until no rank is still in that save. The controllers of other ranks keep their own stalls. now_seconds
 * is only used on rank 0. If rank 0 cannot decide, or the arguments of one rank are invalid, all return the status and message of
 * that rank. Only a rank with a coordinator that is NULL or another handle fails alone; the others time out. TIMEOUT and CALLBACK
 * as ckpt_coordinator_all_gather, ckpt_coordinator_gather and ckpt_coordinator_broadcast. CORRUPT if they return invalid data
 * instead of a decision or stalls. timeout_ns: >= 0, for the call as a whole. */
CKPT_API ckpt_status ckpt_controller_decide_all(const ckpt_controller* controller, ckpt_coordinator* coordinator,
                                                double now_seconds, int64_t timeout_ns, ckpt_decision* decision);

/* Begins a background save and records its commit or abort when it ends, on a thread of the manager: with the stall and the time
 * until it was durable as measured by the manager, at the time of the controller's last event. First stores the state of the
 * controller in state as CKPT_STATE_CONTROLLER. state, options, task, id and errors: as ckpt_async_manager_save; if it fails, the
 * save is aborted. INVALID_STATE when a save is in flight or no run is in progress. The end of the save is ignored if a failure, a
 * clean exit or the begin of another save was recorded before. */
CKPT_API ckpt_status ckpt_controller_save_async(ckpt_controller* controller, double now_seconds, ckpt_async_manager* manager,
                                                ckpt_state* state, const ckpt_save_options* options,
                                                const ckpt_checkpoint_task_options* task, int64_t* id);

/* The state of a controller. */
typedef struct ckpt_controller_info {
  uint32_t struct_size;             /* size of this struct in bytes, in the caller's build */
  ckpt_bool running;                /* 1 while a run is in progress, else 0 */
  ckpt_bool save_in_flight;         /* 1 while a save has begun and is neither committed nor aborted, else 0 */
  uint32_t reserved;                /* not used: 0 */
  int64_t failures;                 /* number of failures recorded */
  int64_t saves;                    /* number of saves committed */
  double cost_seconds;              /* mean stall of the last eight saves in seconds; 0 when there was none */
  double durable_seconds;           /* mean time in seconds until the last eight saves were durable; 0 when there was none */
  double unjudged_overhead_seconds; /* cost in seconds of saves that no recovery or clean exit has accounted for yet */
  double last_seen_seconds;         /* time of the last recorded event, in seconds on the caller's clock */
  /* mean time between failures in seconds at last_seen_seconds, as the policy estimates it: 1 / failure rate */
  double mtbf_seconds;
  double threshold;       /* current threshold of the threshold rule: a share of the longest task */
  int64_t threshold_used; /* number of slots of this run that the threshold rule has used */
  int64_t tasks;          /* number of stored tasks */
} ckpt_controller_info;

#define CKPT_CONTROLLER_INFO_INIT \
  { sizeof(ckpt_controller_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Fills *info with the state of the controller. */
CKPT_API ckpt_status ckpt_controller_get_info(const ckpt_controller* controller, ckpt_controller_info* info);

/* Lists the stored tasks, the oldest first: tasks receives the first capacity (>= 0) of them, *count how many there are, at most
 * 256. The size of every element is tasks[0].struct_size. tasks may be NULL when capacity is 0. */
CKPT_API ckpt_status ckpt_controller_list_tasks(const ckpt_controller* controller, ckpt_task_observation* tasks, int64_t capacity,
                                                int64_t* count);

/* Writes the complete state of the controller as JSON, by the (buffer, capacity, *needed) rule of ckpt.h. For ckpt_state_set_json
 * with the key CKPT_STATE_CONTROLLER, after CKPT_CONTROLLER_EVENT_KIND_SAVE_BEGAN, so that the estimates survive a crash. Numbers
 * are restored to the same bits. */
CKPT_API ckpt_status ckpt_controller_get_json(const ckpt_controller* controller, char* buffer, int64_t capacity, int64_t* needed);

/* Restores the state that ckpt_controller_get_json wrote, also of a controller with other options; the options of this controller
 * are kept. In the same process the controller continues from the state of the other one; after a restart record
 * CKPT_CONTROLLER_EVENT_KIND_RUN_RESUMED. CORRUPT if json is not the state of a controller, UNSUPPORTED if it is of a later
 * version; then nothing changes. */
CKPT_API ckpt_status ckpt_controller_restore(ckpt_controller* controller, const char* json);

/* Releases the controller. NULL does nothing. */
CKPT_API void ckpt_controller_release(ckpt_controller* controller);

/* ---- The simulator ------------------------------------------------------------------------------------------------------- */

/* A completed simulation. */
typedef struct ckpt_simulation ckpt_simulation;

/* Options of a simulation: failures to replay, and policies. */
typedef struct ckpt_simulation_options {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;    /* not used: 0 */
  /* text with the seconds between failures, one number per line, # begins a comment; NULL: a distribution is used */
  const char* trace;
  /* distribution of the failures of one node, in seconds: "exponential:MTBF" or "weibull:SHAPE:MTBF"; NULL: a trace is used */
  const char* law;
  /* the policies, separated by commas: auto, threshold, expected-value, young, daly (both with the true MTBF), bayes, bayes:KEEP,
   * weibull, fixed:SECONDS; NULL: all but fixed */
  const char* policies;
  int64_t nodes;          /* number of nodes: they fail independently, and each failure stops all; 1 .. 1000000; default 1 */
  int64_t failures;       /* number of failures to draw in each run, 1 .. 1000000; default 200 */
  int64_t replicas;       /* number of runs to draw, 1 .. 100000; default 20 */
  uint64_t seed;          /* seed of all random draws; default 1 */
  double cost_seconds;    /* cost of a save in seconds, > 0; default 30 */
  double restart_seconds; /* duration of a restart after a failure, in seconds, >= 0; default 300 */
  double poll_seconds;    /* seconds between polls, > 0; default 30 */
  /* n, where every n-th save is remote and costs cost_seconds, and the others are local; >= 1; 1 (the default): all are remote */
  int64_t remote_every;
  double local_cost_seconds; /* cost of a local save in seconds, > 0 if saves are local */
  double remote_share;       /* share of the failures that destroy local saves, 0 .. 1 */
} ckpt_simulation_options;

#define CKPT_SIMULATION_OPTIONS_INIT \
  { sizeof(ckpt_simulation_options), 0, 0, 0, 0, 1, 200, 20, 1, 30, 300, 30, 1, 0, 0 }

/* Replays failures against each policy and each fixed interval. It compares them with Daly's interval (computed from the true MTBF
 * and cost), and with an oracle that has the time of the next failure. Failures interrupt work, saves and restarts; only finished
 * saves count. options: not NULL, because it has the failures. INVALID_ARGUMENT names the invalid option, or the line of a trace.
 * OUT_OF_RANGE names the argument to change if there would be more than 10^9 polls, gaps for the estimators, or node lifetimes: up
 * to that limit a simulation takes seconds to minutes. */
CKPT_API ckpt_status ckpt_simulation_create(const ckpt_simulation_options* options, ckpt_simulation** simulation);

/* Writes the results as JSON by the (buffer, capacity, *needed) rule of ckpt.h: for each policy its efficiency (finished work per
 * wall time), and its extra wall time against Daly's interval for the same work. The periods are all failures, the first 10, the
 * first 100, and those after 100; null if there are none. "extra_wall_curves" has the extra wall time after 1, 2, ... failures, as
 * [failures, share] points for each policy. "fixed_intervals" has the efficiency of each fixed interval, as [seconds, efficiency].
 * "failure_gaps" is a histogram of the times between failures, as [from seconds, to seconds, count]. */
CKPT_API ckpt_status ckpt_simulation_get_json(const ckpt_simulation* simulation, char* buffer, int64_t capacity, int64_t* needed);

/* Releases the simulation. NULL does nothing. */
CKPT_API void ckpt_simulation_release(ckpt_simulation* simulation);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_ADAPTIVE_H */
