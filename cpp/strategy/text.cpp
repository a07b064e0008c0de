// Parses strategies from text: the grammar of base/form.h, in which the arguments of a composite are strategies.
//
// Inside a composite, an argument that begins with ! belongs to the strategy before it. $0, $1, ... refer to strategies of the
// caller.
#include <charconv>

#include "base/error.h"
#include "base/form.h"
#include "strategy/composite.h"
#include "strategy/factory.h"

namespace ckpt::strategy {
namespace {

using Pieces = std::vector<std::string_view>;

class Reader {
 public:
  explicit Reader(const Given& given) : given_(given), used_children_(given.children.size()) {}

  StrategyPtr read(std::string_view text) {
    StrategyPtr created = parse(text, 1);
    for (std::size_t i = 0; i < used_children_.size(); ++i)
      base::require(used_children_[i], "children[", i, "] is not used: the text has no $", i);
    const bool is_used = used_given_ || (given_.tracker == nullptr && given_.clock == nullptr && given_.total_bytes == 0);
    base::require(is_used, "a tracker, clock or total_bytes is given, but no strategy in the text is memory-aware");
    return created;
  }

 private:
  StrategyPtr parse(std::string_view text, int depth) {
    base::require(depth <= deepest_nesting, "nested deeper than ", deepest_nesting);
    const base::FormText form = base::split_form(text);
    if (form.name.starts_with('$')) return child(form);
    const BuiltIn* const kind = find_built_in(form.name);
    if (kind == nullptr) return create_registered(form.name, std::string(form.inside));
    Arguments arguments{*kind, given_};
    if (kind->takes == BuiltIn::Takes::values) {
      if (form.has_arguments) arguments.values = base::split_arguments(form.inside);
    } else {
      base::require(!form.inside.empty(), base::quote(form.name), " is empty; expected at least one strategy");
      parse_children(form.inside, arguments, depth);
    }
    used_given_ = used_given_ || kind->uses_given;
    return kind->make(arguments);
  }

  StrategyPtr child(const base::FormText& form) {
    std::size_t number = 0;
    const std::string_view digits = form.name.substr(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size() && !form.has_arguments;
    base::require(is_number && number < given_.children.size(), base::quote(form.name), " is not a strategy of the caller; ",
                  given_.children.size(), " are given");
    used_children_[number] = true;
    return given_.children[number];
  }

  // Splits children; one that begins with ! continues the list of the strategy before it.
  static Pieces split_children(std::string_view text) {
    Pieces children;
    for (const std::string_view piece : base::split_arguments(text)) {
      if (piece.starts_with('!') && !children.empty()) {
        const char* const first = children.back().data();
        children.back() = {first, static_cast<std::size_t>(piece.data() + piece.size() - first)};
      } else {
        children.push_back(piece);
      }
    }
    return children;
  }

  void parse_children(std::string_view text, Arguments& of, int depth) {
    const bool with_rules = of.kind.takes == BuiltIn::Takes::rules;
    for (const std::string_view piece : split_children(text)) {
      std::string_view child = piece;
      if (with_rules) {
        if (const std::size_t equals = base::find_outside(piece, '='); equals != std::string_view::npos) {
          of.rules.emplace_back(base::without_quotes(base::trim_argument(piece.substr(0, equals))));
          child = piece.substr(equals + 1);
          base::require(of.rules.size() == of.children.size() + 1, "the fallback of ", base::quote(of.kind.form.name),
                        " is not the last: ", base::quote(piece));
        }
      }
      of.children.push_back(parse(child, depth + 1));
    }
    base::require(!with_rules || of.children.size() == of.rules.size() + 1, base::quote(of.kind.form.name),
                  " takes rules (name=strategy or #2..7=strategy) and then one fallback, not ",
                  of.children.size() - of.rules.size());
  }

  const Given& given_;
  std::vector<bool> used_children_;
  bool used_given_ = false;
};

}  // namespace

StrategyPtr from_text(std::string_view text, const Given& given) {
  return base::reading_form("strategy", text, [&] { return Reader(given).read(text); });
}

}  // namespace ckpt::strategy
