/* adaptive.h - when to make a state checkpoint: a controller that learns the cost of saves and the failure rate of the machine, the
 * formulas and the rule that it chooses from, and a simulator that replays failures against them.
 *
 *   ckpt_controller *controller = NULL;
 *   ckpt_controller_event event = CKPT_CONTROLLER_EVENT_INIT;
 *   ckpt_controller_create(NULL, &controller);                     the default policy learns everything by itself
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
 * Times are double seconds on any clock of the caller's that does not go backwards; ckpt_controller_get_now asks the controller's
 * own clock. A time that is NaN, infinite, negative or before one that the controller has seen is INVALID_ARGUMENT. Read the
 * general rules at the top of ckpt.h first.
 */
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
 * failures: sqrt(2 C M). Both above 0 and finite.
 * Source: Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974. */
CKPT_API ckpt_status ckpt_interval_young(double cost_seconds, double mtbf_seconds, double* interval_seconds);

/* Sets *interval_seconds to the work between two checkpoints as ckpt_interval_young, to a higher order: sqrt(2CM) (1 +
 * sqrt(C/2M)/3 + (C/2M)/9) - C for C < 2M, else M.
 * Source: Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future Generation Computer Systems
 * 22(3), 2006. */
CKPT_API ckpt_status ckpt_interval_daly(double cost_seconds, double mtbf_seconds, double* interval_seconds);

/* Sets *interval_seconds to the work W at which P(failure before the next checkpoint, another W away) * W = (1 - P) * cost, for
 * exponential failures. Both arguments > 0 and finite. */
CKPT_API ckpt_status ckpt_interval_expected_value(double cost_seconds, double mtbf_seconds, double* interval_seconds);

/* Sets *interval_seconds to sqrt(2 C / h(age)), h(age) = shape/scale (age/scale)^(shape - 1): the hazard of a Weibull law. All
 * above 0 and finite. */
CKPT_API ckpt_status ckpt_interval_weibull(double cost_seconds, double weibull_shape, double scale_seconds, double age_seconds,
                                           double* interval_seconds);

/* Fits a Weibull law to gap_seconds_count gaps by maximum likelihood. failed[i] 0: gap i ended without a failure (censored); failed
 * NULL: all failed. Gaps below a second count as one second; the shape is kept in 0.2 .. 5. INVALID_ARGUMENT with less than two
 * failures, or when all have one length. Source: Cohen, Technometrics 7(4), 1965. */
CKPT_API ckpt_status ckpt_weibull_fit(const double* gap_seconds, const ckpt_bool* failed, int64_t gap_seconds_count,
                                      double* weibull_shape, double* scale_seconds);

/* ---- The threshold rule -------------------------------------------------------------------------------------------------- */

/* Checkpoints after tasks that take a large enough share of the longest one, while it has slots; moves that share by what
 * recoveries saved. One thread at a time. Weaknesses: it knows neither the time since the last checkpoint nor the failure rate, its
 * steps depend on the unit of time, one outlier stays the longest task for ever, and slots for a lifetime run out. */
typedef struct ckpt_threshold ckpt_threshold;

/* How a threshold rule is made. */
typedef struct ckpt_threshold_options {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;    /* not used: 0 */
  double threshold;     /* first value of the threshold: a share of the longest task, 0.05 .. 1; default 0.35 */
  double learning_rate; /* maximum change of the threshold by one recovery, > 0, <= 1; default 0.1 */
  int64_t budget;       /* number of checkpoints of a run, >= 0; default 3 */
} ckpt_threshold_options;

#define CKPT_THRESHOLD_OPTIONS_INIT \
  { sizeof(ckpt_threshold_options), 0, 0.35, 0.1, 3 }

/* Creates a threshold rule. options: NULL for the defaults. */
CKPT_API ckpt_status ckpt_threshold_create(const ckpt_threshold_options* options, ckpt_threshold** threshold);

/* Records that a task took this long. name: UTF-8, not blank, at most 95 bytes. duration_seconds: finite, at least 0. */
CKPT_API ckpt_status ckpt_threshold_observe_task(ckpt_threshold* threshold, const char* name, double duration_seconds);

/* Records that a task failed after this long. It is remembered, with failed = 1 in ckpt_task_observation, and is never the longest
 * task, for it was not done. name: UTF-8, not blank, at most 95 bytes. duration_seconds: finite, at least 0. What recovering from
 * it saved is recorded with ckpt_threshold_adjust_policy. */
CKPT_API ckpt_status ckpt_threshold_observe_failure(ckpt_threshold* threshold, const char* name, double duration_seconds);

/* Sets *answer to 1 when a slot is left and cost_seconds / max(longest task, 1e-6) reaches the threshold, which consumes the slot;
 * else 0. */
CKPT_API ckpt_status ckpt_threshold_should_checkpoint(ckpt_threshold* threshold, const char* name, double cost_seconds,
                                                      ckpt_bool* answer);

/* Adds -sign(b) * learning_rate * |b| / (|b| + 1) to the threshold, b = saved - overhead, and keeps it within 0.05 .. 1. */
CKPT_API ckpt_status ckpt_threshold_adjust_policy(ckpt_threshold* threshold, double saved_seconds, double overhead_seconds);

/* Frees all slots for a new run; threshold and longest task stay. */
CKPT_API ckpt_status ckpt_threshold_begin_run(ckpt_threshold* threshold);

/* What a threshold rule knows. */
typedef struct ckpt_threshold_info {
  uint32_t struct_size;   /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;      /* not used: 0 */
  double threshold;       /* value of the threshold now: a share of the longest task, 0.05 .. 1 */
  double longest_seconds; /* duration of the longest task observed, in seconds */
  int64_t budget;         /* number of checkpoints of a run */
  int64_t used;           /* number of checkpoints used in this run */
  int64_t tasks;          /* number of tasks that can be read: the last 256 at most */
} ckpt_threshold_info;

#define CKPT_THRESHOLD_INFO_INIT \
  { sizeof(ckpt_threshold_info), 0, 0, 0, 0, 0, 0 }

/* Fills *info with what the rule knows. */
CKPT_API ckpt_status ckpt_threshold_get_info(const ckpt_threshold* threshold, ckpt_threshold_info* info);

#define CKPT_TASK_NAME_BYTES 96 /* bytes that hold the name of any task, its NUL included */

/* One task that was observed. */
typedef struct ckpt_task_observation {
  uint32_t struct_size;            /* size of this struct in bytes, as the caller was compiled */
  ckpt_bool checkpointed;          /* 1 when a checkpoint was made of it, else 0 */
  double duration_seconds;         /* duration of the task in seconds */
  ckpt_bool failed;                /* 1 when it failed, or a failure came while it was the last one, else 0 */
  uint32_t reserved;               /* not used: 0 */
  char name[CKPT_TASK_NAME_BYTES]; /* name of the task: UTF-8, not blank */
} ckpt_task_observation;

#define CKPT_TASK_OBSERVATION_INIT \
  { sizeof(ckpt_task_observation), 0, 0, 0, 0, "" }

/* Lists the tasks that are remembered, the oldest first: tasks receives the first capacity (>= 0) of them, *count how many there
 * are, at most 256. Every element is as large as tasks[0].struct_size says. tasks may be NULL when capacity is 0. */
CKPT_API ckpt_status ckpt_threshold_list_tasks(const ckpt_threshold* threshold, ckpt_task_observation* tasks, int64_t capacity,
                                               int64_t* count);

/* Releases the rule. NULL does nothing. */
CKPT_API void ckpt_threshold_release(ckpt_threshold* threshold);

/* ---- The controller ------------------------------------------------------------------------------------------------------ */

/* Decides when to save. At most 64 KB, whatever it has seen. Synchronised. In a forked child it goes on with what the parent's
 * knew; where another thread of the parent was inside a call of it at the fork, every call returns FORKED. */
typedef struct ckpt_controller ckpt_controller;

/* How a controller decides when to save. */
typedef int32_t ckpt_policy;

#define CKPT_POLICY_AUTO 0      /* experts on the failure rate, weighted by what each would have cost on every gap so far */
#define CKPT_POLICY_THRESHOLD 1 /* the threshold rule on the last observed task; a commit consumes the slot */
/* the interval at which expected loss and cost of a checkpoint are equal, with the learned failure rate */
#define CKPT_POLICY_EXPECTED_VALUE 2
#define CKPT_POLICY_YOUNG 3 /* Young's interval with a set mean time between failures and the measured cost */
#define CKPT_POLICY_DALY 4  /* Daly's interval with a set mean time between failures and the measured cost */
#define CKPT_POLICY_BAYES 5 /* Daly's interval for the mean of a Gamma posterior: prior 1 failure in 1 h */
/* the interval for a Weibull law fitted to the last 512 gaps, at the age of the current one */
#define CKPT_POLICY_WEIBULL 6
#define CKPT_POLICY_FIXED 7 /* a set interval */

/* How a controller is made. */
typedef struct ckpt_controller_options {
  uint32_t struct_size;    /* size of this struct in bytes, as the caller was compiled */
  ckpt_policy policy;      /* how saves are decided: one of CKPT_POLICY_*; default CKPT_POLICY_AUTO */
  double mtbf_seconds;     /* for CKPT_POLICY_YOUNG and CKPT_POLICY_DALY: mean time between failures in seconds, above 0 */
  double interval_seconds; /* for CKPT_POLICY_FIXED: interval between saves in seconds, above 0 */
  /* for CKPT_POLICY_BAYES and CKPT_POLICY_EXPECTED_VALUE: share of what is known that each failure leaves, above 0, at most 1; 1
   * (the default): nothing is forgotten */
  double keep;
  double initial_cost_seconds; /* what a save costs, in seconds, until one was measured; 0: unknown */
  /* when the cost of a save is unknown the first save comes no later than this, in seconds, to learn it; default 600 */
  double first_seconds;
  /* seconds between two questions; 0: as long as observed tasks last on average. A save is asked for at the poll nearest to the
   * target */
  double poll_seconds;
  double min_interval_seconds; /* shortest interval between saves in seconds, at least 0 */
  double max_interval_seconds; /* longest interval between saves in seconds; 0: no maximum */
  /* share of the time that saves may take, above 0, at most 1; default 1. Goes before max_interval_seconds */
  double max_overhead_share;
  int64_t budget_saves; /* number of saves in each window, at least 0; 0: no limit */
  /* length of the windows in seconds, which follow one another from the run's begin; 0: one for the whole run */
  double budget_window_seconds;
  /* for CKPT_POLICY_THRESHOLD: first value of the threshold, a share of the longest task, 0.05 .. 1; default 0.35 */
  double threshold;
  /* for CKPT_POLICY_THRESHOLD: how far one recovery moves the threshold at most, above 0, at most 1; default 0.1 */
  double threshold_learning_rate;
  int64_t threshold_budget; /* for CKPT_POLICY_THRESHOLD: number of checkpoints of a run, at least 0; default 3 */
  const ckpt_clock* clock;  /* source of time of ckpt_controller_get_now; kept alive; NULL: the monotonic clock */
} ckpt_controller_options;

#define CKPT_CONTROLLER_OPTIONS_INIT \
  { sizeof(ckpt_controller_options), 0, 0, 0, 1, 0, 600, 0, 0, 0, 1, 0, 0, 0.35, 0.1, 3, 0 }

/* Creates a controller. options: NULL for the defaults. INVALID_ARGUMENT names the option that is out of range. */
CKPT_API ckpt_status ckpt_controller_create(const ckpt_controller_options* options, ckpt_controller** controller);

/* Sets *now_seconds to the time on the controller's clock, for callers that have none of their own. */
CKPT_API ckpt_status ckpt_controller_get_now(const ckpt_controller* controller, double* now_seconds);

/* What happened, for ckpt_controller_record. */
typedef int32_t ckpt_controller_event_kind;

/* a run begins: budgets and windows start again. INVALID_STATE during a run */
#define CKPT_CONTROLLER_EVENT_KIND_RUN_BEGAN 0
/* this process continues what ckpt_controller_restore loaded. If a run was in progress there, it has failed: half an interval after
 * its last event, but not later than now; record its recovery next. Without such a run: as CKPT_CONTROLLER_EVENT_KIND_RUN_BEGAN.
 * The time may be on another clock than in the process before */
#define CKPT_CONTROLLER_EVENT_KIND_RUN_RESUMED 1
/* a save starts: no other one is asked for until it is committed or aborted. INVALID_STATE while one is in flight */
#define CKPT_CONTROLLER_EVENT_KIND_SAVE_BEGAN 2
/* the save in flight is durable: uses stall_seconds and durable_seconds. INVALID_STATE without a save in flight */
#define CKPT_CONTROLLER_EVENT_KIND_SAVE_COMMITTED 3
/* the save in flight failed: nothing is learned from it. INVALID_STATE without a save in flight */
#define CKPT_CONTROLLER_EVENT_KIND_SAVE_ABORTED 4
/* a task is done: uses name and duration_seconds, and not now_seconds; as ckpt_threshold_observe_task. The mean duration also
 * stands for ckpt_controller_options.poll_seconds when that is 0 */
#define CKPT_CONTROLLER_EVENT_KIND_TASK_DONE 5
/* the machine failed: what was not saved is lost. The run continues */
#define CKPT_CONTROLLER_EVENT_KIND_FAILURE 6
/* work continues after a failure: uses saved_seconds and overhead_seconds */
#define CKPT_CONTROLLER_EVENT_KIND_RECOVERY 7
/* the run ends without a failure: its last gap is censored, and the cost of saves that no recovery has judged was spent for nothing
 */
#define CKPT_CONTROLLER_EVENT_KIND_CLEAN_EXIT 8
/* the process will be terminated: uses left_seconds. A save is asked for at once if those before became durable within that time */
#define CKPT_CONTROLLER_EVENT_KIND_PREEMPTION 9

/* An event of a run, as a controller learns from it. Each kind uses the fields that it names, and now_seconds. */
typedef struct ckpt_controller_event {
  uint32_t struct_size;            /* size of this struct in bytes, as the caller was compiled */
  ckpt_controller_event_kind kind; /* what happened: one of CKPT_CONTROLLER_EVENT_KIND_* */
  double now_seconds;              /* time of the event in seconds, on the caller's clock */
  const char* name;                /* name of the task: UTF-8, not blank, at most 95 bytes */
  double duration_seconds;         /* duration of the task in seconds: finite, at least 0 */
  double stall_seconds;            /* seconds that work stood still for the save: the cost of the save */
  double durable_seconds;          /* seconds from the begin of the save until it was durable; used after preemption notices */
  double saved_seconds;            /* seconds of work that the loaded checkpoint makes unnecessary to repeat */
  double overhead_seconds;         /* cost of the loaded checkpoint in seconds */
  double left_seconds;             /* seconds until the process is terminated */
} ckpt_controller_event;

#define CKPT_CONTROLLER_EVENT_INIT \
  { sizeof(ckpt_controller_event), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Records an event. INVALID_ARGUMENT for an unknown kind and for a time that is not finite; INVALID_STATE as the kinds document,
 * and without a run for kinds that need one. */
CKPT_API ckpt_status ckpt_controller_record(ckpt_controller* controller, const ckpt_controller_event* event);

/* Why a controller answered as it did. */
typedef int32_t ckpt_reason;

#define CKPT_REASON_NOT_DUE 0          /* no: no save is wanted yet */
#define CKPT_REASON_DUE 1              /* yes: this poll is the nearest to the target */
#define CKPT_REASON_FIRST_SAVE 2       /* yes: early, to learn what a save costs */
#define CKPT_REASON_TASK_IS_LONG 3     /* yes, by the threshold rule: the task is long enough */
#define CKPT_REASON_TASK_IS_SHORT 4    /* no, by the threshold rule: the task is too short, or it has no slot left */
#define CKPT_REASON_SAVE_IN_FLIGHT 5   /* no: the save before is not durable yet */
#define CKPT_REASON_BUDGET_IS_SPENT 6  /* no: the budget of this window is spent */
#define CKPT_REASON_PREEMPTION 7       /* yes: the process will be ended */
#define CKPT_REASON_PREEMPTION_SHORT 8 /* no: the process will be ended before a save could be durable */
#define CKPT_REASON_PREEMPTION_SAVED 9 /* no: the process will be ended, and a save after the notice is durable */

/* A controller's answer to the question whether to save now. */
typedef struct ckpt_decision {
  uint32_t struct_size;      /* size of this struct in bytes, as the caller was compiled */
  ckpt_bool checkpoint;      /* 1: save now; 0: do not */
  ckpt_reason reason;        /* why: one of CKPT_REASON_* */
  ckpt_policy policy;        /* the policy that decided: one of CKPT_POLICY_* */
  double interval_seconds;   /* interval wanted between saves now, in seconds; 0 for CKPT_POLICY_THRESHOLD */
  double risk;               /* probability of a failure within the interval wanted, 0 .. 1 */
  double cost_seconds;       /* cost of a save in seconds: measured, set, or assumed (60 s) */
  double since_last_seconds; /* seconds since the last save, or since work began */
  double due_seconds;        /* when a save is wanted, in seconds on the caller's clock; 0 for CKPT_POLICY_THRESHOLD */
} ckpt_decision;

#define CKPT_DECISION_INIT \
  { sizeof(ckpt_decision), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Decides whether to save now, and why. Changes nothing, so it may be asked as often as one likes. INVALID_STATE when no run is
 * going on. */
CKPT_API ckpt_status ckpt_controller_should_checkpoint(const ckpt_controller* controller, double now_seconds,
                                                       ckpt_decision* decision);

/* Decides as ckpt_controller_should_checkpoint, with the same answer for all processes, which must all call it: rank 0 decides and
 * broadcasts. What a save has cost is the longest stall of all ranks, each of which begins and commits every save in a controller
 * of its own: after a save this call gathers their stalls on rank 0, whose controller notes the longest before it decides; again
 * until none of them is still in that save. The other ranks' controllers keep their own stalls. now_seconds counts on rank 0 only.
 * If rank 0 cannot decide, or the arguments of one rank are wrong, all return the status and message of that rank. Only a rank
 * whose coordinator is NULL or another handle returns alone; the others time out. TIMEOUT and CALLBACK as
 * ckpt_coordinator_all_gather, ckpt_coordinator_gather and ckpt_coordinator_broadcast. CORRUPT if they return invalid data instead
 * of a decision or stalls. timeout_ns: at least 0, for the call as a whole. */
CKPT_API ckpt_status ckpt_controller_decide_all(const ckpt_controller* controller, ckpt_coordinator* coordinator,
                                                double now_seconds, int64_t timeout_ns, ckpt_decision* decision);

/* Begins a save in the background that commits or aborts by itself when it ends, on a thread of the manager: with the stall and the
 * time until it was durable that the manager measured, at the last time that the controller has seen. What the controller knows
 * is put into state as CKPT_STATE_CONTROLLER first. state, options, task, id and errors: as ckpt_async_manager_save; when it fails,
 * the save is aborted. INVALID_STATE when a save is in flight or no run is going on. An end that comes after a recorded
 * failure, clean exit or begin of another save changes nothing. */
CKPT_API ckpt_status ckpt_controller_save_async(ckpt_controller* controller, double now_seconds, ckpt_async_manager* manager,
                                                ckpt_state* state, const ckpt_save_options* options,
                                                const ckpt_checkpoint_task_options* task, int64_t* id);

/* What a controller knows. */
typedef struct ckpt_controller_info {
  uint32_t struct_size;             /* size of this struct in bytes, as the caller was compiled */
  ckpt_bool running;                /* 1 while a run is going on, else 0 */
  ckpt_bool save_in_flight;         /* 1 while a save is begun and neither committed nor aborted, else 0 */
  uint32_t reserved;                /* not used: 0 */
  int64_t failures;                 /* number of failures recorded */
  int64_t saves;                    /* number of saves committed */
  double cost_seconds;              /* mean stall of the last eight saves in seconds; 0 when there was none */
  double durable_seconds;           /* mean time in seconds until the last eight saves were durable; 0 when there was none */
  double unjudged_overhead_seconds; /* cost in seconds of saves that neither a recovery nor a clean exit has judged */
  double last_seen_seconds;         /* the last sign of life, in seconds on the caller's clock */
  /* mean time between failures in seconds at the last sign of life, as the policy sees it: 1 / failure rate */
  double mtbf_seconds;
  double threshold;       /* value of the threshold rule's threshold now: a share of the longest task */
  int64_t threshold_used; /* number of checkpoints of this run that the threshold rule used */
  int64_t tasks;          /* number of tasks that can be read */
} ckpt_controller_info;

#define CKPT_CONTROLLER_INFO_INIT \
  { sizeof(ckpt_controller_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Fills *info with what the controller knows. */
CKPT_API ckpt_status ckpt_controller_get_info(const ckpt_controller* controller, ckpt_controller_info* info);

/* Lists the tasks that are remembered, the oldest first: tasks receives the first capacity (>= 0) of them, *count how many there
 * are, at most 256. Every element is as large as tasks[0].struct_size says. tasks may be NULL when capacity is 0. */
CKPT_API ckpt_status ckpt_controller_list_tasks(const ckpt_controller* controller, ckpt_task_observation* tasks, int64_t capacity,
                                                int64_t* count);

/* Writes everything that the controller knows as JSON, by the (buffer, capacity, *needed) rule of ckpt.h. Meant for
 * ckpt_state_set_json with the key CKPT_STATE_CONTROLLER, after CKPT_CONTROLLER_EVENT_KIND_SAVE_BEGAN, so that learning survives
 * the crash that it learns from. Numbers read back to the same bits. */
CKPT_API ckpt_status ckpt_controller_get_json(const ckpt_controller* controller, char* buffer, int64_t capacity, int64_t* needed);

/* Reads what ckpt_controller_get_json wrote, also of a controller with other options: these stay. In the same process the
 * controller goes on where the other one was; after a restart record CKPT_CONTROLLER_EVENT_KIND_RUN_RESUMED. CORRUPT when json is
 * not such a text, UNSUPPORTED when it is of a later version; then nothing changes. */
CKPT_API ckpt_status ckpt_controller_restore(ckpt_controller* controller, const char* json);

/* Releases the controller. NULL does nothing. */
CKPT_API void ckpt_controller_release(ckpt_controller* controller);

/* ---- The simulator ------------------------------------------------------------------------------------------------------- */

/* A simulation that is done. */
typedef struct ckpt_simulation ckpt_simulation;

/* What a simulation of failures replays, and against which policies. */
typedef struct ckpt_simulation_options {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;    /* not used: 0 */
  /* text with the seconds between failures, one number a line, # begins a comment; NULL: a law is used */
  const char* trace;
  /* law of the failures of one node, in seconds: "exponential:MTBF" or "weibull:SHAPE:MTBF"; NULL: a trace is used */
  const char* law;
  /* the policies, separated by commas: auto, threshold, expected-value, young, daly (both with the true MTBF), bayes, bayes:KEEP,
   * weibull, fixed:SECONDS; NULL: all but fixed */
  const char* policies;
  int64_t nodes;          /* number of nodes of the law: they fail one by one, each stops all; 1 .. 1000000; default 1 */
  int64_t failures;       /* number of failures to draw in each run, 1 .. 1000000; default 200 */
  int64_t replicas;       /* number of runs to draw, 1 .. 100000; default 20 */
  uint64_t seed;          /* seed of all random draws; default 1 */
  double cost_seconds;    /* cost of a save in seconds, above 0; default 30 */
  double restart_seconds; /* duration of a restart after a failure, in seconds, at least 0; default 300 */
  double poll_seconds;    /* seconds between questions, above 0; default 30 */
  /* each so many-th save is remote and costs cost_seconds, the others are local; at least 1; 1 (the default): all are remote */
  int64_t remote_every;
  double local_cost_seconds; /* cost of a local save in seconds, above 0 where saves are local */
  double remote_share;       /* share of the failures that destroy what is local, 0 .. 1 */
} ckpt_simulation_options;

#define CKPT_SIMULATION_OPTIONS_INIT \
  { sizeof(ckpt_simulation_options), 0, 0, 0, 0, 1, 200, 20, 1, 30, 300, 30, 1, 0, 0 }

/* Replays failures against each policy, each fixed interval, Daly's interval with the true MTBF and cost, and one who knows when
 * the next failure comes. Failures hit work, saves and restarts; only finished saves count. options: must be there, for it has the
 * failures. INVALID_ARGUMENT names what is wrong, also the line of a trace. OUT_OF_RANGE names the argument to change when there
 * would be more than 10^9 polls, gaps replayed to learn from, or lives of nodes: below that it takes seconds to minutes. */
CKPT_API ckpt_status ckpt_simulation_create(const ckpt_simulation_options* options, ckpt_simulation** simulation);

/* Writes the results as JSON by the (buffer, capacity, *needed) rule of ckpt.h: for each policy its efficiency (finished work per
 * wall time) and its extra wall time against Daly's interval for the same work, over all failures, the first 10, the first 100, and
 * those after 100; null where there is none. "extra_wall_curves" has the extra wall time after 1, 2, ... failures as [failures,
 * share] points for each policy, "fixed_intervals" the efficiency of each fixed interval as [seconds, efficiency],
 * "failure_gaps" how many of the times between failures lie in each interval, as [from seconds, to seconds, count]. */
CKPT_API ckpt_status ckpt_simulation_get_json(const ckpt_simulation* simulation, char* buffer, int64_t capacity, int64_t* needed);

/* Releases the simulation. NULL does nothing. */
CKPT_API void ckpt_simulation_release(ckpt_simulation* simulation);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_ADAPTIVE_H */
