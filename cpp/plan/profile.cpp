#include "plan/profile.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace ckpt::plan {

using base::fail;
using base::require;
using base::Status;

namespace {

void require_bytes(const char* name, std::int64_t bytes) { require(bytes >= 0, name, " is ", bytes, "; expected at least 0"); }

void require_seconds(const char* what, double seconds) {
  require(std::isfinite(seconds) && seconds >= 0, what, " is ", seconds, "; expected a finite number of at least 0");
}

void check_option(const OptionProfile& option) {
  require_bytes("tape_bytes", option.tape_bytes);
  require_bytes("forward_workspace_bytes", option.forward_workspace_bytes);
  require_bytes("backward_workspace_bytes", option.backward_workspace_bytes);
  require_seconds("forward_seconds", option.forward_seconds);
  require_seconds("backward_seconds", option.backward_seconds);
  require_bytes("record_workspace_bytes", option.record_workspace_bytes);
  require_seconds("record_seconds", option.record_seconds);
  require_bytes("backward_peak_bytes", option.backward_peak_bytes);
}

void check_layer(const LayerProfile& layer) {
  base::require_name("name", layer.name);
  require((layer.flags & ~all_layer_flags) == 0, "flags is ", layer.flags, "; unknown bits");
  require_bytes("output_bytes", layer.output_bytes);
  require_bytes("ambient_bytes", layer.ambient_bytes);
  for (const OptionProfile& option : layer.options) check_option(option);
}

// Adds a * b.
void add_product(std::int64_t& total, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(total, product, &total))
    fail(Status::out_of_range, "profile: the sum of all bytes exceeds INT64_MAX");
}

}  // namespace

ChainProfile::ChainProfile(std::int64_t input_bytes) : input_bytes_(input_bytes) { require_bytes("input_bytes", input_bytes); }

ChainProfile ChainProfile::uniform(std::int64_t layers, LayerProfile layer) {
  require(layers >= 1, "layer_count is ", layers, "; expected at least 1");
  require_bytes("output_bytes", layer.output_bytes);
  ChainProfile profile(layer.output_bytes);
  require(layers == 1 || !layer.has(no_input_gradient), "flags is ", layer.flags,
          ": only layer 0 may lack an input gradient, but the uniform chain has layers: ", layers);
  profile.add_layer(std::move(layer));
  profile.uniform_layers_ = layers;
  return profile;
}

void ChainProfile::require_open(const char* what) const {
  if (is_uniform()) fail(Status::invalid_state, "profile is uniform and takes no further ", what);
}

void ChainProfile::add_layer(LayerProfile layer) {
  require_open("layers");
  check_layer(layer);
  require(layers_.empty() || !layer.has(no_input_gradient), "flags is ", layer.flags,
          ": only layer 0 may lack an input gradient, this is layer ", layers_.size());
  for (const OptionProfile& option : layer.options) note_peak(option);
  layers_.push_back(std::move(layer));
}

void ChainProfile::add_option(const OptionProfile& option) {
  require_open("options");
  if (layers_.empty()) fail(Status::invalid_state, "profile has no layer: expected a layer before its option");
  check_option(option);
  note_peak(option);
  layers_.back().options.push_back(option);
}

void ChainProfile::set_option(std::int64_t layer, std::int32_t number, const OptionProfile& option) {
  require_open("options");
  check_option(option);
  note_peak(option);
  layers_[static_cast<std::size_t>(layer)].options[static_cast<std::size_t>(number)] = option;
}

void ChainProfile::set_tier(std::int32_t tier, const TierProfile& profile) {
  require(tier >= 1 && tier < tiers, "tier is ", tier, "; expected 1 .. ", tiers - 1);
  require_bytes("capacity_bytes", profile.capacity_bytes);
  require_seconds("latency_seconds", profile.latency_seconds);
  const auto require_rate = [](const char* what, double rate) {
    require(std::isfinite(rate) && rate >= 0, what, " is ", rate, "; expected a finite number of at least 0 (0: no limit)");
  };
  require_rate("write_bytes_per_second", profile.write_bytes_per_second);
  require_rate("read_bytes_per_second", profile.read_bytes_per_second);
  tiers_[static_cast<std::size_t>(tier)] = profile;
}

void ChainProfile::set_flags(std::uint32_t flags) {
  require((flags & ~all_profile_flags) == 0, "flags is ", flags, "; unknown bits");
  flags_ = flags;
}

void ChainProfile::require_whole() const {
  if (layers_.empty()) fail(Status::invalid_state, "profile has no layers");
  for (const LayerProfile& layer : layers_) {
    if (layer.options.empty())
      fail(Status::invalid_state, "profile: layer ", base::quote(layer.name), ": expected at least one option");
  }
}

double ChainProfile::longest_seconds() const {
  double longest = 0;
  const auto n = static_cast<double>(layers());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    double forward = 0;
    double backward = 0;
    for (const OptionProfile& option : layers_[i].options) {
      forward = std::max({forward, option.forward_seconds, option.has_record ? option.record_seconds : 0.0});
      backward = std::max(backward, option.backward_seconds);
    }
    longest += is_uniform() ? n * ((n + 1) / 2 * forward + backward) : (n - static_cast<double>(i) + 1) * forward + backward;
  }
  if (!std::isfinite(longest)) fail(Status::out_of_range, "profile: the sum of all seconds exceeds the range of a double");
  return longest;
}

void ChainProfile::require_complete() const {
  require_whole();
  const std::int64_t each = is_uniform() ? uniform_layers_ : 1;
  std::int64_t total = input_bytes_;
  // Items that stay with the caller may exist a second time.
  for (const std::int64_t bytes : {bytes_of(0), bytes_of(layers())}) add_product(total, bytes, flags_ != 0 ? 1 : 0);
  for (const LayerProfile& layer : layers_) {
    // Output twice: an item and its gradient. Ambient state twice: saved and current during a recomputation.
    for (const std::int64_t bytes : {layer.output_bytes, layer.ambient_bytes}) {
      add_product(total, bytes, each);
      add_product(total, bytes, each);
    }
    for (const OptionProfile& option : layer.options) {
      for (const std::int64_t bytes : {option.tape_bytes, option.forward_workspace_bytes, option.backward_workspace_bytes,
                                       option.record_workspace_bytes, option.backward_peak_bytes})
        add_product(total, bytes, each);
    }
  }
}

LayerFlags::LayerFlags(const ChainProfile& profile) {
  if (profile.is_uniform()) {
    every_ = profile.layer(0).flags;
    return;
  }
  for (std::int64_t i = 0; i < profile.layers(); ++i) each_.push_back(static_cast<std::uint8_t>(profile.layer(i).flags));
}

}  // namespace ckpt::plan
