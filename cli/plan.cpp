#include "plan.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "frontier.h"
#include "model.h"
#include "output.h"
#include "plan_table.h"
#include "planner.h"
#include "plans.h"
#include "profile_file.h"
#include "report/plan_page.h"
#include "saver.h"
#include "text.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;

// The default is that of ckpt train.
std::string planner_or_default(const PlanOptions& options) { return options.planner.empty() ? default_planner : options.planner; }

// Only some planners have a frontier; chain is the one that auto usually chooses.
std::string frontier_planner(const PlanOptions& options) {
  return options.planner.empty() ? "chain" : planner_name(options.planner);
}

// ---- The chain ----

Profile profile_of(const PlanOptions& options) {
  if (!options.plans_model) return read_profile(options.profile);
  const WorkerPool pool(options.threads);
  Chain chain = make_model(options.model, 1);
  return profile_model(chain, options.model, pool);
}

json source_json(const PlanOptions& options) {
  if (options.plans_model) {
    json source = model_json(options.model);
    source["batch"] = options.model.batch;
    return source;
  }
  const json name = options.profile.substr(options.profile.rfind('/') + 1);
  return {{"profile", json::parse(name.dump(-1, ' ', false, json::error_handler_t::replace))}};  // file names need not be UTF-8
}

// Returns whether the profile describes the tier. Without a description transfers cost nothing, so a comparison would be
// misleading.
bool has_tier(const Profile& profile, std::int32_t tier) {
  const TierProfile given = profile.tier(tier);
  return given.capacity_bytes > 0 || given.write_bytes_per_second > 0 || given.read_bytes_per_second > 0 ||
         given.latency_seconds > 0;
}

// ---- Figures ----

// Adds the cost relative to storing everything.
void compare(json& cost, const json& store_all) {
  const auto share = [&](const char* key) {
    const double all = store_all.at(key).get<double>();
    return all > 0 ? cost.at(key).get<double>() / all : 0;
  };
  if (!cost.contains("forwards"))
    cost["forwards"] = store_all.at("forwards").get<std::int64_t>() + cost.at("recomputed_forwards").get<std::int64_t>();
  cost["store_all_share"] = share("reserved_bytes");
  const double seconds = share("step_seconds");
  cost["times_store_all"] = seconds > 0 ? seconds : share("forwards");
}

// Returns whether to compare a planner that the user did not name.
bool is_compared(const PlannerForm& planner, const Profile& profile) {
  constexpr std::int64_t max_layers = 4096;  // in longer chains, planners without a budget can recompute too much
  if (profile.layer_count() > max_layers && !planner.takes_bytes() && planner.name != "store-all") return false;
  return planner.name != "two-level" || has_tier(profile, 1);
}

bool is_better(const json& a, const json& b) {
  const auto key = [](const json& row) {
    return std::tuple(!row.value("fits", false), row.contains("refused"), row.value("times_store_all", 0.0),
                      row.value("reserved_bytes", std::int64_t{0}));
  };
  return key(a) < key(b);
}

RequestedBudget requested_budget(const PlanOptions& options, std::int64_t everything_bytes) {
  if (options.budget.empty()) return {};
  const Budget given = parse_budget("--budget", options.budget);
  return {"--budget", given, everything_bytes, given.bytes_of(everything_bytes)};
}

// Returns the requested schedule; cost receives its cost.
Plan choose(const PlanOptions& options, const std::shared_ptr<const Profile>& profile, const RequestedBudget& budget,
            const json& store_all, json& cost) {
  const std::string asked = planner_or_default(options);
  const auto begin = Clock::monotonic();
  const std::string planner = planner_within(asked, *profile, budget.bytes(), "--budget");
  Schedule schedule = budget.answer([&] { return Schedule::create(*profile, planner); });
  const double planning_seconds = seconds_of(Clock::monotonic() - begin);
  require_fit(schedule, *profile, budget, "--planner " + printable(planner));
  cost = cost_json(planner, schedule, *profile);
  compare(cost, store_all);
  cost["left_out"] = schedule.left_out();
  cost["planning_seconds"] = planning_seconds;
  return {profile, std::move(schedule), false};
}

// Returns every planner's result for the budget: first those that fit, then those that do not, then those that fail with an error.
json comparison_json(const Profile& profile, const RequestedBudget& budget, const json& store_all, const json& chosen) {
  std::vector<json> rows;
  bool has_chosen = false;
  const auto add = [&](const std::string& name) {
    json row = {{"planner", name}};
    try {
      const std::string text = planner_within(name, profile, budget.bytes(), "--budget");
      const bool is_chosen = text == chosen.at("planner").get<std::string>();
      if (is_chosen) {
        row = chosen;
        row["fits"] = true;  // otherwise choose() would have failed
      } else {
        const Schedule schedule = budget.answer([&] { return Schedule::create(profile, text); });
        row = cost_json(text, schedule, profile);
        row["fits"] = budgeted_bytes(schedule, profile) <= budget.bytes();
      }
      has_chosen = has_chosen || is_chosen;
      compare(row, store_all);
    } catch (const Error& error) {
      row["refused"] = error.what();
    }
    rows.push_back(std::move(row));
  };
  for (const PlannerForm& planner : planner_forms()) {
    const bool comparable = planner.required.empty() || planner.takes_bytes() || planner.takes_slots();
    if (comparable && is_compared(planner, profile)) add(planner.name);
  }
  if (!has_chosen) add(chosen.at("planner").get<std::string>());
  std::stable_sort(rows.begin(), rows.end(), is_better);
  return rows;
}

json frontiers_json(const Profile& profile, const std::string& only, const json& store_all) {
  json frontiers = json::array();
  for (const PlannerForm& planner : planner_forms()) {
    if (only.empty() ? !is_compared(planner, profile) : planner.name != only) continue;
    json frontier = frontier_json(planner, profile);
    for (json& point : frontier["points"]) compare(point, store_all);
    if (!frontier["points"].empty()) frontiers.push_back(std::move(frontier));
  }
  if (!only.empty() && frontiers.empty())
    throw std::runtime_error("--frontier: the planner '" + printable(only) + "' has no frontier for this chain");
  return frontiers;
}

}  // namespace

void plan(const PlanOptions& options) {
  require_outputs({options.report});
  const auto profile = std::make_shared<const Profile>(profile_of(options));
  const Schedule storing_all = Schedule::create(*profile, "store-all");
  const json store_all = cost_json("store-all", storing_all, *profile);
  const RequestedBudget budget = requested_budget(options, budgeted_bytes(storing_all, *profile));
  const std::string name = frontier_planner(options);
  const bool has_value = options.planner.find(':') != std::string::npos;
  const bool chooses = !options.frontier || budget.bytes() > 0 || has_value || !options.report.empty();

  json figures = source_json(options);
  figures["layer_count"] = profile->layer_count();
  figures["timed"] = is_timed(*profile);
  figures["store_all"] = store_all;
  figures["library"] = version();
  if (budget.bytes() > 0) figures["budget_bytes"] = budget.bytes();
  if (budget.percent() > 0) figures["budget_percent"] = budget.percent();
  std::vector<Plan> chosen;  // one, or none
  if (chooses) {
    json& cost = figures["chosen"];
    chosen.push_back(choose(options, profile, budget, store_all, cost));
    if (budget.bytes() > 0) figures["comparison"] = comparison_json(*profile, budget, store_all, cost);
    figures["plans"] = plans_json(chosen);
    figures["layers"] = layers_json(chosen);
  }
  if (options.frontier || !options.report.empty())
    figures["frontiers"] = frontiers_json(*profile, options.report.empty() ? name : "", store_all);
  if (!options.report.empty()) write_text(options.report, report::plan_page(figures, options, chosen.front()));
  if (options.as_json) {
    std::printf("%s\n", figures.dump(2).c_str());
  } else {
    print_plan(figures, options.frontier ? name : "");
  }
}

}  // namespace ckpt::cli
