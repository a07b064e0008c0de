#include "plan_table.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include <nlohmann/json.hpp>

#include "frontier.h"
#include "planner.h"
#include "report/scale.h"
#include "text.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;

// Columns are as wide as their longest cell; the first is left-aligned.
void print_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<int> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], static_cast<int>(row[i].size()));
  }
  for (const auto& row : rows) {
    std::printf("%-*s", widths[0], row[0].c_str());
    for (std::size_t i = 1; i < row.size(); ++i) std::printf("  %*s", widths[i], row[i].c_str());
    std::printf("\n");
  }
}

std::vector<std::string> heading(const char* first, bool timed) {
  return {first, "live", "reserved", "of all", timed ? "step" : "forwards", "longer", "again"};
}

std::string plain_duration(double seconds) {  // ASCII only: column widths are counted in bytes
  std::string text = report::duration_text(seconds);
  if (const std::size_t micro = text.find("\u00b5"); micro != std::string::npos) text.replace(micro, 2, "u");
  return text;
}

std::vector<std::string> cost_row(const std::string& name, const json& cost, bool timed) {
  const double longer = 100 * (cost.at("times_store_all").get<double>() - 1);
  return {printable(name),
          bytes_text(cost.at("live_bytes").get<std::int64_t>()),
          bytes_text(cost.at("reserved_bytes").get<std::int64_t>()),
          fixed_text(100 * cost.at("store_all_share").get<double>(), 1) + "%",
          timed ? plain_duration(cost.at("step_seconds").get<double>()) : std::to_string(cost.at("forwards").get<std::int64_t>()),
          (longer < 0 ? "" : "+") + fixed_text(longer, 1) + "%",
          std::to_string(cost.at("recomputed_forwards").get<std::int64_t>())};
}

void print_costs(const json& figures, bool timed) {
  const json& chosen = figures.at("chosen");
  std::vector<std::vector<std::string>> rows = {heading("  planner", timed)};
  std::string refused;
  for (const json& each : figures.value("comparison", json::array({chosen}))) {
    if (each.contains("refused")) {
      refused += (refused.empty() ? "" : ", ") + planner_name(each.at("planner").get<std::string>());
      continue;
    }
    const std::string mark = each.at("planner") == chosen.at("planner") ? "* " : each.value("fits", true) ? "  " : "> ";
    rows.push_back(cost_row(mark + planner_label(each), each, timed));
  }
  print_table(rows);
  if (figures.contains("comparison")) std::printf("*: chosen; >: larger than the budget; slots: the largest number that fits\n");
  if (!refused.empty()) std::printf("not applicable to this chain and budget (--json reports why): %s\n", refused.c_str());
  if (const std::string left_out = chosen.at("left_out").get<std::string>(); !left_out.empty())
    std::printf("not considered: %s\n", printable(left_out).c_str());
}

// Marks the chosen point, if there is one.
void print_frontier(const json& frontier, const json& figures, bool timed) {
  std::vector<std::vector<std::string>> rows = {heading("", timed)};
  for (const json& point : frontier.at("points"))
    rows.push_back(cost_row(is_chosen(point, frontier, figures) ? "*" : "", point, timed));
  std::printf("frontier of %s, %zu points\n", frontier.at("planner").get<std::string>().c_str(), frontier.at("points").size());
  print_table(rows);
}

}  // namespace

void print_plan(const json& figures, const std::string& frontier_of) {
  const bool timed = figures.at("timed").get<bool>();
  const json& store_all = figures.at("store_all");
  const std::string source = figures.contains("profile") ? printable(figures.at("profile").get<std::string>())
                                                         : cat("the ", figures.at("model").get<std::string>(),
                                                               " of ckpt train, batch ", figures.at("batch").get<std::int64_t>());
  std::printf("%s: %lld layers\nstoring everything reserves %s%s\n", source.c_str(),
              static_cast<long long>(figures.at("layer_count").get<std::int64_t>()),
              bytes_text(store_all.at("reserved_bytes").get<std::int64_t>()).c_str(),
              timed ? (", a step takes " + plain_duration(store_all.at("step_seconds").get<double>())).c_str() : "");
  if (figures.contains("budget_bytes")) {
    const auto budget = figures.at("budget_bytes").get<std::int64_t>();
    const double percent = figures.value("budget_percent", 0.0);
    std::printf("budget %s%s (%lld bytes)\n", percent > 0 ? cat(percent, "%: ").c_str() : "", bytes_text(budget).c_str(),
                static_cast<long long>(budget));
  }
  if (figures.contains("chosen")) {
    std::printf("\n");
    print_costs(figures, timed);
  }
  for (const json& frontier : figures.value("frontiers", json::array())) {
    if (frontier.at("planner") != frontier_of) continue;
    std::printf("\n");
    print_frontier(frontier, figures, timed);
  }
}

}  // namespace ckpt::cli
