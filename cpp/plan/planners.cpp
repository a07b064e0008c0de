#include "plan/planners.h"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/form.h"
#include "plan/planners/auto_planner.h"
#include "plan/planners/chain_planner.h"
#include "plan/planners/graph_planner.h"
#include "plan/planners/levels.h"
#include "plan/planners/mixed.h"
#include "plan/planners/revolve.h"

namespace ckpt::plan {
namespace {

using Unit = base::FormParameter::Unit;
using Values = std::span<const base::FormValue>;

constexpr std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();

constexpr std::int64_t max_slots = 1 << 30;

std::shared_ptr<const Schedule> make_levels_of(const ChainProfile& profile, Values values) {
  std::vector<std::int64_t> slots;
  for (const base::FormValue& value : values) slots.push_back(value.whole);
  return make_levels(profile, slots);
}

std::shared_ptr<const Schedule> make_auto_of(const ChainProfile& profile, Values values) {
  const double seconds = values[1].number;
  base::require(seconds >= 0, "seconds is ", seconds, "; expected at least 0");
  if (profile.is_graph()) return make_graph(profile, values[0].whole);
  return make_auto(profile, values[0].whole, {.seconds = seconds, .table_bytes = values[2].whole});
}

struct Planner {
  base::Form form;
  std::shared_ptr<const Schedule> (*make)(const ChainProfile& profile, Values values);
  bool takes_graphs = false;
};

constexpr Planner planners[] = {
    {{"store-all", "records every layer, recomputes none: least time, most memory", {}},
     [](const ChainProfile& profile, Values) {
       return profile.is_graph() ? make_graph_store_all(profile) : make_store_all(profile);
     },
     true},
    {{"recompute-all", "keeps only the chain's input and recomputes from it for each layer: least memory", {}},
     [](const ChainProfile& profile, Values) { return make_recompute_all(profile); }},
    {{"periodic",
      "cuts the chain into equal segments, keeps their inputs, and recomputes each once, except the last",
      {{"segments", Unit::count, 1, base::up_to_limit}}},
     [](const ChainProfile& profile, Values values) { return make_periodic(profile, values[0].whole); }},
    {{"sqrt", "periodic, with as many segments as the square root of the number of layers", {}},
     [](const ChainProfile& profile, Values) {
       return make_periodic(profile, std::lround(std::sqrt(static_cast<double>(profile.layers()))));
     }},
    {{"auto",
      "the fastest schedule of all planners here with reserved bytes within the budget, without the slower tiers; planning takes "
      "at most SECONDS; ignored for graphs: SECONDS, TABLE_BYTES",
      {{"bytes", Unit::bytes, 1, max_bytes},
       {"seconds", Unit::number, 0, 0, "2"},
       {"table_bytes", Unit::bytes, 1, max_bytes, "300000000"}}},
     make_auto_of,
     true},
    {{"chain",
      "the fastest schedule within the budget that keeps each layer's tape, and the input it reads, until its backward",
      {{"bytes", Unit::bytes, 1, max_bytes}}},
     [](const ChainProfile& profile, Values values) {
       return make_chain_for_budget(profile, ChainPlanner::chain, values[0].whole);
     }},
    {{"tapes",
      "as chain, but may also recompute the input of a recorded layer; never slower",
      {{"bytes", Unit::bytes, 1, max_bytes}}},
     [](const ChainProfile& profile, Values values) {
       return make_chain_for_budget(profile, ChainPlanner::tapes, values[0].whole);
     }},
    {{"graph",
      "the fastest schedule of a graph that a local search over recomputations finds within the budget",
      {{"bytes", Unit::bytes, 1, max_bytes}}},
     [](const ChainProfile& profile, Values values) { return make_graph(profile, values[0].whole); },
     true},
    {{"revolve",
      "identical steps, at most SLOTS states kept: the fewest forwards; INITIAL: counted or free, the initial state's slot",
      {{"slots", Unit::count, 1, max_slots}, {"initial", Unit::word, 0, 0, "counted"}}},
     [](const ChainProfile& profile, Values values) {
       const std::string_view initial = values[1].word;
       base::require(initial == "counted" || initial == "free", "initial is ", base::quote(initial), "; expected counted or free");
       return make_revolve(profile, values[0].whole, initial == "free");
     }},
    {{"mixed",
      "identical steps, a state or a tape in each of SLOTS: the fewest forwards, including recorded ones",
      {{"slots", Unit::count, 1, max_slots}}},
     [](const ChainProfile& profile, Values values) { return make_mixed(profile, values[0].whole); }},
    {{"two-level",
      "identical steps, states in slots of memory and tier 1: the least time; 0: as many as the tier holds",
      {{"memory_slots", Unit::count, 1, max_slots}, {"disk_slots", Unit::count, 0, max_slots, "0"}}},
     make_levels_of},
    {{"three-level",
      "two-level with tier 2 below tier 1",
      {{"memory_slots", Unit::count, 1, max_slots},
       {"tier1_slots", Unit::count, 0, max_slots},
       {"tier2_slots", Unit::count, 0, max_slots, "0"}}},
     make_levels_of},
    {{"four-level",
      "three-level with tier 3 below tier 2",
      {{"memory_slots", Unit::count, 1, max_slots},
       {"tier1_slots", Unit::count, 0, max_slots},
       {"tier2_slots", Unit::count, 0, max_slots},
       {"tier3_slots", Unit::count, 0, max_slots, "0"}}},
     make_levels_of},
};

// "budget" is the former name of "auto".
std::string with_current_name(std::string_view text) {
  const std::string_view name = base::form_name(text);
  if (name != "budget") return std::string(text);
  return base::cat("auto", text.substr(static_cast<std::size_t>(name.data() - text.data()) + name.size()));
}

}  // namespace

std::shared_ptr<const Schedule> make_by_text(const ChainProfile& profile, std::string_view given) {
  return base::reading_form("planner", given, [&] {
    const std::string text = with_current_name(given);
    const Planner& planner = base::form_named<Planner>(planners, "planner", text);
    const base::FormLimit layers{"layers", profile.layers()};
    if (planner.takes_graphs) {
      profile.require_summable();
    } else {
      profile.require_complete();
    }
    static_cast<void>(profile.longest_seconds());  // planners may add without checks
    return planner.make(profile, base::form_values(planner.form, "planner", text, layers));
  });
}

FrontierPoints frontier_points(const ChainProfile& profile, std::string_view planner, std::int64_t max) {
  return planner == "graph" ? graph_frontier_points(profile, max) : chain_frontier_points(profile, planner, max);
}

std::string known_planners() { return base::form_lines<Planner>(planners, "layers"); }

}  // namespace ckpt::plan
