#include "strategy/composite.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/error.h"
#include "strategy/inside.h"

namespace ckpt::strategy {

Composite::Composite(std::span<const StrategyPtr> children) : children_(children.begin(), children.end()), depth_(1) {
  base::require(!children_.empty(), "children is empty; expected at least one strategy");
  for (std::size_t i = 0; i < children_.size(); ++i) {
    base::require(children_[i] != nullptr, "children[", i, "] is NULL");
    depth_ = std::max(depth_, children_[i]->depth() + 1);
  }
  base::require(depth_ <= deepest_nesting, "children are nested ", depth_, " deep; expected at most ", deepest_nesting);
}

void Composite::observe_access(std::string_view layer_name) {
  const Inside inside(this);
  for (const auto& child : children_) child->observe_access(layer_name);
}

// Not under Inside: a child predicts by asking the whole strategy.
void Composite::begin_step(const StepMemory& memory) {
  for (const auto& child : children_) child->begin_step(memory);
}

void Composite::clear_state() {
  const Inside inside(this);
  for (const auto& child : children_) child->reset();
}

std::string Composite::list(std::string_view word) const {
  std::string out(word);
  for (std::size_t i = 0; i < children_.size(); ++i) out += (i == 0 ? "(" : ", ") + children_[i]->name();
  return out + ")";
}

Parameters Composite::of_kind(std::string_view kind) const {
  Parameters parameters{.kind = kind};
  parameters.children = children_;
  return parameters;
}

bool AnyOf::decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) {
  const Inside inside(this);
  bool answer = false;
  for (const auto& child : children()) answer |= child->should_checkpoint(layer_name, activation, layer_index);
  return answer;
}

bool AllOf::decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) {
  const Inside inside(this);
  bool answer = true;
  for (const auto& child : children()) answer &= child->should_checkpoint(layer_name, activation, layer_index);
  return answer;
}

bool Not::decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) {
  const Inside inside(this);
  return !children()[0]->should_checkpoint(layer_name, activation, layer_index);
}

LayerRule::LayerRule(std::string_view argument, std::string_view text) : text_(text) {
  if (!text.starts_with('#')) {
    glob_.emplace(argument, text);
    return;
  }
  const auto refuse = [&] {
    base::fail(base::Status::invalid_argument, argument, " is ", base::quote(text), "; expected '#5', '#2..7' or '#8..'");
  };
  const auto number = [&](std::string_view digits) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 0) refuse();
    return value;
  };
  const std::size_t dots = text.find("..");
  first_ = number(text.substr(1, dots == std::string_view::npos ? dots : dots - 1));
  last_ = first_;
  if (dots != std::string_view::npos) {
    last_ = dots + 2 == text.size() ? std::numeric_limits<std::int64_t>::max() : number(text.substr(dots + 2));
  }
  if (last_ < first_) refuse();
}

FirstMatch::FirstMatch(std::span<const std::string> rules, std::span<const StrategyPtr> children)
    : Composite(children), texts_(rules.begin(), rules.end()) {
  base::require(rules.size() + 1 == children.size(), "children are ", children.size(), " for ", rules.size(),
                " rules; expected one for each rule and a last one as fallback");
  for (std::size_t i = 0; i < rules.size(); ++i) rules_.emplace_back(base::cat("rules[", i, "]"), rules[i]);
}

std::string FirstMatch::name() const {
  std::string out = "First(";
  for (std::size_t i = 0; i < rules_.size(); ++i) out += rules_[i].text() + ": " + children()[i]->name() + ", ";
  return out + children().back()->name() + ")";
}

Parameters FirstMatch::parameters() const {
  Parameters parameters = of_kind("first");
  parameters.rules = texts_;
  return parameters;
}

bool FirstMatch::decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) {
  const Inside inside(this);
  std::size_t i = 0;
  while (i < rules_.size() && !rules_[i].matches(layer_name, layer_index)) ++i;
  return children()[i]->should_checkpoint(layer_name, activation, layer_index);
}

}  // namespace ckpt::strategy
