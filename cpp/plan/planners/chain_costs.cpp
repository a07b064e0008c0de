#include "plan/planners/chain_costs.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "plan/planners/step_function.h"

namespace ckpt::plan {
namespace {

// The profile is complete, so the sum does not overflow.
std::int64_t sum_of_bytes(const ChainProfile& profile) {
  std::int64_t sum = profile.bytes_of(0);
  if (profile.flags() != 0) sum += profile.bytes_of(0) + profile.bytes_of(profile.layers());
  for (std::int64_t i = 0; i < profile.layers(); ++i) {
    const LayerProfile& layer = profile.layer(i);
    sum += 2 * (layer.output_bytes + layer.ambient_bytes);
    for (const OptionProfile& option : layer.options)
      sum += option.tape_bytes + option.forward_workspace_bytes + option.backward_workspace_bytes + option.backward_peak_bytes;
  }
  return sum;
}

// Returns a power of ten, so that decimal fractions of a second are whole ticks.
int digits_of_ticks(double longest) {
  constexpr double max_ticks = 4503599627370496;  // 2^52
  const double digits = longest > 0 ? std::floor(std::log10(max_ticks) - std::log10(longest)) : 0;
  return static_cast<int>(std::min(digits, 22.0));  // larger powers of ten are not exact in a double
}

}  // namespace

ChainCosts::ChainCosts(const ChainProfile& profile) : input_bytes_{profile.bytes_of(0)}, ambient_below_{0}, random_below_{0} {
  if (const std::int64_t sum = sum_of_bytes(profile); sum > largest_bytes)
    base::fail(base::Status::out_of_range, "profile: the sum of all bytes is ", sum, "; expected at most ", largest_bytes);
  const double longest = profile.longest_seconds();
  const bool timed = longest > 0;
  const int digits = digits_of_ticks(longest);
  ticks_per_second_ = std::pow(10.0, std::max(digits, 0));
  seconds_per_tick_ = timed ? std::pow(10.0, std::max(-digits, 0)) : 0;
  for (std::int64_t i = 0; i < profile.layers(); ++i) {
    const LayerProfile& given = profile.layer(i);
    LayerCost layer{.needs_input = given.has(needs_input),
                    .needs_output = given.has(needs_output),
                    .deterministic = given.has(deterministic),
                    .in_place = given.has(in_place),
                    .ambient_bytes = given.ambient_bytes};
    for (const OptionProfile& each : given.options) {
      layer.options.push_back({.tape_bytes = each.tape_bytes,
                               .forward_workspace_bytes = each.forward_workspace_bytes,
                               .backward_workspace_bytes = each.backward_workspace_bytes,
                               .forward_time = timed ? time(each.forward_seconds) : 1,
                               .backward_time = timed ? time(each.backward_seconds) : 0,
                               .has_record = each.has_record,
                               .record_workspace_bytes = each.record_workspace_bytes,
                               .record_time = timed ? time(each.record_seconds) : 1,
                               .backward_peak_bytes = each.backward_peak_bytes});
    }
    input_bytes_.push_back(given.output_bytes);
    ambient_below_.push_back(ambient_below_.back() + given.ambient_bytes);
    random_below_.push_back(random_below_.back() + (layer.deterministic ? 0 : 1));
    layers_.push_back(std::move(layer));
  }
  first_grad_bytes_ = profile.layer(0).has(no_input_gradient) ? 0 : input_bytes_[0];
  keeps_input_ = profile.has(keeps_input);
  keeps_output_ = profile.has(keeps_output);
}

double ChainCosts::time(double seconds) const { return std::round(seconds * ticks_per_second_ / seconds_per_tick_); }

double ChainCosts::seconds(double time) const { return time / ticks_per_second_ * seconds_per_tick_; }

std::int64_t ChainCosts::backward_bytes(std::int64_t i, std::int32_t o) const {
  const std::int64_t after = grad_bytes(i + 1);
  const std::int64_t created = grad_bytes(i);
  const OptionCost& each = option(i, o);
  if (each.backward_peak_bytes > 0) {
    // Before the backward, during it, and after it, when its tape has been freed.
    return std::max({after + needed_output_bytes(i), each.backward_peak_bytes - each.tape_bytes,
                     created + needed_output_bytes(i) - each.tape_bytes});
  }
  const std::int64_t grads = layer(i).in_place ? std::max(after, created) : after + created;
  return grads + needed_output_bytes(i) + each.backward_workspace_bytes;
}

std::int64_t ChainCosts::passing_bytes(std::int64_t i) const {
  const std::int64_t before = input_bytes(i);
  const std::int64_t after = input_bytes(i + 1);
  return layer(i).in_place ? std::max(before, after) : before + after;
}

}  // namespace ckpt::plan
