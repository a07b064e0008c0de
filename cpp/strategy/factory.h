// Strategies from a configuration, from text, and of kinds that users register. Synchronised.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/custom.h"
#include "strategy/interval.h"
#include "strategy/memory_aware.h"
#include "strategy/size_based.h"
#include "strategy/smart.h"
#include "strategy/strategy.h"

namespace ckpt::strategy {

// One structure for all kinds; each reads its own fields and ignores the others.
struct Config {
  // "interval", "selective", "size", "memory-aware", "smart", "any", "all", "not", "first", "custom", or a registered kind.
  std::string kind = "interval";
  std::optional<Chosen> chosen;  // none: the kind's default

  std::int64_t interval = default_interval;                // interval
  std::vector<std::string> names;                          // selective
  std::vector<std::string> excluded;                       // selective, size, smart
  std::int64_t threshold_bytes = default_threshold_bytes;  // size
  MemoryAwareOptions memory;                               // memory-aware
  SmartOptions smart;                                      // smart
  std::vector<std::string> rules;                          // first
  std::vector<StrategyPtr> children;                       // any, all, not, first
  CustomHooks custom;                                      // custom
  std::string arguments;                                   // a registered kind
};

// Error(not_found) for an unknown kind: the message lists the known ones.
StrategyPtr create(const Config& config);

// The text form (docs/strategy.md): kind, kind:arguments or kind(arguments). Errors say which piece is wrong.
StrategyPtr from_text(std::string_view text);
// The text that makes the same strategy; chosen() is not in it. Error(unsupported) for what text cannot say: a custom strategy, a
// given tracker, total or clock, and constants of smart that are not its usual ones.
std::string to_text(const Strategy& strategy);

// Makes a strategy from the text after the kind's name.
using KindFactory = std::function<StrategyPtr(const std::string& arguments)>;

// kind: letters, digits, '-', '_' and '.'. Error(already_exists) for a kind that is known.
void register_kind(std::string_view kind, KindFactory factory);
// Error(not_found) for a kind that was not registered. Calls under way end as they began.
void unregister_kind(std::string_view kind);

// "interval, selective, ...": the built-in kinds and the registered ones.
std::string known_kinds();

// True for the nine kinds that text can name and "custom".
bool is_built_in(std::string_view kind) noexcept;
// Error(not_found) for a kind that is not registered. Refuses a kind whose factory makes itself again, directly or through others.
StrategyPtr create_registered(std::string_view kind, const std::string& arguments);

}  // namespace ckpt::strategy
