#include "state/retention.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <span>

#include "base/error.h"
#include "base/form.h"
#include "base/log.h"
#include "base/values.h"
#include "state/caught.h"
#include "state/known_bad.h"
#include "state/pin.h"

namespace ckpt::state {

// ---- Rules ----

namespace {

void keep_first(const std::vector<const Found*>& found, std::int64_t count, std::set<std::string>& kept) {
  for (std::int64_t i = 0; i < std::min<std::int64_t>(count, std::ssize(found)); ++i)
    kept.insert(found[static_cast<std::size_t>(i)]->name);
}

}  // namespace

KeepRule keep_last(std::int64_t count) {
  return [count](const Survey& survey, std::set<std::string>& kept) { keep_first(survey.good, count, kept); };
}

KeepRule keep_every(std::int64_t steps) {
  return [steps](const Survey& survey, std::set<std::string>& kept) {
    std::set<std::int64_t> seen;
    for (const Found* const found : survey.good) {
      if (found->step % steps == 0 && seen.insert(found->step).second) kept.insert(found->name);
    }
  };
}

KeepRule keep_best(std::int64_t count, bool larger_is_better) {
  return [=](const Survey& survey, std::set<std::string>& kept) {
    std::vector<const Found*> measured;
    std::ranges::copy_if(survey.good, std::back_inserter(measured), [](const Found* found) { return found->metric.has_value(); });
    std::ranges::stable_sort(measured, [&](const Found* a, const Found* b) {
      if (a->abandoned != b->abandoned) return b->abandoned;
      return larger_is_better ? *a->metric > *b->metric : *a->metric < *b->metric;
    });
    keep_first(measured, count, kept);
  };
}

namespace {

// Each warning is logged once per rule.
struct ClockWarnings {
  std::atomic<bool> of_step{false};
  std::atomic<bool> of_future{false};
};

std::int64_t age_ns(const Found& found, const AgeTime& now, ClockWarnings& warned) {
  std::int64_t age = now.utc_ns - found.saved_utc_ns;
  if (now.step.by_ns > 0 && found.saved_utc_ns < now.step.before_utc_ns) {
    age -= now.step.by_ns;
    if (!warned.of_step.exchange(true)) {
      base::warn("state",
                 base::cat("the clock was set ahead by ", now.step.by_ns / 1'000'000'000,
                           " s since this writer opened: the rule 'newer' subtracts this from the age of earlier checkpoints"));
    }
  }
  if (age < -clock_tolerance_ns && now.step.by_ns == 0 && !warned.of_future.exchange(true)) {
    base::warn("state", base::cat("by the clock, ", base::quote(found.name), " was saved ", -age / 1'000'000'000,
                                  " s in the future: the rule 'newer' keeps it until that time plus the age of the rule"));
  }
  return age;
}

}  // namespace

KeepRule keep_newer(std::int64_t seconds) {
  return [seconds, warns = std::make_shared<ClockWarnings>()](const Survey& survey, std::set<std::string>& kept) {
    for (const Found* const found : survey.good) {
      const bool is_known = found->saved_utc_ns > 0;
      if (!is_known || age_ns(*found, survey.now, *warns) / 1'000'000'000 < seconds) kept.insert(found->name);
    }
  };
}

namespace {

using base::cat;
using base::Status;
using Unit = base::FormParameter::Unit;
using Values = std::span<const base::FormValue>;

bool is_larger_better(std::string_view order, bool otherwise) {
  base::require(order.empty() || order == "min" || order == "max", "order is ", base::quote(order), "; expected min or max");
  return order.empty() ? otherwise : order == "max";
}

struct RuleForm {
  base::Form form;
  KeepRule (*make)(Values values, bool larger_is_better);
};

constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max();
constexpr RuleForm rule_forms[] = {
    {{"last", "the newest checkpoints", {{"count", Unit::count, 1, any_number}}, ':'},
     [](Values values, bool) { return keep_last(values[0].whole); }},
    {{"every", "checkpoints with a step that is a multiple", {{"steps", Unit::count, 1, any_number}}, ':'},
     [](Values values, bool) { return keep_every(values[0].whole); }},
    {{"best", "checkpoints with the best metric", {{"count", Unit::count, 1, any_number}, {"order", Unit::word, 0, 0, ""}}, ':'},
     [](Values values, bool larger) { return keep_best(values[0].whole, is_larger_better(values[1].word, larger)); }},
    {{"newer", "checkpoints younger than this", {{"age", Unit::word}}, ':'},
     [](Values values, bool) { return keep_newer(base::seconds_of("age", values[0].word)); }},
};

KeepRule rule_of(std::string_view text, std::size_t number, bool larger_is_better) {
  try {
    const RuleForm& rule = base::form_named<RuleForm>(rule_forms, "rule", text);
    return rule.make(base::form_values(rule.form, "rule", text), larger_is_better);
  } catch (const base::Error& error) {
    base::fail(Status::invalid_argument, "rule ", number, ", ", base::quote(text), ": ", error.message());
  }
}

}  // namespace

std::vector<KeepRule> parse_keep_rules(std::string_view text, bool larger_is_better) {
  return base::reading_form("keep_rules", text, [&] {
    std::vector<KeepRule> rules;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      begin = std::min(text.find_first_not_of(' ', begin), end);
      rules.push_back(rule_of(text.substr(begin, end - begin), rules.size() + 1, larger_is_better));
      begin = end + 1;
    }
    return rules;
  });
}

// ---- Removal ----

namespace {

// Returns those with a valid manifest but damaged files: this process has read them, or their sizes differ.
std::set<std::string> bad_among(const storage::Storage& storage, const std::vector<Found>& all) {
  std::set<std::string> bad;
  for (const Found& found : all) {
    if (found.parsed && (found.condition == Condition::damaged || is_known_bad(storage, found.name))) bad.insert(found.name);
  }
  return bad;
}

// Keeps those of the highest sequence. After a race of writers on an object store there can be several, of which at most one was
// acknowledged.
void keep_highest_sequence(const Survey& survey, std::set<std::string>& kept) {
  std::int64_t highest = 0;
  for (const Found* const found : survey.good) highest = std::max(highest, found->commit_sequence);
  for (const Found* const found : survey.good) {
    if (found->commit_sequence == highest) kept.insert(found->name);
  }
}

// Keeps the checkpoints from which the line left a generation, while the rules keep abandoned ones of that generation.
void keep_parents(const Survey& survey, std::set<std::string>& kept) {
  std::set<std::int64_t> generations;  // with abandoned checkpoints that are kept
  for (const Found* const found : survey.good) {
    if (found->abandoned && kept.contains(found->name)) generations.insert(found->generation);
  }
  for (const Found* const found : survey.good) {
    if (!found->abandoned && generations.erase(found->generation) > 0) kept.insert(found->name);
  }
}

std::set<std::string> kept_by(Protocol& protocol, const Retention& retention, const Survey& survey, const std::string& saved) {
  std::set<std::string> kept;
  if (!survey.good.empty()) kept.insert(survey.good.front()->name);
  for (const KeepRule& rule : retention.rules) rule(survey, kept);
  keep_highest_sequence(survey, kept);
  for (const Found* const found : survey.good) {
    if (found->name == saved || !protocol.may_remove(found->name)) kept.insert(found->name);
    if (!retention.keep || kept.contains(found->name)) continue;
    Found asked = *found;
    protocol.note_pins({&asked, 1});
    if (retention.keep(asked)) kept.insert(found->name);
  }
  keep_parents(survey, kept);
  return kept;
}

void require_saved(const std::vector<Found>& all, const std::string& saved) {
  const auto is_saved = [&](const Found& found) { return found.name == saved && found.condition == Condition::complete; };
  if (std::ranges::none_of(all, is_saved)) base::fail(Status::io, "the storage does not list ", base::quote(saved));
}

}  // namespace

std::vector<Found> superseded(Protocol& protocol, const Retention& retention, const std::vector<Found>& all,
                              const std::string& saved, const AgeTime& now) {
  if (retention.keeps_all()) return {};
  std::set<std::string> bad = bad_among(protocol.storage(), all);
  bad.erase(saved);
  Survey survey{{}, now};
  for (const Found& found : all) {
    if (found.condition == Condition::complete && !bad.contains(found.name)) survey.good.push_back(&found);
  }
  const std::set<std::string> kept = kept_by(protocol, retention, survey, saved);
  std::vector<Found> out;
  auto left = kept.size();  // number of kept checkpoints not newer than the next one
  for (const Found& found : all) {
    if (kept.contains(found.name)) {
      --left;
    } else if (bad.contains(found.name) ? left == 0 : found.condition == Condition::complete) {
      if (!is_pinned(protocol.storage(), found.name)) out.push_back(found);
    }
  }
  return out;
}

std::vector<Found> abandoned_ones(Protocol& protocol, const std::vector<Found>& all,
                                  const std::function<bool(const Found& found)>& is_valid) {
  std::vector<Found> out;
  for (const Found& found : all) {
    if (found.abandoned && found.parsed && !is_pinned(protocol.storage(), found.name)) out.push_back(found);
  }
  if (out.empty()) return out;  // without a verification, which reads a whole checkpoint
  const auto newest = std::ranges::find_if(all, is_valid);
  if (newest != all.end()) std::erase_if(out, [&](const Found& found) { return found.name == newest->name; });
  return out;
}

bool remove_in_order(std::vector<Found> found, const std::function<bool(const Found& found)>& remove) {
  std::stable_partition(found.begin(), found.end(), [](const Found& each) { return each.abandoned; });
  bool clean = true;
  bool has_abandoned = false;  // an abandoned one could not be removed
  for (const Found& each : found) {
    if (has_abandoned && !each.abandoned) break;
    if (remove(each)) continue;
    clean = false;
    has_abandoned |= each.abandoned;
  }
  return clean;
}

// A listing without the acknowledged checkpoint must not lead to removals.
void retain(Protocol& protocol, const Retention& retention, const std::string& saved, std::int64_t saved_step,
            const AgeTime& now) noexcept {
  log_error_of(
      [&] {
        const std::vector<Found> all = protocol.list_to_retain();
        require_saved(all, saved);
        remove_in_order(superseded(protocol, retention, all, saved, now), [&](const Found& found) {
          std::optional<base::Error> reason;
          if (protocol.is_pinned_by_now(found.name) || protocol.remove(found, &reason)) return true;
          base::warn("state", cat("cannot remove all files of the old checkpoint ", base::quote(found.name), after_colon(reason),
                                  "; later saves retry"));
          return false;
        });
        protocol.remove_unfinished(all, saved_step);
      },
      "cannot remove old checkpoints: ");
}

}  // namespace ckpt::state
