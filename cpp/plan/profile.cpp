#include "plan/profile.h"

#include <cmath>
#include <utility>

#include "base/error.h"

namespace ckpt::plan {

using base::fail;
using base::require;
using base::Status;

namespace {

void require_bytes(const char* what, std::int64_t bytes) { require(bytes >= 0, what, " is ", bytes, "; at least 0"); }

void require_seconds(const char* what, double seconds) {
  require(std::isfinite(seconds) && seconds >= 0, what, " is ", seconds, "; finite and at least 0");
}

void check_option(const OptionProfile& option) {
  require_bytes("tape_bytes", option.tape_bytes);
  require_bytes("forward_workspace_bytes", option.forward_workspace_bytes);
  require_bytes("backward_workspace_bytes", option.backward_workspace_bytes);
  require_seconds("forward_seconds", option.forward_seconds);
  require_seconds("backward_seconds", option.backward_seconds);
}

}  // namespace

ChainProfile::ChainProfile(std::int64_t input_bytes) : input_bytes_(input_bytes) { require_bytes("input_bytes", input_bytes); }

void ChainProfile::add_layer(LayerProfile layer) {
  base::require_name("name", layer.name);
  require((layer.flags & ~all_layer_flags) == 0, "flags is ", layer.flags, "; unknown bits");
  require_bytes("output_bytes", layer.output_bytes);
  require_bytes("ambient_bytes", layer.ambient_bytes);
  require(layers_.empty() || !layer.has(no_input_gradient), "flags is ", layer.flags,
          ": only layer 0 may have no input gradient, this is layer ", layers_.size());
  for (const OptionProfile& option : layer.options) check_option(option);
  layers_.push_back(std::move(layer));
}

void ChainProfile::add_option(const OptionProfile& option) {
  if (layers_.empty()) fail(Status::invalid_state, "profile has no layer that the option could belong to");
  check_option(option);
  layers_.back().options.push_back(option);
}

void ChainProfile::require_complete() const {
  if (layers_.empty()) fail(Status::invalid_state, "profile has no layers");
  std::int64_t total = input_bytes_;
  const auto add = [&total](std::int64_t bytes) {
    if (__builtin_add_overflow(total, bytes, &total)) fail(Status::out_of_range, "profile: the sum of all bytes passes INT64_MAX");
  };
  for (const LayerProfile& layer : layers_) {
    if (layer.options.empty()) fail(Status::invalid_state, "profile: layer ", base::quoted(layer.name), " has no option");
    // Twice the output: an item and its gradient. Ambient twice: the saved state and the present one during a recomputation.
    for (const std::int64_t bytes : {layer.output_bytes, layer.output_bytes, layer.ambient_bytes, layer.ambient_bytes}) add(bytes);
    for (const OptionProfile& option : layer.options) {
      for (const std::int64_t bytes : {option.tape_bytes, option.forward_workspace_bytes, option.backward_workspace_bytes})
        add(bytes);
    }
  }
}

}  // namespace ckpt::plan
