// The costs of a chain, for the planners with a byte budget, in the notation of docs/reference/plan.md.
//
// Time is counted in ticks: integers in a double, and no schedule takes 2^52. So sums are exact in any order, and schedules with
// equal times compare equal.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/profile.h"

namespace ckpt::plan {

struct OptionCost {
  std::int64_t tape_bytes = 0;
  std::int64_t forward_workspace_bytes = 0;
  std::int64_t backward_workspace_bytes = 0;
  double forward_time = 0;
  double backward_time = 0;
  bool has_record = false;
  std::int64_t record_workspace_bytes = 0;
  double record_time = 0;
  std::int64_t backward_peak_bytes = 0;
};

struct LayerCost {
  bool needs_input = true;
  bool needs_output = false;
  bool deterministic = true;
  bool in_place = false;
  std::int64_t ambient_bytes = 0;
  std::vector<OptionCost> options = {};
};

// Layers i = 0 .. n-1; "stage" n is the TURN.
class ChainCosts {
 public:
  // The profile must be complete. Fails with Error(out_of_range) if the sums of its bytes or seconds are too large.
  explicit ChainCosts(const ChainProfile& profile);

  std::int64_t layers() const { return static_cast<std::int64_t>(layers_.size()); }
  const LayerCost& layer(std::int64_t i) const { return layers_[static_cast<std::size_t>(i)]; }
  const OptionCost& option(std::int64_t i, std::int32_t o) const { return layer(i).options[static_cast<std::size_t>(o)]; }
  std::int32_t options(std::int64_t i) const { return static_cast<std::int32_t>(layer(i).options.size()); }

  // Converts ticks to seconds.
  double seconds(double time) const;

  // a_k: bytes of INPUT(k).
  std::int64_t input_bytes(std::int64_t k) const { return input_bytes_[static_cast<std::size_t>(k)]; }
  // g_k: bytes of GRAD(k), equal to a_k except for a GRAD(0) that is not made.
  std::int64_t grad_bytes(std::int64_t k) const { return k == 0 ? first_grad_bytes_ : input_bytes(k); }
  // A(i, j): ambient bytes of layers i .. j-1.
  std::int64_t ambient_bytes(std::int64_t i, std::int64_t j) const {
    return ambient_below_[static_cast<std::size_t>(j)] - ambient_below_[static_cast<std::size_t>(i)];
  }
  // [NO_i] a_{i+1}
  std::int64_t needed_output_bytes(std::int64_t i) const { return layer(i).needs_output ? input_bytes(i + 1) : 0; }
  // Returns the maximum bytes during layer i's backward, without its tape and ambient state: gradients, kept output and
  // workspace.
  std::int64_t backward_bytes(std::int64_t i, std::int32_t o) const;
  // Bytes of INPUT(n) that stay with the caller after the TURN.
  std::int64_t kept_output_bytes() const { return keeps_output_ ? input_bytes(layers()) : 0; }
  // Returns true if INPUT(k) belongs to the caller from the start.
  bool keeps(std::int64_t k) const { return k == 0 && keeps_input_; }
  // a_{i+1} and a_i, or one buffer for both: the bytes that layer i needs when it is not the first layer of a FORWARD.
  std::int64_t passing_bytes(std::int64_t i) const;
  // Returns true if layer i's output may overwrite INPUT(i) where that ends.
  bool may_advance(std::int64_t i) const { return layer(i).in_place && !keeps(i); }
  bool may_run_again(std::int64_t begin, std::int64_t end) const {
    return random_below_[static_cast<std::size_t>(begin)] == random_below_[static_cast<std::size_t>(end)];
  }

 private:
  double time(double seconds) const;

  double ticks_per_second_ = 1;
  double seconds_per_tick_ = 1;  // at least one of the two is 1; 0 in a profile without seconds
  std::vector<LayerCost> layers_;
  std::vector<std::int64_t> input_bytes_;
  std::vector<std::int64_t> ambient_below_;
  std::vector<std::int64_t> random_below_;  // number of layers below that are not deterministic
  std::int64_t first_grad_bytes_ = 0;       // g_0
  bool keeps_input_ = false;
  bool keeps_output_ = false;
};

}  // namespace ckpt::plan
