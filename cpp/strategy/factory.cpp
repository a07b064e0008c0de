#include "strategy/factory.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/values.h"
#include "strategy/composite.h"
#include "strategy/interval.h"
#include "strategy/memory_aware.h"
#include "strategy/selective.h"
#include "strategy/size_based.h"
#include "strategy/smart.h"

namespace ckpt::strategy {
namespace {

using Takes = BuiltIn::Takes;
using Unit = base::FormParameter::Unit;

std::vector<base::FormValue> values_of(const Arguments& arguments) {
  return base::form_values(arguments.kind.form, "strategy", arguments.values);
}

StrategyPtr read_interval(Arguments& arguments) {
  return std::make_shared<Interval>(
      base::number_of<std::int64_t>("interval", values_of(arguments)[0].word, "expected a whole number of at least 1"));
}

StrategyPtr read_selective(Arguments& arguments) {
  const auto excluded = arguments.take_excluded();
  std::vector<std::string> names;
  for (const std::string_view value : arguments.values) names.emplace_back(base::without_quotes(value));
  return std::make_shared<Selective>(names, excluded);
}

StrategyPtr read_size(Arguments& arguments) {
  const auto excluded = arguments.take_excluded();
  return std::make_shared<SizeBased>(base::bytes_of("size", values_of(arguments)[0].word), excluded);
}

StrategyPtr read_memory_aware(Arguments& arguments) {
  const auto values = values_of(arguments);
  MemoryAwareOptions options{0, arguments.given.tracker, arguments.given.total_bytes, arguments.given.clock};
  options.max_share = base::number_of<double>("share", values[0].word, "expected a number above 0 and at most 1");
  if (!values[1].word.empty()) options.total_bytes = base::bytes_of("total_bytes", values[1].word);
  return std::make_shared<MemoryAware>(options);
}

StrategyPtr read_smart(Arguments& arguments) {
  const auto excluded = arguments.take_excluded();
  const auto values = values_of(arguments);
  return std::make_shared<Smart>(SmartOptions{values[0].number, values[1].whole, values[2].number}, excluded);
}

StrategyPtr read_not(Arguments& arguments) {
  base::require(arguments.children.size() == 1, "children are ", arguments.children.size(), "; 'not' expects one strategy");
  return std::make_shared<Not>(arguments.children[0]);
}

// In the order in which messages list them. Values that their class validates with its own messages are words here.
constexpr BuiltIn built_in[] = {
    {{"interval", "every n-th layer", {{"interval", Unit::word, 0, 0, "2"}}}, read_interval, Takes::values},
    {{"selective", "the named layers", {}}, read_selective, Takes::values},
    {{"size", "activations of at least this size", {{"bytes", Unit::word, 0, 0, "1MiB"}}}, read_size, Takes::values},
    {{"memory-aware",
      "every n-th layer; n shrinks while memory is short",
      {{"share", Unit::word, 0, 0, "0.8"}, {"total_bytes", Unit::word, 0, 0, ""}}},
     read_memory_aware,
     Takes::values,
     true},
    {{"smart",
      "large, rarely used and late layers",
      {{"large_factor", Unit::number, 0, 0, "1.5"},
       {"rare_accesses", Unit::count, 0, std::numeric_limits<std::int64_t>::max(), "2"},
       {"late_share", Unit::number, 0, 0, "0.7"}}},
     read_smart,
     Takes::values},
    {{"any", "at least one child selects the layer", {}},
     [](Arguments& of) -> StrategyPtr { return std::make_shared<AnyOf>(of.children); },
     Takes::strategies},
    {{"all", "all children select the layer", {}},
     [](Arguments& of) -> StrategyPtr { return std::make_shared<AllOf>(of.children); },
     Takes::strategies},
    {{"not", "the child does not select the layer", {}}, read_not, Takes::strategies},
    {{"first", "the child of the first rule that matches", {}},
     [](Arguments& of) -> StrategyPtr { return std::make_shared<FirstMatch>(of.rules, of.children); },
     Takes::rules},
};

}  // namespace

std::vector<std::string> Arguments::take_excluded() {
  std::vector<std::string> excluded;
  const auto is_excluded = [](std::string_view value) { return value.starts_with('!'); };
  for (const std::string_view value : values) {
    if (is_excluded(value)) excluded.emplace_back(base::without_quotes(base::trim_argument(value.substr(1))));
  }
  std::erase_if(values, is_excluded);
  return excluded;
}

const BuiltIn* find_built_in(std::string_view kind) noexcept {
  const auto* const found =
      std::find_if(std::begin(built_in), std::end(built_in), [kind](const BuiltIn& each) { return each.form.name == kind; });
  return found == std::end(built_in) ? nullptr : found;
}

std::string built_in_kinds() {
  std::string out;
  for (const BuiltIn& each : built_in) out += (out.empty() ? "" : ", ") + std::string(each.form.name);
  return out;
}

}  // namespace ckpt::strategy
