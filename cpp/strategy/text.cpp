// The text form of strategies.
//
//   strategy  = kind | kind ":" arguments | kind "(" arguments ")"
//   arguments = argument { "," argument }
//
// Inside parentheses a comma begins the next argument of the innermost pair, except that one that begins with ! belongs to the
// strategy before it. A \ takes the next character as it is. Blanks around arguments mean nothing.
#include <algorithm>

#include "base/error.h"
#include "base/values.h"
#include "strategy/composite.h"
#include "strategy/factory.h"

namespace ckpt::strategy {
namespace {

using Pieces = std::vector<std::string_view>;
constexpr auto npos = std::string_view::npos;

std::string_view trim(std::string_view text) {
  constexpr const char* blanks = " \t\n\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == npos) return {};
  const std::size_t last = text.find_last_not_of(blanks);
  // A blank that a backslash protects stays.
  const bool is_protected = last + 1 < text.size() && text[last] == '\\';
  return text.substr(first, last - first + 1 + (is_protected ? 1 : 0));
}

// Where mark first stands outside parentheses and not after a backslash; npos when nowhere.
std::size_t find_outside(std::string_view text, char mark) {
  int open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (open == 0 && text[i] == mark) return i;
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '(') {
      ++open;
    } else if (text[i] == ')') {
      base::require(open-- > 0, "a ) closes nothing in ", base::quoted(text));
    }
  }
  base::require(open == 0, "a ( is not closed in ", base::quoted(text));
  return npos;
}

Pieces split(std::string_view text) {
  Pieces pieces;
  while (true) {
    const std::size_t comma = find_outside(text, ',');
    pieces.push_back(trim(text.substr(0, comma)));
    if (comma == npos) return pieces;
    text.remove_prefix(comma + 1);
  }
}

// Moves the arguments that begin with ! to excluded, without it.
void take_excluded(Pieces& arguments, Config& config) {
  const auto is_excluded = [](std::string_view piece) { return piece.starts_with('!'); };
  for (const std::string_view piece : arguments) {
    if (is_excluded(piece)) config.excluded.emplace_back(trim(piece.substr(1)));
  }
  std::erase_if(arguments, is_excluded);
}

// The one argument that a kind takes, or nothing.
std::optional<std::string_view> single(std::string_view kind, const Pieces& arguments) {
  base::require(arguments.size() <= 1, kind, " takes one value, not ", arguments.size());
  return arguments.empty() ? std::nullopt : std::optional(arguments[0]);
}

StrategyPtr parse(std::string_view text, int depth);

// Children as pieces of text: one that begins with ! goes on with the list of the strategy before it.
Pieces split_children(std::string_view text) {
  Pieces pieces = split(text);
  Pieces children;
  for (const std::string_view piece : pieces) {
    if (piece.starts_with('!') && !children.empty()) {
      const char* const first = children.back().data();
      children.back() = {first, static_cast<std::size_t>(piece.data() + piece.size() - first)};
    } else {
      children.push_back(piece);
    }
  }
  return children;
}

void parse_children(std::string_view text, Config& config, int depth) {
  for (const std::string_view piece : split_children(text)) {
    std::string_view child = piece;
    if (config.kind == "first") {
      if (const std::size_t equals = find_outside(piece, '='); equals != npos) {
        config.rules.emplace_back(trim(piece.substr(0, equals)));
        child = piece.substr(equals + 1);
        base::require(config.rules.size() == config.children.size() + 1,
                      "the fallback of 'first' is not the last: ", base::quoted(piece));
      }
    }
    config.children.push_back(parse(child, depth + 1));
  }
  base::require(config.kind != "first" || config.children.size() == config.rules.size() + 1,
                "'first' takes rules (name=strategy or #2..7=strategy) and then one fallback, not ",
                config.children.size() - config.rules.size());
}

bool is_composite(std::string_view kind) { return kind == "any" || kind == "all" || kind == "not" || kind == "first"; }

void read_arguments(Pieces arguments, Config& config) {
  const std::string_view kind = config.kind;
  if (kind == "selective" || kind == "size" || kind == "smart") take_excluded(arguments, config);
  if (kind == "selective") {
    config.names.assign(arguments.begin(), arguments.end());
  } else if (kind == "interval") {
    if (const auto value = single(kind, arguments)) {
      config.interval = base::number_of<std::int64_t>("interval", *value, "a whole number of at least 1");
    }
  } else if (kind == "size") {
    if (const auto value = single(kind, arguments)) config.threshold_bytes = base::bytes_of("size", *value);
  } else if (kind == "memory-aware") {
    if (const auto value = single(kind, arguments)) {
      config.memory.max_share = base::number_of<double>("share", *value, "a number above 0 and at most 1");
    }
  } else {
    base::require(arguments.empty(), kind, " takes only names with ! before them, not ",
                  base::quoted(arguments.empty() ? "" : arguments[0]));
  }
}

StrategyPtr parse(std::string_view text, int depth) {
  base::require(depth <= deepest_nesting, "nested deeper than ", deepest_nesting);
  text = trim(text);
  const std::size_t mark = text.find_first_of(":(");
  Config config;
  config.kind = trim(text.substr(0, mark));
  const bool has_arguments = mark != npos;
  std::string_view inside = has_arguments ? text.substr(mark + 1) : std::string_view();
  if (has_arguments && text[mark] == '(') {
    const std::size_t end = find_outside(inside, ')');
    base::require(end != npos, "a ( is not closed in ", base::quoted(text));
    base::require(end + 1 == inside.size(), "text after the ) in ", base::quoted(text));
    inside.remove_suffix(1);
  }
  inside = trim(inside);
  if (is_composite(config.kind)) {
    base::require(!inside.empty(), "'", config.kind, "' is empty; at least one strategy");
    parse_children(inside, config, depth);
  } else if (!is_built_in(config.kind) || config.kind == "custom") {  // a custom strategy has no text
    return create_registered(config.kind, std::string(inside));
  } else if (has_arguments && !(inside.empty() && text[mark] == '(')) {
    read_arguments(split(inside), config);
  }
  return create(config);
}

}  // namespace

StrategyPtr from_text(std::string_view text) {
  base::require(base::is_utf8(text), "text is not valid UTF-8: ", base::quoted(text));
  try {
    return parse(text, 1);
  } catch (const base::Error& error) {
    base::fail(error.status(), "strategy ", base::quoted(text), ": ", error.message());
  }
}

}  // namespace ckpt::strategy
