#include "plan/planners.h"

#include <limits>
#include <span>

#include "base/form.h"
#include "plan/budget.h"
#include "plan/planners/chain_planner.h"

namespace ckpt::plan {
namespace {

using Unit = base::FormParameter::Unit;
using Values = std::span<const base::FormValue>;

constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();

struct Planner {
  base::Form form;
  std::shared_ptr<const Schedule> (*make)(const ChainProfile& profile, Values values);
};

constexpr Planner planners[] = {
    {{"store-all", "records every layer and runs none again: least time, most memory", {}},
     [](const ChainProfile& profile, Values) { return make_store_all(profile); }},
    {{"recompute-all", "keeps the chain's input alone and runs layers again from it for each layer: least memory", {}},
     [](const ChainProfile& profile, Values) { return make_recompute_all(profile); }},
    {{"periodic",
      "cuts the chain into equal segments, keeps their inputs, and runs each again once, but for the last",
      {{"segments", Unit::count, 1, base::up_to_limit}}},
     [](const ChainProfile& profile, Values values) { return make_periodic(profile, values[0].whole); }},
    {{"budget", "the fastest of those above whose reserved bytes fit", {{"bytes", Unit::bytes, 1, most_bytes}}},
     [](const ChainProfile& profile, Values values) { return make_for_budget(profile, values[0].whole); }},
    {{"chain",
      "the fastest whose reserved bytes fit, of all that keep what a layer recorded, and the input it reads, until its backward",
      {{"bytes", Unit::bytes, 1, most_bytes}}},
     [](const ChainProfile& profile, Values values) {
       return make_chain_for_budget(profile, ChainPlanner::chain, values[0].whole);
     }},
    {{"tapes",
      "as chain, also with layers that recorded and whose input is made again; never slower at the same live bytes",
      {{"bytes", Unit::bytes, 1, most_bytes}}},
     [](const ChainProfile& profile, Values values) {
       return make_chain_for_budget(profile, ChainPlanner::tapes, values[0].whole);
     }},
};

}  // namespace

std::shared_ptr<const Schedule> make_by_text(const ChainProfile& profile, std::string_view text) {
  return base::reading_form("planner", text, [&] {
    const Planner& planner = base::form_named<Planner>(planners, "planner", text);
    const base::FormLimit layers{"layers", profile.layers()};
    profile.require_complete();
    return planner.make(profile, base::form_values(planner.form, "planner", text, layers));
  });
}

std::string known_planners() { return base::form_lines<Planner>(planners, "layers"); }

}  // namespace ckpt::plan
