// Strategies that combine strategies. Children exist before their parent and never change, so cycles are impossible.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "strategy/pattern.h"
#include "strategy/strategy.h"

namespace ckpt::strategy {

// Deeper nesting is refused because queries recurse into the children.
constexpr int deepest_nesting = 64;

// Common to all composites: reset, accesses and bindings are forwarded to every child.
class Composite : public Strategy {
 public:
  void observe_access(std::string_view layer_name) override;
  void begin_step(const StepMemory& memory) override;
  int depth() const noexcept override { return depth_; }

 protected:
  // Fails with Error(invalid_argument) for no children, for a nullptr child, and for nesting that is too deep.
  explicit Composite(std::span<const StrategyPtr> children);
  const std::vector<StrategyPtr>& children() const noexcept { return children_; }
  // "Word(first child, second child)"
  std::string list(std::string_view word) const;
  Parameters of_kind(std::string_view kind) const;

 private:
  void clear_state() override;

  std::vector<StrategyPtr> children_;
  int depth_;
};

// Answers yes if at least one child does. Every child is asked, so that each observes every layer.
class AnyOf final : public Composite {
 public:
  explicit AnyOf(std::span<const StrategyPtr> children) : Composite(children) {}
  std::string name() const override { return list("Any"); }
  Parameters parameters() const override { return of_kind("any"); }

 private:
  bool decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) override;
};

// Answers yes if every child does. Every child is asked.
class AllOf final : public Composite {
 public:
  explicit AllOf(std::span<const StrategyPtr> children) : Composite(children) {}
  std::string name() const override { return list("All"); }
  Parameters parameters() const override { return of_kind("all"); }

 private:
  bool decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) override;
};

// Inverts the answer of its one child.
class Not final : public Composite {
 public:
  explicit Not(const StrategyPtr& child) : Composite({&child, 1}) {}
  std::string name() const override { return list("Not"); }
  Parameters parameters() const override { return of_kind("not"); }

 private:
  bool decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) override;
};

// Selects the layers of a FirstMatch child: a glob over names, or indices "#5", "#2..7" (inclusive), "#8..".
class LayerRule {
 public:
  LayerRule(std::string_view argument, std::string_view text);
  bool matches(std::string_view layer_name, std::int64_t layer_index) const noexcept {
    return glob_ ? glob_->matches(layer_name) : first_ <= layer_index && layer_index <= last_;
  }
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  std::optional<Glob> glob_;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
};

// Asks only the child of the first rule that matches the layer; the last child is the fallback.
class FirstMatch final : public Composite {
 public:
  // One child more than rules.
  FirstMatch(std::span<const std::string> rules, std::span<const StrategyPtr> children);
  std::string name() const override;
  Parameters parameters() const override;

 private:
  bool decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) override;

  std::vector<std::string> texts_;  // as given by the caller
  std::vector<LayerRule> rules_;
};

}  // namespace ckpt::strategy
