#include "strategy/smart.h"

#include <cmath>
#include <mutex>

#include "base/error.h"

namespace ckpt::strategy {

Smart::Smart(const SmartOptions& options, std::span<const std::string> excluded)
    : excluded_("excluded", excluded),
      large_factor_(options.large_factor),
      rare_accesses_(options.rare_accesses),
      late_share_(options.late_share) {
  base::require(std::isfinite(large_factor_) && large_factor_ > 0, "large_factor is ", large_factor_,
                "; expected a finite number above 0");
  base::require(rare_accesses_ >= 0, "rare_accesses is ", rare_accesses_, "; expected at least 0");
  base::require(late_share_ >= 0 && late_share_ <= 1, "late_share is ", late_share_, "; expected 0 .. 1");
}

bool Smart::decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) {
  const std::lock_guard lock(mutex_);
  const bool only_watched = watching(layer_index);
  Layer& layer = learn(layer_name);
  total_bytes_ += Wide{activation.bytes} - layer.bytes;
  layer.bytes = activation.bytes;
  ++layer.accesses;
  if (only_watched || layer.excluded) return false;

  const auto known = static_cast<double>(layers_.size());
  const double mean_bytes = static_cast<double>(total_bytes_) / known;
  return static_cast<double>(layer.bytes) > large_factor_ * mean_bytes || layer.accesses < rare_accesses_ ||
         static_cast<double>(layer_index) > late_share_ * known;
}

void Smart::observe_access(std::string_view layer_name) {
  const std::lock_guard lock(mutex_);
  const std::int32_t number = numbers_.find(layer_name);
  if (number >= 0 && number < static_cast<std::int32_t>(layers_.size())) ++layers_[static_cast<std::size_t>(number)].accesses;
}

void Smart::clear_state() {
  const std::lock_guard lock(mutex_);
  numbers_.clear();
  layers_.clear();
  total_bytes_ = 0;
  watching_ = true;
  indices_.clear();
}

Parameters Smart::parameters() const {
  Parameters parameters{.kind = "smart"};
  parameters.large_factor = large_factor_;
  parameters.rare_accesses = rare_accesses_;
  parameters.late_share = late_share_;
  parameters.excluded = excluded_.patterns();
  return parameters;
}

std::vector<std::string> Smart::text_values() const {
  constexpr SmartOptions usual;
  std::vector<std::string> values;
  if (large_factor_ != usual.large_factor) values.push_back(base::cat("large_factor=", large_factor_));
  if (rare_accesses_ != usual.rare_accesses) values.push_back(base::cat("rare_accesses=", rare_accesses_));
  if (late_share_ != usual.late_share) values.push_back(base::cat("late_share=", late_share_));
  return values;
}

Smart::Layer& Smart::learn(std::string_view layer_name) {
  const auto number = static_cast<std::size_t>(numbers_.add(layer_name));
  if (number >= layers_.size()) {  // also after an attempt that ran out of memory midway
    Layer layer;
    layer.excluded = excluded_.contains(layer_name);
    layers_.resize(number + 1, layer);
  }
  return layers_[number];
}

bool Smart::watching(std::int64_t layer_index) {
  if (!watching_) return false;
  // Bounded for a caller that uses ever larger indices with few names.
  constexpr std::size_t max_indices = 4096;
  if (layers_.size() < layers_watched_first && !indices_.contains(layer_index)) {
    if (indices_.size() < max_indices) indices_.insert(layer_index);
    return true;
  }
  watching_ = false;
  indices_.clear();
  return false;
}

}  // namespace ckpt::strategy
