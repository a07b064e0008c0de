// Computes the least time of a step within a budget by exhaustive search over the contents of memory: for chains of a few layers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plan/profile.h"

namespace ckpt::plan::test {

// Dijkstra's search over the states of a step. Layers run one at a time: a longer FORWARD is a sequence of them, with drops in
// between, and with ADVANCE for layers that may run in place. It counts bytes itself, following the comment of
// ckpt_schedule_verify.
class ExhaustiveSearch {
 public:
  // persistent: only schedules that keep the input of a recorded layer if its backward reads that input.
  explicit ExhaustiveSearch(const ChainProfile& profile, bool persistent = false)
      : profile_(profile), n_(profile.layers()), persistent_(persistent) {}

  // Returns infinity if nothing fits.
  double min_seconds(std::int64_t budget) {
    budget_ = budget;
    known_.clear();
    queue_ = {};
    State start;
    start.inputs = 1;
    if (bytes_of(start) <= budget) reach(start, 0);
    while (!queue_.empty()) {
      const auto [seconds, key] = queue_.top();
      queue_.pop();
      if (known_.at(key) < seconds) continue;
      const State state = State::from(key);
      if (state.turned && state.grad == 0 && state.inputs == 0) return seconds;
      expand(state, seconds);
    }
    return std::numeric_limits<double>::infinity();
  }

 private:
  struct State {
    std::uint32_t inputs = 0;    // one bit for each INPUT
    std::uint32_t tapes = 0;     // four bits for each layer: option + 1
    std::int64_t forwarded = 0;  // layers below this one ran at least once
    std::int64_t grad = 0;       // GRAD(grad) exists after TURN
    bool turned = false;
    bool output_is_callers = false;  // INPUT(n) exists since TURN, and the caller keeps it after its drop

    std::uint64_t key() const {
      return std::uint64_t{inputs} | std::uint64_t{tapes} << 12 | static_cast<std::uint64_t>(forwarded) << 44 |
             static_cast<std::uint64_t>(grad) << 50 | (turned ? std::uint64_t{1} << 60 : 0) |
             (output_is_callers ? std::uint64_t{1} << 61 : 0);
    }
    static State from(std::uint64_t key) {
      State state;
      state.inputs = key & 0xfff;
      state.tapes = static_cast<std::uint32_t>(key >> 12);
      state.forwarded = (key >> 44) & 63;
      state.grad = (key >> 50) & 63;
      state.turned = (key >> 60 & 1) != 0;
      state.output_is_callers = (key >> 61 & 1) != 0;
      return state;
    }
    bool has_input(std::int64_t i) const { return (inputs >> i & 1) != 0; }
    std::int32_t tape(std::int64_t i) const { return static_cast<std::int32_t>(tapes >> 4 * i & 15) - 1; }
    void set_tape(std::int64_t i, std::int32_t option) {
      tapes = (tapes & ~(15U << 4 * i)) | static_cast<std::uint32_t>(option + 1) << 4 * i;
    }
  };

  std::int64_t grad_bytes(std::int64_t i) const {
    return i == 0 && profile_.layer(0).has(no_input_gradient) ? 0 : profile_.bytes_of(i);
  }

  std::int64_t bytes_of(const State& state) const {
    std::int64_t bytes = state.turned ? grad_bytes(state.grad) : 0;
    for (std::int64_t i = 0; i <= n_; ++i) bytes += state.has_input(i) ? profile_.bytes_of(i) : 0;
    if (profile_.has(keeps_input) && !state.has_input(0)) bytes += profile_.bytes_of(0);
    const bool output_counted = state.has_input(n_) && state.output_is_callers;
    if (profile_.has(keeps_output) && state.turned && !output_counted) bytes += profile_.bytes_of(n_);
    for (std::int64_t i = 0; i < n_; ++i) {
      const std::int32_t option = state.tape(i);
      if (option >= 0) bytes += profile_.layer(i).options[static_cast<std::size_t>(option)].tape_bytes;
      if (i < state.forwarded && !(state.turned && i >= state.grad)) bytes += profile_.layer(i).ambient_bytes;
    }
    return bytes;
  }

  void reach(const State& state, double seconds) {
    const std::uint64_t key = state.key();
    const auto [known, is_new] = known_.try_emplace(key, seconds);
    if (!is_new && known->second <= seconds) return;
    known->second = seconds;
    queue_.push({seconds, key});
  }

  void expand(const State& state, double seconds) {
    const std::int64_t live = bytes_of(state);
    for (std::int64_t i = 0; i <= n_; ++i) {
      if (!state.has_input(i)) continue;
      if (persistent_ && i < n_ && state.tape(i) >= 0 && profile_.layer(i).has(needs_input)) continue;
      State dropped = state;
      dropped.inputs &= ~(1U << i);
      if (i == n_) dropped.output_is_callers = false;
      reach(dropped, seconds);
    }
    const std::int64_t runnable = state.turned ? state.grad : std::min(state.forwarded + 1, n_);
    for (std::int64_t k = 0; k < runnable; ++k) {
      if (state.has_input(k)) expand_forward(state, seconds, live, k);
    }
    if (!state.turned) {
      if (!state.has_input(n_) || live + profile_.bytes_of(n_) > budget_) return;
      State turned = state;
      turned.turned = true;
      turned.grad = n_;
      turned.output_is_callers = profile_.has(keeps_output);
      reach(turned, seconds);
    } else if (state.grad > 0) {
      expand_backward(state, seconds, live);
    }
  }

  void expand_forward(const State& state, double seconds, std::int64_t live, std::int64_t k) {
    const LayerProfile& layer = profile_.layer(k);
    if (k < state.forwarded && !layer.has(deterministic)) return;
    State ran = state;
    ran.forwarded = std::max(state.forwarded, k + 1);
    const std::int64_t before = profile_.bytes_of(k);
    const std::int64_t output = profile_.bytes_of(k + 1);
    const std::int64_t base = live + layer.ambient_bytes;
    const bool has_output = state.has_input(k + 1);
    for (std::size_t o = 0; o < layer.options.size(); ++o) {
      const OptionProfile& option = layer.options[o];
      const auto number = static_cast<std::int32_t>(o);
      const std::int64_t running = base + output + option.forward_workspace_bytes;
      State created = ran;
      created.inputs |= 1U << (k + 1);
      if (!has_output && running <= budget_) reach(created, seconds + option.forward_seconds);
      const std::int64_t running_in_place = base - before + std::max(before, output) + option.forward_workspace_bytes;
      if (!has_output && layer.has(in_place) && running_in_place <= budget_ && !(k == 0 && profile_.has(keeps_input))) {
        State advanced = created;
        advanced.inputs &= ~(1U << k);
        reach(advanced, seconds + option.forward_seconds);
      }
      if (state.tape(k) >= 0) continue;
      created.set_tape(k, number);
      if (!has_output && running + option.tape_bytes <= budget_) reach(created, seconds + option.forward_seconds);
      State recorded = layer.has(needs_output) ? created : ran;
      recorded.set_tape(k, number);
      if (layer.has(needs_output) && has_output) continue;
      const bool makes_output = layer.has(needs_output) || !option.has_record;
      const std::int64_t recording = base + option.tape_bytes + (makes_output ? output : 0) +
                                     (option.has_record ? option.record_workspace_bytes : option.forward_workspace_bytes);
      if (recording <= budget_) reach(recorded, seconds + (option.has_record ? option.record_seconds : option.forward_seconds));
    }
  }

  void expand_backward(const State& state, double seconds, std::int64_t live) {
    const std::int64_t i = state.grad - 1;
    const LayerProfile& layer = profile_.layer(i);
    if (state.tape(i) < 0 || (layer.has(needs_input) && !state.has_input(i))) return;
    if (layer.has(needs_output) && !state.has_input(i + 1)) return;
    const OptionProfile& option = layer.options[static_cast<std::size_t>(state.tape(i))];
    const std::int64_t created = grad_bytes(i);
    const std::int64_t behind = profile_.bytes_of(i + 1);
    const std::int64_t grads = layer.has(in_place) ? std::max(created, behind) - behind : created;
    State ran = state;
    ran.set_tape(i, -1);
    ran.grad = i;
    if (option.backward_peak_bytes > 0) {
      const std::int64_t read = option.tape_bytes + behind + (layer.has(needs_output) ? behind : 0);
      if (std::max(live - read + option.backward_peak_bytes, bytes_of(ran) + layer.ambient_bytes) > budget_) return;
    } else if (live + grads + option.backward_workspace_bytes > budget_) {
      return;
    }
    reach(ran, seconds + option.backward_seconds);
  }

  const ChainProfile& profile_;
  std::int64_t n_;
  bool persistent_;
  std::int64_t budget_ = 0;
  std::unordered_map<std::uint64_t, double> known_;
  std::priority_queue<std::pair<double, std::uint64_t>, std::vector<std::pair<double, std::uint64_t>>, std::greater<>> queue_;
};

}  // namespace ckpt::plan::test
