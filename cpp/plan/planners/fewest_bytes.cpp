#include "plan/planners/fewest_bytes.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace ckpt::plan {
namespace {

constexpr std::int64_t max_searched_layers = 6;
constexpr std::int32_t max_searched_options = 15;

// The contents of memory between two runs.
struct Contents {
  std::uint32_t inputs = 0;        // one bit for each INPUT
  std::uint32_t tapes = 0;         // four bits for each layer: option + 1
  std::int32_t forwarded = 0;      // layers below this one ran forward
  std::int32_t grad = -1;          // GRAD(grad) exists; -1 before the TURN
  bool output_is_callers = false;  // INPUT(n) is still the buffer that the TURN handed over

  bool has_input(std::int32_t i) const { return (inputs >> i & 1U) != 0; }
  std::int32_t tape(std::int32_t i) const { return static_cast<std::int32_t>(tapes >> 4 * i & 15U) - 1; }
  void set_tape(std::int32_t i, std::int32_t option) {
    tapes = (tapes & ~(15U << 4 * i)) | static_cast<std::uint32_t>(option + 1) << 4 * i;
  }
  std::uint64_t key() const {
    return std::uint64_t{inputs} | std::uint64_t{tapes} << 8 | static_cast<std::uint64_t>(forwarded) << 40 |
           static_cast<std::uint64_t>(grad + 1) << 44 | std::uint64_t{output_is_callers} << 48;
  }
};

// Dijkstra's algorithm, where the length of a path is its peak, and among equal peaks its time.
class BytesSearch {
 public:
  BytesSearch(const ChainCosts& costs, std::int64_t max_states)
      : costs_(costs), n_(static_cast<std::int32_t>(costs.layers())), max_states_(max_states) {}

  std::optional<RunList> search() {
    Contents start;
    start.inputs = 1;
    reach(start, {live_bytes(start), 0, start.key(), {}, false});
    while (!queue_.empty() && std::ssize(known_) <= max_states_) {
      const auto [peak, time, key] = queue_.top();
      queue_.pop();
      const Found& found = known_.at(key);
      if (std::tie(found.way.peak, found.way.time) < std::tie(peak, time)) continue;
      if (found.contents.grad == 0 && found.contents.inputs == 0) return list_to(key);
      expand(Contents(found.contents), peak, time);
    }
    return std::nullopt;
  }

 private:
  // The last step to some contents.
  struct Way {
    std::int64_t peak = 0;
    double time = 0;
    std::uint64_t from = 0;
    Run run;
    bool runs = false;  // false: an input was dropped
  };
  struct Found {
    Contents contents;
    Way way;
  };

  std::int64_t live_bytes(const Contents& at) const {
    std::int64_t bytes = at.grad >= 0 ? costs_.grad_bytes(at.grad) : 0;
    for (std::int32_t i = 0; i <= n_; ++i) bytes += at.has_input(i) || costs_.keeps(i) ? costs_.input_bytes(i) : 0;
    if (at.grad >= 0 && !(at.has_input(n_) && at.output_is_callers)) bytes += costs_.kept_output_bytes();
    for (std::int32_t i = 0; i < n_; ++i) {
      if (at.tape(i) >= 0) bytes += costs_.option(i, at.tape(i)).tape_bytes;
      if (i < at.forwarded && (at.grad < 0 || i < at.grad)) bytes += costs_.layer(i).ambient_bytes;
    }
    return bytes;
  }

  void reach(const Contents& contents, const Way& way) {
    const auto [known, is_new] = known_.try_emplace(contents.key(), Found{contents, way});
    if (!is_new) {
      if (std::tie(known->second.way.peak, known->second.way.time) <= std::tie(way.peak, way.time)) return;
      known->second.way = way;
    }
    queue_.push({way.peak, way.time, contents.key()});
  }

  void expand(const Contents& at, std::int64_t peak, double time) {
    const std::int64_t live = live_bytes(at);
    const auto run = [&](const Contents& next, const Run& by, std::int64_t bytes, double run_time) {
      reach(next, {std::max({peak, bytes, live_bytes(next)}), time + run_time, at.key(), by, true});
    };
    for (std::int32_t i = 0; i <= n_; ++i) {
      if (!at.has_input(i)) continue;
      Contents dropped = at;
      dropped.inputs &= ~(1U << i);
      dropped.output_is_callers = at.output_is_callers && i < n_;
      reach(dropped, {peak, time, at.key(), {}, false});
    }
    const std::int32_t end = at.grad < 0 ? std::min(at.forwarded + 1, n_) : at.grad;
    for (std::int32_t k = 0; k < end; ++k) {
      if (at.has_input(k) && (k >= at.forwarded || costs_.layer(k).deterministic)) expand_forward(at, live, k, run);
    }
    if (at.grad > 0) expand_backward(at, live, run);
    if (at.grad < 0 && at.has_input(n_)) {
      Contents turned = at;
      turned.grad = n_;
      turned.output_is_callers = costs_.kept_output_bytes() > 0;
      run(turned, {Run::Kind::turn, n_}, live + costs_.input_bytes(n_), 0);
    }
  }

  template <class Reach>
  void expand_forward(const Contents& at, std::int64_t live, std::int32_t k, const Reach& run) const {
    const LayerCost& layer = costs_.layer(k);
    const std::int64_t output = costs_.input_bytes(k + 1);
    const std::int64_t before = live + layer.ambient_bytes;
    const bool has_output = at.has_input(k + 1);
    Contents ran = at;
    ran.forwarded = std::max(at.forwarded, k + 1);
    Contents created = ran;
    created.inputs |= 1U << (k + 1);
    for (std::int32_t o = 0; o < costs_.options(k); ++o) {
      const OptionCost& option = costs_.option(k, o);
      const std::int64_t forward = before + option.forward_workspace_bytes;
      if (!has_output) run(created, {Run::Kind::forward, k, o}, forward + output, option.forward_time);
      if (!has_output && costs_.may_advance(k)) {
        Contents advanced = created;
        advanced.inputs &= ~(1U << k);
        const std::int64_t input = costs_.input_bytes(k);
        run(advanced, {Run::Kind::forward, k, o}, forward - input + std::max(input, output), option.forward_time);
      }
      if (at.tape(k) >= 0) continue;
      Contents taped = created;
      taped.set_tape(k, o);
      if (!has_output) run(taped, {Run::Kind::tape, k, o, true}, forward + output + option.tape_bytes, option.forward_time);
      if (has_output && layer.needs_output) continue;
      if (!layer.needs_output) taped.inputs = ran.inputs;
      const bool makes_output = layer.needs_output || !option.has_record;
      const std::int64_t record = before + (option.has_record ? option.record_workspace_bytes : option.forward_workspace_bytes);
      run(taped, {Run::Kind::tape, k, o, false, has_output}, record + option.tape_bytes + (makes_output ? output : 0),
          option.has_record ? option.record_time : option.forward_time);
    }
  }

  template <class Reach>
  void expand_backward(const Contents& at, std::int64_t live, const Reach& run) const {
    const std::int32_t i = at.grad - 1;
    const LayerCost& layer = costs_.layer(i);
    const std::int32_t o = at.tape(i);
    if (o < 0 || (layer.needs_input && !at.has_input(i)) || (layer.needs_output && !at.has_input(i + 1))) return;
    Contents ran = at;
    ran.set_tape(i, -1);
    ran.grad = i;
    const std::int64_t others = costs_.backward_bytes(i, o) - costs_.input_bytes(i + 1) - costs_.needed_output_bytes(i);
    run(ran, {Run::Kind::backward, i, o}, live + others, costs_.option(i, o).backward_time);
  }

  // Leaves out the runs that compute an output that nothing uses: they may be on a path with the fewest bytes.
  RunList list_to(std::uint64_t key) const {
    RunList list;
    std::uint32_t used = 0;
    for (std::uint64_t from = known_.at(key).way.from; key != from; key = std::exchange(from, known_.at(from).way.from)) {
      const Way& way = known_.at(key).way;
      if (!way.runs) continue;
      const LayerCost* const layer = way.run.layer < n_ ? &costs_.layer(way.run.layer) : nullptr;
      const std::uint32_t input = 1U << way.run.layer;
      switch (way.run.kind) {
        case Run::Kind::backward: used |= (layer->needs_input ? input : 0) | (layer->needs_output ? input << 1U : 0); break;
        case Run::Kind::forward:
          if ((used & input << 1U) == 0) continue;
          [[fallthrough]];
        case Run::Kind::tape: used &= way.run.leaves_output ? used : ~(input << 1U); [[fallthrough]];
        case Run::Kind::turn: used |= input;
      }
      list.runs.push_back(way.run);
    }
    std::reverse(list.runs.begin(), list.runs.end());
    return list;
  }

  const ChainCosts& costs_;
  const std::int32_t n_;
  const std::int64_t max_states_;
  std::unordered_map<std::uint64_t, Found> known_;
  using Waiting = std::tuple<std::int64_t, double, std::uint64_t>;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> queue_;
};

}  // namespace

std::optional<RunList> fewest_bytes(const ChainCosts& costs, std::int64_t max_states) {
  if (costs.layers() > max_searched_layers) return std::nullopt;
  for (std::int64_t i = 0; i < costs.layers(); ++i) {
    if (costs.options(i) > max_searched_options) return std::nullopt;
  }
  std::optional<RunList> list = BytesSearch(costs, max_states).search();
  return list && count_runs(costs, *list) ? list : std::nullopt;
}

}  // namespace ckpt::plan
