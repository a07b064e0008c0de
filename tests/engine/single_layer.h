// One layer that runs without an executor, in buffers filled with a pattern before each run, so that unwritten bytes are detected.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "engine/blas.h"
#include "models.h"

namespace ckpt::engine::test {

using Bytes = std::vector<std::byte>;

// The keys of a run's randomness, and its mode.
struct RunKeys {
  std::int64_t step = 2;
  std::uint64_t seed = 9;
  std::int64_t layer = 5;
  std::int64_t first_sample = 0;
  bool evaluation = false;
};

struct LayerRun {
  Bytes output;
  Bytes tape;
  Bytes input_gradient;  // empty if the layer computes none
  Bytes gradients;       // of all parameters, concatenated
  friend bool operator==(const LayerRun&, const LayerRun&) = default;
};

class SingleLayer {
 public:
  SingleLayer(std::shared_ptr<Layer> layer, const TensorSpec& input, int thread_count = 2)
      : layer_(std::move(layer)), input_spec_(input), output_spec_(layer_->output(input)), pool_(threads(thread_count)) {
    input_ = Tensor::create(input.dtype, input.shape);
    output_gradient_ = Tensor::create(output_spec_.dtype, output_spec_.shape);
    std::mt19937 random(23);
    std::uniform_real_distribution<double> uniform(-1, 1);
    if (is_float(input.dtype)) fill(*input_, [&] { return 2 * uniform(random); });
    fill(*output_gradient_, [&] { return uniform(random); });
    spread_parameters(parameters());
  }

  Layer& layer() const { return *layer_; }
  const TensorSpec& output_spec() const { return output_spec_; }
  const Tensor& input() const { return *input_; }
  const Tensor& output_gradient() const { return *output_gradient_; }
  RunKeys& keys() { return keys_; }
  // Returns the parameters of the layer with the values in use, its own or another layer's.
  std::span<const Parameter> parameters() const {
    return layer_->tied_to() != nullptr ? layer_->tied_to()->parameters() : layer_->parameters();
  }
  bool makes_input_gradient() const { return (layer_->flags() & plan::no_input_gradient) == 0; }

  // Returns the output of a forward run that records nothing.
  Bytes output() {
    Buffer output(output_spec_.bytes());
    const RunContext context = context_of(0);
    Buffer workspace(layer_->needs(input_spec_, 0).forward_workspace_bytes);
    layer_->forward(context, {input_->data(), output.data(), nullptr, workspace.data()});
    return output.bytes();
  }

  // Returns the tape written by record.
  Bytes record(std::int32_t option) {
    const OptionNeeds needs = layer_->needs(input_spec_, option);
    Buffer tape(needs.tape_bytes);
    Buffer workspace(needs.record_workspace_bytes);
    layer_->record(context_of(option), {input_->data(), nullptr, tape.data(), workspace.data()});
    return tape.bytes();
  }

  // Runs forward and, from gradients of 0, backward, which gets only the buffers that the flags request.
  LayerRun run(std::int32_t option) {
    discard_gradients();
    return run_on(option);
  }

  // The same, adding to the current gradients.
  LayerRun run_on(std::int32_t option) {
    const OptionNeeds needs = layer_->needs(input_spec_, option);
    const RunContext context = context_of(option);
    const std::uint32_t flags = layer_->flags();
    Buffer output(output_spec_.bytes());
    Buffer tape(needs.tape_bytes);
    Buffer forward_workspace(needs.forward_workspace_bytes);
    layer_->forward(context, {input_->data(), output.data(), tape.data(), forward_workspace.data()});
    LayerRun result{.output = output.bytes(), .tape = tape.bytes(), .input_gradient = {}, .gradients = {}};
    Buffer input_gradient(makes_input_gradient() ? input_spec_.bytes() : 0);
    Buffer backward_workspace(needs.backward_workspace_bytes);
    layer_->backward(context, {(flags & plan::needs_input) != 0 ? input_->data() : nullptr,
                               (flags & plan::needs_output) != 0 ? output.data() : nullptr, tape.data(), output_gradient_->data(),
                               input_gradient.data(), backward_workspace.data()});
    layer_->gather_gradients();
    result.input_gradient = input_gradient.bytes();
    for (const Parameter& parameter : parameters()) {
      const auto bytes = parameter.gradient->byte_span();
      result.gradients.insert(result.gradients.end(), bytes.begin(), bytes.end());
    }
    return result;
  }

 private:
  // Aligned, and filled with the pattern; a null address for zero bytes.
  class Buffer {
   public:
    explicit Buffer(std::int64_t bytes) : tensor_(Tensor::create(Dtype::u8, {bytes})) {
      if (bytes > 0) std::memset(tensor_->data(), 0x5a, static_cast<std::size_t>(bytes));
    }
    void* data() const { return tensor_->bytes() == 0 ? nullptr : tensor_->data(); }
    Bytes bytes() const { return {tensor_->byte_span().begin(), tensor_->byte_span().end()}; }

   private:
    std::shared_ptr<Tensor> tensor_;
  };

  template <class Next>
  static void fill(const Tensor& tensor, Next&& next) {
    with_float(tensor.dtype(), [&](auto zero) {
      using T = decltype(zero);
      for (std::int64_t i = 0; i < tensor.shape().elements(); ++i) tensor.data_as<T>()[i] = static_cast<T>(next());
    });
  }

  void discard_gradients() {
    layer_->discard_gradients();
    for (const Parameter& parameter : parameters())
      std::memset(parameter.gradient->data(), 0, static_cast<std::size_t>(parameter.gradient->bytes()));
  }

  RunContext context_of(std::int32_t option) const {
    RunContext context;
    context.input = &input_spec_;
    context.output = &output_spec_;
    context.option = option;
    context.layer = keys_.layer;
    context.step = keys_.step;
    context.seed = keys_.seed;
    context.first_sample = keys_.first_sample;
    context.evaluation = keys_.evaluation;
    context.pool = pool_.get();
    return context;
  }

  std::shared_ptr<Layer> layer_;
  TensorSpec input_spec_;
  TensorSpec output_spec_;
  std::shared_ptr<base::ThreadPool> pool_;
  std::shared_ptr<Tensor> input_;
  std::shared_ptr<Tensor> output_gradient_;
  RunKeys keys_;
  BlasSession blas_;
};

// Returns bytes as numbers.
inline std::vector<double> numbers_of(Dtype dtype, const Bytes& bytes) {
  const auto tensor = Tensor::create(dtype, {static_cast<std::int64_t>(bytes.size()) * 8 / tensor::dtype_bits(dtype)});
  if (!bytes.empty()) std::memcpy(tensor->data(), bytes.data(), bytes.size());
  return numbers_of(*tensor);
}

}  // namespace ckpt::engine::test
