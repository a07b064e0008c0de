// Common to the planners of adjoint codes: states are advanced and reversed one step at a time.
#pragma once

#include "plan/schedule.h"

namespace ckpt::plan {

// Fails with Error(invalid_argument) unless all layers are equal in bytes and in what backward reads. Seconds may differ, as
// measured ones do.
void require_like_steps(const ChainProfile& profile);
bool has_like_steps(const ChainProfile& profile);

// The actions of a chain's steps. A uniform chain belongs to an adjoint code: its states are advanced in place, in slots of tier
// 0 that the actions name. Other chains belong to an executor, and their layers may not run in place: slot is 0 there.
class ChainSteps {
 public:
  explicit ChainSteps(const ChainProfile& profile);

  std::int64_t count() const { return count_; }
  void describe(Fingerprint& fingerprint) const;

  // Makes INPUT(last) in the slot from INPUT(first), which stays.
  void add_forward(ActionGroup& group, std::int64_t first, std::int64_t last, std::int32_t slot) const {
    Action created = forward(first, named_ ? first + 1 : last);
    if (named_) created.slot = slot;
    group.add(created);
    if (named_ && last > first + 1) add_move(group, first + 1, last, slot);
  }

  // The same from the INPUT(first) in that slot, which ends.
  void add_move(ActionGroup& group, std::int64_t first, std::int64_t last, std::int32_t slot) const {
    Action moved = named_ ? advance(first, last) : forward(first, last);
    if (named_) moved.slot = slot;
    group.add(moved);
    if (!named_) group.add(drop_input(first));
  }

  // Reverses a step from its INPUT, which ends. The last step makes the output at which the chain turns. Items that backward does
  // not read are dropped before it.
  void add_reversal(ActionGroup& group, std::int64_t step) const {
    const bool input_is_read = flags_.has(step, needs_input);
    const bool output_is_read = flags_.has(step, needs_output);
    const bool last = step + 1 == count_;
    group.add(last ? forward_tape(step) : record(step));
    if (!input_is_read) group.add(drop_input(step));
    if (last) group.add(turn());
    if (last && !output_is_read) group.add(drop_input(count_));
    group.add(backward(step));
    if (output_is_read) group.add(drop_input(step + 1));
    if (input_is_read) group.add(drop_input(step));
  }

 private:
  LayerFlags flags_;
  std::int64_t count_;
  bool named_;  // slots name buffers
};

}  // namespace ckpt::plan
