// Selects every layer with an activation of at least threshold_bytes.
#pragma once

#include "strategy/pattern.h"
#include "strategy/strategy.h"

namespace ckpt::strategy {

constexpr std::int64_t default_threshold_bytes = std::int64_t{1} << 20;

class SizeBased final : public Strategy {
 public:
  // threshold_bytes >= 1. excluded: names or globs that are never selected.
  SizeBased(std::int64_t threshold_bytes, std::span<const std::string> excluded);
  std::string name() const override;
  Parameters parameters() const override;
  std::vector<std::string> text_values() const override;
  std::int64_t threshold_bytes() const noexcept { return threshold_bytes_; }

 private:
  bool decide(std::string_view layer_name, const Activation& activation, std::int64_t) override {
    return activation.bytes >= threshold_bytes_ && !excluded_.contains(layer_name);
  }

  std::int64_t threshold_bytes_;
  PatternSet excluded_;
};

}  // namespace ckpt::strategy
