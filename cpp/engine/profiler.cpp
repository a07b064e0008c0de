#include "engine/profiler.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/entered.h"
#include "base/log.h"
#include "engine/blas.h"
#include "engine/executor.h"
#include "engine/median.h"

namespace ckpt::engine {
namespace {

using tensor::Dtype;
using tensor::Tensor;

std::shared_ptr<Tensor> zeros(std::int64_t bytes) {
  auto tensor = Tensor::create(Dtype::u8, {bytes});
  if (bytes > 0) std::memset(tensor->data(), 0, static_cast<std::size_t>(bytes));
  return tensor;
}

// Saves the state that measuring a layer changes, and restores it at the end.
class SavedState {
 public:
  explicit SavedState(Layer& layer) : layer_(layer), ambient_(zeros(layer.ambient_bytes())) {
    for (const Parameter& parameter : layer.parameters()) {
      gradients_.push_back(zeros(parameter.gradient->bytes()));
      copy(*parameter.gradient, *gradients_.back());
    }
    if (layer.ambient_bytes() > 0) layer.save_ambient(ambient_->data());
  }
  ~SavedState() {
    for (std::size_t i = 0; i < gradients_.size(); ++i) copy(*gradients_[i], *layer_.parameters()[i].gradient);
    layer_.discard_gradients();
  }
  SavedState(const SavedState&) = delete;
  SavedState& operator=(const SavedState&) = delete;

  // Separate from the destructor: a custom layer's callback may fail.
  void restore_ambient() {
    if (layer_.ambient_bytes() > 0) layer_.restore_ambient(ambient_->data());
  }

 private:
  static void copy(const Tensor& from, const Tensor& to) {
    if (from.bytes() > 0) std::memcpy(to.data(), from.data(), static_cast<std::size_t>(from.bytes()));
  }

  Layer& layer_;
  std::shared_ptr<Tensor> ambient_;
  std::vector<std::shared_ptr<Tensor>> gradients_;
};

template <class Run>
double median_seconds(std::int32_t runs, Run&& run) {
  const auto& clock = *base::monotonic_clock();
  std::vector<double> seconds;
  for (std::int32_t i = 0; i < runs; ++i) {
    const std::int64_t begin = clock.now_ns();
    run();
    seconds.push_back(static_cast<double>(clock.now_ns() - begin) * 1e-9);
  }
  return median(std::move(seconds));
}

void measure_layer(Layer& layer, plan::LayerProfile& row, const TensorSpec& output, RunContext context, std::int32_t runs) {
  SavedState unchanged(layer);
  std::vector<std::shared_ptr<Tensor>> tensors;
  std::vector<const void*> x;
  std::vector<const void*> needed_x;  // by the backward
  std::vector<InputGradient> grad_x;
  for (const TensorSpec& input : context.inputs) {
    tensors.push_back(zeros(input.bytes()));
    x.push_back(tensors.back()->data());
    needed_x.push_back(row.has(plan::needs_input) ? x.back() : nullptr);
    tensors.push_back(zeros(input.bytes()));
    grad_x.push_back({row.has(plan::no_input_gradient) ? nullptr : tensors.back()->data(), false});
  }
  const auto y = zeros(output.bytes());
  const auto grad_y = zeros(output.bytes());
  context.input = context.inputs.data();
  context.output = &output;
  for (std::size_t option = 0; option < row.options.size(); ++option) {
    plan::OptionProfile& needs = row.options[option];
    const auto tape = zeros(needs.tape_bytes);
    const auto workspace =
        zeros(std::max({needs.forward_workspace_bytes, needs.backward_workspace_bytes, needs.record_workspace_bytes}));
    context.option = static_cast<std::int32_t>(option);
    needs.forward_seconds = median_seconds(runs, [&] {
      layer.forward(context, {x[0], y->data(), tape->data(), workspace->data(), x});
    });
    if (needs.has_record) {
      needs.record_seconds = median_seconds(runs, [&] {
        layer.record(context, {x[0], nullptr, tape->data(), workspace->data(), x});
      });
    }
    needs.backward_seconds = median_seconds(runs, [&] {
      layer.backward(context, {needed_x[0], row.has(plan::needs_output) ? y->data() : nullptr, tape->data(), grad_y->data(),
                               grad_x[0].data, workspace->data(), needed_x, grad_x});
    });
  }
  unchanged.restore_ambient();
}

plan::ChainProfile measure_layers(Chain& chain, const ChainShape& shape, std::int32_t runs, base::ThreadPool& pool) {
  const base::Entered entered(&chain);
  std::optional<BlasSession> blas;
  if (chain.needs_blas()) blas.emplace();
  plan::ChainProfile measured = shape.profile;
  for (std::int64_t i = 0; i < chain.layers(); ++i) {
    plan::LayerProfile row = shape.profile.layer(i);
    const TensorSpec wanted = chain.layer(i).placeholder_targets(shape.inputs_of(i)[0]);
    const auto targets = Tensor::create(wanted.dtype, wanted.shape);
    if (targets->bytes() > 0) std::memset(targets->data(), 0, static_cast<std::size_t>(targets->bytes()));
    RunContext context;
    context.inputs = shape.inputs_of(i);
    context.layer = chain.number(i);
    context.targets = targets.get();
    context.pool = &pool;
    measure_layer(chain.layer(i), row, shape.specs[static_cast<std::size_t>(i) + 1], context, runs);
    for (std::size_t option = 0; option < row.options.size(); ++option)
      measured.set_option(i, static_cast<std::int32_t>(option), row.options[option]);
  }
  return measured;
}

void log_profile(const plan::ChainProfile& profile, const TensorSpec& input, std::int32_t runs) {
  double forward = 0;
  double backward = 0;
  std::int64_t stored = profile.bytes_of(0);
  for (std::int64_t i = 0; i < profile.layers(); ++i) {
    const plan::LayerProfile& layer = profile.layer(i);
    forward += layer.options[0].forward_seconds;
    backward += layer.options[0].backward_seconds;
    stored += layer.output_bytes + layer.options[0].tape_bytes;
  }
  base::write_log(base::LogLevel::info, "engine",
                  base::cat("profile of ", profile.layers(), " layers for ", to_text(input), ", median of ", runs,
                            " runs: forward ", forward, " s, backward ", backward, " s, activations and tapes ", stored, " bytes"));
}

// ---- In the chain ----

// A layer's record makes no output, so it can follow the layer's forward only if its backward does not read the output.
bool records(const plan::LayerProfile& layer, std::size_t option) {
  return layer.options[option].has_record && layer.has(plan::deterministic) && !layer.has(plan::needs_output);
}

std::size_t option_of(const plan::LayerProfile& layer, std::size_t option) { return std::min(option, layer.options.size() - 1); }

// Returns the actions that store everything, under one option of every layer (its last one if it has fewer). with_records: layers
// that can record do so after their forward, directly before their backward.
std::vector<plan::Action> in_chain(const plan::ChainProfile& profile, std::size_t option, bool with_records) {
  const std::int64_t n = profile.layers();
  const auto records_at = [&](std::int64_t i) {
    return with_records && records(profile.layer(i), option_of(profile.layer(i), option));
  };
  // The last layer that reads each value forward (n: TURN), and the last backward that needs it (n: none).
  std::vector<std::int64_t> last_forward(static_cast<std::size_t>(n) + 1, n);
  std::vector<std::int64_t> last_backward(static_cast<std::size_t>(n) + 1, n);
  for (std::int64_t i = n; i-- > 0;) {
    const plan::GraphEdges::Reads reads = profile.reads_of(i);
    for (const std::int64_t value : reads.inputs) {
      std::int64_t& last = last_forward[static_cast<std::size_t>(value)];
      if (value < n && last == n) last = i;
    }
    for (const std::int64_t value : records_at(i) ? reads.inputs : reads.needed) last_backward[static_cast<std::size_t>(value)] = i;
    if (profile.layer(i).has(plan::needs_output)) last_backward[static_cast<std::size_t>(i) + 1] = i;
  }
  // The values to drop after each layer's forward (n: after TURN), and after its backward.
  std::vector<std::vector<std::int64_t>> after_forward(static_cast<std::size_t>(n) + 1);
  std::vector<std::vector<std::int64_t>> after_backward(static_cast<std::size_t>(n));
  for (std::size_t value = 0; value < last_forward.size(); ++value) {
    const bool is_needed = last_backward[value] < n;
    const std::int64_t layer = is_needed ? last_backward[value] : last_forward[value];
    (is_needed ? after_backward : after_forward)[static_cast<std::size_t>(layer)].push_back(static_cast<std::int64_t>(value));
  }
  std::vector<plan::Action> actions;
  const auto run = [&](plan::Action action) {
    action.option = static_cast<std::int32_t>(option_of(profile.layer(action.first), option));
    actions.push_back(action);
  };
  const auto drop_all = [&](const std::vector<std::int64_t>& values) {
    for (const std::int64_t value : values) actions.push_back(plan::drop_input(value));
  };
  for (std::int64_t i = 0; i < n; ++i) {
    run(records_at(i) ? plan::forward(i, i + 1) : plan::forward_tape(i));
    drop_all(after_forward[static_cast<std::size_t>(i)]);
  }
  actions.push_back(plan::turn());
  drop_all(after_forward.back());
  for (std::int64_t i = n; i-- > 0;) {
    if (records_at(i)) run(plan::record(i));
    run(plan::backward(i));
    drop_all(after_backward[static_cast<std::size_t>(i)]);
  }
  actions.push_back(plan::end());
  return actions;
}

// Returns the profile with the layers' seconds under one option.
plan::ChainProfile measured_by(const std::vector<plan::Action>& actions, const std::shared_ptr<Chain>& chain,
                               const ChainShape& shape, const Step& step, std::int32_t runs,
                               const std::shared_ptr<base::ThreadPool>& pool, const plan::ChainProfile& profile) {
  Executor executor(chain, *plan::make_list(profile.layers(), actions), shape, 0, pool, std::make_shared<memory::Tracker>());
  executor.run(step);
  executor.reset_times();
  for (std::int32_t i = 0; i < runs; ++i) executor.run(step);
  return executor.refined(profile);
}

}  // namespace

ChainShape measured_shape(Chain& chain, const TensorSpec& input, std::int32_t runs, base::ThreadPool& pool) {
  base::require(runs >= 1, "measured_steps is ", runs, "; expected at least 1");
  ChainShape shape = chain.shape(input);
  plan::ChainProfile measured = measure_layers(chain, shape, runs, pool);
  log_profile(measured, input, runs);
  shape.profile = std::move(measured);
  return shape;
}

plan::ChainProfile measured_in_chain(const std::shared_ptr<Chain>& chain, const Step& given, std::int32_t runs,
                                     const std::shared_ptr<base::ThreadPool>& pool) {
  base::require(runs >= 1 && runs <= StepTimes::max_steps, "measured_steps is ", runs, "; expected 1 .. ", StepTimes::max_steps);
  base::require(given.input != nullptr, "step.input is NULL");
  const TensorSpec input{given.input->dtype(), given.input->shape()};
  const ChainShape shape = chain->shape(input);
  shape.profile.require_whole();
  Step step = given;
  step.output = step.input_gradient = nullptr;
  std::vector<std::unique_ptr<SavedState>> unchanged;
  const auto inside_chain = [&](auto&& work) {  // custom layers' callbacks run there
    const base::Entered entered(chain.get());
    work();
  };
  inside_chain([&] {
    for (std::int64_t i = 0; i < chain->layers(); ++i) unchanged.push_back(std::make_unique<SavedState>(chain->layer(i)));
  });
  std::size_t options = 0;
  bool has_record = false;
  for (std::int64_t i = 0; i < chain->layers(); ++i) {
    const plan::LayerProfile& layer = shape.profile.layer(i);
    options = std::max(options, layer.options.size());
    for (std::size_t option = 0; option < layer.options.size(); ++option) has_record = has_record || records(layer, option);
  }
  plan::ChainProfile measured = shape.profile;
  // Forwards and backwards are measured where everything is stored, which runs last and overwrites the others.
  for (const bool with_records : {true, false}) {
    for (std::size_t option = 0; option < options && (has_record || !with_records); ++option)
      measured = measured_by(in_chain(measured, option, with_records), chain, shape, step, runs, pool, measured);
  }
  inside_chain([&] {
    for (const auto& layer : unchanged) layer->restore_ambient();
  });
  log_profile(measured, input, runs);
  return measured;
}

}  // namespace ckpt::engine
