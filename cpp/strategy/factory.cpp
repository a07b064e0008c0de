#include "strategy/factory.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "strategy/composite.h"
#include "strategy/selective.h"

namespace ckpt::strategy {
namespace {

struct BuiltIn {
  std::string_view kind;
  StrategyPtr (*make)(const Config& config);
};

StrategyPtr make_not(const Config& config) {
  base::require(config.children.size() == 1, "children are ", config.children.size(), "; 'not' takes one strategy");
  return std::make_shared<Not>(config.children[0]);
}

// In the order in which messages list them.
constexpr std::array<BuiltIn, 10> built_in = {{
    {"interval", [](const Config& config) -> StrategyPtr { return std::make_shared<Interval>(config.interval); }},
    {"selective", [](const Config& config) -> StrategyPtr { return std::make_shared<Selective>(config.names, config.excluded); }},
    {"size",
     [](const Config& config) -> StrategyPtr { return std::make_shared<SizeBased>(config.threshold_bytes, config.excluded); }},
    {"memory-aware", [](const Config& config) -> StrategyPtr { return std::make_shared<MemoryAware>(config.memory); }},
    {"smart", [](const Config& config) -> StrategyPtr { return std::make_shared<Smart>(config.smart, config.excluded); }},
    {"any", [](const Config& config) -> StrategyPtr { return std::make_shared<AnyOf>(config.children); }},
    {"all", [](const Config& config) -> StrategyPtr { return std::make_shared<AllOf>(config.children); }},
    {"not", make_not},
    {"first", [](const Config& config) -> StrategyPtr { return std::make_shared<FirstMatch>(config.rules, config.children); }},
    {"custom", [](const Config& config) -> StrategyPtr { return std::make_shared<Custom>(config.custom); }},
}};

const BuiltIn* find_built_in(std::string_view kind) noexcept {
  const auto found = std::find_if(built_in.begin(), built_in.end(), [kind](const BuiltIn& each) { return each.kind == kind; });
  return found == built_in.end() ? nullptr : &*found;
}

}  // namespace

bool is_built_in(std::string_view kind) noexcept { return find_built_in(kind) != nullptr; }

StrategyPtr create(const Config& config) {
  const BuiltIn* const found = find_built_in(config.kind);
  StrategyPtr made = found != nullptr ? found->make(config) : create_registered(config.kind, config.arguments);
  if (config.chosen) made->set_chosen(*config.chosen);
  return made;
}

}  // namespace ckpt::strategy
