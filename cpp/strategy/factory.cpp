#include "strategy/factory.h"

#include <algorithm>

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

StrategyPtr read_interval(Arguments& arguments) {
  const auto value = arguments.single();
  return std::make_shared<Interval>(value ? base::number_of<std::int64_t>("interval", *value, "a whole number of at least 1")
                                          : default_interval);
}

StrategyPtr read_selective(Arguments& arguments) {
  const auto excluded = arguments.take_excluded();
  const std::vector<std::string> names(arguments.values.begin(), arguments.values.end());
  return std::make_shared<Selective>(names, excluded);
}

StrategyPtr read_size(Arguments& arguments) {
  const auto excluded = arguments.take_excluded();
  const auto value = arguments.single();
  return std::make_shared<SizeBased>(value ? base::bytes_of("size", *value) : default_threshold_bytes, excluded);
}

StrategyPtr read_memory_aware(Arguments& arguments) {
  MemoryAwareOptions options;
  if (const auto value = arguments.single()) {
    options.max_share = base::number_of<double>("share", *value, "a number above 0 and at most 1");
  }
  return std::make_shared<MemoryAware>(options);
}

StrategyPtr read_smart(Arguments& arguments) {
  const auto excluded = arguments.take_excluded();
  arguments.require_no_values();
  return std::make_shared<Smart>(SmartOptions{}, excluded);
}

StrategyPtr read_not(Arguments& arguments) {
  base::require(arguments.children.size() == 1, "children are ", arguments.children.size(), "; 'not' takes one strategy");
  return std::make_shared<Not>(arguments.children[0]);
}

// In the order in which messages list them.
constexpr BuiltIn built_in[] = {
    {"interval", Takes::values, read_interval},
    {"selective", Takes::values, read_selective},
    {"size", Takes::values, read_size},
    {"memory-aware", Takes::values, read_memory_aware},
    {"smart", Takes::values, read_smart},
    {"any", Takes::strategies, [](Arguments& of) -> StrategyPtr { return std::make_shared<AnyOf>(of.children); }},
    {"all", Takes::strategies, [](Arguments& of) -> StrategyPtr { return std::make_shared<AllOf>(of.children); }},
    {"not", Takes::strategies, read_not},
    {"first", Takes::rules, [](Arguments& of) -> StrategyPtr { return std::make_shared<FirstMatch>(of.rules, of.children); }},
};

}  // namespace

std::vector<std::string> Arguments::take_excluded() {
  std::vector<std::string> excluded;
  const auto is_excluded = [](std::string_view value) { return value.starts_with('!'); };
  for (const std::string_view value : values) {
    if (is_excluded(value)) excluded.emplace_back(trim_argument(value.substr(1)));
  }
  std::erase_if(values, is_excluded);
  return excluded;
}

std::optional<std::string_view> Arguments::single() const {
  base::require(values.size() <= 1, kind, " takes one value, not ", values.size());
  return values.empty() ? std::nullopt : std::optional(values[0]);
}

void Arguments::require_no_values() const {
  base::require(values.empty(), kind, " takes only names with ! before them, not ", base::quote(values.empty() ? "" : values[0]));
}

const BuiltIn* find_built_in(std::string_view kind) noexcept {
  const auto* const found =
      std::find_if(std::begin(built_in), std::end(built_in), [kind](const BuiltIn& each) { return each.kind == kind; });
  return found == std::end(built_in) ? nullptr : found;
}

std::string built_in_kinds() {
  std::string out;
  for (const BuiltIn& each : built_in) out += (out.empty() ? "" : ", ") + std::string(each.kind);
  return out;
}

}  // namespace ckpt::strategy
