// Strategies from text, and kinds that users register. Synchronised.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/form.h"
#include "memory/tracker.h"
#include "strategy/strategy.h"

namespace ckpt::strategy {

// What a text cannot hold.
struct Given {
  std::span<const StrategyPtr> children = {};                // $0, $1, ... of the text
  std::shared_ptr<const memory::Tracker> tracker = nullptr;  // of the memory-aware strategies in the text, as are the next two
  std::shared_ptr<const base::Clock> clock = nullptr;
  std::int64_t total_bytes = 0;  // where the text has none
};

struct Arguments;

// A kind that is part of the library: one entry of the table in factory.cpp.
struct BuiltIn {
  enum class Takes { values, strategies, rules };
  base::Form form;
  StrategyPtr (*make)(Arguments& arguments);
  Takes takes;
  bool uses_given = false;  // tracker, clock and total
};

// The arguments after a kind: "size:1MiB,!head" has the values "1MiB" and "!head", "any(interval:2,smart)" two children.
struct Arguments {
  const BuiltIn& kind;
  const Given& given;
  std::vector<std::string_view> values = {};  // none for kinds that are made of strategies
  std::vector<StrategyPtr> children = {};
  std::vector<std::string> rules = {};  // one for each child but the last: "name=strategy"

  // Removes the values that begin with ! and returns them without it.
  std::vector<std::string> take_excluded();
};

// nullptr for another kind.
const BuiltIn* find_built_in(std::string_view kind) noexcept;
// "interval, selective, ..."
std::string built_in_kinds();

// The text form (docs/reference/strategy.md): kind, kind:arguments or kind(arguments). Errors name the piece that is wrong. Everything given
// has to be used by the text.
StrategyPtr from_text(std::string_view text, const Given& given = {});
// The text that makes the same strategy; chosen() is not in it. Error(unsupported) for what text cannot hold: custom strategies, a
// tracker and a clock.
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
