// The text form of strategies.
//
//   strategy  = kind | kind ":" arguments | kind "(" arguments ")"
//   arguments = argument { "," argument }
//
// Inside parentheses a comma begins the next argument of the innermost pair, except that one that begins with ! belongs to the
// strategy before it. A \ takes the next character as it is. Blanks around arguments mean nothing.
#include <algorithm>

#include "base/error.h"
#include "strategy/composite.h"
#include "strategy/factory.h"

namespace ckpt::strategy {
namespace {

using Pieces = std::vector<std::string_view>;
constexpr auto npos = std::string_view::npos;

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
      base::require(open-- > 0, "a ) closes nothing in ", base::quote(text));
    }
  }
  base::require(open == 0, "a ( is not closed in ", base::quote(text));
  return npos;
}

Pieces split(std::string_view text) {
  Pieces pieces;
  while (true) {
    const std::size_t comma = find_outside(text, ',');
    pieces.push_back(trim_argument(text.substr(0, comma)));
    if (comma == npos) return pieces;
    text.remove_prefix(comma + 1);
  }
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

void parse_children(std::string_view text, Arguments& of, bool with_rules, int depth) {
  for (const std::string_view piece : split_children(text)) {
    std::string_view child = piece;
    if (with_rules) {
      if (const std::size_t equals = find_outside(piece, '='); equals != npos) {
        of.rules.emplace_back(trim_argument(piece.substr(0, equals)));
        child = piece.substr(equals + 1);
        base::require(of.rules.size() == of.children.size() + 1, "the fallback of ", base::quote(of.kind),
                      " is not the last: ", base::quote(piece));
      }
    }
    of.children.push_back(parse(child, depth + 1));
  }
  base::require(!with_rules || of.children.size() == of.rules.size() + 1, base::quote(of.kind),
                " takes rules (name=strategy or #2..7=strategy) and then one fallback, not ", of.children.size() - of.rules.size());
}

StrategyPtr parse(std::string_view text, int depth) {
  base::require(depth <= deepest_nesting, "nested deeper than ", deepest_nesting);
  text = trim_argument(text);
  const std::size_t mark = text.find_first_of(":(");
  Arguments arguments;
  arguments.kind = trim_argument(text.substr(0, mark));
  const bool has_arguments = mark != npos;
  std::string_view inside = has_arguments ? text.substr(mark + 1) : std::string_view();
  if (has_arguments && text[mark] == '(') {
    const std::size_t end = find_outside(inside, ')');
    base::require(end != npos, "a ( is not closed in ", base::quote(text));
    base::require(end + 1 == inside.size(), "text after the ) in ", base::quote(text));
    inside.remove_suffix(1);
  }
  inside = trim_argument(inside);
  const BuiltIn* const kind = find_built_in(arguments.kind);
  if (kind == nullptr) return create_registered(arguments.kind, std::string(inside));
  if (kind->takes != BuiltIn::Takes::values) {
    base::require(!inside.empty(), base::quote(arguments.kind), " is empty; at least one strategy");
    parse_children(inside, arguments, kind->takes == BuiltIn::Takes::rules, depth);
  } else if (has_arguments && !(inside.empty() && text[mark] == '(')) {
    arguments.values = split(inside);
  }
  return kind->make(arguments);
}

}  // namespace

std::string_view trim_argument(std::string_view text) {
  constexpr const char* blanks = " \t\n\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == npos) return {};
  const std::size_t last = text.find_last_not_of(blanks);
  // A blank that a backslash protects stays.
  const bool is_protected = last + 1 < text.size() && text[last] == '\\';
  return text.substr(first, last - first + 1 + (is_protected ? 1 : 0));
}

StrategyPtr from_text(std::string_view text) {
  base::require(base::is_utf8(text), "text is not valid UTF-8: ", base::quote(text));
  try {
    return parse(text, 1);
  } catch (const base::Error& error) {
    base::fail(error.status(), "strategy ", base::quote(text), ": ", error.message());
  }
}

}  // namespace ckpt::strategy
