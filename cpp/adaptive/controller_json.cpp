// The JSON form of what a controller knows. Numbers are written so that they read back to the same bits.
#include <algorithm>
#include <cmath>
#include <mutex>

#include "adaptive/bounds.h"
#include "adaptive/controller.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/json_tree.h"
#include "base/text.h"

namespace ckpt::adaptive {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* format_name = "ckpt-adaptive-controller";
constexpr std::int64_t most_counted = std::int64_t{1} << 62;

[[noreturn]] void refuse(const std::string& what) {
  base::fail(base::Status::corrupt, "the controller's JSON is not usable: ", what);
}

// ---- Writing ----

ordered_json to_json_value(const GammaRate& rate) { return {rate.failures(), rate.seconds()}; }

ordered_json to_json_value(const WeibullRate& rate) {
  ordered_json value = {{"before", to_json_value(rate.before())}};
  if (const auto fitted = rate.fitted()) value["fitted"] = {fitted->shape, fitted->scale};
  return value;
}

ordered_json to_json_value(const AgeBuckets& ages) {
  return {{"failures", ages.failures()}, {"seconds", ages.exposed_seconds()}, {"overall", to_json_value(ages.overall())}};
}

ordered_json to_json_value(Forecast& forecast) {
  const Forecast::Parts parts = forecast.parts();
  ordered_json value = {{"failures", parts.failures},
                        {"untroubled_seconds", parts.untroubled_seconds},
                        {"posterior", to_json_value(parts.posterior)},
                        {"weibull", to_json_value(parts.weibull)},
                        {"weights", parts.hedge.weights()},
                        {"mixability_gap", parts.hedge.mixability_gap()}};
  for (const GammaRate& rate : parts.rates) value["rates"].push_back(to_json_value(rate));
  for (const WeibullRate& rate : parts.weibulls) value["weibulls"].push_back(to_json_value(rate));
  for (const AgeBuckets& ages : parts.ages) value["ages"].push_back(to_json_value(ages));
  value["gaps"] = ordered_json::array();
  for (std::size_t i = 0; i < parts.window.size(); ++i) {
    const Gap gap = parts.window.at(i);
    value["gaps"].push_back(gap.failed ? gap.seconds : -gap.seconds);
  }
  return value;
}

ordered_json to_json_value(const Threshold& threshold) {
  ordered_json tasks = ordered_json::array();
  for (std::int64_t i = 0; i < threshold.history_size(); ++i) {
    const Threshold::Task& task = threshold.history(i);
    tasks.push_back({task.name.data(), task.duration_seconds, task.checkpointed, task.failed});
  }
  return {{"threshold", threshold.threshold()},
          {"longest_seconds", threshold.longest_seconds()},
          {"used", threshold.used()},
          {"tasks", std::move(tasks)}};
}

// ---- Reading ----

const json& member(const json& object, const char* key) {
  if (!object.is_object()) refuse(base::cat("no object where '", key, "' should be"));
  const auto found = object.find(key);
  if (found == object.end()) refuse(base::cat("no '", key, "'"));
  return *found;
}

double number(const json& value, const char* key, double least = 0) {
  if (!value.is_number()) refuse(base::cat(key, " is no number"));
  const double number = value.get<double>();
  if (!std::isfinite(number) || number < least) refuse(base::cat(key, " is ", number));
  return number;
}

double positive(const json& value, const char* key) {
  const double result = number(value, key);
  if (result <= 0) refuse(base::cat(key, " is ", result));
  return result;
}

double number_at(const json& object, const char* key) { return number(member(object, key), key); }

bool flag_at(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_boolean()) refuse(base::cat(key, " is not true or false"));
  return value.get<bool>();
}

std::int64_t count_at(const json& object, const char* key) {
  const json& value = member(object, key);
  // A number above INT64_MAX is unsigned, and negative as an int64_t. What was counted is far below: there is room to count on.
  const std::int64_t count = value.is_number_integer() ? value.get<std::int64_t>() : -1;
  if (count < 0 || count > most_counted) refuse(base::cat(key, " is no count"));
  return count;
}

const json& array_at(const json& object, const char* key, std::size_t size) {
  const json& value = member(object, key);
  if (!value.is_array() || value.size() != size) refuse(base::cat(key, " is no list of ", size));
  return value;
}

template <std::size_t size>
std::array<double, size> numbers_at(const json& object, const char* key) {
  const json& list = array_at(object, key, size);
  std::array<double, size> result{};
  for (std::size_t i = 0; i < size; ++i) result[i] = number(list[i], key);
  return result;
}

void read(const json& value, const char* key, GammaRate& rate) {
  if (!value.is_array() || value.size() != 2) refuse(base::cat(key, " is no pair"));
  rate.restore(positive(value[0], key), positive(value[1], key));
}

void read(const json& value, const char* key, WeibullRate& rate) {
  GammaRate before;
  before = rate.before();
  read(member(value, "before"), key, before);
  std::optional<Weibull> fitted;
  if (value.contains("fitted")) {
    const json& pair = array_at(value, "fitted", 2);
    fitted = Weibull{positive(pair[0], "shape"), positive(pair[1], "scale")};
  }
  rate.restore(before, fitted);
}

void read(const json& value, const char* key, AgeBuckets& ages) {
  GammaRate overall = ages.overall();
  read(member(value, "overall"), key, overall);
  ages.restore(numbers_at<AgeBuckets::count>(value, "failures"), numbers_at<AgeBuckets::count>(value, "seconds"), overall);
}

template <class Models>
void read_all(const json& object, const char* key, Models& models) {
  const json& list = array_at(object, key, models.size());
  for (std::size_t i = 0; i < models.size(); ++i) read(list[i], key, models[i]);
}

void read(const json& value, Forecast& forecast) {
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
  const json& gaps = member(value, "gaps");
  if (!gaps.is_array() || gaps.size() > GapWindow::capacity) refuse("gaps is no list, or too long");
  for (const json& gap : gaps) {
    const double seconds = number(gap, "gaps", -most_seconds);
    parts.window.add({std::abs(seconds), seconds > 0});
  }
}

void read(const json& value, Threshold& threshold) {
  const double level = number_at(value, "threshold");
  if (level < 0.05 || level > 1) refuse(base::cat("threshold is ", level));
  threshold.restore(level, number_at(value, "longest_seconds"), count_at(value, "used"));
  const json& tasks = member(value, "tasks");
  if (!tasks.is_array() || tasks.size() > Threshold::history_capacity) refuse("tasks is no list, or too long");
  for (const json& entry : tasks) {
    if (!entry.is_array() || entry.size() != 4 || !entry[0].is_string() || !entry[2].is_boolean() || !entry[3].is_boolean())
      refuse("a task is not [name, seconds, checkpointed, failed]");
    const auto name = entry[0].get<std::string>();
    if (name.size() > Threshold::longest_name || base::is_blank(name) || name.find('\0') != std::string::npos)
      refuse("a task's name is blank or too long");
    Threshold::Task task;
    std::copy(name.begin(), name.end(), task.name.begin());
    task.duration_seconds = number(entry[1], "seconds of a task");
    task.checkpointed = entry[2].get<bool>();
    task.failed = entry[3].get<bool>();
    threshold.remember(task);
  }
}

}  // namespace

std::string Controller::to_json() const {
  const std::lock_guard lock(mutex_);
  Forecast forecast = memory_.forecast;
  const Memory& m = memory_;
  const ordered_json value = {{"format", format_name},
                              {"version", format_version},
                              {"running", m.running},
                              {"save_in_flight", m.in_flight},
                              {"noticed", m.noticed},
                              {"notice_saved", m.notice_saved},
                              {"last_seen_seconds", m.last_seen},
                              {"gap_begin_seconds", m.gap_begin},
                              {"work_age_seconds", m.work_age},
                              {"saved_at_seconds", m.saved_at},
                              {"begun_at_seconds", m.begun_at},
                              {"deadline_seconds", m.deadline},
                              {"window_begin_seconds", m.window_begin},
                              {"window_saves", m.window_saves},
                              {"unjudged_overhead_seconds", m.unjudged_overhead},
                              {"task_seconds", m.task_seconds},
                              {"last_task_seconds", m.last_task_seconds},
                              {"saves", m.stalls.count},
                              {"stall_seconds", m.stalls.values},
                              {"durable_seconds", m.durables.values},
                              {"threshold", to_json_value(m.threshold)},
                              {"forecast", to_json_value(forecast)}};
  return value.dump();
}

void Controller::from_json(std::string_view text) {
  if (const std::string problem = base::json_problem(text, base::deepest_json); !problem.empty()) refuse(problem);
  const json value = base::json_tree<json>(text);
  if (!value.is_object() || member(value, "format") != format_name) refuse(base::cat("its format is not '", format_name, "'"));
  const std::int64_t version = count_at(value, "version");
  if (version > format_version)
    base::fail(base::Status::unsupported, "the controller's JSON has version ", version, "; this library reads ", format_version);
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
  if (m.gap_begin > m.last_seen || m.saved_at > m.last_seen || m.saved_at < m.gap_begin) refuse("its times are out of order");
  read(member(value, "threshold"), m.threshold);
  read(member(value, "forecast"), m.forecast);

  const std::lock_guard lock(mutex_);
  memory_ = m;
  plan_next();
}

}  // namespace ckpt::adaptive
