// The JSON form of a controller's state. Numbers read back to the same bits.
#include <algorithm>
#include <cmath>
#include <mutex>

#include "adaptive/bounds.h"
#include "adaptive/controller.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/json_tree.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace ckpt::adaptive {
namespace {

using base::Json;
using base::JsonWriter;

constexpr const char* format_name = "ckpt-adaptive-controller";
constexpr std::int64_t max_counted = std::int64_t{1} << 62;

[[noreturn]] void refuse(const std::string& what) {
  base::fail(base::Status::corrupt, "the controller's JSON is not usable: ", what);
}

// ---- Writing ----

void write(JsonWriter& out, const GammaRate& rate) { out.list(rate.failures(), rate.seconds()); }

void write(JsonWriter& out, const WeibullRate& rate) {
  out.begin_object().key("before");
  write(out, rate.before());
  if (const auto fitted = rate.fitted()) out.key("fitted").list(fitted->shape, fitted->scale);
  out.end_object();
}

void write(JsonWriter& out, const AgeBuckets& ages) {
  out.begin_object().member("failures", ages.failures()).member("seconds", ages.exposed_seconds()).key("overall");
  write(out, ages.overall());
  out.end_object();
}

template <class Models>
void write_all(JsonWriter& out, const char* key, const Models& models) {
  out.key(key).begin_list();
  for (const auto& model : models) write(out, model);
  out.end_list();
}

void write(JsonWriter& out, Forecast& forecast) {
  const Forecast::Parts parts = forecast.parts();
  out.begin_object().member("failures", parts.failures).member("untroubled_seconds", parts.untroubled_seconds);
  out.key("posterior");
  write(out, parts.posterior);
  out.key("weibull");
  write(out, parts.weibull);
  out.member("weights", parts.hedge.weights()).member("mixability_gap", parts.hedge.mixability_gap());
  write_all(out, "rates", parts.rates);
  write_all(out, "weibulls", parts.weibulls);
  write_all(out, "ages", parts.ages);
  out.key("gaps").begin_list();
  for (std::size_t i = 0; i < parts.window.size(); ++i) {
    const Gap gap = parts.window.at(i);
    out.value(gap.failed ? gap.seconds : -gap.seconds);
  }
  out.end_list().end_object();
}

void write(JsonWriter& out, const Threshold& threshold) {
  out.begin_object().member("threshold", threshold.threshold()).member("longest_seconds", threshold.longest_seconds());
  out.member("used", threshold.used()).key("tasks").begin_list();
  for (std::int64_t i = 0; i < threshold.history_size(); ++i) {
    const Threshold::Task& task = threshold.history(i);
    out.list(task.name.data(), task.duration_seconds, task.checkpointed, task.failed);
  }
  out.end_list().end_object();
}

// ---- Reading ----

const Json& member(const Json& object, const char* key) {
  if (!object.is_object()) refuse(base::cat("expected an object with '", key, "'"));
  const Json* const found = object.find(key);
  if (found == nullptr) refuse(base::cat("'", key, "' is missing"));
  return *found;
}

double number(const Json& value, const char* key, double min = 0) {
  if (!value.is_number()) refuse(base::cat(key, ": expected a number"));
  const double number = value.number();
  if (!std::isfinite(number) || number < min) refuse(base::cat(key, " is ", number));
  return number;
}

double positive(const Json& value, const char* key) {
  const double result = number(value, key);
  if (result <= 0) refuse(base::cat(key, " is ", result));
  return result;
}

double number_at(const Json& object, const char* key) { return number(member(object, key), key); }

bool flag_at(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_boolean()) refuse(base::cat(key, ": expected true or false"));
  return value.boolean();
}

std::int64_t count_at(const Json& object, const char* key) {
  const Json& value = member(object, key);
  // A number above INT64_MAX is unsigned, and negative as an int64_t. The limit is far below that, so that counters can be
  // incremented.
  const std::int64_t count = value.is_integer() ? value.integer() : -1;
  if (count < 0 || count > max_counted) refuse(base::cat(key, ": expected a count"));
  return count;
}

const Json::List& array_at(const Json& object, const char* key, std::size_t size) {
  const Json& value = member(object, key);
  if (!value.is_list() || value.items().size() != size) refuse(base::cat(key, ": expected a list of ", size));
  return value.items();
}

template <std::size_t size>
std::array<double, size> numbers_at(const Json& object, const char* key) {
  const Json::List& list = array_at(object, key, size);
  std::array<double, size> result{};
  for (std::size_t i = 0; i < size; ++i) result[i] = number(list[i], key);
  return result;
}

void read(const Json& value, const char* key, GammaRate& rate) {
  if (!value.is_list() || value.items().size() != 2) refuse(base::cat(key, ": expected a pair"));
  rate.restore(positive(value.items()[0], key), positive(value.items()[1], key));
}

void read(const Json& value, const char* key, WeibullRate& rate) {
  GammaRate before;
  before = rate.before();
  read(member(value, "before"), key, before);
  std::optional<Weibull> fitted;
  if (value.find("fitted") != nullptr) {
    const Json::List& pair = array_at(value, "fitted", 2);
    fitted = Weibull{positive(pair[0], "shape"), positive(pair[1], "scale")};
  }
  rate.restore(before, fitted);
}

void read(const Json& value, const char* key, AgeBuckets& ages) {
  GammaRate overall = ages.overall();
  read(member(value, "overall"), key, overall);
  ages.restore(numbers_at<AgeBuckets::count>(value, "failures"), numbers_at<AgeBuckets::count>(value, "seconds"), overall);
}

template <class Models>
void read_all(const Json& object, const char* key, Models& models) {
  const Json::List& list = array_at(object, key, models.size());
  for (std::size_t i = 0; i < models.size(); ++i) read(list[i], key, models[i]);
}

void read(const Json& value, Forecast& forecast) {
  const Forecast::Parts parts = forecast.parts();
  parts.failures = count_at(value, "failures");
  parts.untroubled_seconds = number_at(value, "untroubled_seconds");
  read(member(value, "posterior"), "posterior", parts.posterior);
  read(member(value, "weibull"), "weibull", parts.weibull);
  read_all(value, "rates", parts.rates);
  read_all(value, "weibulls", parts.weibulls);
  read_all(value, "ages", parts.ages);
  const auto weights = numbers_at<Hedge::experts>(value, "weights");
  double sum = 0;
  for (const double weight : weights) {
    if (weight <= 0) refuse(base::cat("a weight is ", weight));
    sum += weight;
  }
  if (std::abs(sum - 1) > 1e-6) refuse(base::cat("weights sum to ", sum));
  parts.hedge.restore(weights, number_at(value, "mixability_gap"));
  const Json& gaps = member(value, "gaps");
  if (!gaps.is_list() || gaps.items().size() > GapWindow::capacity) refuse("gaps: expected a list of limited length");
  for (const Json& gap : gaps.items()) {
    const double seconds = number(gap, "gaps", -max_seconds);
    parts.window.add({std::abs(seconds), seconds > 0});
  }
}

void read(const Json& value, Threshold& threshold) {
  const double level = number_at(value, "threshold");
  if (level < 0.05 || level > 1) refuse(base::cat("threshold is ", level));
  threshold.restore(level, number_at(value, "longest_seconds"), count_at(value, "used"));
  const Json& tasks = member(value, "tasks");
  if (!tasks.is_list() || tasks.items().size() > Threshold::history_capacity) refuse("tasks: expected a list of limited length");
  const auto is_task = [](const Json& entry) {
    if (!entry.is_list() || entry.items().size() != 4) return false;
    const Json::List& parts = entry.items();
    return parts[0].is_string() && parts[2].is_boolean() && parts[3].is_boolean();
  };
  for (const Json& item : tasks.items()) {
    if (!is_task(item)) refuse("tasks: expected entries [name, seconds, checkpointed, failed]");
    const Json::List& entry = item.items();
    const std::string& name = entry[0].string();
    if (name.size() > Threshold::longest_name || base::is_blank(name) || name.find('\0') != std::string::npos)
      refuse("tasks: a name is blank or too long");
    Threshold::Task task;
    std::copy(name.begin(), name.end(), task.name.begin());
    task.duration_seconds = number(entry[1], "seconds of a task");
    task.checkpointed = entry[2].boolean();
    task.failed = entry[3].boolean();
    threshold.remember(task);
  }
}

}  // namespace

std::string Controller::to_json() const {
  const std::lock_guard lock(mutex_);
  Forecast forecast = memory_.forecast;
  const Memory& m = memory_;
  JsonWriter out;
  out.begin_object()
      .member("format", format_name)
      .member("version", format_version)
      .member("running", m.running)
      .member("save_in_flight", m.in_flight)
      .member("noticed", m.noticed)
      .member("notice_saved", m.notice_saved)
      .member("last_seen_seconds", m.last_seen)
      .member("gap_begin_seconds", m.gap_begin)
      .member("work_age_seconds", m.work_age)
      .member("saved_at_seconds", m.saved_at)
      .member("begun_at_seconds", m.begun_at)
      .member("deadline_seconds", m.deadline)
      .member("window_begin_seconds", m.window_begin)
      .member("window_saves", m.window_saves)
      .member("unjudged_overhead_seconds", m.unjudged_overhead)
      .member("task_seconds", m.task_seconds)
      .member("last_task_seconds", m.last_task_seconds)
      .member("saves", m.stalls.count)
      .member("stall_seconds", m.stalls.values)
      .member("durable_seconds", m.durables.values)
      .key("threshold");
  write(out, m.threshold);
  out.key("forecast");
  write(out, forecast);
  return std::move(out.end_object()).text();
}

void Controller::from_json(std::string_view text) {
  if (const std::string problem = base::json_problem(text, base::deepest_json); !problem.empty()) refuse(problem);
  const Json value = base::json_tree(text);
  const Json* const format = value.find("format");
  if (format == nullptr || !format->is_string() || format->string() != format_name)
    refuse(base::cat("its format is not '", format_name, "'"));
  const std::int64_t version = count_at(value, "version");
  if (version > format_version)
    base::fail(base::Status::unsupported, "the controller's JSON has version ", version, "; expected at most ", format_version);
  if (version < 1) refuse(base::cat("version is ", version));

  Memory m(options_.keep, options_.threshold_options);
  m.running = flag_at(value, "running");
  m.in_flight = flag_at(value, "save_in_flight");
  m.noticed = flag_at(value, "noticed");
  m.notice_saved = flag_at(value, "notice_saved");
  m.last_seen = number_at(value, "last_seen_seconds");
  m.gap_begin = number_at(value, "gap_begin_seconds");
  m.work_age = number_at(value, "work_age_seconds");
  m.saved_at = number_at(value, "saved_at_seconds");
  m.begun_at = number_at(value, "begun_at_seconds");
  m.deadline = number_at(value, "deadline_seconds");
  m.window_begin = number_at(value, "window_begin_seconds");
  m.window_saves = count_at(value, "window_saves");
  m.unjudged_overhead = number_at(value, "unjudged_overhead_seconds");
  m.task_seconds = number_at(value, "task_seconds");
  m.last_task_seconds = number_at(value, "last_task_seconds");
  m.stalls.count = m.durables.count = count_at(value, "saves");
  m.stalls.values = numbers_at<measured_saves>(value, "stall_seconds");
  m.durables.values = numbers_at<measured_saves>(value, "durable_seconds");
  if (m.gap_begin > m.last_seen || m.saved_at > m.last_seen || m.saved_at < m.gap_begin) refuse("times are not in order");
  read(member(value, "threshold"), m.threshold);
  read(member(value, "forecast"), m.forecast);

  const std::lock_guard lock(mutex_);
  memory_ = m;
  plan_next();
}

}  // namespace ckpt::adaptive
