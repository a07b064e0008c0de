#include "engine/profiler.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/entered.h"
#include "base/log.h"
#include "engine/blas.h"

namespace ckpt::engine {
namespace {

using tensor::Dtype;
using tensor::Tensor;

std::shared_ptr<Tensor> zeros(std::int64_t bytes) {
  auto tensor = Tensor::create(Dtype::u8, {bytes});
  if (bytes > 0) std::memset(tensor->data(), 0, static_cast<std::size_t>(bytes));
  return tensor;
}

// What measuring one layer changes, put back at the end.
class Unchanged {
 public:
  explicit Unchanged(Layer& layer) : layer_(layer), ambient_(zeros(layer.ambient_bytes())) {
    for (const Parameter& parameter : layer.parameters()) {
      gradients_.push_back(zeros(parameter.gradient->bytes()));
      copy(*parameter.gradient, *gradients_.back());
    }
    if (layer.ambient_bytes() > 0) layer.save_ambient(ambient_->data());
  }
  ~Unchanged() {
    for (std::size_t i = 0; i < gradients_.size(); ++i) copy(*gradients_[i], *layer_.parameters()[i].gradient);
  }
  Unchanged(const Unchanged&) = delete;
  Unchanged& operator=(const Unchanged&) = delete;

  // Apart from the destructor: a custom layer's callback may fail.
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
double least_seconds(std::int32_t runs, Run&& run) {
  const auto& clock = *base::monotonic_clock();
  double least = std::numeric_limits<double>::max();
  for (std::int32_t i = 0; i < runs; ++i) {
    const std::int64_t begin = clock.now_ns();
    run();
    least = std::min(least, static_cast<double>(clock.now_ns() - begin) * 1e-9);
  }
  return least;
}

void measure_layer(Layer& layer, plan::LayerProfile& row, const TensorSpec& input, const TensorSpec& output, RunContext context,
                   std::int32_t runs) {
  Unchanged unchanged(layer);
  const auto x = zeros(input.bytes());
  const auto y = zeros(output.bytes());
  const auto grad_x = zeros(input.bytes());
  const auto grad_y = zeros(output.bytes());
  context.input = &input;
  context.output = &output;
  for (std::size_t option = 0; option < row.options.size(); ++option) {
    plan::OptionProfile& needs = row.options[option];
    const auto tape = zeros(needs.tape_bytes);
    const auto workspace =
        zeros(std::max({needs.forward_workspace_bytes, needs.backward_workspace_bytes, needs.record_workspace_bytes}));
    context.option = static_cast<std::int32_t>(option);
    needs.forward_seconds = least_seconds(runs, [&] {
      layer.forward(context, {x->data(), y->data(), tape->data(), workspace->data()});
    });
    if (needs.has_record) {
      needs.record_seconds = least_seconds(runs, [&] {
        layer.record(context, {x->data(), nullptr, tape->data(), workspace->data()});
      });
    }
    needs.backward_seconds = least_seconds(runs, [&] {
      layer.backward(
          context, {row.has(plan::needs_input) ? x->data() : nullptr, row.has(plan::needs_output) ? y->data() : nullptr,
                    tape->data(), grad_y->data(), row.has(plan::no_input_gradient) ? nullptr : grad_x->data(), workspace->data()});
    });
  }
  unchanged.restore_ambient();
}

plan::ChainProfile measure_layers(Chain& chain, const ChainShape& shape, std::int32_t runs, base::ThreadPool& pool) {
  const TensorSpec& input = shape.specs.front();
  const auto targets = zeros(input.samples());
  const base::Entered entered(&chain);
  std::optional<BlasSession> blas;
  if (chain.needs_blas()) blas.emplace();
  plan::ChainProfile measured(input.bytes());
  for (std::int64_t i = 0; i < chain.layers(); ++i) {
    plan::LayerProfile row = shape.profile.layer(i);
    RunContext context;
    context.layer = chain.number(i);
    context.targets = targets.get();
    context.pool = &pool;
    const auto at = static_cast<std::size_t>(i);
    measure_layer(chain.layer(i), row, shape.specs[at], shape.specs[at + 1], context, runs);
    measured.add_layer(std::move(row));
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
  base::log(base::LogLevel::info, "engine",
            base::cat("profile of ", profile.layers(), " layers for ", to_text(input), ", least of ", runs, " runs: forward ",
                      forward, " s, backward ", backward, " s, activations and tapes ", stored, " bytes"));
}

}  // namespace

ChainShape measured_shape(Chain& chain, const TensorSpec& input, std::int32_t runs, base::ThreadPool& pool) {
  base::require(runs >= 1, "measured_steps is ", runs, "; at least 1");
  ChainShape shape = chain.shape(input);
  plan::ChainProfile measured = measure_layers(chain, shape, runs, pool);
  log_profile(measured, input, runs);
  shape.profile = std::move(measured);
  return shape;
}

}  // namespace ckpt::engine
