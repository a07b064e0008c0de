/* Every function of adaptive.h that takes doubles, over the whole range of doubles: each returns within a bounded number of steps,
 * and no infinity or NaN appears in a result, a decision or a text. An alarm ends the test if a call hangs. */
#include <float.h>
#include <math.h>
#include <unistd.h>

#include "check.h"
#include "events.h"

static const double scales[] = {4.9406564584124654e-324,
                                1e-310,
                                DBL_MIN,
                                1e-308,
                                1e-200,
                                1e-100,
                                1e-30,
                                1e-9,
                                1e-3,
                                0.5,
                                60,
                                3600,
                                1e6,
                                1e15,
                                1e30,
                                1e100,
                                1e200,
                                1e300,
                                1e308,
                                DBL_MAX};
#define SCALES ((int)(sizeof scales / sizeof *scales))

/* Checks numbers returned to a caller: finite, at least 0. */
static void require_finite(double value, const char* what, double a, double b) {
  if (isfinite(value) && value >= 0) return;
  fprintf(stderr, "%s is %g for %g and %g\n", what, value, a, b);
  exit(1);
}

static void formulas(void) {
  int c, m, shape, age;
  for (c = 0; c < SCALES; ++c) {
    for (m = 0; m < SCALES; ++m) {
      double young = -1, daly = -1, expected = -1;
      CHECK_OK(ckpt_interval_young(scales[c], scales[m], &young));
      CHECK_OK(ckpt_interval_daly(scales[c], scales[m], &daly));
      CHECK_OK(ckpt_interval_expected_value(scales[c], scales[m], &expected));
      require_finite(young, "young", scales[c], scales[m]);
      require_finite(daly, "daly", scales[c], scales[m]);
      require_finite(expected, "expected value", scales[c], scales[m]);
      for (shape = 0; shape < SCALES; shape += 3) {
        for (age = 0; age < SCALES; ++age) {
          double weibull = -1;
          CHECK_OK(ckpt_interval_weibull(scales[c], scales[shape], scales[m], scales[age], &weibull));
          require_finite(weibull, "weibull", scales[c], scales[age]);
        }
      }
    }
  }
}

/* If the product of cost and MTBF overflows or underflows but its root does not, the result still follows the formula. */
static void beyond_the_product(void) {
  double interval = 0;
  CHECK_OK(ckpt_interval_young(5e199, 1e200, &interval));
  CHECK(fabs(interval - 1e200) < 1e186);
  CHECK_OK(ckpt_interval_young(5e-201, 1e-200, &interval));
  CHECK(fabs(interval - 1e-200) < 1e-214);
  CHECK_OK(ckpt_interval_expected_value(1e-300, 1e300, &interval)); /* sqrt(C M) */
  CHECK(fabs(interval - 1) < 1e-14);
  CHECK_OK(ckpt_interval_expected_value(1e300, 1, &interval)); /* w + ln w = ln C */
  CHECK(fabs(interval + log(interval) - 300 * log(10)) < 1e-9);
  CHECK_OK(ckpt_interval_expected_value(1e308, 1e-308, &interval));
  interval /= 1e-308;
  CHECK(fabs(interval + log(interval) - 616 * log(10)) < 1e-9);
  CHECK_OK(ckpt_interval_weibull(50, 1, 1e300, 1, &interval)); /* exponential */
  CHECK(fabs(interval - 1e151) < 1e137);
}

static void fits(void) {
  int i, j;
  for (i = 0; i < SCALES; ++i) {
    for (j = 0; j < SCALES; ++j) {
      const double gaps[5] = {scales[i], scales[j], scales[j], 7, scales[i]};
      const int32_t failed[5] = {1, 1, 0, 1, 0};
      double shape = 0, scale = 0;
      CHECK_OK(ckpt_weibull_fit(gaps, failed, 5, &shape, &scale));
      CHECK(shape >= 0.2 && shape <= 5 && isfinite(scale) && scale > 0);
    }
  }
}

static void thresholds(void) {
  int i, j;
  for (i = 0; i < SCALES; ++i) {
    for (j = 0; j < SCALES; ++j) {
      ckpt_threshold* rule = NULL;
      ckpt_threshold_info info = CKPT_THRESHOLD_INFO_INIT;
      int32_t yes = 7;
      CHECK_OK(ckpt_threshold_create(NULL, &rule));
      CHECK_OK(ckpt_threshold_observe_task(rule, "a", scales[i]));
      CHECK_OK(ckpt_threshold_should_checkpoint(rule, "a", scales[j], &yes));
      CHECK(yes == 0 || yes == 1);
      CHECK_OK(ckpt_threshold_adjust_policy(rule, scales[i], scales[j]));
      CHECK_OK(ckpt_threshold_get_info(rule, &info));
      CHECK(info.threshold >= 0.05 && info.threshold <= 1);
      ckpt_threshold_release(rule);
    }
  }
}

static char text[1 << 18];

/* The state can be written and read back: JSON cannot represent infinity or NaN. */
static void survives_json(const ckpt_controller* controller, ckpt_controller* other) {
  char* again = text + sizeof text / 2;
  int64_t needed = 0;
  CHECK_OK(ckpt_controller_get_json(controller, text, sizeof text / 2, &needed));
  CHECK(strstr(text, "null") == NULL);
  CHECK_OK(ckpt_controller_restore(other, text));
  CHECK_OK(ckpt_controller_get_json(other, again, sizeof text / 2, &needed));
  CHECK(strcmp(text, again) == 0);
}

static void check_controller(const ckpt_controller* controller, double now, double cost, double gap) {
  ckpt_decision decision = CKPT_DECISION_INIT;
  ckpt_controller_info info = CKPT_CONTROLLER_INFO_INIT;
  CHECK_OK(ckpt_controller_should_checkpoint(controller, now, &decision));
  require_finite(decision.interval_seconds, "interval_seconds", cost, gap);
  require_finite(decision.due_seconds, "due_seconds", cost, gap);
  require_finite(decision.cost_seconds, "cost_seconds", cost, gap);
  require_finite(decision.since_last_seconds, "since_last_seconds", cost, gap);
  CHECK(decision.risk >= 0 && decision.risk <= 1);
  CHECK_OK(ckpt_controller_get_info(controller, &info));
  require_finite(info.mtbf_seconds, "mtbf_seconds", cost, gap);
  require_finite(info.cost_seconds, "mean cost_seconds", cost, gap);
  require_finite(info.durable_seconds, "durable_seconds", cost, gap);
  require_finite(info.unjudged_overhead_seconds, "unjudged_overhead_seconds", cost, gap);
}

/* Returns a later time, or now if there is none. */
static double later(double now, double seconds) { return seconds < DBL_MAX - now ? now + seconds : DBL_MAX; }

static void live(ckpt_controller_options options, double cost, double gap) {
  ckpt_controller* controller = NULL;
  ckpt_controller* other = NULL;
  double now = 0;
  int i;
  options.mtbf_seconds = gap;
  options.interval_seconds = gap;
  CHECK_OK(ckpt_controller_create(&options, &controller));
  CHECK_OK(ckpt_controller_create(&options, &other));
  CHECK_OK(record_begin_run(controller, now));
  for (i = 0; i < 3; ++i) {
    CHECK_OK(record_begin(controller, now));
    now = later(now, cost);
    CHECK_OK(record_commit(controller, now, cost, cost));
    CHECK_OK(record_task(controller, "step", gap));
    check_controller(controller, now, cost, gap);
    now = later(now, gap);
    CHECK_OK(record_failure(controller, now));
    check_controller(controller, now, cost, gap);
    CHECK_OK(record_recovery(controller, now, gap, cost));
    CHECK_OK(record_preemption(controller, now, gap));
    check_controller(controller, now, cost, gap);
  }
  survives_json(controller, other);
  check_controller(other, now, cost, gap);
  CHECK_OK(record_resume(other, later(now, gap))); /* a gap according to the JSON state */
  check_controller(other, later(now, gap), cost, gap);
  CHECK_OK(record_clean_exit(controller, now));
  CHECK_OK(record_begin_run(controller, now));
  now = later(now, gap);
  CHECK_OK(record_clean_exit(controller, now));
  survives_json(controller, other);
  ckpt_controller_release(other);
  ckpt_controller_release(controller);
}

static void controllers(void) {
  int policy, cost, gap;
  ckpt_controller_options options = CKPT_CONTROLLER_OPTIONS_INIT;
  for (policy = CKPT_POLICY_AUTO; policy <= CKPT_POLICY_FIXED; ++policy) {
    options.policy = policy;
    for (cost = 0; cost < SCALES; cost += policy == CKPT_POLICY_AUTO ? 1 : 4) {
      for (gap = cost % 3; gap < SCALES; gap += 3) live(options, scales[cost], scales[gap]);
    }
  }
  options = (ckpt_controller_options)CKPT_CONTROLLER_OPTIONS_INIT;
  for (cost = 0; cost < SCALES; ++cost) {
    const double share = scales[cost] < 1 ? scales[cost] : 1;
    options.initial_cost_seconds = options.first_seconds = options.poll_seconds = scales[cost];
    options.min_interval_seconds = scales[SCALES - 1 - cost];
    options.max_overhead_share = options.keep = share;
    options.budget_window_seconds = scales[cost];
    live(options, 0, scales[cost]);
    live(options, scales[SCALES - 1 - cost], 0.5);
  }
  live(options, 0, 3600);
}

/* A reported bug: age + period equals the gap to the last bit, and the replay makes no progress. Which gaps do that depends on
 * rounding. */
static void the_replay_that_never_ended(void) {
  static const double gaps[] = {5e5, 3e9, 3e12, 7574776142299.443, 1e15};
  ckpt_controller_options options = CKPT_CONTROLLER_OPTIONS_INIT;
  size_t i;
  for (i = 0; i < sizeof gaps / sizeof *gaps; ++i) live(options, 1e-308, gaps[i]);
}

/* A simulation completes, or is refused as too long with the argument's name; its output contains only finite numbers. */
static int simulated(double cost, double restart, double poll, const char* trace) {
  ckpt_simulation_options options = CKPT_SIMULATION_OPTIONS_INIT;
  ckpt_simulation* simulation = NULL;
  ckpt_status status;
  int64_t needed = 0;
  options.cost_seconds = cost;
  options.restart_seconds = restart;
  options.poll_seconds = poll;
  options.trace = trace;
  options.policies = "auto,weibull,expected-value,daly";
  status = ckpt_simulation_create(&options, &simulation);
  if (status == CKPT_E_OUT_OF_RANGE) {
    CHECK(strncmp(ckpt_last_error(), "poll_seconds is", 15) == 0 || strncmp(ckpt_last_error(), "cost_seconds is", 15) == 0);
    return 0;
  }
  CHECK_OK(status);
  CHECK_OK(ckpt_simulation_get_json(simulation, text, sizeof text, &needed));
  CHECK(strstr(text, "\"efficiency\": null") == NULL && strstr(text, "inf") == NULL && strstr(text, "nan") == NULL);
  ckpt_simulation_release(simulation);
  return 1;
}

static void simulations(void) {
  int c, p, g, done = 0, refused = 0;
  for (c = 0; c < SCALES; ++c) {
    for (p = c % 3; p < SCALES; p += 3) {
      for (g = c % 3; g < SCALES; g += 3) {
        char trace[200];
        char* comma;
        const double polls = scales[g] / scales[p];
        if (polls > 1e5 && polls < 1e10) continue; /* allowed, but takes seconds */
        snprintf(trace, sizeof trace, "%.17g\n%.17g\n1\n%.17g\n", scales[g], scales[g] / 3, scales[g]);
        for (comma = strchr(trace, ','); comma != NULL; comma = strchr(comma, ',')) *comma = '.'; /* the locale's decimal comma */
        if (simulated(scales[c], scales[(c + p) % SCALES], scales[p], trace)) {
          ++done;
        } else {
          ++refused;
        }
      }
    }
  }
  CHECK(done > 50 && refused > 50);
  CHECK(simulated(1e-4, 300, 30, "40000\n50000\n90000\n")); /* a reported bug: an almost free save */
  CHECK(simulated(1e-12, 300, 30, "40000\n50000\n90000\n"));
}

static void simulations_that_are_too_long(void) {
  ckpt_simulation_options options = CKPT_SIMULATION_OPTIONS_INIT;
  ckpt_simulation* simulation = NULL;
  options.law = "exponential:1e15";
  CHECK_FAILS(ckpt_simulation_create(&options, &simulation), CKPT_E_OUT_OF_RANGE, "poll_seconds is 30: the failures span");
  options.law = "exponential:1000000";
  options.cost_seconds = 1e-6;
  options.poll_seconds = 1e5;
  options.failures = 1000000;
  options.replicas = 1;
  CHECK_FAILS(ckpt_simulation_create(&options, &simulation), CKPT_E_OUT_OF_RANGE, "cost_seconds is 1e-06: 1e+06 failures");
  options.nodes = 1000000;
  options.replicas = 2000;
  options.failures = 1;
  CHECK_FAILS(ckpt_simulation_create(&options, &simulation), CKPT_E_OUT_OF_RANGE, "nodes is 1000000: 2000 replicas draw");
  CHECK(simulation == NULL);
}

int main(void) {
  alarm(HANG_SECONDS);
  the_replay_that_never_ended();
  formulas();
  beyond_the_product();
  fits();
  thresholds();
  controllers();
  simulations();
  simulations_that_are_too_long();
  return 0;
}
