// Strategies from text, and kinds that users register. Synchronised.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/strategy.h"

namespace ckpt::strategy {

// What a text says behind a kind: "size:1MiB,!head" has the values "1MiB" and "!head", "any(interval:2,smart)" two children.
struct Arguments {
  std::string_view kind;
  std::vector<std::string_view> values;  // none for kinds that are made of strategies
  std::vector<StrategyPtr> children;
  std::vector<std::string> rules;  // one for each child but the last: "name=strategy"

  // Removes the values that begin with ! and returns them without it.
  std::vector<std::string> take_excluded();
  // The one value that may be there.
  std::optional<std::string_view> single() const;
  // Error(invalid_argument) when a value is left.
  void require_no_values() const;
};

// A kind that is part of the library: one entry of the table in factory.cpp.
struct BuiltIn {
  std::string_view kind;
  enum class Takes { values, strategies, rules } takes;
  StrategyPtr (*make)(Arguments& arguments);
};
// nullptr for another kind.
const BuiltIn* find_built_in(std::string_view kind) noexcept;
// "interval, selective, ..."
std::string built_in_kinds();
// Without the blanks around it, except one that a backslash protects.
std::string_view trim_argument(std::string_view text);

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

// Error(not_found) for a kind that is not registered. Refuses a kind whose factory makes itself again, directly or through others.
StrategyPtr create_registered(std::string_view kind, const std::string& arguments);

}  // namespace ckpt::strategy
