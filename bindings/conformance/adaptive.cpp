// Commands on the decision when to save.
#include "commands.hpp"

namespace conformance {

namespace {

const Words policy_words = {"auto", "threshold", "expected_value", "young", "daly", "bayes", "weibull", "fixed"};
const Words reason_words = {
    "NOT_DUE",         "DUE",        "FIRST_SAVE",       "TASK_IS_LONG",    "TASK_IS_SHORT", "SAVE_IN_FLIGHT",
    "BUDGET_IS_SPENT", "PREEMPTION", "PREEMPTION_SHORT", "PREEMPTION_SAVED"};

}  // namespace

// ---- When to save ----

void Commands::adaptive() {
  on("interval", [](const Command& c) {
    const double cost = c.number(2);
    switch (index_of({"young", "daly", "expected_value", "weibull"}, c.text(1))) {
      case 0: return Words{thousandths(ckpt::young_interval(cost, c.number(3)))};
      case 1: return Words{thousandths(ckpt::daly_interval(cost, c.number(3)))};
      case 2: return Words{thousandths(ckpt::expected_value_interval(cost, c.number(3)))};
      default: return Words{thousandths(ckpt::weibull_interval(cost, c.number(3), c.number(4), c.number(5)))};
    }
  });
  on("threshold", [this](const Command& c) {
    ckpt::ThresholdOptions options;
    options.threshold = c.number("threshold", options.threshold);
    options.learning_rate = c.number("rate", options.learning_rate);
    options.budget = c.integer("budget", options.budget);
    thresholds_.make(c.text(1), options);
    return Words();
  });
  on("controller", [this](const Command& c) {
    ckpt::ControllerOptions options;
    options.policy = value_of<ckpt::Policy>(policy_words, c.text("policy", "auto"));
    options.mtbf_seconds = c.number("mtbf", options.mtbf_seconds);
    options.interval_seconds = c.number("interval", options.interval_seconds);
    options.initial_cost_seconds = c.number("cost", options.initial_cost_seconds);
    options.first_seconds = c.number("first", options.first_seconds);
    options.poll_seconds = c.number("poll", options.poll_seconds);
    options.min_interval_seconds = c.number("min", options.min_interval_seconds);
    options.max_interval_seconds = c.number("max", options.max_interval_seconds);
    options.max_overhead_share = c.number("overhead", options.max_overhead_share);
    options.budget_saves = c.integer("saves", options.budget_saves);
    options.budget_window_seconds = c.number("window", options.budget_window_seconds);
    if (c.has("clock")) options.clock = clocks_[c.text("clock")];
    controllers_.make(c.text(1), options);
    return Words();
  });
  on("record", [this](const Command& c) {
    record(c);
    return Words();
  });
  on("decide", [this](const Command& c) {
    if (auto* threshold = thresholds_.find(c.text(1))) return Words{yes_no(threshold->should_checkpoint(c.text(2), c.number(3)))};
    const auto& controller = controllers_[c.text(1)];
    const auto n = controller.should_checkpoint(c.text(2) == "now" ? controller.now() : c.number(2));
    return line({yes_no(n.checkpoint), reason_words[static_cast<std::size_t>(n.reason)],
                 policy_words[static_cast<std::size_t>(n.policy)], "interval", thousandths(n.interval_seconds), "due",
                 thousandths(n.due_seconds), "since", thousandths(n.since_last_seconds)});
  });
  on("copy-state", [this](const Command& c) {
    controllers_[c.text(2)].restore(controllers_[c.text(1)].json());
    return Words();
  });
  on("restore-json", [this](const Command& c) {
    controllers_[c.text(1)].restore(c.text(2));
    return Words();
  });
}

void Commands::record(const Command& c) {
  const std::string& event = c.text(2);
  if (auto* threshold = thresholds_.find(c.text(1))) {
    switch (index_of({"observe", "adjust", "begin-run"}, event)) {
      case 0: return threshold->observe_task(c.text(3), c.number(4));
      case 1: return threshold->adjust_policy(c.number(3), c.number(4));
      default: return threshold->begin_run();
    }
  }
  auto& controller = controllers_[c.text(1)];
  if (event == "observe") return controller.observe_task(c.text(3), c.number(4));
  const double now = c.number(3);
  switch (index_of({"begin-run", "resume", "begin", "commit", "abort", "failure", "recovery", "clean-exit", "preemption"}, event)) {
    case 0: return controller.begin_run(now);
    case 1: return controller.resume(now);
    case 2: return controller.begin(now);
    case 3: return controller.commit(now, c.number(4), c.number(5));
    case 4: return controller.abort(now);
    case 5: return controller.record_failure(now);
    case 6: return controller.record_recovery(now, c.number(4), c.number(5));
    case 7: return controller.record_clean_exit(now);
    default: return controller.notify_preemption(now, c.number(4));
  }
}

}  // namespace conformance
