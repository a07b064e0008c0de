#include "plan/planners/steps.h"

#include "base/error.h"

namespace ckpt::plan {

void require_like_steps(const ChainProfile& profile) {
  if (profile.is_uniform()) return;
  const LayerProfile& first = profile.layer(0);
  for (std::int64_t i = 0; i < profile.layers(); ++i) {
    const LayerProfile& layer = profile.layer(i);
    const auto require_like = [&](const char* what, auto value, auto of_first) {
      base::require(value == of_first, "layer ", i, ": ", what, " is ", value, "; expected ", of_first,
                    " as layer 0: this planner needs identical steps");
    };
    const OptionProfile& option = layer.options[0];
    const OptionProfile& first_option = first.options[0];
    require_like("output_bytes", layer.output_bytes, profile.bytes_of(0));
    require_like("flags", layer.flags & ~no_input_gradient, first.flags & ~no_input_gradient);
    require_like("has_record", option.has_record, first_option.has_record);
  }
}

bool has_like_steps(const ChainProfile& profile) {
  try {
    require_like_steps(profile);
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

ChainSteps::ChainSteps(const ChainProfile& profile) : flags_(profile), count_(profile.layers()), named_(profile.is_uniform()) {}

void ChainSteps::describe(Fingerprint& fingerprint) const {
  fingerprint.add(flags_.every());
  for (const std::uint8_t flags : flags_.each()) fingerprint.add(flags);
  fingerprint.add(named_);
}

}  // namespace ckpt::plan
