// Creates strategies from their text form; registry of user-defined kinds. Thread-safe.
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

// Inputs that a text form cannot express.
struct Given {
  std::span<const StrategyPtr> children = {};  // $0, $1, ... in the text
  // of the memory-aware strategies in the text, as are clock and total_bytes
  std::shared_ptr<const memory::Tracker> tracker = nullptr;
  std::shared_ptr<const base::Clock> clock = nullptr;
  std::int64_t total_bytes = 0;  // used where the text has none
};

struct Arguments;

// A built-in kind: one entry of the table in factory.cpp.
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
  std::vector<std::string_view> values = {};  // empty for kinds that combine strategies
  std::vector<StrategyPtr> children = {};
  std::vector<std::string> rules = {};  // one for each child but the last: "name=strategy"

  // Removes the values that begin with ! and returns them without the !.
  std::vector<std::string> take_excluded();
};

// Returns nullptr for other kinds.
const BuiltIn* find_built_in(std::string_view kind) noexcept;
// "interval, selective, ..."
std::string built_in_kinds();

// Parses the text form (docs/reference/strategy.md): kind, kind:arguments or kind(arguments). Errors name the faulty piece. The
// text must use everything in given.
StrategyPtr from_text(std::string_view text, const Given& given = {});
// Returns the text that creates the same strategy, without chosen(). Fails with Error(unsupported) for state that text cannot
// express: custom strategies, a tracker and a clock.
std::string to_text(const Strategy& strategy);

// Creates a strategy from the text after the kind's name.
using KindFactory = std::function<StrategyPtr(const std::string& arguments)>;

// kind: letters, digits, '-', '_' and '.'. Fails with Error(already_exists) for an existing kind.
void register_kind(std::string_view kind, KindFactory factory);
// Fails with Error(not_found) for an unregistered kind. Calls in progress complete normally.
void unregister_kind(std::string_view kind);

// "interval, selective, ...": the built-in kinds and the registered ones.
std::string known_kinds();

// Fails with Error(not_found) for an unregistered kind. Refuses a kind if its factory creates the same kind again, directly or
// indirectly.
StrategyPtr create_registered(std::string_view kind, const std::string& arguments);

}  // namespace ckpt::strategy
