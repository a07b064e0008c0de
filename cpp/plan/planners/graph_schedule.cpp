#include "plan/planners/graph_schedule.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/error.h"

namespace ckpt::plan {
namespace {

// Sums of seconds become whole numbers up to this one. A graph's operations run at most twice as often as it has operations.
constexpr double largest_sum = static_cast<double>(std::int64_t{1} << 36);
static_assert(largest_sum * 2 * max_graph_layers <= static_cast<double>(std::int64_t{1} << 52));

bool runs_forward(Kind kind) {
  return kind == Kind::forward || kind == Kind::forward_tape || kind == Kind::record || kind == Kind::advance;
}

const OptionProfile& first_option(const ChainProfile& profile, std::int64_t layer) { return profile.layer(layer).options[0]; }

// The factor from seconds to times; 0 if all seconds are 0.
double time_per_second(const ChainProfile& profile) {
  double sum = 0;
  for (std::int64_t i = 0; i < profile.layers(); ++i) {
    sum += first_option(profile, i).forward_seconds + first_option(profile, i).backward_seconds;
  }
  return sum > 0 ? largest_sum / sum : 0;
}

// Bytes of the gradients that exist only while the layer runs backward, because they are added to others.
std::int64_t added_gradient_bytes(const ChainProfile& profile, std::int64_t layer, const std::vector<std::int64_t>& creators) {
  if (profile.layer(layer).has(adds_gradient) || profile.layer(layer).has(no_input_gradient)) return 0;
  std::int64_t bytes = 0;
  const std::vector<std::int64_t> inputs = profile.reads_of(layer).inputs;
  for (const std::int64_t value : inputs) {
    if (creators[static_cast<std::size_t>(value)] != layer) bytes += profile.bytes_of(value);
  }
  return bytes;
}

// Returns, by value, the layer that creates its gradient; -1: TURN, or none.
std::vector<std::int64_t> gradient_creators(const ChainProfile& profile) {
  std::vector<std::int64_t> creators(static_cast<std::size_t>(profile.layers()) + 1, -1);
  for (std::int64_t i = 0; i < profile.layers(); ++i) {
    if (profile.layer(i).has(no_input_gradient)) continue;
    const std::vector<std::int64_t> inputs = profile.reads_of(i).inputs;
    for (const std::int64_t value : inputs) creators[static_cast<std::size_t>(value)] = i;
  }
  for (const std::int64_t value : profile.outputs()) creators[static_cast<std::size_t>(value)] = -1;
  return creators;
}

// The larger of both gradients counts while an in-place layer runs backward; the search counts both.
std::int64_t overlap_in_place(const ChainProfile& profile, std::int64_t layer) {
  if (!profile.layer(layer).has(in_place) || profile.layer(layer).has(no_input_gradient)) return 0;
  return std::min(profile.bytes_of(layer), profile.bytes_of(layer + 1));
}

std::int64_t backward_bytes(const ChainProfile& profile, std::int64_t layer, const std::vector<std::int64_t>& creators) {
  const LayerProfile& of = profile.layer(layer);
  const OptionProfile& option = of.options[0];
  if (option.backward_peak_bytes == 0) {
    return option.backward_workspace_bytes + added_gradient_bytes(profile, layer, creators) - overlap_in_place(profile, layer);
  }
  const std::int64_t ended = option.tape_bytes + profile.bytes_of(layer + 1);
  std::int64_t items = ended + (of.has(needs_output) ? of.output_bytes : 0);
  const std::vector<std::int64_t> inputs = profile.reads_of(layer).inputs;
  for (const std::int64_t value : inputs) {
    if (creators[static_cast<std::size_t>(value)] == layer) items += profile.bytes_of(value);
  }
  return std::max(option.backward_peak_bytes - items, -ended);  // a peak below the items that exist afterwards has no effect
}

// Writes the runs in order of time.
class GraphWriter {
 public:
  GraphWriter(const GraphCosts& costs, const std::vector<Recomputation>& recomputations)
      : costs_(costs), size_(costs.size()), timeline_(costs) {
    for (const Recomputation& each : recomputations) timeline_.add(each);
  }

  std::vector<Action> actions() {
    auto next = timeline_.recomputations().begin();
    for (std::int32_t stage = 0; stage <= 2 * size_; ++stage) {
      for (; next != timeline_.recomputations().end() && next->stage == stage; ++next)
        run_forward(next->operation, timeline_.time_of(*next));
      run_main(stage);
    }
    actions_.push_back(end());
    return std::move(actions_);
  }

 private:
  void run_main(std::int32_t stage) {
    const GraphTimeline::Time time = timeline_.time_of_main(stage);
    if (stage < size_) return run_forward(stage, time);
    std::vector<std::int32_t> values;  // that it reads
    if (stage == size_) {
      actions_.push_back(turn());
      values = timeline_.outputs();
    } else {
      const std::int32_t operation = 2 * size_ - stage;
      actions_.push_back(backward(operation));
      values = costs_.operation(operation).needed_inputs;
      if (costs_.operation(operation).needs_output) values.push_back(operation + 1);
    }
    if (stage == 2 * size_) append_kept(values);
    drop_unread(std::move(values), time);
  }

  void run_forward(std::int32_t operation, GraphTimeline::Time time) {
    const bool records = timeline_.last_run(operation, timeline_.time_of_backward(operation)) == time;
    actions_.push_back(records ? forward_tape(operation) : forward(operation, operation + 1));
    std::vector<std::int32_t> values = costs_.operation(operation).inputs;
    values.push_back(operation + 1);
    drop_unread(std::move(values), time);
  }

  // The items that stay with the caller end with the step.
  void append_kept(std::vector<std::int32_t>& values) const {
    if (costs_.keeps_input) values.push_back(0);
    if (!costs_.keeps_outputs) return;
    for (const std::int32_t value : timeline_.outputs()) values.push_back(value);
  }

  // Drops those of the values that are not read again before an operation computes them again.
  void drop_unread(std::vector<std::int32_t> values, GraphTimeline::Time time) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const std::int32_t value : values) {
      if (!timeline_.is_read_after(value, time)) actions_.push_back(drop_input(value));
    }
  }

  const GraphCosts& costs_;
  const std::int32_t size_;
  GraphTimeline timeline_;
  std::vector<Action> actions_;
};

}  // namespace

GraphCosts graph_costs(const ChainProfile& profile) {
  if (profile.layers() > max_graph_layers) {
    base::fail(base::Status::unsupported, "profile has ", profile.layers(), " layers; graphs can be planned up to ",
               max_graph_layers);
  }
  const double factor = time_per_second(profile);
  const auto time_of = [&](double seconds) { return std::round(seconds * factor); };
  const std::vector<std::int64_t> creators = gradient_creators(profile);
  GraphCosts costs{.input_bytes = profile.bytes_of(0),
                   .operations = {},
                   .outputs = {},
                   .keeps_input = profile.has(keeps_input),
                   .keeps_outputs = profile.has(keeps_output)};
  const auto values_of = [](const std::vector<std::int64_t>& values) {
    return std::vector<std::int32_t>(values.begin(), values.end());  // below max_graph_layers
  };
  costs.outputs = values_of(profile.outputs());
  if (profile.is_graph()) costs.edges = std::make_shared<const GraphEdges>(*profile.graph());
  for (std::int64_t i = 0; i < profile.layers(); ++i) {
    const LayerProfile& layer = profile.layer(i);
    const OptionProfile& option = layer.options[0];
    const bool is_kept = costs.keeps_outputs && std::ranges::binary_search(costs.outputs, i + 1);
    const GraphEdges::Reads reads = profile.reads_of(i);
    costs.operations.push_back({.inputs = values_of(reads.inputs),
                                .needed_inputs = values_of(reads.needed),
                                .output_bytes = layer.output_bytes,
                                .tape_bytes = option.tape_bytes,
                                .forward_time = factor > 0 ? time_of(option.forward_seconds) : 1,
                                .backward_time = time_of(option.backward_seconds),
                                .deterministic = layer.has(deterministic) && !is_kept,
                                .needs_output = layer.has(needs_output),
                                .makes_gradients = !layer.has(no_input_gradient),
                                .ambient_bytes = layer.ambient_bytes,
                                .forward_bytes = option.forward_workspace_bytes,
                                .backward_bytes = backward_bytes(profile, i, creators)});
  }
  return costs;
}

std::shared_ptr<const Schedule> graph_schedule(const GraphCosts& costs, const std::vector<Recomputation>& recomputations,
                                               std::string name) {
  const std::vector<Action> actions = GraphWriter(costs, recomputations).actions();
  return make_graph_list(std::move(name), costs.size(), actions, costs.edges);
}

std::vector<Recomputation> recomputations_of(const Schedule& schedule) {
  const auto size = static_cast<std::int32_t>(schedule.layers());
  std::set<Recomputation> found;
  // The next main operation: forward i has stage i, TURN n, and the backward of layer i 2 n - i.
  std::int32_t stage = 0;
  // The cursor does not outlive this call's reference: the aliasing pointer owns nothing.
  Cursor cursor(std::shared_ptr<const Schedule>(std::shared_ptr<void>(), &schedule));
  for (Action action = cursor.next(); action.kind != Kind::end; action = cursor.next()) {
    const auto first = static_cast<std::int32_t>(action.first);
    if (action.kind == Kind::turn) stage = size + 1;
    if (action.kind == Kind::backward) stage = 2 * size - first + 1;
    if (!runs_forward(action.kind)) continue;
    for (std::int32_t layer = first; layer < action.last; ++layer) {
      if (layer == stage) {
        ++stage;
      } else {
        found.insert({stage, layer});
      }
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace ckpt::plan
