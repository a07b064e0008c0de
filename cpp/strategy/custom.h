// A strategy that calls user-defined functions.
#pragma once

#include <functional>

#include "strategy/strategy.h"

namespace ckpt::strategy {

struct CustomHooks {
  std::string name = "Custom";
  // Called on every thread that asks, concurrently. If one of these three functions asks, resets or notifies the same strategy,
  // that call fails with Error(invalid_state).
  std::function<bool(std::string_view layer_name, const Activation& activation, std::int64_t layer_index)> decide;
  std::function<void()> reset;                              // may be empty
  std::function<void(std::string_view layer_name)> access;  // may be empty
};

class Custom final : public Strategy {
 public:
  explicit Custom(CustomHooks hooks);
  std::string name() const override { return hooks_.name; }
  Parameters parameters() const override { return {.kind = "custom"}; }
  std::vector<std::string> text_values() const override { refuse_text("functions of its user"); }
  void observe_access(std::string_view layer_name) override;

 private:
  bool decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) override;
  void clear_state() override;

  CustomHooks hooks_;
};

}  // namespace ckpt::strategy
