// Actions that the planners of adjoint codes share: states are advanced in slots of tier 0, and reversed a step at a time.
#pragma once

#include "plan/schedule.h"

namespace ckpt::plan {

// Error(invalid_argument) unless all layers are alike in what plans of time steps count: bytes, seconds, and what backward reads.
void require_like_steps(const ChainProfile& profile);

void describe_flags(const LayerFlags& flags, Fingerprint& fingerprint);

// INPUT(last) in the slot, from INPUT(first), which stays: its first step makes the new state, the others run in place.
inline void add_forward(ActionGroup& group, std::int64_t first, std::int64_t last, std::int32_t slot) {
  Action made = forward(first, first + 1);
  made.slot = slot;
  group.add(made);
  if (last == first + 1) return;
  Action advanced = advance(first + 1, last);
  advanced.slot = slot;
  group.add(advanced);
}

// Reverses a step from its INPUT, which ends. The chain's last step makes the output that the chain turns at. What backward does
// not read goes before it.
inline void add_step_reversal(ActionGroup& group, std::int64_t step, std::int64_t layers, const LayerFlags& flags) {
  const bool input_is_read = flags.has(step, needs_input);
  const bool output_is_read = flags.has(step, needs_output);
  const bool last = step + 1 == layers;
  group.add(last ? forward_tape(step) : record(step));
  if (!input_is_read) group.add(drop_input(step));
  if (last) group.add(turn());
  if (last && !output_is_read) group.add(drop_input(layers));
  group.add(backward(step));
  if (output_is_read) group.add(drop_input(step + 1));
  if (input_is_read) group.add(drop_input(step));
}

}  // namespace ckpt::plan
