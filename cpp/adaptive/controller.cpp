#include "adaptive/controller.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "adaptive/bounds.h"
#include "adaptive/intervals.h"
#include "base/error.h"

namespace ckpt::adaptive {
namespace {

using base::fail;
using base::require;
using base::Status;

// Used until a save was measured.
constexpr double assumed_cost_seconds = 60;

void require_positive_or_zero(std::string_view argument, double value) {
  require(value >= 0 && !std::isnan(value), argument, " is ", value, "; expected at least 0");
}

void check(const ControllerOptions& options) {
  const auto policy = static_cast<std::int32_t>(options.policy);
  require(policy >= 0 && policy <= static_cast<std::int32_t>(Policy::fixed), "policy is ", policy, "; expected 0 .. ",
          static_cast<std::int32_t>(Policy::fixed));
  require_seconds("mtbf_seconds", options.mtbf_seconds);
  require_seconds("interval_seconds", options.interval_seconds);
  require_seconds("initial_cost_seconds", options.initial_cost_seconds);
  require_seconds("first_seconds", options.first_seconds);
  require_seconds("poll_seconds", options.poll_seconds);
  require_seconds("min_interval_seconds", options.min_interval_seconds);
  require(options.keep > 0 && options.keep <= 1, "keep is ", options.keep, "; expected above 0, at most 1");
  require_positive_or_zero("max_interval_seconds", options.max_interval_seconds);
  require(options.min_interval_seconds <= options.max_interval_seconds, "min_interval_seconds is ", options.min_interval_seconds,
          "; expected at most max_interval_seconds ", options.max_interval_seconds);
  require(options.max_overhead_share > 0 && options.max_overhead_share <= 1, "max_overhead_share is ", options.max_overhead_share,
          "; expected above 0, at most 1");
  require(options.budget_saves >= 0, "budget_saves is ", options.budget_saves, "; expected at least 0");
  require(options.budget_window_seconds > 0, "budget_window_seconds is ", options.budget_window_seconds,
          "; expected a number above 0");
  const bool needs_mtbf = options.policy == Policy::young || options.policy == Policy::daly;
  require(!needs_mtbf || options.mtbf_seconds > 0, "mtbf_seconds is ", options.mtbf_seconds,
          "; expected a number above 0 for young and daly");
  require(options.policy != Policy::fixed || options.interval_seconds > 0, "interval_seconds is ", options.interval_seconds,
          "; expected a number above 0 for fixed");
}

}  // namespace

double Controller::Recent::mean() const {
  const auto size = std::min<std::int64_t>(count, measured_saves);
  double sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += values[static_cast<std::size_t>(i)];
  return size == 0 ? 0 : bounded(sum) / static_cast<double>(size);
}

Controller::Controller(const ControllerOptions& options) : options_(options), memory_(1, options.threshold_options) {
  check(options);
  memory_.forecast = Forecast(options.keep, options.weighs_experts);
}

// ---- Inputs of the next decision ----

double Controller::cost() const {
  if (memory_.stalls.count > 0) return memory_.stalls.mean();
  return options_.initial_cost_seconds > 0 ? options_.initial_cost_seconds : assumed_cost_seconds;
}

double Controller::poll() const { return options_.poll_seconds > 0 ? options_.poll_seconds : memory_.task_seconds; }

void Controller::plan_next() {
  const double age = memory_.saved_at - memory_.gap_begin;
  const double now_cost = cost();
  double hazard = memory_.forecast.hazard(options_.policy, age);
  switch (options_.policy) {
    case Policy::fixed: interval_ = options_.interval_seconds; break;
    case Policy::young: interval_ = young_interval(now_cost, options_.mtbf_seconds); break;
    case Policy::daly: interval_ = daly_interval(now_cost, options_.mtbf_seconds); break;
    case Policy::threshold: interval_ = 0; break;
    default: interval_ = memory_.forecast.interval(options_.policy, now_cost, age);
  }
  if (options_.policy == Policy::young || options_.policy == Policy::daly) hazard = bounded_rate(1 / options_.mtbf_seconds);
  if (options_.policy != Policy::fixed && memory_.stalls.count == 0 && options_.initial_cost_seconds == 0) {
    interval_ = std::min(interval_, options_.first_seconds);
  }
  const double share = options_.max_overhead_share;
  interval_ = std::clamp(interval_, options_.min_interval_seconds, options_.max_interval_seconds);
  interval_ = bounded(std::max(interval_, now_cost * (1 - share) / share));
  due_ = bounded(memory_.saved_at + interval_);
  risk_ = -std::expm1(-hazard * interval_);
  if (options_.policy == Policy::threshold) interval_ = due_ = 0;
}

// ---- Decisions ----

Decision Controller::decide_locked(double now) const {
  require_seconds("now_seconds", now);
  if (!memory_.running) fail(Status::invalid_state, "no run is active: begin one or resume");
  require(now >= memory_.last_seen, "now_seconds is ", now, "; expected at least ", memory_.last_seen, ", the previous time");
  Decision decision;
  decision.policy = options_.policy;
  decision.interval_seconds = interval_;
  decision.risk = risk_;
  decision.cost_seconds = cost();
  decision.since_last_seconds = std::max(0.0, now - memory_.saved_at);
  decision.due_seconds = due_;
  const auto answer = [&](bool checkpoint, Reason reason) {
    decision.checkpoint = checkpoint;
    decision.reason = reason;
    return decision;
  };

  if (memory_.in_flight) return answer(false, Reason::save_in_flight);
  if (memory_.noticed) {
    if (memory_.notice_saved) return answer(false, Reason::preemption_saved);
    const double needed = memory_.durables.mean();
    return now + needed <= memory_.deadline ? answer(true, Reason::preemption) : answer(false, Reason::preemption_short);
  }
  const bool same_window = now - memory_.window_begin < options_.budget_window_seconds;
  const std::int64_t window_saves = same_window ? memory_.window_saves : 0;
  if (window_saves >= options_.budget_saves) return answer(false, Reason::budget_is_spent);
  if (options_.policy == Policy::threshold) {
    const bool wants = memory_.threshold.history_size() > 0 && memory_.threshold.wants(memory_.last_task_seconds);
    return answer(wants, wants ? Reason::task_is_long : Reason::task_is_short);
  }
  // Chooses the poll nearest to the target, not the first one after it.
  if (now + poll() / 2 < due_) return answer(false, Reason::not_due);
  const bool to_learn = memory_.stalls.count == 0 && options_.initial_cost_seconds == 0 && options_.policy != Policy::fixed;
  return answer(true, to_learn ? Reason::first_save : Reason::due);
}

Decision Controller::decide(double now) const {
  const std::lock_guard lock(mutex_);
  return decide_locked(now);
}

// ---- Events ----

void Controller::see(double now, bool needs_run) {
  require_seconds("now_seconds", now);
  if (needs_run && !memory_.running) fail(Status::invalid_state, "no run is active: begin one or resume");
  require(now >= memory_.last_seen, "now_seconds is ", now, "; expected at least ", memory_.last_seen, ", the previous time");
}

void Controller::start(double now) {
  memory_.running = true;
  memory_.in_flight = memory_.noticed = memory_.notice_saved = false;
  memory_.last_seen = memory_.gap_begin = memory_.saved_at = memory_.window_begin = now;
  memory_.work_age = 0;
  memory_.window_saves = 0;
  memory_.stall_saves.fill(0);
  memory_.asks_ranks = false;
  memory_.threshold.begin_run();
  plan_next();
}

void Controller::begin_run(double now) {
  const std::lock_guard lock(mutex_);
  require_seconds("now_seconds", now);
  if (memory_.running) fail(Status::invalid_state, "a run is active: end it or record its failure first");
  start(now);
}

void Controller::resume(double now) {
  const std::lock_guard lock(mutex_);
  require_seconds("now_seconds", now);
  if (memory_.running) {
    const double unseen = std::max(0.0, now - memory_.last_seen);
    const double lived = bounded(memory_.last_seen - memory_.gap_begin + std::min(unseen, interval_ / 2));
    memory_.threshold.mark_failed();
    memory_.forecast.add({lived, true}, cost(), memory_.work_age);
  }
  start(now);
}

void Controller::begin_locked(double now) {
  see(now);
  if (memory_.in_flight) fail(Status::invalid_state, "a save is in flight: commit or abort it first");
  memory_.in_flight = true;
  memory_.last_seen = memory_.begun_at = now;
  ++saves_begun_;
}

void Controller::commit_locked(double now, const SaveCost& cost) {
  memory_.in_flight = false;
  memory_.last_seen = now;
  memory_.stall_saves[memory_.stalls.next()] = save_number();
  memory_.asks_ranks = true;
  memory_.stalls.add(cost.stall);
  memory_.durables.add(cost.durable);
  memory_.saved_at = std::min(now, memory_.begun_at + cost.stall);
  memory_.unjudged_overhead = bounded(memory_.unjudged_overhead + cost.stall);
  memory_.notice_saved = memory_.noticed;
  if (now - memory_.window_begin >= options_.budget_window_seconds) {
    const double windows = std::floor((now - memory_.window_begin) / options_.budget_window_seconds);
    memory_.window_begin = std::min(now, memory_.window_begin + windows * options_.budget_window_seconds);
    memory_.window_saves = 0;
  }
  ++memory_.window_saves;
  if (options_.policy == Policy::threshold) memory_.threshold.consume();
  plan_next();
}

void Controller::begin_save(double now) {
  const std::lock_guard lock(mutex_);
  begin_locked(now);
}

void Controller::commit_save(double now, double stall, double durable) {
  const std::lock_guard lock(mutex_);
  see(now);
  require_seconds("stall_seconds", stall);
  require_seconds("durable_seconds", durable);
  if (!memory_.in_flight) fail(Status::invalid_state, "commit without begin: no save is in flight");
  commit_locked(now, {stall, durable});
}

std::int64_t Controller::begin_background_save(double now) {
  const std::lock_guard lock(mutex_);
  begin_locked(now);
  return saves_begun_;
}

void Controller::end_background_save(std::int64_t number, const std::optional<SaveCost>& committed) {
  const std::lock_guard lock(mutex_);
  if (!memory_.running || !memory_.in_flight || number != saves_begun_) return;
  if (committed) {
    commit_locked(memory_.last_seen, *committed);
  } else {
    memory_.in_flight = false;
  }
}

void Controller::abort_save(double now) {
  const std::lock_guard lock(mutex_);
  see(now);
  if (!memory_.in_flight) fail(Status::invalid_state, "abort without begin: no save is in flight");
  memory_.in_flight = false;
  memory_.last_seen = now;
}

void Controller::observe_task(std::string_view name, double seconds) {
  const std::lock_guard lock(mutex_);
  memory_.threshold.observe_task(name, seconds);
  memory_.last_task_seconds = seconds;
  // An exponential moving average over about eight tasks.
  memory_.task_seconds = memory_.task_seconds == 0 ? seconds : memory_.task_seconds + (seconds - memory_.task_seconds) / 8;
}

void Controller::record_failure(double now) {
  const std::lock_guard lock(mutex_);
  see(now);
  memory_.threshold.mark_failed();
  memory_.forecast.add({now - memory_.gap_begin, true}, cost(), memory_.work_age);
  memory_.in_flight = memory_.noticed = memory_.notice_saved = false;
  memory_.last_seen = memory_.gap_begin = memory_.saved_at = now;
  memory_.work_age = 0;
  plan_next();
}

void Controller::record_recovery(double now, double saved_seconds, double overhead) {
  const std::lock_guard lock(mutex_);
  see(now);
  memory_.threshold.adjust_policy(saved_seconds, overhead);
  memory_.unjudged_overhead = std::max(0.0, memory_.unjudged_overhead - overhead);
  memory_.last_seen = memory_.saved_at = now;
  memory_.work_age = now - memory_.gap_begin;
  plan_next();
}

void Controller::record_clean_exit(double now) {
  const std::lock_guard lock(mutex_);
  see(now);
  memory_.forecast.add({now - memory_.gap_begin, false}, cost(), memory_.work_age);
  if (memory_.unjudged_overhead > 0) memory_.threshold.adjust_policy(0, memory_.unjudged_overhead);
  memory_.unjudged_overhead = 0;
  memory_.running = memory_.in_flight = memory_.noticed = memory_.notice_saved = false;
  memory_.last_seen = now;
}

void Controller::preemption_notice(double now, double left_seconds) {
  const std::lock_guard lock(mutex_);
  see(now);
  require_seconds("left_seconds", left_seconds);
  memory_.noticed = true;
  memory_.notice_saved = false;
  memory_.deadline = bounded(now + left_seconds);
  memory_.last_seen = now;
}

// ---- State ----

ControllerInfo Controller::info() const {
  const std::lock_guard lock(mutex_);
  const double hazard = memory_.forecast.hazard(options_.policy, memory_.last_seen - memory_.gap_begin);
  return {memory_.running,
          memory_.in_flight,
          memory_.forecast.failures(),
          memory_.stalls.count,
          memory_.stalls.mean(),
          memory_.durables.mean(),
          memory_.unjudged_overhead,
          memory_.last_seen,
          1 / hazard,
          memory_.threshold.threshold(),
          memory_.threshold.used(),
          memory_.forecast.weights()};
}

std::vector<Threshold::Task> Controller::tasks() const {
  const std::lock_guard lock(mutex_);
  return memory_.threshold.all_tasks();
}

}  // namespace ckpt::adaptive
