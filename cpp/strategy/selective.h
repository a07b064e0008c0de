// Selects the layers that the user named.
#pragma once

#include "strategy/pattern.h"
#include "strategy/strategy.h"

namespace ckpt::strategy {

class Selective final : public Strategy {
 public:
  // Names or globs. Fails with Error(invalid_argument) that lists every literal name in both.
  Selective(std::span<const std::string> names, std::span<const std::string> excluded);
  std::string name() const override { return "Selective"; }
  Parameters parameters() const override;

 private:
  bool decide(std::string_view layer_name, const Activation&, std::int64_t) override {
    return !excluded_.contains(layer_name) && names_.contains(layer_name);
  }

  PatternSet names_;
  PatternSet excluded_;
};

}  // namespace ckpt::strategy
