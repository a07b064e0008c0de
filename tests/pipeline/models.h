// Models, data and runs for the tests of pipelines.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/models.h"
#include "pipeline/pipeline.h"

namespace ckpt::pipeline::test {

using engine::Chain;
using engine::Step;
using engine::TensorSpec;
using tensor::Dtype;
using tensor::Tensor;

using engine::test::gradients_of;
using engine::test::Model;
using engine::test::step_of;

// Embedding, blocks of linear, GELU, dropout, then linear and the loss: 3 * blocks + 3 layers.
inline Model byte_model(std::int64_t samples, std::int64_t width, int blocks, double dropout = 0.2) {
  return engine::test::byte_model(Dtype::f32, samples, width, blocks, dropout);
}

inline PipelineOptions options_of(Order order, std::int32_t stages, std::int32_t micro_batches, std::int32_t chunks = 1) {
  PipelineOptions options;
  options.layout = {order, stages, chunks, micro_batches};
  options.measured_runs = 0;
  options.tracker = std::make_shared<memory::Tracker>();
  return options;
}

inline std::shared_ptr<Pipeline> make_pipeline(const Model& model, const PipelineOptions& options) {
  return Pipeline::create(model.chain, model.input, options);
}

struct Result {
  double loss = 0;
  std::vector<double> losses;
  std::vector<std::byte> gradients;
  friend bool operator==(const Result&, const Result&) = default;
};

inline Result run_step(const Model& model, Pipeline& pipeline, const Step& step) {
  Result result;
  result.losses.resize(static_cast<std::size_t>(pipeline.layout().micro_batches));
  result.loss = pipeline.run(step, -1, result.losses);
  result.gradients = gradients_of(*model.chain);
  return result;
}

inline Result run_once(const Model& model, const PipelineOptions& options, std::int64_t number = 3) {
  const auto pipeline = make_pipeline(model, options);
  return run_step(model, *pipeline, step_of(model, number));
}

// Returns the results of one stage with the same micro-batches.
inline Result one_stage(const Model& model, std::int32_t micro_batches, std::int64_t number = 3) {
  return run_once(model, options_of(Order::gpipe, 1, micro_batches), number);
}

// Returns the status and message of the exception of call.
template <class Call>
base::Error error_of(Call&& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error;
  }
  return base::Error(base::Status::ok, "");
}

// A layer that runs the test's hook and passes its input on.
class Probe final : public engine::Layer {
 public:
  using Hook = std::function<void(const engine::RunContext&, bool forward)>;
  Probe(std::string name, Hook hook, std::uint32_t flags = plan::deterministic)
      : Layer(std::move(name)), hook_(std::move(hook)), flags_(flags) {}
  TensorSpec output(const TensorSpec& input) const override { return input; }
  std::uint32_t flags() const override { return flags_; }
  void forward(const engine::RunContext& context, const engine::ForwardBuffers& buffers) override {
    hook_(context, true);
    std::memcpy(buffers.output, buffers.input, static_cast<std::size_t>(context.input->bytes()));
  }
  void backward(const engine::RunContext& context, const engine::BackwardBuffers& buffers) override {
    hook_(context, false);
    if (buffers.grad_input != nullptr)
      std::memcpy(buffers.grad_input, buffers.grad_output, static_cast<std::size_t>(context.input->bytes()));
  }

 private:
  Hook hook_;
  std::uint32_t flags_;
};

// `layers` probes over 8 samples of one float each; their hooks get the layer's number.
struct ProbeModel {
  ProbeModel(int layers, const Probe::Hook& hook) : chain(std::make_shared<Chain>(0)), input{Dtype::f32, {8, 1}} {
    for (int i = 0; i < layers; ++i) chain->add(std::make_shared<Probe>("probe" + std::to_string(i), hook));
    data = Tensor::create(Dtype::f32, input.shape);
    gradient = Tensor::create(Dtype::f32, input.shape);
    output = Tensor::create(Dtype::f32, input.shape);
    input_gradient = Tensor::create(Dtype::f32, input.shape);
    for (int i = 0; i < 8; ++i) {
      data->data_as<float>()[i] = static_cast<float>(i);
      gradient->data_as<float>()[i] = static_cast<float>(10 * i);
    }
  }
  Step step() const {
    Step step;
    step.input = data.get();
    step.output_gradient = gradient.get();
    step.output = output.get();
    step.input_gradient = input_gradient.get();
    return step;
  }
  std::shared_ptr<Chain> chain;
  TensorSpec input;
  TensorPtr data, gradient, output, input_gradient;
};

}  // namespace ckpt::pipeline::test
